"""What upstreams are open is bounded for each principal, and can be seen: in pictures, with `why`, in
lists and in the audit."""

import json
import re
import subprocess

from rawsocket import RawWebSocket
from sluice import BINARY, Server, eventually
from sources import definition, held, listening, open_upstreams, serve
from upstream import Upstream

X = '  x: { source: { get: "met:/now?place=Bern", every: 1h, pick: value.value } }\n'


def members(call):
    names = call.path.split("ids=")[1].split(",")
    call.reply({name: len(name) for name in names})


FAMILY = (
    '  far.{id}: { source: { get: "met:/far?ids={id*}", every: 1h, pick: "value[key.id]" } }\n'
    '  near.{id}: { from: "far.{id}", pipe: [ { map: value * 10 } ] }\n'
)


# Bounds


def test_s_7_what_one_principal_keeps_wanted_is_bounded(upstream):
    """S-7: limits.wanted."""
    upstream.answer = members
    with serve(upstream, FAMILY, "limits: { wanted: 2 }\n") as server, RawWebSocket(server) as peer:
        peer.text({"op": "sub", "id": 1, "graph": "g", "nodes": ["near.a", "far.bb"]})
        answer = peer.message()
        assert answer["op"] == "snap", answer
        peer.text({"op": "sub", "id": 2, "graph": "g", "node": "near.a"})
        eventually(lambda: any(message.get("id") == 2 for message in [peer.message()]))
        # Without tokens all clients count together.
        refused = server.get("/v1/graphs/g/events?node=far.c")
        assert (refused.status, refused.json()["code"]) == (429, "sub_limit")
        assert "limits.wanted" in refused.json()["hint"]
        assert server.get("/v1/graphs/g/nodes/far.c?load=1").status == 429
        assert not any("c" in path.split("ids=")[1] for path in upstream.paths)
        peer.reset()
        eventually(lambda: server.get("/v1/graphs/g/nodes/far.c?load=1").status == 200)


# Pictures

DERIVED = X + '  y: { from: x, pipe: [ { map: value * 10 } ] }\n'
SECRET = {"SLUICE_SECRET_MET": "Bearer s3cret"}


def picture(server, form):
    return server.get(f"/v1/graphs/g/graph?format={form}&live=1").body.decode()


def test_s_10_live_pictures_show_an_upstream_with_its_state(upstream):
    """S-10."""
    headers = "{ Authorization: { secret: MET } }"
    with serve(upstream, DERIVED, headers=headers, environment=SECRET) as server:
        assert server.picture("g")["upstreams"] == []
        with listening(server, "y"):
            eventually(lambda: held(server, "y") == 10)
            drawn = server.picture("g")
            x = next(node["n"] for node in drawn["nodes"] if node.get("name") == "x")
            (shown,) = drawn["upstreams"]
            assert shown.pop("dueAt") > drawn["t"]
            assert shown == {"u": shown["u"], "from": upstream.url, "state": "waiting", "nodes": 1, "on": [x]}
            name = shown["u"].replace(":", "")
            dot = picture(server, "dot")
            label = re.escape(upstream.url) + r"\\ndue in \d+ min"
            assert re.search(rf'{name} \[shape=hexagon, label="{label}"\];', dot), dot
            assert f"{name} -> n{x};" in dot
            assert f"{name}{{{{" in picture(server, "mermaid")
            for form in ("dot", "mermaid", "json"):
                text = picture(server, form)
                assert "/v2" not in text and "s3cret" not in text
                assert "hexagon" not in server.get(f"/v1/graphs/g/graph?format={form}").body.decode()
        eventually(lambda: server.picture("g")["upstreams"] == [])
        upstream.answer = lambda call: call.reply({}, status=503)
        with listening(server, "x"):
            eventually(lambda: "failed with status 503, asked again in" in picture(server, "dot"))


def test_s_10_observers_follow_the_state(upstream):
    """S-10."""
    with serve(upstream, X) as server, RawWebSocket(server) as peer:
        peer.text({"op": "observe", "id": 1, "graph": "g", "every": 50})
        assert peer.message()["upstreams"] == []
        with listening(server, "x"):
            def news():
                found = peer.message().get("upstreams")
                return found and found[0]["state"] == "waiting" and found
            (shown,) = eventually(news)
            assert (shown["from"], shown["nodes"]) == (upstream.url, 1)
        eventually(lambda: peer.message().get("upstreams") == [])


# Why


def why(server, node):
    answer = server.get(f"/v1/graphs/g/nodes/{node}/why").json()
    line = subprocess.run(
        [BINARY, "why", f"g/{node}", "--url", server.url], capture_output=True, text=True, check=True
    ).stdout.splitlines()[-1]
    return answer.get("upstreams"), line


