#!/usr/bin/python3 -sS
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does with ocelot.py what sdk-worker.c does with ocelot.h, in the same words: test-sdk.py talks to both. SDK_FOLDER is where the
module is."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SDK_FOLDER"])
import ocelot  # noqa: E402


def as_hex(path):
    return None if path is None else os.fsencode(path).hex()


def tell_context(context):
    return {"command": context.command, "locale": context.locale, "data": as_hex(context.data_folder),
            "temp": as_hex(context.temp_folder), "plugin": as_hex(context.plugin_folder),
            "paths": [as_hex(path) for path in context.paths], "folder": as_hex(context.folder)}


def ask_context(_context):
    again = ocelot.context()
    return {"command": again.command, "data": as_hex(again.data_folder)}


def select(_context):
    selection = ocelot.selection()
    return {"items": [[as_hex(item.path), item.name, item.uri] for item in selection.items], "folder": as_hex(selection.folder)}


def read(context):
    text = ocelot.read_text(context.paths[0]).encode()
    return {"bytes": len(text), "sum": sum(text)}


def spawn(_context):
    result = ocelot.spawn("tool", ["plain", b"\xff\xfe", "", "-x"], stdin=b"\xff\0in", timeout=1.5)
    return {"out": result.stdout_bytes.hex(), "err": result.stderr_bytes.hex(),
            "exit": -1 if result.exit_code is None else result.exit_code, "signal": result.signal or 0, "truncated": result.truncated,
            "timedOut": result.timed_out, "memoryExceeded": result.memory_exceeded}


def store(_context):
    ocelot.storage.set("key", {"list": [1, "\u00e9\"\\"], "none": None})
    value = ocelot.storage.get("key")
    return {"value": value, "removed": ocelot.storage.remove("key"), "keys": ocelot.storage.keys()}


def open_things(context):
    ocelot.open_url("https://example.org/")
    ocelot.open_in_app("org.example.App")
    ocelot.open_in_app("org.example.App", context.paths[0])


def write_log(_context):
    ocelot.log.debug("one")
    ocelot.log.info("\u00e9" * 3000)
    ocelot.log.warning("a\udcffb")
    ocelot.log.error("last")


def many_lines(_context):
    for _ in range(5000):
        ocelot.log.info("line")


def catch(_context):
    try:
        ocelot.read_text("/x")
    except ocelot.HostError as error:
        return {"code": error.code, "reason": error.reason, "permission": getattr(error, "permission", None), "message": str(error)}
    return {"code": 0}


def report(_context):
    raise ocelot.ReportedError("This is no notebook.")


def fail(_context):
    ocelot.read_text("/x")


def too_long(_context):
    return {"long": "x" * 4_194_304}


def longest(_context):
    return "x" * 4_000_000


def odd_result(_context):
    return {"quote": "\"\\\n\t\x01\u00e9\U0001f600", "integer": -9007199254740991, "half": 0.5, "list": [], "object": {}}


def threads(_context):
    """100 files and 20 tools at once; a call that fails among them."""
    from concurrent.futures import ThreadPoolExecutor

    def read_one(number):
        try:
            return ocelot.read_text(f"/{number}")
        except ocelot.HostError as error:
            return error.reason

    with ThreadPoolExecutor(120) as pool:
        tools = [pool.submit(ocelot.spawn, "tool", [str(number)]) for number in range(20)]
        texts = [pool.submit(read_one, number) for number in range(100)]
        return {"texts": [text.result() for text in texts], "tools": [tool.result().stdout for tool in tools]}


def bad_results(context):
    """Each is more than the host would take, and must not reach it."""
    endless = []
    endless.append(endless)
    values = [endless, {1: "a"}, float("nan"), 2 ** 53, "a\0b", "\udcff", b"bytes", object(), {"a": {"b\0": 1}}, {"list": [0, [{1}]]}]
    answers = []
    for value in values:
        try:
            ocelot.storage.set("key", value)
            answers.append("sent")
        except ValueError as error:
            answers.append(str(error))
    return {"answers": answers}


def endless(_context):
    result = {}
    result["again"] = result
    return result


def raise_odd(_context):
    raise RuntimeError("a\0b\udcff")


ocelot.run({
    "tell-context": tell_context, "ask-context": ask_context, "select": select, "read": read, "spawn": spawn, "store": store,
    "open": open_things, "log": write_log, "many-lines": many_lines, "catch": catch, "report": report, "fail": fail,
    "too-long": too_long, "longest": longest, "odd-result": odd_result, "threads": threads, "bad-results": bad_results,
    "endless": endless, "raise-odd": raise_odd,
})
