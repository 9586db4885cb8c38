"""Every row of the error table, and every close code, is produced by a test.

Most are met here, over the wire of a real process. Those that only a log can bring about that fails
are met over the sockets of a server in Swift, whose log the test injects: `SWIFT` names the tests,
which must be there and look at the code.
"""

import contextlib
import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

import pytest
from conftest import CHAIN, Client
from issuer import Issuer
from rawsocket import Closed, RawSocket, RawWebSocket, frame
from sluice import BINARY, DEVELOPER, PATIENCE, ROOT, Server
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(ROOT / "scripts"))
import wire  # noqa: E402

GRAPH = CHAIN + """  guarded: { set: number, initial: 1, requireIfMatch: true }
  broken: { from: any, pipe: [ { map: "value + 1" } ] }
  past: { set: number, initial: 1, history: 1 }
  item.{id}: { set: any }
"""
NODE = "/v1/graphs/g/nodes/"
EVAL = "/v1/graphs/g/eval"
# 27,000 rounds.
DEAR = "[1,2,3].map(a, " * 9 + "value" + ")" * 9 + ".size()"
PATTERN = "'a'.matches('(((a{9}b){9}c){9}d?){999}')"
# Twelve nodes that are all in sync with each other by expressions have millions of ways.
RING = [f"n{place}" for place in range(12)]
CLIQUE = (
    "graph: g\nnodes:\n"
    + "".join(f"  {name}: {{ set: any }}\n" for name in RING)
    + "sync:\n"
    + "".join(
        f"  - {{ a: {a}, b: {b}, to_a: value, to_b: value }}\n"
        for place, a in enumerate(RING)
        for b in RING[:place]
    )
)

# Codes and close codes that need a log that fails: the Swift tests that produce them, FILE.test.
SWIFT = {
    "not_ready": ["LogFailureTests.notReady"],
    "engine_down": ["LogFailureTests.unwell", "LogFailureTests.readiness", "LogFailureTests.lost"],
    "no_space": ["LogFailureTests.unwell", "LogFailureTests.readiness"],
    "busy": ["LookingBackTests.busy"],
    "internal": ["LogFailureTests.internalOverHTTP", "LogFailureTests.unknownCode"],
    1011: ["LogFailureTests.internalOnSockets"],
    4510: ["LogFailureTests.epochLost"],
}


def http(code):
    """Marks a function that returns an HTTP answer with this code: status, header fields, body."""

    def mark(function):
        HTTP[code] = function
        return function

    return mark


HTTP = {}


def raw(server, text):
    peer = RawSocket(server)
    peer.send(text)
    status, headers, body = peer.response()
    peer.close()
    return status, headers, json.loads(body)


def plain(answer):
    return answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.json()


def updated(text):
    """What an expression that fails is answered with."""
    return lambda server: plain(
        server.request("POST", "/v1/graphs/g/batch", json.dumps({"update": {"x": text}}))
    )


@contextlib.contextmanager
def guarded(config="", options=()):
    """A server that wants a token, the token of somebody who may only read, and the file of tokens."""
    made = subprocess.run(
        [BINARY, "token", "--name", "bob", "--can", "read", *options], check=True, capture_output=True,
        text=True,
    )
    token = re.search(r"token \(shown once\): (\S+)", made.stderr)[1]
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        file = pathlib.Path(folder) / "tokens"
        file.write_text("tokens:\n" + made.stdout)
        yield stack.enter_context(Server({"g": GRAPH}, f"auth: {file}\n{config}")), token, file


@http("unauthenticated")
def unauthenticated(_):
    with guarded() as (server, _, _):
        return plain(server.get(NODE + "x"))


@http("token_expired")
def token_expired(_):
    with guarded(options=["--expires", "2001-01-01T00:00:00Z"]) as (server, token, _):
        return plain(server.get(NODE + "x", Authorization=f"Bearer {token}"))


