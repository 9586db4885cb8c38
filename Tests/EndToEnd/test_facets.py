"""Facets of a node, over real sockets (docs/protocol.md, Facets)."""

import json
import re

import pytest
from access import Guarded
from conftest import CHAIN, Client
from dashboards import address, layout, widget
from events import EventSource
from playwright.sync_api import expect
from redis_server import Instance, Redis
from sluice import Server, eventually

GRAPH = CHAIN + "  brief: { set: number, fresh: 300ms }\n  old: { from: brief, pipe: [ { map: value } ] }\n"
NODE = "/v1/graphs/g/nodes/"


def load(server, node, report, **headers):
    return server.request(
        "POST", f"{NODE}{node}/load", json.dumps(report), {"Content-Type": "application/json", **headers}
    )


def state(server, node, more=""):
    return server.get(f"{NODE}{node}?facets=1{more}").json()["state"]


def test_by_http_a_report_is_a_commit_and_the_value_stays(server):
    """L-1, L-2: POST …/load reports; ?facets=1 reads; the tag is the value's; a set clears."""
    before = server.get(f"{NODE}x")
    answer = load(server, "x", {"error": {"code": "sensor_offline", "msg": "no answer"}})
    assert answer.status == 200 and answer.json()["rev"] == 2 and "ETag" not in answer.headers
    assert load(server, "x", {"progress": 0.4}, Prefer="return=minimal").status == 204
    found = server.get(f"{NODE}x?facets=1")
    assert found.status == 200 and found.json()["v"] == 1
    assert found.headers["ETag"] == before.headers["ETag"] == server.get(f"{NODE}x").headers["ETag"]
    known = found.json()["state"]
    assert known.pop("t") and known["error"].pop("at")
    assert known == {
        "loading": True, "progress": 0.4, "error": {"code": "sensor_offline", "msg": "no answer"},
    }
    assert server.get(f"{NODE}x").json() == 1, "who does not ask gets the bare value"
    assert (
        state(server, "sum")
        == state(server, "deep")
        == {"loading": True, "progress": 0.4, "error": state(server, "x")["error"]}
    )
    values = server.get("/v1/graphs/g/values?nodes=x,y&facets=1").json()["m"]
    assert values["x"]["state"]["loading"] and values["y"] == {"empty": True, "state": {}}
    assert server.get(f"{NODE}y?facets=1").json() == {"empty": True, "state": {}}
    assert server.get(f"{NODE}x?facets=1", If_None_Match=found.headers["ETag"]).status == 304
    # The tag of the value still sets.
    put = server.request(
        "PUT", f"{NODE}x", "1", {"If-Match": before.headers["ETag"], "Content-Type": "application/json"}
    )
    assert put.status == 200
    assert list(state(server, "x")) == ["t"] and state(server, "sum") == {}
    assert "state" not in server.get("/v1/graphs/g/nodes/sum/explain").json()["nodes"][0]
    load(server, "x", {"invalidate": True})
    steps = {each["node"]: each for each in server.get("/v1/graphs/g/nodes/sum/explain").json()["nodes"]}
    assert steps["x"]["state"]["stale"] is True
    load(server, "x", {"notModified": True})
    assert list(state(server, "x")) == ["t"]


@pytest.mark.parametrize(
    "report, hint",
    [
        ({}, "one of loading"),
        ({"loading": True, "cancelled": True}, "one of loading"),
        ({"progress": 2}, "progress"),
        ({"error": {"code": "No!"}}, "error.code"),
        ({"error": {"code": "a", "msg": "m" * 1025}}, "error.msg"),
        ([], "object"),
        ({"notModified": False}, "notModified"),
    ],
)
def test_bad_reports_get_an_error(server, report, hint):
    """L-1: bad_field, with the field in words."""
    answer = load(server, "x", report)
    assert answer.status == 400 and answer.json()["code"] == "bad_field" and hint in answer.json()["detail"]
    assert server.get("/v1/graphs/g").json()["rev"] == 1


