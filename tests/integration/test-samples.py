#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The samples do what their README says, through the real launcher; what is refused there works outside of it."""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import SOURCE, Home  # noqa: E402
from tap import case, check, contains, equal, run  # noqa: E402

SAMPLES = os.path.join(SOURCE, "data/samples")
PREFIX = "org.ocelot.samples."


def install(home, name, enabled=True):
    shutil.copytree(os.path.join(SAMPLES, PREFIX + name), os.path.join(home.plugins, PREFIX + name))
    if enabled:
        answer = home.enable(PREFIX + name)
        equal(answer.returncode, 0, f"enabling {name}: {answer.stderr}")


def launch(home, name, entry, *paths, exit_code=0, **more):
    got = home.ctl("run", PREFIX + name, entry, "--json", "--", *paths, **more)
    equal(got.returncode, exit_code, f"exit of {name} {entry}: {got.stdout}{got.stderr}")
    return json.loads(got.stdout)


@case("/samples/word-count")
def word_count():
    with Home() as home:
        install(home, "WordCount")
        text = home.write("Documents/notes.txt", "one two\nthrée\n")
        binary = home.write("Documents/picture", "")
        with open(binary, "wb") as file:
            file.write(b"\xff\xfe\x00")
        result = launch(home, "WordCount", "count", text, binary)["result"]
        equal(result["words"], 3, "words")
        equal(result["files"][text], {"lines": 2, "words": 3, "characters": 14}, "counts")
        contains(result["files"][binary]["skipped"], "UTF-8", "what is said of a file that is no text")


@case("/samples/checksums")
def checksums():
    with Home() as home:
        install(home, "Checksums")
        plain = home.write("Documents/notes.txt", "some text")
        odd = home.write("Documents/-b\n\\ odd", "more text")
        answer = launch(home, "Checksums", "sha256", plain, odd, home.path("Documents"))
        expected = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in ((plain, "some text"), (odd, "more text"))}
        equal(answer["result"]["sha256"], expected, "checksums")
        check(len(answer["result"]["problems"]) == 1, "the folder is named as a problem")
        check("process.spawn:sha256sum" in [use["permission"] for use in answer["used"]], "the use is recorded")


def application(home, name, scheme=None):
    """One that writes down what it is started with."""
    said = home.path(name + ".said")
    program = home.write(name + ".sh", f'#!/bin/sh\nprintf "%s" "$1" >"{said}.new" && mv "{said}.new" "{said}"\n', mode=0o755)
    home.write(f".local/share/applications/{name}.desktop", f"[Desktop Entry]\nType=Application\nName={name}\nExec={program} %u\n")
    if scheme:
        home.write(".config/mimeapps.list", f"[Default Applications]\nx-scheme-handler/{scheme}={name}.desktop\n")
    return said


def wait_for(path):
    deadline = time.monotonic() + 20
    while not os.path.exists(path):
        check(time.monotonic() < deadline, f"{path} appears")
        time.sleep(0.005)
    with open(path, encoding="utf-8") as file:
        return file.read()


@case("/samples/look-up")
def look_up():
    with Home() as home:
        install(home, "LookUp")
        browser = application(home, "browser", "https")
        files = application(home, "org.gnome.Nautilus")
        text = home.write("Documents/Ünï & co.txt", "x")
        folder = home.path("Documents")
        answer = launch(home, "LookUp", "search", text, DISPLAY=":4711")
        equal(answer["result"]["opened"], "https://en.wikipedia.org/w/index.php?search=%C3%9Cn%C3%AF+%26+co", "the address")
        equal(wait_for(browser), answer["result"]["opened"], "what the browser got")
        launch(home, "LookUp", "files", folder, DISPLAY=":4711")
        equal(wait_for(files), folder, "what Files got")
        refused = launch(home, "LookUp", "files", text, exit_code=1, DISPLAY=":4711")
        equal((refused["outcome"], refused["errorsInARow"]), ("reported", 0), "a file is no folder")


