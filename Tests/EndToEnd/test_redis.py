"""Several servers, one service: what one answers, all have."""

import json
import os
import re
import shutil
import subprocess
import threading
import time

import pytest
from conftest import Client
from redis_server import Instance, Redis
from several import JSON, TIMED, fill, found, resumed, same, stopped
from sluice import BINARY, PATIENCE, ROOT, eventually


@pytest.fixture(scope="module")
def redis():
    with Redis() as redis:
        yield redis


@pytest.fixture(scope="module")
def pair(redis):
    with Instance(redis, {"g": TIMED}) as one, Instance(redis, {"g": TIMED}) as other:
        yield one, other


def test_what_is_in_redis_is_backed_up_with_its_own_tools(pair):
    answer = pair[0].get("/v1/backup")
    assert answer.status == 404 and "Redis" in answer.json()["detail"]


def test_an_answer_of_one_server_is_visible_at_the_other(pair):
    one, other = pair
    with Client(other) as listener:
        listener.ask(op="sub", graph="g", node="double")
        answer = one.set("g", "x", 21)
        delivery = listener.receive()
        assert delivery["d"][0]["v"] == 42 and delivery["rev"] == answer["rev"]
    assert other.value("g", "x") == 21
    same(pair)


def test_a_cursor_goes_on_at_another_server(pair):
    one, other = pair
    with Client(one) as client:
        snap = client.ask(op="sub", graph="g", node="x", mode="all")
        one.set("g", "x", 1)
        client.receive()
        since = {"epoch": snap["epoch"], "rev": snap["rev"] + 1}
    last = one.set("g", "x", 2)
    same(pair)
    with Client(other) as client:
        # A node without history goes on where it has not changed since; otherwise it begins anew
        # and says so.
        assert client.ask(op="sub", graph="g", node="x", mode="all", since=since)["resumed"] is False
        since["rev"] = last["rev"]
        assert client.ask(op="sub", graph="g", node="x", mode="all", since=since)["resumed"] is True


def test_conditions_hold_across_servers(pair):
    one, other = pair
    etag = one.get("/v1/graphs/g/nodes/y").headers["etag"]
    for server in (one, other):
        answer = server.request("PUT", "/v1/graphs/g/nodes/y", "1", {**JSON, "If-None-Match": "*"})
        assert answer.status == (200 if server is one else 412), answer
    # What the other server answered with is not yet known here, or is: it holds either way.
    for number in range(50):
        writer, judge = (one, other) if number % 2 else (other, one)
        tag = writer.request("PUT", "/v1/graphs/g/nodes/y", str(number), JSON).headers["etag"]
        assert judge.request("PUT", "/v1/graphs/g/nodes/y", '"if"', {**JSON, "If-Match": etag}).status == 412
        assert judge.request("PUT", "/v1/graphs/g/nodes/y", '"if"', {**JSON, "If-Match": tag}).status == 200


def test_a_key_is_known_at_every_server(pair):
    one, other = pair
    key = {**JSON, "Idempotency-Key": "a b/c"}
    first = one.request("POST", "/v1/graphs/g/nodes/x", "7", key)
    again = other.request("POST", "/v1/graphs/g/nodes/x", "7", key)
    assert first.status == again.status == 200
    assert again.json()["rev"] == first.json()["rev"] and again.headers["idempotent-replayed"] == "true"
    assert other.request("POST", "/v1/graphs/g/nodes/x", "8", key).json()["code"] == "key_reused"


def test_definitions_reach_every_server(pair):
    one, other = pair
    text = json.dumps({"graph": "made", "nodes": {"a": {"set": "any", "initial": 1}}})
    assert one.request("PUT", "/v1/graphs/made", text, JSON).status == 201
    assert found(other, "made", "a") == 1
    more = json.dumps({"graph": "made", "nodes": {"a": {"set": "any", "initial": 1}, "b": {"from": "a"}}})
    assert other.request("PUT", "/v1/graphs/made", more, JSON).status == 200
    assert found(one, "made", "b") == 1
    assert one.request("DELETE", "/v1/graphs/made").status in (200, 204)
    eventually(lambda: other.get("/v1/graphs/made/nodes/a").status == 404)
    # And again under the same name.
    assert other.request("PUT", "/v1/graphs/made", text, JSON).status == 201
    assert found(one, "made", "a") == 1


def test_one_server_makes_the_ticks(pair):
    one, other = pair
    one.set("g", "x", 1234)
    for server in pair:
        eventually(lambda: server.get("/v1/graphs/g/nodes/late").body == b"1234")
    same(pair, nodes=("x", "late", "sum"))
    assert sum(server.metrics()["sluice_log_leading"] for server in pair) == 1


WINDOWED = """graph: g
nodes:
  x: { set: any }
  mean: { from: x, retain: always, pipe: [ { window: { last: 200ms, of: avg } } ] }
  late: { from: x, retain: always, pipe: [ { delay: 300ms } ] }
"""
# As 0.1.0 wrote it where the server's clock was ahead: all stamps are that of the first commit.
OLDER = """
local log, state = KEYS[1], KEYS[2]
local entries = redis.call('XRANGE', log, '-', '+')
local first
redis.call('DEL', log)
for _, entry in ipairs(entries) do
    local fields = entry[2]
    for place = 1, #fields, 2 do
        if fields[place] == 't' then
            first = first or fields[place + 1]
            fields[place + 1] = first
        end
    end
    redis.call('XADD', log, entry[1], unpack(fields))
end
redis.call('HSET', state, 'time', first)
return #entries
"""


