"""The main job: POST sets a node, WebSocket listeners hear it."""


from conftest import Client
from sluice import PATIENCE, Server


def test_a_value_set_by_post_reaches_a_subscriber_of_a_derived_node(server, client):
    first = client.ask(op="sub", graph="g", node="deep")
    assert first["op"] == "snap" and first["v"] == 30

    answer = server.request("POST", "/v1/graphs/g/nodes/x", "21.5",
                            {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 200, answer
    written = answer.json()
    assert set(written) >= {"epoch", "rev"}
    assert written["epoch"] == first["epoch"] and written["rev"] == first["rev"] + 1

    update = client.receive()
    assert update["op"] == "upd" and update["graph"] == "g" and update["rev"] == written["rev"]
    assert update["d"] == [{"id": 1, "v": 440}]


def test_one_commit_is_one_frame_with_every_change(server, client):
    names = ["x", "double", "sum", "deep"]
    for name in names:
        assert client.ask(op="sub", graph="g", node=name)["op"] == "snap"
    answer = server.batch("g", set={"x": 2, "y": 5})
    assert answer.status == 200
    update = client.receive()
    assert {entry["id"]: entry["v"] for entry in update["d"]} == {1: 2, 2: 4, 3: 6, 4: 50}
    assert not any("n" in entry for entry in update["d"]), "a join never shows half a change"


def test_several_nodes_in_mode_all():
    nodes = (
        "{ a: { set: number, initial: 1, history: 9 }, b: { from: a, pipe: [ { map: value * 2 } ], "
        "history: 9 } }"
    )
    with Server({"h": f"graph: h\nnodes: {nodes}\n"}) as server, Client(server) as client:
        first = client.ask(op="sub", graph="h", nodes=["*"], mode="all")
        assert first["m"] == {"a": {"v": 1}, "b": {"v": 2}}
        for value in (2, 3):
            server.set("h", "a", value)
        for value in (2, 3):
            assert client.receive()["d"] == [{"id": 1, "m": {"a": {"v": value}, "b": {"v": value * 2}}}]
        again = client.ask(
            op="sub", graph="h", nodes=["*"], mode="all", since={"epoch": first["epoch"], "rev": first["rev"]}
        )
        assert again["resumed"] is True
        assert [(entry["rev"] - first["rev"], entry["m"]) for entry in again["d"]] == [
            (1, {"a": {"v": 2}, "b": {"v": 4}}), (2, {"a": {"v": 3}, "b": {"v": 6}}),
        ]


def test_a_value_keeps_the_text_it_was_set_with(server, client):
    client.ask(op="sub", graph="g", node="any")
    server.request("POST", "/v1/graphs/g/nodes/any", '  {"b": 1.50, "a": [1e2,\t"\\u00e9"]} ',
                   {"Content-Type": "application/json"})
    text = client.socket.recv(PATIENCE)
    assert '"v":{"b": 1.50, "a": [1e2,\t"\\u00e9"]}' in text
    assert server.get("/v1/graphs/g/nodes/any").body == b'{"b": 1.50, "a": [1e2,\t"\\u00e9"]}'


def test_a_set_over_the_socket_is_answered_and_received_by_others(server, client):
    with Client(server) as other:
        other.ask(op="sub", graph="g", node="x")
        ok = client.ask(op="set", graph="g", set={"x": 9}, ctx={"src": "meter-7"})
        assert ok["op"] == "ok" and ok["rev"] > 0
        update = other.receive()
        assert update["rev"] == ok["rev"] and update["d"] == [{"id": 1, "v": 9}]
        assert update["ctx"] == {"src": "meter-7"}
        got = client.ask(op="get", graph="g", nodes=["x", "double"])
        assert got["m"] == {"x": {"v": 9}, "double": {"v": 18}}


def test_clearing_travels_and_empty_is_not_null(server, client):
    client.ask(op="sub", graph="g", node="double")
    server.set("g", "any", None)
    assert server.get("/v1/graphs/g/nodes/any").body == b"null"
    assert server.get("/v1/graphs/g/nodes/y").status == 204
    assert server.request("DELETE", "/v1/graphs/g/nodes/x/value").status == 204
    assert client.receive()["d"] == [{"id": 1, "empty": True}]
    assert server.get("/v1/graphs/g/nodes/double").status == 204


def test_etag_allows_compare_and_set(server):
    read = server.get("/v1/graphs/g/nodes/x")
    tag = read.headers["ETag"]
    assert server.get("/v1/graphs/g/nodes/x", If_None_Match=tag).status == 304
    json_type = {"Content-Type": "application/json"}
    first = server.request("PUT", "/v1/graphs/g/nodes/x", "5", {**json_type, "If-Match": tag})
    assert first.status == 200 and first.headers["ETag"] != tag
    second = server.request("PUT", "/v1/graphs/g/nodes/x", "6", {**json_type, "If-Match": tag})
    assert second.status == 412 and second.json()["code"] == "conflict"
    assert server.value("g", "x") == 5
    assert (
        server.request("PUT", "/v1/graphs/g/nodes/y", "1", {**json_type, "If-None-Match": "*"}).status == 200
    )
    assert (
        server.request("PUT", "/v1/graphs/g/nodes/y", "2", {**json_type, "If-None-Match": "*"}).status == 412
    )
    minimal = server.request("PUT", "/v1/graphs/g/nodes/x", "7", {**json_type, "Prefer": "return=minimal"})
    assert minimal.status == 204


def test_the_change_tag_of_a_derived_node_does_not_depend_on_who_looks(server):
    before = server.get("/v1/graphs/g/nodes/deep").headers["ETag"]
    with Client(server) as looker:
        looker.ask(op="sub", graph="g", node="deep")
        assert server.get("/v1/graphs/g/nodes/deep").headers["ETag"] == before
    server.set("g", "y", 1)
    assert server.get("/v1/graphs/g/nodes/deep").headers["ETag"] == before, "y is no ancestor of deep"
    server.set("g", "x", 2)
    assert server.get("/v1/graphs/g/nodes/deep").headers["ETag"] != before


def test_a_batch_is_all_or_nothing(server):
    before = server.value("g", "x")
    refused = server.batch("g", set={"x": 50, "small": 99})
    assert refused.status == 422 and refused.json()["code"] == "type_mismatch", refused
    assert server.value("g", "x") == before
    conflict = server.batch("g", set={"x": 50}, **{"if": {"small": {"v": 4}}})
    assert conflict.status == 412 and conflict.json()["code"] == "conflict", conflict
    assert server.value("g", "x") == before
    done = server.batch("g", set={"x": 50}, clear=["any"], **{"if": {"small": {"v": 3.0}}})
    assert done.status == 200, done
    assert server.value("g", "x") == 50


def test_graphs_are_listed_and_pictured(server, client):
    graphs = server.get("/v1/graphs").json()["graphs"]
    assert [(g["graph"], g["title"]) for g in graphs] == [("g", "A test graph")]
    assert client.ask(op="list")["graphs"][0]["graph"] == "g"
    picture = server.get("/v1/graphs/g/graph?format=json").json()
    assert {n["name"] for n in picture["nodes"] if n.get("name")} >= {
        "x", "y", "double", "deep", "sum", "kept",
    }
    dot = server.get("/v1/graphs/g/graph?format=dot")
    assert dot.body.startswith(b"digraph") and b'label="double"' in dot.body
    mermaid = server.get("/v1/graphs/g/graph?format=mermaid")
    assert mermaid.body.startswith(b"flowchart LR\n") and b'["double"]' in mermaid.body


def test_a_plain_stream_is_the_bare_value_both_ways(server):
    with Client(server, "/v1/graphs/g/nodes/x", protocol=None) as plain:
        assert plain.socket.recv(PATIENCE) == "1"
        plain.socket.send(" 3.25 ")
        assert plain.socket.recv(PATIENCE) == "3.25"
        assert server.value("g", "x") == 3.25
    with Client(server, "/v1/graphs/g/nodes/deep", protocol=None) as derived:
        assert derived.socket.recv(PATIENCE) == "75"


def test_pings_are_answered_on_both_levels(client):
    assert client.ask(op="ping") == {"op": "ok", "id": 1}
    assert client.socket.ping().wait(PATIENCE)


def test_values_of_many_nodes_come_from_one_revision(server):
    answer = server.get("/v1/graphs/g/values?nodes=x,double,k*")
    assert answer.status == 200, answer
    assert {name: entry.get("v") for name, entry in answer.json()["m"].items()} == {
        "x": 1, "double": 2, "kept": 101,
    }


def test_unsubscribing_says_what_was_released(server, client):
    client.ask(op="sub", graph="g", node="deep")
    client.send(op="unsub", id=1)
    end = client.receive()
    assert (end["op"], end["id"], end["code"]) == ("end", 1, "done")
    assert end["released"] >= 2, "double and deep existed for this listener alone"
    server.set("g", "x", 5)
    assert client.ask(op="ping")["op"] == "ok", "no frame follows an end"
