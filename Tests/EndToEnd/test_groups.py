"""Grouped joins and the first of all, over real sockets (docs/definitions.md, Groups)."""

import subprocess

import pytest
from conftest import Client
from sluice import BINARY, Server, eventually

BUILDING = """
graph: building
nodes:
  room.{r}.sensor.{s}.celsius: { set: number, expire: 1s }
  room.{r}.mean: { all: "room.{r}.sensor.{s}.celsius", reduce: avg, map: "round(value, 1)", history: 5 }
  room.{r}.sensors: { all: "room.{r}.sensor.{s}.celsius", reduce: object }
  warmest: { all: "room.*.mean", reduce: { top: 2, by: value } }
"""


def sensor(room, name):
    return f"room.{room}.sensor.{name}.celsius"


@pytest.fixture
def building(tmp_path):
    with Server({"building": BUILDING}, f"dataDir: {tmp_path}\n") as server:
        yield server


def test_rooms_have_their_means(building):
    """X-6, X-7: sensors come, expire and are dropped; listeners to names and globs see it."""
    with Client(building) as client:
        client.send(op="sub", id=1, graph="building", node="room.hall.mean")
        assert client.receive()["empty"] is True
        client.send(op="sub", id=2, graph="building", nodes=["room.*.mean"])
        assert client.receive()["m"] == {}
        values = {sensor("hall", "a"): 20, sensor("hall", "b"): 23, sensor("attic", "a"): 30}
        building.batch("building", set=values)
        assert client.receive()["d"] == [
            {"id": 1, "v": 21.5},
            {"id": 2, "m": {"room.attic.mean": {"v": 30}, "room.hall.mean": {"v": 21.5}}},
        ]
        assert building.value("building", "room.hall.sensors") == {"a": 20, "b": 23}
        assert building.value("building", "warmest") == [
            {"node": "room.attic.mean", "value": 30}, {"node": "room.hall.mean", "value": 21.5},
        ]
        found = building.get("/v1/graphs/building/nodes?match=room.*.mean").json()["nodes"]
        assert [each["name"] for each in found] == ["room.attic.mean", "room.hall.mean"]
        gone = []
        while len(gone) < 2:
            gone += [
                name for each in client.receive()["d"] for name, new in each.get("m", {}).items()
                if new.get("gone")
            ]
        assert sorted(gone) == ["room.attic.mean", "room.hall.mean"]
    assert building.get("/v1/graphs/building/nodes/room.hall.mean").status == 204
    eventually(lambda: building.alive("building") == set())


def test_the_past_and_a_restart(tmp_path):
    """X-6: groups are computed for any moment of the past, and come back after a restart."""
    text = BUILDING.replace(", expire: 1s", "")
    settings = f"dataDir: {tmp_path}\n"
    with Server({"building": text}, settings) as server:
        server.batch("building", set={sensor("hall", "a"): 20})
        server.batch("building", set={sensor("hall", "b"): 24})
        server.request("DELETE", f"/v1/graphs/building/nodes/{sensor('hall', 'a')}")
        node = "/v1/graphs/building/nodes/room.hall.mean"
        assert server.get(node).json() == 24
        assert server.get(f"{node}?at=2").json() == 20
        assert server.get(f"{node}?at=3").json() == 22
        explained = server.get(f"{node}/explain").json()["nodes"]
        assert explained[0]["inputs"] == [sensor("hall", "b")]
    with Server({"building": text}, settings) as server:
        assert server.get(node).json() == 24
        server.batch("building", set={sensor("hall", "c"): 26})
        assert server.get(node).json() == 25


@pytest.mark.parametrize("line, problem", [
    ('m.{r}: { all: "room.{x}.sensor.{s}.celsius", reduce: avg }', "lacks {r}"),
    ('m.{r}: { all: "room.{r}.sensor.{s}.celsuis", reduce: avg }', "did you mean"),
    ('m.{r}: { all: "room.{r}.sensor.{z}.celsius", reduce: avg }', "{z} is neither in"),
    ('m.{r}: { all: "room.*.celsius", reduce: avg }', "must name a family"),
    ('m: { all: "room.*.celsius", reduce: top }', "{ top: 10, by:"),
    ('m: { all: "room.*.celsius", reduce: { top: 5000, by: value } }', "from 1 to 1000"),
])
def test_problems_have_a_place_and_say_what_to_do(tmp_path, line, problem):
    """X-6, X-7: what sluice check says of groups that cannot be."""
    file = tmp_path / "g.yaml"
    file.write_text(f"nodes:\n  room.{{r}}.sensor.{{s}}.celsius: {{ set: number }}\n  {line}\n")
    ran = subprocess.run([BINARY, "check", file], capture_output=True, text=True)
    assert ran.returncode != 0
    assert "g.yaml:3:" in ran.stdout + ran.stderr
    assert problem in ran.stdout + ran.stderr
