"""Values computed from values: transfers that nobody sees half of, once each, through kills."""

import contextlib
import http.client
import json
import os
import random
import subprocess
import threading
import time

from access import Guarded, can
from conftest import Client
from redis_server import Instance, Redis
from several import JSON
from sluice import BINARY, PATIENCE, Server, eventually

ACCOUNTS = 5
BANK = "graph: bank\nnodes:\n" + "".join(
    f"  account.{n}: {{ set: number, initial: 100, min: 0 }}\n" for n in range(ACCOUNTS)
) + '''  spare: { set: any }
  note.{id}: { set: any }
  sum: { all: "account.*", reduce: sum }
'''
SUM = 100 * ACCOUNTS
ROUNDS = 40 if os.environ.get("SLUICE_NIGHTLY") else 4


def batch(server, **body):
    return server.request("POST", "/v1/graphs/bank/batch", json.dumps(body), JSON)


def transfer(source, target, amount, key):
    return {
        "update": {source: f"value - {amount}", target: f"value + {amount}"},
        "with": {"a": source}, "if": f"a >= {amount}", "key": key,
    }


def balances(server):
    """Of one revision."""
    values = server.get("/v1/graphs/bank/values?nodes=account.*").json()["m"]
    return [values[f"account.{n}"]["v"] for n in range(ACCOUNTS)]


class Teller(threading.Thread):
    """Makes transfers, one after the other, and repeats under its key what was not answered."""

    def __init__(self, servers, number, seed):
        super().__init__()
        self.servers, self.number = servers, number
        self.dice = random.Random(seed * 100 + number)
        # What was answered: the accounts and the amount by the commit that did it.
        self.done, self.refused, self.ends = {}, 0, False

    def run(self):
        count = 0
        while not self.ends:
            count += 1
            source, target = self.dice.sample(range(ACCOUNTS), 2)
            amount = self.dice.randint(1, 40)
            body = transfer(f"account.{source}", f"account.{target}", amount, f"t{self.number}-{count}")
            answer = self.ask(json.dumps(body))
            if answer is None:
                return
            if answer.get("code") == "conflict":
                self.refused += 1
                continue
            assert "values" in answer, answer
            assert answer["rev"] not in self.done
            self.done[answer["rev"]] = (source, target, amount)

    def ask(self, body):
        """Asks until there is an answer, from one server after the other."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            server = self.dice.choice(self.servers)
            with contextlib.suppress(http.client.HTTPException, OSError, ValueError):
                connection = http.client.HTTPConnection(server.host, server.port, timeout=5)
                connection.request("POST", "/v1/graphs/bank/batch", body, JSON)
                response = connection.getresponse()
                answer = json.loads(response.read())
                connection.close()
                if response.status == 200 or (answer["code"] == "conflict" and not answer["retry"]):
                    return answer
            time.sleep(0.02)
        return None


class Watcher(threading.Thread):
    """Follows all accounts in mode all: in each message they have the whole sum."""

    def __init__(self, server):
        super().__init__()
        self.client = Client(server)
        snap = self.client.ask(op="sub", graph="bank", nodes=["account.*", "sum"], mode="all")
        self.values = {name: entry["v"] for name, entry in snap["m"].items()}
        self.wrong, self.seen = [], 0

    def run(self):
        with contextlib.suppress(Exception):
            while True:
                message = self.client.receive(None)
                if message["op"] != "upd":
                    continue
                for entry in message["d"]:
                    self.values |= {name: part["v"] for name, part in entry["m"].items()}
                    total = sum(self.values[f"account.{n}"] for n in range(ACCOUNTS))
                    self.seen += 1
                    if total != SUM or self.values["sum"] != SUM:
                        self.wrong.append((message["rev"], total))


def check(server, tellers):
    assert all(not teller.is_alive() for teller in tellers)
    assert sum(len(teller.done) for teller in tellers) > 0
    assert sum(balances(server)) == SUM
    expected = [100] * ACCOUNTS
    for teller in tellers:
        for source, target, amount in teller.done.values():
            expected[source] -= amount
            expected[target] += amount
    assert balances(server) == expected, "each once"


def play(servers, tellers, disturb):
    for teller in tellers:
        teller.start()
    disturb()
    for teller in tellers:
        teller.ends = True
    for teller in tellers:
        teller.join(PATIENCE)


def test_a_reader_never_sees_half_of_a_transfer():
    """X-1: values and sum are of one commit, in every message."""
    with Server({"bank": BANK}) as server:
        watcher = Watcher(server)
        watcher.start()
        tellers = [Teller([server], number, 1) for number in range(4)]
        play([server], tellers, lambda: time.sleep(1))
        check(server, tellers)
        eventually(lambda: watcher.seen >= sum(len(teller.done) for teller in tellers))
        watcher.client.close()
        assert not watcher.wrong


def test_the_sum_is_kept_through_kills_of_the_server():
    """X-1: each transfer is made once, whatever of its answer was lost with the server."""
    dice = random.Random(int(os.environ.get("SLUICE_SEED", "1")))
    with Server({"bank": BANK}, keeps=True) as server:
        tellers = [Teller([server], number, 2) for number in range(4)]

        def disturb():
            for _ in range(ROUNDS):
                time.sleep(dice.uniform(0.1, 0.4))
                server.kill()
                server.start()
                assert sum(balances(server)) == SUM
            time.sleep(0.2)

        play([server], tellers, disturb)
        check(server, tellers)


def test_a_repeat_after_a_restart_gets_the_same_values():
    """X-1: the results are stored with the key."""
    with Server({"bank": BANK}, keeps=True) as server:
        body = transfer("account.0", "account.1", 10, "k")
        first = batch(server, **body)
        assert first.json()["values"] == {"account.0": 90, "account.1": 110}
        server.set("bank", "account.0", 1)
        server.kill()
        server.start()
        again = batch(server, **body)
        assert again.json() == first.json() and again.headers["idempotent-replayed"] == "true"
        assert server.value("bank", "account.0") == 1
        text = server.get("/v1/graphs/bank/nodes/account.1/history?since=0").body.decode()
        assert "value" not in text


def test_servers_and_redis_that_are_killed():
    """X-1: transfers at several servers wait for each other's, and each is made once."""
    dice = random.Random(int(os.environ.get("SLUICE_SEED", "1")))
    with Redis() as redis, Instance(redis, {"bank": BANK}) as one, Instance(redis, {"bank": BANK}) as other:
        tellers = [Teller([one, other], number, 3) for number in range(4)]

        def disturb():
            for round in range(ROUNDS):
                time.sleep(dice.uniform(0.2, 0.6))
                if round % 2:
                    redis.process.kill()
                    redis.process.wait()
                    redis.start()
                else:
                    one.kill()
                    one.start()
            time.sleep(1)

        play([one, other], tellers, disturb)
        for server in (one, other):
            eventually(lambda: sum(balances(server)) == SUM)
        key = transfer("account.0", "account.1", 0, "known everywhere")
        first = batch(one, **key)
        again = batch(other, **key)
        assert first.status == 200 and again.headers["idempotent-replayed"] == "true"
        assert again.json()["values"] == first.json()["values"]
        check(other, tellers)


