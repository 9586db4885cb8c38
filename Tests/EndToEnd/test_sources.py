"""Source nodes: an upstream is open while somebody listens, and what it sends is a commit."""

import json
import re
import socket
import subprocess
import sys
import threading
import time

import pytest

from rawsocket import RawSocket, RawWebSocket
from redis_server import Instance, Redis
from sluice import BINARY, ROOT, Server, eventually
from sources import BOUNDS, config, definition, held, listening, open_upstreams, serve, state
from upstream import Upstream

JSON = {"Content-Type": "application/json"}


X = '  x: { source: { get: "met:/now?place=Bern", every: 1h, pick: value.value } }\n'


def test_s_1_the_first_listener_opens_and_the_last_one_closes(upstream):
    """S-1."""
    nodes = X + "  y: { from: x, pipe: [ { map: value * 10 } ] }\n"
    with serve(upstream, nodes) as server:
        assert server.get("/v1/graphs/g/nodes/x").status == 204
        assert open_upstreams(server) == [] and upstream.paths == []
        with listening(server, "y") as (peer, snap):
            assert snap["empty"]
            assert peer.message()["d"] == [{"id": 1, "v": 10}]
            assert upstream.paths == ["/v2/now?place=Bern"]
            assert open_upstreams(server)[0]["nodes"] == 1
            with listening(server, "x") as (_, other):
                assert other["v"] == 1
            assert len(open_upstreams(server)) == 1
        eventually(lambda: open_upstreams(server) == [])
        # The value stays, and a new listener opens the upstream again.
        assert held(server, "x") == 1
        with listening(server, "x"):
            eventually(lambda: held(server, "x") == 2)


@pytest.mark.parametrize("how", ["close", "reset"])
def test_s_1_a_request_under_way_is_cancelled(upstream, how):
    """S-1."""
    upstream.answer = lambda call: call.hang()
    with serve(upstream, X) as server:
        with listening(server) as (peer, _):
            eventually(lambda: upstream.requests)
            assert state(server, "x") == {"loading": True}
            if how == "reset":
                peer.reset()
        assert upstream.gone.wait(5)
        eventually(lambda: state(server, "x") == {})


def test_s_1_globs_and_reads_hold_nothing_and_what_is_kept_always_does(upstream):
    """S-1."""
    nodes = (
        X + '  log: { source: { get: "met:/log", every: 1h, pick: value.value }, history: 5 }\n'
        '  hot: { source: { get: "met:/hot", pick: value.value } }\n'
        "  alarm: { from: hot, pipe: [ { map: value > 100 } ], severity: warning }\n"
    )
    with serve(upstream, nodes) as server:
        eventually(lambda: sorted(upstream.paths) == ["/v2/hot", "/v2/log"])
        assert "is always open" in subprocess.run(
            [BINARY, "check", server.config.parent / "graphs" / "g.yaml"], capture_output=True, text=True
        ).stderr + server.log_text()
        with RawWebSocket(server) as peer:
            peer.text({"op": "sub", "id": 1, "graph": "g", "nodes": ["*"]})
            assert peer.message()["op"] == "snap"
            server.get("/v1/graphs/g/values")
            assert [each["from"] for each in open_upstreams(server)] == [upstream.url] * 2
        assert sorted(upstream.paths) == ["/v2/hot", "/v2/log"]


def test_s_1_a_read_with_load_waits_for_the_first_value_and_holds_no_longer(upstream):
    """S-1."""
    with serve(upstream, X + "  y: { from: x }\n") as server:
        assert server.get("/v1/graphs/g/nodes/y?load=1").json() == 1
        assert open_upstreams(server) == []
        # A value is there: nothing is asked for.
        assert server.get("/v1/graphs/g/nodes/y?load=1").json() == 1
        assert len(upstream.requests) == 1
    upstream.answer = lambda call: call.reply({}, status=503)
    with serve(upstream, X, "limits: {} # fixed: times.load=500ms\n") as server:
        answer = server.get("/v1/graphs/g/nodes/x?load=1&facets=1").json()
        assert answer["state"]["error"]["status"] == 503
        upstream.answer = lambda call: call.hang()
        assert server.get("/v1/graphs/g/nodes/x?load=1").status == 204
        eventually(lambda: open_upstreams(server) == [])


