#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a call of the host costs, beside a bare pipe echo of as many bytes between two processes at the same time; how fast a
script plugin starts, beside a bare JavaScriptCore; and whether either grows with the other plugins in the consent file.

api.py [--rounds N] [--try]

Everything takes turns, so that what else the machine does falls on all alike. Times depend on the machine; only the ratios mean
something. --try: one round of all, as a test (TAP).
"""
import argparse
import hashlib
import hmac
import json
import os
import sys

sys.path[:0] = [os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], folder) for folder in ("tests/lib", "tests/bench/lib")]

from home import BUILD, Home  # noqa: E402
from measure import (  # noqa: E402
    Driver, Failure, Row, add_plugin, command_run, describe, report, run_for_times, say, show_ratios, show_times, take_turns)

ID = "org.example.Bench"
SCRIPT = "org.example.BenchScript"
HELLO = os.path.join(BUILD, "tests/bench/api/jsc-hello")
TRUE = "/usr/bin/true"
CALL_BYTES = 200
TEXT_BYTES = 1000000
# (entry of the worker, what it is, bytes of an answer, how many at once, rounds of it in one run, target or None)
CALLS = (
    ("calls", "context.get, 200 bytes", 200, 1, 400, 3),
    ("small", "storage.get, 200 bytes: through a thread", 200, 1, 200, None),
    ("flight", "context.get, 200 bytes, 32 at once", 200, 32, 100, None),
    ("large", "storage.get, 1 MB", TEXT_BYTES, 1, 20, 3),
    ("text", "file.readText, 1 MB: read, checked and quoted", TEXT_BYTES, 1, 20, 3),
)
# Beside --rounds: how many of what takes long.
SLOW_ROUNDS = 10
OTHERS = (10, 1000, 10000)


def prepare(home):
    for folder in (os.path.join(home.base, "Data", ID), home.path("tmp", "ocelot-1-bench")):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(os.path.join(home.base, "Data"), 0o700)
    # As prose has them: lines, and now and then what JSON has to escape.
    line = "A line of a text that is read whole, with “quotes” and a \"few\" more.\n"
    text = (line * (TEXT_BYTES // len(line.encode()) + 1)).encode()[:TEXT_BYTES].decode(errors="ignore")
    home.write("Documents/text", text + "." * (TEXT_BYTES - len(text.encode())))
    # Stored values, as the launcher writes them.
    values = {"small": "x" * 120, "large": "y" * (TEXT_BYTES - 100)}
    home.write(os.path.join(home.base, "Storage", ID + ".json"),
               json.dumps({"version": 1, "values": values}, separators=(",", ":")), 0o600)
    os.chmod(os.path.join(home.base, "Storage"), 0o700)
    entries = ("nothing", "spawn", *(entry for entry, *_ in CALLS))
    add_plugin(home, ID, entries, permissions=["selection.read", "file.readText", "process.spawn:true"])


def per_second(row, at_once):
    return f"{1000 * at_once / row.median():10.0f}" if row.times else f"{'-':>10}"


def measure_calls(home, rounds):
    """Wherever the kernel puts the two, and both on one processor: waking another one costs more than a small call itself."""
    rows, ratios, drivers, speeds, sizes = [], [], [], [], {}
    everywhere = os.sched_getaffinity(0)
    text = home.path("Documents/text")

    def calls(entry, processors):
        times, sizes[entry] = run_for_times(home, ID, entry, processors, "--", text)
        return times

    for processors, where in ((everywhere, ""), ({min(everywhere)}, ", on one processor")):
        # The driver and its child stay where they are started.
        os.sched_setaffinity(0, processors)
        driver = Driver(home)
        os.sched_setaffinity(0, everywhere)
        drivers.append(driver)
        for entry, name, back, at_once, count, target in CALLS:
            echo = Row(f"echo for {name}{where}", lambda driver=driver, back=back, at_once=at_once, count=count:
                       driver.ask("echo", count, CALL_BYTES, back, at_once))
            call = Row(f"{name}{where}", lambda entry=entry, processors=processors: calls(entry, processors))
            rows += [echo, call]
            ratios.append((f"{name} ÷ bare pipe echo{where}", call, echo, target))
            speeds.append((call, echo, at_once))
    take_turns(rows, rounds)
    for driver in drivers:
        driver.end()
    show_times("A call of the host, or all that are made at once", rows)
    show_ratios("A call: ratios", ratios)
    say(f"\n  {'':66} {'calls/s':>10} {'echoes/s':>10}")
    for call, echo, at_once in speeds:
        say(f"  {call.name:66} {per_second(call, at_once)} {per_second(echo, at_once)}")
    say("  Bytes of an answer: " + ", ".join(f"{entry} {size}" for entry, size in sizes.items()))
    return rows


def measure_spawn(home, rounds):
    everywhere = os.sched_getaffinity(0)
    driver = Driver(home)
    bare = Row("the tool started bare", lambda: driver.ask("spawn", 0, TRUE))
    spawn = Row("process.spawn, in a sandbox of its own", lambda: run_for_times(home, ID, "spawn", everywhere)[0])
    take_turns([bare, spawn], rounds)
    driver.end()
    show_times("A tool", [bare, spawn])
    show_ratios("A tool: ratios", [("process.spawn ÷ the tool started bare", spawn, bare, None)])
    return [bare, spawn]


def add_script(home):
    folder = home.plugin(SCRIPT, kind="script", main="main.js",
                         commands=[{"id": "nothing", "title": "nothing", "timeoutSeconds": 60}])
    home.write(os.path.join(folder, "main.js"), "exports.commands = { nothing: async () => null };\n")
    enabled = home.enable(SCRIPT)
    if enabled.returncode != 0:
        raise Failure(f"{SCRIPT} could not be enabled: {enabled.stderr}")


def measure_script(home, rounds):
    """The sandbox is what a process plugin that does nothing costs: what is left is the script host's own start."""
    add_script(home)
    driver = Driver(home)
    hello = Row("a bare JavaScriptCore hello", lambda: driver.ask("spawn", 0, HELLO))
    process = Row("ocelot-launcher run, a process plugin that does nothing", lambda: driver.ask("spawn", 0, *command_run(ID, "nothing")))
    script = Row("ocelot-launcher run, a script plugin that does nothing", lambda: driver.ask("spawn", 0, *command_run(SCRIPT, "nothing")))
    rows = [hello, process, script]
    take_turns(rows, rounds)
    driver.end()
    show_times("Cold start of a script plugin", rows)
    if all(row.times for row in rows):
        for name, pick in (("medians", Row.median), ("least", Row.least)):
            own, base = pick(script) - pick(process), pick(hello)
            verdict = "MET" if own <= 1.5 * base else "MISSED"
            say(f"  by {name}: {own:.2f} ms over the sandbox ÷ {base:.2f} ms of a bare hello = {own / base:.2f}; target 1.5  {verdict}")
    return rows


