#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ocelot-launcher(1) says all that the code has: each option, exit code, layer and limit, with the value that the code has."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import IS_ROOT, LAUNCHER, SOURCE, Home  # noqa: E402
from tap import case, check, contains, equal, run  # noqa: E402


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def join_words(match):
    """.BR a ", " b: the words stand together; .B a b: with a space between them."""
    words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', match.group(2))]
    return ("" if len(match.group(1)) == 2 else " ").join(words)


def without_roff(text):
    text = re.sub(r'^\.\\".*\n', "", text, flags=re.M)
    text = re.sub(r"^\.([BI]|BR|RB|BI|IB|IR|RI) (.*)$", join_words, text, flags=re.M)
    return text.replace("\\-", "-")


PAGE = read("data/man/ocelot-launcher.1")
SECTIONS = {title: without_roff(body) for title, body in re.findall(r"^\.SH (.*)\n((?:(?!\.SH).*\n)*)", PAGE, re.M)}
OPTIONS = "app/launcher/oc-options.c"
LIMITS = "app/launcher/oc-limits.c"
# Lines of the page's table, by the member of OcLimits.
LINES = {
    "address_space": "Address space, each process",
    "memory": "Memory, all of one sandbox",
    "file_size": "Size of a file",
    "open_files": "Open files, each process",
    "processes": "Processes",
    "data_size": "Data folder",
    "temp_size": "Temporary folder",
    "data_files": "Names in either folder",
    "runs": "Runs of one plugin at a time",
}


@case("/man/options")
def options():
    written = set(re.findall(r'"(--[a-z][a-z-]*)"', re.sub(r"/\*.*?\*/", "", read(OPTIONS), flags=re.S)))
    usage = subprocess.run([LAUNCHER, "--help"], capture_output=True, encoding="utf-8", check=True).stdout
    written |= set(re.findall(r"--[a-z][a-z-]*", usage))
    check("--timeout" in written and "--executor" in written, f"the options of the code were not found: {written}")
    for option in sorted(written):
        check(re.search(rf"^{option}\b", SECTIONS["OPTIONS"], re.M), f"{OPTIONS} has {option}, the page's OPTIONS have not")
        if option in usage:
            contains(without_roff(PAGE.split(".SH DESCRIPTION")[0]), option, "the page's synopsis")
    for option in re.findall(r"^(--[a-z-]+)", SECTIONS["OPTIONS"], re.M):
        check(option in written, f"the page has {option}, {OPTIONS} has not")


@case("/man/exit-codes")
def exit_codes():
    written = set(re.findall(r"OC_EXIT_\w+ = (\d+)", read("app/core/oc-launch.h")))
    check({"0", "126"} <= written, f"the exit codes of the code were not found: {written}")
    equal(set(re.findall(r"^\.TP\n(\d+)$", SECTIONS["EXIT STATUS"], re.M)), written, "the exit codes of the page")


@case("/man/layers")
def layers():
    with Home() as home:
        root = ["--allow-root"] if IS_ROOT else []
        report = subprocess.run([LAUNCHER, "check", "--json", *root], env=home.environment(), capture_output=True, check=False)
        ids = {layer["id"] for layer in json.loads(report.stdout)["layers"]}
    # Those that only an error names.
    process = read("app/launcher/oc-process.c")
    ids |= set(re.findall(r'return "([a-z-]+)";', process[process.index("layer_to_id"):process.index("oc_sandbox_set_layer_error")]))
    check({"landlock", "seccomp", "limits"} <= ids, f"the layers of the code were not found: {ids}")
    for name in sorted(ids):
        check(re.search(rf"(?:^|, ){name}(?:,|:|$)", SECTIONS["THE SANDBOX"], re.M), f"the page does not name the layer {name}")


def show(name, value):
    if value == 0:
        return "none"
    if name in ("address_space", "memory", "file_size", "data_size", "temp_size"):
        return f"{value // 1024 ** 3} GiB" if value % 1024 ** 3 == 0 else f"{value // 1024 ** 2} MiB"
    return str(value)


@case("/man/limits")
def limits():
    table = read(LIMITS)
    table = table[table.index("oc_limits_defaults[] = {"):]
    roles = [dict(re.findall(r"\.(\w+) = (\d+(?: \* MIB)?)", part)) for part in table.split("[OC_ROLE_")[1:3]]
    equal(set(roles[0]), set(LINES), f"the members of the table in {LIMITS}")
    rows = {cells[0]: cells[1:] for cells in (line.split("|") for line in SECTIONS["LIMITS"].splitlines()) if len(cells) == 3}
    for name, line in LINES.items():
        check(line in rows, f"the page's table has no line “{line}”")
        for role, got in zip(roles, rows[line]):
            if name not in role:
                continue
            number, _, unit = role[name].partition(" * ")
            equal(got, show(name, int(number) * (1024 ** 2 if unit else 1)), f"“{line}”")


@case("/man/files-of-the-administrator")
def administrator():
    for path in ("/etc/ocelot/policy.json", "/etc/ocelot/policy.d/*.json", "/etc/ocelot/guarded-places.d/*.list"):
        contains(SECTIONS["FILES"], path, "FILES")


sys.exit(run())
