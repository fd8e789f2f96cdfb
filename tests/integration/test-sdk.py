#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The SDKs for process workers, in Python and in C, against a double of the host: what they send, what they make of what they get."""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["OC_TEST_SOURCE_ROOT"], "tests/lib"))

from double import CONTEXT, Double, frame  # noqa: E402
from home import BUILD, SOURCE  # noqa: E402
from tap import case, check, contains, equal, run  # noqa: E402

SDK = os.path.join(SOURCE, "data/sdk")
C_WORKER = os.path.join(BUILD, "tests/integration/sdk-worker")
WORKERS = {
    "python": [sys.executable, "-sS", os.path.join(SOURCE, "tests/integration/worker/sdk-worker.py")],
    "c": [C_WORKER],
}
ODD = b"/files/\xff\xc3("


def both(path):
    """Registers a function of a language as a case for each."""
    def register(function):
        for language in WORKERS:
            case(f"/sdk/{language}{path}")(lambda language=language: function(language))
        return function
    return register


def start(language, **more):
    return Double(WORKERS[language], SDK_FOLDER=SDK, **more)


def ask(language, entry, *calls, context=None, piece=None):
    """The answer to the command ENTRY, with each call (method, params, answer) that it makes on the way."""
    with start(language, piece=piece) as host:
        host.run(entry, context)
        for method, params, answer in calls:
            host.expect(method, params, **answer)
        message = host.receive()
        equal(message.get("id"), 1, f"the answer's id in {message!r}")
        equal(host.end(), 0, "exit of the worker")
        return message


@both("/context")
def context_(language):
    got = ask(language, "tell-context")["result"]
    equal(got, {"command": "go", "locale": "de-DE", "data": b"/data".hex(), "temp": b"/temp".hex(), "plugin": b"/plugin".hex(),
                "paths": [b"/files/a b.txt".hex(), ODD.hex(), b"/files/100%41".hex()], "folder": b"/files".hex()}, "the context")
    none = {key: value for key, value in CONTEXT.items() if key not in ("paths", "folder")}
    got = ask(language, "ask-context", ("context.get", {}, {"result": {**none, "dataFolder": "file:///%E9"}}), context=none)
    equal(got["result"], {"command": "go", "data": b"/\xe9".hex()}, "the context that was asked for")


@case("/sdk/python/no-selection-is-denied")
def no_selection():
    none = {key: value for key, value in CONTEXT.items() if key not in ("paths", "folder")}
    error = ask("python", "tell-context", context=none)["error"]
    equal((error["code"], error["data"]), (-32001, {"permission": "selection.read"}), "paths without selection.read")


@both("/selection")
def selection(language):
    items = [{"path": "/a/\u00fc", "name": "\u00fc", "uri": "file:///a/%C3%BC"},
             {"path": "file:///a/%FF", "name": "\ufffd", "uri": "file:///a/%FF"}]
    answer = {"paths": [item["path"] for item in items], "items": items, "folder": None}
    got = ask(language, "select", ("selection.get", {}, {"result": answer}))["result"]
    equal(got, {"items": [["/a/\u00fc".encode().hex(), "\u00fc", "file:///a/%C3%BC"], [b"/a/\xff".hex(), "\ufffd", "file:///a/%FF"]],
                "folder": None}, "the selection")


@both("/paths-of-any-bytes-are-sent")
def paths(language):
    for path, sent in ((b"/x", "/x"), ("/\u00fc 100%".encode(), "/\u00fc 100%"), (b"/a%\xff b", "file:///a%25%FF%20b")):
        written = path.decode() if sent.startswith("/") else "file://" + "".join(f"%{c:02x}" for c in path)
        given = {**CONTEXT, "paths": [written]}
        got = ask(language, "read", ("file.readText", {"path": sent}, {"result": "ab"}), context=given)
        equal(got["result"], {"bytes": 2, "sum": 195}, f"reading {path!r}")


