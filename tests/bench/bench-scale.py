#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How ocelotctl's commands grow with the number of plugins: medians for 10 and 500, taken in turns, and their ratio.

No limit is checked here: figures depend on the machine, ratios much less.
"""
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from home import CTL, Home, IS_ROOT  # noqa: E402

SIZES = (10, 500)
ROUNDS = 15
ONE = "org.example.Plugin0003"
COMMANDS = {
    "list": ["list"],
    "list --json": ["list", "--json"],
    "show": ["show", ONE],
    "review": ["review", ONE],
    "log": ["log"],
    "run": ["run", ONE, "go"],
    "disable": ["disable", ONE],
    "enable": ["enable", ONE, "--grant", "selection.read", "--grant", "process.spawn:sha256sum"],
}


def fill(home, count):
    for number in range(count):
        home.plugin(f"org.example.Plugin{number:04}", ["selection.read", "process.spawn:sha256sum"])
    # Every third is enabled, so that the consent file grows too.
    for number in range(0, count, 3):
        name = f"org.example.Plugin{number:04}"
        got = home.ctl("enable", name, *COMMANDS["enable"][2:])
        if got.returncode != 0:
            sys.exit(f"{name} could not be enabled: {got.stderr}")


def measure(home, arguments):
    root = ["--allow-root"] if IS_ROOT else []
    begin = time.monotonic()
    subprocess.run([CTL, *root, *arguments], env=home.environment(), cwd=home.root, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return (time.monotonic() - begin) * 1000


def main():
    with Home() as few, Home() as many:
        homes = dict(zip(SIZES, (few, many)))
        for size, home in homes.items():
            fill(home, size)
        print(f"{'command':12} {SIZES[0]:>9} {SIZES[1]:>9}  plugins: medians of {ROUNDS} in ms; ratio")
        taken = {(name, size): [] for name in COMMANDS for size in SIZES}
        for _ in range(ROUNDS):
            # In this order the last two leave everything as it was.
            for name, arguments in COMMANDS.items():
                for size, home in homes.items():
                    taken[name, size].append(measure(home, arguments))
        for name in COMMANDS:
            low, high = (statistics.median(taken[name, size]) for size in SIZES)
            print(f"{name:12} {low:9.1f} {high:9.1f}  {high / low:.2f}")


if __name__ == "__main__":
    main()
