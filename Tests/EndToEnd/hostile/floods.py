"""Much of everything: messages, subscriptions, connections, pings, pieces, requests; and peers that
never read.

While a flood comes, others are served: each of these asks in between (`stands.ask()`), which fails
after a second.
"""

import json
import socket
import time

from hostile.case import Case, Exchange, fill
from hostile.standing import SANITIZED
from rawsocket import Closed, RawSocket, RawWebSocket, frame
from sluice import eventually

NODE = "/v1/graphs/g/nodes/"


def pour(peer, data, stands):
    """Sends a lot without reading more than is needed for the peer to go on; asks in between."""
    peer.socket.settimeout(0.2)
    view = memoryview(data)
    asked = time.monotonic()
    while view:
        try:
            view = view[peer.socket.send(view[:65_536]):]
        except TimeoutError:
            # It does not read because we do not; now we do.
            try:
                peer.receive()
            except TimeoutError:
                pass
        except OSError:
            return False
        if time.monotonic() > asked + 0.1:
            stands.ask()
            asked = time.monotonic()
    peer.socket.settimeout(10)
    return True


def answers(peer, count, stands):
    """So many messages, whatever they are."""
    heard = []
    while len(heard) < count:
        heard.append(peer.message())
    stands.ask()
    return heard


def pings(stands):
    """20,000 pings are 20,000 pongs, in order."""
    with RawWebSocket(stands.server) as peer:
        assert pour(peer, b"".join(frame(9, str(i)) for i in range(20_000)), stands)
        for i in range(20_000):
            assert peer.next_frame() == (10, str(i).encode())


def requests(stands):
    with RawWebSocket(stands.server) as peer:
        assert pour(peer, b"".join(frame(1, '{"op":"ping","id":%d}' % i) for i in range(1, 10_001)), stands)
        assert [answer["id"] for answer in answers(peer, 10_000, stands)] == list(range(1, 10_001))


def lists(stands):
    """Thousands of requests in one message."""
    with RawWebSocket(stands.server) as peer:
        peer.text("[" + ",".join('{"op":"ping","id":%d}' % i for i in range(1, 2001)) + "]")
        assert [answer["id"] for answer in answers(peer, 2000, stands)] == list(range(1, 2001))


def subscriptions(stands):
    """The thousand that are allowed, and an error for each one more."""
    with RawWebSocket(stands.server) as peer:
        text = b"".join(frame(1, '{"op":"sub","id":%d,"graph":"g","node":"x"}' % i) for i in range(1, 1501))
        assert pour(peer, text, stands)
        heard = answers(peer, 1500, stands)
        assert sum(answer["op"] == "snap" for answer in heard) == 1000
        assert sum(answer.get("code") == "sub_limit" for answer in heard) == 500


def pipelines(stands):
    """Two hundred pipelines that nobody else has."""
    with RawWebSocket(stands.server) as peer:
        text = b"".join(
            frame(
                1,
                json.dumps(
                    {"op": "sub", "id": i, "graph": "g", "node": "x", "pipe": [{"map": f"value * {i}.0"}] * 4}
                ),
            )
            for i in range(1, 201)
        )
        assert pour(peer, text, stands)
        assert all(answer["op"] == "snap" for answer in answers(peer, 200, stands))


def private_pipelines(stands):
    """Pipelines with timers of their own; the client goes without a word."""
    peer = RawWebSocket(stands.server)
    text = b"".join(
        frame(
            1,
            json.dumps(
                {"op": "sub", "id": i, "graph": "g", "node": "x", "pipe": [{"debounce": 20}, {"delay": 20}]}
            ),
        )
        for i in range(1, 301)
    )
    assert pour(peer, text, stands)
    answers(peer, 300, stands)
    for _ in range(5):
        stands.server.set("g", "x", 1)
    peer.reset()