def test_every_door():
    """X-1, X-3: HTTP and the command line take expressions; wipe clears what matches."""
    with Server({"bank": BANK}) as server:
        def sluice(*arguments):
            return subprocess.run(
                [BINARY, *arguments, "--url", server.url], capture_output=True, text=True, check=False
            )

        done = sluice(
            "set", "bank/account.0", "--update", "value - a / 10", "--if", "a > 5", "--with", "a=account.1"
        )
        assert json.loads(done.stdout)["values"] == {"account.0": 90}, done.stderr
        assert sluice("set", "bank/account.0", "7", "--if", "false").returncode == 1
        assert sluice("set", "bank/account.0").returncode == 2
        assert json.loads(sluice("set", "bank/spare", "-4", "--if", "true").stdout)["changed"] == 1
        rev = batch(server, update={"account.0": "value + 0.5"}).json()["rev"]
        failed = batch(server, **transfer("account.0", "account.1", 1000, "none")).json()
        assert failed["failed"] == [{"node": "account.0", "rev": rev, "v": 90.5}]
        # Long expressions are parsed by another thread, in their place.
        long = "value + " + " + ".join(["1"] * 100)
        assert batch(server, update={"account.0": long}, key="long").json()["values"] == {"account.0": 190.5}
        assert batch(server, update={"account.0": long + " + x"}).json()["code"] == "expr_type"
        with Client(server) as client:
            client.send(op="set", id=1, graph="bank", update={"account.0": long})
            client.send(op="set", id=2, graph="bank", set={"spare": 1})
            assert client.receive()["values"] == {"account.0": 290.5}
            assert client.receive()["id"] == 2

        batch(server, set={f"note.{n}": n for n in range(20)})
        wiped = json.loads(sluice("wipe", "bank", "--match", "note.1*").stdout)
        assert wiped["changed"] == 11
        key = {"Idempotency-Key": "w"}
        assert server.request("POST", "/v1/graphs/bank/wipe?match=note.*", "", key).json()["changed"] == 9
        batch(server, set={"note.1": 1})
        again = server.request("POST", "/v1/graphs/bank/wipe?match=note.*", "", key)
        assert again.headers["idempotent-replayed"] == "true" and server.value("bank", "note.1") == 1
        assert server.request("POST", "/v1/graphs/bank/wipe", "").json()["changed"] == ACCOUNTS + 2
        for query, body in [
            ("match=", ""), ("mach=note.*", ""), ("m%61tch=note.*", ""), ("match=a&match=b", ""),
            ("", '{"match":"a"}'),
        ]:
            refused = server.request("POST", f"/v1/graphs/bank/wipe?{query}", body)
            assert (refused.status, refused.json()["code"]) == (400, "bad_field"), query


WIPED = """graph: w
nodes:
  m.{i}: { set: number }
  other.{i}: { set: number }
  strict.{i}: { set: number, requireIfMatch: true }
"""


