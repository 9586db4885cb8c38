"""Servers that share a Redis and have drifted apart: behind what it keeps, with another graph, with
other files."""

import pathlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Client
from redis_server import Instance, Redis
from several import GRAPH, fill, resumed, same, stopped
from sluice import PATIENCE, eventually
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.long


def closing_code(client, seconds=PATIENCE):
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            client.receive(seconds)
    return closed.value.rcvd.code


def test_a_server_that_is_behind_what_redis_has_trimmed():
    """One stands still while the other makes 20,000 commits, of which Redis keeps the newer half."""
    config = "keepRevs: 1\nlimits: { messages: 1000000 }\n"
    with Redis("--appendfsync", "no") as redis, Instance(redis, {"g": GRAPH}, config) as one, \
            Instance(redis, {"g": GRAPH}, config) as other:
        before = one.set("g", "y", "kept")
        same([one, other])
        listener = Client(other)
        listener.ask(op="sub", graph="g", node="x")
        stopped(other)
        try:
            # The lease of the one that stands still is over by then.
            eventually(lambda: one.metrics()["sluice_log_leading"] == 1)
            fill(one, 20_500)
            first = eventually(lambda: trimmed(redis, before["rev"]))
            assert first > before["rev"] + 1
        finally:
            resumed(other)
        assert closing_code(listener) == 4510
        epoch, rev, text = same([one, other])
        assert epoch == before["epoch"] and rev == before["rev"] + 20_500 and '"kept"' in text
        other.set("g", "x", 1)
        same([one, other])


def trimmed(redis, rev):
    """The rev of the first entry, once that is beyond a rev."""
    found = re.search(r"(\d+)-0", redis.ask("XRANGE", "sluice:{g}:log", "-", "+", "COUNT", "1"))
    return int(found[1]) if found and int(found[1]) > rev + 1 else None


def test_a_server_whose_graph_is_not_that_of_the_others():
    with Redis() as redis, Instance(redis, {"g": GRAPH}, "limits: { messages: 1000000 }\n") as one, \
            Instance(redis, {"g": GRAPH}) as other:
        servers = [one, other]
        eventually(lambda: sum(server.metrics()["sluice_log_leading"] for server in servers) == 1)
        leader, follower = sorted(servers, key=lambda server: -server.metrics()["sluice_log_leading"])
        before = same(servers)
        listener = Client(follower)
        listener.ask(op="sub", graph="g", node="y")
        stopped(follower)
        try:
            fill(leader, 1_000)

            def digests():
                answer = redis.ask("HKEYS", "sluice:{g}:digests")
                return re.findall(r"^(\d+)\r$", answer.partition("\r\n")[2], re.M)

            assert (revs := eventually(digests))
            for rev in revs:
                redis.ask("HSET", "sluice:{g}:digests", rev, "another")
        finally:
            resumed(follower)
        assert closing_code(listener) == 4510
        assert "graph g differs from the other servers at rev" in follower.log_text()
        epoch, _, _ = same(servers)
        assert epoch == before[0]
        follower.set("g", "x", "again")
        same(servers)


def test_files_that_change_at_two_servers_at_once():
    """Redis stands still until both have read their files: one definition holds, and the other
    server says that its file's does not."""
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        same([one, other])

        def reload(texts):
            """Both at once; returns the problems that the two report."""
            for server, text in zip((one, other), texts):
                (pathlib.Path(server.folder.name) / "graphs/g.yaml").write_text(text)
            redis.pause()
            with ThreadPoolExecutor(2) as pool:
                answers = [pool.submit(server.request, "POST", "/v1/reload") for server in (one, other)]
                # Until both have read their files, and wait for Redis.
                time.sleep(1)
                redis.go_on()
                problems = [problem for answer in answers for problem in answer.result().json()["problems"]]
            same([one, other])
            return problems

        problem, = reload([f"{GRAPH}  {name}: {{ from: x }}\n" for name in ("mine", "yours")])
        assert problem["code"] == "conflict" and problem["file"].endswith("g.yaml"), problem
        assert (one.log_text() + other.log_text()).count("not reloaded") == 1
        # The same change at both is no conflict.
        assert reload([f"{GRAPH}  ours: {{ from: x }}\n"] * 2) == []
        for server in (one, other):
            eventually(lambda: server.get("/v1/graphs/g/nodes/ours").status == 200)
