"""Whatever arrives: the documented answer, and nobody else notices."""

import json

import pytest
from conftest import Client
from rawsocket import RawSocket, RawWebSocket, frame


@pytest.fixture
def bystander(server):
    """A subscriber that must notice nothing but what concerns it; and a value must still get through afterwards."""
    with Client(server) as client:
        client.ask(op="sub", graph="g", node="deep")
        yield client
        server.set("g", "x", 7)
        assert client.receive()["d"] == [{"id": 1, "v": 150}]
        assert server.process.poll() is None


HEAD = "Host: 127.0.0.1:{port}\r\n"
POST = "POST /v1/graphs/g/nodes/x HTTP/1.1\r\n" + HEAD
REQUESTS = [
    ("no request line", "\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
    ("unknown version", "GET / HTTP/3.7\r\n" + HEAD + "\r\n", 400),
    ("no host", "GET /healthz HTTP/1.1\r\n\r\n", 400),
    ("two hosts", "GET /healthz HTTP/1.1\r\n" + HEAD + HEAD + "\r\n", 400),
    ("foreign host", "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
    ("space before the colon", "GET /healthz HTTP/1.1\r\n" + HEAD + "X : a\r\n\r\n", 400),
    ("bare CR in a header", "GET /healthz HTTP/1.1\r\n" + HEAD + "X: a\rb\r\n\r\n", 400),
    ("folded header", "GET /healthz HTTP/1.1\r\n" + HEAD + "X: a\r\n b\r\n\r\n", 400),
    ("both lengths", POST + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n", 400),
    ("two lengths", POST + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n12", 400),
    ("negative length", POST + "Content-Length: -1\r\n\r\n", 400),
    ("length beyond 64 bits", POST + "Content-Length: 99999999999999999999999\r\n\r\n", 400),
    ("bad chunk size", POST + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ("body too large by its word", POST + "Content-Length: 70000\r\n\r\n", 413),
    ("body too large by its chunks", POST + "Transfer-Encoding: chunked\r\n\r\n11170\r\n" + "1" * 70000, 413),
    ("long target", "GET /" + "a" * 9000 + " HTTP/1.1\r\n" + HEAD + "\r\n", 414),
    ("long header block", "GET / HTTP/1.1\r\n" + HEAD + "X: " + "a" * 17000 + "\r\n\r\n", 431),
    ("too many fields", "GET / HTTP/1.1\r\n" + HEAD + "".join(f"X{i}: 1\r\n" for i in range(101)) + "\r\n", 431),
    ("unknown method", "BREW /healthz HTTP/1.1\r\n" + HEAD + "\r\n", (400, 405)),
    ("unknown path", "GET /nothing HTTP/1.1\r\n" + HEAD + "\r\n", 404),
    ("known path, wrong method", "DELETE /v1/graphs HTTP/1.1\r\n" + HEAD + "\r\n", 405),
    ("path out of the root", "GET /../Package.swift HTTP/1.1\r\n" + HEAD + "\r\n", (400, 404)),
    ("encoded path out of the root", "GET /%2e%2e/Package.swift HTTP/1.1\r\n" + HEAD + "\r\n", (400, 404)),
    ("NUL in the path", "GET /index.html%00.png HTTP/1.1\r\n" + HEAD + "\r\n", (400, 404)),
    ("bad percent code", "GET /%zz HTTP/1.1\r\n" + HEAD + "\r\n", (400, 404)),
    ("unknown graph", "GET /v1/graphs/nope/nodes/x HTTP/1.1\r\n" + HEAD + "\r\n", 404),
    ("unknown node", "GET /v1/graphs/g/nodes/nope HTTP/1.1\r\n" + HEAD + "\r\n", 404),
    ("set of a derived node", "POST /v1/graphs/g/nodes/deep HTTP/1.1\r\n" + HEAD + "Content-Length: 1\r\n\r\n1", 405),
    ("foreign origin", POST + "Origin: http://evil.example\r\nContent-Length: 1\r\n\r\n1", 403),
    ("null origin", POST + "Origin: null\r\nContent-Length: 1\r\n\r\n1", 403),
    ("cross-site fetch", POST + "Sec-Fetch-Site: cross-site\r\nContent-Length: 1\r\n\r\n1", 403),
    ("image type", POST + "Content-Type: image/png\r\nContent-Length: 1\r\n\r\n1", 415),
]


@pytest.mark.parametrize("text, expected", [r[1:] for r in REQUESTS], ids=[r[0] for r in REQUESTS])
def test_a_malformed_or_forbidden_request_gets_its_documented_status(server, bystander, text, expected):
    with RawSocket(server) as socket:
        try:
            socket.send(text.replace("{port}", str(server.port)).encode("latin-1"))
        except (BrokenPipeError, ConnectionResetError):
            pass
        status, headers, body = socket.response()
        assert status in (expected if isinstance(expected, tuple) else (expected,)), (status, body)
        if headers.get("content-type", "").startswith("application/problem+json"):
            problem = json.loads(body)
            assert problem["status"] == status and problem["code"]
        if status == 405:
            assert headers["allow"]


VALUES = [
    b"", b"nul", b"21,5", b"{", b"[1,]", b'{"a":1,"a":2}', b"01", b"+1", b"NaN", b"'a'", b"\xff\xfe", b'"\xc3("',
    b"1 2", b'"\t"', b"[" * 100_00 + b"]" * 100_00, b'{"a":', b"\xef\xbb\xbf1",
]


@pytest.mark.parametrize("body", VALUES, ids=[repr(v[:12]) for v in VALUES])
def test_a_body_that_is_no_json_is_refused_with_a_hint(server, bystander, body):
    answer = server.request("POST", "/v1/graphs/g/nodes/any", body, {"Content-Type": "application/json"})
    assert answer.status == 400, answer
    assert answer.json()["code"] == "bad_json"
    assert server.get("/v1/graphs/g/nodes/any").status == 204, "nothing was stored"


@pytest.mark.parametrize("node, body", [("x", '"text"'), ("small", "11"), ("small", "1.5"), ("x", "1e999"), ("x", "null")])
def test_a_value_of_the_wrong_kind_is_refused(server, bystander, node, body):
    answer = server.request("POST", f"/v1/graphs/g/nodes/{node}", body, {"Content-Type": "application/json"})
    assert answer.status == 422 and answer.json()["code"] == "type_mismatch", answer


FRAMES = [
    ("unmasked", frame(1, '{"op":"ping","id":1}', masked=False), 1002),
    ("reserved opcode", frame(3), 1002),
    ("reserved bit", frame(1, "{}", rsv=4), 1002),
    ("fragmented ping", frame(9, fin=False), 1002),
    ("long ping", frame(9, b"x" * 126), 1002),
    ("continuation of nothing", frame(0, "x"), 1002),
    ("not UTF-8", frame(1, b"\xc3\x28"), 1007),
    ("surrogate", frame(1, b"\xed\xa0\x80"), 1007),
    ("too large by its word", b"\x81\xff" + (1 << 40).to_bytes(8) + b"mask", 1009),
    ("length with the top bit", b"\x81\xff" + (1 << 63).to_bytes(8) + b"mask", (1002, 1009)),
    ("length not minimal", b"\x81\xfe\x00\x01mask" + b"x", 1002),
    ("close code 1005", frame(8, b"\x03\xed"), 1002),
    ("close with one byte", frame(8, b"\x03"), 1002),
    ("binary message", frame(2, b"\x00"), 1003),
]


@pytest.mark.parametrize("data, expected", [f[1:] for f in FRAMES], ids=[f[0] for f in FRAMES])
def test_a_malformed_frame_gets_its_documented_close_code(server, bystander, data, expected):
    with RawWebSocket(server) as socket:
        socket.send(data)
        code = socket.close_code()
        assert code in (expected if isinstance(expected, tuple) else (expected,)), code
        assert socket.closed()


MESSAGES = [
    ('{"op":"dance","id":1}', "bad_op"),
    ('{"op":"sub","id":0,"graph":"g","node":"x"}', "bad_field"),
    ('{"op":"sub","id":1,"graph":"nope","node":"x"}', "unknown_graph"),
    ('{"op":"sub","id":1,"graph":"g","node":"nope"}', "unknown_node"),
    ('{"op":"sub","id":1,"graph":"g","node":7}', "bad_field"),
    ('{"op":"unsub","id":5}', "unknown_id"),
    ('{"op":"set","id":1,"graph":"g","set":{"deep":1}}', "not_mutable"),
    ('{"op":"set","id":1,"graph":"g","set":{"small":11}}', "type_mismatch"),
    ("nonsense", "bad_json"),
    ('{"op":', "bad_json"),
]


@pytest.mark.parametrize("text, code", MESSAGES)
def test_a_bad_message_gets_its_documented_code_and_the_socket_stays(server, bystander, text, code):
    with Client(server) as client:
        client.socket.send(text)
        answer = client.receive()
        assert answer["op"] == "err" and answer["code"] == code, answer
        assert answer["msg"] and answer["retry"] is False
        client.send(op="ping", id=99)
        assert client.receive() == {"op": "ok", "id": 99}


def test_a_live_id_is_not_used_twice(server, bystander):
    with Client(server) as client:
        assert client.ask(op="sub", graph="g", node="x")["op"] == "snap"
        client.send(op="sub", id=1, graph="g", node="y")
        assert client.receive()["code"] == "id_in_use"
        client.send(op="unsub", id=1)
        assert client.receive()["op"] == "end"
        client.send(op="sub", id=1, graph="g", node="y")
        assert client.receive()["op"] == "snap"


def test_who_goes_on_sending_no_json_is_closed(server, bystander):
    with RawWebSocket(server) as socket:
        for _ in range(11):
            socket.text("nonsense")
        assert socket.close_code() == 4400


def test_pipelined_requests_are_answered_in_order(server, bystander):
    with RawSocket(server) as socket:
        get = "GET /v1/graphs/g/nodes/any HTTP/1.1\r\n" + HEAD.format(port=server.port) + "\r\n"
        for number in range(20):
            socket.send(
                "POST /v1/graphs/g/nodes/any HTTP/1.1\r\n" + HEAD.format(port=server.port)
                + f"Content-Length: {len(str(number))}\r\n\r\n{number}" + get
            )
        for number in range(20):
            assert socket.response()[0] == 200
            assert socket.response()[2] == str(number).encode()


DOUBTFUL = [r for r in REQUESTS if r[2] in (400, 413, 414, 431) and "percent" not in r[0]]


@pytest.mark.parametrize("text, status", [r[1:] for r in DOUBTFUL], ids=[r[0] for r in DOUBTFUL])
def test_after_a_doubt_come_the_answers_owed_then_one_error_then_the_end(server, text, status):
    head = HEAD.format(port=server.port)
    body = f"POST /v1/graphs/g/nodes/x HTTP/1.1\r\n{head}Content-Length: 1\r\n\r\n4"
    good = f"GET /healthz HTTP/1.1\r\n{head}\r\n"
    with RawSocket(server) as peer:
        peer.send(good + body + text.replace("{port}", str(server.port)) + good * 2)
        assert [peer.response()[0] for _ in range(2)] == [200, 200]
        answered, headers, _ = peer.response()
        assert (answered, headers["connection"]) == (status, "close")
        # What follows is not looked at: nobody knows where it begins.
        assert peer.closed() and not peer.buffer
    assert server.value("g", "x") == 4


def test_a_request_in_single_bytes_is_a_request(server, bystander):
    with RawSocket(server) as socket:
        for byte in ("GET /v1/graphs/g/nodes/x HTTP/1.1\r\n" + HEAD.format(port=server.port) + "\r\n").encode():
            socket.send(bytes([byte]))
        assert socket.response()[0] == 200


def test_a_stalled_reader_costs_the_others_nothing(server, bystander):
    with RawWebSocket(server) as stalled:
        stalled.subscribe("g", "any")
        big = "x" * 20_000
        before = server.resident()
        for _ in range(500):  # 10 MB for a peer that does not read
            server.set("g", "any", big)
        server.set("g", "any", "last")
        assert server.resident() - before < 4 << 20
        folded = 0
        while True:
            entry = stalled.message()["d"][0]
            folded += entry.get("n", 1)
            if entry["v"] == "last":
                break
        assert folded == 501, "nothing is dropped silently: every emission is counted"
