"""Source nodes that are fed by topics of an MQTT broker."""

import contextlib
import json
import random
import re
import socket
import subprocess
import threading
import time

import pytest

from mosquitto import (
    CONNACK, FakeBroker, Mosquitto, drip, hold, let_in, message, packet, receive_packet,
)
from rawsocket import RawWebSocket
from redis_server import Instance, Redis
from sluice import PATIENCE, ROOT, Server, eventually
from sources import BOUNDS, held, listening, open_upstreams, state
from test_source_lives import Listener
from test_tls import certificate

X = '  x: { source: { topic: "hall:a/temperature", pick: value.c } }\n'
FAMILY = '  hall.{sensor}: { source: { topic: "hall:sensors/{sensor}/temperature" } }\n'


@pytest.fixture
def broker():
    with Mosquitto() as running:
        yield running


def definition(url, nodes, account=""):
    return f'upstreams: {{ hall: {{ mqtt: "{url}"{account} }} }}\nnodes:\n{nodes}'


def serve(broker, nodes, more="", account="", **options):
    config = f'sourceHosts: ["127.0.0.1:{broker.port}"]\n'
    return Server({"g": definition(broker.url, nodes, account)}, config + more, **options)


def is_settled(server, node="x"):
    """Whether nothing is known beside the value but its time."""
    return set(state(server, node)) <= {"t"}


def error(server, node="x"):
    return state(server, node).get("error", {})


def test_s_1_a_topic_is_subscribed_while_somebody_listens(broker):
    """S-1."""
    nodes = X + "  y: { from: x, pipe: [ { map: value * 10 } ] }\n"
    with serve(broker, nodes) as server:
        assert server.get("/v1/graphs/g/nodes/x").status == 204
        assert open_upstreams(server) == [] and broker.clients() == set()
        with listening(server, "y") as (peer, snap):
            assert snap["empty"]
            eventually(lambda: broker.subscribed("a/temperature") == 1)
            eventually(lambda: open_upstreams(server)[0]["state"] == "open")
            assert state(server, "x") == {"loading": True}
            broker.publish("a/temperature", '{"c": 2}')
            assert peer.message()["d"] == [{"id": 1, "v": 20}]
            assert is_settled(server)
        eventually(lambda: broker.clients() == set())
        assert broker.subscribed("a/temperature") == 0 and open_upstreams(server) == []
        # The client has said goodbye, and the value stays.
        assert "Received DISCONNECT from sluice" in broker.log_text()
        assert held(server, "x") == 2


@pytest.mark.parametrize("how", ["close", "reset"])
def test_s_1_other_topics_stay_when_one_is_left(broker, how):
    """S-1."""
    with serve(broker, X + '  z: { source: { topic: "hall:z" } }\n') as server:
        with listening(server, "z"):
            with listening(server, "x") as (peer, _):
                eventually(lambda: broker.subscribed("a/temperature") == broker.subscribed("z") == 1)
                assert len(broker.clients()) == 1
                if how == "reset":
                    peer.reset()
            eventually(lambda: broker.subscribed("a/temperature") == 0)
            assert broker.subscribed("z") == 1 and len(broker.clients()) == 1


def test_s_1_a_read_with_load_takes_the_retained_message(broker):
    """S-1."""
    broker.publish("a/temperature", '{"c": 5}', retain=True)
    with serve(broker, X) as server:
        assert server.get("/v1/graphs/g/nodes/x?load=1").json() == 5
        eventually(lambda: broker.clients() == set())
        assert open_upstreams(server) == []


