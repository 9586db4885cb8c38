"""`trustedProxies`: what a proxy says about the client behind it counts, and nobody else's word does."""

import json
import pathlib
import socket
import subprocess
import tempfile

import pytest
from conftest import CHAIN
from rawsocket import RawSocket, RawWebSocket
from sluice import BINARY, PATIENCE, Server, eventually

NODE = "/v1/graphs/g/nodes/x"
TRUSTING = "trustedProxies: [127.0.0.0/8, 10.0.0.0/8]\nhosts: [house.example, upstream.example]\n"


@pytest.fixture(scope="module")
def proxied():
    with Server({"g": CHAIN}, TRUSTING) as running:
        yield running


@pytest.fixture(scope="module")
def standard():
    with Server({"g": CHAIN}, TRUSTING + "proxyHeaders: forwarded\n") as running:
        yield running


@pytest.fixture(scope="module")
def direct():
    with Server({"g": CHAIN}, "hosts: [house.example]\n") as running:
        yield running


def peers(server, fields):
    """What the server says about the connection of one request with these header fields."""
    with RawSocket(server) as peer:
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
        peer.send(f"GET /v1/connections HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n")
        status, _, body = peer.response()
        assert status == 200, body
        mine = f"127.0.0.1:{peer.socket.getsockname()[1]}"
        for one in json.loads(body)["connections"]:
            if mine in (one["peer"], one.get("proxy")):
                return one["peer"] if "proxy" in one else None
    raise AssertionError(body)


FOR = "X-Forwarded-For"


@pytest.mark.parametrize("fields, client", [
    ([(FOR, "203.0.113.9")], "203.0.113.9"),
    ([(FOR, "2001:DB8::0:1")], "2001:db8::1"),
    ([(FOR, "[2001:db8::1]:443")], "2001:db8::1"),
    ([(FOR, "203.0.113.9:4711")], "203.0.113.9"),
    ([(FOR, " 203.0.113.9\t")], "203.0.113.9"),
    ([(FOR, "::ffff:203.0.113.9")], "203.0.113.9"),
    # Further proxies of ours are walked over, from the right.
    ([(FOR, "203.0.113.9, 10.1.2.3")], "203.0.113.9"),
    ([(FOR, "203.0.113.9, 10.1.2.3, 127.0.0.1")], "203.0.113.9"),
    # What stands further left is the client's own word.
    ([(FOR, "198.51.100.1, 203.0.113.9")], "203.0.113.9"),
    ([(FOR, "10.9.9.9, 203.0.113.9, 10.1.2.3")], "203.0.113.9"),
    ([(FOR, "127.0.0.1"), (FOR, "203.0.113.9")], "203.0.113.9"),
    ([(FOR, "203.0.113.9"), (FOR, "10.1.2.3")], "203.0.113.9"),
    # All are ours: the first of them.
    ([(FOR, "10.0.0.5, 10.1.2.3")], "10.0.0.5"),
    # What cannot be read ends the walk at the last that was said clearly.
    ([(FOR, "nonsense, 10.1.2.3")], "10.1.2.3"),
    ([(FOR, "203.0.113.9, nonsense")], None),
    ([(FOR, "unknown")], None),
    ([(FOR, "")], None),
    ([(FOR, ",,,")], None),
    ([(FOR, "203.0.113.9,")], None),
    ([(FOR, "1.2.3.4.5")], None),
    ([(FOR, "203.0.113.9:99999999")], None),
    ([(FOR, "[203.0.113.9")], None),
    ([(FOR, ", ".join(["198.51.100.1"] * 900 + ["203.0.113.9"]))], "203.0.113.9"),
    # The other family of fields is not read.
    ([("Forwarded", "for=203.0.113.9")], None),
    ([("Forwarded", "for=198.51.100.1"), (FOR, "203.0.113.9")], "203.0.113.9"),
    ([], None),
])
def test_the_client_of_x_forwarded_for(proxied, fields, client):
    assert peers(proxied, fields) == client


