"""What a node held before: GET …/history, the option `history`, resuming from the ring."""

import pytest

from conftest import Client
from sluice import Server

GRAPH = """
graph: g
nodes:
  t: { set: number, initial: 1, history: 5 }
  u: { set: number }
  f: { from: t, pipe: [ { map: "value * 2" } ], history: 5 }
"""


@pytest.fixture
def server():
    with Server({"g": GRAPH}) as running:
        yield running


def history(server, node, query=""):
    return server.get(f"/v1/graphs/g/nodes/{node}/history{query}")


def test_history_over_http(server):
    for value in range(2, 8):
        last = server.set("g", "t", value)
    answer = history(server, "t")
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/json"
    page = answer.json()
    assert page["epoch"] == last["epoch"] and page["rev"] == last["rev"]
    assert [entry["v"] for entry in page["d"]] == [3, 4, 5, 6, 7]
    assert all(entry["t"] > 1_600_000_000_000 for entry in page["d"])
    assert [entry["v"] for entry in history(server, "f").json()["d"]] == [6, 8, 10, 12, 14]

    # Reading page by page loses nothing and repeats nothing.
    read, since = [], page["from"]
    while True:
        page = history(server, "t", f"?since={since}&limit=2&epoch={last['epoch']}").json()
        read += [entry["v"] for entry in page["d"]]
        if not page.get("more"):
            break
        since = page["d"][-1]["rev"]
    assert read == [3, 4, 5, 6, 7]

    gone = history(server, "t", "?since=1")
    assert gone.status == 410 and gone.json()["code"] == "gone" and gone.json()["rev"] == last["rev"] - 5
    assert history(server, "t", f"?since={last['rev'] + 1}").status == 410
    assert history(server, "t", f"?since={last['rev']}&epoch=another").status == 410
    assert history(server, "t", f"?since={gone.json()['rev']}").status == 200
    assert history(server, "u").json()["d"] == []
    assert history(server, "nobody").json()["code"] == "unknown_node"
    for wrong in ("?since=-1", "?since=x", "?limit=0", "?limit=100001"):
        assert history(server, "t", wrong).json()["code"] == "bad_field", wrong
    assert (
        server.request("HEAD", "/v1/graphs/g/nodes/t/history").headers["Content-Length"]
        == answer.headers["Content-Length"]
    )
    assert server.request("POST", "/v1/graphs/g/nodes/t/history").headers["Allow"] == "GET, HEAD, OPTIONS"


def test_a_client_that_was_away_gets_what_it_missed(server):
    with Client(server) as client:
        snap = client.ask(op="sub", graph="g", node="t", mode="all", history=3)
        assert snap["v"] == 1 and [entry["v"] for entry in snap["d"]] == [1]
        cursor = {"epoch": snap["epoch"], "rev": snap["rev"]}
    for value in (2, 3, 4):
        server.set("g", "t", value)
    with Client(server) as client:
        snap = client.ask(op="sub", graph="g", node="t", mode="all", since=cursor)
        assert snap["resumed"] is True and "v" not in snap
        assert [entry["v"] for entry in snap["d"]] == [2, 3, 4]
        server.set("g", "t", 5)
        assert client.receive()["d"] == [{"id": 1, "v": 5}]
    for value in range(10):
        server.set("g", "t", value)
    with Client(server) as client:
        snap = client.ask(op="sub", graph="g", node="t", mode="all", since=cursor)
        assert snap["resumed"] is False and snap["v"] == 9 and "d" not in snap


DERIVED = """
graph: g
nodes:
  t: { set: number, history: 3 }
  wanted: { set: number, initial: 20 }
  gap: { combine: { t: t, w: wanted }, map: "w - t" }
  calm: { from: gap, pipe: [ { debounce: 1s } ] }
"""


def test_the_past_of_a_derived_node_comes_from_the_rings_of_its_sources():
    with Server({"g": DERIVED}) as server:
        for value in (9, 17, 18, 21):
            last = server.set("g", "t", value)
        # It has had no listener so far.
        page = history(server, "gap").json()
        assert [entry["v"] for entry in page["d"]] == [3, 2, -1]
        assert page["rev"] == page["d"][-1]["rev"] == last["rev"] and page["epoch"] == last["epoch"]
        newest = history(server, "gap", "?limit=2").json()
        assert [entry["v"] for entry in newest["d"]] == [2, -1] and newest["more"]
        first = history(server, "gap", f"?since={page['from']}&limit=1&epoch={page['epoch']}").json()
        assert [entry["v"] for entry in first["d"]] == [3] and first["more"]
        assert history(server, "gap", f"?since={last['rev']}").json()["d"] == []
        assert server.request("HEAD", "/v1/graphs/g/nodes/gap/history").status == 200
        # Further back nothing is known, and what a timer made of the values does not follow from
        # them.
        gone = history(server, "gap", "?since=0")
        assert gone.status == 410 and gone.json()["code"] == "gone"
        assert history(server, "calm").json()["d"] == []


def test_the_past_of_a_member_comes_from_the_rings_of_its_family():
    graph = """
graph: g
nodes:
  "room.{id}.c": { set: number, history: 10 }
  "room.{id}.f": { from: "room.{id}.c", pipe: [ { map: "value * 9.0 / 5.0 + 32.0" } ] }
"""
    with Server({"g": graph}) as server:
        for value in (10, 20):
            server.set("g", "room.attic.c", value)
            server.set("g", "room.hall.c", 0)
        assert [entry["v"] for entry in history(server, "room.attic.f").json()["d"]] == [50, 68]
