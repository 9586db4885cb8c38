"""A graph whose file disappears: its values stay until the file is back, or somebody removes them."""

import contextlib
import json
import pathlib
import subprocess

import pytest

from conftest import Client
from redis_server import Instance, Redis
from sluice import BINARY, Server, eventually

pytestmark = pytest.mark.long

HOME = """graph: home
nodes:
  celsius: { set: number, initial: 20 }
  late: { from: celsius, retain: always, pipe: [ { delay: 100 } ] }
  here.{id}: { set: boolean }
"""
OTHER = "graph: other\nnodes: { x: { set: number, initial: 1 } }\n"
JSON = {"Content-Type": "application/json"}


def reload(server, status=200):
    answer = server.request("POST", "/v1/reload")
    assert answer.status == status, answer
    return answer.json()


def results(report):
    return {entry["graph"]: entry["result"] for entry in report["graphs"]}


def path_of(server, name="home.yaml"):
    return pathlib.Path(server.config.parent / "graphs" / name)


def is_late(server, value):
    answer = server.get("/v1/graphs/home/nodes/late")
    return answer.status == 200 and answer.json() == value


def orphans(server):
    return server.get("/v1/graphs").json().get("orphans", [])


@contextlib.contextmanager
def kept(kind, graphs, config=""):
    """A server that keeps its commits in memory, on a disk or in a Redis."""
    if kind == "redis":
        with Redis() as redis, Instance(redis, graphs, config=config) as server:
            yield server
    else:
        with Server(graphs, config, keeps=kind == "disk") as server:
            yield server


@pytest.mark.parametrize("kind", ["memory", "disk", "redis"])
def test_values_stay_until_the_file_is_back(kind):
    with kept(kind, {"home": HOME, "other": OTHER}) as server:
        server.set("home", "celsius", 23)
        server.set("home", "here.ann", True)
        client = Client(server)
        assert client.ask(op="sub", graph="home", node="celsius")["v"] == 23
        eventually(lambda: is_late(server, 23))
        before = server.get("/v1/graphs/home").json()
        text = path_of(server).read_text()
        path_of(server).unlink()

        assert results(reload(server)) == {"other": "unchanged", "home": "orphaned"}
        assert client.receive()["code"] == "node_removed"
        gone = server.get("/v1/graphs/home/nodes/celsius")
        assert gone.status == 404 and gone.json()["code"] == "unknown_graph"
        assert server.request("POST", "/v1/graphs/home/nodes/celsius", "1", JSON).status == 404
        assert [graph["graph"] for graph in server.get("/v1/graphs").json()["graphs"]] == ["other"]
        assert orphans(server) == [{"graph": "home", "values": 2, "rev": before["rev"]}]
        assert client.ask(op="list")["orphans"] == orphans(server)
        assert "a graph has no file any more" in server.log_text() and "values=2" in server.log_text()
        # What defines it can be read, for those who have lost the file.
        assert server.get("/v1/graphs/home/definition").json()["graph"] == "home"

        path_of(server).write_text(text)
        entry = next(entry for entry in reload(server)["graphs"] if entry["graph"] == "home")
        assert entry["result"] == "returned" and not entry.get("diff")
        assert server.value("home", "celsius") == 23 and server.value("home", "here.ann") is True
        assert server.get("/v1/graphs/home").json()["epoch"] == before["epoch"]
        assert orphans(server) == []
        # Timers go on.
        server.set("home", "celsius", 24)
        eventually(lambda: is_late(server, 24))


@pytest.mark.parametrize("kind", ["disk", "redis"])
def test_an_orphan_outlives_starts(kind):
    with kept(kind, {"home": HOME, "other": OTHER}) as server:
        server.set("home", "celsius", 23)
        text = path_of(server).read_text()
        path_of(server).unlink()
        reload(server)
        for _ in range(2):
            server.stop()
            server.start()
            assert [(orphan["graph"], orphan["values"]) for orphan in orphans(server)] == [("home", 1)]
            assert server.get("/v1/graphs/home").status == 404
        path_of(server).write_text(text.replace("initial: 20", "initial: 21"))
        assert results(reload(server))["home"] == "returned"
        assert server.value("home", "celsius") == 23


@pytest.mark.parametrize("kind", ["memory", "disk", "redis"])
def test_only_a_request_removes_it_for_good(kind):
    with kept(kind, {"home": HOME, "other": OTHER}) as server:
        server.set("home", "celsius", 23)
        text = path_of(server).read_text()
        command = [BINARY, "remove", "home", "--url", server.url]
        refused = subprocess.run(command, capture_output=True, text=True)
        assert refused.returncode == 1 and "in_use" in refused.stderr + refused.stdout
        path_of(server).unlink()
        reload(server)
        removed = subprocess.run(command, capture_output=True, text=True)
        assert removed.returncode == 0 and removed.stdout == "home: removed\n", removed
        assert orphans(server) == []
        path_of(server).write_text(text)
        assert results(reload(server))["home"] == "added"
        assert server.value("home", "celsius") == 20
        path_of(server).unlink()
        reload(server)
        assert server.request("DELETE", "/v1/graphs/home").status == 204
        assert server.request("DELETE", "/v1/graphs/home").status == 404