def fill_consent(home, count):
    """The one real record, under COUNT other ids as well, sealed with the home's own key."""
    with open(home.consent, encoding="utf-8") as file:
        content = json.load(file)
    with open(os.path.join(home.base, "consent.key"), encoding="ascii") as file:
        key = bytes.fromhex(file.read().strip())
    record = json.dumps(content["records"][ID])
    for number in range(count):
        other = f"org.example.other{number:05}"
        content["records"][other] = json.loads(record.replace(ID, other))
    del content["seal"]
    text = json.dumps(content, separators=(",", ":"))[:-1]
    seal = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    with open(home.consent, "w", encoding="utf-8") as file:
        file.write(f'{text},\n"seal":"{seal}"}}\n')


def measure_others(rounds, counts):
    """With more and more other plugins in the consent file."""
    homes, rows, calls, runs = [], [], [], []
    everywhere = os.sched_getaffinity(0)
    try:
        for count in counts:
            home = Home().__enter__()
            homes.append(home)
            prepare(home)
            fill_consent(home, count)
            driver = Driver(home)
            calls.append(Row(f"{count} other plugins: a call", lambda home=home: run_for_times(home, ID, "calls", everywhere)[0]))
            runs.append(Row(f"{count} other plugins: a whole run", lambda driver=driver: driver.ask("spawn", 0, *command_run(ID, "nothing"))))
        rows = calls + runs
        take_turns(rows, rounds)
    finally:
        for home in homes:
            home.__exit__()
    show_times("Growth with the other plugins in the consent file", rows)
    show_ratios(f"Growth: ratios to {counts[0]} other plugins",
                [(row.name, row, group[0], None) for group in (calls, runs) for row in group[1:]])
    return rows


def run(rounds, small=False):
    slow = min(rounds, SLOW_ROUNDS)
    rows = []
    describe()
    with Home() as home:
        prepare(home)
        rows += measure_calls(home, slow)
        rows += measure_spawn(home, slow)
        rows += measure_script(home, rounds)
    rows += measure_others(slow, (10, 100) if small else OTHERS)
    say(f"\nLoad at the end: {os.getloadavg()[0]:.1f}. Above the number of processors the times say little.")
    return rows


def main():
    parser = argparse.ArgumentParser(description="Benchmark of the host API; see the head of this file.")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--try", dest="tried", action="store_true", help="one round of all, as a test")
    options = parser.parse_args()
    if options.tried:
        return report("bench-api", lambda: run(0, small=True))
    return 1 if any(row.failure for row in run(max(1, min(options.rounds, 1000)))) else 0


if __name__ == "__main__":
    sys.exit(main())
