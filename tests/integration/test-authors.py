#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What plugin authors read says what the launcher's tables say, no more and no less: ocelot-plugin(7) and the three SDKs have each
call, parameter, permission, code, reason and limit. print-tables gives the tables."""
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import BUILD, SOURCE  # noqa: E402
from tap import case, check, contains, equal, run  # noqa: E402

TABLES = json.loads(subprocess.run([os.path.join(BUILD, "tests/integration/print-tables")], capture_output=True, check=True).stdout)
METHODS = {method["name"]: method for method in TABLES["methods"]}
LIMITS = TABLES["limits"]
REASONS = {(row["code"], row["reason"]) for row in TABLES["reasons"]}


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


PAGE = read("data/man/ocelot-plugin.7").replace("\\-", "-")
SECTIONS = {title: body for title, body in re.findall(r"^\.SH (.*)\n((?:(?!\.SH ).*\n)*)", PAGE, re.M)}
CALLS = {heading.split()[0]: (heading.split()[1:], body)
         for heading, body in re.findall(r"^\.SS (.*)\n((?:(?!\.SS ).*\n)*)", SECTIONS["CALLS"], re.M)}
PYTHON = read("data/sdk/ocelot.py")
HEADER = read("data/sdk/ocelot.h")
TYPES = read("data/sdk/ocelot.d.ts")
CODES = {name: int(number) for name, number in
         re.findall(r"OC_RPC_(\w+) = (-\d+)", read("app/launcher/oc-rpc-message.h"))}


def rows(section):
    return [line.split("|") for line in SECTIONS[section].splitlines() if "|" in line and "tab(" not in line]


def needs(method):
    """As the manual has it: process.spawn:tool."""
    return method["permission"] and method["permission"] + (":" + method["argument"] if method["argument"] else "")


def words_of(method):
    return {row["reason"] for row in TABLES["reasons"] if method in row["methods"]}


# The tables themselves.

@case("/authors/every-reason-that-is-answered-with-is-in-the-table")
def reasons_in_source():
    found = set()
    for path in glob.glob(os.path.join(SOURCE, "app/launcher/oc-*.c")):
        text = read(path)
        if path.endswith("oc-host-reasons.c"):
            continue
        found |= {(CODES[name], word) for name, word in re.findall(r'\bOC_RPC_([A-Z_]+),\s+"([a-z-]+)"', text) if name in CODES}
        found |= {(CODES["REFUSED"], word) for word in re.findall(r'oc_call_refuse \([^,]+,\s+"([a-z-]+)"', text)}
    found = {pair for pair in found if pair[1] != "permission"}
    check(len(found) > 10, f"the reasons of the source were not found: {found}")
    equal(found - REASONS, set(), "reasons that are answered with, and are not in oc-host-reasons.c")


@case("/authors/reasons-name-methods-that-exist")
def reason_methods():
    for row in TABLES["reasons"]:
        check(row["methods"] and set(row["methods"]) <= set(METHODS), f"methods of {row}")
        check(row["code"] in CODES.values(), f"code of {row}")


# The manual.

@case("/authors/man/calls")
def man_calls():
    equal(sorted(CALLS), sorted(METHODS), "the calls of the page")
    for name, (params, body) in CALLS.items():
        method = METHODS[name]
        equal([param.rstrip("?") for param in params], method["params"], f"parameters of {name}")
        said = re.match(r"Needs\n\.B[IR] (.*)\n|Needs no permission\.\n", body)
        check(said, f"what {name} needs is not said")
        got = said.group(1) and re.sub(r"\\f.|[ .]*$|(?<=:) ", "", said.group(1).replace(" .", ""))
        equal((got or "").rstrip("."), needs(method) or "", f"the permission of {name}")
        words = re.search(r"^Reasons:\n((?:\.BR .*\n)+)", body, re.M)
        got = set(re.findall(r"[a-z]+(?:-[a-z]+)*", words.group(1).replace(".BR", ""))) if words else set()
        equal(got, words_of(name), f"reasons of {name}")


@case("/authors/man/names-in-the-sdks")
def man_names():
    table = {row[0]: row[1:] for row in rows("CALLS") if row[0] in METHODS}
    equal(sorted(table), sorted(METHODS), "the calls of the table")
    for name, (script, python, header) in table.items():
        last = script.split(".")[-1]
        if name != "context.get":
            check(re.search(rf"\b(function|namespace) {last}\b", TYPES), f"{script} of {name} is not in ocelot.d.ts")
        check(re.search(rf"\b(def {python.split('.')[-1]}\b|{python} = )", PYTHON), f"{python} of {name} is not in ocelot.py")
        check(re.search(rf"\bocelot_{header} \(", HEADER), f"ocelot_{header} of {name} is not in ocelot.h")


@case("/authors/man/codes-and-reasons")
def man_codes():
    equal({int(code) for code in re.findall(r"^\.TP\n\.B (-\d+)$", SECTIONS["ERRORS"], re.M)}, set(CODES.values()), "codes")
    equal({(int(row[0]), row[1]) for row in rows("ERRORS") if row[0] != "Code"}, REASONS, "reasons")


def size(number):
    return f"{number >> 20} MiB" if number % (1 << 20) == 0 else f"{number:,} bytes"


def time(milliseconds):
    return f"{milliseconds // 60000} minutes" if milliseconds % 60000 == 0 else f"{milliseconds // 1000} seconds"


# Rows of the page's table, by the limit's name in print-tables.c, and how it is written.
LIMIT_ROWS = {
    "file": ("Text file that is read", size),
    "message": ("Message to the host, a result among them", size),
    "depth": ("Lists and objects inside each other, in a message", "{:,}".format),
    "keys": ("Keys of one object, in a message", "{:,}".format),
    "inFlight": ("Calls that wait for an answer", "{:,}".format),
    "held": ("Reading, app.open and storage at once", "{:,}".format),
    "notifications": ("Messages that ask for no answer, in a run", "{:,}".format),
    "stallSeconds": ("Time without reading one's answers", "{:,} seconds".format),
    "spawnAtOnce": ("Tools at once", "{:,}".format),
    "spawnTimeout": ("Time of a tool, unless given", time),
    "spawnMaxTimeout": ("Time of a tool", time),
    "spawnArgs": ("Arguments of a tool", "{:,}".format),
    "spawnArg": ("One argument", size),
    "spawnArgsBytes": ("All arguments", size),
    "output": ("Standard output or error that is kept", size),
    "storageValue": ("Stored value, as JSON", size),
    "storage": ("All stored values", size),
    "storageKey": ("Key of a stored value", size),
    "url": ("Address", "{:,} characters".format),
    "openMax": ("Things opened on the desktop, in a run", "{:,}".format),
    "openBurst": ("Things opened within 2 seconds", "{:,}".format),
    "openTimeoutMs": ("Time for the desktop to open one", time),
    "logLines": ("Lines of the log that are kept", "{:,}".format),
    "logLine": ("One line of the log", size),
    "errorMessage": ("Message of a reported error", size),
    "commandTimeout": ("Time of a command, unless given", "{:,} seconds".format),
    "commandMaxTimeout": ("Time of a command", "{:,} seconds".format),
    "id": ("Length of an id", size),
    "permissions": ("Permissions of a plugin", "{:,}".format),
    "commands": ("Commands of a plugin", "{:,}".format),
}


@case("/authors/man/limits")
def man_limits():
    equal(set(LIMIT_ROWS) | {"openBurstMs"}, set(LIMITS), "the limits of print-tables.c")
    equal(LIMITS["openBurstMs"], 2000, "the time that stands in a row's name")
    table = {row[0]: row[1] for row in rows("LIMITS") if row[0] != "What"}
    equal(table, {title: show(LIMITS[name]) for name, (title, show) in LIMIT_ROWS.items()}, "the page's table")


def strings_of(name):
    table = read("app/core/oc-manifest-plugin.c")
    return set(re.findall(r'"(\w+)"', re.search(rf"{name}\[\] = \{{(.*?)\}};", table, re.S).group(1)))


def tags(text):
    """The words of the paragraphs' tags, without the arguments of permissions."""
    return {word for line in re.findall(r"^\.TP\n\.(?:B|BR|BI) (.*)$", text, re.M) for word in re.findall(r"[\w.]+", line.split(":")[0])}