@http("issuer_down")
def issuer_down(_):
    with tempfile.TemporaryDirectory() as folder, Issuer() as issuer:
        issuer.add("ES256")
        issuer.status = 500
        file = pathlib.Path(folder) / "issuers.yaml"
        file.write_text(f"issuers: [ {{ issuer: {issuer.id}, audience: sluice, rights: [] }} ]")
        with Server({"g": GRAPH}, f"issuers: {file}\n") as server:
            return plain(server.get(NODE + "x", Authorization=f"Bearer {issuer.token()}"))


@http("forbidden")
def forbidden(_):
    with guarded() as (server, token, _):
        return plain(server.request("POST", NODE + "x", "1", {"Authorization": f"Bearer {token}"}))


HTTP.update(
    {
        "bad_json": lambda s: plain(s.request("POST", NODE + "x", "{")),
        "bad_field": lambda s: plain(s.get(NODE + "x/history?limit=0")),
        "bad_request": lambda s: raw(s, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        "bad_origin": lambda s: plain(s.request("POST", NODE + "x", "1", {"Origin": "http://evil.example"})),
        "not_found": lambda s: plain(s.get("/nothing/here")),
        "unknown_graph": lambda s: plain(s.get("/v1/graphs/none")),
        "unknown_node": lambda s: plain(s.get(NODE + "none")),
        "unknown_id": lambda s: plain(s.request("DELETE", "/v1/connections/c:999999")),
        "not_mutable": lambda s: plain(s.request("POST", NODE + "double", "1")),
        "method_not_allowed": lambda s: plain(s.request("DELETE", "/v1/graphs/g/values")),
        "not_acceptable": lambda s: plain(s.get("/v1/graphs/g/graph", Accept="image/png")),
        "in_use": lambda s: plain(
            s.request(
                "PUT", "/v1/graphs/g", '{"nodes":{"x":{"set":"number"}}}',
                {"Content-Type": "application/json"},
            )
        ),
        "gone": lambda s: plain(s.get(NODE + "past/history?since=999999")),
        "conflict": lambda s: plain(s.request("PUT", NODE + "x", "1", {"If-Match": '"other:1"'})),
        "too_large": lambda s: raw(
            s, f"POST {NODE}x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n"
        ),
        "uri_too_long": lambda s: raw(s, f"GET /{'a' * 9000} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "unsupported_type": lambda s: plain(
            s.request("POST", NODE + "x", "1", {"Content-Type": "image/png"})
        ),
        "misdirected": lambda s: raw(s, "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
        "type_mismatch": lambda s: plain(s.request("POST", NODE + "x", '"text"')),
        "expr_syntax": lambda s: plain(s.request("POST", EVAL, '{"node":"x","pipe":[{"map":"1 +"}]}')),
        "expr_type": lambda s: plain(s.request("POST", EVAL, '{"node":"x","pipe":[{"map":"nope"}]}')),
        "expr_cost": lambda s: plain(
            s.request("POST", EVAL, json.dumps({"node": "x", "pipe": [{"map": DEAR}]}))
        ),
        **{code: updated(text) for code, text in {
            "expr_overflow": "9007199254740993 * 9007199254740993", "expr_divide": "1 / 0",
            "expr_index": "[1][2]", "expr_no_key": "{'a': 1}.b", "expr_bad_value": "int('x')",
        }.items()},
        "precondition_required": lambda s: plain(s.request("POST", NODE + "guarded", "1")),
        "pattern_limit": lambda s: plain(
            s.request("POST", EVAL, json.dumps({"node": "x", "pipe": [{"map": PATTERN}]}))
        ),
        "headers_too_large": lambda s: raw(
            s, "GET / HTTP/1.1\r\nHost: localhost\r\n" + "X: y\r\n" * 101 + "\r\n"
        ),
    }
)


@http("read_only")
def read_only(_):
    with Server({"g": GRAPH}, "dashboards: /proc/none\n") as server:
        return plain(
            server.request(
                "PUT", "/v1/dashboards/d", '{"v":1,"graph":"g","widgets":[]}',
                {"Content-Type": "application/json"},
            )
        )


@http("node_failed")
def node_failed(server):
    server.set("g", "any", "text")
    return plain(server.get(NODE + "broken"))


@http("key_reused")
def key_reused(server):
    server.set("g", "x", 1, **{"Idempotency-Key": "k"})
    return plain(server.request("POST", NODE + "x", "2", {"Idempotency-Key": "k"}))


@http("rate_limited")
def rate_limited(_):
    with Server({"g": GRAPH}, "limits: { sets: 1 }\n") as server, RawSocket(server) as peer:
        for _ in range(2):
            peer.send(f"POST {NODE}x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1")
        assert peer.response()[0] == 200
        status, headers, body = peer.response()
        return status, headers, json.loads(body)


@http("timeout")
def timeout(_):
    with Server({"g": GRAPH}, "# fixed: times.headers=200ms\n") as server:
        return raw(server, "GET / HTTP/1.1\r\nHost: ")


@http("sub_limit")
def sub_limit(_):
    """With tokens, one principal may create half of limits.members."""
    with guarded("limits: { members: 2 }\n", ["--can", "set"]) as (server, token, _):
        body = json.dumps({"set": {"item.a": 1, "item.b": 1}})
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        return plain(server.request("POST", "/v1/graphs/g/batch", body, headers))


@http("pipe_limit")
def pipe_limit(_):
    with Server({"g": GRAPH}, "limits: { held: 1 }\n") as server:
        return plain(server.request("POST", EVAL, '{"all":"*","reduce":"count"}'))


@http("draining")
def draining(_):
    with Server({"g": GRAPH}) as server:
        waiting = RawSocket(server)
        waiting.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        other = RawSocket(server)
        other.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        other.response()
        server.process.terminate()
        assert other.closed(), "an idle connection is closed when the drain begins"
        waiting.send("\r\n")
        status, headers, body = waiting.response()
        return status, headers, json.loads(body)


@http("too_many_connections")
def too_many_connections(_):
    with Server({"g": GRAPH}, "limits: { connections: 1 }\n") as server:
        first = RawSocket(server)
        first.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        first.response()
        second = RawSocket(server)
        second.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        status, headers, body = second.response()
        return status, headers, json.loads(body)


def socket_error(message):
    def meet(server):
        with Client(server) as client:
            if message.pop("first", None):
                client.ask(op="sub", graph="g", node="x")
            client.send(**message)
            return client.receive()

    return meet


SOCKET = {
    "bad_op": socket_error({"op": "dance", "id": 1}),
    "cycle": socket_error(
        {"op": "sub", "id": 1, "graph": "g", "node": "any",
         "via": [{"epoch": "e", "graph": "h", "node": "n"}] * 17}
    ),
    "id_in_use": socket_error({"op": "get", "id": 1, "graph": "g", "first": True}),
}


def slow(_):
    """A subscription in mode `all` whose reader does not read ends with `slow`."""
    with Server({"g": GRAPH}) as server:
        peer = RawWebSocket(server)
        peer.send(
            frame(
                1,
                json.dumps(
                    {"op": "sub", "id": 1, "graph": "g", "node": "any", "mode": "all", "queue": 5}
                ).encode(),
            )
        )
        for number in range(400):
            server.set("g", "any", [number, "x" * 30_000])
        peer.socket.settimeout(PATIENCE)
        while b'"code":"slow"' not in peer.buffer:
            assert peer.receive()
        return {"op": "end", "code": "slow"}


def cycle_limit(_):
    """What a circle delivers beyond the bound is left out, and `explain` says so: the nodes have
    come to rest at the value."""
    with Server({"g": CLIQUE}) as server:
        server.set("g", "n3", 7)
        assert server.get("/v1/graphs/g/values").json()["m"] == {name: {"v": 7} for name in RING}
        nodes = server.get(NODE + "n0/explain").json()["nodes"]
        fails = [link["fail"] for node in nodes for link in node["links"] if "fail" in link]
        assert fails and all(fail["msg"] and fail["at"] for fail in fails)
        return {fail["code"] for fail in fails}


def table():
    """The rows of the table, as the program prints it."""
    text = subprocess.run([DEVELOPER, "docs", "errors"], check=True, capture_output=True, text=True).stdout
    for line in text.splitlines()[2:]:
        code, status, close, again, _ = (cell.strip(" `") for cell in line.strip("|").split("|", 4))
        yield code, status, close, again


ROWS = {code: (status, close, again) for code, status, close, again in table()}


def test_every_row_is_met():
    met = [set(HTTP), set(SOCKET), {"slow", "cycle_limit"}, {code for code in SWIFT if isinstance(code, str)}]
    assert set.union(*met) == set(ROWS)
    assert sum(map(len, met)) == len(ROWS), "each in one place"


@pytest.mark.parametrize("code", SWIFT)
def test_the_swift_tests_are_there_and_look_at_the_code(code):
    places, _ = wire.read_tests()
    for name in SWIFT[code]:
        suite, test = name.split(".")
        assert name in places, f"there is no test {name}"
        text = places[name].read_text()
        begin = text.rindex("@Test", 0, text.index(f"func {test}("))
        end = text.index("\n    }\n", begin)
        assert re.search(rf"\b{code}\b", text[begin:end]), f"{name} does not look at {code}"


@pytest.fixture(scope="module")
def server():
    with Server({"g": GRAPH}) as running:
        yield running


@pytest.mark.parametrize("code", sorted(HTTP))
def test_over_http(server, code):
    status, headers, problem = HTTP[code](server)
    expected, _, again = ROWS[code]
    assert status == int(expected)
    assert headers["content-type"] == "application/problem+json"
    assert problem["code"] == code and problem["status"] == status and problem["type"] == "about:blank"
    assert problem["title"] and problem["detail"]
    assert problem["retry"] is (again != "no")
    assert ("retry-after" in headers) == again.startswith("after")
    assert ("allow" in headers) == (status == 405)


@pytest.mark.parametrize("code", sorted(SOCKET))
def test_on_a_socket(server, code):
    answer = SOCKET[code](server)
    assert answer["op"] == "err" and answer["code"] == code and answer["msg"] and answer["retry"] is False


def test_cycle_limit_is_shown_by_explain(server):
    assert cycle_limit(server) == {"cycle_limit"}


def test_slow_ends_a_subscription(server):
    assert slow(server)["code"] == "slow"


# Close codes (docs/protocol.md, Errors).

def closing(server, *messages, opcode=1):
    peer = RawWebSocket(server)
    for message in messages:
        peer.send(frame(opcode, message if isinstance(message, bytes) else message.encode()))
    return peer.close_code()


def closed_with(client):
    """Reads on until the server closes, and returns its code."""
    try:
        while True:
            client.socket.recv(PATIENCE)
    except ConnectionClosed as closed:
        return closed.rcvd.code


def text_on_plain_stream(server):
    with Client(server, NODE + "x", protocol=None) as client:
        client.socket.send('"text"')
        return closed_with(client)


def silent(_):
    with Server({"g": GRAPH}, "heartbeat: 100ms\n") as server:
        return RawWebSocket(server).close_code()


def drained(_):
    with Server({"g": GRAPH}) as server:
        peer = RawWebSocket(server)
        server.process.terminate()
        return peer.close_code()


def ended_by_operator(server):
    peer = RawWebSocket(server)
    peer.subscribe("g", "x")
    name = server.picture("g")["listeners"][-1]["l"]
    server.request("DELETE", "/v1/connections/" + name)
    return peer.close_code()


def too_fast(_):
    with Server({"g": GRAPH}, "limits: { messages: 20 }\n") as server:
        peer = RawWebSocket(server, timeout=PATIENCE)
        peer.socket.settimeout(0.01)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                peer.send(frame(1, b'{"op":"ping","id":1}') * 2)
                peer.receive()
            except (TimeoutError, ConnectionError):
                pass
            if b"\x88" in peer.buffer[-64:]:
                break
        peer.socket.settimeout(PATIENCE)
        return peer.close_code()


def too_many(config, code, request):
    """Asks again and again for more than a connection may have."""

    def meet(_):
        with Server({"g": GRAPH}, config) as server:
            peer = RawWebSocket(server, timeout=PATIENCE)
            peer.subscribe("g", "x", id=99)
            try:
                for number in range(200):
                    peer.text({"op": "sub", "id": number + 1, "graph": "g", **request})
                    answer = peer.message()
                    assert answer["code"] == code and answer["id"] == number + 1
                    # Refusals count once a quarter of a second.
                    time.sleep(0.26)
            except Closed as closed:
                assert closed.reason == code
                assert number >= 9
                return closed.code

    return meet


def no_misuse(_):
    with Server({"g": GRAPH}) as server:
        peer = RawWebSocket(server, timeout=PATIENCE)
        try:
            for number in range(200):
                peer.text({"op": "dance", "id": number + 1})
                assert peer.message()["code"] == "bad_op"
                time.sleep(0.26)
        except Closed as closed:
            assert (closed.reason, number >= 9) == ("bad_op", True)
            return closed.code


def token_gone(_):
    with guarded() as (server, token, file):
        peer = RawWebSocket(server)
        peer.text({"op": "hello", "token": token})
        assert peer.message()["op"] == "hello"
        file.write_text("tokens: []\n")
        server.process.send_signal(signal.SIGHUP)
        return peer.close_code()


def not_allowed(_):
    with guarded() as (server, token, _):
        with Client(
            server, NODE + "x", protocol=None, additional_headers={"Authorization": f"Bearer {token}"}
        ) as client:
            client.socket.send("2")
            return closed_with(client)


def no_hello(_):
    with guarded("# fixed: times.hello=300ms\n") as (server, _, _):
        return RawWebSocket(server).close_code()


def does_not_read(_):
    """A plain stream has no other way to be told."""
    with Server({"g": GRAPH}, "limits: { unsentHard: 64KiB } # fixed: limits.unsent=16KiB\n") as server:
        peer = RawWebSocket(server, NODE + "any?mode=all", protocol=None, receive_buffer=4096)
        # Until the kernel's buffers and the server's own are full.
        for number in range(400):
            server.set("g", "any", [number, "x" * 60_000])
            if server.metrics()['sluice_connections{transport="plain"}'] == 0:
                break
        peer.socket.settimeout(PATIENCE)
        return peer.close_code()


def no_room(_):
    with Server({"g": GRAPH}, "limits: { connections: 1 }\n") as server:
        with RawWebSocket(server) as first:
            first.subscribe("g", "x")
            return RawWebSocket(server).close_code()


CLOSES = {
    1000: [lambda s: closing(s, struct.pack(">H", 1000), opcode=8)],
    1001: [ended_by_operator],
    1002: [lambda s: closing(s, b"?", opcode=3)],
    1003: [lambda s: closing(s, b"bytes", opcode=2)],
    1007: [lambda s: closing(s, b"\xff")],
    1009: [lambda s: closing(s, b"x" * 70_000)],
    4400: [lambda s: closing(s, *["{"] * 10), no_misuse, text_on_plain_stream],
    4401: [token_gone],
    4403: [not_allowed],
    4408: [no_hello],
    4429: [too_fast, too_many("limits: { subs: 1 }\n", "sub_limit", {"node": "x"}),
           too_many("limits: { held: 1 }\n", "pipe_limit", {"all": "*", "reduce": "count"})],
    4503: [drained],
    4508: [silent],
    4529: [no_room],
    4580: [does_not_read],
}


def test_every_close_code_is_met():
    text = (ROOT / "Sources/HTTP/Words/CloseCode.swift").read_text()
    known = {int(number) for number in re.findall(r"CloseCode\(rawValue: (\d+)\)", text)}
    met = [set(CLOSES), {code for code in SWIFT if isinstance(code, int)}]
    assert set.union(*met) == known - {1005, 1006, 1008}, "1005 and 1006 are never sent, 1008 is the peer's"
    assert sum(map(len, met)) == len(set.union(*met)), "each in one place"
    assert {int(close) for _, close, _ in ROWS.values() if close != "–"} <= set.union(*met)


@pytest.mark.parametrize("code,way", [
    # A client that does not read gets `times.close` for what is left.
    pytest.param(code, way, marks=pytest.mark.weighed if code == 4580 else ())
    for code, ways in sorted(CLOSES.items()) for way in range(len(ways))])
def test_close_codes(server, code, way):
    assert CLOSES[code][way](server) == code
