"""Several servers, one service: what one answers, all have; what Redis does or loses, clients hear of."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import ConnectionClosed

from conftest import Client
from redis_server import Between, Instance, Redis, free_port, version
from sluice import BINARY, PATIENCE, ROOT, Server, eventually
from test_tls import certificate

pytestmark = pytest.mark.long

GRAPH = """graph: g
nodes:
  x: { set: any, initial: 0 }
  y: { set: any }
  double: { from: x, pipe: [ { map: "value * 2" } ] }
  sum: { from: x, retain: always, pipe: [ { scan: { start: 0, with: "acc + value" } } ] }
"""
QUIET = os.environ.get("SLUICE_QUIET")
# With ticks.
TIMED = GRAPH + """  late: { from: x, retain: always, pipe: [ { delay: 200 } ] }
"""


@pytest.fixture(scope="module")
def redis():
    with Redis() as redis:
        yield redis


@pytest.fixture(scope="module")
def pair(redis):
    with Instance(redis, {"g": TIMED}) as one, Instance(redis, {"g": TIMED}) as other:
        yield one, other


def same(servers, graph="g", nodes=("x", "y", "double", "sum")):
    """Waits until all servers have the same values at the same rev, and returns them."""
    def values(server):
        answer = server.get(f"/v1/graphs/{graph}/values?nodes={','.join(nodes)}").json()
        return answer["epoch"], answer["rev"], json.dumps(answer, sort_keys=True)

    def agree():
        found = [values(server) for server in servers]
        return found[0] if len({text for *_, text in found}) == 1 else None

    return eventually(agree, what="the same everywhere")


JSON = {"Content-Type": "application/json"}


def post(server, node, value, **headers):
    return server.request("POST", f"/v1/graphs/g/nodes/{node}", json.dumps(value), {**JSON, **headers})


def found(server, graph, node):
    """What a node holds, once there is one."""
    def answer():
        answer = server.get(f"/v1/graphs/{graph}/nodes/{node}")
        return answer if answer.status == 200 else None

    return eventually(answer).json()


def until(client, wanted, seconds=PATIENCE):
    """The first message that is wanted."""
    deadline = time.monotonic() + seconds
    while not wanted(message := client.receive(max(0.1, deadline - time.monotonic()))):
        pass
    return message


def is_ready(server):
    return server.metrics()["sluice_log_ready"] == 1


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
        subprocess.run([BINARY, "replay", "--redis", redis.url, "g"], check=True, capture_output=True, timeout=PATIENCE)
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


def refusal(config):
    """What a server says that does not start."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sluice.yaml"
        path.write_text(f"graphs: {folder}\n{config}")
        done = subprocess.run([BINARY, "serve", "--config", path, "--listen", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode != 0
        return done.stderr


def test_a_server_that_cannot_use_redis_says_why():
    with Redis("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru", "--requirepass", "s%cret") as redis:
        assert "NOAUTH" in refusal(f"redis: {{ url: '{redis.url}' }}\n")
        url = f"redis://:s%25cret@127.0.0.1:{redis.port}/3"
        assert "noeviction" in refusal(f"redis: {{ url: '{url}' }}\n")
        assert "s%cret" not in refusal(f"redis: {{ url: '{url}' }}\n")
        redis.kill()
        assert "Connection refused" in refusal(f"redis: {{ url: '{redis.url}' }}\n")
        redis.start()
    assert "not in both" in refusal(f"redis: {{ url: '{redis.url}' }}\ndataDir: /tmp/none\n")
    assert "redis.url" in refusal("redis: { url: 'redis:127.0.0.1' }\n")
    assert "redis.url" in refusal("redis: { url: 'redis://:%+f@127.0.0.1' }\n")
    assert "'redis.ca' is for TLS" in refusal("redis: { url: 'redis://127.0.0.1:1', ca: ca.pem }\n")


NO_TLS = "without libhiredis_ssl"


def test_tls_to_redis(tmp_path):
    port = free_port()
    said = refusal(f"redis: {{ url: 'rediss://127.0.0.1:{port}' }}\n")
    if NO_TLS in said:
        assert "put a TLS tunnel before Redis" in said
        pytest.skip("this server was built with a hiredis that has no TLS (Debian 12 has 0.14)")
    assert "Connection refused" in said

    def secured(cert, key):
        return Redis("--tls-port", str(port), "--tls-cert-file", str(cert), "--tls-key-file", str(key), "--tls-auth-clients", "no")

    def settings(host, ca):
        trust = f", ca: '{ca}'" if ca else ""
        return f"redis: {{ url: 'rediss://{host}:{port}'{trust} }}\n"

    foreign, key = certificate(tmp_path, "redis.example", covers="DNS:redis.example,IP:192.0.2.1")
    with secured(foreign, key):
        assert "hostname mismatch" in refusal(settings("localhost", foreign))
        assert "IP address mismatch" in refusal(settings("127.0.0.1", foreign))
    cert, key = certificate(tmp_path)
    with secured(cert, key) as redis:
        assert "self-signed certificate" in refusal(settings("localhost", None))
        assert "cannot be used as a list of authorities" in refusal(settings("localhost", key))
        # Redis speaks no TLS there.
        assert "the TLS handshake: no answer in time" in refusal(settings("localhost", cert).replace(str(port), str(redis.port)))
        with Server({"g": GRAPH}, settings("localhost", cert)) as one, \
                Server({"g": GRAPH}, settings("127.0.0.1", cert)) as other:
            one.set("g", "x", 21)
            # More than one TLS record.
            other.set("g", "y", "long" * 12_000)
            same([one, other])
            url = f"rediss://localhost:{port}"
            done = subprocess.run([BINARY, "replay", "--redis", url, "--ca", cert, "g"], capture_output=True, text=True)
            assert done.returncode == 0 and "rev 3" in done.stdout, done
            redis.kill()
            assert post(one, "x", 22).json()["code"] == "engine_down"
            redis.start()
            for server in (one, other):
                eventually(lambda: is_ready(server))
            one.set("g", "x", 23)
            same([one, other])


# What befalls Redis.

@pytest.mark.parametrize("how", ["killed", "paused"])
def test_redis_out_of_reach(how):
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        before = one.set("g", "x", 1)
        same([one, other])
        with Client(other) as listener:
            listener.ask(op="sub", graph="g", node="x")
            redis.kill() if how == "killed" else redis.pause()
            began = time.monotonic()
            answer = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert answer.status == 503 and answer.json()["code"] == "engine_down", answer
            assert answer.headers["retry-after"]
            if QUIET:
                assert time.monotonic() - began < 3.5
            assert other.value("g", "x") == 1, "reads go on"
            assert until(listener, lambda m: m.get("op") == "hb" and m.get("stale"))
            eventually(lambda: one.get("/readyz?for=writes").status == 503)
            assert one.get("/readyz").status == 200, "a proxy must not take all servers away"
            redis.start() if how == "killed" else redis.go_on()
            for server in (one, other):
                eventually(lambda: is_ready(server))
            eventually(lambda: one.get("/readyz?for=writes").status == 200)
            # It was unknown whether the commit was accepted; under its key it is applied once.
            again = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert again.status == 200 and again.json()["epoch"] == before["epoch"]
            other.set("g", "x", 3)
            epoch, rev, _ = same([one, other])
            assert (epoch, rev) == (before["epoch"], before["rev"] + 2)
            # Nothing was missed.
            assert until(listener, lambda m: m.get("rev") == rev)["d"][0]["v"] == 3


def test_an_answer_waits_for_a_replica():
    with Redis() as first, Redis() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", str(first.port))
        eventually(lambda: "master_link_status:up" in replica.ask("INFO", "replication"))
        with Instance(first, {"g": GRAPH}, arguments=["--set", "redis.replicas=1"]) as one:
            before = one.set("g", "x", 1)
            replica.pause()
            answer = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert answer.status == 503 and answer.json()["code"] == "engine_down", answer
            replica.go_on()
            eventually(lambda: is_ready(one))
            again = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert again.status == 200 and again.json()["rev"] == before["rev"] + 1


@pytest.mark.skipif(version() < (7, 2), reason="WAITAOF came with Redis 7.2")
def test_an_answer_waits_for_the_file_of_a_replica():
    with Redis() as first, Redis() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", str(first.port))
        eventually(lambda: "master_link_status:up" in replica.ask("INFO", "replication"))
        arguments = ["--set", "redis.replicas=1"]
        with Instance(first, {"g": GRAPH}, arguments=arguments) as one:
            before = one.set("g", "x", 1)
            assert "cmdstat_waitaof" in first.ask("INFO", "commandstats")
            # It has the commit, but in no file.
            replica.ask("CONFIG", "SET", "appendonly", "no")
            answer = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert answer.status == 503 and answer.json()["code"] == "engine_down", answer
            replica.ask("CONFIG", "SET", "appendonly", "yes")
            eventually(lambda: is_ready(one))
            again = post(one, "x", 2, **{"Idempotency-Key": "k"})
            assert again.status == 200 and again.json()["rev"] == before["rev"] + 1
        # Where files are synchronised once a second, answers do not wait for that.
        first.ask("CONFIG", "SET", "appendfsync", "everysec")
        replica.ask("CONFIG", "SET", "appendonly", "no")
        with Instance(first, {"g": GRAPH}, arguments=arguments) as one:
            assert one.set("g", "x", 3)["rev"] == before["rev"] + 2


def test_a_redis_that_refuses_writes():
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one:
        before = one.set("g", "x", 1)
        # A replica of a server that does not exist.
        redis.ask("REPLICAOF", "127.0.0.1", "1")
        assert post(one, "x", 2).json()["code"] == "engine_down"
        assert one.value("g", "x") == 1
        redis.ask("REPLICAOF", "NO", "ONE")
        eventually(lambda: is_ready(one))
        after = one.set("g", "x", 3)
        assert (after["epoch"], after["rev"]) == (before["epoch"], before["rev"] + 1)


def test_a_reply_that_is_lost():
    """Redis has taken the commit, and nobody hears of it: it is asked again, and takes it once."""
    with Redis() as redis, Between(redis.port) as between, Instance(between, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        before = one.set("g", "x", 1)
        same([one, other])
        # The first set is answered from the stream; what the script has said of it may still be on
        # its way.
        time.sleep(0.1)
        between.lose_replies()
        answer = []
        waiting = threading.Thread(target=lambda: answer.append(post(one, "x", 2)))
        waiting.start()
        # The other server has it from the stream.
        eventually(lambda: other.value("g", "x") == 2)
        between.go_on()
        waiting.join(PATIENCE)
        assert answer[0].status == 200 and answer[0].json()["rev"] == before["rev"] + 1
        assert other.set("g", "x", 3)["rev"] == before["rev"] + 2
        same([one, other])


def test_redis_without_memory():
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one:
        one.set("g", "x", 1)
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        answer = post(one, "x", 2)
        assert answer.status == 507 or answer.json()["code"] == "no_space", answer
        assert one.value("g", "x") == 1
        redis.ask("CONFIG", "SET", "maxmemory", "0")
        eventually(lambda: is_ready(one))
        assert one.set("g", "x", 3)["rev"] == 3


def test_a_redis_that_was_flushed():
    with Redis() as redis, Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
        before = one.set("g", "x", "kept")
        same([one, other])
        listener = Client(other)
        listener.ask(op="sub", graph="g", node="x")
        redis.ask("FLUSHALL")
        # The loss is noticed at the next write.
        post(one, "y", 1)
        answer = eventually(lambda: accepted(one, "y", 2, not_in=before["epoch"]))
        assert answer["rev"] > before["rev"]
        epoch, _, text = same([one, other])
        assert epoch == answer["epoch"] and '"kept"' in text
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                listener.receive(10)
        assert closed.value.rcvd.code == 4510


@pytest.mark.parametrize("ended", ["in order", "killed"])
def test_a_redis_that_was_put_back_while_no_server_ran(ended, tmp_path):
    """Nothing shows that its file is an older one, and revs come again with other values."""
    with Redis() as redis:
        with Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
            kept = one.set("g", "x", "kept")
            same([one, other])
            shutil.copytree(redis.folder.name, tmp_path / "copy")
            lost = one.set("g", "x", "lost")
            same([one, other])
            if ended == "killed":
                one.kill()
                other.kill()
        redis.kill()
        shutil.rmtree(redis.folder.name)
        shutil.copytree(tmp_path / "copy", redis.folder.name)
        redis.start()
        with Instance(redis, {"g": GRAPH}) as one, Instance(redis, {"g": GRAPH}) as other:
            now = one.set("g", "x", "new")
            same([one, other])
            assert now["rev"] == lost["rev"] and now["epoch"] != lost["epoch"]
            for server in (one, other):
                with Client(server) as client:
                    for cursor, isHeld in ((kept, True), (lost, False), (now, True)):
                        since = {"epoch": cursor["epoch"], "rev": cursor["rev"]}
                        snap = client.ask(op="sub", graph="g", node="x", since=since)
                        assert snap["epoch"] == now["epoch"] and snap["resumed"] is isHeld, (cursor, snap)
                tag = f'"{lost["epoch"]}:{lost["rev"]}"'
                answer = server.request("GET", "/v1/graphs/g/nodes/x", headers={"If-None-Match": tag})
                assert answer.status == 200 and answer.json() == "new"
                assert post(server, "x", "over", **{"If-Match": tag}).status == 412
                past = server.get(f"/v1/graphs/g/nodes/x?at={lost['rev']}&epoch={lost['epoch']}")
                assert past.status == 410, past.json()
        # One more start of both: the epochs go on.
        with Instance(redis, {"g": GRAPH}) as one, Client(one) as client:
            for cursor, isHeld in ((kept, True), (lost, False), (now, True)):
                since = {"epoch": cursor["epoch"], "rev": cursor["rev"]}
                assert client.ask(op="sub", graph="g", node="x", since=since)["resumed"] is isHeld


def test_a_failover_that_lost_the_end():
    """The replica lags; Redis moves to it. Both servers have come further than it has."""
    with Redis() as first, Redis() as replica:
        replica.ask("REPLICAOF", "127.0.0.1", str(first.port))
        eventually(lambda: "master_link_status:up" in replica.ask("INFO", "replication"))
        with Instance(first, {"g": GRAPH}) as one, Instance(first, {"g": GRAPH}) as other:
            before = one.set("g", "x", 1)
            time.sleep(0.3)
            replica.ask("REPLICAOF", "NO", "ONE")
            lost = one.set("g", "x", "only one has it")
            same([one, other])
            # The same address leads to the replica now.
            first.kill()
            replica.kill()
            replica.options[1] = str(first.port)
            replica.port = first.port
            replica.start()
            try:
                answer = eventually(lambda: accepted(one, "y", 2, not_in=before["epoch"]))
                epoch, rev, text = same([one, other])
                assert epoch != before["epoch"] and rev > lost["rev"]
                assert "only one has it" in text, "the server that had come furthest begins the new epoch"
                assert answer["epoch"] == epoch
            finally:
                replica.kill()


def fill(server, count):
    """Makes so many commits."""
    with Client(server) as client:
        for number in range(count):
            client.send(op="set", id=number + 1, graph="g", set={"x": number})
            # Some are on their way at a time.
            if number >= 200:
                assert client.receive()["op"] == "ok"
        for _ in range(min(count, 200)):
            assert client.receive()["op"] == "ok"


def stopped(server):
    server.process.send_signal(signal.SIGSTOP)


def resumed(server):
    server.process.send_signal(signal.SIGCONT)


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
    """Redis stands still until both have read their files: one definition holds, and the other server says that its file's does not."""
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


def accepted(server, node, value, not_in):
    """The answer, once a commit is taken in another epoch."""
    answer = post(server, node, value)
    return answer.json() if answer.status == 200 and answer.json()["epoch"] != not_in else None


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
            process = subprocess.Popen(["bash", "-c", command], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)
            running.append(process)
            seen = b""
            while sign not in seen:
                line = process.stdout.readline()
                assert line, f"{name}: {seen.decode()}"
                seen += line
            threading.Thread(target=process.stdout.read, daemon=True).start()

        def told():
            done = subprocess.run(["bash", "-c", blocks["set"]], cwd=ROOT, env=environment, capture_output=True, text=True)
            return done.stdout.endswith("23.5")

        # The other server has it a moment later.
        eventually(told)
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(PATIENCE)
        shutil.rmtree("/tmp/sluice-redis", ignore_errors=True)