def test_s_1_clients_set_clear_drop_and_report_nothing(upstream):
    """S-1."""
    nodes = X + '  far.{id}: { source: { get: "met:/far?ids={id*}", pick: "value.value" } }\n'
    with serve(upstream, nodes) as server:
        base = "/v1/graphs/g/nodes/x"
        for method, path, body in [
            ("POST", base, "5"), ("PUT", base, "5"), ("DELETE", f"{base}/value", None),
            ("POST", f"{base}/load", '{"loading":true}'), ("POST", "/v1/graphs/g/batch", '{"set":{"x":1}}'),
            ("POST", "/v1/graphs/g/nodes/far.a", "5"),
        ]:
            answer = server.request(method, path, body, JSON)
            assert (answer.status, answer.json()["code"]) == (405, "not_mutable"), (method, path, answer)
        with RawWebSocket(server) as peer:
            peer.text({"op": "set", "id": 1, "graph": "g", "set": {"x": 1}})
            assert peer.message()["code"] == "not_mutable"
            peer.text({"op": "demand", "id": 2, "graph": "g", "node": "x"})
            assert peer.message()["code"] == "not_mutable"


def test_s_2_equal_requests_are_one(upstream):
    """S-2."""
    nodes = (
        '  a: { source: { get: "met:/now", every: 1h, pick: value.value } }\n'
        '  b: { source: { get: "met:/now", every: 1h, pick: "value.value * 100" } }\n'
        '  other: { source: { get: "met:/now", every: 1h, headers: { Accept-Language: de } } }\n'
    )
    graph = definition(upstream, nodes)
    with Server({"g": graph, "h": graph}, config(upstream)) as server, RawWebSocket(server) as peer:
        peer.subscribe("g", "a")
        assert peer.message()["d"] == [{"id": 1, "v": 1}]
        peer.text({"op": "sub", "id": 2, "graph": "g", "node": "b"})
        assert peer.message()["op"] == "snap"
        assert peer.message()["d"] == [{"id": 2, "v": 100}]
        assert "loading" not in state(server, "b")
        with RawWebSocket(server) as second:
            second.subscribe("h", "a")
            assert second.message()["d"] == [{"id": 1, "v": 1}]
            peer.text({"op": "unsub", "id": 1})
            peer.text({"op": "unsub", "id": 2})
            eventually(lambda: open_upstreams(server) == [])
            assert server.metrics()[f'sluice_upstreams{{upstream="{upstream.url}"}}'] == 1
            assert len(upstream.requests) == 1
            second.text({"op": "sub", "id": 3, "graph": "h", "node": "other"})
            eventually(lambda: len(upstream.requests) == 2)
            assert upstream.requests[1].headers["Accept-Language"] == "de"


@pytest.mark.parametrize("status", [200, 503])
def test_s_2_who_comes_while_an_answer_is_awaited_gets_it(upstream, status):
    """S-2."""
    gate = threading.Event()

    def answer(call):
        gate.wait(20)
        call.reply({"value": 1}, status=status)

    upstream.answer = answer
    nodes = "".join(f'  {name}: {{ source: {{ get: "met:/now", pick: value.value }} }}\n' for name in "ab")
    with serve(upstream, nodes) as server, listening(server, "a"):
        eventually(lambda: upstream.requests)
        with listening(server, "b"):
            eventually(lambda: open_upstreams(server)[0]["nodes"] == 2)
            gate.set()
            if status == 200:
                eventually(lambda: held(server, "a") == held(server, "b") == 1)
            else:
                eventually(lambda: all(state(server, x).get("error", {}).get("status") == 503 for x in "ab"))
            assert len(upstream.requests) == 1


def test_s_3_what_comes_is_a_commit(upstream):
    """S-3."""
    values = iter([{"value": {"deep": 1}}, {"value": {"deep": 1}}, {"value": 2}])
    upstream.answer = lambda call: call.reply(next(values, {"value": 2}))
    nodes = '  x: { source: { get: "met:/now", every: 100ms, pick: value.value }, history: 10 }\n'
    with serve(upstream, nodes, keeps=True) as server:
        eventually(lambda: held(server, "x") == 2)
        eventually(lambda: len(upstream.requests) > 4)
        # An equal value is no news.
        history = server.get("/v1/graphs/g/nodes/x/history").json()["d"]
        assert [entry["v"] for entry in history] == [{"deep": 1}, 2]
        rev = server.get("/v1/graphs/g").json()["rev"]
        why = server.get(f"/v1/graphs/g/nodes/x/explain?at={rev}").json()
        assert why["commits"][0]["by"] == "source"
        upstream.answer = lambda call: call.reply({}, status=500)
        server.stop()
        server.start()
        assert held(server, "x") == 2
        assert server.get("/v1/graphs/g").json()["rev"] >= rev