def test_s_2_one_connection_and_one_subscription_for_all(broker):
    """S-2."""
    nodes = (
        X + '  raw: { source: { topic: "hall:a/temperature", as: text } }\n'
        '  other: { source: { topic: "hall:b" } }\n'
    )
    with serve(broker, nodes) as server:
        graph = definition(broker.url, '  also: { source: { topic: "hall:a/temperature" } }\n')
        answer = server.request("PUT", "/v1/graphs/h", graph, {"Content-Type": "application/yaml"})
        assert answer.status in (200, 201), answer
        with listening(server, "x"), listening(server, "other"), RawWebSocket(server) as peer:
            eventually(lambda: broker.subscribed("a/temperature") == broker.subscribed("b") == 1)
            broker.publish("a/temperature", '{"c": 7}')
            eventually(lambda: held(server, "x") == 7)
            # The message is not retained: who joins later gets the last one that came.
            peer.subscribe("h", "also")
            assert peer.message()["d"] == [{"id": 1, "v": {"c": 7}}]
            with listening(server, "raw"):
                eventually(lambda: held(server, "raw") == '{"c": 7}')
            assert len(broker.clients()) == 1 and broker.subscribed("a/temperature") == 1
            shown = {each["from"]: each["nodes"] for each in open_upstreams(server)}
            assert shown == {broker.url: 1}
            metrics = server.get("/metrics").body.decode()
            assert f'sluice_upstreams{{upstream="{broker.url}"}} 2' in metrics
            assert f'sluice_upstream_items_total{{upstream="{broker.url}"}} 1' in metrics
            assert f'sluice_upstream_requests_total{{upstream="{broker.url}"}} 2' in metrics


def test_s_2_a_long_retained_message_is_there_for_who_joins_later(broker):
    """S-2: it is not kept here."""
    long = json.dumps("x" * 100_000)
    broker.publish("long", long, retain=True)
    nodes = '  a: { source: { topic: "hall:long" } }\n  b: { source: { topic: "hall:long" } }\n'
    with serve(broker, nodes) as server, listening(server, "a"):
        eventually(lambda: held(server, "a") == "x" * 100_000)
        with listening(server, "b"):
            eventually(lambda: held(server, "b") == "x" * 100_000)


def test_s_3_a_message_is_a_commit(broker):
    """S-3."""
    with serve(broker, X + FAMILY) as server:
        with listening(server, "hall.attic") as (peer, _), listening(server, "x") as (other, _):
            eventually(lambda: broker.subscribed("sensors/attic/temperature") == 1)
            broker.publish("sensors/attic/temperature", "21.5")
            assert peer.message()["d"] == [{"id": 1, "v": 21.5}]
            broker.publish("sensors/attic/temperature", "21.5")
            broker.publish("sensors/attic/temperature", "22")
            assert peer.message()["d"] == [{"id": 1, "v": 22}]
            broker.publish("a/temperature", '{"c": 1}')
            assert other.message()["d"] == [{"id": 1, "v": 1}]
        log = server.get("/v1/graphs/g/log?limit=1000")
        if log.status == 200:
            assert b'"source"' in log.body


def test_s_4_a_broker_that_goes_and_comes_back(broker):
    """S-4."""
    broker.publish("a/temperature", '{"c": 1}', retain=True)
    with serve(broker, X) as server, listening(server) as (peer, _):
        assert peer.message()["d"] == [{"id": 1, "v": 1}]
        broker.kill()
        eventually(lambda: error(server).get("code") == "unreachable")
        shown = error(server)
        assert shown["retryAt"] > shown["at"] and held(server, "x") == 1
        assert open_upstreams(server)[0]["state"] == "failed"
        # A listener that comes meanwhile learns it at once.
        with listening(server, "x"):
            assert error(server)
        broker.start()
        eventually(lambda: broker.subscribed("a/temperature") >= 1)
        broker.publish("a/temperature", '{"c": 2}')
        eventually(lambda: held(server, "x") == 2 and is_settled(server))


def test_s_4_what_is_no_json_is_a_failure_beside_the_last_value(broker):
    """S-4."""
    with serve(broker, X) as server, listening(server):
        eventually(lambda: broker.subscribed("a/temperature") == 1)
        broker.publish("a/temperature", '{"c": 1}')
        eventually(lambda: held(server, "x") == 1)
        for payload, code in [("{", "bad_answer"), ("", "bad_answer"), ("{}", "not_found")]:
            broker.publish("a/temperature", payload)
            eventually(lambda: error(server).get("code") == code)
        assert held(server, "x") == 1
        broker.publish("a/temperature", '{"c": 3}')
        eventually(lambda: held(server, "x") == 3 and is_settled(server))


