"""The operations side on an address of its own (`admin.listen`): what is answered where, and who is
let in."""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile

import pytest
from access import Guarded
from conftest import CHAIN, Client
from rawsocket import RawSocket
from sluice import BINARY, PATIENCE, Address, Server, eventually
from test_tls import Secure
from websockets.exceptions import ConnectionClosed, InvalidStatus

ADMIN = "admin: { listen: '127.0.0.1:0' }\n"
TEXT = '{"nodes":{"x":{"set":"any","initial":1}}}'

# Method, path, status where it is answered, status at the other address.
OPERATIONS = [
    ("GET", "/metrics", 200, 404),
    ("GET", "/v1/connections", 200, 404),
    ("DELETE", "/v1/connections/c:999", 404, 404),
    ("GET", "/v1/graphs/g/definition", 200, 404),
    ("PUT", "/v1/graphs/api", 201, 405),
    ("DELETE", "/v1/graphs/api", 204, 405),
    ("POST", "/v1/reload", 200, 404),
    ("POST", "/v1/graphs/g/flush", 200, 404),
    ("GET", "/v1/backup", 404, 404),
    *((method, path, 404, 404) for path in ("/v1/tokens", "/v1/revocations") for method in ("GET", "POST")),
    ("DELETE", "/v1/tokens/{id}", 404, 404),
    ("DELETE", "/v1/revocations/{id}", 404, 404),
]
SERVICE = [
    ("GET", "/", 200, 404),
    ("GET", "/app.js", 200, 404),
    ("GET", "/v1/graphs", 200, 404),
    ("GET", "/v1/graphs/g", 200, 405),
    ("GET", "/v1/graphs/g/values", 200, 404),
    ("GET", "/v1/graphs/g/nodes/x", 200, 404),
    ("POST", "/v1/graphs/g/nodes/x", 200, 404),
    ("POST", "/v1/graphs/g/batch", 200, 404),
    ("GET", "/v1/graphs/g/graph", 200, 404),
    ("GET", "/v1/graphs/g/listeners", 200, 404),
    ("GET", "/v1/graphs/g/nodes/x/why", 200, 404),
    ("GET", "/v1/operators", 200, 404),
    ("GET", "/v1/ws", 426, 404),
    ("DELETE", "/v1/session", 204, 404),
    ("POST", "/", 405, 404),
]
BODIES = {"PUT": TEXT, "/v1/graphs/g/nodes/x": "5", "/v1/graphs/g/batch": '{"set":{"x":2}}'}


@pytest.fixture(scope="module")
def parted():
    with Server({"g": CHAIN}, ADMIN) as running:
        assert running.operations and running.operations.port != running.port
        yield running


@pytest.mark.parametrize(
    "rows, of_operations", [(OPERATIONS, True), (SERVICE, False)], ids=["operations", "service"]
)
def test_each_route_is_answered_at_one_address(parted, rows, of_operations):
    here, there = (parted.operations, parted) if of_operations else (parted, parted.operations)
    for method, path, status, elsewhere in rows:
        body = BODIES.get(path) or BODIES.get(method)
        assert there.request(method, path, body).status == elsewhere, (method, path)
        assert here.request(method, path, body).status == status, (method, path)


