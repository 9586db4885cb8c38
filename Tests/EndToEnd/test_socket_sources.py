"""Source nodes that take the messages of a WebSocket."""

import base64
import hashlib
import json
import threading

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve as serve_socket

from sluice import eventually
from sources import BOUNDS, held, listening, open_upstreams, serve, state


class Service:
    """A WebSocket service that sends what a test says."""

    def __init__(self):
        self.heard, self.sockets, self.headers, self.closed = [], [], [], []
        self.greet = lambda socket: None

        def perform(socket):
            self.sockets.append(socket)
            self.headers.append(socket.request.headers)
            try:
                self.greet(socket)
                for message in socket:
                    self.heard.append(message)
            except ConnectionClosed:
                pass
            self.closed.append(socket.close_code)

        self.server = serve_socket(perform, "127.0.0.1", 0, ping_interval=None)
        self.port = self.server.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, *messages):
        for message in messages:
            self.sockets[-1].send(message if isinstance(message, str) else json.dumps(message))


@pytest.fixture
def service():
    running = Service()
    yield running
    running.server.shutdown()


TRADES = '  x: { source: { socket: "met:/feed", send: { subscribe: [all] }, pick: value.price } }\n'


def test_s_1_a_socket_opens_with_the_first_listener_and_closes_with_the_last(service):
    """S-1, S-4."""
    with serve(service, TRADES + "  y: { from: x, pipe: [ { map: value * 10 } ] }\n") as server:
        assert server.get("/v1/graphs/g/nodes/x").status == 204 and not service.sockets
        with listening(server, "y") as (peer, _):
            eventually(lambda: service.heard == ['{"subscribe":["all"]}'])
            assert service.sockets[0].request.path == "/v2/feed"
            assert state(server, "x") == {"loading": True}
            service.send({"price": 4}, {"price": 5})
            assert peer.message()["d"][-1]["v"] in (40, 50)
            eventually(lambda: held(server, "y") == 50)
            (shown,) = open_upstreams(server)
            assert shown == {"u": shown["u"], "from": service.url, "nodes": 1, "state": "open"}
        eventually(lambda: service.closed == [1000])
        assert open_upstreams(server) == [] and held(server, "x") == 5


def test_s_2_equal_sockets_are_one_and_filters_divide_the_messages(service):
    """S-2, S-3."""
    nodes = (
        '  gold: { source: { socket: "met:/feed", filter: value.of == "gold", pick: value.is } }\n'
        '  "price.{of}": { source: { socket: "met:/feed", filter: value.of == key.of, pick: value.is } }\n'
        '  log: { source: { socket: "met:/feed" }, history: 100 }\n'
    )
    with serve(service, nodes) as server:
        eventually(lambda: service.sockets)
        with listening(server, "gold") as (peer, _):
            peer.subscribe("g", "price.gold", id=2)
            peer.subscribe("g", "price.tin", id=3)
            service.send(*({"of": of, "is": i} for i in range(5) for of in ("gold", "tin", "lead")))
            eventually(lambda: held(server, "log") == {"of": "lead", "is": 4})
            assert [held(server, node) for node in ("gold", "price.gold", "price.tin")] == [4, 4, 4]
        assert len(service.sockets) == 1
        # Each message is a commit of its own, by the server.
        past = server.get("/v1/graphs/g/nodes/log/history").json()["d"]
        assert [each["v"]["is"] for each in past] == [i for i in range(5) for _ in range(3)]


def test_what_is_sent_has_the_texts_of_the_member(service):
    nodes = (
        '  "a.{id}": { source: { socket: "met:/feed", send: { sub: "#{id}", n: "{x}" }, as: text } }\n'
        '  b: { source: { socket: "met:/feed?b", send: HELLO, as: text } }\n'
    )
    with serve(service, nodes) as server, listening(server, "a.7") as (peer, _):
        eventually(lambda: [json.loads(text) for text in service.heard] == [{"sub": "#7", "n": "{x}"}])
        peer.subscribe("g", "b", id=2)
        eventually(lambda: service.heard[1:] == ["HELLO"])
        service.send("plain {")
        eventually(lambda: held(server, "b") == "plain {")


