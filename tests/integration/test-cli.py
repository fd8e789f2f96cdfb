#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ocelotctl as people and scripts use it: the built program, private homes, the real launcher and sandbox."""
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import CTL, IS_ROOT, LAUNCHER, Home  # noqa: E402
from tap import case, check, contains, equal, lacks, run  # noqa: E402
from terminal import Terminal  # noqa: E402

COMMANDS = ["list", "show", "review", "enable", "disable", "run", "log", "doctor"]
NAME = "org.example.Plain"
BROAD = "org.example.Broad"
QUESTION = "anything else changes nothing:"


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def fits(text, columns=80):
    for line in text.splitlines():
        # A single word that is longer cannot be wrapped, and a command is to be copied.
        check(width(line) <= columns or len(line.split()) <= 2 or line.startswith(("    --", "  ocelotctl ")), f"{width(line)} columns: {line!r}")


def terminal(home, *arguments, **more):
    root = ["--allow-root"] if IS_ROOT else []
    return Terminal([CTL, *root, *arguments], home.environment(), **more)


# ---- the command line

@case("/cli/usage/unknown-option")
def unknown_option():
    with Home() as home:
        for command in COMMANDS:
            arguments = {"run": ["a.b", "c"], "list": [], "log": [], "doctor": []}.get(command, ["a.b"])
            got = home.ctl(command, "--bogus", *arguments, root=False)
            equal(got.returncode, 2, f"exit of {command} --bogus")
            contains(got.stderr, f"Usage: ocelotctl {command}", "stderr")
            equal(got.stdout, "", "stdout")
        got = home.ctl("--bogus", root=False)
        equal(got.returncode, 2, "exit of --bogus")
        contains(got.stderr, "Usage:", "stderr")


@case("/cli/usage/unknown-command")
def unknown_command():
    with Home() as home:
        for words in ([], ["frobnicate"], ["\x1b[2Jlist"], ["list\xff"]):
            got = home.ctl(*words, root=False)
            equal(got.returncode, 2, f"exit of {words}")
            contains(got.stderr, "Usage:", "stderr")
            lacks(got.stderr, "\x1b", "stderr")


@case("/cli/usage/number-of-arguments")
def number_of_arguments():
    with Home() as home:
        for words in (["show"], ["show", "a.b", "c.d"], ["list", "x"], ["run", "a.b"], ["doctor", "x"], ["enable"]):
            equal(home.ctl(*words, root=False).returncode, 2, f"exit of {words}")
        contains(home.ctl("run", "a.b").stderr, "ENTRY is missing", "which word")
        contains(home.ctl("run").stderr, "ID is missing", "which word")


@case("/cli/usage/values")
def values():
    with Home() as home:
        for words in (["list", "--state", "on"], ["log", "--limit", "0"], ["log", "--limit", "x"],
                      ["run", "a.b", "c", "--timeout", "-1"]):
            equal(home.ctl(*words, root=False).returncode, 2, f"exit of {words}")
        equal(home.ctl("list", "--state", "enabled", root=False).returncode, 0, "a state that there is")


