"""Every limit and every time has a test of its breach, whether it is a key or fixed: here, or where
this page says.

`test_every_limit_has_a_test` walks docs/configuration.md, which is generated; a new limit without a
test fails it.
"""

import json
import os
import re
import subprocess
import time

import pytest
from conftest import CHAIN, Client
from events import EventSource
from rawsocket import RawSocket, RawWebSocket, frame
from sluice import BINARY, PATIENCE, ROOT, Server, eventually

NODE = "/v1/graphs/g/nodes/"

# Where exceeding a key's limit is tested: a file, and words of the test.
TESTED = {
    "limits.connections": (
        "Tests/SluiceServerTests/API/RequestTests.swift", "a client gets a clean 503 when there is no room",
    ),
    "limits.connectionsPerAddress": (
        "Tests/SluiceServerTests/API/RequestTests.swift", "connections of one address are bounded",
    ),
    "limits.tokens": (
        "Tests/SluiceServerTests/Definitions/ReloadTests.swift", "limits.tokens: the file of tokens is read",
    ),
    "limits.dashboards": ("Tests/EndToEnd/test_saved_dashboards.py", "size_and_number_are_bounded"),
    "limits.sets": (
        "Tests/SessionsTests/Session/RateTests.swift", "limits.sets: what comes too fast is refused",
    ),
    "limits.messages": (
        "Tests/SessionsTests/Session/RateTests.swift", "limits.messages: every object counts",
    ),
    "limits.pipelines": (
        "Tests/SessionsTests/Pipelines/Bench+Pipelines.swift",
        "limits.pipelineUnits = burst * 500",
    ),
    "limits.held": ("Tests/SessionsTests/Pipelines/HeldTests.swift", "limits.held: values that stages make"),
    "limits.keptChains": ("Tests/EndToEnd/test_keeping.py", "limits.keptChains=2"),
    "times.load": ("Tests/EndToEnd/test_demand.py", "# fixed: times.load=300ms"),
    "times.keep": ("Tests/EndToEnd/test_keeping.py", "# fixed: times.keep=90s"),
    "limits.work": (
        "Tests/SessionsTests/Graph/TurnShareTests.swift",
        "A message with many costly requests takes many turns",
    ),
    "limits.historyBytes": ("Tests/SessionsTests/Graph/HistoryTests.swift", "limits.historyBytes = 10"),
    "limits.historyMemory": (
        "Tests/SessionsTests/Past/StepHistoryTests.swift", "limits.historyMemory = 3_000",
    ),
    "limits.members": (
        "Tests/SessionsTests/Families/MemberTests.swift", "limits.members bounds the members of one graph",
    ),
    "limits.answer": (
        "Tests/SessionsTests/Session/AnswerSizeTests.swift",
        "limits.answer: values that are too large for one answer",
    ),
    "limits.picture": (
        "Tests/SessionsTests/Picture/LargeGraphTests.swift", "limits.picture: a larger graph is refused",
    ),
    "limits.kept": ("Tests/SessionsTests/Graph/PressureTests.swift", "limits.kept = 1"),
    "limits.contextBytes": ("Tests/EndToEnd/test_echo.py", "contextBytes=1MiB"),
    "limits.patterns": ("Tests/EndToEnd/test_asking.py", "# fixed: limits.patterns=2"),
    "limits.pending": (
        "Tests/SessionsTests/Submitting/PendingTests.swift", "client.sink.pauses == [true, false]",
    ),
    "limits.pendingBytes": (
        "Tests/SessionsTests/Submitting/PendingTests.swift", "client.sink.pauses == [true, false, true]",
    ),
    "limits.sessions": ("Tests/EndToEnd/test_browser_sessions.py", "sessions=2"),
    "limits.wrongTokens": ("Tests/EndToEnd/test_rates.py", "wrongTokens=5"),
    "limits.graphs": ("Tests/SessionsTests/Graph/Redefinition/DefinedGraphTests.swift", "limits.graphs = 2"),
    "limits.nodes": (
        "Tests/SessionsTests/Graph/Redefinition/DefinedGraphTests.swift", "options.mostNodes = 2",
    ),
    "limits.delayed": ("Tests/EndToEnd/test_definitions.py", "delayed=2"),
    "limits.windowValues": ("Tests/EndToEnd/test_definitions.py", "windowValues=3"),
    "limits.zipBuffer": ("Tests/EndToEnd/test_definitions.py", "zipBuffer=2"),
    "limits.switchKeys": ("Tests/EndToEnd/test_definitions.py", "switchKeys=1"),
    "times.handshake": ("Tests/EndToEnd/test_tls.py", "handshake="),
    "times.behind": (
        "Tests/SluiceServerTests/API/ReadingAfterTests.swift", "times.behind: a read waits no longer",
    ),
    "times.refusal": (
        "Tests/SluiceServerTests/Connections/RefusalTests.swift", "times.refusal: a silent client",
    ),
    "times.refusedSink": ("Tests/EndToEnd/test_sinks.py", "# fixed: times.refusedSink="),
    "limits.sinkEntries": ("Tests/EndToEnd/test_glob_sinks.py", "limits.sinkEntries=10"),
    "limits.sinkBytes": ("Tests/EndToEnd/test_glob_sinks.py", "limits.sinkBytes=2KiB"),
    "limits.sinkQueue": ("Tests/EndToEnd/test_glob_sinks.py", "limits.sinkQueue=20KiB"),
    "limits.sourceBody": ("Tests/EndToEnd/sources.py", "limits.sourceBody=100KiB"),
    "limits.wanted": ("Tests/EndToEnd/test_upstreams_seen.py", "limits: { wanted: 2 }"),
    "limits.sourceRequests": ("Tests/EndToEnd/test_sources.py", "limits.sourceRequests=3"),
    "limits.sourceRequestsPerHost": ("Tests/EndToEnd/test_sources.py", "limits.sourceRequestsPerHost=3"),
    "times.source": ("Tests/EndToEnd/sources.py", "# fixed: times.source=1s"),
    "times.headers": ("Tests/EndToEnd/test_errors.py", "# fixed: times.headers=200ms"),
    "times.body": (
        "Tests/SluiceServerTests/Connections/DeadlineTests.swift", "a head or a body that is late is 408",
    ),
    "times.idle": ("Tests/SluiceServerTests/Connections/DeadlineTests.swift", "an idle connection just ends"),
    "times.hello": ("Tests/EndToEnd/test_tokens.py", "# fixed: times.hello=300ms"),
    "times.session": ("Tests/EndToEnd/test_browser_sessions.py", "session: 2s"),
    "heartbeat": ("Tests/EndToEnd/test_errors.py", "heartbeat: 100ms"),
}
MET = {}


