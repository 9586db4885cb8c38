"""Tokens that are made at a server, and what is revoked at it: kept, seen by every server, ended at once."""

import contextlib
import json
import os
import subprocess
import time

import pytest
from access import Guarded, moment, tell
from issuer import Issuer
from redis_server import Redis
from sluice import BINARY, PATIENCE, eventually
from test_issuers import Trusting, operator
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

JSON = {"Content_Type": "application/json"}
VALUE = "/v1/graphs/open/nodes/x"
FIELD = "Authorization"


def make(server, **fields):
    answer = server.ask("alice", "POST", "/v1/tokens", json.dumps(fields), **JSON)
    assert answer.status == 201, answer
    return answer.json()


def listed(server, kind="tokens"):
    return server.ask("alice", "GET", f"/v1/{kind}").json()[kind]


def closed(client):
    """The code with which a socket is closed, and how many seconds that took."""
    began = time.monotonic()
    with pytest.raises(ConnectionClosed) as ended:
        while True:
            client.recv(PATIENCE)
    return ended.value.rcvd.code, time.monotonic() - began


def status(server, token, path=VALUE):
    return server.request("GET", path, headers={FIELD: f"Bearer {token}"}).status


@pytest.fixture(scope="module")
def keeping(tmp_path_factory):
    with Guarded(tmp_path_factory.mktemp("made"), keeps=True) as server:
        yield server


def test_a_token_is_made_used_listed_and_revoked(keeping):
    fields = {"can": ["read", "set"], "graphs": ["open"], "expires": "2999-01-01T00:00:00Z"}
    made = make(keeping, name="device:8", **fields)
    token = made.pop("token")
    assert token.startswith("slc_")
    assert made == {
        "id": made["id"], "name": "device:8", "roles": [], "nodes": ["*"], **fields,
    }
    [row] = [row for row in listed(keeping) if row["id"] == made["id"]]
    assert row.pop("at") and row == {**made, "by": "alice"}
    assert keeping.request("PUT", VALUE, "5", {FIELD: f"Bearer {token}"}).status == 200
    assert status(keeping, token) == 200
    assert status(keeping, token, "/v1/graphs/house/nodes/room.temp") == 404
    # Nothing that is stored has the token.
    assert not any(token.encode() in path.read_bytes() for path in keeping.data.rglob("*") if path.is_file())
    gone = f"/v1/tokens/{made['id']}"
    assert keeping.ask("alice", "DELETE", gone).status == 204
    assert status(keeping, token) == 401
    assert keeping.ask("alice", "DELETE", gone).status == 404
    assert made["id"] not in [row["id"] for row in listed(keeping)]


def test_revoking_ends_what_the_token_has_open_and_nothing_else(keeping):
    first, second = (make(keeping, name=f"screen:{number}", can=["read"]) for number in (1, 2))

    def socket(made):
        headers = {FIELD: f"Bearer {made['token']}"}
        client = connect(f"ws://{keeping.host}:{keeping.port}/v1/ws", additional_headers=headers)
        assert tell(client, op="sub", id=1, graph="open", node="x")["op"] == "snap"
        return client

    going, staying = socket(first), socket(second)
    body = json.dumps({"token": first["token"]})
    signed = keeping.request("POST", "/v1/session", body, {"Content-Type": "application/json"})
    cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
    assert keeping.request("GET", VALUE, headers=cookie).status == 200
    # The files are read again without a change: no client is disturbed.
    keeping.reload()
    assert tell(going, op="sub", id=2, graph="open", node="x")["op"] == "snap"
    keeping.ask("alice", "DELETE", f"/v1/tokens/{first['id']}")
    code, took = closed(going)
    assert code == 4401 and took < 1
    assert keeping.request("GET", VALUE, headers=cookie).status == 401
    assert tell(staying, op="sub", id=2, graph="open", node="x")["op"] == "snap"
    staying.close()


def test_tokens_and_what_was_revoked_outlive_a_kill(tmp_path):
    with Guarded(tmp_path, keeps=True) as server:
        stays, goes = (make(server, name=name, can=["read"]) for name in ("stays", "goes"))
        server.ask("alice", "DELETE", f"/v1/tokens/{goes['id']}")
        for end in (server.kill, server.stop):
            end()
            server.start()
            assert [row["name"] for row in listed(server)] == ["stays"]
            assert (status(server, stays["token"]), status(server, goes["token"])) == (200, 401)


