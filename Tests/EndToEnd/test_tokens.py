"""Tokens over a socket and over HTTP: shown, changed, ended, read again, and made by the command."""

import contextlib
import http.client
import json
import re
import subprocess
import time

import pytest
from access import NODE, OPEN, Guarded, tell
from rawsocket import RawSocket
from sluice import BINARY, PATIENCE, Answer, Server, eventually
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


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
        assert (
            tell(client, op="sub", id=9, graph="house", combine={"a": "doubled", "b": "secret"})["code"]
            == "unknown_node"
        )


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
    guarded.add_guest()
    with guarded.socket(hello="guest") as client:
        assert 3600 - PATIENCE <= json.loads(client.recv(PATIENCE))["expires"] <= 3600
        assert tell(client, op="sub", id=1, graph="house", node="room.temp")["v"] == 20
        guarded.end_soon("guest")
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
        connection.request(
            "GET", path,
            headers={
                "Authorization": f"Bearer {guarded.tokens[who]}", "If-None-Match": tag,
                "Prefer": f"wait={seconds}",
            },
        )
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
    guarded.add_guest()
    with waiting_read(guarded, "guest", "room.temp") as answer:
        guarded.end_soon("guest")
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
            return guarded.ask(
                "device:7", "POST", f"{NODE}/room.temp", value, Content_Type="application/json"
            ).json()

        def begin(who, node, stamp):
            connection = http.client.HTTPConnection(guarded.host, guarded.port, timeout=PATIENCE)
            connection.request(
                "GET", f"{NODE}/{node}?after={stamp}",
                headers={"Authorization": f"Bearer {guarded.tokens[who]}"},
            )
            return connection

        last = set_it("21")
        stamp = f"{last['epoch']}:{last['rev'] + 1}"
        reads = [
            begin("alice", "secret", stamp), begin("bob", "room.temp", stamp),
            begin("alice", "room.temp", stamp),
        ]
        assert guarded.ask("bob", "GET", f"{NODE}/room.temp").json() == 21, (
            "the reads before it have been received"
        )
        guarded.entries = [
            (name, text.replace("owner", "viewer")) for name, text in guarded.entries if name != "bob"
        ]
        guarded.write()
        guarded.reload()
        set_it("22")
        answers = [Answer(connection.getresponse()) for connection in reads]
        assert [answer.status for answer in answers] == [404, 401, 200]
        assert answers[2].json() == 22
        for connection in reads:
            connection.close()


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