@both("/framing-is-split-anywhere")
def framing(language):
    text = "\u00e9\U0001f600\"\\\n\r\n\r\nContent-Length: 3\r\n\r\nabc"
    expected = {"bytes": len(text.encode()), "sum": sum(text.encode())}
    for piece in (1, 2, 3, 7, 16, 64):
        got = ask(language, "read", ("file.readText", {"path": "/files/a b.txt"}, {"result": text}), piece=piece)
        equal(got["result"], expected, f"in pieces of {piece}")
    dice = random.Random(7)
    with start(language) as host:
        # Everything that is to come at once, cut at random: answers to calls that have not been made yet wait their turn.
        whole = b"".join(frame(message) for message in (
            {"id": 1, "method": "run", "params": {"entry": "read", "context": CONTEXT}}, {"id": 77, "result": "to nothing"},
            {"method": "later", "params": {}}))
        cuts = sorted(dice.sample(range(1, len(whole)), 40))
        for start_at, end_at in zip([0, *cuts], [*cuts, len(whole)]):
            host.write(whole[start_at:end_at])
        host.expect("file.readText", {"path": "/files/a b.txt"}, result=text)
        equal(host.receive()["result"], expected, "with strangers in between")
        host.write(b"content-length:%d\r\nContent-Type: application/json\r\n\r\n" % len(frame({}).partition(b"\r\n\r\n")[2])
                   + frame({}).partition(b"\r\n\r\n")[2])
        host.send(id="x", method="walk", params={})
        answer = host.receive()
        equal((answer["id"], answer["error"]["code"]), ("x", -32601), "a request that is not known")
        host.send(id=[1], method="run", params={"entry": "report", "context": CONTEXT})
        equal(host.receive()["id"], [1], "a second run, with whatever id")
        equal(host.end(), 0, "exit")


@both("/big-messages")
def big(language):
    text = ("0123456789abcde\u0001" * 62500)
    got = ask(language, "read", ("file.readText", {"path": "/files/a b.txt"}, {"result": text}))["result"]
    equal(got["bytes"], 1_000_000, "a file of 1,000,000 bytes")
    equal(len(ask(language, "longest")["result"]), 4_000_000, "a result of nearly 4 MiB")
    error = ask(language, "too-long")["error"]
    equal((error["code"], error["data"]["uncaught"]), (-32603, True), "a result of more than 4 MiB")
    contains(error["message"], "4 MiB", "what is said of it")


@both("/spawn")
def spawn(language):
    params = {"tool": "tool", "args": ["plain", {"base64": "//4="}, "", "-x"], "stdin": {"base64": "/wBpbg=="}, "timeoutMs": 1500}
    answer = {"stdout": "a\0b\u00e9", "stderr": "\ufffd!", "stderrBase64": "/yE=", "exitCode": 3, "signal": None, "truncated": True,
              "timedOut": False, "memoryExceeded": False}
    got = ask(language, "spawn", ("process.spawn", params, {"result": answer}))["result"]
    equal(got, {"out": "a\0b\u00e9".encode().hex(), "err": b"\xff!".hex(), "exit": 3, "signal": 0, "truncated": True,
                "timedOut": False, "memoryExceeded": False}, "an exit code, and output with NUL")
    answer.update(stdout="", exitCode=None, signal=9, timedOut=True, truncated=False, memoryExceeded=True, later={"a": [1]})
    got = ask(language, "spawn", ("process.spawn", params, {"result": answer}))["result"]
    equal(got, {"out": "", "err": b"\xff!".hex(), "exit": -1, "signal": 9, "truncated": False, "timedOut": True,
                "memoryExceeded": True}, "a signal, and a member that is not known")


@both("/storage")
def storage(language):
    value = {"list": [1, "\u00e9\"\\"], "none": None}
    got = ask(language, "store", ("storage.set", {"key": "key", "value": value}, {"result": None}),
              ("storage.get", {"key": "key"}, {"result": value}), ("storage.remove", {"key": "key"}, {"result": True}),
              ("storage.keys", {}, {"result": ["a", "\u00fc"]}))["result"]
    equal(got, {"value": value, "removed": True, "keys": ["a", "\u00fc"]}, "what came of it")


@both("/open")
def opens(language):
    got = ask(language, "open", ("openURL", {"url": "https://example.org/"}, {"result": None}),
              ("app.open", {"app": "org.example.App"}, {"result": None}),
              ("app.open", {"app": "org.example.App", "folder": "/files/a b.txt"}, {"result": None}))
    equal(got, {"id": 1, "result": None}, "the answer")


@both("/log")
def log(language):
    with start(language) as host:
        host.run("log")
        lines = [host.receive() for _ in range(4)]
        check(all("id" not in line and line["method"] == "log" for line in lines), f"they ask for no answer: {lines}")
        equal([line["params"]["level"] for line in lines], ["debug", "info", "warning", "error"], "levels")
        check(0 < len(lines[1]["params"]["message"]) <= 2048, "a long line is cut")
        equal(lines[2]["params"]["message"], "a\ufffdb", "a byte that is no text")
        equal(host.receive(), {"id": 1, "result": None}, "the answer")
        host.run("many-lines")
        n = 0
        while "method" in host.receive():
            n += 1
        check(200 <= n <= 2000, f"{n} lines of 5000 were sent")