def test_where_it_would_be_answered_is_said(parted):
    refused = parted.get("/metrics")
    assert refused.json()["code"] == "not_found" and "admin.listen" in refused.json()["detail"]
    refused = parted.request("PUT", "/v1/graphs/api", TEXT)
    assert refused.headers["Allow"] == "GET, HEAD, OPTIONS" and "admin.listen" in refused.json()["detail"]
    refused = parted.operations.get("/v1/graphs/g/nodes/x")
    assert refused.json()["code"] == "not_found" and "'listen'" in refused.json()["detail"]
    assert "address" not in parted.get("/nothing").json()["detail"]
    assert "address" not in parted.operations.get("/v1/nothing").json()["detail"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/version"])
def test_health_is_served_at_both(parted, path):
    assert parted.get(path).status == parted.operations.get(path).status == 200


def test_each_address_describes_what_it_answers(parted):
    def described(address):
        return {(verb.upper(), path) for path, item in address.get("/openapi.json").json()["paths"].items()
                for verb in item if verb != "parameters"}

    with Server({"g": CHAIN}) as one:
        assert one.operations is None
        both = described(parted) & described(parted.operations)
        assert {path for _, path in both} == {"/healthz", "/readyz", "/version", "/openapi.json"}
        assert described(parted) | described(parted.operations) == described(one)
        assert {
            (
                method,
                path.replace("g/def", "{g}/def")
                .replace("g/flush", "{g}/flush")
                .replace("/api", "/{g}")
                .replace("c:999", "{c}"),
            )
            for method, path, _, _ in OPERATIONS
        } == described(parted.operations) - both


def test_the_state_is_one(parted):
    with Client(parted) as client:
        client.send(op="sub", id=1, graph="g", node="x")
        client.receive()
        listed = parted.operations.get("/v1/connections").json()["connections"]
        name = next(connection["c"] for connection in listed if connection["transport"] == "ws")
        samples = parted.operations.get("/metrics").body.decode()
        assert 'sluice_listeners{graph="g"} 1' in samples
        assert parted.operations.request("PUT", "/v1/graphs/late", TEXT).status == 201
        assert parted.value("late", "x") == 1
        assert parted.operations.request("DELETE", f"/v1/connections/{name}").status == 204
        with pytest.raises(ConnectionClosed, match="ended by the operator"):
            client.receive()
        assert parted.operations.request("DELETE", "/v1/graphs/late").status == 204
    assert parted.get("/v1/graphs/late").status == 404


def test_no_websocket_at_the_operations_side(parted):
    with pytest.raises(InvalidStatus, match="404"):
        with Client(parted.operations):
            pass


def test_host_and_origin_are_looked_at_there_too(parted):
    for address in (parted, parted.operations):
        assert address.request("GET", "/healthz", headers={"Host": "evil.example"}).status == 421
    own = f"http://127.0.0.1:{parted.operations.port}"
    other = f"http://127.0.0.1:{parted.port}"
    for origin, status in (("http://evil.example", 403), ("null", 403), (other, 403), (own, 200)):
        assert parted.operations.request("POST", "/v1/reload", headers={"Origin": origin}).status == status, (
            origin
        )
    assert (
        parted.operations.request("POST", "/v1/reload", headers={"Sec-Fetch-Site": "cross-site"}).status
        == 403
    )


def test_an_address_of_the_network_takes_tokens():
    for arguments in ([], ["--insecure"]):
        with pytest.raises(AssertionError, match="operations of this server.*auth"):
            Server({"g": CHAIN}, "admin: { listen: '0.0.0.0:0' }\n", arguments=arguments)
    with pytest.raises(AssertionError) as failure:
        Server({"g": CHAIN}, "admin: { listen: '0.0.0.0:0' }\n", listen="0.0.0.0:0")
    assert "set every node" in str(failure.value) and "operations of this server" in str(failure.value)


def test_insecure_opens_the_service_and_not_the_operations():
    with Server({"g": CHAIN}, ADMIN, arguments=["--insecure"], listen="0.0.0.0:0") as server:
        assert server.set("g", "x", 3)["rev"]
        assert server.get("/v1/graphs/g/listeners").status == 403
        assert server.operations.get("/metrics").status == 200
        assert server.operations.request("POST", "/v1/reload").status == 200


def test_with_tokens(tmp_path):
    with Guarded(tmp_path, config="admin: { listen: '0.0.0.0:0' }\n") as server:
        assert "unencrypted" in server.log_text()
        there = Address(f"http://127.0.0.1:{server.operations.port}")

        def ask(who, path, method="GET"):
            return there.request(
                method, path, headers={"Authorization": f"Bearer {server.tokens[who]}"}
            ).status

        assert there.get("/metrics").status == 401
        assert there.get("/healthz").status == 200
        assert ask("scraper", "/metrics") == 200
        assert ask("scraper", "/v1/connections") == 403
        assert ask("bob", "/v1/reload", "POST") == 403
        assert ask("alice", "/v1/reload", "POST") == 200
        assert ask("alice", "/v1/graphs/house") == 405


def test_with_a_certificate(tmp_path):
    with Secure(tmp_path, ADMIN) as server:
        assert server.operations.url.startswith("https://")
        assert server.operations.get("/metrics").status == 200
        plain = http.client.HTTPConnection(server.operations.host, server.operations.port, timeout=PATIENCE)
        plain.request("GET", "/metrics")
        assert plain.getresponse().status == 400
        plain.close()
        ran = subprocess.run([BINARY, "reload", "--url", server.operations.url, "--ca", server.certificate],
                             capture_output=True, text=True, timeout=PATIENCE)
        assert ran.returncode == 0, ran


def test_a_full_server_can_still_be_looked_at():
    with Server({"g": CHAIN}, ADMIN + "limits: { connections: 2, connectionsPerAddress: 2 }\n") as server:
        with RawSocket(server), RawSocket(server):
            eventually(lambda: server.operations.get("/v1/connections").json()["connections"][2:])
            assert server.get("/healthz").status == 503
            peers = [
                socket.create_connection((server.operations.host, server.operations.port)) for _ in range(16)
            ]
            eventually(lambda: server.operations.get("/metrics").status == 503)
            for peer in peers:
                peer.close()
            eventually(lambda: server.operations.get("/metrics").status == 200)


def test_the_same_address_is_one_listener():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Server(
        {"g": CHAIN}, f"admin: {{ listen: '127.0.0.1:{port}' }}\n", listen=f"127.0.0.1:{port}"
    ) as server:
        assert server.operations is None and server.get("/metrics").status == 200


def test_an_address_that_is_taken_is_said():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AssertionError, match=f"cannot listen on 127.0.0.1:{port}"):
            Server({"g": CHAIN}, f"admin: {{ listen: '127.0.0.1:{port}' }}\n")


