"""Random writers at several servers, while servers and Redis are killed: nothing answered is lost,
nothing is there twice, nobody misses anything without being told. `SLUICE_SEED=n` repeats one run's
choices; nightly it takes `SLUICE_CHAOS_SECONDS` (an hour)."""

import http.client
import json
import os
import random
import subprocess
import threading
import time

import pytest
from websockets.exceptions import WebSocketException

from conftest import Client
from redis_server import Instance, Redis
from sluice import BINARY, PATIENCE, eventually

pytestmark = [pytest.mark.long, pytest.mark.first]

WRITERS, COUNTERS, FOLLOWERS = 4, 3, 3
NIGHTLY = os.environ.get("SLUICE_NIGHTLY")
SECONDS = float(os.environ.get("SLUICE_CHAOS_SECONDS", 3600 if NIGHTLY else 12))
GRAPH = (
    "graph: g\nnodes:\n"
    + "".join(f"  w{n}: {{ set: any, history: 100000 }}\n" for n in range(WRITERS))
    + """  count: { set: any, initial: 0, history: 100000 }
  sum: { from: w0, retain: always, pipe: [ { scan: { start: 0, with: "acc + value" } } ] }
  late: { from: w1, retain: always, pipe: [ { delay: 50 } ] }
"""
)
JSON = {"Content-Type": "application/json"}


