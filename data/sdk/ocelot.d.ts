// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * Types for script plugins ("kind": "script"): what main.js of a plugin has at hand. Copy it beside main.js, and put this line at the
 * top of main.js, where an editor finds it; the plugin itself does not read it:
 *
 *     /// <reference path="./ocelot.d.ts" />
 *
 * A script runs without Node's modules, the web's, and a way to compile text (eval, Function, WebAssembly): what there is, is here.
 * Manifest, sandbox, limits and errors: ocelot-plugin(7).
 *
 * All calls give promises. One that the host does not carry out is rejected: with PermissionDenied where the plugin was not given the
 * permission, else with an Error that has `code` and `reason` (HostError). As many calls as you like may be waiting, as with
 * Promise.all(); those beyond what the host takes at once wait for their turn.
 *
 * Paths and bytes: a path that is not UTF-8 comes as a file:// URI, and goes back as it came.
 */
declare namespace ocelot {
  // ── Commands ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What main.js exports, by the ids of the manifest's commands: `exports.commands = { count: async (context) => … }`. */
  interface Commands {
    [id: string]: Command;
  }

  /**
   * Gets the context and returns the result, or a promise of it: what JSON can hold, at most 4 MiB, 31 lists and objects inside each
   * other; undefined is null. ReportedError reports an error to the user, and PermissionDenied passes as what it is: both do not count.
   * Anything else that is thrown is an error of the plugin, and three in a row switch it off. What is still to do once the result is
   * there is not done.
   */
  type Command = (context: Context) => Result | void | Promise<Result | void>;

  /** What JSON can hold. Numbers: finite, whole ones within ±(2^53 - 1). Texts without "\0" and halves of surrogate pairs. */
  type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
  type Result = Json;

  /** What a run is about. */
  interface Context {
    /** The command's id. */
    readonly command: string;
    /** The user's language, such as "de-DE"; "C" where none is set. */
    readonly locale: string;
    /** The plugin's own folder, kept between runs. */
    readonly dataFolder: string;
    /** Removed after the run. */
    readonly tempFolder: string;
    /** Where main.js lies. */
    readonly pluginFolder: string;
    /** The selected paths. Only with selection.read, which a command with a minSelection of 1 or more brings along. */
    readonly paths?: readonly string[];
    /** The folder that is shown, or null. Only with selection.read. */
    readonly folder?: string | null;
  }

  // ── Calls ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What is selected, and the folder that is shown. Needs `selection.read`. Method selection.get; context.get is the context itself. */
  function selection(): Promise<Selection>;

  interface Selection {
    readonly paths: readonly string[];
    readonly items: readonly Item[];
    readonly folder: string | null;
  }

  interface Item {
    readonly path: string;
    /** Its last part, as text to show. */
    readonly name: string;
    /** file://… */
    readonly uri: string;
  }

  /**
   * The text of a file that is selected or lies in a selected folder. Needs `file.readText` (the method's name, too).
   *
   * UTF-8 only, regular files only, at most 1,000,000 bytes. No link that leads out of what is selected.
   * Rejected with the reasons outside-selection, guarded, link, missing, not-a-file, too-large, not-text, io.
   */
  function readText(path: string): Promise<string>;

  /**
   * Runs a tool of the system, by its name ("git"), in a sandbox of its own, without a shell, and waits for its end. A tool that fails
   * or is ended is no rejection: see the result. Needs `process.spawn:<tool>`. Method process.spawn.
   *
   * At most 4,096 arguments of 131,071 bytes, 1 MiB in all; 8 tools at once. The tool can read what the user can, apart from the guarded
   * places, and write to dataFolder and tempFolder only; it starts in dataFolder.
   * Rejected with the reasons tool-missing, tool-is-folder, tool-not-executable, tool-not-started, tool-unreadable, sandbox, io, busy.
   */
  function spawn(tool: string, args?: readonly (string | Uint8Array)[], options?: SpawnOptions): Promise<SpawnResult>;

  interface SpawnOptions {
    /** The tool's standard input; empty unless given. */
    stdin?: string | Uint8Array;
    /** Milliseconds until the tool is ended: 1 to 600000, 30000 unless given. */
    timeoutMs?: number;
  }

  interface SpawnResult {
    /** Its standard output, the first 1 MiB (1048576 bytes), as text: U+FFFD where it is none. */
    readonly stdout: string;
    readonly stderr: string;
    /** Only where stdout is no UTF-8: all its bytes. */
    readonly stdoutBase64?: string;
    readonly stderrBase64?: string;
    /** Null where a signal ended it. */
    readonly exitCode: number | null;
    /** The signal's number; null where none ended it. */
    readonly signal: number | null;
    /** There was more output. */
    readonly truncated: boolean;
    /** The host ended it: its time was over. */
    readonly timedOut: boolean;
    /** The host ended it: it took too much memory. */
    readonly memoryExceeded: boolean;
  }