@both("/errors")
def errors(language):
    def answer(code, **data):
        return {"error": {"code": code, "message": "No \u201cx\u201d.", **({"data": data} if data else {})}}

    call = ("file.readText", {"path": "/x"})
    for code, data in ((-32001, {"permission": "file.readText"}), (-32002, {"reason": "outside-selection"}), (-32602, {}),
                       (-32000, {"reason": "io"}), (-31999, {"reason": "of a later version"})):
        got = ask(language, "catch", (*call, answer(code, **data)))["result"]
        equal(got, {"code": code, "reason": data.get("reason"), "permission": data.get("permission"), "message": "No \u201cx\u201d."},
              "what is caught")
    equal(ask(language, "report")["error"], {"code": 1, "message": "This is no notebook."}, "a reported error")
    denied = ask(language, "fail", (*call, answer(-32001, permission="file.readText")))["error"]
    equal((denied["code"], denied["data"]), (-32001, {"permission": "file.readText"}), "PermissionDenied passes as what it is")
    failed = ask(language, "fail", (*call, answer(-32003, reason="missing")))["error"]
    equal((failed["code"], failed["data"]["uncaught"]), (-32603, True), "another error that nobody caught")
    contains(failed["message"], "No \u201cx\u201d.", "its message")
    unknown = ask(language, "no-such-command")["error"]
    equal((unknown["code"], unknown["data"]["uncaught"]), (-32603, True), "a command without a handler")


@both("/results")
def results(language):
    equal(ask(language, "odd-result")["result"], {"quote": "\"\\\n\t\x01\u00e9\U0001f600", "integer": -9007199254740991, "half": 0.5,
                                                 "list": [], "object": {}}, "the result")


def answer_one(host, call):
    params = call["params"]
    if call["method"] == "process.spawn":
        host.send(id=call["id"], result={"stdout": params["args"][0], "stderr": "", "exitCode": 0, "signal": None, "truncated": False,
                                         "timedOut": False})
    elif params["path"] == "/50":
        host.send(id=call["id"], error={"code": -32003, "message": "No.", "data": {"reason": "missing"}})
    else:
        host.send(id=call["id"], result=params["path"])


def answer_late(host):
    """Answers calls only when nothing more comes, the newest first. Returns the result, and the most that waited at once by method."""
    most, waiting = {}, []
    while True:
        while waiting and not host.has_more(0.2):
            for call in reversed(waiting):
                answer_one(host, call)
            waiting.clear()
        message = host.receive()
        if "method" not in message:
            return message["result"], most
        waiting.append(message)
        for method in ("file.readText", "process.spawn"):
            most[method] = max(most.get(method, 0), sum(call["method"] == method for call in waiting))


@case("/sdk/python/threads")
def threads():
    with start("python") as host:
        host.run("threads")
        result, most = answer_late(host)
        equal(result["texts"], ["missing" if number == 50 else f"/{number}" for number in range(100)], "each thread has its own answer")
        equal(result["tools"], [str(number) for number in range(20)], "each tool its own")
        check(1 < most["process.spawn"] <= 8, f"tools at once: {most}")
        check(8 < sum(most.values()) <= 64, f"calls at once: {most}")
        equal(host.end(), 0, "exit")


@case("/sdk/python/what-the-host-would-not-take")
def bad_results():
    answers = ask("python", "bad-results")["result"]["answers"]
    check("sent" not in answers, f"all were refused: {answers}")
    contains(answers[-1], "value.list[1][0]", "the place is named")
    error = ask("python", "endless")["error"]
    equal((error["code"], error["data"]["uncaught"]), (-32603, True), "a result without end")
    contains(error["message"], "again.again", "its place")
    error = ask("python", "raise-odd")["error"]
    equal(error["message"], "RuntimeError: a\ufffdb\ufffd", "a message that is no text")
    contains(error["data"]["stack"], "sdk-worker.py:", "the stack names the plugin's file")
    check("ocelot.py" not in error["data"]["stack"], "and not the SDK's")


@case("/sdk/c/unfinished-result")
def unfinished():
    error = ask("c", "unfinished")["error"]
    equal((error["code"], error["data"]["uncaught"]), (-32603, True), "a bracket that is not closed")


