#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long a launch takes, beside bubblewrap, firejail and sandbox-runtime on the same machine at the same time.

launch.py [--rounds N] [--peers FOLDER] [--try]

Everything takes turns, so that what else the machine does falls on all alike. Times depend on the machine; only the ratios mean
something. --try: one round of all that is ours, as a test (TAP).
"""
import argparse
import json
import os
import pwd
import shutil
import statistics
import sys

sys.path[:0] = [os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], folder) for folder in ("tests/lib", "tests/bench/lib")]

from home import LAUNCHER, Home  # noqa: E402
from measure import (  # noqa: E402
    NOTHING, Driver, Failure, Row, add_plugin, command_run, describe, report, run_for_times, say, show_ratios, show_times, take_turns)

ID = "org.example.Bench"
TRUE = "/usr/bin/true"
# As many plugins as it takes for the most runs at once: a plugin has a limit of its own.
RUNS_OF_ONE = 8
TIMEOUT_MS = 500
CALL_BYTES = 200
CALLS = 400
# Beside --rounds: how many of what takes long. A peer that takes half a second does not get sixty rounds.
SLOW_ROUNDS = 10


class Usual(Home):
    """The user's own home, as it is in daily use, of which nothing is changed: only what is Ocelot's, and the temporary folder, lie
    elsewhere. A home that is not the one of the user's account counts beside that one, with all its guarded places."""

    def environment(self, **more):
        own = super().environment(**more)
        del own["XDG_CONFIG_HOME"]
        return {**own, "HOME": pwd.getpwuid(os.getuid()).pw_dir}


def prepare(home):
    for folder in (os.path.join(home.base, "Data", ID), home.path("tmp", "ocelot-1-bench")):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(os.path.join(home.base, "Data"), 0o700)
    home.write(".ssh/id_example", "stands for a key\n", 0o600)
    add_plugin(home, ID)


def find_peers(folder):
    """(name, what to start or None, how to install it)."""
    settings = {"filesystem": {"denyRead": [], "allowWrite": [], "denyWrite": []},
                "network": {"allowedDomains": [], "deniedDomains": []}}
    firejail = shutil.which("firejail")
    srt = os.path.join(folder, "node_modules/.bin/srt") if folder else None
    if srt is None or not os.path.exists(srt):
        srt = shutil.which("srt")
    return settings, firejail, srt


def peer_rows(home, driver, folder):
    settings, firejail, srt = find_peers(folder)
    home.write("srt.json", json.dumps(settings))

    def spawn(*command):
        return lambda: driver.ask("spawn", 0, *command)

    rows = [
        Row("firejail --noprofile, the static program", spawn(firejail, "--quiet", "--noprofile", NOTHING)),
        Row("firejail with its default profile, /usr/bin/true", spawn(firejail, "--quiet", TRUE)),
        Row("sandbox-runtime with no host allowed, the static program", spawn(srt, "--settings", home.path("srt.json"), NOTHING),
            SLOW_ROUNDS),
    ]
    for row, program in zip(rows, (firejail, firejail, srt)):
        if program is None:
            row.failure = "not installed (run.sh --peers installs it)"
    return rows


