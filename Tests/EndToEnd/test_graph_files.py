"""The folder of graphs: two files with one graph, files with problems, and what a change of a file costs."""

import json
import subprocess

import pytest

from redis_server import Instance, Redis
from sluice import BINARY, PATIENCE, Server, eventually
from test_orphans import JSON, kept, path_of, reload, results

HOUSE = "graph: house\nnodes: { x: { set: number, initial: 1 }, y: { set: number } }\n"
COPY = "graph: house\nnodes: { x: { set: number, initial: 1 } }\n"
COPIES = [
    "house.2026-11-20.yaml", "house.bak.yaml", "house (copy).yaml", "house-old.yaml", "house.json", "a.yaml",
]


def ran(*arguments, **options):
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, **options)


def copy_of(server, name):
    path = path_of(server, name)
    path.write_text(
        COPY if path.suffix != ".json" else json.dumps({"graph": "house", "nodes": {"x": {"set": "number"}}})
    )
    return path


@pytest.mark.parametrize("name", COPIES)
def test_the_file_that_owns_the_graph_keeps_it(name):
    with Server({"house": HOUSE}, keeps=True) as server:
        server.set("house", "y", 7)
        copy = copy_of(server, name)
        for _ in range(2):
            report = reload(server)
            assert results(report) == {"house": "unchanged"}
            problem, = report["problems"]
            assert problem["code"] == "in_use" and problem["file"].endswith(name)
            assert server.value("house", "y") == 7
        # A start looks at all of them anew.
        server.stop()
        server.start()
        assert server.value("house", "y") == 7
        failed, = server.get("/v1/graphs").json()["failed"]
        assert failed["file"].endswith(name) and failed["graph"] == "house"
        # Without the graph's file, a copy that lacks a value does not get the graph.
        text = path_of(server, "house.yaml").read_text()
        reload(server)
        path_of(server, "house.yaml").unlink()
        report = reload(server)
        assert (
            results(report) == {"house": "orphaned"} and "1 of its values" in report["problems"][0]["message"]
        )
        path_of(server, "house.yaml").write_text(text)
        assert results(reload(server)) == {"house": "returned"} and server.value("house", "y") == 7
        # Renamed, it does.
        path_of(server, "house.yaml").unlink()
        reload(server)
        copy.rename(path_of(server, "renamed" + copy.suffix))
        assert results(reload(server)) == {"house": "returned"}
        assert server.get("/v1/graphs/house/nodes/y").status == 404


def test_a_graph_in_a_file_of_another_name_is_not_taken_over():
    with Server({"z": HOUSE}) as server:
        server.set("house", "y", 7)
        path_of(server, "house.yaml").write_text(COPY)
        assert reload(server)["problems"][0]["file"].endswith("house.yaml")
        assert server.value("house", "y") == 7


@pytest.mark.parametrize("kind", ["memory", "disk", "redis"])
def test_a_reload_answers_when_its_changes_apply(kind):
    with kept(kind, {"house": HOUSE}) as server:
        for round in range(6):
            path_of(server, "new.yaml").write_text(HOUSE.replace("graph: house", "graph: new"))
            path_of(server, "house.yaml").write_text(HOUSE.replace("initial: 1", f"initial: {round + 2}"))
            report = reload(server)
            assert server.get("/v1/graphs/new").status == 200
            revs = {entry["graph"]: entry["rev"] for entry in report["graphs"]}
            assert revs["house"] == server.get("/v1/graphs/house").json()["rev"] and revs["new"] >= 1
            path_of(server, "new.yaml").unlink()
            reload(server)
            assert server.get("/v1/graphs/new").status == 404
            assert server.request("DELETE", "/v1/graphs/new").status == 204


def test_a_graph_that_cannot_be_changed_is_a_problem_of_its_file():
    with Redis() as redis, Instance(redis, {"house": HOUSE}) as server:
        redis.pause()
        path_of(server, "house.yaml").write_text(COPY)
        path_of(server, "new.yaml").write_text(HOUSE.replace("graph: house", "graph: new"))
        report = reload(server)
        redis.go_on()
        assert {problem["code"] for problem in report["problems"]} == {"engine_down"}
        assert server.value("house", "x") == 1
        eventually(lambda: not reload(server)["problems"], 10)
        assert server.get("/v1/graphs/new").status == 200


def test_how_many_values_go_is_said_before():
    fleet = "graph: fleet\nnodes:\n  s.{id}.c: { set: number }\n  x: { set: number }\n  y: { set: number }\n"
    with Server({"fleet": fleet}, keeps=True) as server:
        for number in range(12):
            server.set("fleet", f"s.{number}.c", number)
        server.set("fleet", "x", 1)
        definition = {"graph": "fleet", "nodes": {"y": {"set": "number"}, "x": {"from": "y"}}}
        lost = [{"name": "x", "values": 1}, {"name": "s.{id}.c", "values": 12}]

        def sort(entries):
            return sorted(entries, key=lambda entry: entry["name"])

        answer = server.request("PUT", "/v1/graphs/fleet?dry_run=1", json.dumps(definition), JSON)
        assert answer.status == 200 and sort(answer.json()["diff"]["lost"]) == sort(lost)
        path_of(server, "fleet.yaml").write_text(json.dumps(definition))
        planned = server.request("POST", "/v1/reload?dry_run=1").json()
        assert planned["dryRun"] is True and sort(planned["graphs"][0]["diff"]["lost"]) == sort(lost)
        dry = ran("reload", "--dry-run", "--url", server.url)
        assert dry.returncode == 0 and "13 values lost" in dry.stdout, dry
        assert server.value("fleet", "x") == 1 and server.value("fleet", "s.3.c") == 3
        done = ran("reload", "--url", server.url)
        assert "13 values lost" in done.stdout and "values=13" in server.log_text()


