#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rooms and the arrows between them (TAP).

check-architecture.py SOURCE_ROOT BUILD_ROOT

launcher → core, cli → core, ui → core, script → core, tests → all, nothing else; no GTK in what must start on a machine
without a display; no fork in core; file sizes; licence lines; a clean top level.
"""
import os
import re
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:3]
ROOMS = {
    "app/core": {"core"},
    "app/launcher": {"core", "launcher"},
    "app/cli": {"core", "cli"},
    "app/script": {"core", "script"},
    "ui": {"core", "ui"},
}
TOP = {"app", "ui", "data", "po", "tests", "meson.build", "README.md", "LICENSE", "LICENSES"}
MAX_LINES = 600
CODE = (".c", ".h", ".def", ".inc")
SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
# Whole words of C that start a process. Core asks GSubprocess in one file only, for the launcher.
STARTS = re.compile(r"\b(fork|vfork|execv\w*|execl\w*|posix_spawn\w*|system|popen|clone3?)\s*\(")
GSTARTS = re.compile(r"\b(g_spawn_\w+|g_subprocess_\w+|g_app_info_launch\w*)\s*\(")
LAUNCHES = "app/core/oc-launch"
# What a file says whose code runs after clone().
PLAIN = re.compile(r"Plain C:[\s*]+see[\s*]+oc-sandbox-private\.h")
# Of the C library: what allocates, writes to streams, or runs handlers.
LOCKS = r"(malloc|calloc|realloc|free|strdup|asprintf|fopen|fdopen|opendir|readdir|v?s?n?f?printf|puts|fputs|fwrite|exit|fork|vfork|system|popen|setenv|getenv|pthread_|dlopen|getpw|getgr|syslog|qsort|localtime)"
FRESH = r"(calloc|opendir|readdir)"


def sources():
    """Paths of every file that belongs to the project: git's list, or the tree where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "-c", f"safe.directory={SOURCE}", "-C", SOURCE, "ls-files", "-co", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        if listed:
            return [path for path in listed if os.path.exists(os.path.join(SOURCE, path))]
    except (OSError, subprocess.CalledProcessError):
        pass
    found = []
    for folder, names, files in os.walk(SOURCE):
        relative = os.path.relpath(folder, SOURCE)
        if relative == ".":
            names[:] = [name for name in names if not name.startswith("build") and name not in (".git", ".cache")]
        names[:] = [name for name in names if name != "__pycache__"]
        found += [os.path.normpath(os.path.join(relative, name)) for name in files]
    return found


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def room_of(path):
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.S)


def check_arrows(paths):
    """Includes in quotes name a file of an allowed room, from app/."""
    for path in paths:
        room = room_of(path)
        if room is None or not path.endswith(CODE):
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            target = match.group(1)
            head = target.split("/")[0] if "/" in target else None
            if ".." in target.split("/"):
                yield f'{path}:{number}: "{target}" climbs; write includes from app/'
            elif head is not None and head not in ROOMS[room]:
                yield f'{path}:{number}: {room} must not include "{target}"'


def check_toolkit(paths):
    """GTK and libadwaita in ui/ and tests/ only."""
    for path in paths:
        if path.endswith(CODE) and path.startswith("app/"):
            for number, line in enumerate(read(path).splitlines(), 1):
                if re.match(r"\s*#\s*include\s+<(gtk|gdk|adwaita|graphene|gsk)", line):
                    yield f"{path}:{number}: no GTK outside ui/"


def check_starts(paths):
    """Only the launcher starts a plugin: nothing else may start any process, but for core's launch client."""
    for path in paths:
        if not path.endswith(CODE) or room_of(path) in (None, "app/launcher"):
            continue
        for number, line in enumerate(without_comments(read(path)).splitlines(), 1):
            if STARTS.search(line):
                yield f"{path}:{number}: starts a process: {line.strip()}"
            elif GSTARTS.search(line) and not path.startswith(LAUNCHES):
                yield f"{path}:{number}: starts a process: {line.strip()}"


def check_sizes(paths):
    for path in paths:
        if path.endswith((".c", ".h")):
            count = read(path).count("\n")
            if count > MAX_LINES:
                yield f"{path}: {count} lines, {MAX_LINES} at most: split it by meaning"