def breach(key):
    def mark(function):
        MET[key] = function
        return function

    return mark


def limited(setting, graph=CHAIN):
    return Server({"g": graph}, setting + "\n")


def limits():
    names = re.findall(r"^\| `([a-zA-Z.]+)` \|", (ROOT / "docs/configuration.md").read_text(), re.M)
    return {
        name for name in names if name.startswith(("limits.", "times.")) or name in ("heartbeat", "drain")
    }


def test_every_limit_has_a_test():
    assert limits() == set(TESTED) | set(MET)
    assert not set(TESTED) & set(MET)
    for key, (path, words) in TESTED.items():
        assert words in (ROOT / path).read_text(), f"{key}: {path} has no '{words}'"



def test_a_fixed_limit_is_no_key(tmp_path):
    (tmp_path / "sluice.yaml").write_text("limits: { work: 5 }\nmemory: { pressure: auto }\n")
    result = subprocess.run(
        [BINARY, "check", "--config", tmp_path / "sluice.yaml"], capture_output=True, text=True,
        env={**os.environ, "SLUICE_LIMITS_STAGES": "3", "SLUICE_LOG_LVEL": "info", "SLUICE_FOO": "1"},
    )
    for warning in (
        "SLUICE_LIMITS_STAGES names no key (limits.stages is fixed at 16; "
        "docs/configuration.md#fixed-limits says why)",
        "SLUICE_LOG_LVEL names no key (did you mean 'SLUICE_LOG_LEVEL'?)", "SLUICE_FOO names no key",
    ):
        assert f"warning: {warning}\n" in result.stderr
    assert result.returncode == 1
    assert (
        "unknown key 'limits.work' (limits.work is fixed at 100; docs/configuration.md#fixed-limits says why)"
        in result.stderr
    )
    assert "unknown key 'memory.pressure' (memory.pressure is fixed at auto" in result.stderr
    with Server({"g": CHAIN}, environment={"SLUICE_LIMITS_WORK": "5"}) as server:
        assert "SLUICE_LIMITS_WORK names no key (limits.work is fixed at 100" in server.log_text()


