"""Looking at a part of a graph, at what keeps a node alive, and letting go of what nobody needs
(I-1 … I-4)."""

import json
import subprocess

import pytest
from conftest import CHAIN, Client
from sluice import BINARY, PATIENCE, Server, eventually
from test_observe import Observer

KEPT = """
graph: k
nodes:
  x: { set: number, initial: 1 }
  a: { set: number }
  b: { set: number }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  sum: { from: double, pipe: [ { scan: { start: 0, with: "acc + value" } } ], retain: untilPressure }
  room.warm: { from: x, pipe: [ { map: "value > 20" } ], retain: untilPressure }
sync:
  - { a: a, b: b }
links:
  - { from: double, to: a, pipe: [ { map: "value + 1" } ] }
  - { from: a, to: x, pipe: [ { filter: "value < 0" } ] }
"""


@pytest.fixture(scope="module")
def server():
    with Server({"g": CHAIN, "k": KEPT}) as running:
        yield running


def sluice(*arguments):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE)


def names(picture):
    return {node["name"] for node in picture["nodes"] if "name" in node}


# I-1: around and depth

def test_a_picture_of_the_surroundings(server):
    """I-1: JSON, DOT and Mermaid show what is near, and nothing else."""
    def picture(query):
        answer = server.get(f"/v1/graphs/g/graph?{query}")
        assert answer.status == 200, answer
        return answer

    assert names(picture("around=deep&depth=1").json()) == {"double", "deep"}
    assert names(picture("around=deep").json()) == {"x", "double", "deep", "sum"}, "two lines are customary"
    assert names(picture("around=any&depth=16").json()) == {"any"}
    dot = picture("around=deep&depth=1&format=dot").body.decode()
    assert '"double" -> "deep"' in dot and "kept" not in dot
    mermaid = picture("around=deep&depth=1&format=mermaid").body.decode()
    assert mermaid.count("-.->") == 1 and "kept" not in mermaid
    with Client(server) as client:
        client.ask(op="sub", graph="g", node="deep", owner="panel")
        live = picture("around=x&depth=1&live=1").json()
        assert names(live) == {"x", "double", "kept", "changes", "sum"}
        assert live["listeners"] == [], "who listens to deep is two lines away"
        live = picture("around=double&depth=2&live=1").json()
        (listener,) = live["listeners"]
        assert listener["owners"] == ["panel"]
        assert {node["n"] for node in live["nodes"] if "n" in node} >= {
            edge["from"] for edge in live["edges"]
        }


@pytest.mark.parametrize("query, status, code, hint", [
    ("around=depe", 404, "unknown_node", "did you mean 'deep'?"),
    ("around=weather", 404, "unknown_node", None),
    ("around=x&depth=0", 400, "bad_field", None),
    ("around=x&depth=17", 400, "bad_field", None),
    ("around=x&depth=many", 400, "bad_field", None),
    ("depth=2", 400, "bad_field", None),
])
def test_invalid_surroundings(server, query, status, code, hint):
    """I-1: an unknown node and a bad depth are refused with code, and a hint where one can be given."""
    answer = server.get(f"/v1/graphs/g/graph?{query}")
    assert (answer.status, answer.json()["code"], answer.json().get("hint")) == (status, code, hint)


def test_the_past_has_surroundings_too():
    with Server({"g": CHAIN}, keeps=True) as server:
        for value in (5, 6, 7):
            server.set("g", "x", value)
        picture = server.get("/v1/graphs/g/graph?around=double&depth=1&at=2").json()
        assert picture["rev"] == 2 and names(picture) == {"x", "double", "deep", "sum"}
        assert next(node for node in picture["nodes"] if node["name"] == "double")["v"] == 10
        assert server.get("/v1/graphs/g/graph?around=no&at=2").json()["code"] == "unknown_node"


