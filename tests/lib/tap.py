# SPDX-License-Identifier: LGPL-2.1-or-later
"""The few lines that a test written in Python needs to speak TAP, as GLib's tests do."""
import sys
import traceback

_CASES = []


class Skip(Exception):
    """A case that cannot be tried here; its text says why."""


def case(path):
    """Registers a function as the case PATH ("/cli/list")."""
    def register(function):
        _CASES.append((path, function))
        return function
    return register


def check(condition, message):
    """Fails the case with MESSAGE, which says what was found."""
    if not condition:
        raise AssertionError(message)


def equal(got, expected, what):
    check(got == expected, f"{what}: expected {expected!r}, got {got!r}")


def contains(text, part, what):
    check(part in text, f"{what}: no {part!r} in:\n{text}")


def lacks(text, part, what):
    check(part not in text, f"{what}: {part!r} in:\n{text}")


def run():
    """Runs every case in order. Returns what to exit with."""
    print(f"1..{len(_CASES)}")
    bad = 0
    for number, (path, function) in enumerate(_CASES, 1):
        try:
            function()
            print(f"ok {number} {path}")
        except Skip as reason:
            print(f"ok {number} {path} # SKIP {reason}")
        except Exception:  # a case that breaks must not hide the ones after it
            bad += 1
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {number} {path}")
        sys.stdout.flush()
    return 1 if bad else 0