def coming_and_going(stands):
    """A subscription that is made and ended two thousand times."""
    with RawWebSocket(stands.server) as peer:
        one = frame(1, '[{"op":"sub","id":1,"graph":"g","node":"deep"},{"op":"unsub","id":1}]')
        assert pour(peer, one * 2000, stands)
        heard = answers(peer, 4000, stands)
        assert [answer["op"] for answer in heard] == ["snap", "end"] * 2000
        assert {answer["released"] for answer in heard[1::2]} == {heard[1]["released"]} != {0}


def observers(stands):
    with RawWebSocket(stands.server) as peer:
        for i in range(1, 5):
            peer.text({"op": "observe", "id": i, "graph": "g"})
            assert peer.message()["op"] == "topo"
        peer.text({"op": "observe", "id": 5, "graph": "g"})
        while (answer := peer.message())["op"] == "topod":
            pass
        assert answer["code"] == "sub_limit" and answer["retry"] is False


def pieces(stands):
    """100,000 empty pieces of one message, then its end."""
    with RawWebSocket(stands.server) as peer:
        data = frame(1, '{"op":"ping","id":1}', fin=False) + frame(0, "", fin=False) * 100_000 + frame(0, "")
        assert pour(peer, data, stands)
        assert peer.message() == {"op": "ok", "id": 1}


def crumbs(stands):
    """A message of 60,000 pieces of a byte each."""
    with RawWebSocket(stands.server) as peer:
        text = '{"op":"ping","id":1,"x":"%s"}' % ("y" * 60_000)
        data = (
            frame(1, text[0], fin=False)
            + b"".join(frame(0, letter, fin=False) for letter in text[1:])
            + frame(0, "")
        )
        assert pour(peer, data, stands)
        assert peer.message() == {"op": "ok", "id": 1}


def sets(stands):
    """Two thousand sets in a row, on one connection."""
    with Exchange(stands.server) as peer:
        one = fill(f"POST {NODE}any HTTP/1.1\r\n" + "{H}Content-Length: 4\r\n\r\n1234", stands.server)
        assert pour(peer, one * 2000, stands)
        assert {peer.answer()[0] for _ in range(2000)} == {200}


def bodies(stands):
    """Bodies of the greatest length, one behind the other."""
    with Exchange(stands.server) as peer:
        body = '"' + "x" * 65_000 + '"'
        one = fill(
            f"POST {NODE}any HTTP/1.1\r\n" + "{H}" + f"Content-Length: {len(body)}\r\n\r\n{body}",
            stands.server,
        )
        assert pour(peer, one * 100, stands)
        assert {peer.answer()[0] for _ in range(100)} == {200}
    stands.server.set("g", "any", 1)


def keys(stands):
    """Ten thousand keys that are used once."""
    with Exchange(stands.server) as peer:
        text = "".join(
            f"POST {NODE}any HTTP/1.1\r\n" + "{H}" + f"Idempotency-Key: k{i}\r\nContent-Length: 1\r\n\r\n1"
            for i in range(10_000)
        )
        assert pour(peer, fill(text, stands.server), stands)
        assert {peer.answer()[0] for _ in range(10_000)} == {200}


def silent_connections(stands):
    """Three hundred connections that say nothing."""
    peers = [RawSocket(stands.server) for _ in range(300)]
    stands.ask()
    for peer in peers:
        peer.close()


def reset_connections(stands):
    """Connections that are reset as soon as they are there."""
    for _ in range(500):
        RawSocket(stands.server).reset()
    stands.ask()


def half_requests(stands):
    """Two hundred connections in the middle of a head, reset together."""
    peers = [RawSocket(stands.server) for _ in range(200)]
    for peer in peers:
        peer.send("GET / HTTP/1.1\r\nHost: ")
    stands.ask()
    for peer in peers:
        peer.reset()


def handshakes(stands):
    """A hundred sockets that subscribe and vanish."""
    peers = [RawWebSocket(stands.server) for _ in range(100)]
    for peer in peers:
        peer.text('{"op":"sub","id":1,"graph":"g","node":"deep"}')
    stands.ask()
    for peer in peers:
        peer.reset()