@case("/authors/man/manifest")
def man_manifest():
    members, command = SECTIONS["MANIFEST"].split(".SS A command")
    equal(tags(members), strings_of("known_members"), "members of plugin.json")
    equal(tags(command), strings_of("known_command_members"), "members of a command")


@case("/authors/man/permissions")
def man_permissions():
    source = read("app/core/oc-manifest-draft.c")
    source = source[source.index("\nis_for_kind ("):]
    ours, others = source[:source.index("OC_PERMISSION_UNKNOWN")].split("kind != OC_PLUGIN_KIND_ADDON")
    ids = {row["id"] for row in TABLES["permissions"]}

    def plain(text):
        return re.sub(r"[._]", "", text).lower()

    for part, got in ((ours, tags(SECTIONS["PERMISSIONS"])),
                      (others, set(re.findall(r"\w+", re.search(r"The permissions\n\.BR (.*)\n", SECTIONS["PERMISSIONS"]).group(1))) - {"and"})):
        expected = {plain(name) for name in re.findall(r"case OC_PERMISSION_(\w+)", part)}
        equal({plain(name) for name in got}, expected, "permissions")
        check(got <= ids, f"they are named as in the catalogue: {got - ids}")


# The SDKs.

@case("/authors/python")
def python():
    scope = {}
    exec(compile(PYTHON.split("class HostError")[0], "ocelot.py", "exec"), scope)  # the constants
    equal({name: scope.get(name) for name in CODES}, CODES, "codes")
    equal({(code, word) for code, words in scope["REASONS"].items() for word in words}, REASONS, "reasons")
    equal(set(re.findall(r'(?:call|notify)\("([\w.]+)"', PYTHON)), set(METHODS), "calls")
    for name in METHODS:
        part = PYTHON[PYTHON.index(f'("{name}"') - 500:PYTHON.index(f'("{name}"') + 200]
        for param in METHODS[name]["params"]:
            contains(part, f'"{param}"', f"ocelot.py, near {name}")
    for name, limit in (("MAX_FILE_BYTES", "file"), ("MAX_MESSAGE_BYTES", "message"), ("MAX_OUTPUT_BYTES", "output"),
                        ("MAX_STORAGE_VALUE_BYTES", "storageValue"), ("MAX_STORAGE_BYTES", "storage"), ("_MAX_SPAWNS", "spawnAtOnce"),
                        ("_MAX_DEPTH", "depth"), ("_MAX_KEYS", "keys"), ("_MAX_LOG_CHARACTERS", "logLine")):
        equal(scope[name], LIMITS[limit], name)
    check(scope["_MAX_CALLS"] <= LIMITS["inFlight"], "calls at once")
    check(LIMITS["logLines"] <= scope["_MAX_LOG_LINES"] <= LIMITS["notifications"], "lines of the log")


