"""Who may do what: rights, the rules of graphs, and that nothing leaks to those who may not."""

import json
import os
import re
import subprocess

import pytest
from access import NODE, OPEN, Guarded, tell
from sluice import BINARY, DEVELOPER, PATIENCE, Server
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect


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
    with subprocess.Popen(
        [BINARY, "watch", "house/secret", "--url", guarded.url], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "SLUICE_TOKEN": guarded.tokens["alice"]},
    ) as watch:
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
    """No byte of an answer tells a viewer that the other nodes are there: neither lists, pictures,
    globs nor errors."""
    answers = [
        guarded.ask("bob", "GET", path).body.decode()
        for path in (
            "/v1/graphs", "/v1/graphs/house", "/v1/graphs/house/values", "/v1/graphs/house/values?nodes=*",
            "/v1/graphs/house/graph", "/v1/graphs/house/graph?format=dot",
            "/v1/graphs/house/graph?format=mermaid", f"{NODE}/doubled/explain", f"{NODE}/hint/explain",
            f"{NODE}/hint",
        )
    ]
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
        for path in (
            "/metrics", "/v1/connections", "/v1/graphs/open/listeners", "/v1/graphs/open/graph?live=1",
        ):
            assert server.get(path).status == 403, path