def refused_handshakes(stands):
    for _ in range(200):
        with Exchange(stands.server) as peer:
            peer.send(
                fill(
                    "GET /v1/ws HTTP/1.1\r\n{H}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                    stands.server,
                )
            )
            assert peer.answer()[0] == 426
    stands.ask()


def waiting_reads(stands):
    """Two hundred reads that wait for a change, whose clients go away."""
    server = stands.server
    tag = server.get(NODE + "small").headers["ETag"]
    peers = [RawSocket(server) for _ in range(200)]
    for peer in peers:
        peer.send(
            fill(
                f"GET {NODE}small HTTP/1.1\r\n" + "{H}" + f"If-None-Match: {tag}\r\nPrefer: wait=30\r\n\r\n",
                server,
            )
        )
    eventually(lambda: server.count("subscriptions", "g") >= 200)
    stands.ask()
    for peer in peers:
        peer.reset()


def event_streams(stands):
    """A hundred event streams whose clients go away."""
    server = stands.server
    peers = [RawSocket(server) for _ in range(100)]
    for peer in peers:
        peer.send(fill("GET /v1/graphs/g/events?node=deep&node=sum HTTP/1.1\r\n{H}\r\n", server))
    eventually(lambda: server.count("subscriptions", "g") >= 200)
    stands.ask()
    for peer in peers:
        peer.close()


def deaf(server, path="/v1/ws", protocol="sluice.v1.json", window=65_536):
    """A WebSocket for whose messages the kernel has not much room; with the smallest windows
    reading takes minutes."""
    peer = RawWebSocket(server, path, protocol)
    peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    return peer


def hears(peer):
    """Reads again; what only says that the server is alive is left out."""
    while True:
        message = peer.message()
        if not (isinstance(message, dict) and message.get("op") == "hb"):
            yield message


