"""The main path over https and wss, and what a port that speaks TLS must stand."""

import contextlib
import json
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import time

import pytest
from conftest import CHAIN
from hostile.keyupdates import Rekeying
from playwright.sync_api import expect
from rawsocket import RawSocket, RawWebSocket, frame
from sluice import BINARY, PATIENCE, Server, eventually


def certificate(folder, name="localhost", covers="DNS:localhost,IP:127.0.0.1"):
    """A certificate that signs itself; returns the paths of certificate and key."""
    paths = folder / f"{name}.crt", folder / f"{name}.key"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-out", paths[0], "-keyout", paths[1], "-subj", f"/CN={name}", "-addext",
            f"subjectAltName={covers}",
        ],
        check=True, capture_output=True,
    )
    return paths


class Secure(Server):
    """A server that speaks TLS with a certificate of its own."""

    def __init__(self, folder, config="", graphs={"g": CHAIN}, **options):
        self.certificate, self.key = certificate(folder)
        trust = ssl.create_default_context(cafile=self.certificate)
        super().__init__(
            graphs, f"tls:\n  cert: {self.certificate}\n  key: {self.key}\n{config}", trust=trust, **options
        )

    def websocket(self):
        """A client in one thread. One that reads in a thread of its own while another writes, as
        the customary one does, asks of a TLS connection what OpenSSL forbids, and on a busy machine
        loses messages that the server has sent."""
        return SecureWebSocket(self, secure=True)

    def handshake(self, **options):
        """A TLS socket."""
        raw = socket.create_connection((self.host, self.port), timeout=PATIENCE)
        return self.trust.wrap_socket(raw, server_hostname="localhost", **options)


class SecureWebSocket(RawWebSocket):
    def recv(self, seconds):
        self.socket.settimeout(seconds)
        return self.message()

    def next_frame(self):
        opcode, payload = super().next_frame()
        if opcode == 9:
            self.send(frame(10, payload))
        return opcode, payload

    def __exit__(self, *_):
        self.send(frame(8, b"\x03\xe8"))
        assert self.close_code() == 1000
        super().__exit__()


@pytest.fixture
def secure(tmp_path):
    with Secure(tmp_path) as running:
        yield running


def test_the_main_path_over_https_and_wss(secure):
    assert secure.url.startswith("https://")
    with secure.websocket() as first, secure.websocket() as second:
        for client in (first, second):
            client.text({"op": "sub", "id": 1, "graph": "g", "node": "deep"})
            assert client.recv(PATIENCE)["v"] == 30
        assert secure.counts("g")["listeners"] > 0
        secure.set("g", "x", 4)
        for client in (first, second):
            assert client.recv(PATIENCE)["d"] == [{"id": 1, "v": 90}]
    eventually(lambda: secure.count("subscriptions", "g") == 0)
    assert secure.value("g", "x") == 4


def test_curl_and_the_command_line_trust_the_authority_that_is_named(secure):
    url = f"https://localhost:{secure.port}"
    got = subprocess.run(["curl", "-fsS", "--cacert", secure.certificate, f"{url}/v1/graphs/g/nodes/x"],
                         capture_output=True, text=True)
    assert got.stdout == "1", got
    for arguments, code, says in (
        (["get", "g/x", "--url", url, "--ca", secure.certificate], 0, "1\n"),
        (["set", "g/x", "7", "--url", url, "--ca", secure.certificate], 0, ""),
        (["get", f"{url}/v1/graphs/g/nodes/x", "--ca", secure.certificate], 0, "7\n"),
        (["get", "g/x", "--url", url], 1, "certificate is not trusted"),
        (["get", "g/x", "--url", f"http://localhost:{secure.port}"], 1, "https"),
    ):
        ran = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        assert ran.returncode == code and says in ran.stdout + ran.stderr, (arguments, ran)


def test_a_host_that_the_certificate_does_not_name_is_refused_by_the_client(tmp_path):
    with Secure(tmp_path) as server:
        ran = subprocess.run(
            [
                BINARY, "get", "g/x", "--url", f"https://ip6-localhost:{server.port}", "--ca",
                server.certificate,
            ],
            capture_output=True, text=True, timeout=PATIENCE,
        )
        assert ran.returncode == 1


def test_versions_and_protocols(secure):
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        secure.trust.minimum_version = secure.trust.maximum_version = version
        with secure.handshake() as wire:
            assert wire.version() == str(version.name).replace("_", ".")
    secure.trust.minimum_version = ssl.TLSVersion.TLSv1_2
    secure.trust.maximum_version = ssl.TLSVersion.MAXIMUM_SUPPORTED
    secure.trust.set_alpn_protocols(["h2", "http/1.1"])
    with secure.handshake() as wire:
        assert wire.selected_alpn_protocol() == "http/1.1"
    secure.trust.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError):
        secure.handshake()
    # Older versions are not spoken.
    old = subprocess.run(["curl", "-sS", "--tls-max", "1.1", "--cacert", secure.certificate, secure.url],
                         capture_output=True, text=True)
    assert old.returncode != 0


