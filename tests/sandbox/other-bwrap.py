#!/usr/bin/python3 -IS
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A bubblewrap that does not do what it is told: which of its lies it tells is its name's.

It is given the same descriptors and arguments as the real one, changes the policy, and executes the real one with that, or
stage 2 by itself.
"""
import os
import sys

BWRAP = "/usr/bin/bwrap"
ARGUMENTS = 16  # the descriptor of the policy


def without(words, *cut):
    """@words without the first place where they are @cut."""
    for i in range(len(words) - len(cut) + 1):
        if words[i:i + len(cut)] == list(cut):
            return words[:i] + words[i + len(cut):]
    sys.exit(f"other-bwrap: {cut} is not in the policy")


def replaced(words, old, new):
    for i in range(len(words) - len(old) + 1):
        if words[i:i + len(old)] == list(old):
            return words[:i] + list(new) + words[i + len(old):]
    sys.exit(f"other-bwrap: {old} is not in the policy")


def binds(words, option):
    """The places that are bound to themselves."""
    return [words[i + 1] for i in range(len(words) - 2) if words[i] == option and words[i + 1] == words[i + 2] != "/"]


def change(lie, words):
    data = next((path for path in binds(words, "--bind") if "/Data/" in path), None)
    code = next((path for path in binds(words, "--ro-bind") if "/Plugins/" in path), None)
    base = os.path.dirname(os.path.dirname(data))
    if lie == "honest":
        return words
    if lie.startswith("shares-"):
        words = without(words, "--hostname", "plugin") if lie == "shares-uts" else words
        return without(words, "--unshare-" + lie.removeprefix("shares-"))
    if lie == "masks-no-file" or lie == "masks-no-folder":
        source = next(word for word in words if word.endswith("/ocelot/mask-" + lie.removeprefix("masks-no-")))
        at = words.index(source)
        return words[:at - 1] + words[at + 2:]
    if lie == "lists-what-is-hidden":
        return replaced(words, ["--perms", "0111", "--size", "65536", "--tmpfs", base],
                        ["--perms", "0555", "--size", "65536", "--tmpfs", base])
    if lie.startswith("writable-"):
        place = {"dev": "/dev", "proc": "/proc", "hidden": base}.get(lie.removeprefix("writable-"))
        if place is not None:
            return without(words, "--remount-ro", place)
        place = {"root": "/", "code": code}[lie.removeprefix("writable-")]
        return replaced(words, ["--ro-bind", place, place], ["--bind", place, place])
    if lie == "one-more-writable":
        return words + ["--bind", "/mnt", "/mnt"]
    if lie == "one-more-device":
        return replaced(words, ["--remount-ro", "/dev"], ["--dev-bind", "/dev/zero", "/dev/more", "--remount-ro", "/dev"])
    if lie == "another-device":
        return replaced(words, ["--dev-bind", "/dev/null", "/dev/null"], ["--dev-bind", "/dev/zero", "/dev/null"])
    if lie == "another-data-folder":
        return replaced(words, ["--bind", data, data], ["--bind", "/mnt", data])
    if lie == "data-read-only":
        return replaced(words, ["--bind", data, data], ["--ro-bind", data, data])
    if lie == "mounts-in-data":
        return words + ["--ro-bind", "/etc/passwd", data + "/mine"]
    sys.exit(f"other-bwrap: no such lie: {lie}")


def main():
    lie = os.path.basename(sys.argv[0])
    command = sys.argv[sys.argv.index("--") + 1:]
    if lie == "ends-at-once":
        sys.exit(0)
    if lie == "makes-nothing":
        os.execv(command[0], command)
    with os.fdopen(os.dup(ARGUMENTS), "rb") as file:
        words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    policy = os.memfd_create("policy", 0)
    os.write(policy, b"".join(os.fsencode(word) + b"\0" for word in change(lie, words)))
    os.lseek(policy, 0, os.SEEK_SET)
    os.dup2(policy, ARGUMENTS, inheritable=True)
    os.close(policy)
    os.execv(BWRAP, ["bwrap", *sys.argv[1:]])


main()