def measure_launch(home, driver, rounds, folder):
    bwrap = shutil.which("bwrap") or "/usr/bin/bwrap"
    base = Row("bwrap --unshare-all --ro-bind / /, the static program",
               lambda: driver.ask("spawn", 0, bwrap, "--unshare-all", "--ro-bind", "/", "/", NOTHING))
    tool = Row("direct, a tool: plan, all layers, to its end", lambda: driver.ask("launch", "direct", "tool"))
    worker = Row("direct, a worker: the same with the allow-list", lambda: driver.ask("launch", "direct", "worker"))
    second = Row("bubblewrap as executor, a tool", lambda: driver.ask("launch", "bubblewrap", "tool"))
    second_worker = Row("bubblewrap as executor, a worker", lambda: driver.ask("launch", "bubblewrap", "worker"))
    plan = Row("the plan of a worker alone", lambda: driver.ask("plan", "worker"))
    bare = Row("the static program alone", lambda: driver.ask("spawn", 0, NOTHING))
    version = Row("ocelot-launcher --version: started, and nothing done", lambda: driver.ask("spawn", 0, LAUNCHER, "--version"))
    whole = Row("ocelot-launcher run, whole: consent, sandbox, answer, record",
                lambda: driver.ask("spawn", 0, *command_run(ID, "nothing")))
    whole_second = Row("ocelot-launcher run --executor bubblewrap, whole",
                       lambda: driver.ask("spawn", 0, *command_run(ID, "nothing", "--executor", "bubblewrap")))
    peers = peer_rows(home, driver, folder)
    rows = [base, tool, worker, second, second_worker, whole, whole_second, *peers, plan, bare, version]
    take_turns(rows, rounds)
    show_times("A launch", rows)
    show_ratios("A launch: ratios", [
        ("direct, a tool ÷ bwrap", tool, base, 0.75),
        ("direct, a worker ÷ bwrap", worker, base, 1.0),
        ("bubblewrap as executor, a tool ÷ bwrap", second, base, 1.6),
        ("bubblewrap as executor, a worker ÷ bwrap", second_worker, base, None),
        ("ocelot-launcher run, whole ÷ bwrap", whole, base, 1.5),
        ("ocelot-launcher run --executor bubblewrap, whole ÷ bwrap", whole_second, base, None),
        ("direct, a tool ÷ firejail --noprofile", tool, peers[0], 0.4),
        ("direct, a tool ÷ sandbox-runtime", tool, peers[2], 0.04),
        ("ocelot-launcher run, whole ÷ firejail --noprofile", whole, peers[0], None),
        ("ocelot-launcher run, whole ÷ firejail with its default profile", whole, peers[1], None),
        ("ocelot-launcher run, whole ÷ sandbox-runtime", whole, peers[2], None),
    ])
    return [row for row in rows if row not in peers]


def measure_calls(home, rounds):
    """Wherever the kernel puts the two, and both on one processor: waking another one costs more than the call itself."""
    reply, rows, ratios, drivers = [], [], [], []

    def calls(processors):
        times, size = run_for_times(home, ID, "calls", processors)
        reply.append(size)
        return times

    everywhere = os.sched_getaffinity(0)
    for processors, where in ((everywhere, ""), ({min(everywhere)}, ", on one processor")):
        # The driver and its child stay where they are started.
        os.sched_setaffinity(0, processors)
        driver = Driver(home)
        os.sched_setaffinity(0, everywhere)
        drivers.append(driver)
        echo = Row(f"bare pipe echo between two processes, {CALL_BYTES} bytes{where}",
                   lambda driver=driver: driver.ask("echo", CALLS, CALL_BYTES, CALL_BYTES, 1))
        call = Row(f"a worker's call of the host, {CALL_BYTES} bytes{where}", lambda processors=processors: calls(processors))
        rows += [echo, call]
        ratios.append((f"a call and its answer ÷ bare pipe echo{where}", call, echo, 3))
    take_turns(rows, rounds)
    for driver in drivers:
        driver.end()
    show_times("A call", rows)
    if reply:
        say(f"  (the host's answer has {reply[-1]} bytes; the echo's has {CALL_BYTES})")
    show_ratios("A call: ratios", ratios)
    return rows


def measure_timeout(driver, rounds):
    def overshoot():
        times = driver.ask("spawn", 8, *command_run(ID, "hang", "--timeout", str(TIMEOUT_MS)))
        # Three in a row would take its consent away.
        driver.ask("spawn", 0, *command_run(ID, "nothing"))
        return [time - TIMEOUT_MS for time in times]

    row = Row(f"over a time-out of {TIMEOUT_MS} ms: whole run, TERM ignored, a child left", overshoot)
    take_turns([row], rounds)
    show_times("A time-out", [row])
    if row.times:
        say(f"  the longest: {max(row.times):.1f} ms; target 100 ms  {'MET' if max(row.times) <= 100 else 'MISSED'}")
    return [row]


def fill_guarded(home, count, spread):
    lines = []
    for number in range(count):
        name = f"Spread/{number:04}/secret" if spread else f"One/secret{number:04}"
        home.write(name, "stands for a secret\n", 0o600)
        home.write(name.replace("secret", "plain"), "nothing\n")
        lines.append(f"~/{name}\tA secret of the benchmark\n")
    home.write(".config/ocelot/guarded-places", "".join(lines), 0o600)


def fill_siblings(home, count):
    for number in range(count):
        home.write(f"file{number:05}", "")