def test_a_token_ends_and_is_taken_out_with_the_next_change(keeping):
    short = make(keeping, name="short", can=["read"], expires=moment(2))
    assert status(keeping, short["token"]) == 200
    eventually(lambda: status(keeping, short["token"]) == 401)
    assert keeping.ask(short["token"], "GET", VALUE).json()["code"] == "token_expired"
    assert short["id"] in [row["id"] for row in listed(keeping)]
    make(keeping, name="next")
    assert short["id"] not in [row["id"] for row in listed(keeping)]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("[]", "an object"), ("{}", "name: whom"), ('{"name":"a b"}', "without blanks"),
        ('{"name":"a","can":["fly"]}', "a right must be"), ('{"name":"a","cann":[]}', "unknown key 'cann'"),
        ('{"name":"a","expires":"soon"}', "'expires' must be"), ('{"name":"a","hash":"md5:1"}', "sha256:"),
        ("{", "JSON"),
    ],
)
def test_bad_tokens(keeping, body, says):
    before = listed(keeping)
    answer = keeping.ask("alice", "POST", "/v1/tokens", body, **JSON)
    assert answer.status == 400 and says in json.dumps(answer.json()), answer
    assert listed(keeping) == before


def test_who_may_make_tokens(keeping):
    for who in ("bob", "device:7", "pub", "part", None):
        for method, path in [
            ("GET", "/v1/tokens"), ("POST", "/v1/tokens"), ("DELETE", "/v1/tokens/x"),
            ("GET", "/v1/revocations"), ("POST", "/v1/revocations"), ("DELETE", "/v1/revocations/x"),
        ]:
            body = '{"name":"mine","can":["admin"]}' if method == "POST" else None
            answer = keeping.ask(who, method, path, body, **(JSON if body else {}))
            assert answer.status == (403 if who else 401), (who, method, path, answer)


def test_no_client_finds_where_they_are_kept(keeping):
    make(keeping, name="any")
    for path in ("/v1/graphs", "/metrics", "/v1/connections", "/v1/storage"):
        assert b".access" not in keeping.ask("alice", "GET", path).body
    for method, path in [
        ("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/values"), ("POST", "/batch"), ("POST", "/flush"),
        ("GET", "/nodes/token.x"), ("GET", "/graph"),
    ]:
        answer = keeping.ask("alice", method, f"/v1/graphs/.access{path}", "{}" if method != "GET" else None)
        assert answer.status == 404, (method, path, answer)
    with keeping.socket("alice") as client:
        for message in [
            {"op": "get"}, {"op": "sub", "nodes": ["*"]}, {"op": "observe"}, {"op": "wipe", "match": "*"},
            {"op": "set", "set": {"token.x": {}}}, {"op": "drop", "nodes": ["token.x"]},
        ]:
            answer = tell(client, id=1, graph=".access", **message)
            assert answer["op"] == "err", answer


def test_a_server_that_forgets_or_asks_for_none_makes_none(tmp_path, server):
    with Guarded(tmp_path) as forgetting:
        answer = forgetting.ask("alice", "POST", "/v1/tokens", '{"name":"a"}', **JSON)
        assert answer.status == 409 and answer.json()["code"] == "read_only"
        assert listed(forgetting) == []
    answer = server.request("POST", "/v1/tokens", '{"name":"a"}', {"Content-Type": "application/json"})
    assert answer.status == 404 and "asks for no tokens" in answer.json()["detail"]


def command(server, *arguments, token="alice"):
    environment = {**os.environ, "SLUICE_TOKEN": server.tokens[token], "SLUICE_URL": server.url}
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, env=environment)


def test_the_commands(keeping):
    made = command(keeping, "token", "--url", keeping.url, "--name", "device:9", "--can", "read", "--json")
    assert made.returncode == 0, made
    made = json.loads(made.stdout)
    assert status(keeping, made["token"]) == 200
    assert f"{made['id']}  device:9  read" in command(keeping, "tokens").stdout
    assert command(keeping, "revoke", made["id"]).returncode == 0
    assert status(keeping, made["token"]) == 401
    again = command(keeping, "revoke", made["id"])
    assert again.returncode == 1 and "no entry with this id" in again.stderr
    refused = command(keeping, "token", "--url", keeping.url, "--name", "x", token="bob")
    assert refused.returncode == 1 and "admin" in refused.stderr
    for arguments in (["x", "--jti", "y"], ["--issuer", "plant"], [], ["x", "--back", "y"]):
        assert command(keeping, "revoke", *arguments).returncode == 2


# MARK: Tokens of issuers


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as running:
        running.add("ES256")
        yield running


ADMIN = """
      - { if: sub == "boss", can: [admin, read], graphs: ["*"] }
      - { can: [read, set], graphs: [acme] }
"""


def at(redis):
    return f"redis: {{ url: '{redis.url}' }}\n"