def test_plain_http_to_the_port_gets_an_error(secure):
    with RawSocket(secure) as plain:
        plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        status, headers, body = plain.response()
        assert status == 400 and b"https" in body and headers["connection"] == "close"
        assert plain.closed()


def test_bytes_that_are_no_tls_end_the_connection_and_nothing_else(secure):
    before = secure.metrics()["sluice_tls_failures_total"]
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    for data in (
        b"\x00" * 300, b"\x16\x03\x01\xff\xff" + b"x" * 70000, hello + b"\xff" * 509, b"SSH-2.0-x\r\n",
        b"\x80\x2e\x01\x00\x02" * 20,
    ):
        with RawSocket(secure) as wire:
            try:
                wire.send(data)
            except OSError:
                continue
            assert wire.closed()
    assert secure.metrics()["sluice_tls_failures_total"] >= before + 3
    assert secure.value("g", "x") == 1


@pytest.mark.weighed
def test_requests_for_new_keys_with_unread_answers_are_bounded(secure):
    before, memory = secure.metrics()["sluice_tls_failures_total"], secure.resident()
    with contextlib.closing(Rekeying(secure.host, secure.port)) as reader:
        for _ in range(30):
            assert reader.update(50) == 50
            assert reader.ask("/healthz").startswith(b"HTTP/1.1 200")
    assert secure.metrics()["sluice_tls_failures_total"] == before
    with contextlib.closing(Rekeying(secure.host, secure.port)) as flood:
        assert flood.update(100_000) < 100_000
    assert secure.metrics()["sluice_tls_failures_total"] == before + 1
    assert secure.resident() - memory < 2 << 20
    assert secure.value("g", "x") == 1


def test_a_handshake_that_does_not_get_on_is_ended(tmp_path):
    with Secure(tmp_path, "# fixed: times.handshake=400ms") as server:
        began = time.monotonic()
        with RawSocket(server) as silent, RawSocket(server) as slow:
            slow.send(b"\x16\x03\x01")
            # Bytes that drip in do not give it more time.
            slow.socket.settimeout(0.05)
            while time.monotonic() < began + PATIENCE:
                try:
                    slow.send(b"\x00")
                    if slow.socket.recv(1) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            else:
                raise AssertionError("bytes that drip in gave it more time")
            assert silent.closed()
        assert server.value("g", "x") == 1


def test_the_time_for_the_handshake_ends_with_it_and_that_for_the_head_begins(tmp_path):
    with Secure(tmp_path, "# fixed: times.handshake=700ms times.headers=30s") as server:
        with server.handshake() as wire:
            time.sleep(1.5)
            wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert wire.recv(65536).startswith(b"HTTP/1.1 200"), "it had time for the head"
    with Secure(tmp_path, "# fixed: times.handshake=30s times.headers=300ms") as server:
        with server.handshake() as wire:
            wire.settimeout(PATIENCE)
            assert wire.recv(65536) == b"", "nothing was said in the time for the head"


def test_a_full_server_says_so_in_tls(tmp_path):
    with Secure(tmp_path, "limits: { connections: 1 }") as server:
        with server.handshake() as wire:
            wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert wire.recv(65536).startswith(b"HTTP/1.1 200")
            assert RawWebSocket(server, secure=True).close_code() == 4529
            assert server.get("/healthz").status == 503