def test_s_4_a_failure_stands_beside_the_last_value(upstream):
    """S-4."""
    nodes = '  x: { source: { get: "met:/now", every: 200ms, pick: value.value } }\n'
    with serve(upstream, nodes) as server, listening(server, facets=True) as (peer, _):
        assert peer.message()["d"][0]["state"] == {"loading": True}
        assert peer.message()["d"][0]["v"] == 1
        upstream.answer = lambda call: call.reply({}, status=503, Retry_After="2")
        failure = next(
            entry["state"]["error"]
            for message in iter(peer.message, None)
            for entry in message.get("d", ())
            if "error" in entry.get("state", {})
        )
        assert (failure["code"], failure["status"]) == ("status", 503)
        assert 1_500 < failure["retryAt"] - failure["at"] < 2_500
        assert held(server, "x") >= 1
        assert open_upstreams(server)[0]["state"] == "failed"
        count = len(upstream.requests)
        upstream.answer = lambda call: call.reply({"value": "back"})
        eventually(lambda: held(server, "x") == "back")
        assert len(upstream.requests) == count + 1
        eventually(lambda: "error" not in state(server, "x"))


def test_s_5_unchanged_answers_are_short_and_load_asks_at_once(upstream):
    """S-5."""
    def answer(call):
        if call.headers.get("If-None-Match") == '"a"':
            assert call.headers.get("If-Modified-Since") == "Mon, 30 Nov 2026 00:00:00 GMT"
            return call.reply(status=304)
        call.reply({"value": 1}, ETag='"a"', Last_Modified="Mon, 30 Nov 2026 00:00:00 GMT")

    upstream.answer = answer
    nodes = '  x: { source: { get: "met:/now", every: 1h, pick: value.value }, fresh: 1s }\n'
    with serve(upstream, nodes) as server, listening(server, load=True) as (peer, _):
        eventually(lambda: held(server, "x") == 1)
        before = state(server, "x")["t"]
        # It becomes stale, the subscription asks for it, and the upstream confirms it.
        eventually(lambda: len(upstream.requests) == 2)
        eventually(lambda: state(server, "x")["t"] > before)
        assert server.metrics()[f'sluice_upstream_unchanged_total{{upstream="{upstream.url}"}}'] >= 1


def test_s_6_who_comes_back_while_the_value_is_fresh_asks_nothing(upstream):
    """S-6."""
    nodes = '  x: { source: { get: "met:/now", pick: value.value }, fresh: 1h }\n'
    with serve(upstream, nodes) as server:
        with listening(server) as (peer, _):
            assert peer.message()["d"] == [{"id": 1, "v": 1}]
        eventually(lambda: open_upstreams(server) == [])
        with listening(server) as (_, snap):
            assert snap["v"] == 1
            assert open_upstreams(server)[0]["state"] == "waiting"
        assert len(upstream.requests) == 1


def stations(call):
    asked = call.path.split("ids=")[1].split(",")
    call.reply({name: {"wind": len(name)} for name in asked if name != "none"})


BATCH = (
    '  station.{id}.wind: { source: { get: "met:/stations?ids={id*}", every: EVERY,'
    ' pick: "value[key.id].wind", batch: 3 } }\n'
)


def test_s_7_members_are_asked_for_together(upstream):
    """S-7."""
    upstream.answer = stations
    with serve(upstream, BATCH.replace("EVERY", "1h")) as server, RawWebSocket(server) as peer:
        names = ["a", "bb", "ccc", "none", "d-d"]
        peer.text([
            {"op": "sub", "id": i, "graph": "g", "node": f"station.{name}.wind"}
            for i, name in enumerate(names, 1)
        ])
        eventually(lambda: held(server, "station.d-d.wind") == 3)
        eventually(lambda: state(server, "station.none.wind").get("error", {}).get("code") == "not_found")
        requests = [path.split("=")[1].split(",") for path in upstream.paths]
        assert sorted(sum(requests, [])) == sorted(names) and len(requests) <= 3
        assert all(len(request) <= 3 for request in requests)
        eventually(lambda: [held(server, f"station.{name}.wind") for name in names[:3]] == [1, 2, 3])
        assert open_upstreams(server)[0]["nodes"] == 5
        peer.text({"op": "unsub", "id": 1})
        eventually(lambda: open_upstreams(server)[0]["nodes"] == 4)


