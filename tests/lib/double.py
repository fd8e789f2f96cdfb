# SPDX-License-Identifier: LGPL-2.1-or-later
"""A double of the host: pipes to a worker on its descriptors 3 and 4, and nothing in between that would hide what is sent."""
import fcntl
import json
import os
import select
import subprocess
import time

CONTEXT = {"command": "go", "locale": "de-DE", "dataFolder": "/data", "tempFolder": "/temp", "pluginFolder": "/plugin",
           "paths": ["/files/a b.txt", "file:///files/%FF%C3%28", "/files/100%41"], "folder": "/files"}
PATIENCE = 60


def frame(message):
    body = json.dumps(dict(jsonrpc="2.0", **message)).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Double:
    """Use as a context. PIECE: how many bytes of a message are written at once; None: all."""

    def __init__(self, command, piece=None, **environment):
        self.piece = piece
        ends = [*os.pipe(), *os.pipe()]
        # None of ours has the number of one of the worker's.
        to_worker, self.write_end, self.read_end, from_worker = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
        for end in ends:
            os.close(end)
        script = f'exec "$@" 3<&{to_worker} 4>&{from_worker} {to_worker}<&- {from_worker}>&-'
        self.worker = subprocess.Popen(["bash", "-c", script, "bash", *command], pass_fds=(to_worker, from_worker),
                                       env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(to_worker)
        os.close(from_worker)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hang_up()
        if self.read_end is not None:
            os.close(self.read_end)
        if self.worker.poll() is None:
            self.worker.kill()
        self.worker.communicate()

    def hang_up(self):
        if self.write_end is not None:
            os.close(self.write_end)
        self.write_end = None

    def write(self, data):
        piece = self.piece or max(1, len(data))
        for at in range(0, len(data), piece):
            view = memoryview(data[at:at + piece])
            while view:
                view = view[os.write(self.write_end, view):]

    def send(self, **message):
        self.write(frame(message))

    def run(self, entry, context=None):
        self.send(id=1, method="run", params={"entry": entry, "context": CONTEXT if context is None else context})

    def has_more(self, patience=None):
        """Whether something comes within PATIENCE seconds."""
        ready, _, _ = select.select([self.read_end], [], [], PATIENCE if patience is None else patience)
        return bool(self.buffer or ready)

    def _more(self):
        ready, _, _ = select.select([self.read_end], [], [], PATIENCE)
        if not ready:
            raise AssertionError(f"the worker sent nothing for {PATIENCE} s; so far: {self.buffer[:200]!r}")
        chunk = os.read(self.read_end, 1 << 16)
        if not chunk:
            raise EOFError(f"the worker has closed its end: {self.worker.communicate()[1].decode(errors='replace')}")
        self.buffer += chunk

    def receive(self):
        """The next message, as strictly as the launcher reads it."""
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        header, _, rest = self.buffer.partition(b"\r\n\r\n")
        name, value = header.split(b": ")
        if name != b"Content-Length" or not value.isdigit():
            raise AssertionError(f"no header: {header!r}")
        self.buffer = rest
        while len(self.buffer) < int(value):
            self._more()
        body, self.buffer = self.buffer[:int(value)], self.buffer[int(value):]
        if len(body) > 4 * 1024 * 1024:
            raise AssertionError(f"a message of {len(body)} bytes")
        message = json.loads(body.decode("utf-8"), parse_constant=lambda name: [][name])
        if message.pop("jsonrpc") != "2.0":
            raise AssertionError(f"no JSON-RPC 2.0: {body[:200]!r}")
        return message

    def expect(self, method, params, **answer):
        """The next message is this call; it is answered with result= or error=."""
        message = self.receive()
        if (message.get("method"), message.get("params")) != (method, params):
            raise AssertionError(f"expected {method} {params!r}, got {message!r}")
        self.send(id=message["id"], **answer)

    def end(self, patience=PATIENCE):
        """What the worker exits with, once nobody talks to it any more."""
        self.hang_up()
        return self.worker.wait(timeout=patience)

    def wait_until(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError("it did not come to that")
            time.sleep(0.01)