@case("/authors/c")
def c_header():
    equal({name: int(number) for name, number in re.findall(r"OCELOT_(\w+) = (-\d+)", HEADER)}, CODES, "codes")
    block = re.search(r"/\*\n \* What ocelot_error\.reason can be.*?\*/", HEADER, re.S).group(0)
    got = set()
    for name, words in re.findall(r"^ \* OCELOT_(\w+): (.*(?:\n \*   .*)*)", block, re.M):
        got |= {(CODES[name], word) for word in re.findall(r"[a-z]+(?:-[a-z]+)*", words)}
    equal(got, REASONS, "reasons")
    calls = read("data/sdk/ocelot-calls.h")
    called = set(re.findall(r'(?:begin_call|call_storage) \(host, (?:&json, )?"([\w.]+)"', calls))
    equal(called | {"log"}, set(METHODS), "calls")
    contains(calls, '"log"', "ocelot-calls.h")
    for param in {param for method in METHODS.values() for param in method["params"]}:
        contains(calls, f'"{param}"', "ocelot-calls.h")
    for name, number in re.findall(r"^#define OCELOT_MAX_(\w+)_BYTES (\d+)$", HEADER, re.M):
        limit = {"FILE": "file", "MESSAGE": "message", "OUTPUT": "output", "STORAGE_VALUE": "storageValue", "STORAGE": "storage"}[name]
        equal(int(number), LIMITS[limit], name)


@case("/authors/types")
def types():
    equal({int(code) for code in re.findall(r"\| (-32\d{3})\b", TYPES)} | {-32001}, set(CODES.values()), "codes")
    block = re.search(r"type Reason =\n(.*?);", TYPES, re.S).group(1)
    equal(set(re.findall(r'"([a-z-]+)"', block)), {word for _, word in REASONS}, "reasons")
    for name, method in METHODS.items():
        contains(TYPES, name, "ocelot.d.ts")
        if needs(method):
            contains(TYPES, f"`{method['permission']}" + (f":<{method['argument']}>`" if method["argument"] else "`"), f"need of {name}")
    for name, function in (("file.readText", "readText"), ("process.spawn", "spawn"), ("openURL", "openURL"), ("app.open", "openInApp"),
                           ("storage.set", "namespace storage")):
        comment = TYPES[:re.search(rf"(?:function )?{function}\b[ (]", TYPES).start()].rpartition("/**")[2]
        words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", comment.partition("reasons ")[2].replace("*", "")))
        equal(words, words_of(name), f"reasons of {function}")
    for limit in ("file", "url", "spawnArgs", "spawnArg", "logLines", "logLine"):
        contains(TYPES, f"{LIMITS[limit]:,}", f"limit {limit}")
    for limit in ("spawnTimeout", "spawnMaxTimeout", "output", "storageValue", "storage"):
        contains(TYPES, f"{LIMITS[limit]}", f"limit {limit}")


sys.exit(run())