def test_s_8_one_of_several_servers_subscribes_and_another_takes_over(broker):
    """S-8."""
    graph = {"g": definition(broker.url, X)}
    config = f'sourceHosts: ["127.0.0.1:{broker.port}"]\n'
    with Redis() as redis:
        one = Instance(redis, graph, config)
        with one, Instance(redis, graph, config) as two, listening(two):
            eventually(lambda: broker.subscribed("a/temperature") == 1)
            broker.publish("a/temperature", '{"c": 4}')
            eventually(lambda: held(one, "x") == held(two, "x") == 4)
            assert len(broker.clients()) == 1
            asking = [server for server in (one, two) if open_upstreams(server)]
            if asking == [one]:
                one.kill()
                eventually(lambda: broker.log_text().count("Received SUBSCRIBE from sluice") == 2)
                broker.publish("a/temperature", '{"c": 5}')
                eventually(lambda: held(two, "x") == 5)


def test_a_new_definition_subscribes_only_what_has_changed(broker):
    with serve(broker, X) as server, listening(server):
        eventually(lambda: broker.subscribed("a/temperature") == 1)
        graph = definition(broker.url, X.replace("a/temperature", "b/temperature"))
        (server.config.parent / "graphs" / "g.yaml").write_text(graph)
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: broker.subscribed("b/temperature") == 1)
        eventually(lambda: broker.subscribed("a/temperature") == 0)
        # The connection is the same.
        assert broker.log_text().count(" as sluice") == 1
        broker.publish("b/temperature", '{"c": 9}')
        eventually(lambda: held(server, "x") == 9)


def test_who_comes_and_goes_does_not_make_the_server_connect_all_the_time(broker):
    with serve(broker, X) as server:
        began = time.monotonic()
        for _ in range(20):
            with listening(server):
                pass
        seconds = time.monotonic() - began
        eventually(lambda: broker.clients() == set())
        assert broker.log_text().count(" as sluice") <= 2 + seconds


# Accounts, secrets and certificates


def test_user_and_password_and_neither_is_shown():
    account = ", user: town, password: { secret: BROKER }"
    with Mosquitto({"town": "s3cret"}) as broker:
        environment = {"SLUICE_SECRET_BROKER": "s3cret"}
        with serve(broker, X, account=account, environment=environment) as server, listening(server):
            eventually(lambda: broker.subscribed("a/temperature") == 1)
            broker.publish("a/temperature", '{"c": 1}')
            eventually(lambda: held(server, "x") == 1)
            for path in ("/v1/graphs/g", "/v1/graphs/g/definition", "/v1/graphs/g/graph?live=1",
                         "/v1/connections", "/metrics"):
                assert b"s3cret" not in server.get(path).body
            assert "s3cret" not in server.log_text()
        environment = {"SLUICE_SECRET_BROKER": "wrong"}
        with serve(broker, X, account=account, environment=environment) as server, listening(server):
            eventually(lambda: error(server).get("code") == "forbidden")
            assert "wrong" not in json.dumps(error(server)) and error(server)["retryAt"]
        with serve(broker, X) as server, listening(server):
            eventually(lambda: error(server).get("code") == "forbidden")


def test_a_topic_that_the_broker_denies():
    def act(connection):
        let_in(connection, subscribes=False)
        _, body = receive_packet(connection)
        connection.sendall(packet(0x90, body[:2] + b"\x80"))
        hold(connection)

    with FakeBroker(act) as broker, serve(broker, X) as server, listening(server):
        eventually(lambda: error(server).get("code") == "forbidden")
        assert "topic" in error(server)["msg"] and error(server)["retryAt"]


def test_certificates_are_checked(tmp_path):
    (tmp_path / "right").mkdir()
    (tmp_path / "other").mkdir()
    right, other = certificate(tmp_path / "right"), certificate(tmp_path / "other")
    with Mosquitto(certificate=right) as broker:
        broker.publish("a/temperature", '{"c": 1}', retain=True)
        environment = {"SSL_CERT_FILE": str(right[0])}
        with serve(broker, X, environment=environment) as server, listening(server):
            eventually(lambda: held(server, "x") == 1)
        environment = {"SSL_CERT_FILE": str(other[0])}
        with serve(broker, X, environment=environment) as server, listening(server):
            eventually(lambda: error(server).get("code") == "untrusted")
    # It covers another name.
    (tmp_path / "named").mkdir()
    named = certificate(tmp_path / "named", name="elsewhere", covers="DNS:elsewhere")
    with Mosquitto(certificate=named) as broker:
        environment = {"SSL_CERT_FILE": str(named[0])}
        with serve(broker, X, environment=environment) as server, listening(server):
            eventually(lambda: error(server).get("code") == "untrusted")


