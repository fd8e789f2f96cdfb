# SPDX-License-Identifier: LGPL-2.1-or-later
"""The worker's side of the conversation, as small as it can be."""
import json
import os
import sys


class HostError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data") or {}


reader = None
next_id = 0
replies = {}


def send_raw(data):
    view = memoryview(data)
    while view:
        view = view[os.write(4, view) :]


def frame(text):
    body = text.encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def send(message):
    send_raw(frame(json.dumps(message)))


def receive():
    global reader
    reader = reader or os.fdopen(3, "rb")
    length = None
    while True:
        line = reader.readline()
        if not line:
            sys.exit(0)
        if line == b"\r\n":
            break
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(reader.read(length))


def request_with(method, params):
    """Sends a call; its answer is fetched with wait()."""
    global next_id
    next_id += 1
    send({"jsonrpc": "2.0", "id": next_id, "method": method, "params": params})
    return next_id


def request(method, **params):
    return request_with(method, params)


def wait(number):
    while number not in replies:
        message = receive()
        replies[message["id"]] = message
    message = replies.pop(number)
    if "error" in message:
        raise HostError(message["error"])
    return message["result"]


def call(method, **params):
    return wait(request(method, **params))


def notify(method, **params):
    send({"jsonrpc": "2.0", "method": method, "params": params})


def outcome(method, **params):
    return outcome_with(method, params)


def outcome_with(method, params):
    """{"result"} or {"code", "reason", "message"}: for tests that look at what a refusal says."""
    return outcome_of(request_with(method, params))


def outcome_of(number):
    try:
        return {"result": wait(number)}
    except HostError as error:
        return {"code": error.code, "message": str(error), **error.data}


def serve(entries):
    message = receive()
    entry = message["params"]["entry"]
    try:
        result = entries[entry](message["params"]["context"])
        send({"jsonrpc": "2.0", "id": message["id"], "result": result})
    except HostError as error:
        send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": error.code, "message": str(error), "data": error.data}})
