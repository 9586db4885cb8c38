"""How a server reaches its Redis: what it wants of it, and TLS."""

import pathlib
import subprocess
import tempfile

import pytest
from redis_server import Redis, free_port
from several import GRAPH, is_ready, post, same
from sluice import BINARY, PATIENCE, Server, eventually
from test_tls import certificate


def refusal(config):
    """What a server says that does not start."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sluice.yaml"
        path.write_text(f"graphs: {folder}\n{config}")
        done = subprocess.run([BINARY, "serve", "--config", path, "--listen", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode != 0
        return done.stderr


def test_a_server_that_cannot_use_redis_says_why():
    with Redis(
        "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru", "--requirepass", "s%cret"
    ) as redis:
        assert "NOAUTH" in refusal(f"redis: {{ url: '{redis.url}' }}\n")
        url = f"redis://:s%25cret@127.0.0.1:{redis.port}/3"
        assert "noeviction" in refusal(f"redis: {{ url: '{url}' }}\n")
        assert "s%cret" not in refusal(f"redis: {{ url: '{url}' }}\n")
        redis.kill()
        assert "Connection refused" in refusal(f"redis: {{ url: '{redis.url}' }}\n")
        redis.start()
    assert "not in both" in refusal(f"redis: {{ url: '{redis.url}' }}\ndataDir: /tmp/none\n")
    assert "redis.url" in refusal("redis: { url: 'redis:127.0.0.1' }\n")
    assert "redis.url" in refusal("redis: { url: 'redis://:%+f@127.0.0.1' }\n")
    assert "'redis.ca' is for TLS" in refusal("redis: { url: 'redis://127.0.0.1:1', ca: ca.pem }\n")


NO_TLS = "without libhiredis_ssl"


def test_tls_to_redis(tmp_path):
    port = free_port()
    said = refusal(f"redis: {{ url: 'rediss://127.0.0.1:{port}' }}\n")
    if NO_TLS in said:
        assert "put a TLS tunnel before Redis" in said
        pytest.skip("this server was built with a hiredis that has no TLS (Debian 12 has 0.14)")
    assert "Connection refused" in said

    def secured(cert, key):
        return Redis(
            "--tls-port", str(port), "--tls-cert-file", str(cert), "--tls-key-file", str(key),
            "--tls-auth-clients", "no",
        )

    def settings(host, ca):
        trust = f", ca: '{ca}'" if ca else ""
        return f"redis: {{ url: 'rediss://{host}:{port}'{trust} }}\n"

    foreign, key = certificate(tmp_path, "redis.example", covers="DNS:redis.example,IP:192.0.2.1")
    with secured(foreign, key):
        assert "hostname mismatch" in refusal(settings("localhost", foreign))
        assert "IP address mismatch" in refusal(settings("127.0.0.1", foreign))
    cert, key = certificate(tmp_path)
    with secured(cert, key) as redis:
        assert "self-signed certificate" in refusal(settings("localhost", None))
        assert "cannot be used as a list of authorities" in refusal(settings("localhost", key))
        # Redis speaks no TLS there.
        assert "the TLS handshake: no answer in time" in refusal(
            settings("localhost", cert).replace(str(port), str(redis.port))
        )
        with Server({"g": GRAPH}, settings("localhost", cert)) as one, \
                Server({"g": GRAPH}, settings("127.0.0.1", cert)) as other:
            one.set("g", "x", 21)
            # More than one TLS record.
            other.set("g", "y", "long" * 12_000)
            same([one, other])
            url = f"rediss://localhost:{port}"
            done = subprocess.run(
                [BINARY, "replay", "--redis", url, "--ca", cert, "g"], capture_output=True, text=True
            )
            assert done.returncode == 0 and "rev 3" in done.stdout, done
            redis.kill()
            assert post(one, "x", 22).json()["code"] == "engine_down"
            redis.start()
            for server in (one, other):
                eventually(lambda: is_ready(server))
            one.set("g", "x", 23)
            same([one, other])
