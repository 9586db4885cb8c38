"""Owners of subscriptions, over real sockets (docs/protocol.md, Owners)."""

import pytest
from conftest import CHAIN, Client
from playwright.sync_api import expect
from rawsocket import RawWebSocket
from sluice import Server, eventually

STANDING = {"x", "y", "any", "small", "kept", "changes"}  # mutable, or always kept


def receive(client, count):
    return [client.receive() for _ in range(count)]


def test_an_owner_that_is_released_frees_what_only_it_needed(server, client):
    """O-1, O-2: two panels share a node; the first one to go frees what only it needed."""
    for id, message in enumerate(
        [
            {"node": "deep", "owner": "panel"},
            {"nodes": ["sum"], "owner": ["panel", "side"]},
            {"node": "x", "pipe": [{"map": "value + 1"}], "owner": "panel"},
            {"node": "small"},
        ],
        1,
    ):
        client.send(op="sub", id=id, graph="g", **message)
        assert client.receive()["op"] == "snap"
    assert server.alive("g") == STANDING | {"double", "deep", "sum"}
    client.send(op="release", id=20, owner="panel")
    first, second, answer = receive(client, 3)
    assert [(each["op"], each["id"], each["code"]) for each in (first, second)] == [
        ("end", 1, "done"),
        ("end", 3, "done"),
    ]
    assert answer == {
        "op": "ok", "id": 20, "ended": [1, 3], "released": first["released"] + second["released"],
    }
    assert server.alive("g") == STANDING | {"double", "sum"}
    assert server.counts("g")["listeners"] == 2
    client.send(op="release", id=21, owner="side")
    assert [each["op"] for each in receive(client, 2)] == ["end", "ok"]
    client.send(op="release", id=22, owner="side")
    assert client.receive() == {"op": "ok", "id": 22, "ended": [], "released": 0}
    assert server.alive("g") == STANDING


def test_the_answer_comes_in_one_go_with_the_ends(server):
    """O-2: ends and answer of a release are in one turn, whatever is sent with it."""
    raw = RawWebSocket(server)
    raw.text(
        [
            {"op": "sub", "id": 1, "graph": "g", "node": "deep", "owner": "panel"},
            {"op": "release", "id": 2, "owner": "panel"},
            {"op": "sub", "id": 1, "graph": "g", "node": "x", "owner": "panel"},
            {"op": "set", "id": 3, "graph": "g", "set": {"x": 5}},
            {"op": "release", "id": 4, "owner": "panel"},
            {"op": "ping", "id": 5},
        ]
    )
    seen = []
    while not seen or seen[-1] != ("ok", 5):
        message = raw.message()
        seen.append((message["op"], message.get("id")))
    assert seen == [
        ("snap", 1),
        ("end", 1),
        ("ok", 2),
        ("snap", 1),
        ("ok", 3),
        ("upd", None),
        ("end", 1),
        ("ok", 4),
        ("ok", 5),
    ]
    raw.close()


def test_mod_changes_owners(server, client):
    """O-3: the subscription ends with its last owner, and unsub ends it with all its owners."""
    client.send(op="sub", id=1, graph="g", node="deep", owner="a")
    client.receive()
    client.send(op="mod", id=2, sub=1, addOwner=["b", "c"], removeOwner="a")
    assert client.receive() == {"op": "ok", "id": 2}
    client.send(op="release", id=3, owner="a")
    assert client.receive()["ended"] == []
    client.send(op="mod", id=4, sub=1, removeOwner=["b", "c"])
    assert [each["op"] for each in receive(client, 2)] == ["end", "ok"]
    client.send(op="sub", id=1, graph="g", node="deep", owner=["a", "b"])
    client.receive()
    client.send(op="unsub", id=1)
    assert client.receive()["op"] == "end"
    assert server.alive("g") == STANDING


def test_owners_end_with_their_connection(server):
    """O-4: a reset connection takes all its owners along, and no other connection's."""
    other = Client(server)
    other.ask(op="sub", graph="g", node="double", owner="panel")
    raw = RawWebSocket(server)
    raw.text([{"op": "sub", "id": id, "graph": "g", "node": node, "owner": ["panel", f"o{id}"]}
                   for id, node in enumerate(("deep", "sum", "double"), 1)])
    for _ in range(3):
        raw.message()
    assert server.counts("g")["listeners"] == 4
    raw.reset()
    eventually(lambda: server.alive("g") == STANDING | {"double"}, what="release after a reset")
    assert server.counts("g")["listeners"] == 1
    other.close()