def test_print_config(tmp_path):
    def shown(*arguments, **environment):
        return subprocess.run(
            [BINARY, "serve", "--print-config", *arguments], capture_output=True, text=True, cwd=tmp_path,
            check=True, env={**os.environ, **environment},
        ).stdout

    assert re.search(r"^admin.listen +# default$", shown(), re.M)
    assert re.search(
        r"^admin.listen +127.0.0.1:9 +# command line$", shown("--set", "admin.listen=127.0.0.1:9"), re.M
    )
    assert re.search(
        r"^admin.listen +unix:/s +# SLUICE_ADMIN_LISTEN$", shown(SLUICE_ADMIN_LISTEN="unix:/s"), re.M
    )


def test_sluice_reload_finds_the_operations_side_by_the_configuration():
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/admin.sock"
        with Server({"g": CHAIN}, f"admin: {{ listen: 'unix:{path}' }}\n") as server:
            def reload(*options, cwd=folder):
                return subprocess.run(
                    [BINARY, "reload", *options], capture_output=True, text=True, timeout=PATIENCE, cwd=cwd
                )

            ran = reload("--config", server.config)
            assert ran.returncode == 0 and "0 changed, 1 unchanged" in ran.stdout, ran
            home = pathlib.Path(folder) / "home"
            (home / "config").mkdir(parents=True)
            (home / "config/sluice.yaml").write_text(server.config.read_text())
            assert reload(cwd=home).returncode == 0
            assert json.loads(reload("--json", "--url", f"unix:{path}").stdout)["problems"] == []
            ran = reload("--url", server.url)
            assert ran.returncode == 1 and "admin.listen" in ran.stderr
            (home / "config/sluice.yaml").write_text("listen: 127.0.0.1:0\n")
            ran = reload(cwd=home)
            assert ran.returncode not in (0, 1) and "--url" in ran.stderr, ran
            assert reload("--url", "unix:").returncode not in (0, 1)