def test_goodbye_is_said_in_tls_too(secure):
    with secure.handshake() as wire:
        wire.sendall(b"GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        data = b""
        while piece := wire.recv(4096):
            data += piece
        assert data.startswith(b"HTTP/1.1 200")
        # An end without close_notify would have been an error in unwrap().
        wire.unwrap()


def test_a_truncated_stream_releases_like_any_other_end(secure):
    wire = secure.handshake()
    wire.sendall(
        b"GET /v1/graphs/g/nodes/deep HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: "
        b"websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    assert b"101" in wire.recv(4096)
    eventually(lambda: secure.count("subscriptions", "g") == 1)
    raw = socket.socket(fileno=wire.detach())
    raw.close()
    eventually(lambda: secure.count("subscriptions", "g") == 0)


def test_the_page_may_connect_to_its_own_server_by_wss_and_to_nobody_else(secure):
    policy = secure.get("/").headers["Content-Security-Policy"]
    assert f"connect-src 'self' wss://{secure.host}:{secure.port};" in policy and "ws://" not in policy


@pytest.mark.parametrize("why", ["idle", "draining"])
def test_an_idle_connection_gets_a_close_alert_and_is_not_cut(tmp_path, why):
    """RFC 8446 §6.1: without close_notify the client cannot tell the end from an attack."""
    with Secure(tmp_path, "times: { idle: 300ms }\n" if why == "idle" else "") as server:
        with server.handshake(suppress_ragged_eofs=False) as wire:
            wire.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while not answer.endswith(b"ok\n"):
                answer += wire.recv(4096)
            if why == "draining":
                server.process.send_signal(signal.SIGTERM)
            assert wire.recv(4096) == b""


def test_pipelined_requests_and_big_values_pass(secure):
    text = "x" * 60000
    with secure.handshake() as wire:
        one = (
            "POST /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            f"{len(text) + 2}\r\n\r\n\"{text}\""
        )
        wire.sendall(
            one.encode() * 20
            + b"GET /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        data = b""
        while piece := wire.recv(65536):
            data += piece
    assert data.count(b"HTTP/1.1 200 OK") == 21
    assert data.endswith(f'"{text}"'.encode())


def test_pipelined_requests_behind_an_unread_answer_keep_their_order(tmp_path):
    """More records come in the same read, after the server has paused reading. The first answer is
    too long to go on, and what the kernel leaves of it is not."""
    config = "limits: { body: 8MiB } # fixed: limits.answer=32MiB limits.pendingBytes=5MiB\n"
    names = ["any", *(f"n{i}" for i in range(14))]
    requests = [f"GET /v1/graphs/g/nodes/{name} HTTP/1.1\r\nHost: localhost\r\n\r\n" for name in names]
    with Secure(tmp_path, config) as server:
        server.set("g", "any", "x" * (6 << 20))
        with RawSocket(server, receive_buffer=65536, secure=True) as peer:
            with together(peer.socket):
                for record in ["".join(requests[:2]), *requests[2:]]:
                    peer.send(record)
            time.sleep(0.1)
            assert len(peer.response()[2]) > 6 << 20
            assert [json.loads(peer.response()[2])["node"] for _ in names[1:]] == names[1:]


def test_a_client_that_says_the_end_behind_its_requests_gets_all_answers(tmp_path):
    requests = ["POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n5"]
    requests += ["GET /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\n\r\n"] * 2
    with Secure(tmp_path, keeps=True) as server, RawSocket(server, secure=True) as peer:
        with together(peer.socket):
            for request in requests:
                peer.send(request)
            say_the_end(peer.socket)
        assert [peer.response()[0] for _ in requests] == [200, 200, 200]


def say_the_end(wire):
    """Ends this side of TLS; what has come already would be in the way."""
    wire.settimeout(0)
    with contextlib.suppress(ssl.SSLWantReadError):
        wire.unwrap()
    wire.settimeout(PATIENCE)


UPGRADE = (
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
    "AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)


@pytest.mark.parametrize(
    "last",
    [
        f"GET /v1/ws HTTP/1.1\r\n{UPGRADE}", "GET /v1/graphs/g/events?nodes=deep HTTP/1.1\r\n",
        "GET /v1/graphs/g/nodes/x HTTP/1.1\r\nPrefer: wait=60\r\nIf-None-Match: *\r\n",
    ],
    ids=["socket", "events", "poll"],
)
def test_a_client_that_has_ended_before_its_last_request_is_performed_is_released(tmp_path, last):
    first = "POST /v1/graphs/g/nodes/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n5"
    with Secure(tmp_path, keeps=True) as server, RawSocket(server, secure=True) as peer:
        with together(peer.socket):
            peer.send(first)
            peer.send(f"{last}Host: localhost\r\n\r\n")
            say_the_end(peer.socket)
        assert peer.response()[0] == 200
        kinds = ("http", "ws", "sse")
        eventually(
            lambda: sum(server.metrics()[f'sluice_connections{{transport="{kind}"}}'] for kind in kinds) == 1,
            what="this one",
        )
        assert server.counts("g")["listeners"] == 0


@contextlib.contextmanager
def together(wire):
    """Everything that is sent meanwhile leaves in as few packets as possible."""
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    yield
    wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)


@pytest.mark.weighed
def test_a_stalled_reader_costs_no_memory_and_gets_the_newest_value(secure):
    with secure.websocket() as fast:
        fast.text({"op": "sub", "id": 1, "graph": "g", "node": "any"})
        fast.recv(PATIENCE)
        wire = secure.handshake()
        wire.sendall(
            b"GET /v1/graphs/g/nodes/any HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: "
            b"websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert b"101" in wire.recv(4096)
        before = None
        for number in range(1500):
            secure_value = f"{number:06}" + "y" * 20000
            assert secure.set("g", "any", secure_value)
            assert fast.recv(PATIENCE)["d"][0]["v"] == secure_value
            if number == 500:
                before = secure.resident()
        assert secure.resident() - before < 1024 * 1024
        # It reads again: some old values that the kernel held, then the newest.
        wire.settimeout(PATIENCE)
        data = b""
        while b"001499y" not in data[-30000:]:
            data += wire.recv(1 << 20)
        wire.close()


def test_a_new_certificate_is_shown_after_sighup_and_a_bad_one_is_not(tmp_path):
    with Secure(tmp_path) as server:
        def shown():
            raw = socket.create_connection((server.host, server.port), timeout=PATIENCE)
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            with context.wrap_socket(raw) as wire:
                return wire.getpeercert(binary_form=True)

        first = shown()
        with server.websocket() as client:
            for new in certificate(tmp_path, "renewed"):
                shutil.copy(new, server.certificate if new.suffix == ".crt" else server.key)
            server.process.send_signal(signal.SIGHUP)
            eventually(lambda: shown() != first)
            second = shown()
            # The connection that was there goes on.
            client.text({"op": "ping", "id": 1})
            assert client.recv(PATIENCE)["op"] == "ok"
        pathlib.Path(server.key).write_text("no key")
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: "the old certificate stays" in server.log_text())
        assert shown() == second


@pytest.mark.parametrize(
    "config, says",
    [
        (
            "tls: { cert: /nowhere.crt, key: /nowhere.key }",
            "tls.cert: '/nowhere.crt' cannot be used: no such file or directory",
        ),
        (
            "tls: { cert: CERT, key: /nowhere.key }",
            "tls.key: '/nowhere.key' cannot be used: no such file or directory",
        ),
        ("tls: { cert: CERT, key: OTHER }", "tls.key"),
        ("tls: { cert: CERT }", "belong together"),
        ("tls: { cert: CERT, key: LOCKED }", "tls.key"),
    ],
)
def test_what_cannot_be_used_stops_the_start(tmp_path, config, says):
    mine, others = certificate(tmp_path), certificate(tmp_path, "other")
    locked = tmp_path / "locked.key"
    subprocess.run(
        ["openssl", "ec", "-in", mine[1], "-out", locked, "-aes256", "-passout", "pass:secret"], check=True,
        capture_output=True,
    )
    config = (
        config.replace("CERT", str(mine[0])).replace("OTHER", str(others[1])).replace("LOCKED", str(locked))
    )
    with pytest.raises(AssertionError, match="did not start") as failure:
        Server({"g": CHAIN}, config)
    assert says in str(failure.value)


@pytest.mark.browser
def test_the_page_is_live_over_tls(secure, browser):
    # Chromium asks the system's authorities, and this certificate has none: the one check that is
    # off here.
    context = browser.new_context(ignore_https_errors=True)
    try:
        page = context.new_page()
        page.goto(f"https://localhost:{secure.port}/#/g/g/values")
        shown = page.locator('[data-node="deep"]')
        expect(shown).to_contain_text("30")
        secure.set("g", "x", 5)
        expect(shown).to_contain_text("110")
        assert secure.count("subscriptions", "g") > 0
    finally:
        context.close()
    eventually(lambda: secure.count("subscriptions", "g") == 0)


@pytest.mark.parametrize(
    "cipher", ["AES128-SHA", "AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384"]
)
def test_no_rsa_key_exchange_and_no_cbc(secure, cipher):
    """A client that has only these gets no connection; one with a usual cipher of TLS 1.2 does."""
    def connect(cipher):
        context = ssl.create_default_context(cafile=secure.certificate)
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(f"{cipher}:@SECLEVEL=0")
        with socket.create_connection((secure.host, secure.port), timeout=PATIENCE) as raw:
            return context.wrap_socket(raw, server_hostname="localhost").cipher()[0]

    with pytest.raises(ssl.SSLError):
        connect(cipher)
    assert connect("ECDHE-ECDSA-AES128-GCM-SHA256") == "ECDHE-ECDSA-AES128-GCM-SHA256"


def test_strict_transport_is_said_where_it_is_wanted_and_never_for_localhost(tmp_path, secure):
    assert secure.get("/").headers["Strict-Transport-Security"] is None
    folder = tmp_path / "other"
    folder.mkdir()
    with Secure(folder, "  hsts: 1h\nhosts: [sluice.example.org]\n") as server:
        field = lambda host: server.get("/", Host=host).headers["Strict-Transport-Security"]  # noqa: E731
        assert field("sluice.example.org") == "max-age=3600"
        assert [field(host) for host in ("localhost", "x.localhost", "127.0.0.1")] == [None] * 3
