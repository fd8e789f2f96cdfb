# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the benchmarks have in common: rows that are measured in turns, their tables, and the programs that are measured."""
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess

from home import BUILD, IS_ROOT, LAUNCHER

HERE = os.path.join(BUILD, "tests/bench/launch")
DRIVER, NOTHING, WORKER = (os.path.join(HERE, "bench-" + name) for name in ("driver", "nothing", "worker"))


class Failure(Exception):
    """Something could not be measured; its text says why."""


class Driver:
    """bench-driver, measuring in one home."""

    def __init__(self, home):
        environment = home.environment()
        self.process = subprocess.Popen([DRIVER, environment["HOME"], NOTHING], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, encoding="utf-8", cwd=home.root)

    def ask(self, *words, more=()):
        """Milliseconds."""
        for line in (words, *more):
            self.process.stdin.write("\t".join(str(word) for word in line) + "\n")
        self.process.stdin.flush()
        kind, _, rest = self.process.stdout.readline().rstrip("\n").partition(" ")
        if kind != "ok":
            raise Failure(rest or "the driver ended")
        return [int(word) / 1e6 for word in rest.split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def command_run(plugin, entry, *options):
    root = ["--allow-root"] if IS_ROOT else []
    return [LAUNCHER, "run", plugin, entry, *root, *options]


def add_plugin(home, name, entries=("nothing", "calls", "hang"), **more):
    """One with our worker, enabled; MORE are members of its manifest."""
    commands = [{"id": entry, "title": entry, "timeoutSeconds": 60} for entry in entries]
    folder = home.plugin(name, **{"commands": commands, **more})
    shutil.copy(WORKER, os.path.join(folder, "bin/worker"))
    enabled = home.enable(name)
    if enabled.returncode != 0:
        raise Failure(f"{name} could not be enabled: {enabled.stderr}")


class Row:
    """One thing that is measured, and its times in milliseconds."""

    def __init__(self, name, measure, most_rounds=None):
        self.name = name
        self.measure = measure
        self.most_rounds = most_rounds
        self.times = []
        self.failure = None

    def take_turn(self, number, rounds):
        every = max(1, rounds // self.most_rounds) if self.most_rounds else 1
        if self.failure is not None or number % every != 0:
            return
        try:
            got = self.measure()
            # The first turn warms up, but where there is only one.
            if number > 0 or rounds == 0:
                self.times += got
        except Failure as reason:
            self.failure = str(reason)

    def median(self):
        return statistics.median(self.times) if self.times else None

    def least(self):
        return min(self.times) if self.times else None

    def spread(self):
        if len(self.times) < 4:
            return "-"
        low, _, high = statistics.quantiles(self.times, n=4)
        return f"{low:.2f}-{high:.2f}" if high >= 1 else f"{low:.4f}-{high:.4f}"


def take_turns(rows, rounds):
    """In another order each round: the kernel is still clearing up after one launch when the next begins, and nothing is always
    measured after the same."""
    order = random.Random(rounds)
    for number in range(rounds + 1):
        for row in order.sample(rows, len(rows)):
            row.take_turn(number, rounds)


def say(text=""):
    print(text, flush=True)


def show_times(title, rows):
    say(f"\n{title}")
    say(f"  {'':66} {'median':>9} {'quartiles':>17} {'least':>9}  ms")
    for row in rows:
        if row.times:
            say(f"  {row.name:66} {row.median():9.3f} {row.spread():>17} {row.least():9.3f}  ({len(row.times)})")
        else:
            say(f"  {row.name:66} {row.failure or 'not measured'}")


def show_ratios(title, ratios):
    """RATIOS: (name, one row, the other, target or None)."""
    say(f"\n{title}")
    say(f"  {'':78} {'medians':>8} {'least':>8} {'target':>8}")
    for name, one, other, target in ratios:
        if not one.times or not other.times:
            say(f"  {name:78} not measured{'' if target is None else f'; target {target}'}")
            continue
        ratio = one.median() / other.median()
        verdict = "" if target is None else "  MET" if ratio <= target else "  MISSED"
        say(f"  {name:78} {ratio:8.3f} {one.least() / other.least():8.3f} {target if target is not None else '-':>8}{verdict}")


def describe():
    def version(*command):
        try:
            got = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            return (got.stdout.strip() or "unknown").splitlines()[0]
        except OSError:
            return "not installed"

    say(f"Linux {os.uname().release}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, "
        f"as {'root' if IS_ROOT else 'an ordinary user'}; {version('bwrap', '--version')}; "
        f"firejail: {version('firejail', '--version').removeprefix('firejail version ')}")


def on_processors(processors):
    """For subprocess: what is started stays on these."""
    return lambda: os.sched_setaffinity(0, processors)


def run_for_times(home, plugin, entry, processors, *options):
    """A run whose result holds the times that its worker took. Milliseconds, and the bytes of an answer."""
    got = subprocess.run(command_run(plugin, entry, *options), env=home.environment(), stdin=subprocess.DEVNULL, capture_output=True,
                         check=False, preexec_fn=on_processors(processors))
    if got.returncode != 0:
        raise Failure(f"“{entry}” ended with exit code {got.returncode}: {got.stderr.decode(errors='replace').strip()}")
    result = json.loads(got.stdout)["result"]
    return [time / 1e6 for time in result["ns"]], result["replyBytes"]


def report(name, measure):
    """One round of all, as a test (TAP). Returns the exit code."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        rows = measure()
    say(f"1..{len(rows)}")
    for number, row in enumerate(rows, 1):
        if row.failure:
            say(f"# {row.failure}")
        say(f"{'not ok' if row.failure else 'ok'} {number} /{name}/{row.name.replace(' ', '-')}")
    return 1 if any(row.failure for row in rows) else 0