def test_s_5_a_socket_that_ends_is_made_again(service):
    """S-5: at once after messages, with growing pauses otherwise."""
    with serve(service, TRADES) as server, listening(server) as (peer, _):
        eventually(lambda: service.sockets)
        service.send({"price": 1})
        assert peer.message()["d"][0]["v"] == 1
        service.sockets[0].close()
        eventually(lambda: len(service.sockets) == 2 and len(service.heard) == 2)
        assert "error" not in state(server, "x")
        service.send({"price": 2})
        eventually(lambda: held(server, "x") == 2)
        # Without a message, the end is a failure; after it the node waits again.
        service.greet = lambda socket: len(service.sockets) == 3 and socket.close()
        service.sockets[1].close()
        eventually(lambda: state(server, "x").get("error", {}).get("code") == "unreachable")
        assert state(server, "x")["error"]["retryAt"] and held(server, "x") == 2
        eventually(lambda: len(service.sockets) == 4 and state(server, "x").get("loading"))
        service.send({"price": 3})
        eventually(lambda: state(server, "x").keys() == {"t"} and held(server, "x") == 3)


def test_s_10_a_secret_is_a_header_field_of_the_upgrade(service):
    """S-10."""
    headers = "{ Authorization: { secret: MET } }"
    options = {"headers": headers, "environment": {"SLUICE_SECRET_MET": "Bearer hush"}}
    with serve(service, TRADES, **options) as server, listening(server):
        eventually(lambda: service.headers)
        assert service.headers[0]["Authorization"] == "Bearer hush"
        assert "hush" not in server.get("/v1/graphs/g").body.decode() + server.log_text()


def test_messages_in_a_flood_wait_and_hold_up_nobody(service):
    """All are taken, in their order; what the server has no time for stays with the service."""

    def greet(socket):
        for i in range(20_000):
            socket.send(str(i))

    service.greet = greet
    nodes = '  x: { source: { socket: "met:/feed" }, history: 20000 }\n  z: { set: any }\n'
    with serve(service, nodes) as server:
        eventually(lambda: service.sockets)
        for i in range(50):
            server.set("g", "z", i)
        eventually(lambda: held(server, "x") == 19_999)
        past = server.get("/v1/graphs/g/nodes/x/history?limit=10000").json()["d"]
        assert [each["v"] for each in past] == list(range(past[0]["v"], past[0]["v"] + len(past)))


def huge(socket):
    socket.send("[" + "1," * (200 << 10) + "1]")


@pytest.mark.parametrize(
    "greet, code",
    [
        (huge, "bad_answer"),
        (lambda socket: socket.send("{"), "bad_answer"),
        (lambda socket: socket.send("{}"), "not_found"),
        (lambda socket: socket.socket.sendall(b"\xff\xff\xff\xff"), "bad_answer"),
        (lambda socket: socket.socket.sendall(b"\x81\xffnonsense"), "bad_answer"),
        (lambda socket: socket.close(), "unreachable"),
    ],
)
def test_hostile_sockets_are_named(service, greet, code):
    service.greet = greet
    with serve(service, TRADES, BOUNDS) as server, listening(server):
        eventually(lambda: state(server, "x").get("error", {}).get("code") == code)
        assert open_upstreams(server)[0]["from"] == service.url


@pytest.mark.parametrize(
    "answer, code, status",
    [
        (lambda call: call.reply({}, status=403), "status", 403),
        (lambda call: call.reply({}, status=200), "status", 200),
        (lambda call: call.hang(), "timeout", None),
        (
            lambda call: call.reply({}, status=101, Upgrade="websocket", Connection="Upgrade"),
            "bad_answer",
            None,
        ),
    ],
)
def test_what_is_no_socket_is_named(upstream, answer, code, status):
    upstream.answer = answer
    with serve(upstream, TRADES, BOUNDS) as server, listening(server):
        eventually(lambda: state(server, "x").get("error", {}).get("code") == code)
        assert state(server, "x")["error"].get("status") == status


def test_a_service_that_falls_silent_is_asked_for_a_sign_and_left(upstream):
    heard = []

    def answer(call):
        key = call.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        call.reply(
            status=101, body=b"", Upgrade="websocket", Connection="Upgrade", Sec_WebSocket_Accept=accept
        )
        frame = call.connection.recv(6)
        heard.append(frame[0] & 0x0F)
        call.hang()

    upstream.answer = answer
    nodes = '  x: { source: { socket: "met:/feed" } }\n'
    with serve(upstream, nodes, BOUNDS) as server, listening(server):
        eventually(lambda: state(server, "x").get("error", {}).get("code") == "timeout")
        assert heard == [9]
