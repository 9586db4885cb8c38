"""Wrong tokens, sets and messages that come too fast, counted for an address or a token."""

import json
import time

from access import NODE, Guarded
from conftest import CHAIN, Client
from sluice import PATIENCE, Server


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
        answer = server.request(
            "GET", "/metrics", headers={"Authorization": f"Bearer {server.tokens['scraper']}"}
        )
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
        assert 429 in [read(f"2001:db8::{number}") for number in range(1, 20)], (
            "an IPv6 network of 64 bits is one address"
        )


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