# What may be written


@pytest.mark.parametrize(
    "nodes, account, problem",
    [
        ('  x: { source: { topic: "hall:a/+/b" } }\n', "", "wildcard"),
        ('  x: { source: { topic: "hall:a/#" } }\n', "", "wildcard"),
        ('  x: { source: { topic: "hall:" } }\n', "", "at least one character"),
        ('  x: { source: { topic: "hall" } }\n', "", "name of an upstream"),
        ('  x: { source: { topic: "hall:a\\u0007" } }\n', "", "control"),
        ('  x.{id}: { source: { topic: "hall:a/{id*}" } }\n', "", "for one member"),
        ('  x.{id}: { source: { topic: "hall:a" } }\n', "", "nothing uses the placeholder"),
        ('  x: { source: { get: "hall:/a" } }\n', "", "needs an upstream with 'url'"),
        ('  x: { source: { topic: "hall:a", every: 1s } }\n', "", "unknown key 'every'"),
        (X, ", password: { secret: BROKER }", "needs a 'user'"),
        (X, ", user: town, password: { secret: NONE }", "no secret"),
        (X, ", user: town, password: plain", "password"),
        (X, ", headers: { A: b }", "unknown key 'headers'"),
        (X, ", url: 'http://127.0.0.1'", "only one of them"),
    ],
)
def test_what_is_refused(nodes, account, problem):
    with Server({}, 'sourceHosts: ["127.0.0.1:1"]\n') as server:
        graph = definition("mqtt://127.0.0.1:1", nodes, account)
        answer = server.request("PUT", "/v1/graphs/g", graph, {"Content-Type": "application/yaml"})
        assert answer.status == 400 and problem in answer.body.decode(), answer


@pytest.mark.parametrize(
    "url, hosts, problem",
    [
        ("mqtt://broker.example", "[]", "sources must not reach 'broker.example'"),
        ("mqtt://broker.example", "[broker.example]", None),
        ("mqtt://broker.example", "['broker.example:1883']", None),
        ("mqtts://broker.example", "['broker.example:1883']", "sources must not reach"),
        ("mqtts://broker.example", "['broker.example:8883']", None),
        ("mqtt://broker.example/path", "[broker.example]", "no path"),
        ("http://broker.example", "[broker.example]", "mqtt must be an address"),
    ],
)
def test_hosts_and_ports(url, hosts, problem):
    with Server({}, f"sourceHosts: {hosts}\n") as server:
        answer = server.request(
            "PUT", "/v1/graphs/g", definition(url, X), {"Content-Type": "application/yaml"}
        )
        assert (answer.status in (200, 201)) if problem is None else problem in answer.body.decode(), answer


def test_a_name_that_leads_into_a_private_network_is_not_reached(broker):
    graph = definition(broker.url.replace("127.0.0.1", "localhost"), X)
    hosts = f"localhost:{broker.port}"
    with Server({"g": graph}, f'sourceHosts: ["{hosts}"]\n') as server, listening(server):
        eventually(lambda: error(server).get("code") == "not_permitted")
        assert "New client" not in broker.log_text()
    with Server({"g": graph}, f'sourceHosts: ["{hosts}=127.0.0.0/8"]\n') as server, listening(server):
        eventually(lambda: broker.subscribed("a/temperature") == 1)


# Hostile brokers


def endless(connection):
    """A message that is as long as allowed for a moment, and then does not end."""
    let_in(connection)
    connection.sendall(b"\x30\xff\xff\xff\x7f\x00\x0da/temperature")
    while True:
        connection.sendall(b"x" * 65_536)


