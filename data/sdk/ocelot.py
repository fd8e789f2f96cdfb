# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ocelot plugins of kind "process", in Python 3.9 or later. One file that needs nothing but Python.

Copy it beside your worker (bin/ocelot.py beside bin/worker) and write:

    #!/usr/bin/python3 -sS
    import ocelot

    def count(context):
        return {"lines": sum(ocelot.read_text(path).count("\\n") for path in context.paths)}

    ocelot.run({"count": count})

A handler gets the context and returns the result: None, or what JSON can hold. It runs in a sandbox: what open(), subprocess
and the like can do there, and every limit and error of the calls below, is in ocelot-plugin(7).

Errors. A call that the host does not carry out raises HostError, or PermissionDenied where the plugin was not given the
permission. A handler that raises ReportedError reports an error to the user; PermissionDenied passes as what it is. Both do not
count. Any other exception that leaves a handler is an error of the plugin: three in a row, and the plugin is switched off.

Paths are str as Python has them, also where a name is not UTF-8: open(path), os.stat(path) and read_text(path) take them. Where a
path is taken, bytes and pathlib's paths will do as well.

Threads: every call may be made from any thread, and calls from several go on at the same time; those beyond what the host allows at
once wait for their turn. A call blocks its thread until it is answered. run() belongs into the main thread. After os.fork() only
the parent may call. asyncio: call through asyncio.to_thread().
"""
from __future__ import annotations

import binascii
import json
import math
import os
import sys
import threading
from collections import deque

# Importing typing costs more than everything else in this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Mapping, NoReturn, Union

    Path = Union[str, bytes, "os.PathLike[Any]"]
    Argument = Union[str, bytes, "os.PathLike[Any]"]
    Handler = Callable[["Context"], Any]

__all__ = ["run", "context", "selection", "read_text", "spawn", "open_url", "open_in_app", "storage", "log", "Context", "Selection",
           "Item", "SpawnResult", "Host", "HostError", "PermissionDenied", "ReportedError", "HostGone", "MAX_FILE_BYTES",
           "MAX_MESSAGE_BYTES", "MAX_OUTPUT_BYTES", "MAX_STORAGE_VALUE_BYTES", "MAX_STORAGE_BYTES"]

# What HostError.code can be.
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601   # an older Ocelot does not have this call
INVALID_PARAMS = -32602     # the message names the parameter
INTERNAL_ERROR = -32603
FAILED = -32000             # the computer could not do it
PERMISSION_DENIED = -32001
REFUSED = -32002            # the permission is there, this use is outside of it
NOT_FOUND = -32003
TOO_LARGE = -32004
NOT_TEXT = -32005
BUSY = -32006               # try again when something has ended
# What HostError.reason can be, by the code; ocelot-plugin(7) says what each means.
REASONS = {
    FAILED: ("not-a-file", "io", "sandbox", "tool-unreadable", "storage", "app-no-folders", "no-display", "not-opened",
             "timed-out"),
    REFUSED: ("outside-selection", "guarded", "link", "url-malformed", "url-scheme", "url-too-long", "url-hidden",
              "url-character", "url-credentials", "url-host", "url-port", "mail-address", "mail-field", "mail-attachment",
              "no-folder", "not-a-folder", "own-folder", "too-many", "too-fast"),
    NOT_FOUND: ("missing", "tool-missing", "tool-is-folder", "tool-not-executable", "tool-not-started", "no-handler",
                "handler-missing", "app-missing", "app-hidden", "app-program-missing"),
    TOO_LARGE: ("too-large",),
    NOT_TEXT: ("not-text",),
    BUSY: ("busy",),
}

MAX_FILE_BYTES = 1_000_000
MAX_MESSAGE_BYTES = 4_194_304
MAX_OUTPUT_BYTES = 1_048_576
MAX_STORAGE_VALUE_BYTES = 1_048_576
MAX_STORAGE_BYTES = 10_485_760
_MAX_SPAWNS = 8
_MAX_DEPTH = 32
_MAX_KEYS = 16384
_MAX_INTEGER = 2 ** 53 - 1
# The host ends a plugin that has more than 64 calls waiting.
_MAX_CALLS = 32
# The host keeps 200 lines of a run, each of 2,048 bytes, and ends a plugin that sends 100,000.
_MAX_LOG_LINES = 1000
_MAX_LOG_CHARACTERS = 2048


class HostError(Exception):
    """The host did not carry out a call. code: one of the codes above. reason: a word that tells the cases of a code apart and is
    the same in every language, or None. str() is the host's sentence, for people."""

    def __init__(self, message: str, code: int = FAILED, reason: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


class PermissionDenied(HostError):
    """The plugin was not given the permission, or it was taken back meanwhile. permission: such as "process.spawn:git"."""

    def __init__(self, message: str, permission: str) -> None:
        super().__init__(message, PERMISSION_DENIED)
        self.permission = permission


class ReportedError(Exception):
    """Raise it in a handler to report an error that is no fault of the plugin: "This is no notebook." It is shown and does not
    count. code: any but -32603 and -32001."""

    def __init__(self, message: str, code: int = 1) -> None:
        if not isinstance(code, int) or code in (INTERNAL_ERROR, PERMISSION_DENIED) or abs(code) > _MAX_INTEGER:
            raise ValueError(f"{code!r} is no code of a reported error")
        super().__init__(message)
        self.code = code


class HostGone(ConnectionError):
    """The launcher has ended, or what came from it cannot be read. The plugin is ended with it."""


class Context:
    """What a run is about."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self.command: str = data["command"]            # the command's id
        self.locale: str = data["locale"]              # such as "de-DE"
        self.data_folder = _path_from(data["dataFolder"])      # kept between runs; the worker starts in it
        self.temp_folder = _path_from(data["tempFolder"])      # removed after the run
        self.plugin_folder = _path_from(data["pluginFolder"])  # the plugin's own files, read-only

    @property
    def paths(self) -> list[str]:
        """The selected paths. Needs selection.read, which a command with minSelection of 1 or more brings along."""
        self._need_selection()
        return [_path_from(text) for text in self._data["paths"]]

    @property
    def folder(self) -> str | None:
        """The folder that is shown, where there is one. Needs selection.read."""
        self._need_selection()
        return _path_from_optional(self._data["folder"])

    def _need_selection(self) -> None:
        if "paths" not in self._data:
            raise PermissionDenied("PermissionDenied: the plugin was not given selection.read.", "selection.read")


class Item:
    """A selected file or folder. path; name: its last part, as text to show; uri: file://…"""

    __slots__ = ("path", "name", "uri")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.path = _path_from(data["path"])
        self.name: str = data["name"]
        self.uri: str = data["uri"]


class Selection:
    """paths, items and the shown folder (or None)."""

    __slots__ = ("paths", "items", "folder")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.paths = [_path_from(text) for text in data["paths"]]
        self.items = [Item(item) for item in data["items"]]
        self.folder = _path_from_optional(data["folder"])


class SpawnResult:
    """How a tool ended. stdout and stderr are text, with U+FFFD where it was none; stdout_bytes and stderr_bytes are exact. At most
    1 MiB of each is kept, and truncated says that there was more. exit_code is None where a signal ended the tool, and signal (its
    number) None where none did. timed_out and memory_exceeded: the host ended it."""

    __slots__ = ("stdout", "stderr", "stdout_bytes", "stderr_bytes", "exit_code", "signal", "truncated", "timed_out",
                 "memory_exceeded")

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.stdout: str = data["stdout"]
        self.stderr: str = data["stderr"]
        self.stdout_bytes = _output_bytes(data, "stdout", "stdoutBase64")
        self.stderr_bytes = _output_bytes(data, "stderr", "stderrBase64")
        self.exit_code: int | None = data["exitCode"]
        self.signal: int | None = data["signal"]
        self.truncated: bool = data["truncated"]
        self.timed_out: bool = data["timedOut"]
        self.memory_exceeded: bool = data.get("memoryExceeded", False)

    @property
    def ok(self) -> bool:
        """It ended by itself with exit code 0."""
        return self.exit_code == 0

    def __repr__(self) -> str:
        return f"<SpawnResult exit_code={self.exit_code} signal={self.signal}>"


# Text and bytes on the wire.

def _path_from(text: str) -> str:
    """A path that is not UTF-8 comes as a file:// URI."""
    if not text.startswith("file://"):
        return os.fsdecode(text.encode())
    head, *rest = text[len("file://"):].encode().split(b"%")
    return os.fsdecode(head + b"".join(bytes.fromhex(part[:2].decode()) + part[2:] for part in rest))


def _path_from_optional(text: str | None) -> str | None:
    return None if text is None else _path_from(text)


def _path_to(path: Path) -> str:
    raw = os.fsencode(path)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "file://" + "".join(chr(c) if chr(c) in _PLAIN else f"%{c:02X}" for c in raw)


_PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"


def _bytes_to(value: Argument) -> str | dict[str, str]:
    raw = value if isinstance(value, bytes) else os.fsencode(value)
    try:
        text = raw.decode()
        if "\0" not in text:
            return text
    except UnicodeDecodeError:
        pass
    return {"base64": binascii.b2a_base64(raw, newline=False).decode()}


def _output_bytes(data: Mapping[str, Any], key: str, exact: str) -> bytes:
    return binascii.a2b_base64(data[exact]) if exact in data else str(data[key]).encode()


def _check_json(value: Any, place: str, depth: int) -> None:
    """ValueError where VALUE is more than the host's strict reader takes: that would end the plugin. DEPTH: what it stands in."""
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"{place}: a text has a NUL character")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{place}: a text is not valid Unicode; os.fsencode() makes bytes of a path") from None
    elif value is None or isinstance(value, bool):
        pass
    elif isinstance(value, int):
        if abs(value) > _MAX_INTEGER:
            raise ValueError(f"{place}: {value} is beyond 2**53 - 1; give it as text")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{place}: {value} is no number of JSON")
    elif isinstance(value, (list, tuple, dict)):
        if depth >= _MAX_DEPTH:
            raise ValueError(f"{place}: lists and objects are nested too deep (or without end)")
        if isinstance(value, dict):
            _check_object(value, place, depth)
        else:
            for number, item in enumerate(value):
                _check_json(item, f"{place}[{number}]", depth + 1)
    else:
        raise ValueError(f"{place}: {type(value).__name__} is no value of JSON")


