#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts every test case in the logs that "meson test" wrote, and prints the last line of tests/run.sh.

count.py FOLDER: FOLDER/<pass>.json are meson's test logs (one JSON object a line), <pass>.tests what meson knows of the tests,
*failure files hold one line for something that failed outside a test. Exit: 0 nothing failed, 1 something did.
"""
import json
import os
import re
import sys

TAIL = 25
CASE = re.compile(r"^(ok|not ok)\b\s*(\d+)?\s*(?:-\s*)?(.*)$")
DIRECTIVE = re.compile(r"#\s*(SKIP|TODO)\b\s*(.*)$", re.IGNORECASE)
# A test of these suites that is skipped where the sandbox must work shows nothing, so it counts as failed.
MUST_RUN = {"sandbox", "integration"}


def cases_of(test):
    """Yields (result, name, why) for every case of one entry of the log."""
    failed = skipped = 0
    seen = 0
    for line in test.get("stdout", "").splitlines():
        match = CASE.match(line)
        if not match:
            continue
        seen += 1
        directive = DIRECTIVE.search(match.group(3))
        name = match.group(3).split("#")[0].strip()
        if match.group(1) == "not ok":
            failed += 1
            yield "failed", name, "not ok"
        elif directive and directive.group(1).upper() == "SKIP":
            skipped += 1
            yield "skipped", name, directive.group(2)
        else:
            yield "passed", name, ""
    if test["result"] in ("OK", "EXPECTEDFAIL", "SKIP"):
        if seen == 0:
            yield ("skipped" if test["result"] == "SKIP" else "passed"), "", ""
    elif failed == 0:
        # It crashed, ran out of time, or ended before its plan did.
        yield "failed", "", test["result"].lower()


def said_before_failing(test):
    """The lines that explain a failure: what stands before each "not ok", else the end of the output."""
    lines = [line for line in test.get("stdout", "").splitlines() if not line.startswith("ok ")]
    return [line[:300] for line in lines[-TAIL:]]


def must_run(folder, label):
    """The names of the tests that may not be skipped, from what meson knows of the build."""
    with open(os.path.join(folder, label + ".tests"), encoding="utf-8") as file:
        return {test["name"] for test in json.load(file)
                if {suite.split(":")[-1] for suite in test["suite"]} & MUST_RUN}


def main():
    folder = sys.argv[1]
    must = os.environ.get("OC_SANDBOX_MUST_WORK") == "1"
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    failures, skips, tails = [], [], []
    for entry in sorted(os.listdir(folder)):
        path = os.path.join(folder, entry)
        if entry.endswith(".tests"):
            continue
        if entry.endswith("failure"):
            with open(path, encoding="utf-8") as file:
                failures.append(file.read().strip())
            totals["failed"] += 1
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            tests = [json.loads(line) for line in file if line.strip()]
        label = entry[: -len(".json")]
        musts = must_run(folder, label) if must else set()
        for test in tests:
            if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP"):
                tails.append((f"{label}: {test['name']}", said_before_failing(test)))
            for result, name, why in cases_of(test):
                where = f"{label}: {test['name']} {name}".rstrip() + (f" ({why})" if why else "")
                if result == "skipped" and test["name"].split(" / ")[-1] in musts:
                    result = "failed"
                    where += " skipped, where the sandbox must work"
                totals[result] += 1
                if result == "failed":
                    failures.append(where)
                elif result == "skipped":
                    skips.append(where)
    if totals["passed"] + totals["failed"] == 0:
        failures.append("no test ran at all")
        totals["failed"] = 1
    for name, lines in tails:
        print(f"── {name}")
        for line in lines:
            print(f"   {line}")
    for line in skips:
        print(f"Skipped: {line}")
    for line in failures:
        print(f"Failed: {line}")
    last = f"{totals['passed']} passed, {totals['failed']} failed"
    if totals["skipped"]:
        last += f", {totals['skipped']} skipped"
    print(last)
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
