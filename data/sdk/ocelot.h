/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ocelot plugins of kind "process", in C. Needs C99 and POSIX, and no library. Copy the four files ocelot*.h beside your source.
 * In one source file define OCELOT_IMPLEMENTATION before you include it:
 *
 *   #define OCELOT_IMPLEMENTATION
 *   #include "ocelot.h"
 *
 *   static int
 *   count (ocelot *host, const ocelot_context *context, void *data)
 *   {
 *     ocelot_json *result = ocelot_result (host);
 *
 *     ocelot_json_begin_object (result);
 *     ocelot_json_key (result, "files");
 *     ocelot_json_integer (result, (long long) context->n_paths);
 *     ocelot_json_end_object (result);
 *     return OCELOT_OK;
 *   }
 *
 *   int
 *   main (void)
 *   {
 *     static const ocelot_command commands[] = { { "count", count }, { NULL, NULL } };
 *
 *     return ocelot_main (commands, NULL);
 *   }
 *
 * What a worker can do in its sandbox, and each call's limits and errors, is in ocelot-plugin(7).
 *
 * Strings end with NUL. Paths, arguments and output are bytes as the kernel has them, whatever the encoding; where output can hold NUL
 * there is a length as well. All other text is UTF-8. What a function gives out in a char ** or a result struct is the caller's, to be
 * freed with free() or the function named there. Where there is no memory, the worker says so on standard error and ends.
 *
 * Not for several threads at once: one call after the other, from any thread.
 */
#ifndef OCELOT_H
#define OCELOT_H

#include "ocelot-json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What calls return: OCELOT_OK or one of these; ocelot_get_error() has more. */
enum
{
  OCELOT_OK = 0,
  OCELOT_HOST_GONE = 1,             /* the launcher has ended, or what came from it cannot be read */
  OCELOT_REPORTED = 2,              /* what ocelot_report() returns */
  OCELOT_INVALID_REQUEST = -32600,
  OCELOT_METHOD_NOT_FOUND = -32601, /* an older Ocelot does not have this call */
  OCELOT_INVALID_PARAMS = -32602,   /* the message names the parameter */
  OCELOT_INTERNAL_ERROR = -32603,
  OCELOT_FAILED = -32000,           /* the computer could not do it */
  OCELOT_PERMISSION_DENIED = -32001,
  OCELOT_REFUSED = -32002,          /* the permission is there, this use is outside of it */
  OCELOT_NOT_FOUND = -32003,
  OCELOT_TOO_LARGE = -32004,
  OCELOT_NOT_TEXT = -32005,
  OCELOT_BUSY = -32006              /* try again when something has ended */
};

/*
 * What ocelot_error.reason can be, by the code; ocelot-plugin(7) says what each means.
 * OCELOT_FAILED: not-a-file, io, sandbox, tool-unreadable, storage, app-no-folders, no-display, not-opened, timed-out
 * OCELOT_REFUSED: outside-selection, guarded, link, url-malformed, url-scheme, url-too-long, url-hidden, url-character,
 *   url-credentials, url-host, url-port, mail-address, mail-field, mail-attachment, no-folder, not-a-folder, own-folder,
 *   too-many, too-fast
 * OCELOT_NOT_FOUND: missing, tool-missing, tool-is-folder, tool-not-executable, tool-not-started, no-handler, handler-missing,
 *   app-missing, app-hidden, app-program-missing
 * OCELOT_TOO_LARGE: too-large
 * OCELOT_NOT_TEXT: not-text
 * OCELOT_BUSY: busy
 */

#define OCELOT_MAX_FILE_BYTES 1000000
#define OCELOT_MAX_MESSAGE_BYTES 4194304
#define OCELOT_MAX_OUTPUT_BYTES 1048576
#define OCELOT_MAX_STORAGE_VALUE_BYTES 1048576
#define OCELOT_MAX_STORAGE_BYTES 10485760

typedef struct ocelot ocelot;

/* Why the last call failed. Lives until the next call. */
typedef struct
{
  int code;
  const char *message;    /* for people */
  const char *reason;     /* NULL, or a word that tells the cases of a code apart and is the same in every language */
  const char *permission; /* NULL, or what was not granted: "process.spawn:git" */
} ocelot_error;
const ocelot_error *ocelot_get_error (const ocelot *host);

/* What the run is about. */
typedef struct
{
  char *command;
  char *locale;        /* "de-DE" */
  char *data_folder;   /* kept between runs; the worker starts in it */
  char *temp_folder;   /* removed after the run */
  char *plugin_folder; /* the plugin's own files, read-only */
  int has_selection;   /* whether there is selection.read; if not, the rest is empty */
  char **paths;        /* NULL-terminated */
  size_t n_paths;
  char *folder;        /* NULL, or the folder that is shown */
} ocelot_context;
void ocelot_context_clear (ocelot_context *context);