def test_a_client_takes_an_orphan_over_with_its_values():
    with Server({"home": HOME}) as server:
        server.set("home", "celsius", 23)
        path_of(server).unlink()
        reload(server)
        definition = json.dumps({"graph": "home", "nodes": {"celsius": {"set": "number"}}})
        assert server.request("PUT", "/v1/graphs/home", definition, JSON).status == 200
        assert server.value("home", "celsius") == 23 and orphans(server) == []


def test_a_file_with_problems_is_not_a_missing_one():
    with Server({"home": HOME, "other": OTHER}, keeps=True) as server:
        server.set("home", "celsius", 23)
        text = path_of(server).read_text()
        for bad in ["graph: [", "nodes: 3\n"]:
            path_of(server).write_text(bad)
            assert reload(server)["problems"] and server.value("home", "celsius") == 23
        # Under another name, too: its graph is unknown.
        path_of(server).rename(path_of(server, "house.yaml"))
        assert results(reload(server)).get("home", "unchanged") == "unchanged"
        assert server.value("home", "celsius") == 23
        path_of(server, "house.yaml").write_text(text)
        assert results(reload(server))["home"] == "unchanged" and server.value("home", "celsius") == 23
        folder = server.config.parent / "graphs"
        folder.rename(server.config.parent / "elsewhere")
        assert reload(server)["problems"] and server.value("home", "celsius") == 23
        assert orphans(server) == []


def test_a_watched_file_that_is_moved_away_and_back():
    with Server({"home": HOME}, "watch: true\n") as server:
        server.set("home", "celsius", 23)
        path_of(server).rename(server.config.parent / "x")
        eventually(lambda: server.get("/v1/graphs/home").status == 404)
        (server.config.parent / "x").rename(path_of(server))
        eventually(lambda: server.get("/v1/graphs/home").status == 200)
        assert server.value("home", "celsius") == 23


def test_an_expiry_is_opt_in():
    with Server({"home": HOME, "other": OTHER}, "orphanExpiry: 300ms\n", keeps=True) as server:
        server.set("home", "celsius", 23)
        path_of(server).unlink()
        reload(server)
        eventually(lambda: orphans(server) == [])
        assert "an orphan was removed at the end of its time" in server.log_text()


def test_orphans_count_for_the_limits():
    with Server({"home": HOME}, "limits: { members: 2 }\n") as server:
        server.set("home", "here.a", True)
        server.set("home", "here.b", True)
        path_of(server).unlink()
        reload(server)
        path_of(server, "second.yaml").write_text(HOME.replace("graph: home", "graph: second"))
        reload(server)
        assert server.request("POST", "/v1/graphs/second/nodes/here.a", "true", JSON).status in (413, 429)
        assert server.request("DELETE", "/v1/graphs/home").status == 204


def test_with_a_redis_the_last_file_counts():
    """A server that loses its file goes on with the graph as long as another living server has one."""
    with Redis() as redis, Instance(redis, {"home": HOME}) as one, Instance(redis, {"home": HOME}) as two:
        one.set("home", "celsius", 23)
        text = path_of(one).read_text()
        # At once: the other server has just started.
        path_of(one).unlink()
        assert results(reload(one)) == {"home": "unchanged"}
        for server in (one, two):
            assert server.value("home", "celsius") == 23
        # A file that moves from one server to another.
        path_of(one).write_text(text)
        reload(one)
        path_of(two).unlink()
        assert results(reload(two)) == {"home": "unchanged"}
        path_of(two).write_text(text)
        reload(two)
        # The answer comes when the other servers can know of the file.
        assert redis.ask("HGETALL", "sluice:files").count("home") == 2
        path_of(one).unlink()
        assert results(reload(one)) == {"home": "unchanged"}
        assert one.value("home", "celsius") == 23
        assert one.request("DELETE", "/v1/graphs/home").status == 409

        path_of(two).unlink()
        reload(two)
        for server in (one, two):
            eventually(lambda: server.get("/v1/graphs/home").status == 404, 15)
            assert "a graph has no file any more" in server.log_text()
        assert [orphan["values"] for orphan in orphans(one)] == [1]
        path_of(two).write_text(text)
        assert results(reload(two))["home"] == "returned"
        eventually(lambda: one.get("/v1/graphs/home").status == 200, 15)
        assert one.value("home", "celsius") == two.value("home", "celsius") == 23
