#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What must hold of a whole run with each executor: no secret in an argument or an environment, whatever is named is data, no
descriptor is left open; and where the launcher runs inside somebody else's sandbox."""
import base64
import contextlib
import errno
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import BUILD, IS_ROOT, LAUNCHER, PATIENCE, Home  # noqa: E402
from tap import Skip, case, check, equal, run  # noqa: E402

NAME = "org.example.Hold"
EXECUTORS = ["direct", "bubblewrap"]
# Words that mean something to a shell, to bubblewrap, to printf or to a careless parser.
ODD = ["--bind", "--", "-", "a b", "a\nb", "$(touch pwned)", "`touch pwned`", "; touch pwned", "%s%n", "*", "'\"", "\\", "\udcff\udcfe",
       "--args", "--ro-bind\n/\n/", "\x01\x1b[31m", "ü\u202e"]
PLANTED = "planted-9f3c1d7e"


def must_work(why):
    if os.environ.get("OC_SANDBOX_MUST_WORK") == "1":
        raise AssertionError(f"must work here: {why}")
    raise Skip(why)


def launcher(*arguments, executor="direct"):
    return [LAUNCHER, *arguments[:1], *(["--allow-root"] if IS_ROOT else []), "--executor", executor, *arguments[1:]]


def launch(home, *arguments, executor="direct", **more):
    got = subprocess.run(launcher("run", *arguments, executor=executor), env=home.environment(**more), cwd=home.root,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False)
    return json.loads(got.stdout)


def result(home, *arguments, executor="direct", **more):
    got = launch(home, *arguments, executor=executor, **more)
    equal((got["outcome"], got["exit"]), ("done", 0), f"{executor}: {got['message']}")
    return got["result"]


def enable(home):
    got = home.enable(NAME)
    equal(got.returncode, 0, f"enabling: {got.stderr}")


def descendants(root):
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parents[int(name)] = int(file.read().rsplit(b")", 1)[1].split()[1])
    found, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def read_bytes(path):
    """None: it cannot be read, by nobody of this user."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def find_secrets(pids, outermost, secrets):
    found = []
    for pid in pids:
        for name in ("cmdline", "environ"):
            text = read_bytes(f"/proc/{pid}/{name}") or b""
            # What the caller gave the launcher itself is the caller's.
            if pid != outermost or name != "environ":
                found += [f"{name} of {pid} ({read_bytes(f'/proc/{pid}/comm')}): {secret}" for secret in secrets
                          if secret.encode() in text]
    return found


def check_control():
    """Where a secret is, it is found."""
    with subprocess.Popen(["sleep", "60"], env={"SECRET_TOKEN": PLANTED}) as process:
        deadline = time.monotonic() + PATIENCE
        while not find_secrets([process.pid], None, [PLANTED]):
            check(time.monotonic() < deadline, "the control found nothing")
            time.sleep(0.002)
        process.kill()


@case("/hold/no-secret-in-arguments-and-environments")
def no_secrets():
    body = """
