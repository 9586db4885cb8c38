"""Sinks that publish values at an MQTT broker."""

import json
import time

import pytest

from mosquitto import FakeBroker, Mosquitto, hold, packet, receive_packet
from sluice import Server, eventually

DOOR = "  door: { set: any, title: Front door }\n"


@pytest.fixture
def broker():
    with Mosquitto() as running:
        yield running


def definition(url, sinks, nodes=DOOR, account=""):
    return f'upstreams: {{ hall: {{ mqtt: "{url}"{account} }} }}\nnodes:\n{nodes}sinks:\n{sinks}'


def serve(broker, sinks, nodes=DOOR, more="", account="", **options):
    config = f'sinkHosts: ["127.0.0.1:{broker.port}"]\n'
    return Server({"g": definition(broker.url, sinks, nodes, account)}, config + more, **options)


def sink(server, name="out"):
    return next(each for each in server.get("/v1/graphs/g").json()["sinks"] if each["name"] == name)


OUT = '  out: { from: door, topic: "hall:house/door" }\n'


def test_values_are_published_and_kept(broker):
    with serve(broker, OUT) as server, broker.watching("house/#") as lines:
        server.set("g", "door", "open")
        eventually(lambda: lines[1:] == ['house/door "open"'] or 'house/door "open"' in lines)
        assert broker.retained("house/door") == '"open"'
        # Mode latest sends changes.
        server.set("g", "door", "open")
        server.set("g", "door", {"a": [1, 2.5, None]})
        eventually(lambda: 'house/door {"a":[1,2.5,null]}' in lines)
        assert lines.count('house/door "open"') == 1
        eventually(lambda: sink(server)["sent"] == 2)
        shown = sink(server)
        assert shown["to"] == broker.url and shown["waiting"] == 0 and shown["arrivedAt"]
        assert 'sluice_sink_sent_total{graph="g",sink="out"} 2' in server.get("/metrics").body.decode()
        # Quality 1: the broker has answered.
        assert "Sending PUBACK to sluice" in broker.log_text()


@pytest.mark.parametrize("quality", [0, 1])
def test_all_values_in_order_text_and_not_kept(broker, quality):
    sinks = (
        '  out: { from: door, topic: "hall:{node}/all", mode: all, retain: false, as: text, '
        f"qos: {quality} }}\n"
    )
    with serve(broker, sinks) as server, broker.watching("door/#") as lines:
        eventually(lambda: len(broker.clients()) == 1)
        values = ["a b", "a b", 1, True, "ö"]
        for value in values:
            server.set("g", "door", value)
        eventually(lambda: sink(server)["sent"] == 5)
        eventually(lambda: len([line for line in lines if line.startswith("door")]) == 5)
        assert [line for line in lines if line.startswith("door")] == [
            "door/all a b", "door/all a b", "door/all 1", "door/all true", "door/all ö",
        ]
        assert broker.retained("door/all") is None


def test_a_broker_that_is_away_gets_the_newest_value_when_it_is_back(broker):
    with serve(broker, OUT) as server:
        server.set("g", "door", 1)
        eventually(lambda: sink(server)["sent"] == 1)
        broker.kill()
        for value in range(2, 6):
            server.set("g", "door", value)
        eventually(lambda: sink(server).get("failure"))
        assert sink(server)["failingSince"]
        broker.start()
        eventually(lambda: broker.retained("house/door") == "5")
        eventually(lambda: "failure" not in sink(server) and sink(server)["waiting"] == 0)


def test_one_connection_for_all_sinks_until_the_last_one_ends(broker):
    sinks = OUT + '  more: { from: door, topic: "hall:more" }\n'
    with serve(broker, sinks) as server:
        server.set("g", "door", 1)
        eventually(lambda: broker.retained("more") == "1" and broker.retained("house/door") == "1")
        assert len(broker.clients()) == 1
        path = server.config.parent / "graphs" / "g.yaml"
        path.write_text(definition(broker.url, OUT))
        assert server.request("POST", "/v1/reload").status == 200
        server.set("g", "door", 2)
        eventually(lambda: broker.retained("house/door") == "2")
        assert broker.retained("more") == "1" and len(broker.clients()) == 1
        path.write_text(f"nodes:\n{DOOR}")
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: broker.clients() == set())
        assert "Received DISCONNECT from sluice" in broker.log_text()


def test_a_glob_publishes_a_topic_for_each_node(broker):
    nodes = "  sensor.{id}.celsius: { set: number }\n  other: { set: any }\n"
    sinks = '  out: { from: "sensor.*", topic: "hall:house/{node}" }\n'
    with serve(broker, sinks, nodes) as server:
        for i in range(50):
            server.set("g", f"sensor.s{i}.celsius", i)
        server.set("g", "other", 1)
        eventually(lambda: broker.retained("house/sensor/s49/celsius") == "49")
        assert broker.retained("house/sensor/s0/celsius") == "0"
        server.set("g", "sensor.s0.celsius", 100)
        eventually(lambda: broker.retained("house/sensor/s0/celsius") == "100")
        # The broker keeps nothing of a member that is gone.
        assert server.request("DELETE", "/v1/graphs/g/nodes/sensor.s1.celsius").status < 300
        eventually(lambda: broker.retained("house/sensor/s1/celsius") is None)
        assert broker.retained("house/other") is None
        eventually(lambda: sink(server)["waiting"] == 0 and sink(server)["sent"] >= 52)


def config_of(broker, path):
    text = broker.retained(f"homeassistant/{path}/config")
    return json.loads(text) if text else None