def check_licence(paths):
    for path in paths:
        name = os.path.basename(path)
        if path.endswith((".c", ".h", ".def", ".sh", ".py", ".ui", ".css", ".build")) or name == "meson.build":
            if not any(SPDX in line for line in read(path).splitlines()[:4]):
                yield f"{path}: no line {SPDX}"


def check_top(paths):
    for name in sorted({path.split("/")[0] for path in paths}):
        if name not in TOP and not name.startswith("."):
            yield f"{name}: does not belong at the top level"


def check_marks(paths):
    for path in paths:
        if path.endswith((".c", ".h", ".sh", ".py", ".ui", ".md", ".build")) and not path.endswith("check-architecture.py"):
            for number, line in enumerate(read(path).splitlines(), 1):
                if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
                    # A mktemp template is not a mark.
                    if re.search(r"[^A-Z]XXXXXX|TODO\\b", line) or "SKIP|TODO" in line:
                        continue
                    yield f"{path}:{number}: a mark of unfinished work"


def needed(binary):
    """Every library that the program loads, also indirectly."""
    out = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in out.splitlines() if line.strip()]


def check_links(_paths):
    for program in ("app/cli/ocelotctl", "app/launcher/ocelot-launcher", "app/launcher/ocelot-desktop"):
        binary = os.path.join(BUILD, program)
        if not os.path.exists(binary):
            yield f"{program}: was not built"
            continue
        for library in needed(binary):
            if re.match(r"lib(gtk|gdk|adwaita|X11|wayland|pango|cairo)", library):
                yield f"{program} loads {library}"
            # What starts the user's own programs has nothing of a plugin's to parse.
            if program.endswith("desktop") and re.match(r"lib(json|secret|sqlite)", library):
                yield f"{program} loads {library}"
    for library in needed(os.path.join(BUILD, "app/launcher/ocelot-stage2")):
        if re.match(r"lib(g|json|secret|sqlite)", library) and not library.startswith("libgcc"):
            yield f"app/launcher/ocelot-stage2 loads {library}"


def symbols(path, *options):
    out = subprocess.run(["nm", "-P", *options, path], check=True, capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in out.splitlines() if line.strip()}


def check_after_clone(paths):
    """What runs after clone() in a process that may have had threads calls no GLib, nor what may take a lock of the C library's,
    nor anything of ours that does. Stage 2 under bubblewrap is a fresh process: that one may allocate."""
    folder = os.path.join(BUILD, "app/launcher/libocelot-launcher-sandbox.a.p")
    plain = [path for path in paths if path.startswith("app/launcher/") and path.endswith(".c") and PLAIN.search(read(path))]
    objects = {path: os.path.join(folder, os.path.basename(path) + ".o") for path in plain}
    if len(plain) < 8:
        yield f"only {len(plain)} files say that they are plain C"
    missing = [path for path in plain if not os.path.exists(objects[path])]
    for path in missing:
        yield f"{path}: was not built"
    if missing:
        return
    own = set().union(*(symbols(each, "--defined-only") for each in objects.values()))
    for path in plain:
        for name in sorted(symbols(objects[path], "-u")):
            fresh = os.path.basename(path).startswith("oc-stage-")
            if re.match(r"(g|json|secret|sqlite3)_", name) or (name.startswith("oc_") and name not in own):
                yield f"{path}: calls {name} after clone()"
            elif re.match(LOCKS, name) and not (fresh and re.match(FRESH, name)):
                yield f"{path}: calls {name} after clone()"


CHECKS = [
    ("/architecture/arrows", check_arrows),
    ("/architecture/no-gtk-in-app", check_toolkit),
    ("/architecture/only-the-launcher-starts-processes", check_starts),
    ("/architecture/file-sizes", check_sizes),
    ("/architecture/licence-lines", check_licence),
    ("/architecture/top-level", check_top),
    ("/architecture/no-marks", check_marks),
    ("/architecture/links-no-gtk", check_links),
    ("/architecture/plain-c-after-clone", check_after_clone),
]


def main():
    paths = sorted(sources())
    print(f"1..{len(CHECKS)}")
    bad = 0
    for number, (name, check) in enumerate(CHECKS, 1):
        problems = list(check(paths))
        for problem in problems:
            print(f"# {problem}")
        bad += bool(problems)
        print(f"{'not ok' if problems else 'ok'} {number} {name}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