def test_s_7_who_comes_meanwhile_joins_the_next_request_and_then_the_round(upstream):
    """S-7."""
    gate = {"open": False}

    def answer(call):
        while not gate["open"]:
            time.sleep(0.01)
        stations(call)

    upstream.answer = answer
    with serve(upstream, BATCH.replace("EVERY", "500ms")) as server, RawWebSocket(server) as peer:
        peer.subscribe("g", "station.a.wind", 1)
        eventually(lambda: len(upstream.requests) == 1)
        for i, name in [(2, "bb"), (3, "ccc")]:
            peer.text({"op": "sub", "id": i, "graph": "g", "node": f"station.{name}.wind"})
        eventually(lambda: open_upstreams(server)[0]["nodes"] == 3)
        assert upstream.paths == ["/v2/stations?ids=a"]
        gate["open"] = True
        eventually(lambda: held(server, "station.ccc.wind") == 3)
        assert upstream.paths[1] == "/v2/stations?ids=bb,ccc"
        eventually(lambda: "/v2/stations?ids=a,bb,ccc" in upstream.paths)


def test_s_7_a_member_ends_after_its_last_listener(upstream):
    """S-7."""
    upstream.answer = stations
    nodes = BATCH.replace("EVERY", "1h").replace("batch: 3 }", "batch: 3 }, expire: 300ms")
    with serve(upstream, nodes) as server:
        with listening(server, "station.a.wind") as (peer, _):
            assert peer.message()["d"] == [{"id": 1, "v": 1}]
        eventually(lambda: server.get("/v1/graphs/g/nodes/station.a.wind").status == 204)
        eventually(lambda: server.counts("g")["nodes"] == 0)


def test_s_8_one_of_several_servers_asks_and_another_takes_over(upstream):
    """S-8."""
    nodes = '  x: { source: { get: "met:/now", every: 200ms, pick: value.value } }\n'
    graph = {"g": definition(upstream, nodes)}
    with Redis() as redis:
        one = Instance(redis, graph, config(upstream))
        with one, Instance(redis, graph, config(upstream)) as two:
            with listening(two) as (peer, _):
                eventually(lambda: held(two, "x") >= 2)
                eventually(lambda: held(one, "x") >= 2)
                asking = [server for server in (one, two) if open_upstreams(server)]
                assert len(asking) == 1
                if asking == [one]:
                    one.kill()
                    count = len(upstream.requests)
                    eventually(lambda: len(upstream.requests) > count + 1)
                    eventually(lambda: held(two, "x") > count)
            eventually(lambda: open_upstreams(two) == [])


def test_s_10_secrets_are_sent_and_never_shown(upstream):
    """S-10."""
    with serve(upstream, X, headers="{ Authorization: { secret: MET }, X-From: town }",
               environment={"SLUICE_SECRET_MET": "Bearer s3cret"}) as server:
        with listening(server):
            eventually(lambda: upstream.requests)
            headers = upstream.requests[0].headers
            assert (headers["Authorization"], headers["X-From"]) == ("Bearer s3cret", "town")
            for path in ("/v1/graphs/g", "/v1/graphs/g/definition", "/v1/graphs/g/graph?live=1",
                         "/v1/connections", "/metrics"):
                assert b"s3cret" not in server.get(path).body
            kinds = {node["name"]: node["kind"] for node in server.picture("g")["nodes"] if "name" in node}
            assert kinds["x"] == "source"


# Bounds and safety


def test_what_is_not_permitted_is_refused_when_it_is_read(upstream):
    for graph, hosts, problem in [
        (definition(upstream, X), "[]", "sources must not reach"),
        (definition(upstream, X, "{ A: { secret: NONE } }"), f'["127.0.0.1:{upstream.port}"]', "no secret"),
    ]:
        with Server({}, f"sourceHosts: {hosts}\n") as server:
            answer = server.request("PUT", "/v1/graphs/g", graph, {"Content-Type": "application/yaml"})
            assert answer.status == 400 and problem in answer.body.decode(), answer


