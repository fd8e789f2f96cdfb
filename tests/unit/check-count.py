#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The count at the end of tests/run.sh is right (TAP): what fails is counted, whatever way it fails."""
import json
import os
import subprocess
import sys
import tempfile

LIB = os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib")
sys.path.insert(0, LIB)

from tap import case, equal, run  # noqa: E402


def count(tests, must=False, failure=None, suite="unit"):
    """The last line and the exit code for TESTS, each (result, stdout)."""
    with tempfile.TemporaryDirectory() as folder:
        if tests is not None:
            with open(os.path.join(folder, "plain.json"), "w", encoding="utf-8") as file:
                for number, (result, stdout) in enumerate(tests):
                    print(json.dumps({"name": f"ocelot:x / t{number}", "result": result, "stdout": stdout}), file=file)
            with open(os.path.join(folder, "plain.tests"), "w", encoding="utf-8") as file:
                json.dump([{"name": f"t{number}", "suite": [f"ocelot:{suite}"]} for number in range(len(tests))], file)
        if failure:
            with open(os.path.join(folder, "failure"), "w", encoding="utf-8") as file:
                file.write(failure)
        got = subprocess.run([sys.executable, os.path.join(LIB, "count.py"), folder], capture_output=True, text=True,
                             check=False, env={**os.environ, "OC_SANDBOX_MUST_WORK": "1" if must else "0"})
        return got.stdout.splitlines()[-1], got.returncode


@case("/count/passed")
def passed():
    equal(count([("OK", "1..2\nok 1 /a\nok 2 /b\n"), ("OK", "")]), ("3 passed, 0 failed", 0), "two cases and a plain program")


@case("/count/failed")
def failed():
    equal(count([("ERROR", "1..2\nok 1 /a\nnot ok 2 /b\n")]), ("1 passed, 1 failed", 1), "a case that failed")


@case("/count/crashed")
def crashed():
    equal(count([("ERROR", "1..3\nok 1 /a\n")]), ("1 passed, 1 failed", 1), "ended before its plan")
    equal(count([("TIMEOUT", "")]), ("0 passed, 1 failed", 1), "ran out of time")
    equal(count([("FAIL", "1..1\nok 1 /a\n")]), ("1 passed, 1 failed", 1), "a leak found at the end")


@case("/count/skipped")
def skipped():
    log = [("OK", "1..2\nok 1 /a\nok 2 /b # SKIP no such thing here\n")]
    equal(count(log), ("1 passed, 0 failed, 1 skipped", 0), "a skip is seen")
    equal(count(log, must=True), ("1 passed, 0 failed, 1 skipped", 0), "elsewhere than in the sandbox")
    equal(count(log, must=True, suite="sandbox"), ("1 passed, 1 failed", 1), "where the sandbox must work")


@case("/count/nothing")
def nothing():
    equal(count(None, failure="The build failed."), ("0 passed, 1 failed", 1), "a build that failed")
    equal(count([]), ("0 passed, 1 failed", 1), "no test at all")


sys.exit(run())
