"""Demand, over real sockets (docs/protocol.md, Demand; docs/devices.md)."""

import os
import re
import subprocess
import sys

import pytest
from conftest import Client
from rawsocket import RawWebSocket
from sluice import BINARY, PATIENCE, ROOT, Server, eventually

FLEET = """
graph: fleet
nodes:
  sensor.{id}.celsius: { set: number }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
  warmest: { all: "sensor.*.celsius", reduce: max }
  target: { set: number, initial: 20, fresh: 400ms }
  shown: { from: target, pipe: [ { map: "value * 2" } ] }
"""


@pytest.fixture(scope="module")
def fleet():
    with Server({"fleet": FLEET}, "# fixed: times.load=300ms\n") as server:
        yield server


@pytest.fixture
def device(fleet):
    with Client(fleet) as device:
        yield device


def demand(device, *nodes):
    return device.ask(op="demand", graph="fleet", nodes=list(nodes))["m"]


def told(device):
    message = device.receive()
    assert message["op"] == "wanted", message
    return message["m"]


def test_two_clients_and_one_device(fleet, device):
    """D-1: true with the first listener of a derived node, false in the turn in which the last
    one's socket is reset."""
    assert demand(device, "target") == {"target": {"wanted": False}}
    first, second = RawWebSocket(fleet), RawWebSocket(fleet)
    for socket in (first, second):
        socket.text({"op": "sub", "id": 1, "graph": "fleet", "node": "shown"})
        assert socket.message()["op"] == "snap"
    assert told(device) == {"target": {"wanted": True}}
    before = fleet.counts("fleet")["listeners"]
    first.reset()
    device.quiet(0.2)
    second.reset()
    assert told(device) == {"target": {"wanted": False}}
    assert before == 2 and fleet.counts("fleet")["listeners"] == 0


def test_a_member_that_sleeps(fleet, device):
    """D-1, F-3, F-4: a listener brings an empty member to life, which is wanted; globs and all want
    what they mean."""
    assert demand(device, "sensor.7.*") == {}
    with Client(fleet) as client:
        assert client.ask(op="sub", graph="fleet", node="sensor.7.hot")["empty"] is True
        assert told(device) == {"sensor.7.celsius": {"wanted": True}}
        device.ask(op="set", graph="fleet", set={"sensor.7.celsius": 35})
        assert client.receive()["d"][0]["v"] is True
    assert told(device) == {"sensor.7.celsius": {"wanted": False}}
    with Client(fleet) as client:
        assert client.ask(op="sub", graph="fleet", node="warmest")["v"] == 35
        assert told(device) == {"sensor.7.celsius": {"wanted": True}}
        client.send(op="sub", id=2, graph="fleet", nodes=["sensor.*.celsius"])
        client.receive()
        client.send(op="unsub", id=1)
        client.receive()
        device.quiet(0.2)
    assert told(device) == {"sensor.7.celsius": {"wanted": False}}
    assert device.ask(op="drop", graph="fleet", node="sensor.7.celsius")["op"] == "ok"


def test_load_asks_until_something_comes(fleet, device):
    """D-2: an ask is repeated after times.load; a report is an answer; a value that becomes stale
    is asked for again."""
    demand(device, "sensor.9.celsius", "target")
    with Client(fleet) as client:
        client.ask(op="sub", graph="fleet", node="sensor.9.hot", load=True)
        for _ in range(3):
            assert told(device) == {"sensor.9.celsius": {"wanted": True, "load": True}}
        device.ask(op="load", graph="fleet", node="sensor.9.celsius", loading=True)
        device.quiet(0.6)
        device.ask(op="set", graph="fleet", set={"sensor.9.celsius": 20, "target": 21})
        client.send(op="sub", id=5, graph="fleet", node="shown", load=True)
        assert told(device) == {"target": {"wanted": True}}
        assert told(device) == {"target": {"wanted": True, "load": True}}
    assert told(device)["target"]["wanted"] is False
    assert device.ask(op="drop", graph="fleet", node="sensor.9.celsius")["op"] == "ok"