@pytest.mark.parametrize("fields, client", [
    ([("Forwarded", "for=203.0.113.9;proto=https")], "203.0.113.9"),
    ([("Forwarded", 'For="[2001:db8::1]:4711"')], "2001:db8::1"),
    ([("Forwarded", "for=198.51.100.1, for=203.0.113.9;by=10.0.0.1, for=10.1.2.3")], "203.0.113.9"),
    ([("Forwarded", "for=198.51.100.1"), ("Forwarded", "for=203.0.113.9")], "203.0.113.9"),
    ([("Forwarded", "for=_hidden")], None),
    ([("Forwarded", "for=unknown, for=10.1.2.3")], "10.1.2.3"),
    ([("Forwarded", 'for=203.0.113.9, for="10.1.2.3')], None),
    ([("Forwarded", "for=203.0.113.9;for=10.1.2.3")], None),
    ([(FOR, "203.0.113.9")], None),
])
def test_the_client_of_forwarded(standard, fields, client):
    assert peers(standard, fields) == client


def test_no_proxy_is_trusted_unless_configured(direct):
    assert peers(direct, [(FOR, "203.0.113.9"), ("Forwarded", "for=203.0.113.9")]) is None
    headers = {
        "X-Forwarded-Proto": "https", "X-Forwarded-Host": "house.example", "Origin": "https://house.example",
    }
    assert direct.request("POST", NODE, "1", headers).status == 403
    assert direct.request("POST", NODE, "1", {**headers, "Host": "house.example"}).status == 403


@pytest.mark.parametrize(
    "headers, status",
    [
        # The scheme is the client's, as its own proxy says.
        ({"Host": "house.example", "X-Forwarded-Proto": "https", "Origin": "https://house.example"}, 200),
        ({"Host": "house.example", "X-Forwarded-Proto": "https", "Origin": "http://house.example"}, 403),
        ({"Host": "house.example", "X-Forwarded-Proto": "http", "Origin": "https://house.example"}, 403),
        (
            {
                "Host": "house.example", "X-Forwarded-Proto": "https, http", FOR: "203.0.113.9",
                "Origin": "https://house.example",
            },
            403,
        ),
        (
            {
                "Host": "house.example", "X-Forwarded-Proto": "https, http", FOR: "203.0.113.9, 10.1.2.3",
                "Origin": "https://house.example",
            },
            200,
        ),
        ({"Host": "house.example", "X-Forwarded-Proto": "gopher", "Origin": "http://house.example"}, 200),
        # The host is that which the client asked for, and must be one of ours; so must Host.
        (
            {
                "Host": "upstream.example", "X-Forwarded-Host": "house.example",
                "Origin": "http://house.example",
            },
            200,
        ),
        (
            {
                "Host": "upstream.example", "X-Forwarded-Host": "house.example:80",
                "Origin": "http://house.example",
            },
            200,
        ),
        (
            {
                "Host": "upstream.example", "X-Forwarded-Host": "house.example",
                "Origin": "http://upstream.example",
            },
            403,
        ),
        (
            {"Host": "upstream.example", "X-Forwarded-Host": "evil.example", "Origin": "http://evil.example"},
            421,
        ),
        ({"Host": "evil.example", "X-Forwarded-Host": "house.example", "Origin": "http://evil.example"}, 421),
        (
            {
                "Host": "upstream.example", "X-Forwarded-Host": "evil.example, house.example",
                FOR: "203.0.113.9", "Origin": "http://house.example",
            },
            200,
        ),
        ({"Host": "upstream.example", "X-Forwarded-Host": "a b"}, 421),
        ({"Host": "upstream.example", "X-Forwarded-Host": ""}, 421),
        ({"Host": "upstream.example", "Origin": "null", "X-Forwarded-Proto": "https"}, 403),
    ],
)
def test_scheme_and_host_of_the_client(proxied, headers, status):
    assert proxied.request("POST", NODE, "1", headers).status == status


