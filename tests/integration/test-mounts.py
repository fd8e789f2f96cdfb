#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What only shows where the test may mount: a disk that a plugin fills, a home that is not $HOME, secrets under another name.
Runs itself again in namespaces of its own, where it is uid 0 and its mounts are nobody else's."""
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import LAUNCHER, Home  # noqa: E402
from tap import Skip, case, check, equal, run  # noqa: E402

INSIDE = "OC_TEST_INSIDE"
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]
NAME = "org.example.Mounts"

FILL = """
temp = os.environ["TMPDIR"]
try:
    with open(temp + "/large", "wb") as file:
        while True:
            os.write(file.fileno(), bytes(65536))
except OSError:
    pass
try:
    with open(temp + "/small", "wb") as file:
        while True:
            os.write(file.fileno(), b"x")
except OSError:
    pass
call("process.spawn", tool="nmap")
os._exit(7)
"""

READ = """
paths = run["params"]["context"]["paths"]
answer([call("file.readText", path=path + "/" + name) for path, name in zip(paths, ["plain", "secret"])])
"""


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def own_launcher():
    """One that root owns belongs to nobody in here, and is refused for it."""
    with tempfile.TemporaryDirectory() as copies:
        mount("-t", "tmpfs", "tmpfs", copies)
        copy = shutil.copy(LAUNCHER, copies)
        mount("--bind", copy, LAUNCHER)
        subprocess.run(["umount", "-l", copies], check=True)


def needs_mounts():
    if os.environ.get(INSIDE) != "1":
        if os.environ.get("OC_SANDBOX_MUST_WORK") == "1":
            raise AssertionError("user namespaces must work here, and do not")
        raise Skip("no user namespaces here")


@case("/mounts/full-disk")
def full_disk():
    """A plugin cannot keep its errors from being counted by filling the disk with its temporary files."""
    needs_mounts()
    with Home() as home:
        mount("-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", home.root)
        for folder in (home.plugins, home.path("run"), home.path("tmp")):
            os.makedirs(folder, mode=0o700)
        home.plugin(NAME, body=FILL)
        enabled = home.enable(NAME)
        equal(enabled.returncode, 0, f"enabling: {enabled.stderr}")
        for number in range(1, 4):
            got = json.loads(home.ctl("run", NAME, "go", "--json").stdout)
            equal((got["outcome"], got["errorsInARow"]), ("crash", number), f"run {number}")
        equal(home.state(NAME), "disabled-after-errors", "state")
        check(any(entry.get("refused") for entry in home.json("log", NAME)["runs"]), "what was refused is recorded")
        subprocess.run(["umount", "-l", home.root], check=True)


def read(home, *folders):
    home.plugin(NAME, ["file.readText", "selection.read"], READ,
                commands=[{"id": "go", "title": "Go", "minSelection": 0, "maxSelection": 5}])
    enabled = home.enable(NAME)
    equal(enabled.returncode, 0, f"enabling: {enabled.stderr}")
    got = home.ctl("run", NAME, "go", "--json", "--", *folders)
    plain, secret = json.loads(got.stdout)["result"]
    equal(plain.get("result"), "plain", "the control")
    check("result" not in secret, f"a secret was read: {secret}")
    equal(secret["error"]["data"]["reason"], "guarded", "why it was refused")


@case("/mounts/real-home")
def real_home():
    """HOME is not the user's home: what is guarded in that one is not read by the host API either."""
    needs_mounts()
    with Home() as home:
        real = pwd.getpwuid(os.geteuid()).pw_dir
        mount("-t", "tmpfs", "-o", "mode=700", "tmpfs", real)
        home.write(real + "/plain", "plain")
        home.write(real + "/.aws/secret", "secret")
        read(home, real, real + "/.aws")
        subprocess.run(["umount", "-l", real], check=True)


@case("/mounts/alias")
def alias():
    """A guarded folder that is mounted at another place as well."""
    needs_mounts()
    with Home() as home:
        home.write("Documents/plain", "plain")
        home.write(".ssh/secret", "secret")
        os.makedirs(home.path("alias"))
        mount("--bind", home.path(".ssh"), home.path("alias"))
        read(home, home.path("Documents"), home.path("alias"))
        subprocess.run(["umount", "-l", home.path("alias")], check=True)


@case("/mounts/overlay")
def overlay():
    """A guarded folder in a layer of an overlay, and so also in the overlay."""
    needs_mounts()
    with Home() as home, tempfile.TemporaryDirectory() as beside:
        mount("-t", "tmpfs", "-o", "mode=700", "tmpfs", beside)
        home.write("Documents/plain", "plain")
        home.write(".ssh/secret", "secret")
        empty, merged = os.path.join(beside, "empty"), os.path.join(beside, "merged")
        os.mkdir(empty)
        os.mkdir(merged)
        try:
            mount("-t", "overlay", "overlay", "-o", f"lowerdir={home.root}:{empty},userxattr", merged)
        except subprocess.CalledProcessError:
            subprocess.run(["umount", "-l", beside], check=True)
            raise Skip("no overlays here") from None
        check(os.path.exists(merged + "/.ssh/secret"), "the control: it is seen there")
        read(home, merged + "/Documents", merged + "/.ssh")
        subprocess.run(["umount", "-l", merged], check=True)
        subprocess.run(["umount", "-l", beside], check=True)


if __name__ == "__main__":
    works = subprocess.run([*UNSHARE, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0
    if INSIDE not in os.environ and works:
        os.execvpe("unshare", [*UNSHARE, sys.executable, __file__], {**os.environ, INSIDE: "1"})
    if INSIDE in os.environ:
        own_launcher()
    sys.exit(run())