def too_long(connection):
    let_in(connection)
    connection.sendall(message("a/temperature", b'"' + b"x" * (200 << 10) + b'"'))
    hold(connection)


def without_topic(connection):
    let_in(connection)
    connection.sendall(packet(0x30, b"\xff\xff" + b"x" * 10))
    hold(connection)


def quality_2(connection):
    let_in(connection)
    while True:
        connection.sendall(packet(0x34, b"\x00\x0da/temperature\x00\x01" + b"x" * 1_000))


@pytest.mark.parametrize(
    "act, code",
    [
        (endless, "bad_answer"),
        (too_long, "bad_answer"),
        (without_topic, "bad_answer"),
        (quality_2, "bad_answer"),
        (lambda c: (c.sendall(b"\x20\xff\xff\xff\x7f"), hold(c)), "bad_answer"),
        (lambda c: (c.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"), hold(c)), "bad_answer"),
        (lambda c: (let_in(c), c.sendall(bytes(range(256)) * 100), hold(c)), "bad_answer"),
        (lambda c: (let_in(c), c.sendall(CONNACK), hold(c)), "bad_answer"),
        (lambda c: (receive_packet(c), c.sendall(packet(0x20, b"\0\3")), hold(c)), "refused"),
        (lambda c: (receive_packet(c), c.sendall(packet(0x20, b"\0\5")), hold(c)), "forbidden"),
        (lambda c: (receive_packet(c), c.sendall(packet(0x20, b"\0\4"))), "forbidden"),
        (lambda c: hold(c), "timeout"),
        (lambda c: (let_in(c, subscribes=False), hold(c)), "timeout"),
        (lambda c: (let_in(c), drip(c, message("a/temperature", b"1" * 4_000))), "timeout"),
        (lambda c: None, "unreachable"),
        (lambda c: let_in(c), "unreachable"),
    ],
)
def test_hostile_brokers_are_named_and_bounded(act, code):
    with FakeBroker(act) as broker, serve(broker, X + "  z: { set: any }\n", BOUNDS) as server:
        with listening(server):
            before = server.resident()
            eventually(lambda: error(server).get("code") == code)
            shown = error(server)
            assert shown["msg"] and shown["retryAt"] > shown["at"]
            server.set("g", "z", 1)
            assert server.resident() - before < 16 << 20
        eventually(lambda: open_upstreams(server) == [])


@pytest.mark.parametrize("quality", [0, 1])
def test_a_broker_that_floods_is_folded_and_holds_up_nobody(quality):
    ends, takes = threading.Event(), threading.Event()
    id = b"" if quality == 0 else b"\0\1"
    one = packet(0x30 | quality << 1, b"\x00\x0da/temperature" + id + b'{"c": 1}')
    last = packet(0x30 | quality << 1, b"\x00\x0da/temperature" + id + b'{"c": "last"}')

    def read(connection):
        """Of quality 1 the client's answers, and first nothing of them."""
        takes.wait(60)
        with contextlib.suppress(OSError):
            hold(connection)

    def act(connection):
        let_in(connection)
        threading.Thread(target=read, args=(connection,), daemon=True).start()
        while not ends.is_set():
            connection.sendall(one * 1_000)
        connection.sendall(last)
        ends.wait(60)
        time.sleep(60)

    with FakeBroker(act) as broker, serve(broker, X + "  z: { set: any }\n") as server, listening(server):
        eventually(lambda: held(server, "x"))
        before = server.resident()
        slowest = 0
        for i in range(50):
            began = time.monotonic()
            server.set("g", "z", i)
            slowest = max(slowest, time.monotonic() - began)
        assert server.resident() - before < 32 << 20
        takes.set()
        ends.set()
        eventually(lambda: held(server, "x") == "last")
        print("slowest set beside the flood:", slowest)


def test_long_messages_arrive_whole(broker):
    with serve(broker, X) as server, listening(server):
        eventually(lambda: broker.subscribed("a/temperature") == 1)
        for size in (900_000, 1_040_000):
            broker.publish("a/temperature", json.dumps({"pad": "x" * size, "c": size}))
            eventually(lambda: held(server, "x") == size)


def test_many_topics_share_a_connection(broker):
    """S-1, S-2: and all of them come back after the broker did."""
    with serve(broker, FAMILY) as server, RawWebSocket(server) as peer:
        for i in range(500):
            peer.text({"op": "sub", "id": i + 1, "graph": "g", "node": f"hall.s{i}"})
        eventually(lambda: broker.log_text().count("Received SUBSCRIBE from sluice") == 500)
        assert len(broker.clients()) == 1
        broker.publish("sensors/s499/temperature", "1")
        eventually(lambda: held(server, "hall.s499") == 1)
        broker.kill()
        eventually(lambda: error(server, "hall.s7").get("code") == "unreachable")
        broker.start()
        eventually(lambda: broker.log_text().count("Received SUBSCRIBE from sluice") == 1_000)
        broker.publish("sensors/s0/temperature", "2")
        eventually(lambda: held(server, "hall.s0") == 2)


class Counting:
    """What a fake broker does that knows which topics are subscribed, and ends connections at times."""

    def __init__(self):
        self.topics, self.connection = set(), None

    def __call__(self, connection):
        let_in(connection, subscribes=False)
        self.topics, self.connection = set(), connection
        try:
            while True:
                control, body = receive_packet(connection)
                topic = body[4 : 4 + int.from_bytes(body[2:4], "big")].decode()
                if control == 0x82:
                    self.topics.add(topic)
                    connection.sendall(packet(0x90, body[:2] + b"\1") + message(topic, b"1"))
                elif control == 0xA2:
                    self.topics.discard(topic)
                    connection.sendall(packet(0xB0, body[:2]))
                elif control == 0xE0:
                    return
        finally:
            if self.connection is connection:
                self.topics = set()


def test_s_1_no_life_of_a_listener_leaves_a_topic_subscribed():
    """S-1."""
    rng, counting = random.Random(48), Counting()
    nodes = FAMILY + '  "d.{id}": { from: "hall.{id}", pipe: [ { map: value + 1 } ] }\n'
    names = [f"{kind}.{i}" for kind in ("hall", "d") for i in range(30)]
    limits = "limits: { subs: 100000, messages: 0, members: 100000 }\n"
    with (
        FakeBroker(counting) as broker,
        serve(broker, nodes, limits) as server,
        contextlib.ExitStack() as stack,
    ):
        listeners = [Listener(server, rng, names) for _ in range(6)]
        stack.callback(lambda: [listener.peer.close() for listener in listeners])
        for turn in range(60):
            for listener in listeners:
                listener.step(5)
            if turn % 20 == 19 and counting.connection:
                # The broker is gone for a moment.
                with contextlib.suppress(OSError):
                    counting.connection.shutdown(socket.SHUT_RDWR)
            for listener in listeners:
                listener.settle()
            wanted = {node.split(".")[1] for each in listeners for node, _ in each.wanted.values()}
            topics = {f"sensors/{each}/temperature" for each in wanted}
            eventually(lambda: counting.topics == topics)
        for listener in listeners:
            listener.peer.reset()
        eventually(lambda: counting.topics == set() and open_upstreams(server) == [])


def test_the_commands_of_the_guide():
    guide = (ROOT / "docs/broker.md").read_text()
    graph = re.search(r"```yaml\n(graph: hall.*?)```", guide, re.S)[1]
    blocks = dict(re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", guide, re.S))
    assert blocks["broker"].startswith("mosquitto -p 1883") and "1883" in blocks["serve"]
    with Mosquitto() as broker:
        hosts = "".join(
            f'{key}: ["127.0.0.1:{broker.port}"]\n'
            for key in re.findall(r"--set (\w+)=127.0.0.1:1883", blocks["serve"])
        )
        with Server({"hall": graph.replace("1883", str(broker.port))}, hosts) as server:
            for name in ("publish", "sink", "load"):
                for line in blocks[name].splitlines():
                    command, _, answer = line.partition("   # ")
                    command = re.sub("^mosquitto_(pub|sub)", rf"\g<0> -p {broker.port}", command)
                    command = command.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
                    run = subprocess.run(
                        ["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE
                    )
                    assert run.returncode == 0 and run.stdout.strip() == answer, (line, run)