def test_a_name_that_leads_into_a_private_network_is_not_reached(upstream):
    graph = definition(upstream, X).replace("127.0.0.1", "localhost")
    hosts = f'"localhost:{upstream.port}"'
    with Server({"g": graph}, f"sourceHosts: [{hosts}]\n") as server, listening(server):
        eventually(lambda: state(server, "x").get("error", {}).get("code") == "not_permitted")
        assert upstream.requests == []
    hosts = f'"localhost:{upstream.port}=127.0.0.0/8"'
    with Server({"g": graph}, f"sourceHosts: [{hosts}]\n") as server, listening(server):
        eventually(lambda: held(server, "x") == 1)




@pytest.mark.parametrize(
    "answer, code",
    [
        (lambda call: call.reply(body=b"{"), "bad_answer"),
        (lambda call: call.reply(body=b""), "bad_answer"),
        (lambda call: call.reply(body=b"[" * 100_000), "bad_answer"),
        (lambda call: call.reply(body=b'"' + b"x" * (200 << 10) + b'"'), "bad_answer"),
        (lambda call: call.reply({"value": 1}, Content_Encoding="gzip"), "bad_answer"),
        (lambda call: call.reply({"other": 1}), "not_found"),
        (lambda call: call.reply({"value": "no number"}), "pick"),
        (lambda call: call.reply({}, status=404), "status"),
        (lambda call: call.reply({}, status=302, Location="http://127.0.0.1:1/"), "redirect"),
        (lambda call: call.reply({}, status=302, Location="/v2/again"), "redirect"),
        (lambda call: call.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 20_000), "bad_answer"),
        (lambda call: call.wfile.write(b"no HTTP\r\n\r\n"), "bad_answer"),
        (lambda call: call.connection.shutdown(socket.SHUT_RDWR), "unreachable"),
        (lambda call: [call.wfile.write(b"HTTP/1.1 103 Early\r\n\r\n") for _ in range(100_000)], "timeout"),
        (lambda call: drip(call), "timeout"),
    ],
)
def test_hostile_upstreams_are_named_and_bounded(upstream, answer, code):
    upstream.answer = answer
    nodes = '  x: { source: { get: "met:/now", pick: "value.value + 1" } }\n  z: { set: any }\n'
    with serve(upstream, nodes, BOUNDS) as server, listening(server):
        before = server.resident()
        eventually(lambda: state(server, "x").get("error", {}).get("code") == code)
        error = state(server, "x")["error"]
        assert error["msg"]
        assert code in ("not_found", "pick") or error["retryAt"] > error["at"]
        server.set("g", "z", 1)
        assert server.resident() - before < 16 << 20


def drip(call):
    call.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(40):
        call.wfile.write(b"1")
        call.wfile.flush()
        time.sleep(0.1)


def test_redirects_within_sourceHosts_are_followed_without_secrets_to_another(upstream):
    other = Upstream()
    upstream.answer = lambda call: call.reply({}, status=307, Location=f"{other.url}/there")
    hosts = f'sourceHosts: ["127.0.0.1:{upstream.port}", "127.0.0.1:{other.port}"]\n'
    graph = definition(upstream, X, "{ Authorization: { secret: MET }, X-From: town }")
    environment = {"SLUICE_SECRET_MET": "s3cret"}
    with Server({"g": graph}, hosts, environment=environment) as server, listening(server):
        eventually(lambda: held(server, "x") == 1)
        assert other.requests[0].headers["X-From"] == "town"
        assert other.requests[0].headers["Authorization"] is None
    other.close()


def test_a_new_definition_asks_only_what_has_changed(upstream):
    nodes = X + '  y: { source: { get: "met:/y", every: 1h, pick: value.value } }\n'
    with serve(upstream, nodes) as server, RawWebSocket(server) as peer:
        peer.subscribe("g", "x")
        peer.text({"op": "sub", "id": 2, "graph": "g", "node": "y"})
        eventually(lambda: len(upstream.requests) == 2)
        path = server.config.parent / "graphs" / "g.yaml"
        path.write_text(definition(upstream, nodes.replace("met:/y", "met:/z")))
        assert server.request("POST", "/v1/reload").status == 200
        eventually(lambda: upstream.paths[2:] == ["/v2/z"])
        path.write_text(definition(upstream, "  x: { set: number }\n"))
        server.request("POST", "/v1/reload")
        eventually(lambda: open_upstreams(server) == [])
        server.set("g", "x", 5)