@case("/cli/help")
def help_texts():
    with Home() as home:
        got = home.ctl("--help", root=False)
        equal(got.returncode, 0, "exit of --help")
        fits(got.stdout)
        for command in COMMANDS:
            contains(got.stdout, f"  {command}", "--help")
            each = home.ctl(command, "--help", root=False)
            equal(each.returncode, 0, f"exit of {command} --help")
            contains(each.stdout, f"ocelotctl {command}", "help")
            contains(each.stdout, "--json", "help")
            fits(each.stdout.split("Options:")[0] + each.stdout.rsplit("\n\n", 1)[1])
        for code in ("0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "7 ", "8 ", "126 "):
            contains(got.stdout, code, "exit codes in --help")
        contains(home.ctl("--version", root=False).stdout, "ocelotctl ", "--version")


# ---- looking

@case("/cli/list/empty")
def list_empty():
    with Home() as home:
        got = home.ctl("list")
        equal(got.returncode, 0, "exit")
        contains(got.stdout.replace("\n", " "), "No plugin is installed.", "stdout")
        equal(home.json("list")["plugins"], [], "plugins")


@case("/cli/list/states")
def list_states():
    with Home() as home:
        home.plugin(NAME)
        home.plugin("org.example.Wrong", ["no.such.permission"])
        home.plugin(BROAD, ["process.spawn:python3"])
        home.enable(NAME)
        states = {plugin["id"]: plugin["state"] for plugin in home.json("list")["plugins"]}
        equal(states, {NAME: "enabled", "org.example.Wrong": "invalid", BROAD: "disabled"}, "states")
        only = [plugin["id"] for plugin in home.json("list", "--state", "invalid")["plugins"]]
        equal(only, ["org.example.Wrong"], "--state invalid")
        text = home.ctl("list").stdout
        check(text.index("Needs your attention") < text.index("Enabled") < text.index("Disabled"), text)
        fits(text)


@case("/cli/text/hidden-characters-are-escaped")
def hidden_characters():
    evil = "Nice\u202eniarg\x1b[31m\u200b <b>&amp;"
    with Home() as home:
        home.plugin(NAME, name=evil, author=evil, description=evil, commands=[{"id": "go", "title": evil}])
        home.plugin("org.example.Wrong", ["process.spawn:g\u202eit"])
        for words in (["list"], ["show", NAME], ["review", NAME], ["show", "org.example.Wrong"]):
            for more in ([], ["--json"]):
                got = home.ctl(*words, *more)
                for bad in ("\u202e", "\x1b", "\u200b"):
                    lacks(got.stdout + got.stderr, bad, f"{words} {more}")
        contains(home.ctl("show", NAME).stdout, "<b>&amp;", "text is shown as written")
        contains(home.ctl("show", NAME).stdout, "202E", "the override is shown")
        equal(home.json("show", NAME)["name"], evil, "JSON says the same to a program")
        equal(home.state("org.example.Wrong"), "invalid", "state")


@case("/cli/show/how-much-is-stored")
def show_data():
    with Home() as home:
        home.plugin(NAME)
        equal(home.json("show", NAME)["data"], {"bytes": 0, "files": 0}, "nothing")
        folder = os.path.join(home.base, "Data", NAME)
        os.makedirs(os.path.join(folder, "inner"))
        with open(os.path.join(folder, "inner", "file"), "w") as file:
            file.truncate(3 << 20)
        equal(home.json("show", NAME)["data"], {"bytes": 3 << 20, "files": 2}, "for programs")
        contains(home.ctl("show", NAME).stdout, "3.0\u00a0MiB in 2 files and folders", "text")


@case("/cli/show/says-what-is-wrong-and-where")
def show_invalid():
    with Home() as home:
        home.plugin(NAME, ["selection.read", "process.spawn:../git"])
        shown = home.json("show", NAME)
        equal(shown["state"], "invalid", "state")
        contains(shown["problems"][0]["place"], "permissions[1]", "place")
        got = home.ctl("show", NAME)
        contains(got.stdout, "permissions[1]", "text")
        equal(home.ctl("review", NAME).returncode, 5, "exit of review")
        equal(home.ctl("enable", NAME, "--grant", "selection.read").returncode, 5, "exit of enable")
        check(not os.path.exists(home.consent), "nothing is written")


@case("/cli/show/a-listed-folder-whose-name-is-no-id")
def show_no_id():
    names = ("my plugin", "linecount", "Übersicht.x")
    with Home() as home:
        for name in names:
            home.plugin(name)
        contains(home.ctl("list").stdout, "ocelotctl show ID", "where the list sends to")
        for name in names:
            got = home.ctl("show", name)
            equal(got.returncode, 0, f"exit for {name}: {got.stderr}")
            contains(got.stdout, "Rename the folder", "what to do")
            equal(home.ctl("review", name).returncode, 5, f"exit of review {name}")
            equal(home.ctl("enable", name, "--grant", "none").returncode, 5, f"exit of enable {name}")
        check(not os.path.exists(home.consent), "nothing is written")


@case("/cli/enable/says-each-problem-once")
def problem_once():
    with Home() as home:
        home.plugin(NAME, ["no.such", "selection.read"])
        got = home.ctl("enable", NAME, "--grant", "selection.read")
        equal((got.returncode, got.stderr.count("no.such")), (5, 1), f"exit, and how often: {got.stderr}")


@case("/cli/show/mistyped-members")
def mistyped():
    with Home() as home:
        home.plugin(NAME, permisions=["file.readText"])
        equal((home.json("show", NAME)["state"], home.json("show", NAME)["ignored"]), ("disabled", ["permisions"]), "for programs")
        contains(home.ctl("show", NAME).stdout, "- permisions", "for people")
        home.plugin(NAME)
        equal(home.json("show", NAME)["ignored"], [], "none")
        lacks(home.ctl("show", NAME).stdout, "without effect", "none")


@case("/cli/show/unknown")
def show_unknown():
    with Home() as home:
        home.plugin(NAME)
        for name in ("org.example.None", "../../etc", "a", "org.example.\udcff", ""):
            for command in ("show", "review", "enable", "disable"):
                got = home.ctl(command, name)
                equal(got.returncode, 1, f"exit of {command} {name!r}: {got.stderr}")
        for command in (["show", "org.example.None"], ["run", "org.example.None", "go"]):
            got = home.ctl(*command)
            equal((got.stdout + got.stderr).count("ocelotctl list"), 1, f"what to do, once: {got.stdout}{got.stderr}")
        equal(home.ctl("show", NAME).returncode, 0, "one that is there")


@case("/cli/errors-are-json-too")
def errors_json():
    with Home() as home:
        got = home.ctl("show", "org.example.None", "--json")
        answer = json.loads(got.stdout)
        equal((answer["exit"], bool(answer["error"])), (1, True), "the answer")


@case("/cli/review/fits-and-names-everything")
def review():
    asked = ["process.spawn:python3", "network.client", "file.readText", "process.spawn:sha256sum"]
    with Home() as home:
        home.plugin(BROAD, asked, reasons={"network.client": "to fetch\u202e things"})
        answer = home.json("review", BROAD)
        equal(answer["permissions"], sorted(asked), "the set")
        equal(len(answer["digest"]), 64, "the digest")
        equal(answer["explanations"][0]["severity"], "broad", "the worst is first")
        ranks = ["broad", "caution", "ok"]
        order = [ranks.index(each["severity"]) for each in answer["explanations"]]
        equal(order, sorted(order), "worst first")
        check(answer["together"] and answer["canAlways"] and answer["canNever"], "the sum, always and never")
        got = home.ctl("review", BROAD)
        equal(got.returncode, 0, "exit")
        fits(got.stdout)
        for text in asked:
            contains(got.stdout, text, "the review")
            contains(got.stdout, f"--grant {text}", "how a script says yes")
        contains(got.stdout, "The author says:", "a claim is marked as one")
        lacks(got.stdout, "\x1b", "no colour where there is no terminal")


# ---- enabling

@case("/cli/enable/nobody-to-ask")
def nobody_to_ask():
    with Home() as home:
        home.plugin(NAME)
        got = home.ctl("enable", NAME)
        equal(got.returncode, 3, "exit")
        contains(got.stderr, "--grant", "the remedy")
        check(not os.path.exists(home.consent), "nothing is written")


@case("/cli/enable/exactly-the-set")
def exactly_the_set():
    with Home() as home:
        home.plugin(NAME, ["selection.read", "process.spawn:sha256sum"])
        for grants in (["none"], ["selection.read"], ["process.spawn:sha256sum"],
                       ["selection.read,process.spawn:sha256sum,network.client"], ["selection.read", "process.spawn:git"]):
            words = [word for grant in grants for word in ("--grant", grant)]
            got = home.ctl("enable", NAME, *words)
            equal(got.returncode, 4, f"exit with {grants}: {got.stderr}")
            equal(home.state(NAME), "disabled", f"state with {grants}")
        equal(home.ctl("enable", NAME, "--grant", "nonsense:").returncode, 2, "what is no permission")
        got = home.ctl("enable", NAME, "--grant", "process.spawn:sha256sum,selection.read")
        equal(got.returncode, 0, f"with commas: {got.stderr}")
        equal(home.state(NAME), "enabled", "state")
        home.ctl("disable", NAME)
        got = home.ctl("enable", NAME, "--grant", "selection.read", "--grant", "process.spawn:sha256sum")
        equal((got.returncode, home.state(NAME)), (0, "enabled"), "one at a time")


@case("/cli/enable/none-is-a-set")
def none_is_a_set():
    with Home() as home:
        home.plugin(NAME)
        equal(home.ctl("enable", NAME, "--grant", "none").returncode, 0, "exit")
        equal(home.state(NAME), "enabled", "state")


@case("/cli/enable/digest")
def digest():
    with Home() as home:
        folder = home.plugin(NAME)
        reviewed = home.json("review", NAME)["digest"]
        home.write(os.path.join(folder, "plugin.json"), open(os.path.join(folder, "plugin.json")).read() + "\n")
        got = home.ctl("enable", NAME, "--grant", "none", "--digest", reviewed)
        equal((got.returncode, home.state(NAME)), (4, "disabled"), "other bytes than those reviewed")
        now = home.json("review", NAME)["digest"]
        got = home.ctl("enable", NAME, "--grant", "none", "--digest", now)
        equal((got.returncode, home.state(NAME)), (0, "enabled"), "the bytes reviewed")


@case("/cli/enable/asks-and-yes-enables")
def asks():
    with Home() as home:
        home.plugin(NAME, ["selection.read"])
        person = terminal(home, "enable", NAME)
        person.wait_for(QUESTION)
        contains(person.text(), "selection.read", "the review comes before the question")
        person.type_slowly("yes\n")
        equal(person.finish(), 0, f"exit:\n{person.text()}")
        equal(home.state(NAME), "enabled", "state")


@case("/cli/enable/anything-else-changes-nothing")
def anything_else():
    for answer in ("no\n", "\n", "y\n", "yes please\n", "YES\n", "\x04", "x" * 100 + "\n"):
        with Home() as home:
            home.plugin(NAME)
            person = terminal(home, "enable", NAME)
            person.wait_for(QUESTION)
            person.type_slowly(answer)
            equal(person.finish(), 3, f"exit after {answer!r}:\n{person.text()}")
            check(not os.path.exists(home.consent), f"{answer!r} wrote a consent")


@case("/cli/enable/interrupt-changes-nothing")
def interrupt():
    with Home() as home:
        home.plugin(NAME)
        person = terminal(home, "enable", NAME)
        person.wait_for(QUESTION)
        person.process.terminate()
        check(person.finish() != 0, "exit")
        check(not os.path.exists(home.consent), "a consent was written")


@case("/cli/enable/typed-ahead-never-enables")
def typed_ahead():
    with Home() as home:
        home.plugin(NAME)
        person = terminal(home, "enable", NAME, typed_ahead=b"yes\n" * 20)
        person.wait_for(QUESTION)
        # What came before the question is thrown away, so it still asks; the end of input is no answer.
        person.type_slowly("\x04")
        equal(person.finish(), 3, f"exit:\n{person.text()}")
        check(not os.path.exists(home.consent), "keys typed ahead enabled it")


@case("/cli/enable/half-typed-ahead-and-enter")
def half_typed_ahead():
    with Home() as home:
        home.plugin(NAME)
        person = terminal(home, "enable", NAME, typed_ahead=b"yes")
        person.wait_for(QUESTION)
        person.type_slowly("\n")
        equal(person.finish(), 3, f"exit:\n{person.text()}")
        check(not os.path.exists(home.consent), "a word typed ahead and Enter enabled it")


@case("/cli/enable/too-fast-is-no-answer")
def too_fast():
    with Home() as home:
        home.plugin(NAME)
        person = terminal(home, "enable", NAME)
        person.wait_for(QUESTION)
        person.type("yes\n")
        person.wait_for(QUESTION, 2)
        check(not os.path.exists(home.consent), "an answer nobody can have thought about enabled it")
        person.type_slowly("yes\n")
        equal((person.finish(), home.state(NAME)), (0, "enabled"), "the same answer, given time")


@case("/cli/enable/broad-needs-its-own-word")
def broad_word():
    for answer, exit_code, state in (("yes\n", 3, "disabled"), ("broad\n", 0, "enabled")):
        with Home() as home:
            home.plugin(BROAD, ["process.spawn:python3"])
            person = terminal(home, "enable", BROAD)
            person.wait_for(QUESTION)
            contains(person.text(), "python3", "the sentence names it")
            person.type_slowly(answer)
            equal((person.finish(), home.state(BROAD)), (exit_code, state), answer)


@case("/cli/enable/swapped-while-asking")
def swapped():
    with Home() as home:
        home.plugin(NAME)
        person = terminal(home, "enable", NAME)
        person.wait_for(QUESTION)
        home.plugin(NAME, ["process.spawn:python3"])
        person.type_slowly("yes\n")
        equal(person.finish(), 4, f"exit:\n{person.text()}")
        equal(home.state(NAME), "disabled", "state")


@case("/cli/enable/changed-set-needs-review")
def changed_set():
    with Home() as home:
        home.plugin(NAME, ["selection.read"])
        home.enable(NAME)
        home.plugin(NAME, ["network.client"])
        equal(home.state(NAME), "needs-review", "state")
        answer = home.json("review", NAME)
        equal([(each["permission"], each["new"]) for each in answer["explanations"]], [("network.client", True)], "new")
        equal(answer["removed"], ["selection.read"], "removed")
        contains(home.ctl("review", NAME).stdout, "New since you enabled it", "text")
        equal(home.ctl("run", NAME, "go").returncode, 4, "exit of run")
        equal(home.enable(NAME).returncode, 0, "enabling what it asks for now")
        equal(home.ctl("run", NAME, "go").returncode, 0, "exit of run")


def build_without_launcher(home):
    """The program in a tree like the build's, where there is no launcher."""
    program = home.path("build/app/cli/ocelotctl")
    os.makedirs(os.path.dirname(program))
    os.makedirs(home.path("build/app/launcher"))
    home.write("build/oc-config.h", "")  # what marks a build folder
    shutil.copy2(CTL, program)
    return program


@case("/cli/enable/refuses-without-a-sandbox")
def without_sandbox():
    with Home() as home:
        home.plugin(NAME)
        program = build_without_launcher(home)
        got = home.ctl("enable", NAME, "--grant", "none", program=program)
        equal(got.returncode, 126, f"exit: {got.stderr}")
        check(not os.path.exists(home.consent), "nothing is written")
        equal(home.ctl("doctor", program=program).returncode, 126, "exit of doctor")
        equal(home.ctl("run", NAME, "go", program=program).returncode, 126, "exit of run")
        shutil.copy2(LAUNCHER, home.path("build/app/launcher/ocelot-launcher"))
        got = home.ctl("enable", NAME, "--grant", "none", program=program)
        equal(got.returncode, 0, f"the same with its launcher: {got.stderr}")


@case("/cli/root-is-refused-unless-allowed")
def root_refused():
    if not IS_ROOT:
        with Home() as home:
            home.plugin(NAME)
            equal(home.enable(NAME).returncode, 0, "an ordinary user needs no option")
        return
    with Home() as home:
        home.plugin(NAME)
        equal(home.ctl("enable", NAME, "--grant", "none", root=False).returncode, 126, "exit")
        check(not os.path.exists(home.consent), "nothing is written")
        equal(home.ctl("enable", NAME, "--grant", "none").returncode, 0, "with --allow-root")
        got = home.ctl("doctor", root=False)
        equal((got.returncode, got.stdout.count("FAILS")), (126, 1), f"one layer fails, the others are not tried: {got.stdout}")
        equal(got.stdout.count("Not tried"), 1, "that is said once")
        answer = json.loads(home.ctl("run", NAME, "go", "--json", root=False).stdout)
        equal((answer["exit"], answer["message"].count("--allow-root")), (126, 0), "exit, and no remedy in the message")
        contains(answer["remedy"], "--allow-root", "what to do")


# ---- the consent file

@case("/cli/consent/damaged")
def damaged():
    with Home() as home:
        home.plugin(NAME)
        home.enable(NAME)
        with open(home.consent, "r+b") as file:
            file.truncate(os.path.getsize(home.consent) // 2)
        got = home.ctl("enable", NAME, "--grant", "none")
        equal(got.returncode, 7, f"exit: {got.stderr}")
        aside = [name for name in os.listdir(home.base) if ".damaged" in name]
        equal(len(aside), 1, f"set aside: {os.listdir(home.base)}")
        equal(home.state(NAME), "disabled", "state")
        equal(home.ctl("enable", NAME, "--grant", "none").returncode, 0, "a new file, once it was said")


@case("/cli/consent/forged")
def forged():
    with Home() as home:
        home.plugin(NAME)
        home.plugin(BROAD, ["process.spawn:python3"])
        home.enable(NAME)
        with open(home.consent, encoding="utf-8") as file:
            text = file.read()
        home.write(home.consent, text.replace(NAME, BROAD), 0o600)
        equal(home.ctl("doctor").returncode, 7, "exit of doctor")
        equal(home.state(BROAD), "disabled", "what was forged grants nothing")


@case("/cli/consent/one-record-at-a-time")
def one_record():
    with Home() as home:
        home.plugin(NAME)
        home.plugin("org.example.Other")
        home.enable(NAME)

        def record():
            with open(home.consent, encoding="utf-8") as file:
                return re.search(r'"org\.example\.Plain"\s*:\s*\{.*?\}', file.read(), re.S).group(0)
        before = record()
        home.enable("org.example.Other")
        equal(record(), before, "the other's record after enabling")
        home.ctl("disable", "org.example.Other")
        equal(record(), before, "the other's record after disabling")


# ---- disabling, running, the log, the doctor

@case("/cli/disable")
def disable():
    with Home() as home:
        folder = home.plugin(NAME)
        home.enable(NAME)
        got = home.ctl("disable", NAME)
        equal((got.returncode, home.state(NAME)), (0, "disabled"), "disable")
        contains(got.stdout, f"ocelotctl enable {NAME}", "how to undo")
        equal(home.json("disable", NAME)["wasEnabled"], False, "a second time")
        home.enable(NAME)
        shutil.rmtree(folder)
        equal(home.ctl("disable", NAME).returncode, 0, "also where the plugin's folder is gone")
        home.plugin(NAME)
        equal(home.state(NAME), "disabled", "and so it stays when it comes back")


@case("/cli/run/exit-codes-are-the-launcher's")
def run_exits():
    with Home() as home:
        home.plugin(NAME)
        equal(home.ctl("run", NAME, "go").returncode, 3, "before it is enabled")
        home.enable(NAME)
        got = home.ctl("run", NAME, "go")
        equal(got.returncode, 0, f"enabled: {got.stdout}{got.stderr}")
        contains(got.stdout, '"ok"', "its result")
        home.plugin(NAME, body="sys.exit(3)")
        equal(home.ctl("run", NAME, "go").returncode, 1, "a crash")
        home.plugin(NAME, body="import time; time.sleep(60)")
        equal(home.ctl("run", NAME, "go", "--timeout", "300").returncode, 8, "a time-out")
        home.plugin(NAME, ["no.such"])
        equal(home.ctl("run", NAME, "go").returncode, 5, "an invalid manifest")


@case("/cli/run/paths-are-data")
def paths_are_data():
    names = ["--bind", "-x", "a b", "line\nfeed", "$(touch x)", "ümlaut", "*"]
    with Home() as home:
        home.plugin(NAME, ["selection.read"], body='answer([os.path.basename(p) for p in run["params"]["context"]["paths"]])')
        home.enable(NAME)
        for name in names:
            home.write(name, "text")
        got = home.ctl("run", NAME, "go", "--json", "--", *names)
        equal(got.returncode, 0, got.stdout + got.stderr)
        equal(json.loads(got.stdout)["result"], names, "the selection as the plugin sees it")
        check(not os.path.exists(home.path("x")), "a shell ran")


@case("/cli/run/shows-what-was-used-and-refused")
def used_and_refused():
    body = 'call("file.readText", path="/etc/hostname"); call("process.spawn", tool="git", args=[]); answer("done")'
    with Home() as home:
        home.plugin(NAME, body=body)
        home.enable(NAME)
        got = home.ctl("run", NAME, "go")
        equal(got.returncode, 0, got.stdout + got.stderr)
        contains(got.stdout, "What was refused", "text")
        contains(got.stdout, "process.spawn", "text")
        log = home.json("log", NAME)["runs"]
        equal((len(log), log[0]["outcome"], log[0]["refused"]), (1, "done", 2), "the log")
        contains(home.ctl("log", "--refused").stdout, "refused: process.spawn", "the log for people")


@case("/cli/run/the-selection-is-called-what-it-is")
def selection_used():
    with Home() as home:
        home.plugin(NAME, ["selection.read"])
        home.enable(NAME)
        home.write("a", "text")
        contains(home.ctl("run", NAME, "go", "--", "a").stdout, "what was selected (selection.read)", "the run")
        contains(home.ctl("log").stdout, "used: what was selected", "the log")


@case("/cli/text/escaped-once")
def escaped_once():
    with Home() as home:
        home.plugin(NAME, body='reply.write(b"no\\x1bheader\\r\\n\\r\\n"); reply.flush(); host.read()')
        home.enable(NAME)
        got = "".join(home.ctl(*words).stdout for words in [["run", NAME, "go"]] * 3 + [["show", NAME], ["log"]])
        lacks(got, "\\\\x", "no escape is escaped again")
        equal(got.count("no\\x1bheader"), 9, f"in three runs, three times in show and in the log:\n{got}")


@case("/cli/run/errors-name-the-file")
def errors_name_the_file():
    body = 'answer([call("file.readText", path=p)["error"]["message"] for p in run["params"]["context"]["paths"] + ["/etc/hostname"]])'
    with Home() as home:
        home.plugin(NAME, ["selection.read", "file.readText"], body=body)
        home.enable(NAME)
        home.write("a folder/inside", "text")
        home.write("nul", "a\0b")
        got = json.loads(home.ctl("run", NAME, "go", "--json", "--", "a folder", "nul").stdout)["result"]
        for name, message in zip((home.path("a folder"), home.path("nul"), "/etc/hostname"), got, strict=True):
            contains(message, name + ": ", "the message")


@case("/cli/run/hints-for-an-author")
def hints():
    wrong = 'kept, reply = reply, sys.stdout.buffer; answer(1); '
    with Home() as home:
        for more, outcome in (("", "crash"), ("host.read()", "time-out"), ("kept.close(); host.read()", "protocol")):
            home.plugin(NAME, body=wrong + more)
            home.enable(NAME)
            got = json.loads(home.ctl("run", NAME, "go", "--json", "--timeout", "1500").stdout)
            equal(got["outcome"], outcome, "outcome")
            contains(got["remedy"], "descriptor 4", f"a message on the wrong descriptor, {outcome}")
        home.enable(NAME)
        home.plugin(NAME, body='print("hello", flush=True); host.read()')
        equal(home.json("run", NAME, "go", "--timeout", "1500")["remedy"], None, "for output that is no message")
        home.write(os.path.join(home.plugins, NAME, "bin/worker"), "#!/usr/bin/env python3\r\n", 0o755)
        contains(home.json("run", NAME, "go")["message"], "first line (#!)", "an interpreter that is not there")


@case("/cli/run/disabled-after-errors")
def after_errors():
    with Home() as home:
        home.plugin(NAME, body='print("about to fail", flush=True); os.abort()')
        home.enable(NAME)
        for _ in range(3):
            got = home.ctl("run", NAME, "go")
            equal(got.returncode, 1, got.stdout)
        contains(got.stdout, "third error", "the last run says so")
        equal(home.state(NAME), "disabled-after-errors", "state")
        contains(home.ctl("show", NAME).stdout, "about to fail", "its last words")
        contains(home.ctl("review", NAME).stdout, "disabled after errors", "the review says so too")
        equal(home.ctl("list").stdout.count("after"), 1, "the list says it once")
        equal(home.ctl("run", NAME, "go").returncode, 3, "it no longer runs")
        home.plugin(NAME)
        equal(home.enable(NAME).returncode, 0, "only the user's enabling brings it back")
        equal(home.ctl("run", NAME, "go").returncode, 0, "and then it runs")


@case("/cli/run/ctrl-c-stops-and-still-answers")
def ctrl_c():
    with Home() as home:
        home.plugin(NAME, body='call("storage.set", key="begun", value=1); import time; time.sleep(60)')
        home.enable(NAME)
        person = terminal(home, "run", NAME, "go")
        storage = os.path.join(home.base, "Storage", NAME + ".json")
        person.until(lambda: os.path.exists(storage), "the plugin began")
        person.type("\x03")
        equal(person.finish(), 1, f"exit:\n{person.text()}")
        runs = home.json("log", NAME)["runs"]
        equal((runs[0]["outcome"], home.json("show", NAME)["errorsInARow"]), ("stopped", 0), "what is recorded")


@case("/cli/run/disabling-ends-it")
def disabling_ends_it():
    with Home() as home:
        home.plugin(NAME, body='call("storage.set", key="begun", value=1); import time; time.sleep(60)')
        home.enable(NAME)
        person = terminal(home, "run", NAME, "go")
        storage = os.path.join(home.base, "Storage", NAME + ".json")
        person.until(lambda: os.path.exists(storage), "the plugin began")
        equal(home.ctl("disable", NAME).returncode, 0, "disable, from another terminal")
        equal(person.finish(), 3, f"exit:\n{person.text()}")
        equal(home.json("log", NAME)["runs"][0]["outcome"], "revoked", "what is recorded")


@case("/cli/run/hostile-output")
def hostile_output():
    with Home() as home:
        home.plugin(NAME, body='print("\\x1b]0;owned\\x07\\u202e"); sys.stdout.flush(); answer("\\x1b[2J\\u202e")')
        home.enable(NAME)
        for more in ([], ["--json"]):
            got = home.ctl("run", NAME, "go", *more)
            equal(got.returncode, 0, got.stderr)
            contains(got.stdout.lower(), "202e", "it is there, escaped")
            for bad in ("\x1b", "\x07", "\u202e"):
                lacks(got.stdout, bad, f"stdout {more}")


@case("/cli/log/empty")
def log_empty():
    with Home() as home:
        equal(home.ctl("log").returncode, 0, "exit")
        equal(home.json("log")["runs"], [], "runs")


@case("/cli/doctor/holds")
def doctor():
    with Home() as home:
        home.plugin(NAME)
        got = home.ctl("doctor")
        equal(got.returncode, 0, got.stdout)
        fits(got.stdout)
        answer = home.json("doctor")
        check(answer["holds"] and answer["sandboxHolds"] and len(answer["layers"]) > 5, answer)
        equal([each["id"] for each in answer["findings"] if not each["holds"]], [], "findings that do not hold")
        lacks(got.stdout, "FAILS", "text")


@case("/cli/doctor/plugins-folder-unreadable")
def doctor_folder():
    with Home() as home:
        os.rmdir(home.plugins)
        home.write(home.plugins, "not a folder")
        for command in ("doctor", "list"):
            got = home.ctl(command)
            equal(got.returncode, 1, f"exit of {command}")
            contains((got.stdout + got.stderr).replace("\n         ", ""), "Plugins", "it names the folder")


@case("/cli/a-full-disk-is-no-success")
def full_disk():
    with Home() as home, open("/dev/full", "w", encoding="utf-8") as full:
        for words in (["list"], ["list", "--json"], ["--help"]):
            got = subprocess.run([CTL, *words], env=home.environment(), stdout=full, stderr=subprocess.DEVNULL, check=False)
            equal(got.returncode, 1, f"exit of {words}")


# ---- how it looks

@case("/cli/colour-on-a-terminal-only")
def colour():
    with Home() as home:
        home.plugin(BROAD, ["process.spawn:python3"])
        screen = terminal(home, "list")
        screen.finish()
        contains(screen.text(), "\x1b[", "on a terminal")
        plain = Terminal([CTL, "list"], home.environment(NO_COLOR="1"))
        plain.finish()
        lacks(plain.text(), "\x1b[", "with NO_COLOR")
        dumb = Terminal([CTL, "list"], home.environment(TERM="dumb"))
        dumb.finish()
        lacks(dumb.text(), "\x1b[", "on a dumb terminal")


@case("/cli/narrow-terminal")
def narrow():
    with Home() as home:
        home.plugin(BROAD, ["process.spawn:python3", "network.client"])
        screen = Terminal([CTL, "review", BROAD], home.environment(NO_COLOR="1"), columns=50)
        screen.finish()
        fits(screen.text(), 50)


@case("/cli/ascii-locale")
def ascii_locale():
    with Home() as home:
        home.plugin(NAME, name="Zähler", commands=[{"id": "go", "title": "日本"}])
        for words in (["list"], ["show", NAME], ["review", NAME]):
            got = home.ctl(*words, LANG="C", LC_ALL="C")
            equal(got.returncode, 0, f"{words}: {got.stderr}")
            check(all(ord(c) < 128 for c in got.stdout), f"not ASCII: {got.stdout!r}")


sys.exit(run())