def _check_object(value: Mapping[Any, Any], place: str, depth: int) -> None:
    if len(value) > _MAX_KEYS:
        raise ValueError(f"{place}: an object has more than {_MAX_KEYS} keys")
    for key, item in value.items():
        if not isinstance(key, str):
            raise ValueError(f"{place}: the key {key!r} is no text")
        _check_json(key, f"{place}, a key", depth)
        _check_json(item, f"{place}.{key[:60]}", depth + 1)


def _clean(text: str, limit: int) -> str:
    """For messages and log lines, which must not fail: what is no text becomes U+FFFD."""
    text = text[:limit].replace("\0", "\ufffd")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Storage:
    """Values of JSON that are kept between runs: at most 1 MiB each, 10 MiB in all; keys of 1 to 256 bytes. Needs no permission."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def get(self, key: str, default: Any = None) -> Any:
        """DEFAULT where there is none, or where None was stored."""
        value = self._host.call("storage.get", {"key": key})
        return default if value is None else value

    def set(self, key: str, value: Any) -> None:
        """ValueError where VALUE is nothing that JSON can hold; HostError "too-large" past a limit."""
        self._host.call("storage.set", {"key": key, "value": value})

    def remove(self, key: str) -> bool:
        """Whether there was one."""
        return bool(self._host.call("storage.remove", {"key": key}))

    def keys(self) -> list[str]:
        """Sorted."""
        return list(self._host.call("storage.keys"))


class Log:
    """Lines that are shown with the run: the first 200 of a run, 2,048 bytes each. Never an error, never waits for an answer."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lines = 0

    def _write(self, level: str, message: object) -> None:
        self._lines += 1
        if self._lines <= _MAX_LOG_LINES:
            self._host.notify("log", {"level": level, "message": _clean(str(message), _MAX_LOG_CHARACTERS)})

    def debug(self, message: object) -> None:
        self._write("debug", message)

    def info(self, message: object) -> None:
        self._write("info", message)

    def warning(self, message: object) -> None:
        self._write("warning", message)

    def error(self, message: object) -> None:
        self._write("error", message)