def test_owners_are_shown(server, client):
    """O-5: by the live picture, by observe and by the list of connections."""
    session = client.ask(op="hello", client="wall")["session"]
    client.ask(op="sub", graph="g", node="deep", owner=["side", "panel"])
    client.ask(op="sub", graph="g", node="x")
    picture = server.picture("g")
    owners = {
        node["name"]: node["owners"] for node in picture["nodes"] if "name" in node and "owners" in node
    }
    assert owners["deep"] == [f"{session}/panel", f"{session}/side"]
    assert owners["x"] == [session, f"{session}/panel", f"{session}/side"]
    assert [each["owners"] for each in picture["listeners"]] == [["panel", "side"]]
    listed = {each["c"]: each.get("owners") for each in server.get("/v1/connections").json()["connections"]}
    assert listed[session] == ["panel", "side"]
    with Client(server) as watcher:
        topo = watcher.ask(op="observe", graph="g", every=50)
        assert topo["listeners"][0]["owners"] == ["panel", "side"]
        client.send(op="release", id=30, owner="side")
        assert client.receive()["ended"] == []
        changed = {n: now for n, now, *_ in next(
            each["own"] for each in iter(watcher.receive, None) if each["op"] == "topod" and each["own"])}
        deep = next(node["n"] for node in topo["nodes"] if node.get("name") == "deep")
        assert changed[deep] == [f"{session}/panel"]


def test_what_is_no_owner_is_refused(server, client):
    """O-1: the place is named, nothing is subscribed, and the socket stays open."""
    for place, owner in [
        ("owner", ""),
        ("owner", "a/b"),
        ("owner", []),
        ("owner[1]", ["a", 7]),
        ("owner", [str(n) for n in range(9)]),
        ("owner", "a" * 65),
    ]:
        answer = client.ask(op="sub", graph="g", node="deep", owner=owner)
        assert answer["code"] == "bad_field" and answer["msg"].startswith(f"{place}: ")
    assert server.counts("g")["listeners"] == 0
    assert client.ask(op="sub", graph="g", node="deep", owner=[*"abcdefgh", "a"])["op"] == "snap"


def test_thousands_of_owners_are_bounded_and_go_with_the_connection():
    """O-4: every subscription has eight owners of its own; the server forgets them all."""
    with Server({"g": CHAIN}) as server, Client(server) as other:
        client = Client(server)
        for id in range(1, 301):
            client.send(op="sub", id=id, graph="g", node="x", owner=[f"owner-{id}-{n}" for n in range(8)])
            assert client.receive()["op"] == "snap"
        listed = next(
            each for each in server.get("/v1/connections").json()["connections"] if each.get("owners")
        )
        assert len(listed["owners"]) == 100 and listed["ownerCount"] == 2400
        client.close()
        eventually(lambda: server.counts("g")["listeners"] == 0, what="release")
        assert other.ask(op="ping")["op"] == "ok"


@pytest.mark.browser
def test_the_page_shows_owners_where_it_shows_clients(open_page, server):
    """O-5: what an owner would release is said like what its client would."""
    with Client(server) as client:
        name = client.ask(op="hello", client="wall")["session"]
        client.ask(op="sub", graph="g", node="deep", owner=["panel"])
        client.ask(op="sub", graph="g", node="sum", owner=["panel", "side"])
        page = open_page(server, f"/#/clients/{name.replace(':', '%3A')}")
        detail = page.get_by_role("region", name="One client")
        expect(detail).to_contain_text("leaving would release 4 nodes")
        owners = detail.get_by_role("list", name="Its owners").get_by_role("listitem")
        expect(owners).to_have_text(
            ["panel: releasing it would free 2 nodes", "side: releasing it would free 0 nodes"]
        )

        page = open_page(server, "/#/g/g?node=deep")
        kept = page.get_by_role("region", name="Kept running by")
        expect(kept).to_contain_text("wall")
        expect(kept).to_contain_text("for panel")
        expect(kept).to_contain_text("Stops if")
        kept.get_by_role("button", name="wall").click()
        expect(page.get_by_role("list", name="Its owners").get_by_role("listitem")).to_have_text(
            ["panel: releasing it stops 2 nodes", "side: releasing it stops 0 nodes"])
        client.send(op="release", id=40, owner="side")
        client.receive()
        expect(page.get_by_role("list", name="Its owners").get_by_role("listitem")).to_have_text(
            ["panel: releasing it stops 4 nodes"])