def test_ticks_that_are_ahead_of_their_stamps():
    """A log of a server whose clock was ahead: each start and each replay read it in an endless loop."""
    def held(server, node):
        return server.get(f"/v1/graphs/g/nodes/{node}").body.decode()

    with Redis() as redis:
        with Instance(redis, {"g": WINDOWED}) as server:
            for value in range(3):
                server.set("g", "x", value)
                eventually(lambda: held(server, "late") == str(value))
            eventually(lambda: held(server, "mean") == "")
        assert int(redis.ask("EVAL", OLDER, "2", "sluice:{g}:log", "sluice:{g}").strip(":\r\n")) > 6
        subprocess.run(
            [BINARY, "replay", "--redis", redis.url, "g"], check=True, capture_output=True, timeout=PATIENCE
        )
        with Instance(redis, {"g": WINDOWED}) as one, Instance(redis, {"g": WINDOWED}) as other:
            began = time.monotonic()
            one.set("g", "x", 7)
            eventually(lambda: held(other, "late") == "7")
            assert time.monotonic() - began > 0.29
            eventually(lambda: held(other, "mean") == "")
            same((one, other), nodes=("x", "late"))


def test_a_server_counts_what_it_has_not_applied(pair):
    one, other = pair
    stopped(other)
    try:
        fill(one, 50)
    finally:
        resumed(other)
    same(pair)
    for server in pair:
        # What it says is up to two seconds old.
        eventually(lambda: server.metrics()["sluice_log_behind_commits"] == 0)
    metrics = one.metrics()
    assert 0 < metrics["sluice_log_write_seconds_sum"] < 60 and metrics["sluice_log_write_seconds_count"] >= 1


def test_a_restart_finds_everything(redis, pair):
    one, _ = pair
    one.set("g", "x", "kept")
    epoch, rev, _ = same(pair)
    with Instance(redis, {"g": TIMED}) as third:
        # A tick may come meanwhile.
        found = same([one, third])
        assert found[0] == epoch and found[1] >= rev
        assert third.value("g", "x") == "kept"


def test_the_past_by_time_is_the_same_at_every_server(redis, pair):
    """What was at a time, also at a server that was not there then."""
    one, other = pair
    times = []
    for value in (31, 32, 33):
        one.set("g", "x", value)
        times.append(one.get("/v1/graphs/g/values?nodes=x").json()["t"])
        eventually(lambda: time.time() * 1000 > times[-1] + 2)
    same(pair)
    with Instance(redis, {"g": TIMED}) as late:
        for at, value in ((times[0], 31), (times[1] + 1, 32), (times[2], 33)):
            path = f"/v1/graphs/g/values?nodes=x,double&at=@{at}"
            answers = [server.get(path).json() for server in (one, other, late)]
            assert [answer["m"]["double"]["v"] for answer in answers] == [2 * value] * 3
            assert len({answer["rev"] for answer in answers}) == 1


def test_presence_ends_with_its_server(redis, pair):
    one, _ = pair
    third = Instance(redis, {"g": TIMED})
    with third:
        client = Client(third)
        client.ask(op="set", graph="g", set={"y": "here"}, presence=True)
        eventually(lambda: one.get("/v1/graphs/g/nodes/y").body == b'"here"')
        third.kill()
        eventually(lambda: one.get("/v1/graphs/g/nodes/y").body != b'"here"')


def test_presence_repeated_at_another_server(pair):
    """W-62a"""
    one, other = pair
    y = lambda server: server.get("/v1/graphs/g/nodes/y").body  # noqa: E731
    sent = {"op": "set", "graph": "g", "set": {"y": "seat"}, "presence": True, "key": "presence-once"}
    first, second = Client(one), Client(other)
    assert first.ask(**sent)["op"] == "ok"
    # Not cleared yet: from now on it is the second connection's.
    again = second.ask(**sent)
    assert again["op"] == "ok" and again["replayed"], again
    first.close()
    marker = one.set("g", "x", 1)["rev"]
    eventually(lambda: other.get("/v1/graphs/g").json()["rev"] >= marker)
    assert y(one) == y(other) == b'"seat"'
    # Cleared in between: it is set again, and for the client that has it then.
    second.close()
    eventually(lambda: y(one) == y(other) == b"")
    third = Client(one)
    assert third.ask(**sent)["replayed"]
    eventually(lambda: y(one) == y(other) == b'"seat"')
    third.close()
    eventually(lambda: y(one) == y(other) == b"")


def test_the_guide_as_it_is_written(tmp_path):
    guide = (ROOT / "docs/several-servers.md").read_text()
    blocks = dict(re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", guide, re.S))
    (tmp_path / "sluice").symlink_to(BINARY)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    shutil.rmtree("/tmp/sluice-redis", ignore_errors=True)
    running = []
    try:
        for name, sign in (("redis", b"Ready to accept"), ("one", b"listening on"), ("two", b"listening on")):
            *first, last = blocks[name].strip().splitlines()
            command = "\n".join([*first, f"exec {last}"])
            process = subprocess.Popen(
                ["bash", "-c", command], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
            running.append(process)
            seen = b""
            while sign not in seen:
                line = process.stdout.readline()
                assert line, f"{name}: {seen.decode()}"
                seen += line
            threading.Thread(target=process.stdout.read, daemon=True).start()

        def told():
            done = subprocess.run(
                ["bash", "-c", blocks["set"]], cwd=ROOT, env=environment, capture_output=True, text=True
            )
            return done.stdout.endswith("23.5")

        # The other server has it a moment later.
        eventually(told)
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(PATIENCE)
        shutil.rmtree("/tmp/sluice-redis", ignore_errors=True)