/* Returns OCELOT_OK: the result is what was written to ocelot_result(), or null. `return ocelot_report (…)`: an error for the user
 * that is no fault of the plugin; it does not count. OCELOT_PERMISSION_DENIED as a call returned it does not count either. Anything
 * else is an error of the plugin: three in a row, and it is switched off. */
typedef int (*ocelot_handler) (ocelot *host, const ocelot_context *context, void *data);
typedef struct
{
  const char *command;
  ocelot_handler handler;
} ocelot_command;
/* Runs what the user chose, on descriptors 3 and 4. Returns what main() returns. Ends with the host: SIGPIPE keeps its default. */
int ocelot_main (const ocelot_command *commands, void *data);
/* The same on other descriptors, for tests. */
int ocelot_serve (int from_host, int to_host, const ocelot_command *commands, void *data);
int ocelot_report (ocelot *host, const char *message);

/* The calls. Each returns a code as above. */

/* context.get: the context once more, without the selection. */
int ocelot_get_context (ocelot *host, ocelot_context *context);

typedef struct
{
  size_t n_items;
  char **paths;
  char **names; /* their last parts, as text to show */
  char **uris;  /* file://… */
  char *folder; /* NULL, or the folder that is shown */
} ocelot_selection;
/* selection.get. Needs selection.read, which a command with minSelection of 1 or more brings along. */
int ocelot_get_selection (ocelot *host, ocelot_selection *selection);
void ocelot_selection_clear (ocelot_selection *selection);

/* file.readText: a UTF-8 file of at most 1,000,000 bytes that is selected or lies in a selected folder. Needs file.readText. */
int ocelot_read_text (ocelot *host, const char *path, char **text);

typedef struct
{
  const void *input; /* NULL: the tool's standard input is empty */
  size_t input_length;
  int timeout_ms;    /* 0: 30 seconds; 600000 at most */
} ocelot_spawn_options;
typedef struct
{
  char *out; /* standard output, the first 1 MiB, exact; a NUL follows */
  size_t out_length;
  char *err;
  size_t err_length;
  int exit_code; /* -1: a signal ended it */
  int signal;    /* 0: none did */
  int truncated; /* there was more output */
  int timed_out;
  int memory_exceeded;
} ocelot_spawn_result;
/* process.spawn: runs a tool of the system in a sandbox of its own, without a shell, and waits for its end. A tool that fails is no
 * error: see the result. @args: NULL-terminated, without the tool's name; or NULL. @options: or NULL. Needs process.spawn:<tool>. */
int ocelot_spawn (ocelot *host, const char *tool, const char *const *args, const ocelot_spawn_options *options,
                  ocelot_spawn_result *result);
void ocelot_spawn_result_clear (ocelot_spawn_result *result);

/* openURL: http, https or mailto, 2,048 characters at most, in the user's browser or mail app. Needs openURL. */
int ocelot_open_url (ocelot *host, const char *url);
/* app.open: the shown folder (@folder NULL) or a selected one, in the app "org.gnome.Nautilus". Needs app.open:<app>. */
int ocelot_open_in_app (ocelot *host, const char *app, const char *folder);

/* storage.get, storage.set, storage.remove, storage.keys: JSON that is kept between runs, at most 1 MiB a value, 10 MiB in all; keys of
 * 1 to 256 bytes. *json is "null" where there is none. @removed: or NULL. @keys: sorted, NULL-terminated; ocelot_strings_free(). */
int ocelot_storage_get (ocelot *host, const char *key, char **json);
int ocelot_storage_set (ocelot *host, const char *key, const char *json);
int ocelot_storage_remove (ocelot *host, const char *key, int *removed);
int ocelot_storage_keys (ocelot *host, char ***keys);
void ocelot_strings_free (char **strings);

/* log: a line that is shown with the run; the first 200 are kept. @level: "debug", "info", "warning" or "error". Waits for nothing. */
#ifdef __GNUC__
__attribute__ ((format (printf, 3, 4)))
#endif
void ocelot_log (ocelot *host, const char *level, const char *format, ...);

/* The result of this run. At most 4 MiB, 30 lists and objects inside each other, no key twice. */
ocelot_json *ocelot_result (ocelot *host);
/* A path: as it is where it is UTF-8, else as a file:// URI. */
void ocelot_json_path (ocelot_json *json, const char *path);

#ifdef __cplusplus
}
#endif
#endif

#ifdef OCELOT_IMPLEMENTATION
#include "ocelot-host.h"
#endif