def test_a_request_with_method_body_and_text(upstream):
    upstream.answer = lambda call: call.reply(body=b"plain text")
    nodes = (
        '  note.{id}: { source: { get: "met:/notes/{id}", method: POST, as: text,'
        ''' body: "{'id': key.id, 'n': 1}", headers: { X-A: b } } }\n'''
    )
    with serve(upstream, nodes) as server, listening(server, "note.a-b") as (peer, _):
        assert peer.message()["d"] == [{"id": 1, "v": "plain text"}]
        request = upstream.requests[0]
        assert (request.method, request.path) == ("POST", "/v2/notes/a-b")
        assert json.loads(request.body) == {"id": "a-b", "n": 1}
        assert request.headers["Content-Type"] == "application/json"


def test_what_leaves_at_once_is_never_asked(upstream):
    with serve(upstream, X) as server:
        for _ in range(50):
            with RawSocket(server) as peer:
                peer.send("GET /v1/graphs/g/events?node=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                peer.reset()
        eventually(lambda: open_upstreams(server) == [] and server.counts("g")["listeners"] == 0)


def test_the_service_of_the_documentation():
    text = (ROOT / "docs/sources.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.S)[1]
    graph = re.search(r"```yaml\n(graph: town.*?)```", text, re.S)[1]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-c", program.replace("9191", str(port))], stdout=subprocess.PIPE, text=True
    )
    try:
        eventually(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        hosts = f'sourceHosts: ["127.0.0.1:{port}"]\n'
        with Server({"town": graph.replace("9191", str(port))}, hosts) as server:
            run = subprocess.run([BINARY, "get", "town/feels_cold", "--url", server.url],
                                 capture_output=True, text=True)
            assert (run.stdout, run.stderr) == ("", "town/feels_cold is empty\n"), run
            with RawWebSocket(server) as peer:
                peer.subscribe("town", "feels_cold")
                assert peer.message()["d"] == [{"id": 1, "v": True}]
                assert process.stdout.readline() == "/v2/now?place=Bern\n"
            command, answer = re.search(r"<!-- run: load -->\n```sh\n(.*?)   # (\w+)\n", text).groups()
            command = command.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
            assert subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout == answer
            assert process.stdout.readline() == "/v2/stations?ids=bern\n"
    finally:
        process.kill()


@pytest.mark.parametrize(
    "limit, hosts", [("limits.sourceRequests=3", 3), ("limits.sourceRequestsPerHost=3", 1)]
)
def test_so_many_requests_are_under_way_at_once(limit, hosts):
    gate, running, most, lock = threading.Event(), [0], [0], threading.Lock()

    def answer(call):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        gate.wait(20)
        with lock:
            running[0] -= 1
        call.reply({"value": 1})

    upstreams = [Upstream() for _ in range(hosts)]
    for each in upstreams:
        each.answer = answer
    names = {f"u{i}": each for i, each in enumerate(upstreams)}
    graph = "upstreams:\n"
    graph += "".join(f'  {name}: {{ url: "{each.url}" }}\n' for name, each in names.items())
    graph += "nodes:\n" + "".join(
        f'  n{i}: {{ source: {{ get: "u{i % hosts}:/{i}", pick: value.value }} }}\n' for i in range(12)
    )
    ports = ", ".join(f'"127.0.0.1:{each.port}"' for each in upstreams)
    with Server({"g": graph}, f"sourceHosts: [{ports}]\nlimits: {{}} # fixed: {limit}\n") as server:
        with RawWebSocket(server) as peer:
            peer.text([{"op": "sub", "id": i + 1, "graph": "g", "node": f"n{i}"} for i in range(12)])
            eventually(lambda: most[0] == 3)
            time.sleep(0.2)
            gate.set()
            eventually(lambda: all(held(server, f"n{i}") == 1 for i in range(12)))
            assert most[0] == 3
    for each in upstreams:
        each.close()