send(dict(id=7, method="process.spawn", params=dict(tool="sleep", args=["60"], timeoutMs=60000)))
open(os.environ["OCELOT_PLUGIN_DATA"] + "/ready", "w").write(repr(dict(os.environ)))
receive()
"""
    for executor in EXECUTORS:
        with Home() as home:
            home.plugin(NAME, ["process.spawn:sleep"], body)
            enable(home)
            with open(os.path.join(home.base, "consent.key"), "rb") as file:
                key = file.read()
            secrets = [PLANTED, key.strip().decode("latin-1"), base64.b64encode(key).decode(), key.hex()]
            process = subprocess.Popen(launcher("run", NAME, "go", executor=executor), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=home.environment(SECRET_TOKEN=PLANTED, AWS_SECRET=PLANTED),
                                       cwd=home.root)
            ready = os.path.join(home.base, "Data", NAME, "ready")
            deadline = time.monotonic() + PATIENCE
            slept = False
            while not slept:
                check(process.poll() is None and time.monotonic() < deadline, f"{executor}: the tool never ran")
                pids = descendants(process.pid)
                slept = os.path.exists(ready) and any(read_bytes(f"/proc/{pid}/comm") == b"sleep\n" for pid in pids)
                found = find_secrets(pids, process.pid, secrets)
                check(not found, f"{executor}: {found}")
                time.sleep(0.002)
            check(len(pids) >= 4, f"{executor}: too few processes were looked at: {pids}")
            # The launcher itself shows nothing any more, which its first child is a copy of.
            equal(find_secrets([process.pid], None, secrets), [], f"{executor}: of the launcher")
            check_control()
            check(PLANTED.encode() not in read_bytes(ready), f"{executor}: the plugin was given a secret")
            process.terminate()
            process.wait(PATIENCE)


@case("/hold/names-are-data")
def names_are_data():
    """Odd bytes in the path of the home, in selected paths and in a tool's arguments, with each executor."""
    body = """
paths = run["params"]["context"]["paths"]
given = json.load(open(os.environ["OCELOT_PLUGIN_DATA"] + "/given.json"))
texts = [call("file.readText", path=path).get("result") for path in paths]
spawned = call("process.spawn", tool="printf", args=[dict(base64=word) for word in given])
answer(dict(texts=texts, spawned=spawned.get("result") or spawned, home=os.fsencode(os.environ["HOME"]).hex()))
"""
    words = [base64.b64encode(os.fsencode(word)).decode() for word in ["%s\n\x1e\n", *ODD]]
    with tempfile.TemporaryDirectory() as around:
        for name in ["plain", "a b\n$(touch pwned) --bind \udcff%s", "--bind"]:
            folder = os.path.join(around, name)
            os.mkdir(folder)
            before, tempfile.tempdir = tempfile.tempdir, folder
            with Home() as home:
                tempfile.tempdir = before
                home.plugin(NAME, ["selection.read", "file.readText", "process.spawn:printf"], body,
                            commands=[{"id": "go", "title": "Go", "minSelection": 0, "maxSelection": 50, "timeoutSeconds": 20}])
                enable(home)
                given = os.path.join(home.base, "Data", NAME, "given.json")
                os.makedirs(os.path.dirname(given), mode=0o700, exist_ok=True)
                os.chmod(os.path.dirname(given), 0o700)
                with open(given, "w", encoding="utf-8") as file:
                    json.dump(words, file)
                names = [word.replace("/", "_") for word in ODD if word not in ("-",)]
                paths = [home.write("Documents/" + one, "text") for one in names]
                for executor in EXECUTORS:
                    got = result(home, NAME, "go", "--", *paths, executor=executor)
                    equal(got["texts"], [{"text": "text"}] * len(names) if isinstance(got["texts"][0], dict)
                          else ["text"] * len(names), f"{executor}, {name!r}: files")
                    spawned = got["spawned"]
                    out = base64.b64decode(spawned["stdoutBase64"]) if "stdoutBase64" in spawned else spawned["stdout"].encode()
                    equal(out, b"".join(os.fsencode(word) + b"\n\x1e\n" for word in ODD), f"{executor}, {name!r}: arguments")
                    equal(bytes.fromhex(got["home"]), os.fsencode(home.root), f"{executor}: HOME")
                for place, _, files in os.walk(around):
                    check("pwned" not in files, f"something was executed in {place}")