@both("/host-gone")
def host_gone(language):
    whole = frame({"id": 1, "method": "run", "params": {"entry": "read", "context": CONTEXT}})
    for cut in (0, 1, 10, 20, len(whole) - 1):
        with start(language) as host:
            host.write(whole[:cut])
            got = host.end()
            check((got == 0) == (cut == 0), f"exit {got} after {cut} bytes of a message")
    with start(language) as host:
        host.run("read")
        host.receive()
        check(host.end() != 0, "while it waits for an answer")
    with start(language) as host:
        host.run("read")
        message = host.receive()
        os.close(host.read_end)
        host.read_end = None
        host.send(id=message["id"], result="x")
        check(host.end() != 0, "when nobody takes its answer")
    for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 3\r\n\r\n{{{", b"x" * 70000,
                    b"Content-Length: 2\r\n\r\n[]"):
        with start(language) as host:
            host.write(garbage)
            check(host.end() != 0, f"after {garbage[:30]!r}")


@both("/started-by-hand")
def by_hand(language):
    got = subprocess.run(["bash", "-c", 'exec "$@" 3<&- 4>&-', "bash", *WORKERS[language]], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, env={**os.environ, "SDK_FOLDER": SDK}, timeout=60, check=False)
    check(got.returncode != 0, "it does not work")
    contains(got.stderr, "ocelotctl run", "and says how it is started")


JUDGED = {
    "yes": ['{}', '[]', '""', '0', '-0', '-1.5e+10', '1E2', 'true', 'false', 'null', ' [ 1 , { "a" : [ ] } ]\t\r\n',
            '"\\u0000\\ud83d\\ude00\\/\\b"', '[[[[]]]]', '{"a":{"b":{}},"c":[{}]}', '"\u00e9\U0001f600"', '"\x7f"', "[" * 64 + "]" * 64],
    "no": ['', ' ', '{', '}', '[', ']', '[1,]', '[,1]', '{"a"}', '{"a":}', '{"a":1,}', '{a:1}', "{'a':1}", '[1 2]', '01', '-', '+1', '1.',
           '.5', '1e', '1e+', 'tru', 'True', 'nul', 'NaN', 'Infinity', '"', '"\\', '"\\x"', '"\\u12"', '"\\ud800"', '"\\ud800\\u0041"',
           '"\\udc00"', '"\n"', '"\t"', '[1]x', '{} {}', '[}', '{]', '{"a":1]', '[1}', '/**/[]', '\ufeff[]', '{"a":1 "b":2}', '[1]]',
           "[" * 65 + "]" * 65, '["a":1]', '{1:2}', ':', ',', '{,}', '{"a",1}', '0x10', '--1', '"a" "b"'],
}


@case("/sdk/c/json-is-read-strictly")
def judge():
    texts = [(text.encode(), verdict) for verdict, many in JUDGED.items() for text in many]
    texts += [(raw, "no") for raw in (b'"\xff"', b'"\xc0\x80"', b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"', b'"\xc3"', b'"\xe2\x82"', b'"\0"',
                                      b'[1]\0', b'"\xf0\x80\x80\x80"')]
    # Of texts that are cut and changed at random it takes those that Python takes, and no more.
    dice = random.Random(11)
    base = json.dumps({"a": [1, -2.5e3, "\u00e9\n\"", None, True, {"b": {}}], "c": "\U0001f600"}).encode()
    for _ in range(5000):
        text = bytearray(base)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(text))
            text[at:at + dice.randint(0, 2)] = dice.choice((b"", b"{", b"]", b",", b"\"", b"\\", b"0", b":", b" ", b"u"))
        texts.append((bytes(text), "yes" if is_json(text.decode()) else "no"))
    check(sum(verdict == "yes" for _, verdict in texts) > 100, "many of them are valid")
    sent = b"".join(b"%d\n%s" % (len(text), text) for text, _ in texts)
    got = subprocess.run([C_WORKER, "judge"], input=sent, capture_output=True, check=True).stdout.decode().split()
    equal(len(got), len(texts), "verdicts")
    for (text, verdict), given in zip(texts, got):
        equal(given, verdict, f"{text[:200]!r}")


def is_json(text):
    """Python takes NaN, and halves of surrogate pairs."""
    try:
        json.dumps(json.loads(text, parse_constant=lambda name: [][name]), ensure_ascii=False).encode()
        return True
    except (ValueError, TypeError):
        return False


sys.exit(run())
