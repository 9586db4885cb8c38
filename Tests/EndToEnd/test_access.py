"""Who may do what: tokens, rights, graphs' rules, browsers' sessions; and that nothing leaks to those who may not."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import CHAIN, Client
from rawsocket import RawSocket
from sluice import BINARY, DEVELOPER, PATIENCE, Answer, Server, eventually
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

HOUSE = """
graph: house
nodes:
  room.temp: { set: number, initial: 20 }
  room.note: { set: any, initial: hi }
  secret: { set: number, initial: 7 }
  doubled: { from: room.temp, pipe: [ { map: "value * 2" } ] }
  leak: { combine: { a: "room.temp", b: secret }, map: "a + b" }
  hint: { from: secret, pipe: [ { map: "value > 5" }, distinct ] }
access:
  - { who: "role:owner", nodes: "*", can: [read, pipe, set, observe] }
  - { who: "role:viewer", nodes: ["room.*", doubled, hint], can: [read, pipe] }
  - { who: "device:7", nodes: room.temp, can: set }
"""
OPEN = "graph: open\nnodes:\n  x: { set: number, initial: 1 }\n"
HIDDEN = "graph: hidden\nnodes:\n  x: { set: number, initial: 1 }\naccess: [ { who: alice, can: [read] } ]\n"


class Guarded(Server):
    """A server that wants tokens; `tokens` are by name what `sluice token` gave out."""

    def __init__(self, folder, **options):
        self.file = folder / "tokens.yaml"
        self.entries, self.tokens = [], {}
        self.add("alice", "--role", "owner", *can("read", "pipe", "set", "observe", "metrics", "admin"))
        self.add("bob", "--role", "viewer")
        self.add("device:7", "--can", "set", "--graphs", "house")
        self.add("scraper", "--can", "metrics")
        self.add("pub", *can("read", "admin", "metrics"), "--graphs", "op*")
        self.add("part", *can("read", "admin", "metrics"), "--graphs", "open", "--nodes", "x")
        config = options.pop("config", "")
        super().__init__({"house": HOUSE, "open": OPEN, "hidden": HIDDEN}, f"auth: {self.file}\n{config}", **options)

    def add(self, name, *options):
        ran = subprocess.run([BINARY, "token", "--name", name, *options], capture_output=True, text=True)
        assert ran.returncode == 0, ran
        self.tokens[name] = re.search(r"token \(shown once\): (\S+)", ran.stderr)[1]
        self.entries.append((name, ran.stdout))
        self.write()

    def write(self):
        self.file.write_text("tokens:\n" + "".join(text for _, text in self.entries))

    def remove(self, name):
        self.entries = [entry for entry in self.entries if entry[0] != name]
        self.write()

    def reload(self, says="tokens read again"):
        before = self.log_text().count(says)
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.log_text().count(says) > before)

    def ask(self, who, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            headers["Authorization"] = f"Bearer {self.tokens.get(who, who)}"
        return self.request(method, path, body, headers)

    def metrics(self):
        samples = {}
        for line in self.ask("alice", "GET", "/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    @contextlib.contextmanager
    def socket(self, who=None, cookie=None, hello=None):
        headers = {}
        if who:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        if cookie:
            headers["Cookie"] = cookie
        with connect(f"ws://{self.host}:{self.port}/v1/ws", subprotocols=["sluice.v1.json"],
                     additional_headers=headers) as client:
            if hello:
                client.send(json.dumps({"op": "hello", "id": 99, "token": self.tokens.get(hello, hello)}))
            yield client


def can(*rights):
    return [word for right in rights for word in ("--can", right)]


def tell(client, **message):
    client.send(json.dumps(message))
    return json.loads(client.recv(PATIENCE))


@pytest.fixture
def guarded(tmp_path):
    with Guarded(tmp_path) as running:
        yield running


NODE = "/v1/graphs/house/nodes"


def test_commands_show_the_token_of_the_environment(guarded):
    """get, set, graph, watch and bench; without a token, or with a wrong one, they say why and end with 1."""
    def run(token, *arguments, seconds=PATIENCE):
        environment = {**os.environ, "SLUICE_TOKEN": guarded.tokens.get(token, token)}
        program = DEVELOPER if arguments[0] == "bench" else BINARY
        return subprocess.run([program, *arguments, "--url", guarded.url], capture_output=True, text=True,
                              timeout=seconds, env=environment)

    got = run("alice", "get", "house/secret")
    assert (got.returncode, got.stdout) == (0, "7\n"), got
    assert "unknown_node" in run("bob", "get", "house/secret").stderr
    done = run("alice", "set", "house/secret", "8")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1, done
    assert run("alice", "graph", "house").stdout.startswith("digraph")
    bench = run("alice", "bench", "fanout", "--node", "open/x", "--subscribers", "1", "--duration", "200ms")
    assert bench.returncode == 0, bench
    refused = run("bob", "bench", "post", "--node", "house/room.temp", "--duration", "200ms")
    assert refused.returncode == 1 and "forbidden" in refused.stderr, refused
    with subprocess.Popen([BINARY, "watch", "house/secret", "--url", guarded.url], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "SLUICE_TOKEN": guarded.tokens["alice"]}) as watch:
        assert watch.stdout.readline() == "8\n"
        watch.terminate()
    for token in ("", "no-such-token-at-all"):
        for arguments in (["get", "house/secret"], ["watch", "house/secret"], ["reload"]):
            ran = run(token, *arguments)
            assert (ran.returncode, ran.stdout) == (1, "") and ran.stderr.startswith("error: "), ran
    ran = run("two words, and more\r\nX: y", "get", "house/secret")
    assert ran.returncode == 2 and "SLUICE_TOKEN" in ran.stderr, ran


@pytest.mark.parametrize("who, method, path, body, status, code", [
    (None, "GET", f"{NODE}/room.temp", None, 401, "unauthenticated"),
    ("slc_nobody_has_this_token", "GET", f"{NODE}/room.temp", None, 401, "unauthenticated"),
    (None, "GET", "/v1/graphs", None, 401, "unauthenticated"),
    (None, "GET", "/metrics", None, 401, "unauthenticated"),
    (None, "GET", "/v1/graphs/nothing/nodes/here", None, 401, "unauthenticated"),
    (None, "GET", "/healthz", None, 200, None),
    (None, "GET", "/version", None, 200, None),
    (None, "GET", "/", None, 200, None),
    ("alice", "GET", f"{NODE}/secret", None, 200, None),
    ("alice", "POST", f"{NODE}/secret", "8", 200, None),
    ("alice", "GET", "/v1/connections", None, 200, None),
    ("alice", "GET", "/v1/graphs/house/graph?live=1", None, 200, None),
    ("alice", "GET", "/v1/graphs/house/listeners", None, 200, None),
    ("bob", "GET", f"{NODE}/room.temp", None, 200, None),
    ("bob", "GET", f"{NODE}/doubled", None, 200, None),
    ("bob", "POST", f"{NODE}/room.temp", "21", 403, "forbidden"),
    ("bob", "PUT", f"{NODE}/room.temp", "21", 403, "forbidden"),
    ("bob", "DELETE", f"{NODE}/room.temp/value", None, 403, "forbidden"),
    ("bob", "POST", "/v1/graphs/house/batch", '{"set":{"room.temp":1}}', 403, "forbidden"),
    ("bob", "POST", "/v1/graphs/house/batch", '{"set":{"secret":1}}', 404, "unknown_node"),
    ("bob", "GET", f"{NODE}/secret", None, 404, "unknown_node"),
    ("bob", "GET", f"{NODE}/leak", None, 404, "unknown_node"),
    ("bob", "POST", f"{NODE}/secret", "1", 404, "unknown_node"),
    ("bob", "GET", f"{NODE}/secret/history", None, 404, "unknown_node"),
    ("bob", "GET", "/v1/graphs/house/values?nodes=secret", None, 404, "unknown_node"),
    ("bob", "GET", "/v1/graphs/house/events?node=secret", None, 404, "unknown_node"),
    ("bob", "GET", f"{NODE}/secret/explain", None, 404, "unknown_node"),
    ("bob", "POST", "/v1/graphs/house/eval", '{"node":"secret"}', 404, "unknown_node"),
    ("bob", "POST", "/v1/graphs/house/eval", '{"combine":{"a":"secret"}}', 404, "unknown_node"),
    ("bob", "POST", "/v1/graphs/house/eval", '{"node":"doubled","pipe":[{"map":"value"}]}', 200, None),
    ("bob", "GET", "/v1/graphs/hidden", None, 404, "unknown_graph"),
    ("bob", "GET", "/v1/graphs/hidden/nodes/x", None, 404, "unknown_graph"),
    ("bob", "GET", "/v1/graphs/house/graph?live=1", None, 403, "forbidden"),
    ("bob", "GET", "/v1/graphs/house/listeners", None, 403, "forbidden"),
    ("bob", "GET", "/v1/connections", None, 403, "forbidden"),
    ("bob", "DELETE", "/v1/connections/c:1", None, 403, "forbidden"),
    ("bob", "GET", "/metrics", None, 403, "forbidden"),
    ("bob", "POST", "/v1/graphs/open/nodes/x", "3", 200, None),
    ("device:7", "POST", f"{NODE}/room.temp", "22", 200, None),
    ("device:7", "GET", f"{NODE}/room.temp", None, 404, "unknown_node"),
    ("device:7", "POST", f"{NODE}/room.note", "22", 404, "unknown_node"),
    ("device:7", "POST", "/v1/graphs/open/nodes/x", "3", 404, "unknown_graph"),
    # Its result would depend on the value, or on whether there is a member.
    ("device:7", "PATCH", f"{NODE}/room.temp", "{}", 403, "forbidden"),
    ("device:7", "DELETE", f"{NODE}/room.temp", None, 403, "forbidden"),
    ("pub", "GET", "/v1/graphs/open/definition", None, 200, None),
    ("pub", "GET", "/v1/graphs/house/definition", None, 403, "forbidden"),
    ("pub", "GET", "/v1/connections", None, 200, None),
    ("pub", "DELETE", "/v1/connections/c:1", None, 403, "forbidden"),
    ("pub", "POST", "/v1/reload", None, 403, "forbidden"),
    ("pub", "GET", "/v1/backup", None, 403, "forbidden"),
    ("pub", "GET", "/metrics", None, 200, None),
    ("part", "GET", "/v1/graphs/open/definition", None, 403, "forbidden"),
    ("part", "DELETE", "/v1/graphs/open", None, 403, "forbidden"),
    ("scraper", "GET", "/metrics", None, 200, None),
    ("scraper", "GET", f"{NODE}/room.temp", None, 404, "unknown_graph"),
])
def test_rights(guarded, who, method, path, body, status, code):
    answer = guarded.ask(who, method, path, body)
    assert answer.status == status, answer
    if code:
        assert answer.json()["code"] == code
    if status == 401:
        assert answer.headers.get_all("WWW-Authenticate") == ["Bearer"]


def test_figures_follow_the_graphs_of_a_token(guarded):
    def named(who):
        text = guarded.ask(who, "GET", "/metrics").body.decode()
        return set(re.findall(r'graph="(\w+)"', text)), "sluice_connections{" in text

    assert named("scraper") == ({"house", "open", "hidden"}, True), "a token with metrics alone sees all"
    assert named("pub") == ({"open"}, False)
    assert named("part") == (set(), False)


def test_a_limited_admin_sees_and_ends_nothing_of_others(guarded):
    with guarded.socket("alice") as alice, guarded.socket("bob") as bob:
        tell(alice, op="sub", id=1, graph="house", node="secret", owner="hidden-panel")
        tell(alice, op="sub", id=2, graph="open", node="x", owner="panel")
        tell(bob, op="sub", id=1, graph="house", node="room.temp")
        (listed,) = guarded.ask("pub", "GET", "/v1/connections").json()["connections"]
        assert listed["subscriptions"] == [{"graph": "open", "count": 1}] and listed["owners"] == ["panel"]
        assert guarded.ask("pub", "DELETE", f"/v1/connections/{listed['c']}").status == 403
        everything = guarded.ask("alice", "GET", "/v1/connections").json()["connections"]
        assert sorted(each["subscriptions"] for each in everything if each["transport"] == "ws") == [
            [{"graph": "house", "count": 1}], [{"graph": "house", "count": 1}, {"graph": "open", "count": 1}]]
        assert guarded.ask("alice", "DELETE", f"/v1/connections/{listed['c']}").status == 204


def test_what_may_not_be_read_does_not_exist(guarded):
    """No byte of an answer tells a viewer that the other nodes are there: neither lists, pictures, globs nor errors."""
    answers = [guarded.ask("bob", "GET", path).body.decode() for path in (
        "/v1/graphs", "/v1/graphs/house", "/v1/graphs/house/values", "/v1/graphs/house/values?nodes=*",
        "/v1/graphs/house/graph", "/v1/graphs/house/graph?format=dot", "/v1/graphs/house/graph?format=mermaid",
        f"{NODE}/doubled/explain", f"{NODE}/hint/explain", f"{NODE}/hint")]
    with guarded.socket("bob") as client:
        answers.append(json.dumps(tell(client, op="list", id=1)))
        answers.append(json.dumps(tell(client, op="get", id=2, graph="house")))
        answers.append(json.dumps(tell(client, op="sub", id=3, graph="house", nodes=["*"])))
        guarded.ask("alice", "POST", "/v1/graphs/house/batch", '{"set":{"secret":99,"room.temp":30}}')
        answers.append(client.recv(PATIENCE))
    for text in answers:
        assert "secret" not in text and "leak" not in text and "hidden" not in text, text
    assert '"nodes":4' in answers[0]
    # An unknown node and one that may not be read answer alike.
    unknown = guarded.ask("bob", "GET", f"{NODE}/nosuch").body.replace(b"nosuch", b"secret")
    assert guarded.ask("bob", "GET", f"{NODE}/secret").body == unknown
    unknown = guarded.ask("bob", "GET", "/v1/graphs/nosuch").body.replace(b"nosuch", b"hidden")
    assert guarded.ask("bob", "GET", "/v1/graphs/hidden").body == unknown
    # A hint names only graphs that the caller may see.
    hints = {who: guarded.ask(who, "GET", "/v1/graphs/hiden").json().get("hint") for who in ("alice", "bob")}
    assert hints == {"alice": "did you mean 'hidden'?", "bob": None}
    assert guarded.ask("bob", "GET", "/v1/graphs/opn").json()["hint"] == "did you mean 'open'?"
    long = guarded.ask("bob", "GET", "/v1/graphs/" + "n" * 100).json()
    assert long["detail"] == f"there is no graph '{'n' * 64}'"
    assert guarded.ask("nonsense", "GET", "/v1/graphs").json()["detail"] == "this token is not known"


def test_conditions_do_not_tell_a_setter_what_it_may_not_read(guarded):
    answer = guarded.ask("device:7", "POST", "/v1/graphs/house/batch",
                         '{"set":{"room.temp":1},"if":{"room.temp":{"v":20}}}')
    assert (answer.status, answer.json()["code"]) == (404, "unknown_node")
    answer = guarded.ask("device:7", "PUT", f"{NODE}/room.temp", "1", If_None_Match="*")
    assert (answer.status, answer.json()["code"]) == (404, "unknown_node")


def test_commits_name_their_principal_and_keys_are_kept_apart(guarded):
    with guarded.socket("bob") as client:
        tell(client, op="sub", id=1, graph="house", node="room.temp")
        one = guarded.ask("device:7", "POST", f"{NODE}/room.temp", "25", Idempotency_Key="k")
        assert json.loads(client.recv(PATIENCE))["by"] == "device:7"
        two = guarded.ask("alice", "POST", f"{NODE}/room.temp", "26", Idempotency_Key="k")
        assert json.loads(client.recv(PATIENCE))["by"] == "alice"
    assert one.json()["rev"] != two.json()["rev"]


def test_hello_with_a_token(guarded):
    with guarded.socket() as client:
        assert tell(client, op="list", id=1)["code"] == "unauthenticated"
        assert tell(client, op="hello", id=2, token="slc_wrong_wrong_wrong")["code"] == "unauthenticated"
        assert tell(client, op="hello", id=3)["code"] == "unauthenticated"
        assert tell(client, op="hello", id=4, token=guarded.tokens["bob"])["op"] == "hello"
        assert tell(client, op="sub", id=5, graph="house", node="room.temp")["v"] == 20
        assert tell(client, op="sub", id=6, graph="house", node="secret")["code"] == "unknown_node"
        assert tell(client, op="set", id=7, graph="house", set={"room.temp": 1})["code"] == "forbidden"
        assert tell(client, op="observe", id=8, graph="house")["code"] == "forbidden"
        assert tell(client, op="sub", id=9, graph="house", combine={"a": "doubled", "b": "secret"})["code"] == "unknown_node"


def test_auth_may_come_before_hello(tmp_path):
    with Guarded(tmp_path, config="# fixed: times.hello=300ms") as server, server.socket() as client:
        assert tell(client, op="auth", id=1, token="slc_wrong_wrong_wrong")["code"] == "unauthenticated"
        assert tell(client, op="list", id=2)["code"] == "unauthenticated"
        assert tell(client, op="auth", id=3, token=server.tokens["bob"]) == {"op": "ok", "id": 3}
        time.sleep(0.5)
        assert tell(client, op="sub", id=4, graph="house", node="room.temp")["v"] == 20
        assert tell(client, op="hello", id=5)["op"] == "hello"
    with Server({"open": OPEN}) as server, connect(f"ws://{server.host}:{server.port}/v1/ws") as client:
        assert tell(client, op="auth", id=1, token="any") == {"op": "ok", "id": 1}
        assert tell(client, op="list", id=2)["op"] == "ok"


def test_a_client_that_does_not_say_hello_in_time_is_closed(tmp_path):
    with Guarded(tmp_path, config="# fixed: times.hello=300ms") as server:
        with server.socket() as client, pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
        assert closed.value.rcvd.code == 4408
        with server.socket("bob") as client:
            time.sleep(0.5)
            assert tell(client, op="ping", id=1)["op"] == "ok"


def test_a_wrong_token_at_the_upgrade_is_401(guarded):
    with RawSocket(guarded) as wire:
        wire.send("GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                  "Authorization: Bearer slc_wrong_wrong_wrong\r\n\r\n")
        status, headers, _ = wire.response()
        assert status == 401 and "www-authenticate" in headers


def test_auth_on_a_live_socket_ends_what_is_not_allowed_any_more(guarded):
    with guarded.socket("alice") as client:
        assert tell(client, op="sub", id=1, graph="house", node="secret")["v"] == 7
        assert tell(client, op="sub", id=2, graph="house", node="room.temp")["v"] == 20
        assert tell(client, op="observe", id=4, graph="house")["op"] == "topo"
        client.send(json.dumps({"op": "auth", "id": 3, "token": guarded.tokens["bob"]}))
        told = [json.loads(client.recv(PATIENCE)) for _ in range(3)]
        ended = {(m["id"], m["code"]) for m in told if m["op"] == "end"}
        assert ended == {(1, "forbidden"), (4, "forbidden")}
        assert told[-1] == {"op": "ok", "id": 3}
        guarded.ask("alice", "POST", "/v1/graphs/house/batch", '{"set":{"secret":8,"room.temp":23}}')
        assert [entry["id"] for entry in json.loads(client.recv(PATIENCE))["d"]] == [2]
        assert tell(client, op="auth", id=5, token="slc_wrong_wrong_wrong")["code"] == "unauthenticated"
        # What it was before stays.
        assert tell(client, op="get", id=6, graph="house", nodes=["room.temp"])["op"] == "ok"


def test_a_token_that_ends_closes_the_socket(guarded):
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
    guarded.add("guest", "--role", "viewer", "--expires", soon)
    guarded.reload()
    with guarded.socket(hello="guest") as client:
        assert 0 <= json.loads(client.recv(PATIENCE))["expires"] <= 3
        assert tell(client, op="sub", id=1, graph="house", node="room.temp")["v"] == 20
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4401, "token_expired")
    answer = guarded.ask("guest", "GET", f"{NODE}/room.temp")
    assert (answer.status, answer.json()["code"]) == (401, "token_expired")
    eventually(lambda: guarded.count("subscriptions", "house") == 0)


def test_tokens_read_again(guarded):
    with guarded.socket("bob") as bob, guarded.socket("alice") as alice:
        tell(bob, op="sub", id=1, graph="house", node="room.temp")
        tell(alice, op="sub", id=1, graph="house", node="secret")
        guarded.remove("bob")
        guarded.reload()
        with pytest.raises(ConnectionClosed) as closed:
            bob.recv(PATIENCE)
        assert closed.value.rcvd.code == 4401
        assert tell(alice, op="ping", id=2)["op"] == "ok"
    assert guarded.ask("bob", "GET", f"{NODE}/room.temp").status == 401
    # A file with mistakes changes nothing, and all of them are named.
    guarded.file.write_text("tokens:\n  - name: x\n    hash: sha256:12\n    cann: [read]\n  - { name: y }\n")
    guarded.reload(says="the old tokens stay")
    assert re.search(r"tokens.yaml:3:\d+: a hash", guarded.log_text())
    assert "did you mean 'can'?" in guarded.log_text()
    assert guarded.ask("alice", "GET", f"{NODE}/secret").status == 200


@contextlib.contextmanager
def waiting_read(guarded, who, node, seconds=30):
    """A long poll that waits; gives the function that reads its answer."""
    path = f"{NODE}/{node}"
    tag = guarded.ask(who, "GET", path).headers["ETag"]
    before = guarded.count("subscriptions", "house")
    connection = http.client.HTTPConnection(guarded.host, guarded.port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={
            "Authorization": f"Bearer {guarded.tokens[who]}", "If-None-Match": tag, "Prefer": f"wait={seconds}"})
        eventually(lambda: guarded.count("subscriptions", "house") == before + 1)
        yield lambda: Answer(connection.getresponse())
    eventually(lambda: guarded.count("subscriptions", "house") == before)


def test_what_sluice_token_appends_to_no_file_is_a_file_of_tokens(guarded):
    guarded.remove("bob")
    guarded.file.write_text("".join(text for _, text in guarded.entries))
    guarded.reload()
    assert guarded.ask("bob", "GET", f"{NODE}/room.temp").status == 401
    assert guarded.ask("alice", "GET", f"{NODE}/secret").status == 200


def test_a_read_that_waits_ends_with_its_token(guarded):
    with waiting_read(guarded, "bob", "room.temp") as answer:
        guarded.remove("bob")
        guarded.reload()
        refused = answer()
        assert (refused.status, refused.json()["code"]) == (401, "unauthenticated")
        assert refused.headers["WWW-Authenticate"] and "ETag" not in refused.headers
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 5))
    guarded.add("guest", "--role", "viewer", "--expires", soon)
    guarded.reload()
    with waiting_read(guarded, "guest", "room.temp") as answer:
        refused = answer()
        assert (refused.status, refused.json()["code"]) == (401, "token_expired")


def test_a_read_that_waits_ends_with_the_right_to_it(guarded):
    with waiting_read(guarded, "alice", "secret") as answer:
        guarded.entries = [(name, text.replace("owner", "viewer")) for name, text in guarded.entries]
        guarded.write()
        guarded.reload()
        refused = answer()
        assert (refused.status, refused.json()["code"]) == (404, "unknown_node")
        assert "ETag" not in refused.headers


def test_a_read_that_waits_for_a_commit_needs_its_right_then(tmp_path):
    with Guarded(tmp_path, config="# fixed: times.behind=1h\n") as guarded:
        def set_it(value):
            return guarded.ask("device:7", "POST", f"{NODE}/room.temp", value, Content_Type="application/json").json()

        def begin(who, node, stamp):
            connection = http.client.HTTPConnection(guarded.host, guarded.port, timeout=PATIENCE)
            connection.request("GET", f"{NODE}/{node}?after={stamp}", headers={"Authorization": f"Bearer {guarded.tokens[who]}"})
            return connection

        last = set_it("21")
        stamp = f"{last['epoch']}:{last['rev'] + 1}"
        reads = [begin("alice", "secret", stamp), begin("bob", "room.temp", stamp), begin("alice", "room.temp", stamp)]
        assert guarded.ask("bob", "GET", f"{NODE}/room.temp").json() == 21, "the reads before it have been received"
        guarded.entries = [(name, text.replace("owner", "viewer")) for name, text in guarded.entries if name != "bob"]
        guarded.write()
        guarded.reload()
        set_it("22")
        answers = [Answer(connection.getresponse()) for connection in reads]
        assert [answer.status for answer in answers] == [404, 401, 200]
        assert answers[2].json() == 22
        for connection in reads:
            connection.close()


def test_a_browser_signs_in_and_out(guarded):
    answer = guarded.request("POST", "/v1/session", json.dumps({"token": guarded.tokens["bob"]}))
    assert answer.status == 204
    field = answer.headers["Set-Cookie"]
    assert "HttpOnly" in field and "SameSite=Strict" in field and "Path=/" in field and "Secure" not in field
    cookie = field.split(";")[0]
    assert guarded.tokens["bob"] not in cookie
    assert guarded.request("GET", f"{NODE}/room.temp", headers={"Cookie": f"a=b; {cookie}; c=d"}).status == 200
    assert guarded.request("GET", f"{NODE}/secret", headers={"Cookie": cookie}).status == 404
    with guarded.socket(cookie=cookie) as client:
        assert tell(client, op="sub", id=1, graph="house", node="room.temp")["v"] == 20
    # A page of another site may not use it.
    answer = guarded.request("POST", "/v1/graphs/open/nodes/x", "5", {"Cookie": cookie, "Origin": "https://evil.example"})
    assert answer.status == 403
    answer = guarded.request("DELETE", "/v1/session", headers={"Cookie": cookie})
    assert answer.status == 204 and "Max-Age=0" in answer.headers["Set-Cookie"]
    assert guarded.request("GET", f"{NODE}/room.temp", headers={"Cookie": cookie}).status == 401
    for body in ('{"token":"slc_wrong_wrong_wrong"}', '{"token":""}'):
        assert guarded.request("POST", "/v1/session", body).status == 401
    assert guarded.request("POST", "/v1/session", '{"token":7}').status == 400
    assert guarded.request("POST", "/v1/session", "no json").status == 400
    # With an old cookie the page can still say hello.
    with guarded.socket(cookie=cookie) as client:
        assert tell(client, op="hello", id=1, token=guarded.tokens["bob"])["op"] == "hello"


def test_sessions_of_browsers_are_few_and_end(tmp_path):
    def sign_in(server):
        answer = server.request("POST", "/v1/session", json.dumps({"token": server.tokens["bob"]}))
        return {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}

    def status(server, cookie):
        return server.request("GET", f"{NODE}/room.temp", headers=cookie).status

    with Guarded(tmp_path, config="# fixed: limits.sessions=2") as server:
        first, second = sign_in(server), sign_in(server)
        time.sleep(0.01)
        assert status(server, first) == 200
        third = sign_in(server)
        assert [status(server, cookie) for cookie in (first, second, third)] == [200, 401, 200], "the one unused for longest went"
    with Guarded(tmp_path, config="# fixed: limits.sessions=4") as server:
        first = sign_in(server)
        for _ in range(20):
            server.request("POST", "/v1/session", json.dumps({"token": server.tokens["alice"]}))
        assert status(server, first) == 200, "who signs in again and again ends its own sessions"
    with Guarded(tmp_path, config="times: { session: 2s }") as server:
        cookie = sign_in(server)
        assert status(server, cookie) == 200
        time.sleep(2.2)
        assert status(server, cookie) == 401


def test_plain_streams_and_events_want_rights_too(guarded):
    def stream(who, node):
        return connect(f"ws://{guarded.host}:{guarded.port}{NODE}/{node}",
                       additional_headers={"Authorization": f"Bearer {guarded.tokens[who]}"})

    with stream("bob", "room.temp") as client:
        assert client.recv(PATIENCE) == "20"
        client.send("21")
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
        assert closed.value.rcvd.code == 4403
    with pytest.raises(InvalidStatus, match="404"), stream("bob", "secret"):
        pass


def test_secrets_are_not_logged_and_not_shown(tmp_path):
    with Guarded(tmp_path, arguments=("--set", "log.level=trace")) as server:
        server.ask("bob", "GET", f"{NODE}/room.temp")
        server.ask("slc_wrong_wrong_wrong", "GET", f"{NODE}/room.temp")
        with server.socket(hello="bob") as client:
            client.recv(PATIENCE)
        text = server.log_text() + server.ask("alice", "GET", "/v1/connections").body.decode()
        assert not any(token in text for token in [*server.tokens.values(), "slc_wrong_wrong_wrong"])


def test_without_tokens_only_loopback_is_served_unless_that_is_meant(tmp_path):
    with pytest.raises(AssertionError, match="auth"):
        Server({"open": OPEN}, listen="0.0.0.0:0")
    with Server({"open": OPEN}, listen="0.0.0.0:0", arguments=("--insecure",)) as server:
        server.host = "127.0.0.1"
        assert server.set("open", "x", 5)
        # Everybody on the network may read, set and pipe, and no more.
        for path in ("/metrics", "/v1/connections", "/v1/graphs/open/listeners", "/v1/graphs/open/graph?live=1"):
            assert server.get(path).status == 403, path


@pytest.mark.parametrize("arguments, says", [
    (["--name", "role:x"], "role:"),
    (["--name", "a b"], "name"),
    (["--name", "x", "--can", "raed"], "read"),
    (["--name", "x", "--expires", "tomorrow"], "time"),
])
def test_the_command_refuses_entries_that_a_server_would_refuse(arguments, says):
    ran = subprocess.run([BINARY, "token", *arguments], capture_output=True, text=True)
    assert ran.returncode == 2 and says in ran.stderr and "slc_" not in ran.stdout + ran.stderr


def test_a_token_of_ones_own_is_read_from_standard_input():
    ran = subprocess.run([BINARY, "token", "--name", "bob", "--hash"], input="my-own-secret-token\n",
                         capture_output=True, text=True)
    assert ran.returncode == 0 and "sha256:" in ran.stdout and "my-own" not in ran.stdout + ran.stderr


def test_wrong_tokens_are_slowed_and_right_ones_are_not(tmp_path):
    def read(server, token):
        return server.request("GET", f"{NODE}/room.temp", headers={"Authorization": f"Bearer {token}"})

    with Guarded(tmp_path, config="# fixed: limits.wrongTokens=5") as server:
        began = time.monotonic()
        answers = [read(server, "wrong") for _ in range(100)]
        taken = [answer for answer in answers if answer.status == 401]
        limited = [answer for answer in answers if answer.status == 429]
        assert len(taken) <= 5 + 5 * (time.monotonic() - began) + 1
        assert len(taken) + len(limited) == 100
        assert limited[0].json()["code"] == "rate_limited" and limited[0].headers["Retry-After"] == "1"
        assert limited[0].headers["Connection"] == "close"
        assert read(server, server.tokens["bob"]).status == 200, "right tokens pass all the same"
        # Signing in, and saying hello, are other ways to show one.
        statuses = [server.request("POST", "/v1/session", '{"token":"wrong"}').status for _ in range(20)]
        assert 429 in statuses
        with server.socket() as client:
            codes = []
            for number in range(20):
                client.send(json.dumps({"op": "hello", "id": number + 1, "token": "wrong"}))
                codes.append(json.loads(client.recv(PATIENCE))["code"])
            assert set(codes) <= {"unauthenticated", "rate_limited"} and "rate_limited" in codes
        # No token at all is no wrong one.
        assert server.get(f"{NODE}/room.temp").status == 401
        samples = {}
        answer = server.request("GET", "/metrics", headers={"Authorization": f"Bearer {server.tokens['scraper']}"})
        for line in answer.body.decode().splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        assert samples["sluice_wrong_tokens_total"] == 140
        assert samples["sluice_wrong_tokens_limited_total"] >= 120


def test_wrong_tokens_through_a_proxy_count_for_the_client(tmp_path):
    config = "trustedProxies: [127.0.0.0/8]\n# fixed: limits.wrongTokens=2\n"
    with Guarded(tmp_path, config=config) as server:
        def read(client):
            headers = {"Authorization": "Bearer wrong", "X-Forwarded-For": client}
            return server.request("GET", f"{NODE}/room.temp", headers=headers).status

        assert 429 in [read("203.0.113.7") for _ in range(20)]
        assert read("203.0.113.8") == 401
        assert 429 in [read(f"2001:db8::{number}") for number in range(1, 20)], "an IPv6 network of 64 bits is one address"


def refused_on_new_connections(ask):
    """Asks on one connection after the other until one is refused, which a rate of its own would never be."""
    return next((answer for answer in (ask(number) for number in range(400)) if answer.status == 429), None)


def test_sets_of_one_address_share_a_rate_whatever_the_connection():
    config = "trustedProxies: [127.0.0.0/8]\nlimits: {sets: 2}\n"
    with Server({"g": CHAIN}, config) as server:
        def ask(address):
            fields = {"X-Forwarded-For": address} if address else {}
            return server.request("POST", "/v1/graphs/g/nodes/x", b"1", headers=fields)

        for addresses in ("", "203.0.113.7"), ("2001:db8::{}", "2001:db8:0:1::1"):
            first, other = addresses
            answer = refused_on_new_connections(lambda number: ask(first.format(number + 1)))
            assert answer is not None and answer.json()["code"] == "rate_limited"
            assert answer.headers["retry-after"] == "1"
            assert ask(other).status == 200, "another address has a rate of its own"
        # WebSockets count with requests.
        def over_socket(_):
            client = Client(server)
            answer = client.ask(op="set", graph="g", set={"x": 1})
            client.close()
            return answer

        answers = (over_socket(number) for number in range(400))
        assert next((a for a in answers if a.get("code") == "rate_limited"), None)


def test_sets_and_messages_of_one_token_share_a_rate(tmp_path):
    with Guarded(tmp_path, config="limits: {sets: 2, messages: 2}\n") as server:
        def ask(name):
            headers = {"Authorization": f"Bearer {server.tokens[name]}"}
            return server.request("POST", f"{NODE}/room.temp", b"20", headers=headers)

        names = [name for name in server.tokens if ask(name).status == 200]
        assert len(names) > 1
        answer = refused_on_new_connections(lambda _: ask(names[0]))
        assert answer is not None and answer.json()["code"] == "rate_limited"
        assert ask(names[1]).status == 200, "another token has a rate of its own"