@case("/samples/notebook-runner")
def notebook_runner():
    cells = [{"cell_type": "markdown", "source": ["# Title"]},
             {"cell_type": "code", "source": ["x = 6 * 7\n", "print(x)"]},
             {"cell_type": "code", "source": "open('/tmp/from-a-notebook', 'w')"}]
    with Home() as home:
        install(home, "NotebookRunner")
        notebook = home.write("Documents/book.ipynb", json.dumps({"cells": cells}))
        result = launch(home, "NotebookRunner", "run", notebook)["result"]
        equal(result["ran"][0], {"output": "42\n", "failed": False}, "the first cell")
        check(result["ran"][1]["failed"], "the second cell cannot write to /tmp")
        check(not os.path.exists("/tmp/from-a-notebook"), "nothing was written")
        other = home.write("Documents/other.ipynb", "[]")
        answer = launch(home, "NotebookRunner", "run", other, exit_code=1)
        equal((answer["outcome"], answer["errorsInARow"]), ("reported", 0), "what is no notebook is reported, not counted")


def outside(home, folder):
    """Runs the worker with no sandbox, as the launcher would talk to it, and refuses what it asks of the host."""
    to_worker, from_host = os.pipe()
    to_host, from_worker = os.pipe()
    script = f"exec {os.path.join(folder, 'bin', 'worker')} 3<&{to_worker} 4>&{from_worker}"
    worker = subprocess.Popen(["bash", "-c", script], env=home.environment(), pass_fds=(to_worker, from_worker))
    os.close(to_worker)
    os.close(from_worker)
    host = os.fdopen(to_host, "rb")

    def send(message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        os.write(from_host, b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive():
        length = 0
        while line := host.readline().strip():
            length = int(line.split(b":")[1])
        return json.loads(host.read(length))

    send({"id": 1, "method": "run", "params": {"entry": "try", "context": {"command": "try", "pluginFolder": folder}}})
    while "method" in (message := receive()):
        send({"id": message["id"], "error": {"code": -32001, "message": "denied"}})
    os.close(from_host)
    host.close()
    equal(worker.wait(timeout=30), 0, "exit of the worker")
    return message["result"]


@case("/samples/ten-forbidden-things")
def ten_forbidden_things():
    with Home() as home:
        install(home, "TenForbiddenThings")
        install(home, "WordCount", enabled=False)
        os.makedirs(home.path(".ssh"), exist_ok=True)
        home.write(".ssh/id_example", "not a real key\n")
        answer = launch(home, "TenForbiddenThings", "try")
        attempts = answer["result"]["attempts"]
        equal(len(attempts), 10, "attempts")
        check("ALLOWED" not in answer["result"], f"nothing is allowed: {attempts}")
        equal([use["permission"] for use in answer["refused"] if use["method"] == "process.spawn"], ["process.spawn:id"], "recorded")
        # The control: the same program without the sandbox. What needs a bus or the host cannot succeed there.
        control = outside(home, os.path.join(home.plugins, PREFIX + "TenForbiddenThings"))["attempts"]
        for title, outcome in control.items():
            if "bus" not in title and "tool" not in title:
                check(outcome.startswith("ALLOWED"), f"outside the sandbox it could {title}: {outcome}")
                check(attempts[title].startswith("refused"), f"inside it could not {title}: {attempts[title]}")


@case("/samples/crasher")
def crasher():
    with Home() as home:
        install(home, "Crasher")
        equal(launch(home, "Crasher", "fail", exit_code=1)["outcome"], "exception", "an uncaught exception")
        equal(launch(home, "Crasher", "work")["errorsInARow"], 0, "a success ends the row")
        equal(launch(home, "Crasher", "crash", exit_code=1)["outcome"], "crash", "an abort")
        equal(launch(home, "Crasher", "garble", exit_code=1)["outcome"], "protocol", "nonsense")
        last = launch(home, "Crasher", "hang", exit_code=8)
        equal((last["outcome"], last["disabledAfterErrors"]), ("time-out", True), "the third in a row")
        launch(home, "Crasher", "work", exit_code=3)


@case("/samples/what-cannot-run")
def cannot_run():
    with Home() as home:
        install(home, "HiddenText", enabled=False)
        launch(home, "HiddenText", "count", home.write("Documents/a.txt", "a"), exit_code=5)
        install(home, "AddonBundle")
        answer = launch(home, "AddonBundle", "Next order number", exit_code=126)
        equal(answer["outcome"], "not-run", "an addon bundle")


sys.exit(run())