class Player(threading.Thread):
    """Talks to one server at a time, and to another where that one is gone."""

    def __init__(self, play, number):
        super().__init__(daemon=True)
        self.play, self.number = play, number
        self.dice = random.Random(f"{play.seed} {type(self).__name__} {number}")
        self.failure = None

    def run(self):
        try:
            self.go()
        except Exception as failure:
            self.failure = failure

    def ask(self, method, path, body=None, headers=None):
        """One answer from any server; None where nobody knows what became of the request."""
        server = self.dice.choice(self.play.servers)
        connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
        try:
            connection.request(method, f"/v1/graphs/g/nodes/{path}", body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
            return None
        finally:
            connection.close()

    def insist(self, method, path, body, headers):
        """Asks under one key until there is an answer that says what became of it."""
        while True:
            answer = self.ask(method, path, body, {**JSON, **headers})
            if answer and answer[0] < 500:
                # Others came in between each time that it was tried.
                if not (answer[0] == 409 and json.loads(answer[2]).get("retry")):
                    return answer
            time.sleep(0.02)


class Writer(Player):
    """Sets its node to 1, 2, 3 …, each until it is acknowledged."""

    def go(self):
        self.last = 0
        while self.play.goes_on:
            status, _, body = self.insist("POST", f"w{self.number}", str(self.last + 1),
                                          {"Idempotency-Key": f"{self.number}-{self.last + 1}"})
            assert status == 200, body
            self.last += 1
            if self.dice.random() < 0.2:
                time.sleep(self.dice.random() / 20)


class Counter(Player):
    """Counts up by what it has read: no other may have counted in between."""

    def go(self):
        self.counted = []
        tries = 0
        while self.play.goes_on:
            answer = self.ask("GET", "count")
            if not answer or answer[0] != 200:
                continue
            value, tag = int(answer[2]), answer[1]["etag"]
            tries += 1
            status, headers, body = self.insist(
                "PUT", "count", str(value + 1),
                {"If-Match": tag, "Idempotency-Key": f"c{self.number}-{tries}"},
            )
            assert status in (200, 412), body
            if status == 200:
                self.counted.append((int(headers["etag"].strip('"').split(":")[1]), value + 1))


class Follower(Player):
    """Hears every value of a node, also across servers."""

    def go(self):
        node = f"w{self.number % WRITERS}"
        self.heard, since, self.anew = [], None, 0
        while self.play.follows:
            try:
                with Client(self.dice.choice(self.play.servers)) as client:
                    snap = client.ask(
                        op="sub", graph="g", node=node, mode="all", **({"since": since} if since else {})
                    )
                    if snap["op"] != "snap":
                        time.sleep(0.05)
                        continue
                    if since and not snap["resumed"]:
                        self.anew += 1
                        self.heard = []
                    if since and snap["resumed"]:
                        self.heard += [(entry["rev"], entry["v"]) for entry in snap.get("d", [])]
                    elif "v" in snap:
                        self.heard.append((snap.get("c", snap["rev"]), snap["v"]))
                    since = {"epoch": snap["epoch"], "rev": snap["rev"]}
                    until = time.monotonic() + self.dice.random() * 3
                    while self.play.follows and time.monotonic() < until:
                        try:
                            message = client.receive(0.2)
                        except TimeoutError:
                            continue
                        if message["op"] == "upd":
                            self.heard += [
                                (entry.get("rev", message["rev"]), entry["v"]) for entry in message["d"]
                            ]
                            since["rev"] = message["rev"]
            except (OSError, WebSocketException):
                time.sleep(0.05)


class Play:
    def __init__(self, seed, redis, servers):
        self.seed, self.redis, self.servers = seed, redis, servers
        self.goes_on = self.follows = True
        self.dice = random.Random(f"{seed} play")
        self.kills = []

    def disturb(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(self.dice.random() * 2)
            if self.dice.random() < 0.3:
                self.kills.append("redis")
                self.redis.kill()
                time.sleep(self.dice.random())
                self.redis.start()
            else:
                victim = self.dice.choice(self.servers)
                self.kills.append(self.servers.index(victim))
                victim.kill()
                # Redis may be away itself at this moment of another's choice: not of this one's.
                victim.start()


@pytest.mark.weighed
@pytest.mark.timeout(SECONDS * 2 + 120)
@pytest.mark.parametrize("count", [2, 3])
def test_servers_and_redis_that_are_killed(count):
    seed = os.environ.get("SLUICE_SEED") or str(random.randrange(1 << 32))
    print(f"SLUICE_SEED={seed}")
    with Redis() as redis:
        servers = [Instance(redis, {"g": GRAPH}) for _ in range(count)]
        try:
            play = Play(seed, redis, servers)
            writers = [Writer(play, number) for number in range(WRITERS)]
            counters = [Counter(play, number) for number in range(COUNTERS)]
            followers = [Follower(play, number) for number in range(FOLLOWERS)]
            players = writers + counters + followers
            for player in players:
                player.start()
            play.disturb(SECONDS / 2)
            play.goes_on = False
            for player in writers + counters:
                player.join(PATIENCE)
                assert not player.is_alive(), (
                    f"{type(player).__name__} {player.number} gets no answer, seed {seed}"
                )

            def values(server):
                return server.get("/v1/graphs/g/values").body

            eventually(lambda: all(server.metrics()["sluice_log_ready"] == 1 for server in servers))
            eventually(
                lambda: len({values(server) for server in servers}) == 1,
                what=f"the same everywhere, seed {seed}",
            )

            def heard_all(follower):
                return (
                    follower.failure
                    or follower.heard
                    and follower.heard[-1][1] == writers[follower.number % WRITERS].last
                )

            for follower in followers:
                eventually(
                    lambda: heard_all(follower),
                    what=f"follower {follower.number} heard {follower.heard[-3:]}, seed {seed}",
                )
            play.follows = False
            for player in followers:
                player.join(PATIENCE)
            for player in players:
                if player.failure:
                    raise player.failure
            check(servers, writers, counters, followers, seed)
            print(
                f"kills {play.kills}, written {[writer.last for writer in writers]}, "
                f"counted {sum(len(counter.counted) for counter in counters)}, begun anew "
                f"{[f.anew for f in followers]}"
            )
        finally:
            for server in servers:
                server.__exit__(None, None, None)


def history(server, node):
    found, since = [], 0
    while True:
        answer = server.get(f"/v1/graphs/g/nodes/{node}/history?since={since}&limit=10000").json()
        found += [(entry["rev"], entry["v"]) for entry in answer["d"] if "v" in entry]
        if not answer.get("more"):
            return found
        since = answer["d"][-1]["rev"]


def check(servers, writers, counters, followers, seed):
    for writer in writers:
        assert writer.last > 0, f"nothing was written, seed {seed}"
    for server in servers:
        for writer in writers:
            values = [value for _, value in history(server, f"w{writer.number}")]
            assert values == list(range(1, writer.last + 1)), f"each once, in order: seed {seed}"
        # A counter that counts what it has read is linearizable if no number comes twice.
        counted = sorted(pair for counter in counters for pair in counter.counted)
        assert [pair for pair in history(server, "count") if pair[1] > 0] == counted, f"seed {seed}"
        assert [value for _, value in counted] == list(range(1, len(counted) + 1)), f"seed {seed}"
        assert (
            json.loads(server.get("/v1/graphs/g/nodes/sum").body)
            == writers[0].last * (writers[0].last + 1) // 2
        )
        assert "differs from the other servers" not in server.log_text()
        # A look back plays the log on a host of its own.
        present = server.get("/v1/graphs/g/values").json()
        past = server.get(f"/v1/graphs/g/values?at={present['rev']}").json()
        assert past == present, f"a replay of the log: seed {seed}"
    subprocess.run(
        [BINARY, "replay", "--redis", servers[0].redis.url, "g"], check=True, stdout=subprocess.DEVNULL
    )
    for follower in followers:
        told = dict(history(servers[0], f"w{follower.number % WRITERS}"))
        revs = [rev for rev, _ in follower.heard]
        assert revs == sorted(set(revs)), f"in order, each once: seed {seed}"
        missing = [rev for rev in told if rev >= revs[0] and rev not in set(revs)]
        assert not missing, f"follower {follower.number} missed {missing[:5]}: seed {seed}"