def measure_growth(title, note, shapes, rounds):
    """SHAPES: (name, what fills the home)."""
    homes, drivers, groups = [], [], []
    try:
        for name, fill in shapes:
            home = Home().__enter__()
            homes.append(home)
            prepare(home)
            fill(home)
            driver = Driver(home)
            drivers.append(driver)
            groups.append((name, [
                Row(f"{name}: a tool", lambda driver=driver: driver.ask("launch", "direct", "tool")),
                Row(f"{name}: a worker", lambda driver=driver: driver.ask("launch", "direct", "worker")),
                Row(f"{name}: ocelot-launcher run",
                    lambda driver=driver: driver.ask("spawn", 0, *command_run(ID, "nothing"))),
            ]))
        rows = [row for _, group in groups for row in group]
        take_turns(rows, rounds)
    finally:
        for driver in drivers:
            driver.end()
        for home in homes:
            home.__exit__()
    show_times(f"Growth: {title}", rows)
    first = groups[0][1]
    show_ratios(f"Growth: {title}: ratios to {shapes[0][0]}{note}",
                [(row.name, row, first[i], None) for _, group in groups[1:] for i, row in enumerate(group)])
    return rows


def measure_at_once(home, driver, rounds, counts):
    bwrap = shutil.which("bwrap") or "/usr/bin/bwrap"
    for number in range(1, (max(counts) + RUNS_OF_ONE - 1) // RUNS_OF_ONE):
        add_plugin(home, f"{ID}{number}")
    each, pairs = {}, []

    def measure(name, commands):
        def turn():
            times = driver.ask("at-once", 0, len(commands), more=commands)
            each.setdefault(name, []).extend(times[1:])
            return times[:1]
        return Row(name, turn)

    for count in counts:
        plugins = [ID + (str(number // RUNS_OF_ONE) if number >= RUNS_OF_ONE else "") for number in range(count)]
        pairs.append((count, measure(f"{count} bwrap at once, all", [[bwrap, "--unshare-all", "--ro-bind", "/", "/", NOTHING]] * count),
                      measure(f"{count} ocelot-launcher run at once, all", [command_run(plugin, "nothing") for plugin in plugins])))
    rows = [row for _, *pair in pairs for row in pair]
    take_turns(rows, rounds)
    show_times("At once", rows)
    for row in rows:
        if row.times:
            say(f"  {row.name.replace(', all', ', each'):66} {statistics.median(each[row.name]):9.3f}")
    show_ratios("At once: ratios", [(f"{count} ocelot-launcher run ÷ {count} bwrap, all", ours, theirs, None)
                                    for count, theirs, ours in pairs])
    return rows


def run(rounds, folder, small=False):
    places = (10, 100) if small else (10, 100, 1000)
    siblings = (10, 100) if small else (100, 10000)
    slow = min(rounds, SLOW_ROUNDS)
    rows = []
    describe()
    with Usual() as home:
        prepare(home)
        driver = Driver(home)
        rows += measure_launch(home, driver, rounds, folder)
        rows += measure_calls(home, slow)
        rows += measure_timeout(driver, slow)
        rows += measure_at_once(home, driver, slow, (1, RUNS_OF_ONE) if small else (1, 8, 32))
        driver.end()
    for spread, where in ((True, "each in a folder of its own"), (False, "all in one folder")):
        shapes = [(f"{count} places", lambda home, count=count, spread=spread: fill_guarded(home, count, spread)) for count in places]
        rows += measure_growth(f"guarded places that are there, {where}", "", shapes, slow)
    shapes = [(f"{count} files", lambda home, count=count: fill_siblings(home, count)) for count in siblings]
    rows += measure_growth("files in the home, beside guarded places", "", shapes, slow)
    say(f"\nLoad at the end: {os.getloadavg()[0]:.1f}. Above the number of processors the times say little.")
    return rows


def main():
    parser = argparse.ArgumentParser(description="Benchmark of a launch; see the head of this file.")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--peers", default=None, metavar="FOLDER", help="where npm has put sandbox-runtime")
    parser.add_argument("--try", dest="tried", action="store_true", help="one round of all that is ours, as a test")
    options = parser.parse_args()
    if not options.tried:
        rows = run(max(1, min(options.rounds, 1000)), options.peers)
        return 1 if any(row.failure for row in rows) else 0

    return report("bench-launch", lambda: run(0, None, small=True))


if __name__ == "__main__":
    sys.exit(main())