def test_load_by_http(fleet, device):
    """D-2: a read asks once and waits for nothing; a member that nobody listens to is not made."""
    demand(device, "sensor.*")
    assert fleet.get("/v1/graphs/fleet/nodes/sensor.3.hot?load=1").status == 204
    assert told(device) == {"sensor.3.celsius": {"wanted": False, "load": True}}
    assert fleet.get("/v1/graphs/fleet/values?nodes=sensor.4.celsius&load=1").status == 200
    assert told(device) == {"sensor.4.celsius": {"wanted": False, "load": True}}
    device.quiet(0.5)
    assert fleet.counts("fleet")["listeners"] == 0


@pytest.mark.parametrize("fields, code", [
    ({"nodes": ["shown"]}, "not_mutable"), ({"nodes": ["nothing"]}, "unknown_node"), ({}, "bad_field"),
    ({"nodes": ["target"], "owner": "me"}, "bad_field"),
])
def test_what_cannot_be_produced_is_refused(device, fields, code):
    assert device.ask(op="demand", graph="fleet", **fields)["code"] == code


def test_it_ends_with_unsub(fleet, device):
    demand(device, "target")
    device.send(op="unsub", id=1)
    assert device.receive() == {"op": "end", "id": 1, "code": "done", "released": 0}
    with Client(fleet) as client:
        client.ask(op="sub", graph="fleet", node="target")
        device.quiet(0.2)


def test_the_guide_as_it_is_written(tmp_path):
    """D-3: docs/devices.md, command by command."""
    guide = (ROOT / "docs/devices.md").read_text()
    for path, text in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", guide, re.S):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    blocks = dict(re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", guide, re.S))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sluice").symlink_to(BINARY)
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    run = {"cwd": tmp_path, "env": environment, "text": True}

    def begin(name):
        command = f"exec {blocks[name].strip()}".replace("python3", sys.executable)
        return subprocess.Popen(
            ["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **run
        )

    running = [begin("serve")]
    try:
        while "listening on" not in (line := running[0].stdout.readline()):
            assert line
        running.append(begin("device"))
        device = running[1].stdout
        assert device.readline() == "asleep\n"
        heard = subprocess.run(["bash", "-c", blocks["listen"]], capture_output=True, **run).stdout
        assert len(re.findall(r"event: upd", heard)) >= 2, heard
        assert [device.readline() for _ in range(2)] == ["awake\n", "asleep\n"]
        read = subprocess.run(["bash", "-c", blocks["load"]], capture_output=True, **run).stdout
        assert 5 < float(read) < 20
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(PATIENCE)


def test_a_feed_on_demand_sends_what_is_wanted():
    """D-3: sluice feed --on-demand sends nothing that nobody listens to, and at once what a client
    asks for."""
    definition = """
graph: host
nodes:
  uptime_s: { set: number }
  load_1: { set: number }
  mem_total: { set: number }
"""
    with Server({"host": definition}) as server:
        url = f"http://127.0.0.1:{server.port}"
        with Client(server) as client:
            client.ask(op="sub", graph="host", node="uptime_s", load=True)
            feed = subprocess.Popen(
                [BINARY, "feed", "host", "--on-demand", "--interval", "100ms", "--url", url]
            )
            try:
                assert client.receive()["d"][0]["v"] > 0
                assert client.receive()["op"] == "upd"
                client.send(op="sub", id=2, graph="host", node="load_1")
                snap = client.receive()
                while snap["op"] != "snap":
                    snap = client.receive()
                assert snap["empty"] is True, "nothing was sent before"
                eventually(lambda: server.get("/v1/graphs/host/nodes/load_1").status == 200, what="the load")
                assert server.get("/v1/graphs/host/nodes/mem_total").status == 204
            finally:
                feed.terminate()
                feed.wait(PATIENCE)