def fill_up(stands, bytes_in_all=6 << 20):
    """Sets a large value often, and a small one in the end; minds the server's memory."""
    server = stands.server
    before = server.resident()
    for number in range(bytes_in_all // 60_000):
        server.set("g", "any", f"{number}" + "x" * 60_000)
        if number % 20 == 0:
            stands.ask()
    server.set("g", "any", "last")
    assert SANITIZED or server.resident() - before < 6 << 20, server.resident() - before


def deaf_and_latest(stands):
    """Mode `latest`: it is skipped forward, and told how far."""
    with deaf(stands.server) as peer:
        peer.subscribe("g", "any")
        fill_up(stands)
        told = 0
        for message in hears(peer):
            entry = message["d"][0]
            told += entry.get("n", 1)
            if entry["v"] == "last":
                break
        assert told == (6 << 20) // 60_000 + 1


def deaf_and_all(stands):
    """Mode `all`: its queue overflows, and it ends with `slow`."""
    with deaf(stands.server) as peer:
        peer.subscribe("g", "any", mode="all", queue=8)
        fill_up(stands)
        message = next(message for message in hears(peer) if message["op"] != "upd")
        assert message["op"] == "end" and message["code"] == "slow", message


def deaf_stream(stands):
    """Events that nobody reads are folded too."""
    with Exchange(stands.server) as peer:
        peer.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        peer.send(fill("GET /v1/graphs/g/events?node=any HTTP/1.1\r\n{H}\r\n", stands.server))
        peer.until(b"\r\n\r\n")
        fill_up(stands)
        while b'"v":"last"' not in peer.buffer[-4096:]:
            assert peer.receive()


def deaf_plain_stream(stands):
    with deaf(stands.server, NODE + "any", None) as peer:
        fill_up(stands)
        assert "last" in hears(peer)


def deaf_and_asking(stands):
    """Asks for large answers and reads none: it is not read from any more, and nobody else minds."""
    server = stands.server
    with deaf(server) as peer:
        server.set("g", "any", "x" * 60_000)
        peer.socket.settimeout(1)
        before = server.metrics()["sluice_messages_received_total"]
        try:
            for number in range(1, 20_001):
                peer.send(frame(1, '{"op":"get","id":%d,"graph":"g","nodes":["any"]}' % number))
                if number % 1000 == 0:
                    stands.ask()
        except TimeoutError:
            pass
        heard = eventually(lambda: settled(server), what="an end of reading") - before
        assert heard < 2000, f"{heard} requests were taken from a peer that reads nothing"
    server.set("g", "any", 1)


def settled(server):
    """How many messages the server has read, once there come no more."""
    count = server.metrics()["sluice_messages_received_total"]
    time.sleep(0.1)
    return count if server.metrics()["sluice_messages_received_total"] == count else None


def deaf_in_one_message(stands):
    """More answers to one message than it may pile up: closed as slow."""
    with deaf(stands.server) as peer:
        stands.server.set("g", "any", "x" * 60_000)
        peer.text(
            "["
            + ",".join('{"op":"get","id":%d,"graph":"g","nodes":["any"]}' % i for i in range(1, 1001))
            + "]"
        )
        time.sleep(0.3)
        stands.ask()
        heard, code = 0, None
        try:
            while heard < 1000:
                assert peer.message()["op"] == "ok"
                heard += 1
        except Closed as closed:
            code = closed.code
        assert heard == 1000 or code == 4580, (heard, code)
    stands.server.set("g", "any", 1)


def deaf_observer(stands):
    with deaf(stands.server) as peer:
        peer.text({"op": "observe", "id": 1, "graph": "g", "every": 50})
        assert peer.message()["op"] == "topo"
        fill_up(stands, 3 << 20)


def deaf_to_pings(stands):
    """Pings whose pongs nobody reads."""
    with deaf(stands.server) as peer:
        peer.socket.settimeout(1)
        data = frame(9, b"x" * 125) * 500
        try:
            for _ in range(400):
                peer.send(data)
                stands.ask()
        except (TimeoutError, OSError):
            return
        raise AssertionError("200,000 pings were taken from a peer that reads nothing")


CASES = [
    Case("pings", pings), Case("requests on a socket", requests), Case("requests in one message", lists),
    Case("subscriptions", subscriptions), Case("pipelines", pipelines),
    Case("pipelines with timers", private_pipelines), Case("coming and going", coming_and_going),
    Case("observers", observers), Case("empty pieces", pieces), Case("pieces of a byte", crumbs),
    Case("sets", sets), Case("bodies", bodies), Case("keys", keys),
    Case("silent connections", silent_connections), Case("connections that are reset", reset_connections),
    Case("halves of heads", half_requests), Case("sockets that vanish", handshakes),
    Case("refused handshakes", refused_handshakes), Case("reads that wait", waiting_reads),
    Case("event streams", event_streams), Case("a deaf subscriber", deaf_and_latest),
    Case("a deaf subscriber to everything", deaf_and_all), Case("a deaf event stream", deaf_stream),
    Case("a deaf plain stream", deaf_plain_stream), Case("deaf and asking", deaf_and_asking),
    Case("deaf, asking all at once", deaf_in_one_message), Case("a deaf observer", deaf_observer),
    Case("deaf to pongs", deaf_to_pings),
]


# Where there is room for few.

def no_room(stands):
    """Connections above the bound are told so and closed, and there is room again when others have gone."""
    server = stands.server
    peers = [RawSocket(server) for _ in range(40)]
    refused = 0
    for peer in peers:
        # A client that sends nothing gets the refusal too, after `times.refusal`, if there are few
        # such clients.
        peer.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for peer in peers:
        status, headers, body = peer.response()
        if status == 200:
            continue
        refused += 1
        assert status == 503 and headers["retry-after"] and json.loads(body)["code"] == "too_many_connections"
        assert peer.closed()
    assert refused >= 20, refused
    for peer in peers:
        peer.close()


CROWDED = [Case("no room", no_room)]