def test_s_10_why_names_the_upstream_and_what_keeps_it_open(upstream):
    """S-10."""
    nodes = DERIVED + (
        '  hot: { source: { get: "met:/hot", every: 1h, pick: value.value } }\n'
        "  alarm: { from: hot, pipe: [ { map: value > 100 } ], severity: warning }\n"
    )
    with serve(upstream, nodes) as server:
        eventually(lambda: held(server, "hot"))
        ways, line = why(server, "x")
        assert ways == [{"node": "x", "state": "closed", "for": []}]
        assert line == "x ← upstream: closed"
        (shown,), line = why(server, "alarm")
        assert shown["node"] == "hot" and shown["for"] == [{"node": "alarm", "because": "severity"}]
        assert re.fullmatch(
            rf"hot ← upstream {re.escape(upstream.url)}: due in \d+ min; open for alarm \(severity\)", line
        ), line
        upstream.answer = lambda call: call.reply({}, status=503, Retry_After="8")
        with listening(server, "y"):
            eventually(lambda: why(server, "y")[0][0]["state"] == "failed")
            (shown,), line = why(server, "y")
            assert (shown["node"], shown["from"], shown["status"]) == ("x", upstream.url, 503)
            assert 0 < shown["retryIn"] and [each["subs"] for each in shown["for"]] == [[1]]
            assert re.fullmatch(
                rf"x ← upstream {re.escape(upstream.url)}: failed with status 503, asked again in \d+ (s|min)"
                r"; open for c:\d+ \(ws\)",
                line,
            ), line
        eventually(lambda: why(server, "x")[0][0]["state"] == "closed")


# Connections


def test_s_10_the_list_of_connections_has_those_that_the_server_makes(upstream):
    """S-10."""
    other = Upstream()
    graphs = {"g": definition(upstream, X), "h": definition(upstream, X), "k": definition(other, X)}
    hosts = f'sourceHosts: ["127.0.0.1:{upstream.port}", "127.0.0.1:{other.port}"]\n'
    with Server(graphs, hosts) as server, RawWebSocket(server) as peer:
        def listed():
            return server.get("/v1/connections").json()["upstreams"]

        assert listed() == []
        for id, graph in enumerate("ghk", 1):
            peer.text({"op": "sub", "id": id, "graph": graph, "node": "x"})
        eventually(lambda: [each["state"] for each in listed()] == ["waiting", "waiting"])
        shared, alone = listed()
        assert [each["from"] for each in (shared, alone)] == [upstream.url, other.url]
        assert shared["graphs"] == [{"graph": "g", "nodes": 1}, {"graph": "h", "nodes": 1}]
        assert alone["graphs"] == [{"graph": "k", "nodes": 1}] and shared["u"] != alone["u"]
        assert b"/v2" not in server.get("/v1/connections").body
        peer.text({"op": "unsub", "id": 1})
        eventually(lambda: listed()[0]["graphs"] == [{"graph": "h", "nodes": 1}])
        peer.reset()
        eventually(lambda: listed() == [])
    other.close()


# Audit


def lines(folder, action):
    return [line for line in map(json.loads, (folder / "audit.log").read_text().splitlines())
            if line["action"] == action]


def test_s_10_the_audit_has_the_first_use_of_a_secret_and_refusals(upstream, tmp_path):
    """S-10."""
    more = f"audit: {tmp_path / 'audit.log'}\nlog: {{ format: json }}\n"
    nodes = X + '  y: { source: { get: "met:/y", every: 1h, pick: value.value } }\n'
    headers = "{ Authorization: { secret: MET } }"
    with serve(upstream, nodes, more, headers=headers, environment=SECRET) as server:
        for node in ("x", "y", "x"):
            with listening(server, node):
                eventually(lambda: open_upstreams(server))
            eventually(lambda: not open_upstreams(server))
        (line,) = eventually(lambda: lines(tmp_path, "useSecret"))
        assert {name: line.get(name) for name in ("graph", "secret", "upstream", "result", "by")} == {
            "graph": "g", "secret": "MET", "upstream": upstream.url, "result": "ok", "by": None,
        }
        assert server.request("POST", "/v1/reload").status == 200
        with listening(server, "x"):
            eventually(lambda: open_upstreams(server))
        assert len(lines(tmp_path, "useSecret")) == 1 and lines(tmp_path, "openUpstream") == []
    often = X.replace("every: 1h", "every: 100ms")
    graph = definition(upstream, often).replace("127.0.0.1", "localhost")
    folder = tmp_path / "second"
    folder.mkdir()
    more = f"audit: {folder / 'audit.log'}\nlog: {{ format: json }}\n"
    with Server({"g": graph}, f'sourceHosts: ["localhost:{upstream.port}"]\n' + more) as server:
        with listening(server):
            (line,) = eventually(lambda: lines(folder, "openUpstream"))
            expected = ("g", f"http://localhost:{upstream.port}", "not_permitted", "forbidden")
            assert (line["graph"], line["upstream"], line["why"], line["result"]) == expected
            eventually(lambda: server.metrics()[
                f'sluice_upstream_failed_total{{upstream="http://localhost:{upstream.port}"}}'] > 1)
        assert len(lines(folder, "openUpstream")) == 1
    assert "s3cret" not in (tmp_path / "audit.log").read_text()
