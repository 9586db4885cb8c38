"""The largest definitions hold nobody: they are read beside the loop, and what is dear to apply is
refused."""

import pathlib
import re

import pytest
from conftest import Client
from hostile import definitions
from sluice import PATIENCE, Server
from test_hostile_patterns import Bystander
from tracing import QUIET

pytestmark = [pytest.mark.long, pytest.mark.weighed]

JSON = {"Content-Type": "application/json"}


def put(server, body, name="h", query=""):
    return server.request("PUT", f"/v1/graphs/{name}{query}", body, JSON)


@pytest.fixture(scope="module")
def server():
    with Server({"g": "nodes: { x: { set: number, initial: 1 } }"}) as running:
        yield running


def loop_seconds(server):
    """Seconds of processor time that the loop's thread has used."""
    own = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/schedstat")
    return int(own.read_text().split()[0]) / 1e9


@pytest.mark.parametrize("make", definitions.ALLOWED, ids=lambda make: make.__name__)
def test_large_definitions_delay_no_client(server, make):
    bodies = [make(0), make(1)]
    assert all(len(body) <= definitions.BYTES for body in bodies)
    held = {}
    with Bystander(server) as bystander:
        for step, act in {
            "read": lambda: put(server, bodies[0], query="?dry_run=1"),
            "defined": lambda: put(server, bodies[0]),
            "changed": lambda: put(server, bodies[1]),
            "removed": lambda: server.request("DELETE", "/v1/graphs/h"),
        }.items():
            before = loop_seconds(server)
            answer = act()
            assert answer.status in (200, 201, 204), answer
            held[step] = loop_seconds(server) - before
        assert bystander.thread.is_alive()
    print(make.__name__, {step: f"{seconds * 1000:.0f} ms" for step, seconds in held.items()})
    if QUIET:
        assert max(held.values()) < 0.05, held


@pytest.mark.parametrize("make", definitions.REFUSED, ids=lambda make: make.__name__)
def test_costly_definitions_are_refused(server, make):
    before = loop_seconds(server)
    answer = put(server, make(0))
    assert answer.status in (400, 404, 422), answer
    assert answer.json()["code"] == definitions.REFUSED[make], answer
    assert server.get("/v1/graphs/h").status == 404
    if QUIET:
        assert loop_seconds(server) - before < 0.1


def test_files_are_compiled_beside_the_loop(server):
    """Each of them takes some hundredths of a second to compile."""
    folder = pathlib.Path(server.folder.name) / "graphs"
    files = [folder / f"dear{number}.json" for number in range(8)]
    for file in files:
        file.write_text(definitions.literals(0))

    def process_seconds():
        tasks = pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9

    before = loop_seconds(server), process_seconds()
    with Bystander(server) as bystander:
        report = server.request("POST", "/v1/reload").json()
        assert bystander.thread.is_alive()
    loop, process = loop_seconds(server) - before[0], process_seconds() - before[1]
    assert report["problems"] == [] and [entry["result"] for entry in report["graphs"]].count("added") == len(
        files
    )
    print(f"{loop * 1000:.0f} ms of {process * 1000:.0f} on the loop")
    assert loop < process / 2
    for file in files:
        file.unlink()
    assert server.request("POST", "/v1/reload").status == 200


def test_a_file_may_be_costly(server):
    """It is the operator's own."""
    folder = pathlib.Path(server.folder.name) / "graphs"
    dear = definitions.loops(0, most=250)
    assert put(server, dear, name="dear").json()["code"] == "expr_cost"
    (folder / "dear.json").write_text(dear)
    assert server.request("POST", "/v1/reload").json()["problems"] == []
    assert server.get("/v1/graphs/dear").status == 200
    (folder / "dear.json").unlink()
    assert server.request("POST", "/v1/reload").status == 200


def test_definitions_are_read_in_order_and_a_crowd_is_turned_away(server):
    import http.client

    body = definitions.literals(0)
    waiting = []
    for number in range(24):
        connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        connection.request("PUT", f"/v1/graphs/crowd{number}?dry_run=1", body, JSON)
        waiting.append(connection)
    with Client(server) as client:
        assert client.ask(op="ping")["op"] == "ok"
    statuses = [connection.getresponse().status for connection in waiting]
    for connection in waiting:
        connection.close()
    assert set(statuses) <= {200, 503} and statuses.count(200) >= 16, statuses
    assert put(server, body, query="?dry_run=1").status == 200


def test_conditions_hold_when_a_definition_is_read(server):
    first = put(server, '{"nodes":{"a":{"set":"any"}}}', name="c")
    tag = first.headers["ETag"]
    assert first.status == 201 and re.fullmatch('"[0-9a-f]{32}"', tag)
    headers = JSON | {"If-Match": tag}
    second = server.request("PUT", "/v1/graphs/c", '{"nodes":{"b":{"set":"any"}}}', headers)
    assert second.status == 200, second
    third = server.request("PUT", "/v1/graphs/c", '{"nodes":{"c":{"set":"any"}}}', headers)
    assert third.status == 412 and third.json()["code"] == "conflict", third
    assert server.request("PUT", "/v1/graphs/c", "{}", JSON | {"If-Match": "nothing"}).status == 400
    assert server.request("DELETE", "/v1/graphs/c").status == 204