  /**
   * Opens an address in the user's browser or mail app: http, https or mailto, at most 2,048 characters. What stands in it must be
   * escaped (encodeURIComponent). There is no answer from there. Needs `openURL` (the method's name, too).
   *
   * In one run at most 10 things are opened, at most 3 in 2 seconds.
   * Rejected with the reasons url-malformed, url-scheme, url-too-long, url-hidden, url-character, url-credentials, url-host, url-port,
   * mail-address, mail-field, mail-attachment, too-many, too-fast, no-handler, handler-missing, no-display, not-opened, timed-out.
   */
  function openURL(url: string): Promise<void>;

  /**
   * Opens a folder in an app, by its desktop id ("org.gnome.Nautilus"): the folder that is shown, or one that is selected itself.
   * Needs `app.open:<app>`. Method app.open. As many as of openURL, counted together.
   *
   * Rejected with the reasons outside-selection, no-folder, link, not-a-folder, guarded, own-folder, missing, io, too-many, too-fast,
   * app-missing, app-hidden, app-program-missing, app-no-folders, no-display, not-opened, timed-out.
   */
  function openInApp(app: string, folder?: string): Promise<void>;

  /**
   * Values of JSON that are kept between runs. Needs no permission. A key has 1 to 256 bytes, a value at most 1 MiB (1048576 bytes) as
   * JSON and 30 lists and objects inside each other; 10 MiB (10485760 bytes) in all. Methods storage.get, storage.set, storage.remove and storage.keys.
   * Rejected with the reasons too-large, busy, storage.
   */
  namespace storage {
    /** Null where there is none. */
    function get(key: string): Promise<Json>;
    function set(key: string, value: Json): Promise<void>;
    /** Whether there was one. */
    function remove(key: string): Promise<boolean>;
    /** Sorted. */
    function keys(): Promise<string[]>;
  }

  /** Lines that are shown with the run: the first 200 of a run, 2,048 bytes each. Needs no permission; nothing to wait for. Method log. */
  namespace log {
    function debug(message: unknown): void;
    function info(message: unknown): void;
    function warn(message: unknown): void;
    function error(message: unknown): void;
  }

  // ── Errors ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The plugin was not given the permission, or it was taken back meanwhile. Code -32001. */
  class PermissionDenied extends Error {
    constructor(permission: string, message?: string);
    /** Such as "process.spawn:git". */
    readonly permission: string;
    readonly code: -32001;
  }

  /** Throw it to report an error that is no fault of the plugin: `throw new ocelot.ReportedError("This is no notebook.")`. */
  class ReportedError extends Error {
    constructor(message: string);
  }

  /** What else a call is rejected with. */
  interface HostError extends Error {
    readonly code: HostErrorCode;
    /** A word that tells the cases of a code apart, and is the same in every language. `message` is for people. */
    readonly reason?: Reason;
  }

  type HostErrorCode =
    | -32600 // invalid request
    | -32601 // method not found: an older Ocelot does not have this call
    | -32602 // invalid params: the message names the parameter
    | -32603 // internal error
    | -32000 // the computer could not do it
    | -32002 // refused: the permission is there, this use is outside of it
    | -32003 // not found
    | -32004 // too large
    | -32005 // not text
    | -32006; // busy: try again

  type Reason =
    // -32000
    | "not-a-file" | "io" | "sandbox" | "tool-unreadable" | "storage" | "app-no-folders" | "no-display" | "not-opened" | "timed-out"
    // -32002
    | "outside-selection" | "guarded" | "link" | "url-malformed" | "url-scheme" | "url-too-long" | "url-hidden" | "url-character"
    | "url-credentials" | "url-host" | "url-port" | "mail-address" | "mail-field" | "mail-attachment" | "no-folder" | "not-a-folder"
    | "own-folder" | "too-many" | "too-fast"
    // -32003
    | "missing" | "tool-missing" | "tool-is-folder" | "tool-not-executable" | "tool-not-started" | "no-handler" | "handler-missing"
    | "app-missing" | "app-hidden" | "app-program-missing"
    // -32004, -32005, -32006
    | "too-large" | "not-text" | "busy";
}

declare const PermissionDenied: typeof ocelot.PermissionDenied;
type PermissionDenied = ocelot.PermissionDenied;

// ── What else there is, beside the language itself ───────────────────────────────────────────────────────────────────────────────

/** CommonJS, inside the plugin's folder only: "./helper", "./data.json", "./folder" (its index.js). */
declare function require(path: string): any;
declare const module: { exports: any };
declare const exports: { commands: ocelot.Commands; [name: string]: any };

/** Shown with the run: log, info and debug as its standard output, warn and error as its standard error. */
declare const console: {
  debug(...values: unknown[]): void;
  error(...values: unknown[]): void;
  info(...values: unknown[]): void;
  log(...values: unknown[]): void;
  warn(...values: unknown[]): void;
};

declare function setTimeout(callback: (...args: any[]) => void, milliseconds?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, milliseconds?: number, ...args: any[]): number;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function clearImmediate(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
