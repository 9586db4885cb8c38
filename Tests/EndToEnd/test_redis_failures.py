"""What a Redis does, refuses or loses, and what servers and their clients make of it."""

import os
import shutil
import threading
import time

import pytest
from conftest import Client
from redis_server import Between, Instance, Redis, version
from several import GRAPH, is_ready, post, same, until
from sluice import PATIENCE, eventually
from websockets.exceptions import ConnectionClosed

pytestmark = pytest.mark.long

QUIET = os.environ.get("SLUICE_QUIET")


def accepted(server, node, value, not_in):
    """The answer, once a commit is taken in another epoch."""
    answer = post(server, node, value)
    return answer.json() if answer.status == 200 and answer.json()["epoch"] != not_in else None


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
    with (
        Redis() as redis, Between(redis.port) as between, Instance(between, {"g": GRAPH}) as one,
        Instance(redis, {"g": GRAPH}) as other,
    ):
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


@pytest.mark.first
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