def test_one_bad_file_does_not_stop_the_others():
    with Server({"house": HOUSE, "other": HOUSE.replace("house", "other")}, keeps=True) as server:
        server.set("house", "y", 7)
        server.stop()
        path_of(server, "house.yaml").write_text(
            "graph: house\nnodes: { y: { set: number }, z: { from: nothing } }\n"
        )
        path_of(server, "new.yaml").write_text("graph: [")
        server.start()
        assert server.get("/readyz").status == 200
        # By its stored definition.
        assert server.value("house", "y") == 7 and server.value("other", "x") == 1
        failed = server.get("/v1/graphs").json()["failed"]
        assert [entry["graph"] for entry in failed] == ["house", "new"]
        assert failed[0]["problems"][0]["line"] == 2
        assert "served by the stored definition" in server.log_text() and "not served" in server.log_text()
        assert "orphans" not in server.get("/v1/graphs").json()
        assert len(reload(server)["problems"]) == 2 and server.value("house", "y") == 7
        assert ran("check", "--config", server.config).returncode == 1
        server.stop()
        with pytest.raises(AssertionError, match="did not start"):
            server.start("--strict")
        path_of(server, "new.yaml").unlink()
        path_of(server, "house.yaml").write_text(HOUSE)
        server.start("--strict")
        assert server.value("house", "y") == 7 and "failed" not in server.get("/v1/graphs").json()


def test_a_dry_run_of_a_reload_changes_nothing():
    with Server({"house": HOUSE, "other": HOUSE.replace("house", "other")}) as server:
        path_of(server, "house.yaml").write_text(COPY)
        path_of(server, "other.yaml").unlink()
        path_of(server, "new.yaml").write_text(HOUSE.replace("house", "new"))
        path_of(server, "bad.yaml").write_text("graph: bad\nnodes: 3\n")
        planned = server.request("POST", "/v1/reload?dry_run=1").json()
        assert (
            results(planned) == {"house": "changed", "new": "added"}
            or results(planned)["other"] == "orphaned"
        )
        assert len(planned["problems"]) == 1
        assert server.get("/v1/graphs/new").status == 404 and server.get("/v1/graphs/other").status == 200
        assert server.get("/v1/graphs/house").json()["rev"] == 1
        path_of(server, "bad.yaml").unlink()
        assert results(server.request("POST", "/v1/reload?dry_run=1").json())["other"] == "orphaned"
        assert results(reload(server)) == {"house": "changed", "new": "added", "other": "orphaned"}


@pytest.mark.parametrize(
    "config, files, words",
    [
        ("auth: {folder}/tokens.yaml\n", {}, "tokens.yaml"),
        (
            "auth: {folder}/tokens.yaml\n",
            {"tokens.yaml": "tokens: [{ name: a, hash: 1234, can: [fly] }]\n"}, "a right must be one of",
        ),
        ("tls: {{ cert: {folder}/none.pem, key: {folder}/none.key }}\n", {}, "none.pem"),
        ("tls: {{ cert: {folder}/none.pem }}\n", {}, "tls.key"),
        ("dataDir: {folder}/missing/data\n", {}, "missing/data"),
        ("dataDir: {folder}/file\n", {"file": ""}, "Not a directory"),
        ("dataDir: {folder}/data\n", {"data/sluice.db": "no database at all" * 100}, "sluice.db"),
        ("mounts: ['/demo={folder}/nowhere']\n", {}, "nowhere"),
        ("reusePort: true\n", {}, "redis.url"),
        ("listen: 0.0.0.0:0\n", {}, "--insecure"),
        ("redis: {{ url: 'unix:{folder}/no.sock' }}\n", {}, "no.sock"),
        ("redis: {{ url: 'unix:{folder}/no.sock' }}\ndataDir: {folder}/d\n", {}, "not in both"),
    ],
)
def test_check_finds_what_keeps_a_server_from_starting(tmp_path, config, files, words):
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs/house.yaml").write_text(HOUSE)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    file = tmp_path / "sluice.yaml"
    file.write_text(f"graphs: {tmp_path}/graphs\n" + config.format(folder=tmp_path))
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    found = ran("check", "--config", file)
    assert found.returncode == 1 and words in found.stderr, found
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    started = ran(
        "serve", "--config", file, *([] if "listen" in config else ["--listen", "127.0.0.1:0"]),
        timeout=PATIENCE,
    )
    assert started.returncode == 1 and words in started.stderr, started


def test_check_while_the_server_runs():
    with Server({"house": HOUSE}, keeps=True) as server:
        server.set("house", "y", 7)
        found = ran("check", "--config", server.config)
        assert found.returncode == 0 and found.stdout == "1 graph is fine\n", found
        assert server.value("house", "y") == 7