def test_other_refusals_are_those_of_sets(server):
    """L-1: wrong nodes, types, JSON and keys are answered like those of a set."""
    assert load(server, "double", {"loading": True}).status == 405
    assert load(server, "none", {"loading": True}).status == 404
    assert (
        server.request("POST", f"{NODE}x/load", "{", {"Content-Type": "application/json"}).json()["code"]
        == "bad_json"
    )
    assert server.request("POST", f"{NODE}x/load", "<a/>", {"Content-Type": "text/xml"}).status == 415
    assert server.get(f"{NODE}x/load").headers["Allow"] == "POST, OPTIONS"
    first, again = (load(server, "x", {"loading": True}, **{"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json() == again.json() and again.headers["Idempotent-Replayed"] == "true"
    assert load(server, "x", {"loading": False}, **{"Idempotency-Key": "k"}).status == 422
    assert load(server, "x", {"loading": True}, **{"If-Match": '"other:1"'}).status == 412


def test_subscribers_that_ask_receive_states(server, client):
    """L-4: alone, in groups, in mode all, and by server-sent events."""
    client.send(op="sub", id=1, graph="g", node="x", facets=True)
    assert client.receive()["state"].keys() == {"t"}
    with Client(server) as other, Client(server) as every, Client(server) as plain:
        other.send(op="sub", id=1, graph="g", nodes=["x", "do*"], facets=True)
        assert other.receive()["m"]["double"] == {"v": 2, "state": {}}
        every.send(op="sub", id=1, graph="g", node="double", mode="all", facets=True)
        plain.send(op="sub", id=1, graph="g", node="x")
        assert every.receive()["state"] == {} and "state" not in plain.receive()
        events = EventSource(server, "/v1/graphs/g/events?node=x&facets=1")
        assert events.event().json()["state"].keys() == {"t"}
        with Client(server, f"{NODE}x?facets=1", None) as bare:
            assert bare.receive()["v"] == 1
            client.send(op="load", id=2, graph="g", node="x", loading=True)
            first, second = client.receive(), client.receive()
            update, answer = (first, second) if first["op"] == "upd" else (second, first)
            assert answer["op"] == "ok" and update["rev"] == answer["rev"] == 2
            assert "v" not in update["d"][0] and update["d"][0]["state"]["loading"] is True
            assert {name: set(entry) for name, entry in other.receive()["d"][0]["m"].items()} == {
                "x": {"state"}, "double": {"state"},
            }
            assert every.receive()["d"] == [{"id": 1, "state": {"loading": True}}]
            assert events.event().json()["d"][0]["state"]["loading"] is True
            assert bare.receive()["state"]["loading"] is True
            server.request("POST", f"{NODE}x", "5", {"Content-Type": "application/json"})
            assert every.receive()["d"] == [{"id": 1, "v": 10, "state": {}}]
            assert client.receive()["d"][0].keys() == {"id", "v", "state"}
            assert plain.receive()["d"] == [{"id": 1, "v": 5}], "and nothing of the load"
            assert bare.receive().keys() == {"v", "state"}
        events.close()
    client.ids = 10
    assert client.ask(op="get", graph="g", nodes=["x"], facets=True)["m"]["x"].keys() == {"v", "state"}


def test_fresh_makes_stale_once():
    """L-3: a value that is not renewed becomes stale by one commit, and what is made from it too."""
    with Server({"g": GRAPH}) as server, Client(server) as client:
        client.send(op="sub", id=1, graph="g", node="old", facets=True)
        assert client.receive()["empty"]
        client.send(op="set", graph="g", set={"brief": 1})
        assert client.receive()["d"][0]["v"] == 1
        update = client.receive()
        assert update["d"] == [{"id": 1, "state": {"stale": True}}] and update["rev"] == 3
        load(server, "brief", {"notModified": True})
        assert client.receive()["d"] == [{"id": 1, "state": {}}]
        assert client.receive()["d"] == [{"id": 1, "state": {"stale": True}}]


def test_kill_9_keeps_what_is_known():
    """L-3: facets are durable; the past knows them."""
    with Server({"g": GRAPH}, keeps=True) as server:
        load(server, "x", {"error": {"code": "offline", "msg": "the cable"}})
        rev = load(server, "x", {"progress": 0.5}).json()["rev"]
        server.request("POST", f"{NODE}brief", "1", {"Content-Type": "application/json"})
        eventually(lambda: state(server, "brief").get("stale"), what="staleness")
        known = {node: state(server, node) for node in ("x", "brief", "sum")}
        server.kill()
        server.start()
        assert {node: state(server, node) for node in known} == known
        server.request("POST", f"{NODE}x", "2", {"Content-Type": "application/json"})
        assert list(state(server, "x")) == ["t"]
        assert state(server, "x", f"&at={rev}") == known["x"]
        assert "progress" not in state(server, "x", f"&at={rev - 1}")
        past = server.get(f"/v1/graphs/g/values?nodes=x,sum&facets=1&at={rev}").json()["m"]
        assert past["x"]["state"] == known["x"] and past["sum"]["state"]["error"]["code"] == "offline"
        history = server.get("/v1/graphs/g/nodes/x/history?since=0&facets=1").json()["d"]
        assert [entry.get("state", {}).get("error", {}).get("code") for entry in history] == [
            None, "offline", "offline", None,
        ]
        assert [entry.get("v") for entry in history] == [1, None, None, 2] and history[2]["state"][
            "progress"
        ] == 0.5
        commits = server.get(f"/v1/graphs/g/nodes/x/explain?at={rev}").json()["commits"]
        assert commits[0]["kind"] == "load" and commits[0]["load"] == ["x"] and commits[0]["rev"] == rev


def test_two_servers_agree():
    """L-3: what one server is told, clients of the other receive; one of them makes the tick."""
    with (
        Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other,
        Client(other) as client,
    ):
        client.send(op="sub", id=1, graph="g", nodes=["x", "brief"], facets=True)
        assert client.receive()["op"] == "snap"
        answer = load(one, "x", {"loading": True, "progress": 0.25})
        update = client.receive()
        assert update["rev"] == answer.json()["rev"] and update["d"][0]["m"]["x"]["state"]["progress"] == 0.25
        one.request("POST", f"{NODE}brief", "1", {"Content-Type": "application/json"})
        assert client.receive()["d"][0]["m"]["brief"]["v"] == 1
        stale = client.receive()
        assert stale["d"][0]["m"]["brief"]["state"]["stale"] is True
        eventually(lambda: state(one, "brief").get("stale"))
        assert (
            one.get("/v1/graphs/g").json()["rev"] == other.get("/v1/graphs/g").json()["rev"] == stale["rev"]
        ), "one tick"
        load(other, "x", {"cancelled": True})
        eventually(lambda: "loading" not in state(one, "x"))
        assert state(one, "x") == state(other, "x")


def test_only_clients_that_may_set_may_report(tmp_path):
    """L-1: the right to set is needed, and nothing is told about nodes that may not be read."""
    with Guarded(tmp_path) as server:
        def report(who, node):
            return server.ask(
                who, "POST", f"/v1/graphs/house/nodes/{node}/load", '{"loading":true}',
                Content_Type="application/json",
            )

        assert report("device:7", "room.temp").status == 200
        assert [
            report(who, node).status
            for who, node in [
                ("device:7", "room.note"),
                ("bob", "room.temp"),
                ("bob", "secret"),
                (None, "room.temp"),
            ]
        ] == [404, 403, 404, 401]
        seen = server.ask("bob", "GET", "/v1/graphs/house/nodes/doubled?facets=1").json()
        assert seen == {"v": 40, "state": {"loading": True}}


@pytest.mark.browser
def test_the_table_of_values_says_it_beside_the_value(open_page):
    """L-5: loading, stale and error stand beside the value, also of derived nodes; a set takes them away."""
    with Server({"g": GRAPH}) as server:
        page = open_page(server, "/#/g/g/values")
        value = page.locator('[data-row="x"] .value')
        expect(value).to_have_text("1")
        expect(value).not_to_have_attribute("data-facets", "loading")
        load(server, "x", {"loading": True, "progress": 0.4})
        expect(value).to_have_attribute("data-facets", "loading 40\u202f%")
        expect(value).to_have_text("1")
        expect(page.locator('[data-row="deep"] .value')).to_have_attribute("data-facets", "loading 40\u202f%")
        stale = re.compile(r"failed: the cable, no report for \d+\ss")
        load(server, "x", {"error": {"code": "offline", "msg": "the cable"}})
        load(server, "x", {"invalidate": True})
        expect(value).to_have_attribute("data-facets", stale)
        shown = page.evaluate(
            "getComputedStyle(document.querySelector('[data-row=x] .value'), '::after').content"
        )
        assert "failed: the cable, no report" in shown
        page.reload()
        expect(value).to_have_attribute("data-facets", stale)
        server.request("POST", f"{NODE}x", "7", {"Content-Type": "application/json"})
        expect(value).to_have_text("7")
        eventually(lambda: value.get_attribute("data-facets") is None)


@pytest.mark.browser
def test_widgets_say_it_in_their_head(open_page):
    """L-5: figures, charts and editors of dashboards; a chart gets no point from a report."""
    widgets = [
        {"kind": kind, "node": "x", "nodes": ["x"], "title": kind} for kind in ("number", "series", "editor")
    ]
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout(*widgets)))
        expect(widget(page, "number").locator("output").first).to_contain_text("1")
        load(server, "x", {"progress": 0.5})
        for each in widgets:
            expect(widget(page, each["title"]).locator(".widget-state")).to_have_text("loading 50\u202f%")
        load(server, "x", {"error": {"code": "offline"}})
        for each in widgets:
            expect(widget(page, each["title"]).locator(".widget-state")).to_have_text("failed: offline")
        expect(widget(page, "number").locator("output").first).to_contain_text("1")
        server.request("POST", f"{NODE}x", "2", {"Content-Type": "application/json"})
        for each in widgets:
            expect(widget(page, each["title"]).locator(".widget-state")).to_have_text("")
