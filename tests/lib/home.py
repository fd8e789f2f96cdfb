# SPDX-License-Identifier: LGPL-2.1-or-later
"""A private home for one case, with plugins in it, and the built programs run against it."""
import json
import os
import shutil
import subprocess
import tempfile

BUILD = os.environ["OC_TEST_BUILD_ROOT"]
SOURCE = os.environ["OC_TEST_SOURCE_ROOT"]
CTL = os.path.join(BUILD, "app/cli/ocelotctl")
LAUNCHER = os.path.join(BUILD, "app/launcher/ocelot-launcher")
IS_ROOT = os.geteuid() == 0
# Sanitized builds under load are slow; a case that hangs must still end.
PATIENCE = 120

# A worker in Python: reads the request, does BODY with `run`, `call` and `answer` at hand.
WORKER = '''#!/usr/bin/env python3
import json, os, sys
host, reply = os.fdopen(3, "rb"), os.fdopen(4, "wb")
def receive():
    length = 0
    while line := host.readline().strip():
        name, value = line.split(b":")
        length = int(value)
    return json.loads(host.read(length))
def send(message):
    body = json.dumps(dict(jsonrpc="2.0", **message)).encode()
    reply.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    reply.flush()
def call(method, **params):
    send(dict(id=method, method=method, params=params))
    return receive()
run = receive()
def answer(result):
    send(dict(id=run["id"], result=result))
'''


class Home:
    """Use as a context: the folder is removed at the end."""

    def __enter__(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="ocelot-test-"))
        self.data = os.path.join(self.root, ".local/share")
        self.base = os.path.join(self.data, "ocelot")
        self.plugins = os.path.join(self.base, "Plugins")
        self.consent = os.path.join(self.base, "consent.json")
        for folder in (self.plugins, self.path("Documents")):
            os.makedirs(folder)
        for folder in (self.path("run"), self.path(".ssh"), self.path("tmp")):
            os.makedirs(folder, mode=0o700)
        return self

    def __exit__(self, *_):
        # What bubblewrap's masks are made of is closed even to its owner.
        for folder, names, _files in os.walk(self.root):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(self.root, ignore_errors=True)

    def path(self, *parts):
        return os.path.join(self.root, *parts)

    def write(self, path, text, mode=0o644):
        path = self.path(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def environment(self, **more):
        """Nothing of the caller's session: no bus, no keyring, no display."""
        kept = {key: os.environ[key] for key in ("PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS")
                if os.environ.get(key)}
        return {**kept, "HOME": self.root, "XDG_DATA_HOME": self.data, "XDG_DATA_DIRS": self.path("usr/share"),
                "XDG_CONFIG_HOME": self.path(".config"), "XDG_RUNTIME_DIR": self.path("run"),
                "TMPDIR": self.path("tmp"), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", **more}

    def plugin(self, plugin_id, permissions=(), body='answer({"ok": True})', **more):
        """A process plugin with one command "go"; MORE are members of its manifest."""
        manifest = {"manifestVersion": 1, "id": plugin_id, "name": plugin_id, "version": "1", "kind": "process",
                    "main": "bin/worker", "commands": [{"id": "go", "title": "Go", "timeoutSeconds": 20}],
                    "permissions": list(permissions), **more}
        folder = os.path.join(self.plugins, plugin_id)
        self.write(os.path.join(folder, "plugin.json"), json.dumps(manifest))
        self.write(os.path.join(folder, "bin/worker"), WORKER + body + "\n", 0o755)
        return folder

    def ctl(self, *arguments, root=IS_ROOT, program=CTL, **more):
        """ocelotctl, with no terminal. --allow-root is put in front where this is root."""
        return subprocess.run([program, *(["--allow-root"] if root else []), *arguments], env=self.environment(**more),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, cwd=self.root,
                              encoding="utf-8", errors="surrogateescape", check=False)

    def json(self, *arguments):
        return json.loads(self.ctl(*arguments, "--json").stdout)

    def state(self, name):
        return self.json("show", name)["state"]

    def enable(self, name):
        """By naming exactly what it asks for."""
        grants = [word for text in self.json("review", name)["permissions"] for word in ("--grant", text)]
        return self.ctl("enable", name, *(grants or ["--grant", "none"]))