def test_cookies_are_secure_where_the_client_speaks_tls(tmp_path):
    entry = subprocess.run([BINARY, "token", "--name", "a"], check=True, capture_output=True, text=True)
    token = next(word for word in (entry.stdout + entry.stderr).split() if word.startswith("slc_"))
    (tmp_path / "tokens.yaml").write_text("tokens:\n" + entry.stdout)
    with Server({"g": CHAIN}, TRUSTING + f"auth: {tmp_path}/tokens.yaml\n") as server:
        def cookie(**headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            answer = server.request("POST", "/v1/session", json.dumps({"token": token}), headers)
            assert answer.status == 204, answer
            return answer.headers["Set-Cookie"]

        assert cookie(X_Forwarded_Proto="https").endswith("; Secure")
        assert not cookie(X_Forwarded_Proto="http").endswith("; Secure")
        assert not cookie().endswith("; Secure")


def test_the_page_may_connect_to_the_host_and_scheme_that_its_browser_knows(proxied):
    def policy(**fields):
        return proxied.get("/", **fields).headers["Content-Security-Policy"]

    assert f"connect-src 'self' ws://{proxied.host}:{proxied.port};" in policy()
    told = policy(X_Forwarded_Proto="https", X_Forwarded_Host="house.example")
    assert "connect-src 'self' wss://house.example;" in told


def test_connections_per_address_are_counted_for_the_client():
    with Server({"g": CHAIN}, TRUSTING + "limits: { connectionsPerAddress: 2 }\n") as server:
        def connect(client):
            peer = RawSocket(server)
            peer.send(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{FOR}: {client}\r\n\r\n")
            return peer, peer.response()

        open_ones = [connect(client) for client in ["203.0.113.1", "203.0.113.1", "203.0.113.2"]]
        assert [answer[0] for _, answer in open_ones] == [200] * 3
        refused, (status, headers, body) = connect("203.0.113.1")
        assert (
            status == 503 and json.loads(body)["code"] == "too_many_connections" and "retry-after" in headers
        )
        assert refused.closed()
        # A WebSocket is refused with a close code, which a page can see.
        assert RawWebSocket(server, fields=f"{FOR}: 203.0.113.1\r\n").close_code() == 4529
        # One connection may carry several clients, one after the other.
        peer = open_ones[0][0]
        peer.send(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{FOR}: 203.0.113.3\r\n\r\n")
        assert peer.response()[0] == 200
        again, answer = connect("203.0.113.1")
        assert answer[0] == 200
        open_ones[1][0].close()
        eventually(lambda: connect("203.0.113.1")[1][0] == 200, what="room after the end of a connection")


def test_connections_that_were_turned_away_are_not_counted():
    with Server({"g": CHAIN}, "limits: { connections: 1, connectionsPerAddress: 2 }\n") as server:
        first = RawSocket(server)
        first.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        first.response()
        for _ in range(5):
            refused = RawSocket(server)
            refused.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert refused.response()[0] == 503
        first.close()

        def served():
            with RawSocket(server) as peer:
                peer.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return peer.response()[0] == 200

        eventually(served, what="room for one connection")


def test_a_websocket_has_the_client_of_its_upgrade(proxied):
    class Proxied(RawWebSocket):
        def send(self, data):
            if isinstance(data, str):
                data = data.replace(
                    "\r\nConnection: Upgrade", f"\r\n{FOR}: 203.0.113.77\r\nConnection: Upgrade"
                )
            super().send(data)

    with Proxied(proxied) as peer:
        peer.subscribe("g", "x")
        listed = proxied.get("/v1/connections").json()["connections"]
        assert [one["transport"] for one in listed if one["peer"] == "203.0.113.77"] == ["ws"]


def test_unix_sockets():
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "s")

        def ask(config):
            (pathlib.Path(folder) / "graphs").mkdir(exist_ok=True)
            (pathlib.Path(folder) / "graphs/g.yaml").write_text(CHAIN)
            file = pathlib.Path(folder) / "c.yaml"
            file.write_text(f"graphs: {folder}/graphs\npublic: ''\n{config}")
            process = subprocess.Popen([BINARY, "serve", "--config", file, "--listen", f"unix:{path}"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                def connect():
                    try:
                        peer = socket.socket(socket.AF_UNIX)
                        peer.connect(path)
                        return peer
                    except OSError:
                        return None

                with eventually(connect) as peer:
                    peer.settimeout(PATIENCE)
                    peer.sendall(f"GET /v1/connections HTTP/1.1\r\nHost: localhost\r\n{FOR}: 203.0.113.9\r\n"
                                 "Connection: close\r\n\r\n".encode())
                    answer = b""
                    while data := peer.recv(65536):
                        answer += data
                return json.loads(answer.split(b"\r\n\r\n", 1)[1])["connections"][0]["peer"]
            finally:
                process.terminate()
                process.wait(PATIENCE)

        assert ask("trustedProxies: [unix]\n") == "203.0.113.9"
        assert ask("trustedProxies: [0.0.0.0/0, '::/0']\n") != "203.0.113.9"


@pytest.mark.parametrize("value", ["[10.0.0.1/8]", "[proxy.example]", "['*']", "['::1%lo']", "[10.0.0.0/33]"])
def test_what_is_no_network_is_refused(value):
    with pytest.raises(AssertionError, match="trustedProxies"):
        Server({"g": CHAIN}, f"trustedProxies: {value}\n")
