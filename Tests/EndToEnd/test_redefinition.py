"""Graphs that change while they run: by HTTP, by SIGHUP, by `watch`, by `sluice reload`; who hears
of it, and who does not."""

import json
import os
import pathlib
import signal
import subprocess

import pytest
from conftest import Client
from events import EventSource
from sluice import BINARY, PATIENCE, Server, eventually
from websockets.exceptions import ConnectionClosed

HOUSE = """
graph: house
nodes:
  indoor: { set: number, initial: 20 }
  outdoor: { set: number, initial: 5 }
  indoor_f: { from: indoor, pipe: [ { map: "value * 9 / 5 + 32" } ] }
  warmest: { from: indoor, pipe: [ { scan: { start: null, with: "acc == null || value > acc ? value : acc" } } ] }
"""
OTHER = "graph: other\nnodes:\n  x: { set: number, initial: 1 }\n"


@pytest.fixture
def house():
    with Server({"house": HOUSE, "other": OTHER}) as running:
        yield running


def graph_file(server, name="house"):
    return pathlib.Path(server.folder.name) / "graphs" / f"{name}.yaml"


def write_over(path, text):
    """As editors do: another file takes the place of the old one."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text)
    os.replace(beside, path)


def hang_up(server):
    server.process.send_signal(signal.SIGHUP)


def put(server, graph, definition, query="", **headers):
    if not isinstance(definition, str):
        definition = json.dumps(definition)
        headers.setdefault("Content-Type", "application/json")
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return server.request("PUT", f"/v1/graphs/{graph}{query}", definition, headers)


def cursor(server, graph):
    state = server.get(f"/v1/graphs/{graph}").json()
    return state["epoch"], state["rev"]


# By signal


def test_sighup_changes_what_has_changed_and_notifies_no_other_client(house):
    with Client(house) as client:
        house.set("house", "indoor", 22)
        client.send(op="sub", id=1, graph="house", node="indoor_f")
        client.send(op="sub", id=2, graph="house", node="warmest")
        client.send(op="sub", id=3, graph="house", node="indoor", pipe=[{"map": "value + 1"}])
        assert [client.receive()["v"] for _ in range(3)] == [71.6, 22, 23]
        epoch, rev = cursor(house, "house")
        before = cursor(house, "other")
        write_over(graph_file(house), HOUSE.replace("value * 9 / 5 + 32", "round(value * 9 / 5 + 32, 0)"))
        hang_up(house)
        update = client.receive()
        assert update["op"] == "upd" and update["rev"] == rev + 1
        assert update["d"] == [{"id": 1, "v": 72}]
        house.set("house", "indoor", 21)
        news = sorted(client.receive()["d"], key=lambda entry: entry["id"])
        assert news == [{"id": 1, "v": 70}, {"id": 2, "v": 22}, {"id": 3, "v": 22}]
        assert cursor(house, "house") == (epoch, rev + 2)
        assert cursor(house, "other") == before


def test_a_broken_file_changes_nothing_and_all_its_problems_are_reported(house):
    before = cursor(house, "house")
    write_over(
        graph_file(house),
        HOUSE.replace("from: indoor,", "from: indor,").replace("set: number, initial: 5", "set: nummer"),
    )
    write_over(graph_file(house, "other"), OTHER.replace("initial: 1", "initial: 1, max: 9"))
    hang_up(house)
    eventually(lambda: "reloaded" in house.log_text(), what="the reload")
    text = house.log_text()
    assert "house.yaml:6:" in text and "there is no node 'indor'" in text, text
    assert "house.yaml:5:" in text, text
    assert cursor(house, "house") == before
    assert house.get("/v1/graphs/other").json()["rev"] == 2, "the good file was read all the same"
    assert house.request("POST", "/v1/graphs/other/nodes/x", "10").status == 422


def test_files_that_come_and_go(house):
    with Client(house) as client:
        client.send(op="sub", id=1, graph="other", node="x")
        client.send(op="sub", id=2, graph="house", node="indoor")
        client.receive(), client.receive()
        graph_file(house, "other").unlink()
        graph_file(house, "third").write_text("graph: third\nnodes:\n  y: { set: any, initial: 3 }\n")
        hang_up(house)
        assert client.receive() == {"op": "end", "id": 1, "code": "node_removed", "released": 0}
        assert house.get("/v1/graphs/other").status == 404
        assert house.value("third", "y") == 3
        house.set("house", "indoor", 1)
        assert client.receive()["d"] == [{"id": 2, "v": 1}]


# By watch


def test_watch_sees_files_that_editors_put_in_the_place_of_others():
    with Server({"house": HOUSE}, "watch: true\n") as server, Client(server) as client:
        client.send(op="sub", id=1, graph="house", node="indoor_f")
        client.receive()
        write_over(graph_file(server), HOUSE.replace("+ 32", "+ 33"))
        assert client.receive(10)["d"] == [{"id": 1, "v": 69}]
        graph_file(server, "late").write_text("graph: late\nnodes:\n  y: { set: any, initial: 3 }\n")
        eventually(lambda: server.get("/v1/graphs/late").status == 200, what="the new file")
        graph_file(server).write_text("nodes: [")
        eventually(lambda: "not reloaded" in server.log_text(), what="the problem")
        assert server.value("house", "indoor_f") == 69


# By the command


def reload(server, *options):
    return subprocess.run(
        [BINARY, "reload", "--url", server.url, *options], capture_output=True, text=True, timeout=PATIENCE
    )


def test_sluice_reload_says_what_has_changed(house):
    write_over(
        graph_file(house), HOUSE.replace("outdoor: { set: number, initial: 5 }", "attic: { set: any }")
    )
    ran = reload(house)
    assert ran.returncode == 0, ran
    assert "house: changed at rev 2 (added attic; removed outdoor; 1 value lost)" in ran.stdout, ran.stdout
    assert "1 changed, 1 unchanged" in ran.stdout
    answer = json.loads(reload(house, "--json").stdout)
    assert [graph["result"] for graph in answer["graphs"]] == ["unchanged", "unchanged"]
    assert answer["problems"] == []


def test_sluice_reload_prints_all_problems_and_fails(house):
    graph_file(house).write_text(HOUSE.replace("from: indoor,", "from: indor,").replace("scan:", "scam:"))
    ran = reload(house)
    assert ran.returncode == 1
    lines = [line for line in ran.stderr.splitlines() if "house.yaml" in line]
    assert len(lines) == 3 and all(line.startswith("error: ") for line in lines), ran.stderr
    ran = reload(house, "--json")
    problems = json.loads(ran.stdout)["problems"]
    assert ran.returncode == 1 and not ran.stderr
    assert [
        f"error: {p['file']}:{p['line']}:{p['column']}: {p['message']}"
        + (f" ({p['hint']})" if "hint" in p else "")
        for p in problems
    ] == lines
    assert problems[0]["code"] == "unknown_node" and problems[0]["pointer"] == "/nodes/indoor_f/from"
    graph_file(house).unlink()
    os.rename(graph_file(house).parent, str(graph_file(house).parent) + "-away")
    ran = reload(house)
    assert ran.returncode == 1 and "no folder" in ran.stderr
    assert house.value("house", "indoor") == 20, "a folder that is gone removes nothing"


# By HTTP


def test_a_graph_by_http_from_birth_to_end(house):
    made = put(
        house, "api",
        {"title": "By hand", "nodes": {"x": {"set": "number", "initial": 2}, "y": {"from": "x"}}},
    )
    assert made.status == 201, made
    body = made.json()
    assert body["diff"]["added"] == ["x", "y"] and body["rev"] == 1
    assert made.headers["ETag"] == f'"{body["definition"]}"'
    state = house.get("/v1/graphs/api")
    assert state.json()["owner"] == "api" and state.json()["definition"] == body["definition"]
    assert state.headers["ETag"] == made.headers["ETag"]
    assert house.get("/v1/graphs/house").json()["owner"] == "file"
    assert house.value("api", "y") == 2

    read = house.get("/v1/graphs/api/definition")
    assert read.json() == {
        "title": "By hand", "nodes": {"x": {"set": "number", "initial": 2}, "y": {"from": "x"}},
    }
    assert house.get("/v1/graphs/api/definition", If_None_Match=read.headers["ETag"]).status == 304

    again = put(house, "api", read.json())
    assert again.status == 200 and again.json()["rev"] == 1 and again.json()["diff"]["unchanged"] == 2

    yaml = (
        "title: By hand\nnodes:\n  x: { set: number, initial: 2 }\n  y: { from: x, pipe: [ { map: value "
        "* 10 } ] }\n"
    )
    changed = put(house, "api", yaml, Content_Type="application/yaml")
    assert changed.status == 200, changed
    assert changed.json()["diff"]["changed"] == ["y"] and changed.json()["rev"] == 2
    assert house.value("api", "y") == 20

    with Client(house) as client:
        client.send(op="sub", id=1, graph="api", node="y")
        client.receive()
        assert house.request("DELETE", "/v1/graphs/api").status == 204
        assert client.receive()["code"] == "node_removed"
    assert house.get("/v1/graphs/api").status == 404
    assert house.request("DELETE", "/v1/graphs/api").status == 404


TYPED = [
    ("delta", "value.startsWith('a')"), ({"window": {"last": "1m", "of": "avg"}}, "value && true"),
    ({"window": {"count": 3, "of": "list"}}, "value + 1"), ({"ifEmpty": 0}, "value + 'a'"),
    ({"replace": "on"}, "value * 2"), ({"sample": "1s"}, "value == 'a'"), ({"skip": 1}, "value && true"),
]


@pytest.mark.parametrize("stage, wrong", TYPED)
def test_a_type_error_behind_a_stage_is_found_by_put_and_check(house, tmp_path, stage, wrong):
    def graph(expression):
        pipe = [stage, {"map": expression}]
        nodes = {"n": {"set": "number"}, "x": {"from": "n", "pipe": pipe}}
        return json.dumps({"graph": "typed", "nodes": nodes})

    answer = house.request("PUT", "/v1/graphs/typed", graph(wrong))
    assert answer.status == 422 and answer.json()["code"] == "expr_type"
    file = tmp_path / "typed.json"
    for text, codes in ((graph(wrong), ["expr_type"]), (graph("[value]"), [])):
        file.write_text(text)
        shown = subprocess.run([BINARY, "check", "--json", file], capture_output=True, text=True)
        assert [problem["code"] for problem in json.loads(shown.stdout)["problems"]] == codes


def test_a_dry_run_says_what_would_change_and_changes_nothing(house):
    before = cursor(house, "house")
    house.set("house", "outdoor", -30)
    definition = house.get("/v1/graphs/house/definition").json()
    del definition["nodes"]["warmest"]
    definition["nodes"]["outdoor"]["min"] = -20
    definition["nodes"]["attic"] = {"set": "any"}
    answer = put(house, "house", definition, "?dry_run=1")
    assert answer.status == 200, answer
    diff = answer.json()["diff"]
    assert diff["added"] == ["attic"] and diff["removed"] == ["warmest"]
    assert diff["changed"] == ["outdoor"] and diff["reset"] == ["outdoor"] and diff["unchanged"] == 2
    assert answer.json()["dryRun"] is True
    assert cursor(house, "house") == (before[0], before[1] + 1)
    assert house.value("house", "outdoor") == -30
    assert put(house, "new", definition | {"graph": "new"}, "?dry_run=1").status == 200
    assert house.get("/v1/graphs/new").status == 404


def test_if_match_on_the_definition(house):
    put(house, "api", {"nodes": {"x": {"set": "any"}}})
    tag = house.get("/v1/graphs/api").headers["ETag"]
    assert put(house, "api", {"nodes": {"y": {"set": "any"}}}, If_Match='"0"').status == 412
    assert put(house, "api", {"nodes": {"y": {"set": "any"}}}, If_None_Match="*").status == 412
    assert put(house, "api", {"nodes": {"y": {"set": "any"}}}, If_Match=tag).status == 200
    assert put(house, "api", {"nodes": {"x": {"set": "any"}}}, If_Match=tag).status == 412
    assert put(house, "none", {"nodes": {}}, If_Match="*").status == 412
    assert put(house, "none", {"nodes": {}}, If_None_Match="*").status == 201
    assert house.request("DELETE", "/v1/graphs/api", headers={"If-Match": tag}).status == 412
    assert house.request("DELETE", "/v1/graphs/api", headers={"If-Match": "*"}).status == 204


def test_a_graph_of_a_file_is_taken_over_only_when_that_is_said(house):
    definition = {"nodes": {"x": {"set": "any", "initial": 9}}}
    refused = put(house, "other", definition)
    assert (
        refused.status == 409
        and refused.json()["code"] == "in_use"
        and "other.yaml" in refused.json()["detail"]
    )
    assert house.request("DELETE", "/v1/graphs/other").status == 409
    assert put(house, "other", definition, "?adopt=1").status == 200
    assert house.get("/v1/graphs/other").json()["owner"] == "api"
    assert house.value("other", "x") == 1, "its value stays"
    ran = reload(house)
    assert ran.returncode == 1 and "was defined over HTTP" in ran.stderr
    assert house.request("DELETE", "/v1/graphs/other").status == 204
    assert reload(house).returncode == 0
    assert house.get("/v1/graphs/other").json()["owner"] == "file"


def test_all_problems_of_a_body_at_once_with_their_places(house):
    text = (
        '{\n  "nodes": {\n    "a": { "from": "b" },\n    "c/d": { "set": "any" },\n    "e": { "from": '
        '"e2", "pipe": [ { "map": "1 +" } ] }\n  }\n}'
    )
    answer = put(house, "api", text, Content_Type="application/json")
    assert 400 <= answer.status < 500, answer
    problems = answer.json()["problems"]
    assert [(problem["line"], problem["pointer"]) for problem in problems] == [
        (3, "/nodes/a/from"), (4, "/nodes/c~1d"), (5, "/nodes/e/from"), (5, "/nodes/e/pipe/0/map"),
    ]
    assert all(problem["code"] and problem["message"] and problem["column"] for problem in problems)
    assert house.get("/v1/graphs/api").status == 404


@pytest.mark.parametrize(
    "body, headers, status, code",
    [
        ("[", {"Content-Type": "application/json"}, 400, "bad_json"),
        ("{}", {"Content-Type": "application/json"}, 400, "bad_field"),
        ("", {"Content-Type": "application/yaml"}, 400, "bad_field"),
        ("nodes: {", {"Content-Type": "application/yaml"}, 400, "bad_field"),
        ('{"graph":"else","nodes":{}}', {"Content-Type": "application/json"}, 400, "bad_field"),
        ("<nodes/>", {"Content-Type": "text/xml"}, 415, "unsupported_type"),
        ('{"nodes":{}}', {"Content-Type": "application/json", "If-Match": "x"}, 400, "bad_request"),
        (
            '{"nodes":{}}', {"Content-Type": "application/json", "Origin": "http://evil.example"}, 403,
            "bad_origin",
        ),
    ],
)
def test_bad_definitions_are_refused(house, body, headers, status, code):
    answer = house.request("PUT", "/v1/graphs/api", body, headers)
    assert (answer.status, answer.json()["code"]) == (status, code), answer
    assert house.get("/v1/graphs/api").status == 404


def test_as_many_graphs_and_nodes_as_the_limits_say():
    with Server({"house": HOUSE}, "# fixed: limits.graphs=2 limits.nodes=4\n") as server:
        five = {"nodes": {f"n{i}": {"set": "any"} for i in range(5)}}
        answer = put(server, "a", five)
        assert answer.status == 413 and "at most 4 nodes" in answer.json()["problems"][0]["message"]
        del five["nodes"]["n4"]
        assert put(server, "a", five).status == 201
        answer = put(server, "b", five)
        assert (
            answer.status == 413
            and answer.json()["code"] == "too_large"
            and "limits.graphs" in answer.json()["detail"]
        )
        assert server.request("DELETE", "/v1/graphs/a").status == 204
        assert put(server, "b", five).status == 201
        (graph_file(server).parent / "c.yaml").write_text("nodes: { x: { set: any } }\n")
        ran = reload(server)
        assert ran.returncode == 1 and "limits.graphs" in ran.stderr, ran


def test_only_those_with_the_right_to_administer_may(tmp_path):
    from access import Guarded, can

    with Guarded(tmp_path) as server:
        server.add("keeper", *can("read", "admin"), "--graphs", "mine*")
        hang_up(server)
        eventually(
            lambda: server.get("/v1/graphs", Authorization=f"Bearer {server.tokens['keeper']}").status == 200
        )

        def ask(who, method, path, body=None):
            return server.request(
                method, path, body, {"Authorization": f"Bearer {server.tokens[who]}"}
            ).status

        text = '{"nodes":{"x":{"set":"any"}}}'
        assert server.request("PUT", "/v1/graphs/mine", text).status == 401
        for method, path, body in [
            ("PUT", "/v1/graphs/mine", text), ("GET", "/v1/graphs/open/definition", None),
            ("DELETE", "/v1/graphs/open", None), ("POST", "/v1/reload", None),
        ]:
            assert ask("bob", method, path, body) == 403, path
        assert ask("keeper", "PUT", "/v1/graphs/mine", text) == 201
        assert ask("keeper", "PUT", "/v1/graphs/yours", text) == 403
        assert ask("keeper", "GET", "/v1/graphs/house/definition") == 403
        assert ask("alice", "GET", "/v1/graphs/house/definition") == 200
        assert ask("keeper", "DELETE", "/v1/graphs/mine") == 204
        ran = subprocess.run([BINARY, "reload", "--url", server.url], capture_output=True, text=True)
        assert ran.returncode == 1, ran
        ran = subprocess.run([BINARY, "reload", "--url", server.url], capture_output=True, text=True,
                             env={**os.environ, "SLUICE_TOKEN": server.tokens["alice"]})
        assert ran.returncode == 0, ran


# Notified clients


def test_all_clients_learn_of_a_removed_node(house):
    put(house, "api", {"nodes": {"a": {"set": "any", "initial": 1}, "b": {"set": "any", "initial": 2}}})
    with Client(house) as client, Client(house) as watcher, \
            Client(house, "/v1/graphs/api/nodes/b", protocol=None) as plain:
        events = EventSource(house, "/v1/graphs/api/events?node=a&node=b")
        client.send(op="sub", id=1, graph="api", node="b", pipe=[{"map": "value + 1"}])
        client.send(op="sub", id=2, graph="api", nodes=["*"])
        client.receive(), client.receive()
        watcher.send(op="observe", id=7, graph="api", every=50)
        topo = watcher.receive()
        number = next(node["n"] for node in topo["nodes"] if node.get("name") == "b")
        plain.socket.recv(PATIENCE)
        events.event(), events.event()
        put(house, "api", {"nodes": {"a": {"set": "any", "initial": 1}, "c": {"set": "any", "initial": 3}}})
        assert client.receive()["code"] == "node_removed"
        assert client.receive()["d"] == [{"id": 2, "m": {"b": {"gone": True}, "c": {"v": 3}}}]
        end = events.event()
        assert end.name == "end" and end.json()["id"] == 2 and end.json()["code"] == "node_removed"

        def deaths():
            message = watcher.receive()
            return [node for node in message["del"]["nodes"] if node.get("n") == number]

        assert eventually(deaths)[0]["reason"] == "removed"
        with pytest.raises(ConnectionClosed):
            plain.socket.recv(PATIENCE)
        house.set("api", "a", 5)
        assert events.event().json()["d"] == [{"id": 1, "v": 5}]


def test_a_long_poll_on_a_removed_node_is_answered(house):
    import threading

    put(house, "api", {"nodes": {"a": {"set": "any", "initial": 1}, "b": {"set": "any", "initial": 2}}})
    tag = house.get("/v1/graphs/api/nodes/b").headers["ETag"]
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(
        house.get("/v1/graphs/api/nodes/b", If_None_Match=tag, Prefer="wait=20")))
    waiting.start()
    eventually(lambda: house.get("/v1/graphs/api").json()["listeners"] == 1)
    put(house, "api", {"nodes": {"a": {"set": "any", "initial": 1}}})
    waiting.join(PATIENCE)
    assert answers[0].status == 404 and answers[0].json()["code"] == "unknown_node"


# Mounts


def test_mounts_are_confined_to_their_folders(tmp_path):
    (tmp_path / "files" / "deep").mkdir(parents=True)
    (tmp_path / "files" / "deep" / "a.txt").write_text("deep")
    (tmp_path / "files" / ".hidden").write_text("no")
    (tmp_path / "secret.txt").write_text("no")
    (tmp_path / "files" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.txt").write_text("inner")
    config = f"mounts: ['/files={tmp_path}/files', '/files/inner={tmp_path}/inner']\n"
    with Server({"house": HOUSE}, config) as server:
        assert server.get("/files/deep/a.txt").body == b"deep"
        assert server.get("/files/inner/b.txt").body == b"inner"
        for path in [
            "/files/../secret.txt", "/files/%2e%2e/secret.txt", "/files/link.txt", "/files/.hidden", "/files",
            "/files/", "/files/deep", "/files/deep/", "/filesdeep/a.txt", "/files//deep/a.txt",
        ]:
            assert server.get(path).status in (400, 404), path
        assert server.get("/").status == 200
    with pytest.raises(AssertionError, match="no folder"):
        Server({"house": HOUSE}, f"mounts: ['/x={tmp_path}/nothing']\n")
    with pytest.raises(AssertionError, match="mounts"):
        Server({"house": HOUSE}, f"mounts: ['/v1/x={tmp_path}']\n")