# Requests.

def raw(server, head, body=""):
    with RawSocket(server) as peer:
        peer.send(head + body)
        status, headers, body = peer.response()
        return status, json.loads(body)["code"]


@breach("limits.target")
def target():
    with limited("# fixed: limits.target=100") as server:
        assert raw(server, f"GET /{'a' * 60} HTTP/1.1\r\nHost: localhost\r\n\r\n")[0] == 404
        assert raw(server, f"GET /{'a' * 100} HTTP/1.1\r\nHost: localhost\r\n\r\n") == (414, "uri_too_long")


@breach("limits.headers")
def headers():
    with limited("# fixed: limits.headers=300") as server:
        for length, status in ((100, 404), (400, 431)):
            assert (
                raw(server, f"GET /v1/graphs/no HTTP/1.1\r\nHost: localhost\r\nX: {'a' * length}\r\n\r\n")[0]
                == status
            )


@breach("limits.fields")
def fields():
    with limited("# fixed: limits.fields=5") as server:
        for count, status in ((4, 404), (5, 431)):
            assert (
                raw(
                    server, "GET /v1/graphs/no HTTP/1.1\r\nHost: localhost\r\n" + "X: y\r\n" * count + "\r\n"
                )[0]
                == status
            )


@breach("limits.dryRun")
def dry_run():
    with limited("limits: { body: 100 }\n# fixed: limits.dryRun=1000") as server:
        put = lambda size, query: server.request(
            "PUT", "/v1/graphs/new" + query, '{"nodes":{},"title":"%s"}' % ("x" * (size - 23)),
            {"Content-Type": "application/json"},
        )  # noqa: E731
        assert put(100, "?dry_run=1").status == 200 and "hint" not in put(100, "?dry_run=1").json()
        assert "limits.body" in put(101, "?dry_run=1").json()["hint"]
        assert (
            put(1001, "?dry_run=1").json()["detail"]
            == "the body has 1001 bytes; at most 1000 are allowed (limits.dryRun)"
        )
        for query in ("", "?dry_run=0", "?dry_run=no", "?adopt=1"):
            assert "limits.body" in put(101, query).json()["detail"]
        # Only definitions can be tried.
        for method in ("POST", "PUT"):
            assert server.request(method, NODE + "any?dry_run=1", '"%s"' % ("x" * 200)).status == 413


@breach("limits.body")
def body():
    with limited("limits: { body: 10 }") as server:
        assert server.request("POST", NODE + "any", '"12345678"').status == 200
        answer = server.request("POST", NODE + "any", '"123456789"')
        assert answer.status == 413 and answer.json()["code"] == "too_large"
        # Of declared size, before a byte of it has come; chunks are counted as they come.
        head = "PUT /v1/graphs/new HTTP/1.1\r\nHost: localhost\r\n"
        assert raw(server, head + "Content-Length: 11\r\n\r\n") == (413, "too_large")
        chunk = "4\r\nnull\r\n"
        assert raw(server, head + "Transfer-Encoding: chunked\r\n\r\n" + chunk * 3) == (413, "too_large")
    # The longest value can be read.
    with limited("limits: { body: 5MiB }") as server:
        assert server.request("POST", NODE + "any", '"%s"' % ("x" * (5 << 20))[2:]).status == 200
        assert server.get("/v1/graphs/g/values?nodes=any").status == 200
    definition = '{"nodes":{},"title":"%s"}'
    with limited("limits: { body: 100 }") as server:
        put = lambda size: server.request(
            "PUT", "/v1/graphs/new", definition % ("x" * (size - 23)), {"Content-Type": "application/json"}
        )  # noqa: E731
        assert put(100).status == 201 and put(101).status == 413


