#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the README says is true: its two plugins are taken from its text, built, enabled and run through the real launcher."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import CTL, SOURCE, Home  # noqa: E402
from tap import case, check, contains, equal, run  # noqa: E402

with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as _file:
    README = _file.read()
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", README, re.S))
BUILDS = dict(re.findall(r"<!-- build: (\S+) -->\n```sh\n(.*?)```\n", README, re.S))


def install(home, name):
    for path, text in FILES.items():
        if path.startswith(name + "/"):
            home.write(os.path.join(home.plugins, path), text, 0o755 if path.endswith("bin/worker") else 0o644)
    if name in BUILDS:
        built = subprocess.run(["sh", "-e", "-c", BUILDS[name]], cwd=os.path.join(home.plugins, name),
                               capture_output=True, text=True, check=False)
        equal(built.returncode, 0, f"building {name}: {built.stderr}")


def enable(home, name):
    enabled = home.enable(name)
    equal(enabled.returncode, 0, f"enabling {name}: {enabled.stderr}")


@case("/readme/python-plugin-runs")
def python_plugin():
    with Home() as home:
        install(home, "org.example.LineCount")
        text = home.write("Documents/notes.txt", "one\ntwo\nthree\n")
        enable(home, "org.example.LineCount")
        result = home.ctl("run", "org.example.LineCount", "count", "--json", "--", text)
        equal(result.returncode, 0, result.stdout + result.stderr)
        equal(json.loads(result.stdout)["result"], {"lines": 3}, "the result")


@case("/readme/python-plugin-reports-an-error")
def python_plugin_error():
    with Home() as home:
        install(home, "org.example.LineCount")
        binary = home.path("Documents/picture")
        with open(binary, "wb") as file:
            file.write(b"\xff\xfe\x00")
        enable(home, "org.example.LineCount")
        result = home.ctl("run", "org.example.LineCount", "count", "--json", "--", binary)
        answer = json.loads(result.stdout)
        equal(result.returncode, 1, result.stdout)
        equal((answer["outcome"], answer["errorsInARow"]), ("reported", 0), "outcome and count")


@case("/readme/c-plugin-runs")
def c_plugin():
    with Home() as home:
        install(home, "org.example.Sizes")
        one = home.write("Documents/one", "12345")
        two = home.write("Documents/two", "1234567")
        enable(home, "org.example.Sizes")
        result = home.ctl("run", "org.example.Sizes", "add", "--json", "--", one, two)
        equal(result.returncode, 0, result.stdout + result.stderr)
        equal(json.loads(result.stdout)["result"], {"bytes": 12}, "the result")


@case("/readme/c-plugin-counts-every-file")
def c_plugin_names():
    with Home() as home:
        install(home, "org.example.Sizes")
        enable(home, "org.example.Sizes")
        names = [home.path("Documents", name) for name in ("Über uns (1).txt", "caf\udce9")]
        for name in names:
            with open(os.fsencode(name), "wb") as file:
                file.write(b"12345")
        answer = json.loads(home.ctl("run", "org.example.Sizes", "add", "--json", "--", *names).stdout)
        equal(answer["result"], {"bytes": 10}, "also of a name that is not UTF-8")
        os.mkdir(home.path(".gnupg"))
        with open(home.path(".gnupg/key"), "wb") as file:
            file.write(b"12345")
        answer = json.loads(home.ctl("run", "org.example.Sizes", "add", "--json", "--", home.path(".gnupg/key")).stdout)
        equal(answer["outcome"], "reported", "one that it cannot look at is an error, no wrong sum")


@case("/readme/answer-has-the-documented-members")
def members():
    documented = json.loads(re.search(r"```json\n(\{\n  \"plugin\".*?)```", README, re.S).group(1))
    with Home() as home:
        install(home, "org.example.LineCount")
        text = home.write("Documents/notes.txt", "one\n")
        enable(home, "org.example.LineCount")
        answer = json.loads(home.ctl("run", "org.example.LineCount", "count", "--json", "--", text).stdout)
        equal(sorted(answer), sorted(documented), "the members of the answer")
        used = [use for use in answer["used"] if use["method"] == "file.readText"]
        equal(len(used), 1, "uses of file.readText")
        check(set(documented["used"][0]) <= set(used[0]), f"the members of a use: {used[0]}")


@case("/readme/commands-exist")
def commands():
    for name in re.findall(r"^\| `ocelotctl (\w+)", README, re.M):
        with Home() as home:
            answer = home.ctl(name, "--help", root=False)
            equal(answer.returncode, 0, f"ocelotctl {name} --help")
            contains(answer.stdout, f"ocelotctl {name}", "its help")


@case("/readme/paths-exist")
def paths():
    for path in re.findall(r"(?:`|\()((?:data|app|tests)/[\w./-]+)", README):
        check(os.path.exists(os.path.join(SOURCE, path)), f"README names {path}, which is not there")


check(os.path.exists(CTL), f"{CTL} was not built")
sys.exit(run())