class Host:
    """The conversation with the host on two descriptors. Plugins use the functions of the module, which are those of one Host on
    descriptors 3 and 4; tests of a plugin may make their own on pipes."""

    def __init__(self, from_host: int = 3, to_host: int = 4) -> None:
        self._in = from_host
        self._out = to_host
        self._buffer = bytearray()
        self._next_id = 0
        self._changed = threading.Condition()  # guards what follows
        self._reading = False                  # one of the waiting threads reads for all
        self._answers: dict[int, Any] = {}
        self._waiting: set[int] = set()
        self._requests: deque[Any] = deque()
        self._gone: str | None = None
        self._writing = threading.Lock()
        self._calls = threading.BoundedSemaphore(_MAX_CALLS)
        self._spawns = threading.BoundedSemaphore(_MAX_SPAWNS)
        self.storage = Storage(self)
        self.log = Log(self)

    # The API.

    def context(self) -> Context:
        """The context once more, without the selection. Needs no permission."""
        return Context(self.call("context.get"))

    def selection(self) -> Selection:
        """What is selected. Needs selection.read."""
        return Selection(self.call("selection.get"))

    def read_text(self, path: Path) -> str:
        """The text of a UTF-8 file of at most 1,000,000 bytes that is selected or lies in a selected folder. Needs file.readText."""
        return str(self.call("file.readText", {"path": _path_to(path)}))

    def spawn(self, tool: str, args: Iterable[Argument] = (), *, stdin: str | bytes | None = None,
              timeout: float | None = None) -> SpawnResult:
        """Runs a tool of the system in a sandbox of its own, without a shell, and waits for its end. TIMEOUT: seconds, 30 unless
        given, 600 at most. A tool that fails or is ended is no exception: see the result. Needs process.spawn:TOOL."""
        if isinstance(args, (str, bytes)):
            raise TypeError("args: a list of arguments, not one text")
        params: dict[str, Any] = {"tool": tool, "args": [_bytes_to(argument) for argument in args]}
        if stdin is not None:
            params["stdin"] = _bytes_to(stdin)
        if timeout is not None:
            params["timeoutMs"] = math.ceil(timeout * 1000)
        with self._spawns:
            return SpawnResult(self.call("process.spawn", params))

    def open_url(self, url: str) -> None:
        """Opens a http, https or mailto address of at most 2,048 characters in the user's browser or mail app. Needs openURL."""
        self.call("openURL", {"url": url})

    def open_in_app(self, app: str, folder: Path | None = None) -> None:
        """Opens the shown folder, or one that is selected, in an app ("org.gnome.Nautilus"). Needs app.open:APP."""
        params = {"app": app}
        if folder is not None:
            params["folder"] = _path_to(folder)
        self.call("app.open", params)

    def call(self, method: str, params: Mapping[str, Any] | None = None) -> Any:
        """Any method, as ocelot-plugin(7) has them, with JSON in and out."""
        with self._calls:
            with self._changed:
                self._next_id += 1
                number = self._next_id
                self._waiting.add(number)
            try:
                self._send({"id": number, "method": method, "params": {} if params is None else params}, "params")
                answer = self._wait(number)
            finally:
                with self._changed:
                    self._waiting.discard(number)
        if "error" in answer:
            _raise(answer["error"])
        return answer.get("result")

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """A call that has no answer; only the method log takes that."""
        self._send({"method": method, "params": params}, "params")

    def run(self, handlers: Mapping[str, Handler]) -> None:
        """Answers what the host asks for, until it ends the worker."""
        while True:
            request = self._take_request()
            if request is None:
                return
            self._answer(request["id"], self._carry_out(request.get("method"), request.get("params"), handlers))

    # Running a handler.

    def _carry_out(self, method: Any, params: Any, handlers: Mapping[str, Handler]) -> dict[str, Any]:
        if method != "run":
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"There is no method {_clean(str(method), 60)}."}}
        try:
            handler = handlers.get(params["entry"])
            if handler is None:
                raise LookupError(f"the plugin has no handler for the command {params['entry']!r}")
            result = handler(Context(params["context"]))
            _check_json(result, "the result", 1)
            if len(_to_bytes(result)) > MAX_MESSAGE_BYTES - 100:
                raise ValueError("the result takes more than 4 MiB")
            return {"result": result}
        except ReportedError as error:
            return {"error": {"code": error.code, "message": _clean(str(error), 4096)}}
        except PermissionDenied as error:
            return {"error": {"code": PERMISSION_DENIED, "message": _clean(str(error), 4096),
                              "data": {"permission": _clean(error.permission, 200)}}}
        except HostGone:
            raise
        except Exception as error:  # whatever a plugin raises
            return {"error": _describe(error)}

    def _answer(self, number: Any, answer: dict[str, Any]) -> None:
        sys.stdout.flush()
        self._send({"id": number, **answer}, "answer", checked=True)

    # Messages.

    def _send(self, message: dict[str, Any], part: str, checked: bool = False) -> None:
        if not checked:
            _check_json(message[part], part, 1)
        body = _to_bytes({"jsonrpc": "2.0", **message})
        if len(body) > MAX_MESSAGE_BYTES:
            raise ValueError(f"{message.get('method')}: the message takes {len(body)} bytes, {MAX_MESSAGE_BYTES} are the most")
        view = memoryview(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        with self._writing:
            try:
                while view:
                    view = view[os.write(self._out, view):]
            except OSError as error:
                self._lose(f"the host does not listen: {error}")

    def _wait(self, number: int) -> Any:
        with self._changed:
            self._read_until(lambda: number in self._answers)
            return self._answers.pop(number)

    def _take_request(self) -> Any:
        with self._changed:
            try:
                self._read_until(lambda: bool(self._requests))
            except HostGone:
                if self._buffer or self._gone != _END:
                    raise
                return None
            return self._requests.popleft()

    def _read_until(self, is_there: Callable[[], bool]) -> None:
        """Called with the lock. One thread reads, for itself and for those that wait; when it has what it wants, another goes on."""
        while not is_there():
            if self._gone is not None:
                raise HostGone(self._gone)
            if self._reading:
                self._changed.wait()
                continue
            self._reading = True
            self._changed.release()
            message: Any = None
            try:
                message = self._receive()
            except HostGone as error:
                self._gone = str(error)
            finally:
                self._changed.acquire()
                self._reading = False
                self._changed.notify_all()
            if message is not None:
                self._take(message)

    def _take(self, message: Any) -> None:
        if not isinstance(message, dict):
            self._gone = "what came from the host is no message"
        elif "method" in message:
            if "id" in message:
                self._requests.append(message)
        elif message.get("id") in self._waiting:
            self._answers[message["id"]] = message

    def _receive(self) -> Any:
        end = self._fill_until(lambda: self._buffer.find(b"\r\n\r\n"))
        length = -1
        for line in bytes(self._buffer[:end]).split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if length < 0:
            self._lose("what came from the host is no message")
        start = end + 4
        self._fill_until(lambda: 0 if len(self._buffer) >= start + length else -1)
        body = bytes(self._buffer[start:start + length])
        del self._buffer[:start + length]
        try:
            return json.loads(body)
        except ValueError as error:
            self._lose(f"what came from the host is no message: {error}")

    def _fill_until(self, look: Callable[[], int]) -> int:
        while (found := look()) < 0:
            try:
                chunk = os.read(self._in, 1 << 16)
            except OSError as error:
                self._lose(f"the host cannot be read: {error}")
            if not chunk:
                self._lose(_END)
            self._buffer += chunk
        return found

    def _lose(self, message: str) -> NoReturn:
        raise HostGone(message)


_END = "the host has closed the conversation"


def _to_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _raise(error: Mapping[str, Any]) -> NoReturn:
    data = error.get("data")
    data = data if isinstance(data, dict) else {}
    if error["code"] == PERMISSION_DENIED:
        raise PermissionDenied(error["message"], data.get("permission", ""))
    raise HostError(error["message"], error["code"], data.get("reason"))


def _describe(error: Exception) -> dict[str, Any]:
    """An error that counts, with the lines of the plugin that led to it; the whole traceback goes to standard error."""
    import traceback

    traceback.print_exception(type(error), error, error.__traceback__)
    sys.stderr.flush()
    base = os.path.dirname(os.path.abspath(__file__))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    stack = "\n".join(f"{os.path.relpath(frame.filename, base)}:{frame.lineno} in {frame.name}" for frame in frames[-20:])
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    return {"code": INTERNAL_ERROR, "message": _clean(message, 4096), "data": {"uncaught": True, "stack": _clean(stack, 4096)}}


_host = Host()
storage = _host.storage
log = _host.log
context = _host.context
selection = _host.selection
read_text = _host.read_text
spawn = _host.spawn
open_url = _host.open_url
open_in_app = _host.open_in_app


def run(handlers: Mapping[str, Handler]) -> None:
    """Runs the handler of the command that the user chose, {"command id": handler}, and answers with what it returns."""
    try:
        for descriptor in (3, 4):
            os.set_inheritable(descriptor, False)
    except OSError:
        sys.exit("This is the worker of a plugin, and Ocelot starts it: ocelotctl run ID COMMAND")
    _host.run(handlers)