class Near(Observer):
    """An observer of a part, which agrees with the picture of that part."""

    def __init__(self, client, **part):
        self.part = part
        ask = client.ask
        client.ask = lambda **message: ask(**message, **part)
        super().__init__(client)
        client.ask = ask
        self.names = set(self.absent) | {node["name"] for node in self.nodes.values() if "name" in node}

    def follow(self):
        news = self.client.receive()
        assert news["op"] == "topod" and news["seq"] == self.seq + 1
        self.seq += 1
        for node in news["add"]["nodes"]:
            if "n" in node:
                self.nodes[node["n"]] = node
            if "name" in node:
                self.names.add(node["name"])
        self.edges |= {edge["e"]: edge for edge in news["add"]["edges"]}
        self.listeners |= {entry["l"]: entry for entry in news["add"]["listeners"]}
        for node in news["del"]["nodes"]:
            if "n" in node:
                del self.nodes[node["n"]]
            else:
                assert node["reason"] in ("away", "removed")
                self.names.remove(node["name"])
        for edge in news["del"]["edges"]:
            del self.edges[edge]
        for entry in news["del"]["listeners"]:
            del self.listeners[entry["l"]]
        for number, held, count, change in news["val"]:
            for form in ("v", "empty", "fail"):
                self.nodes[number].pop(form, None)
            self.nodes[number].update(held, count=count, c=change)
        for number, owners, *_ in news["own"]:
            self.nodes[number]["owners"] = owners

    def agrees(self, server):
        part = "&".join(f"{key}={value}" for key, value in self.part.items())
        picture = server.get(f"/v1/graphs/g/graph?live=1&{part}").json()
        return (set(self.nodes) == {node["n"] for node in picture["nodes"] if "n" in node}
                and self.names == names(picture)
                and set(self.edges) == {edge["e"] for edge in picture["edges"]}
                and set(self.listeners) == {entry["l"] for entry in picture["listeners"]}
                and {n["name"]: n.get("v") for n in self.nodes.values() if "name" in n}
                == {n["name"]: n.get("v") for n in picture["nodes"] if "n" in n and "name" in n})


@pytest.mark.parametrize(
    "part", [{"around": "y", "depth": 2}, {"around": "deep", "depth": 1}, {"around": "x"}]
)
def test_a_model_of_the_surroundings_fed_by_differences(server, part):
    """I-1: topo and topod of a part are always what its picture shows."""
    with Client(server) as watcher, Client(server) as client:
        near = Near(watcher, **part)
        assert near.agrees(server)
        steps = [
            dict(op="sub", id=1, graph="g", node="deep"),
            dict(op="sub", id=2, graph="g", combine={"a": "x", "b": "y"}, pipe=[{"map": "1"}]),
            dict(op="sub", id=3, graph="g", nodes=["*"]),
            dict(op="set", id=9, graph="g", set={"x": 4, "y": 5}),
            dict(op="unsub", id=1), dict(op="unsub", id=3), dict(op="unsub", id=2),
            dict(op="set", id=9, graph="g", set={"x": 1}), dict(op="set", id=9, graph="g", clear=["y"]),
        ]
        for step in steps:
            client.send(**step)
            while client.receive().get("id") != step["id"]:
                pass
            # Changes are sent within one interval; if nothing near has changed, nothing is sent.
            def settled():
                if near.agrees(server):
                    return True
                near.follow()
                return near.agrees(server)
            eventually(settled, what=f"the picture of {part} after {step}")


# I-2: why