def test_connections_are_no_more_than_descriptors(tmp_path):
    (tmp_path / "g.yaml").write_text(CHAIN)
    (tmp_path / "configuration").write_text(f"graphs: {tmp_path}\npublic: ''\n")
    process = subprocess.Popen(
        [
            "bash", "-c", 'ulimit -n 100; exec "$@"', "-", BINARY, "serve", "--config",
            tmp_path / "configuration", "--listen", "127.0.0.1:0",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    try:
        class Limited:
            host = "127.0.0.1"
            port = int(process.stdout.readline().rsplit(":", 1)[1].strip(" /\n"))

        def answer(peer):
            peer.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return peer.response()[0]

        peers = [RawSocket(Limited) for _ in range(36)]
        assert [answer(peer) for peer in peers] == [200] * 36
        for _ in range(10):
            with RawSocket(Limited) as refused:
                assert answer(refused) == 503
        peers.pop().close()
        eventually(lambda: answer(RawSocket(Limited)) == 200, what="room for one more")
        process.terminate()
        assert "lowered limits.connections to 36:" in process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
        process.wait()


# WebSocket.

@breach("limits.message")
def message():
    with limited("limits: { message: 200 }") as server:
        peer = RawWebSocket(server)
        peer.text('{"op":"ping","id":1}' + " " * 180)
        assert peer.message()["op"] == "ok"
        peer.text('{"op":"ping","id":1}' + " " * 181)
        assert peer.close_code() == 1009


@breach("limits.subs")
def subs():
    with limited("limits: { subs: 2 }") as server, Client(server) as client:
        assert [client.ask(op="sub", graph="g", node="x")["op"] for _ in range(2)] == ["snap"] * 2
        refused = client.ask(op="sub", graph="g", node="x")
        assert refused["code"] == "sub_limit" and refused["retry"] is True
        assert server.get("/v1/graphs/g/events?node=x&node=y&node=any").status == 400


@breach("limits.matches")
def matches():
    family = CHAIN + '  "s.{id}": { set: number }\n'
    with limited("limits: { matches: 3 }", family) as server, Client(server) as client:
        server.batch("g", set={f"s.{number}": number for number in range(10)})
        # The rest stay out, whatever asks.
        for op in "sub", "get":
            answer = client.ask(op=op, graph="g", nodes=["s.*"])
            assert len(answer["m"]) == 3 and answer["more"] == 7, answer
        with EventSource(server, "/v1/graphs/g/events?node=s.*") as stream:
            snap = stream.event().json()
            assert len(snap["m"]) == 3 and snap["more"] == 7, snap
        path, names = "/v1/graphs/g/values?nodes=s.*,y", []
        page = server.get(path).json()
        assert len(page["m"]) == 3 and "next" in page
        while True:
            names += page["m"]
            if "next" not in page:
                break
            page = server.get(f"{path}&next={page['next']}").json()
        assert names == sorted(names) == [f"s.{number}" for number in range(10)] + ["y"]
        assert server.get(f"{path}&limit=4").json()["code"] == "bad_field"
        refused = client.ask(op="sub", graph="g", nodes=["x", "y", "s.1", "s.2"])
        assert refused["code"] == "sub_limit" and refused["retry"] is False


@breach("limits.stages")
def stages():
    with limited("# fixed: limits.stages=1") as server, Client(server) as client:
        assert client.ask(op="sub", graph="g", node="x", pipe=["distinct"])["op"] == "snap"
        refused = client.ask(op="sub", graph="g", node="x", pipe=["distinct", "delta"])
        # It would be refused at any time.
        assert refused["code"] == "bad_field" and refused["retry"] is False
        asked = server.request("POST", "/v1/graphs/g/eval", '{"node":"x","pipe":["distinct","delta"]}')
        assert asked.status == 400 and "Retry-After" not in asked.headers


@breach("limits.expression")
def expression():
    graph = CHAIN + '  listed: { from: any, pipe: [ { map: "value.map(v, v + 1)" } ] }\n'
    with limited("# fixed: limits.expression=200", graph) as server, Client(server) as client:
        ask = {"op": "sub", "graph": "g", "node": "any", "pipe": [{"map": "value.map(v, v + 2)"}]}
        client.ask(**ask)
        for count, is_dear in ((5, False), (100, True)):
            server.set("g", "any", [1] * count)
            entry = client.receive()["d"][0]
            assert entry.get("fail", {}).get("code") == ("expr_cost" if is_dear else None)
            assert server.get(NODE + "listed").status == (424 if is_dear else 200)
        assert server.get(NODE + "listed").json()["code"] == "node_failed"
        asked = server.request("POST", "/v1/graphs/g/eval", json.dumps({"node": "any", "pipe": ask["pipe"]}))
        assert asked.status == 422 and asked.json()["code"] == "expr_cost"


@breach("limits.idempotencyKeys")
def idempotency_keys():
    with limited("# fixed: limits.idempotencyKeys=2") as server:
        def replayed(key):
            answer = server.request("POST", NODE + "x", "1", {"Idempotency-Key": key})
            assert answer.status == 200
            return answer.headers["Idempotent-Replayed"] == "true"

        assert [replayed(key) for key in "abcb"] == [False, False, False, True]
        assert replayed("a") is False


def slow_reader(setting):
    """A peer that does not read, while a long value is set again and again; what it is told afterwards."""
    with limited(setting) as server:
        peer = RawWebSocket(server)
        peer.socket.settimeout(PATIENCE)
        peer.subscribe("g", "any")
        for number in range(300):
            server.set("g", "any", [number, "x" * 30_000])
        frames = []
        try:
            while not frames or frames[-1]["d"][0]["v"][0] < 299:
                frames.append(peer.message())
        except Exception as error:
            return frames, error
        return frames, None


@breach("limits.unsent")
def unsent():
    few, error = slow_reader("# fixed: limits.unsent=64KiB")
    assert error is None and any(frame["d"][0].get("n", 1) > 1 for frame in few), "values are folded"


@breach("limits.breaches")
def breaches():
    with limited("# fixed: limits.breaches=2") as server:
        peer = RawWebSocket(server)
        peer.send(frame(1, b"no"))
        assert peer.message()["code"] == "bad_json"
        peer.text({"op": "ping", "id": 1})
        assert peer.message()["op"] == "ok"
        peer.send(frame(1, b"no"))
        assert peer.close_code() == 4400


@breach("times.breaches")
def breach_time():
    with limited("# fixed: limits.breaches=2\n# fixed: times.breaches=1s") as server:
        peer = RawWebSocket(server)
        for _ in range(2):
            peer.send(frame(1, b"no"))
            assert peer.message()["code"] == "bad_json", "what was refused a second ago is forgotten"
            time.sleep(1.3)
        for _ in range(2):
            peer.send(frame(1, b"no"))
        assert peer.close_code() == 4400


@breach("limits.unsentHard")
def unsent_hard():
    # Answers are not folded: who asks without reading is closed.
    with limited("limits: { unsentHard: 64KiB } # fixed: limits.unsent=1MiB") as server:
        server.set("g", "any", "x" * 60_000)
        peer = RawWebSocket(server)
        peer.socket.settimeout(PATIENCE)
        try:
            for number in range(1, 400):
                peer.text({"op": "get", "id": number, "graph": "g", "nodes": ["any"]})
        except OSError:
            pass
        # Reading sooner would make room again.
        eventually(
            lambda: any(
                each["queued"] > 64 * 1024 for each in server.get("/v1/connections").json()["connections"]
            )
        )
        assert peer.close_code() == 4580


# Times.

@breach("times.frame")
def frame_time():
    with limited("# fixed: times.frame=200ms") as server:
        peer = RawWebSocket(server)
        peer.send(frame(1, b'{"op":"ping","id":1}')[:8])
        assert peer.close_code() == 4508


@breach("times.close")
def close_time():
    with limited("# fixed: times.close=200ms") as server:
        peer = RawWebSocket(server)
        peer.send(frame(3, b"?"))
        assert peer.close_code() == 1002
        assert peer.closed(), "without an answer to its close frame the server ends the connection"


@breach("drain")
def drain():
    with limited("drain: 300ms") as server:
        # A request that never ends would hold the drain.
        peer = RawSocket(server)
        peer.send("POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1")
        assert server.get("/healthz").status == 200
        began = time.monotonic()
        server.process.terminate()
        server.process.wait(PATIENCE)
        assert time.monotonic() - began > 0.2
        assert peer.closed()


@breach("times.wait")
def wait_time():
    with limited("# fixed: times.wait=1s") as server:
        tag = server.get(NODE + "x").headers["ETag"]
        began = time.monotonic()
        assert server.get(NODE + "x", If_None_Match=tag, Prefer="wait=3600").status == 304
        assert time.monotonic() - began > 0.8


@pytest.mark.parametrize("key", sorted(MET))
def test_breach(key):
    MET[key]()
