#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The launcher's own process, and the tests of its parts that make no sandbox, under valgrind: no wrong access, nothing lost."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import BUILD, IS_ROOT, LAUNCHER, PATIENCE, SOURCE, Home  # noqa: E402
from tap import Skip, case, check, equal, run  # noqa: E402

NAME = "org.example.Valgrind"
FAULT = 99
# What is started from here is not looked into: after clone() it is another program, or plain C that becomes one.
VALGRIND = ["valgrind", "-q", "--trace-children=no", "--child-silent-after-fork=yes", f"--error-exitcode={FAULT}", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--num-callers=24"]


def needs_valgrind():
    if shutil.which("valgrind") is None:
        if os.environ.get("OC_SANDBOX_MUST_WORK") == "1":
            raise AssertionError("valgrind must be here, and is not")
        raise Skip("valgrind is not here")


def look(argv, **more):
    got = subprocess.run([*VALGRIND, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * PATIENCE, check=False, **more)
    check(got.returncode != FAULT, f"{argv}: {got.stderr.decode(errors='replace')}")
    return got


@case("/valgrind/run")
def whole_run():
    """Valgrind 3.19 does not know Landlock's system calls, and the launcher runs nothing then; which is looked at as well."""
    needs_valgrind()
    with Home() as home:
        home.plugin(NAME, ["process.spawn:true"], 'answer(call("process.spawn", tool="true")["result"]["exitCode"])')
        enabled = home.enable(NAME)
        equal(enabled.returncode, 0, f"enabling: {enabled.stderr}")
        root = ["--allow-root"] if IS_ROOT else []
        got = look([LAUNCHER, "run", *root, NAME, "go"], env=home.environment(), cwd=home.root)
        answer = json.loads(got.stdout)
        print(f"# {answer['outcome']}: {answer['message']}")
        check((got.returncode, answer["outcome"]) == (0, "done")
              or (got.returncode == 126 and answer["message"].startswith("landlock: ")), f"{got.returncode}: {answer}")
        look([LAUNCHER, "run", *root, "org.example.None", "go"], env=home.environment(), cwd=home.root)
        look([LAUNCHER, "run", "--bind"], env=home.environment(), cwd=home.root)


def parts(name):
    needs_valgrind()
    environment = {**os.environ, "G_TEST_SRCDIR": os.path.join(SOURCE, "tests/unit"), "G_TEST_BUILDDIR": os.path.join(BUILD, "tests/unit")}
    got = look([os.path.join(BUILD, "tests/unit", "test-" + name)], env=environment)
    equal(got.returncode, 0, f"{name}: {got.stdout.decode(errors='replace')[-2000:]}")


@case("/valgrind/plan")
def plan():
    parts("plan-hosts")


@case("/valgrind/guarded-places")
def guarded_places():
    parts("guarded")


@case("/valgrind/messages")
def messages():
    parts("rpc")


@case("/valgrind/options-and-output")
def options_and_output():
    parts("launcher-parts")


if __name__ == "__main__":
    sys.exit(run())