def test_why_a_node_is_alive(server):
    """I-2: always, listeners with owners, links and syncs, with the nodes on the way."""
    def why(node, query=""):
        answer = server.get(f"/v1/graphs/k/nodes/{node}/why{query}")
        assert answer.status == 200, answer
        return answer.json()

    ways = why("a")["ways"]
    assert {"by": "always", "path": [{"n": ways[0]["path"][0]["n"], "name": "a"}]} == ways[0]
    assert any([step.get("via") for step in way["path"]] == [None, "sync"] for way in ways)
    assert any("links" in [step.get("via") for step in way["path"]] for way in why("double")["ways"])
    assert why("room.warm") | {"rev": 0, "t": 0, "epoch": ""} == {
        "graph": "k", "node": "room.warm", "epoch": "", "rev": 0, "t": 0, "retain": "untilPressure",
        "exists": False, "ways": [],
    }
    with Client(server) as client:
        client.ask(op="hello", client="tablet/1")
        client.ask(op="sub", graph="k", node="room.warm", owner=["panel", "side"])
        listener = next(way for way in why("room.warm")["ways"] if way["by"] == "listener")
        name = listener["l"]
        assert listener["owners"] == [f"{name}/panel", f"{name}/side"] and listener["client"] == "tablet/1"
        assert listener["subs"] == [client.ids] and [step["name"] for step in listener["path"]] == [
            "room.warm"
        ]
        assert {way["by"] for way in why("x", "?limit=100")["ways"]} <= {
            "always", "untilPressure", "listener", "ring",
        }
        assert why("x", "?limit=1")["more"] is True
        shown = sluice("why", "k/room.warm", "--url", server.url)
        assert f"{name}/panel, {name}/side (tablet/1) → room.warm\n" in shown.stdout and shown.returncode == 0
    server.request("POST", "/v1/graphs/k/flush")
    assert (
        sluice("why", "k/room.warm", "--url", server.url).stdout
        == "room.warm does not exist at the moment: nothing needs it\n"
    )
    assert json.loads(sluice("why", "k/x", "--json", "--url", server.url).stdout)["exists"] is True
    assert server.get("/v1/graphs/k/nodes/no/why").json()["code"] == "unknown_node"
    assert server.get("/v1/graphs/k/nodes/x/why?limit=0").json()["code"] == "bad_field"
    assert sluice("why", "k", "--url", server.url).returncode == 2


# I-3: lost nodes

def test_nothing_is_lost_while_clients_come_and_go(server):
    """I-3: a healthy server has no nodes that nothing leads to, with rings and without."""
    for _ in range(5):
        with Client(server) as client:
            client.ask(op="sub", graph="k", nodes=["*"])
            client.ask(op="sub", graph="k", combine={"a": "a", "b": "double"})
            server.set("k", "a", 5)
            assert server.count("unreachable_nodes", "k") == 0
    eventually(lambda: server.count("unreachable_nodes", "k") == 0 and server.counts("k")["listeners"] == 0)


# I-4: flush

def test_a_flush_releases_unused_nodes(server):
    """I-4: what matches and is not in use goes, and the answer says what."""
    def read():
        assert server.value("k", "sum") is not None and server.value("k", "room.warm") is not None

    server.request("POST", "/v1/graphs/k/flush")
    read()
    before = server.counts("k")["nodes"]
    answer = server.request("POST", "/v1/graphs/k/flush?match=room.*")
    assert answer.status == 200 and answer.json() == {"graph": "k", "released": 1, "names": ["room.warm"]}
    assert server.counts("k")["nodes"] == before - 1
    with Client(server) as client:
        client.ask(op="sub", graph="k", node="sum")
        assert server.request("POST", "/v1/graphs/k/flush").json()["names"] == []
    eventually(lambda: "sum" not in server.alive("k"))
    read()
    flushed = sluice("flush", "k", "--match", "s*", "--url", server.url)
    assert (flushed.returncode, flushed.stdout) == (0, "k: 1 nodes released (sum)\n")
    answer = json.loads(sluice("flush", "k", "--json", "--url", server.url).stdout)
    assert answer == {"graph": "k", "released": 1, "names": ["room.warm"]}
    assert server.request("POST", "/v1/graphs/k/flush?match=").json()["code"] == "bad_field"
    assert server.request("POST", f"/v1/graphs/k/flush?match={'x' * 257}").json()["code"] == "bad_field"
    assert server.request("POST", "/v1/graphs/no/flush").json()["code"] == "unknown_graph"
    assert sluice("flush", "k/sum", "--url", server.url).returncode == 2
    refused = sluice("flush", "no", "--url", server.url)
    assert refused.returncode == 1 and "unknown_graph" in refused.stderr