@contextlib.contextmanager
def pair(folder, issuer):
    """Two servers with one Redis, both with the tokens of the issuer."""
    (folder / "one").mkdir()
    (folder / "other").mkdir()
    with (
        Redis() as redis,
        Trusting(folder / "one", issuer, rights=ADMIN, config=at(redis)) as one,
        Trusting(folder / "other", issuer, rights=ADMIN, config=at(redis)) as other,
    ):
        yield one, other


def revoke(server, issuer, **fields):
    answer = server.ask(
        operator(issuer, sub="boss"), "POST", "/v1/revocations", json.dumps({"issuer": "plant", **fields}),
        **{"Content-Type": "application/json"},
    )
    assert answer.status == 201, answer
    return answer.json()["id"]


@pytest.mark.long
def test_what_one_server_revokes_is_out_at_both_within_a_second(tmp_path, issuer):
    with pair(tmp_path, issuer) as (one, other):
        one_token, others = operator(issuer, sub="alice", jti="one"), operator(issuer, sub="alice", jti="two")
        eventually(lambda: all(server.ask(others).status == 200 for server in (one, other)))

        def sockets(token):
            clients = [one.socket(token), other.socket(token)]
            for client in clients:
                assert tell(client, op="sub", id=1, graph="acme", node="line.speed")["op"] == "snap"
            return clients

        going, staying = sockets(one_token), sockets(others)
        began = time.monotonic()
        revoked = revoke(one, issuer, jti="one")
        assert [closed(client)[0] for client in going] == [4401, 4401]
        assert time.monotonic() - began < 1
        for server in (one, other):
            assert "revoked" in server.refusal(one_token)[2] and server.ask(others).status == 200
        for client in staying:
            assert tell(client, op="sub", id=2, graph="acme", node="line.speed")["op"] == "snap"
        # The same again is the same entry.
        assert revoke(other, issuer, jti="one") == revoked
        boss = operator(issuer, sub="boss")
        [row] = one.ask(boss, path="/v1/revocations").json()["revocations"]
        assert row.pop("at") and row == {
            "id": revoked, "issuer": issuer.id, "jti": "one", "by": "plant#boss",
        }
        # Taken back at the other server.
        assert other.ask(boss, "DELETE", f"/v1/revocations/{revoked}").status == 204
        eventually(lambda: all(server.ask(one_token).status == 200 for server in (one, other)))
        # All of a subject, but for those that were issued since.
        revoke(other, issuer, sub="alice", before=moment(2))
        assert [closed(client)[0] for client in staying] == [4401, 4401]
        later = operator(issuer, sub="alice", iat=int(time.time()) + 5)
        assert one.ask(later).status == other.ask(later).status == 200
        for text, says in [
            ({"issuer": "nobody", "jti": "x"}, "no issuer has this name"),
            ({"issuer": "plant"}, "'jti' or 'sub'"),
            ({"jti": "x"}, "'issuer'"),
            ({"issuer": "plant", "sub": "x", "before": "soon"}, "'before' must be"),
            ({"issuer": "plant", "jit": "x"}, "unknown key 'jit'"),
        ]:
            answer = one.ask(
                boss, "POST", "/v1/revocations", json.dumps(text), **{"Content-Type": "application/json"}
            )
            assert answer.status == 400 and says in answer.json()["detail"], answer


@pytest.mark.long
def test_two_servers_share_the_tokens_over_restarts_of_both_and_of_redis(tmp_path):
    (tmp_path / "tokens").mkdir()
    with Redis() as redis:
        with (
            Guarded(tmp_path / "tokens", config=at(redis)) as one,
            Guarded(tmp_path, config=at(redis)) as other,
        ):
            # Both begin the graph at once.
            made = [make(server, name=name, can=["read"]) for name, server in (("a", one), ("b", other))]
            for server in (one, other):
                eventually(lambda server=server: len(listed_at(server)) == 2)
                assert all(status(server, each["token"]) == 200 for each in made)
            redis.kill()
            redis.start()
            one.kill()
            one.start()
            eventually(lambda: all(
                status(server, each["token"]) == 200 for server in (one, other) for each in made
            ))
            other.ask("alice", "DELETE", f"/v1/tokens/{made[0]['id']}")
            eventually(lambda: status(one, made[0]["token"]) == 401)
            # All that Redis has is lost, which the next change finds: the servers give it back.
            redis.ask("FLUSHALL")
            body = '{"name":"new","can":["read"]}'

            def made_new():
                answer = one.ask("alice", "POST", "/v1/tokens", body, **JSON)
                return answer.status == 201 and answer.json()["token"]

            new = eventually(made_new)
            for server in (one, other):
                eventually(lambda server=server: status(server, new) == 200)
                assert (status(server, made[0]["token"]), status(server, made[1]["token"])) == (401, 200)


def listed_at(server):
    answer = server.ask("alice", "GET", "/v1/tokens")
    return answer.json()["tokens"] if answer.status == 200 else []
