"""What a graph leaves ends with the graph: in a server whose freed memory is filled, so that a use
after it crashes."""

import json
import os
import subprocess

from rawsocket import RawSocket
from sluice import BINARY, PATIENCE, Server, eventually

FAMILY = {"graph": "x", "nodes": {"s.{id}.v": {"set": "number"}, "d.{id}": {"from": "s.{id}.v"}}}
OTHER = {"graph": "x", "nodes": {"s.{id}.v": {"set": "number"}, "e.{id}": {"from": "s.{id}.v"}}}
# The C library of Linux fills what is freed with the complement of this byte.
FILLED = {"MALLOC_PERTURB_": "165"}
ROUNDS = 20


def put(server, definition, name="x"):
    headers = {"Content-Type": "application/json"}
    answer = server.request("PUT", f"/v1/graphs/{name}", json.dumps({**definition, "graph": name}), headers)
    assert answer.status in (200, 201), answer


def post(server, name, value, graph="x"):
    headers = {"Content-Type": "application/json"}
    return server.request("POST", f"/v1/graphs/{graph}/nodes/{name}", json.dumps(value), headers)


def remove(server, name="x"):
    assert server.request("DELETE", f"/v1/graphs/{name}").status == 204


def lines(server, method, path):
    return f"{method} {path} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Length: 0\r\n\r\n"


def test_a_member_that_is_read_in_the_turn_in_which_its_graph_is_removed():
    """F-1: reading a member that does not exist leaves an entry, which goes with the graph."""
    with Server({}, environment=FILLED) as server:
        for _ in range(ROUNDS):
            put(server, FAMILY)
            with RawSocket(server) as socket:
                socket.send(
                    lines(server, "GET", "/v1/graphs/x/nodes/s.7.v") + lines(server, "DELETE", "/v1/graphs/x")
                )
                assert [socket.response()[0] for _ in range(2)] == [204, 204]
            assert server.get("/healthz").status == 200


def test_a_read_that_waits_for_a_member_whose_graph_is_removed():
    """F-1: the entry that the waiting read has asked for is not the graph's any more."""
    with Server({}, environment=FILLED) as server:
        for change in (remove, lambda server: put(server, {"nodes": {"n": {"set": "any"}}})):
            put(server, FAMILY)
            tag = server.get("/v1/graphs/x/nodes/d.7").headers["ETag"]
            with RawSocket(server) as socket:
                line = lines(server, "GET", "/v1/graphs/x/nodes/d.7")
                socket.send(line.replace("\r\n", f"\r\nIf-None-Match: {tag}\r\nPrefer: wait=30\r\n", 1))
                eventually(lambda: server.get("/v1/graphs/x").json()["listeners"] == 1, what="a listener")
                change(server)
                status, _, body = socket.response()
                assert status == 404 and json.loads(body)["code"] in ("unknown_node", "unknown_graph")
            assert server.get("/healthz").status == 200


def test_the_past_of_a_graph_that_was_removed_and_redefined():
    """F-1, I-4: a look at the past, a start after kill -9 and a replay get by what the first graph
    has left."""
    with Server({}, environment=FILLED, keeps=True) as server:
        for _ in range(ROUNDS // 2):
            put(server, FAMILY)
            assert post(server, "s.7.v", 1).status == 200
            remove(server)
        put(server, FAMILY)
        put(server, OTHER)
        rev = server.get("/v1/graphs/x").json()["rev"]
        for _ in range(ROUNDS):
            assert server.get(f"/v1/graphs/x/nodes/s.7.v?at={rev}").status == 204
        for _ in range(3):
            server.kill()
            server.start()
            assert server.get("/v1/graphs/x").json()["rev"] == rev
        server.kill()
        for _ in range(3):
            command = [BINARY, "replay", "x", "--data", server.data]
            replayed = subprocess.run(
                command, env={**os.environ, **FILLED}, capture_output=True, text=True, timeout=PATIENCE
            )
            assert replayed.returncode == 0, replayed.stderr
        server.start()


def test_members_of_a_removed_graph_make_room():
    """F-7: they count for their principal no longer."""
    with Server({}, "limits: { members: 5 }\n") as server:
        put(server, FAMILY, "y")
        put(server, FAMILY, "z")
        for number in range(5):
            assert post(server, f"s.{number}.v", 1, "y").status == 200
        assert post(server, "s.0.v", 1, "z").status == 429
        remove(server, "y")
        assert post(server, "s.0.v", 1, "z").status == 200