def test_home_assistant_is_told_about_the_nodes(broker):
    nodes = "  hall.lamp: { set: any }\n  indoor: { set: number, title: Indoor, unit: °C }\n"
    sinks = (
        '  lamp: { from: hall.lamp, topic: "hall:house/{node}", discovery: homeassistant }\n'
        '  indoor: { from: indoor, topic: "hall:t", discovery: homeassistant }\n'
    )
    with serve(broker, sinks, nodes) as server:
        server.set("g", "hall.lamp", True)
        server.set("g", "indoor", 21.5)
        eventually(lambda: broker.retained("house/hall/lamp") == "true" and broker.retained("t") == "21.5")
        lamp = config_of(broker, "binary_sensor/g/hall__lamp")
        assert lamp["state_topic"] == "house/hall/lamp" and lamp["name"] == "hall.lamp"
        assert (lamp["payload_on"], lamp["payload_off"]) == ("true", "false")
        assert lamp["unique_id"] == "sluice_g_hall.lamp"
        assert lamp["device"] == {"identifiers": ["sluice_g"], "name": "g"}
        indoor = config_of(broker, "sensor/g/indoor")
        assert indoor["name"] == "Indoor" and indoor["unit_of_measurement"] == "°C"
        assert indoor["state_topic"] == "t" and indoor["value_template"] == "{{ value_json }}"
        # A sink that is taken out of the definition takes its nodes along.
        path = server.config.parent / "graphs" / "g.yaml"
        path.write_text(definition(broker.url, sinks.splitlines(True)[1], nodes))
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: config_of(broker, "binary_sensor/g/hall__lamp") is None)
        assert config_of(broker, "sensor/g/indoor")
    # A server that stops leaves them.
    assert config_of(broker, "sensor/g/indoor")


def test_an_account_and_a_wrong_password():
    account = ", user: town, password: { secret: BROKER }"
    with Mosquitto({"town": "s3cret"}) as broker:
        environment = {"SLUICE_SECRET_BROKER": "s3cret"}
        with serve(broker, OUT, account=account, environment=environment) as server:
            server.set("g", "door", 1)
            eventually(lambda: broker.retained("house/door") == "1")
            assert b"s3cret" not in server.get("/v1/graphs/g").body + server.get("/metrics").body
        environment = {"SLUICE_SECRET_BROKER": "wrong"}
        with serve(broker, OUT, account=account, environment=environment) as server:
            server.set("g", "door", 2)
            eventually(lambda: "does not let" in sink(server).get("failure", ""))


def test_a_broker_that_does_not_answer_is_left_after_the_timeout():
    def act(connection):
        receive_packet(connection)
        connection.sendall(packet(0x20, b"\0\0"))
        hold(connection)

    sinks = '  out: { from: door, topic: "hall:house/door", timeout: 1s }\n'
    with FakeBroker(act) as broker, serve(broker, sinks) as server:
        server.set("g", "door", 1)
        eventually(lambda: broker.gone.is_set())
        eventually(lambda: sink(server).get("failure"))
        eventually(lambda: broker.connections > 1)


def test_a_server_that_stops_sends_what_waits(broker):
    with serve(broker, OUT) as server:
        eventually(lambda: len(broker.clients()) == 1)
        server.set("g", "door", "last")
        server.process.terminate()
        server.process.wait(60)
    assert broker.retained("house/door") == '"last"'


@pytest.mark.parametrize(
    "sinks, problem",
    [
        ('  out: { from: door, topic: "hall:house/+" }\n', "wildcard"),
        ('  out: { from: door, topic: "house/door" }\n', "name of an upstream"),
        ('  out: { from: door, topic: "attic:door" }\n', "no upstream 'attic'"),
        ('  out: { from: door, topic: "web:door" }\n', "needs an upstream with 'mqtt'"),
        ('  out: { from: door, topic: "hall:{id}" }\n', "no placeholder {id}"),
        ('  out: { from: "do*", topic: "hall:doors" }\n', "{node}"),
        ('  out: { from: door, topic: "hall:door", qos: 2 }\n', "qos"),
        ('  out: { from: door, topic: "hall:door", secret: A }\n', "unknown key 'secret'"),
        ('  out: { from: door, topic: "hall:door", url: "http://127.0.0.1:1" }\n', "only one of them"),
        ('  out: { from: door, topic: "hall:door", discovery: other }\n', "homeassistant"),
        ('  out: { from: door, url: "http://127.0.0.1:1", qos: 1 }\n', "unknown key 'qos'"),
        ("  out: { from: door }\n", "needs one of"),
        ('  out: { from: door, topic: "far:door" }\n', "sinks must not send to 'far.example'"),
    ],
)
def test_what_is_refused(sinks, problem):
    hosts = 'sinkHosts: ["127.0.0.1:1"]\nsourceHosts: ["127.0.0.1:1", far.example]\n'
    upstreams = (
        'upstreams: { hall: { mqtt: "mqtt://127.0.0.1:1" }, web: { url: "http://127.0.0.1:1" }, '
        'far: { mqtt: "mqtt://far.example" } }\n'
    )
    with Server({}, hosts) as server:
        graph = f"{upstreams}nodes:\n{DOOR}sinks:\n{sinks}"
        answer = server.request("PUT", "/v1/graphs/g", graph, {"Content-Type": "application/yaml"})
        assert answer.status == 400 and problem in answer.body.decode(), answer


def test_a_broker_that_only_sinks_may_reach_feeds_no_source(broker):
    source = '  x: { source: { topic: "hall:a" } }\n'
    with Server({}, f'sinkHosts: ["127.0.0.1:{broker.port}"]\n') as server:
        for nodes, status in [(DOOR, 201), (DOOR + source, 400)]:
            graph = definition(broker.url, OUT, nodes)
            answer = server.request("PUT", "/v1/graphs/g", graph, {"Content-Type": "application/yaml"})
            assert answer.status == status, answer
        assert "sources must not reach" in answer.body.decode()