@case("/hold/odd-ids")
def odd_ids():
    """Ids and entries that are none: refused, whatever they look like, and nothing is run or made."""
    with Home() as home:
        home.plugin(NAME, [], 'open(os.environ["OCELOT_PLUGIN_DATA"] + "/ran", "w"); answer(1)')
        enable(home)
        for word in [*ODD, "..", "../" + NAME, NAME + "/", NAME + "/../x", "/etc/passwd", NAME.lower() + "\n", "." * 300]:
            for words in ([word, "go"], [NAME, word]):
                got = subprocess.run(launcher("run", *words), env=home.environment(), cwd=home.root, check=False,
                                     stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
                check(got.returncode in (2, 3), f"{words!r}: exit {got.returncode}: {got.stderr}")
        check(not os.path.exists(os.path.join(home.base, "Data", NAME, "ran")), "something ran")
        check("pwned" not in os.listdir(home.root), "something was executed")
        equal(result(home, NAME, "go"), 1, "the control")


@case("/hold/descriptors")
def descriptors():
    """A worker has 0 to 4, a tool 0 to 2, and each the one that lists them; whatever the launcher was left."""
    body = """
mine = sorted(int(name) for name in os.listdir("/proc/self/fd"))
theirs = call("process.spawn", tool="ls", args=["/proc/self/fd"])["result"]["stdout"].split()
answer(dict(mine=mine, theirs=sorted(map(int, theirs))))
"""
    with Home() as home:
        home.plugin(NAME, ["process.spawn:ls"], body)
        enable(home)
        for executor in EXECUTORS:
            stray = [os.open(home.root, os.O_RDONLY), os.open("/etc/passwd", os.O_RDONLY)]
            high = os.dup2(stray[0], 200)
            process = subprocess.run(launcher("run", NAME, "go", executor=executor), env=home.environment(), cwd=home.root,
                                     pass_fds=[*stray, high], stdout=subprocess.PIPE, check=False, timeout=PATIENCE)
            for fd in (*stray, high):
                os.close(fd)
            got = json.loads(process.stdout)
            equal(got["outcome"], "done", f"{executor}: {got['message']}")
            equal(got["result"]["mine"], [0, 1, 2, 3, 4, 5], f"{executor}: of the worker, with the listing's own")
            equal(got["result"]["theirs"], [0, 1, 2, 3], f"{executor}: of the tool, with the listing's own")


def unwrap(text):
    """Without the ends of lines, which fall where a long path lets them."""
    return " ".join(text.split())


@case("/hold/list-of-guarded-places")
def list_of_guarded_places():
    """A line that does not fit: doctor names file and line, nothing is enabled, nothing that was enabled runs."""
    with Home() as home:
        secret = home.write("Documents/tax/2026", "secret")
        home.plugin(NAME, [], f"""
try:
    answer(open({secret!r}).read())
except OSError as error:
    answer(error.errno)
""")
        enable(home)
        equal(result(home, NAME, "go"), "secret", "the control")
        listed = home.write(".config/ocelot/guarded-places", "~/Documents/tax\tTax papers\n")
        for executor in EXECUTORS:
            equal(result(home, NAME, "go", executor=executor), errno.EACCES, f"{executor}: what the user's list names")
        said = unwrap(home.ctl("doctor").stdout)
        check(listed + " (1)" in said, f"doctor does not name the list: {said}")
        check("hard link" not in said, f"doctor knows of a hard link where there is none: {said}")
        os.link(home.write(".netrc", "secret"), os.path.join(os.path.dirname(secret), "other-name"))
        said = unwrap(home.ctl("doctor").stdout)
        check("/.netrc has another name" in said, f"doctor does not tell of a hard link: {said}")
        home.write(".config/ocelot/guarded-places", "# papers\n~/Documents/tax Tax papers\n")
        got = launch(home, NAME, "go")
        equal((got["outcome"], got["exit"]), ("not-run", 126), f"a bad list: {got}")
        home.ctl("disable", NAME)
        for what, text in [("run", got["message"]), ("doctor", unwrap(home.ctl("doctor").stdout)), ("enable", home.enable(NAME).stderr)]:
            check(listed in text and "line 2" in text, f"{what} does not name file and line: {text}")


@case("/hold/guarded-links")
def guarded_links():
    """Where a guarded place is a link: to /dev/null, as many keep their history, it stops no run; to everything, it is not passed
    over."""
    for executor in EXECUTORS:
        with Home() as home:
            home.plugin(NAME, body="answer([open(os.devnull).read(), os.path.exists('/dev/zero')])")
            os.symlink("/dev/null", home.path(".bash_history"))
            enable(home)
            equal(result(home, NAME, "go", executor=executor), ["", True], f"{executor}: a history that is kept nowhere")
            os.symlink("/", home.path("all"))
            home.write(".config/ocelot/guarded-places", "~/all\tall there is\n")
            got = launch(home, NAME, "go", executor=executor)
            equal((got["outcome"], got["exit"]), ("not-run", 126), f"{executor}: a link to everything")
            check("the guarded place / (all there is)" in got["message"], got["message"])


# Inside another sandbox.


def outer(*options):
    """bubblewrap around the launcher."""
    return ["bwrap", "--unshare-user", "--dev-bind", "/", "/", *options]


def works(*argv):
    return subprocess.run([*argv, "true"], check=False, capture_output=True, timeout=PATIENCE).returncode == 0


def check_inside(argv, home, layer_id):
    """`ocelot-launcher check` there: TRUE where all holds. Where not, exit 126, and a layer with what to do: @layer_id."""
    got = subprocess.run([*argv, LAUNCHER, "check", "--json", "--allow-root"], env=home.environment(), check=False,
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
    check(got.stdout, f"{argv}: no answer: {got.stderr}")
    report = json.loads(got.stdout)
    failed = [layer for layer in report["layers"] if layer["tried"] and not layer["holds"]]
    equal(got.returncode, 0 if report["holds"] else 126, f"{argv}: the exit of {report['summary']}")
    equal(report["holds"], not failed, f"{argv}: {failed}")
    for layer in failed:
        print(f"# {layer['id']}: {layer['detail']}: {layer['remedy']}")
        check(layer["remedy"], f"nothing to do about {layer['id']}: {layer['detail']}")
        equal(layer["id"], layer_id, f"{argv}: the layer")
    return report["holds"]


def nest(argv, expected, layer_id="user-namespace"):
    if not works(*argv):
        must_work(f"{' '.join(argv)} true")
    with Home() as home:
        home.plugin(NAME, [], 'answer("ran")')
        enable(home)
        holds = check_inside(argv, home, layer_id)
        if expected is not None:
            equal(holds, expected, f"{argv}: holds")
        got = subprocess.run([*argv, LAUNCHER, "run", "--allow-root", NAME, "go"], env=home.environment(), check=False,
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        answer = json.loads(got.stdout)
        if holds:
            equal((got.returncode, answer["result"]), (0, "ran"), f"{argv}: {answer}")
        else:
            equal((got.returncode, answer["outcome"]), (126, "not-run"), f"{argv}: {answer}")
            check(answer["message"] and answer["remedy"], f"{argv}: not said what to do: {answer}")


@case("/hold/inside-bubblewrap")
def inside_bubblewrap():
    nest(outer(), True)


@case("/hold/inside-bubblewrap-with-a-proc-of-its-own")
def inside_bubblewrap_with_proc():
    """That covers parts of /proc, and the kernel gives no other there: bubblewrap inside it cannot make one either."""
    argv = outer("--unshare-pid", "--proc", "/proc")
    nest(argv, works(*argv, *argv), "pid-namespace")


@case("/hold/inside-a-container-like-root")
def inside_container():
    """A root of its own that is not merged: /bin, /lib and /lib64 are folders, not links."""
    folders = [word for name in ("bin", "sbin", "lib", "lib64") if os.path.isdir("/usr/" + name)
               for word in ("--ro-bind", "/usr/" + name, "/" + name)]
    temp = tempfile.gettempdir()
    nest(["bwrap", "--unshare-user", "--tmpfs", "/", "--ro-bind", "/usr", "/usr", *folders, "--ro-bind", "/etc", "/etc",
          "--dev", "/dev", "--bind", "/proc", "/proc", "--bind", temp, temp, "--ro-bind", BUILD, BUILD], True)


@case("/hold/where-no-user-namespace-may-be-made")
def no_user_namespaces():
    nest(outer("--disable-userns"), False)


@case("/hold/where-the-limit-of-user-namespaces-is-none")
def limit_is_none():
    nest(["unshare", "--user", "--map-root-user", "sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"', "sh"], False)


@case("/hold/where-proc-is-covered")
def covered_proc():
    """As container managers do. The kernel gives no fresh /proc there; a fault to be named, not a sandbox without one."""
    nest(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
          'mount -t tmpfs none /proc/irq; exec "$@"', "sh"], None, "pid-namespace")


if __name__ == "__main__":
    sys.exit(run())