def wipe(server, match, **headers):
    return server.request("POST", f"/v1/graphs/w/wipe?match={match}", "", headers)


def test_a_wipe_beside_sets_at_another_server():
    """X-3: each wipe clears exactly the members that the commits before it have left."""
    with Redis() as redis, Instance(redis, {"w": WIPED}) as one, Instance(redis, {"w": WIPED}) as other:
        commits, ends = {}, threading.Event()

        def set_members():
            dice = random.Random(3)
            while not ends.is_set():
                names = {f"m.{dice.randrange(30)}" for _ in range(3)} | {f"other.{dice.randrange(9)}"}
                answer = other.batch("w", set=dict.fromkeys(names, 1)).json()
                if "changed" in answer:
                    commits[answer["rev"]] = names

        setter = threading.Thread(target=set_members)
        setter.start()
        for _ in range(60):
            answer = wipe(one, "m.*").json()
            # Where the other server comes first eight times, the answer is to ask again.
            if answer.get("changed"):
                commits[answer["rev"]] = answer["changed"]
            else:
                assert "code" not in answer or answer["retry"], answer
        ends.set()
        setter.join(PATIENCE)

        left = set()
        for rev, done in sorted(commits.items()):
            if isinstance(done, int):
                gone = {name for name in left if name.startswith("m.")}
                assert done == len(gone), rev
                left -= gone
            else:
                left |= done
        assert len(commits) == max(commits) - min(commits) + 1
        for server in (one, other):
            eventually(lambda: server.get("/v1/graphs/w").json()["rev"] == max(commits))
            assert set(server.get("/v1/graphs/w/values?nodes=*").json()["m"]) == left


def test_what_a_wipe_refuses_at_another_server():
    """X-3: `requireIfMatch` unless a condition names the node, and more than 10,000 nodes."""
    with Redis() as redis, Instance(redis, {"w": WIPED}) as one, Instance(redis, {"w": WIPED}) as other:
        for begin in range(0, 10_001, 1_000):
            names = range(begin, min(begin + 1_000, 10_001))
            last = other.batch("w", set={f"m.{i:05}": i for i in names}).json()
        after = f"{last['epoch']}:{last['rev']}"
        assert one.get(f"/v1/graphs/w/nodes/m.10000?after={after}").json() == 10_000
        refused = wipe(one, "m.*")
        assert (refused.status, refused.json()["code"]) == (413, "too_large")
        assert wipe(one, "m.0*").json()["changed"] == 10_000
        assert wipe(other, "m.*").json()["changed"] == 1

        strict = {"if": {"strict.a": {"empty": True}}}
        last = other.batch("w", set={"strict.a": 1, "other.a": 1}, **strict).json()
        one.get(f"/v1/graphs/w/nodes/other.a?after={last['epoch']}:{last['rev']}")
        refused = wipe(one, "*")
        assert (refused.status, refused.json()["code"]) == (428, "precondition_required")
        assert "strict.a" in refused.json()["detail"]
        assert one.batch("w", clear=["*"], **{"if": {"strict.a": {"v": 2}}}).json()["code"] == "conflict"
        assert one.batch("w", clear=["*"], **{"if": {"strict.a": {"v": 1}}}).json()["changed"] == 2
        assert "rev" not in wipe(other, "*").json()


def test_a_wipe_leaves_what_the_caller_may_not_read_and_set(tmp_path):
    """X-3: at whichever server the members were made."""
    with Redis() as redis, contextlib.ExitStack() as stack:
        servers = []
        for name in ("one", "other"):
            (tmp_path / name).mkdir()
            config = f"redis: {{ url: '{redis.url}' }}\n"
            server = stack.enter_context(Guarded(tmp_path / name, config=config))
            server.add("maker", *can("read", "set", "admin"), "--graphs", "w")
            server.add("part", *can("read", "set"), "--graphs", "w", "--nodes", "m.1*")
            server.add("blind", *can("set"), "--graphs", "w")
            server.reload()
            servers.append(server)
        one, other = servers
        put = one.ask("maker", "PUT", "/v1/graphs/w", WIPED, Content_Type="application/yaml")
        assert put.status == 201, put
        body = json.dumps({"set": {f"m.{i}": i for i in range(12)}})
        path = "/v1/graphs/w"
        eventually(lambda: other.ask("maker", "GET", path).status == 200)
        last = other.ask("maker", "POST", f"{path}/batch", body, **JSON).json()
        after = f"{last['epoch']}:{last['rev']}"
        assert one.ask("maker", "GET", f"{path}/nodes/m.1?after={after}").json() == 1
        assert "rev" not in one.ask("blind", "POST", f"{path}/wipe").json()
        assert one.ask("device:7", "POST", f"{path}/wipe").status == 404
        assert one.ask("part", "POST", f"{path}/wipe").json()["changed"] == 3

        def values():
            return other.ask("maker", "GET", f"{path}/values?nodes=*").json()["m"]

        left = eventually(lambda: len(found := values()) == 9 and found)
        assert not left.keys() & {"m.1", "m.10", "m.11"}
