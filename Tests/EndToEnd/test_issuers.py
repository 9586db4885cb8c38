"""Tokens of issuers (JWT, OpenID Connect): who is accepted, with which rights, and for how long."""

import contextlib
import hashlib
import hmac
import json
import threading
import time
import types

import nginx
import pytest
from access import tell
from browser import DOWN, expect, row
from issuer import ALGORITHMS, Issuer, assembled, by_joserfc, by_pyjwt, encoded
from joserfc import jwk
from redis_server import Instance, Redis
from sluice import PATIENCE, Server, eventually
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

PLANT = """
graph: acme
nodes:
  user.{id}.mood: { set: any }
  line.speed: { set: number, initial: 5 }
  secret: { set: number, initial: 7 }
access:
  - { who: "role:operator", nodes: "*", can: [read, set, pipe] }
  - { who: "*", nodes: ["user.*", "line.*"], can: [read, set, pipe] }
"""
RIGHTS = """
      - { can: [read, set], graphs: ["{claims.tenant}"], nodes: ["user.{sub}.*"] }
      - if: '"operator" in claims.realm_access.roles'
        can: [read, set, pipe]
        graphs: ["{claims.tenant}"]
"""
NODE = "/v1/graphs/acme/nodes"


class Trusting(Server):
    """A server that accepts the tokens of an issuer."""

    def __init__(self, folder, issuer, more="", rights=RIGHTS, config="", graphs=None, **options):
        self.file = folder / "issuers.yaml"
        self.issuer, self.rights = issuer, rights
        self.write(more)
        super().__init__(graphs or {"acme": PLANT}, f"issuers: {self.file}\n{config}", **options)

    def write(self, more=""):
        self.file.write_text(
            f"issuers:\n  - issuer: {self.issuer.id}\n    name: plant\n    audience: sluice\n"
            f"    roles: claims.realm_access.roles\n    rights: {self.rights}\n"
            + "".join(f"    {line}\n" for line in more.splitlines())
        )

    def ask(self, token, method="GET", path=f"{NODE}/line.speed", body=None, **headers):
        return self.request(method, path, body, {"Authorization": f"Bearer {token}", **headers})

    def refusal(self, token):
        """Status, code and sentence with which a token is refused."""
        answer = self.ask(token)
        assert answer.status >= 400, answer
        return answer.status, answer.json()["code"], answer.json()["detail"]

    def reload(self):
        before = self.log_text().count("tokens read again")
        self.process.send_signal(1)
        eventually(lambda: self.log_text().count("tokens read again") > before)

    def socket(self, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return connect(f"ws://{self.host}:{self.port}/v1/ws", subprotocols=["sluice.v1.json"],
                       additional_headers=headers)


ROLES = {"roles": ["operator"]}


def operator(issuer, **claims):
    return issuer.token(**{"tenant": "acme", "realm_access": ROLES, **claims})


@pytest.fixture(scope="module")
def issuer():
    with Issuer() as running:
        for algorithm in ALGORITHMS:
            if algorithm != "HS256":
                running.add(algorithm)
        yield running


@pytest.fixture(scope="module")
def trusting(issuer, tmp_path_factory):
    many = "# fixed: limits.wrongTokens=100000"
    with Trusting(tmp_path_factory.mktemp("issuers"), issuer, config=many) as server:
        yield server


# MARK: Signatures


@pytest.mark.parametrize("sign", [by_joserfc, by_pyjwt])
@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
def test_signatures_of_both_libraries_count(trusting, issuer, algorithm, sign):
    kid = next(kid for kid in issuer.published if kid.startswith(algorithm))
    token = operator(issuer, kid=kid, sign=sign)
    assert trusting.ask(token).status == 200
    # Again, from memory.
    assert trusting.ask(token).status == 200
    head, _, signature = token.rpartition(".")
    other = operator(issuer, kid=kid, sub="bob").rpartition(".")[2]
    for changed in (head + "." + other, head + "." + signature[:-4], head + "." + signature[::-1]):
        assert trusting.refusal(changed)[:2] == (401, "unauthenticated")


def test_a_secret_of_a_file_counts_and_one_at_an_address_does_not(tmp_path):
    with Issuer() as issuer:
        kid = issuer.add("HS256")
        (tmp_path / "keys.json").write_text(json.dumps(issuer.keys[kid].as_dict(private=True)))
        with Trusting(tmp_path, issuer, f"keys: {tmp_path}/keys.json") as server:
            assert server.ask(operator(issuer, sign=by_pyjwt)).status == 200
            assert issuer.asked == 0
        # An issuer that publishes its secret lets everybody sign.
        issuer.body = (tmp_path / "keys.json").read_text()
        with Trusting(tmp_path, issuer) as server:
            assert server.refusal(operator(issuer))[:2] == (503, "issuer_down")
            assert "no key that can be used" in server.log_text()


def test_what_signs_nothing_or_is_confused_is_refused(trusting, issuer):
    claims = issuer.claims(tenant="acme", realm_access=ROLES)
    rs256 = next(kid for kid in issuer.published if kid.startswith("RS256"))
    es256 = next(kid for kid in issuer.published if kid.startswith("ES256"))
    for alg in ("none", "None", "NONE"):
        assert "(alg)" in trusting.refusal(assembled({"alg": alg, "kid": rs256}, claims))[2]
        assert "no signature" in trusting.refusal(assembled({"alg": "ES256"}, claims, b""))[2]

    # The public key as a secret: in each form that has been accepted somewhere.
    key = issuer.keys[rs256]
    public = key.as_dict(private=False)
    for secret in (key.as_pem(private=False), key.as_der(private=False), json.dumps(public).encode()):
        start = encoded({"alg": "HS256", "kid": rs256}) + "." + encoded(claims)
        signature = hmac.new(secret, start.encode(), hashlib.sha256).digest()
        sentence = trusting.refusal(f"{start}.{encoded(signature)}")[2]
        assert sentence == "the token's algorithm (alg) is not that of its key"

    # A key that the token brings along.
    own = jwk.ECKey.generate_key("P-256", private=True)
    header = {"alg": "ES256", "kid": es256, "jwk": own.as_dict(private=False), "jku": issuer.address}
    token = by_joserfc({"alg": "ES256", "kid": es256}, claims, own)
    assert "signature" in trusting.refusal(token)[2]
    assert "signature" in trusting.refusal(assembled(header, claims, b"s" * 64))[2]
    # The signature of another algorithm with the same kind of key.
    ps256 = next(kid for kid in issuer.published if kid.startswith("PS256"))
    confused = by_joserfc({"alg": "RS256", "kid": ps256}, claims, issuer.keys[ps256].__class__.import_key(
        {**issuer.keys[ps256].as_dict(private=True), "alg": "RS256"}))
    assert "(alg)" in trusting.refusal(confused)[2]
    assert "must name its key" not in trusting.refusal(assembled({"alg": "ES256", "kid": "x"}, claims))[2]


@pytest.mark.parametrize("header, sentence", [
    ({"crit": ["exp"]}, "(crit)"), ({"typ": "logout+jwt"}, "(typ)"), ({"cty": "JWT"}, "(cty)"),
    ({"kid": 7}, "(kid)"), ({"b64": False, "crit": ["b64"]}, "(crit)"),
])
def test_headers(trusting, issuer, header, sentence):
    claims = issuer.claims(tenant="acme")
    assert sentence in trusting.refusal(assembled({"alg": "ES256", "kid": "x", **header}, claims))[2]


@pytest.mark.parametrize("claims, sentence", [
    ({"iss": "https://elsewhere.example.org"}, "(iss)"), ({"aud": "other"}, "(aud)"),
    ({"aud": None}, "(aud)"), ({"aud": ["sluice", 7]}, "aud"),
    ({"sub": None}, "sub"), ({"sub": "a b"}, "(sub)"), ({"sub": ""}, "(sub)"),
    ({"exp": None}, "exp"), ({"exp": "soon"}, "exp"), ({"exp": -1}, "exp"), ({"exp": 1e300}, "exp"),
    ({"exp": True}, "exp"), ({"nbf": 9_999_999_999}, "(nbf)"), ({"iss": None}, "iss"),
])
def test_claims(trusting, issuer, claims, sentence):
    status, code, message = trusting.refusal(operator(issuer, **claims))
    assert (status, code) == (401, "unauthenticated") and sentence in message, message


def test_parts_that_are_not_what_they_should_be(trusting, issuer):
    good = operator(issuer)
    head, claims, signature = good.split(".")
    twice = encoded(b'{"alg":"ES256","alg":"none"}')
    for token in (
        f"{twice}.{claims}.{signature}",
        f"{head}.{encoded(b'[1]')}.{signature}",
        f"{head}..{signature}",
        f"{head}.{claims}",
        f"{good}.{claims}",
        f"{good}.a.b",
        f"{head}=.{claims}.{signature}",
        f"{head}.{claims}.{signature}A",
        good[:-1] + ("B" if good[-1] == "A" else "A"),
        "eyJ" * 4000,
        f"{head}.{encoded(b'{' + b'[' * 3000)}.{signature}",
    ):
        assert trusting.refusal(token)[0] == 401
    assert trusting.ask(good).status == 200
    # More than the head of a request may have; a socket takes more.
    assert trusting.ask("eyJ" + "a" * 20_000).status == 431
    with trusting.socket() as client:
        refused = tell(client, op="hello", id=1, token="eyJ" + "a." * 20_000)
        assert refused["code"] == "unauthenticated" and "16 KiB" in refused["msg"]
        assert tell(client, op="hello", id=2, token=good)["op"] == "hello"


def test_clocks_may_differ_by_the_skew(tmp_path, issuer):
    with Trusting(tmp_path, issuer, "skew: 30s") as server:
        now = int(time.time())
        assert server.ask(operator(issuer, exp=now - 10)).status == 200
        assert server.refusal(operator(issuer, exp=now - 31))[1] == "token_expired"
        assert server.ask(operator(issuer, nbf=now + 20)).status == 200
        assert "(nbf)" in server.refusal(operator(issuer, nbf=now + 60))[2]
        # With fractions, as some issuers write them.
        assert server.ask(operator(issuer, exp=now + 10.5, iat=now - 0.5)).status == 200


# MARK: Rights


def test_rights_follow_claims(trusting, issuer):
    alice = issuer.token(tenant="acme")
    mood = f"{NODE}/user.alice.mood"
    assert trusting.ask(alice, "POST", mood, '"good"').status == 200
    assert trusting.ask(alice, path=mood).json() == "good"
    assert trusting.ask(alice, "POST", f"{NODE}/user.bob.mood", '"bad"').status == 404
    assert trusting.ask(alice).status == 404
    assert trusting.ask(operator(issuer), path=f"{NODE}/secret").json() == 7
    # A role of the token counts in the graph's own rules, too.
    with trusting.socket(operator(issuer, sub="carol")) as client:
        assert tell(client, op="sub", id=1, graph="acme", node="user.alice.mood", by=True)["op"] == "snap"
        trusting.ask(alice, "POST", mood, '"fine"')
        assert '"by":"plant#alice"' in client.recv(PATIENCE)


@pytest.mark.parametrize("claims", [
    {"tenant": "*"}, {"tenant": "acm?"}, {"tenant": ["*"]}, {"tenant": {"a": 1}}, {"tenant": None},
    {"tenant": ""}, {"tenant": "other"}, {"tenant": True}, {"tenant": "acme", "sub": "*"},
    {"tenant": "acme", "sub": "a.b"}, {"tenant": "acme", "sub": "alice*"},
])
def test_claims_that_are_no_names_give_no_right(trusting, issuer, claims):
    token = issuer.token(**claims)
    assert trusting.ask(token, path="/v1/graphs").json().get("graphs", []) == []
    assert trusting.ask(token, path=f"{NODE}/user.alice.mood").status == 404


def test_shapes_of_auth0_and_a_claim_of_its_own(tmp_path, issuer):
    rights = """
      - if: '"read:speed" in claims.permissions'
        can: read
        graphs: ["{claims[''https://plant.example.org/tenants'']}"]
        nodes: line.speed
      - { if: 'claims.nothing.here == 1', can: admin }
""".replace("''", '\\"')
    auth0 = {"sub": "auth0|5f7c8ec7c33c6c004bbafe82", "aud": ["sluice", "https://issuer/userinfo"],
             "azp": "my_client_id", "scope": "openid profile read:speed", "realm_access": None}
    with Trusting(tmp_path, issuer, rights=rights, graphs={"acme": PLANT}) as server:
        name = "https://plant.example.org/tenants"
        token = issuer.token(**auth0, permissions=["read:speed"], **{name: ["acme", "beta"]})
        assert server.ask(token).json() == 5
        assert server.ask(token, "POST", f"{NODE}/line.speed", "6").status == 403
        assert server.ask(issuer.token(**auth0, permissions=[], **{name: ["acme"]})).status == 404
        assert server.ask(token, path="/v1/connections").status == 403

    def with_rights(claim):
        return issuer.token(realm_access=None, sluice=claim)

    with Trusting(tmp_path, issuer, rights="claims.sluice") as server:
        good = {"can": ["read"], "graphs": ["ac*"], "nodes": ["line.*"]}
        assert server.ask(with_rights([good])).status == 200
        assert server.ask(with_rights([{"can": "read", "graphs": "acme"}])).status == 200
        odd = [{**good, "can": ["fly"]}, {**good, "more": 1}, {**good, "graphs": []}, 7, "read"]
        for bad in (good, [], "read", *([each] for each in odd)):
            assert server.ask(with_rights(bad)).status == 404, bad


# MARK: Keys


def test_keys_rotate_and_an_unknown_one_is_asked_for_once_a_minute(tmp_path):
    with Issuer() as issuer:
        issuer.add("ES256")
        with Trusting(tmp_path, issuer) as server:
            eventually(lambda: issuer.asked == 1)
            eventually(lambda: "keys of an issuer fetched" in server.log_text())
            assert server.ask(operator(issuer)).status == 200
            old = operator(issuer, sub="bob")
            new = issuer.add("EdDSA")
            # The server asks when a token names a key that it does not know ...
            before = issuer.asked
            wrong = issuer.add("ES256", published=False)
            tokens = [operator(issuer, kid=new, sub=f"u{number}") for number in range(5)]
            assert [server.ask(token).status for token in tokens] == [200] * 5
            assert issuer.asked == before + 1
            # ... but not for each of them.
            for _ in range(5):
                assert "no key of that name" in server.refusal(operator(issuer, kid=wrong))[2]
            assert issuer.asked == before + 1
            assert server.ask(old).status == 200


def test_an_issuer_that_is_down_stops_nobody_it_has_signed_for(tmp_path):
    with Issuer() as issuer:
        issuer.add("ES256")
        with Trusting(tmp_path, issuer) as server:
            assert server.ask(operator(issuer)).status == 200
            issuer.stop()
            assert server.ask(operator(issuer, sub="new")).status == 200
            unknown = issuer.add("ES256")
            # Its key may be a new one.
            assert server.refusal(operator(issuer, kid=unknown))[:2] == (503, "issuer_down")
            issuer.start()
        issuer.stop()
        with Trusting(tmp_path, issuer) as server:
            eventually(lambda: "cannot be fetched" in server.log_text())
            refused = server.ask(operator(issuer))
            assert (refused.status, refused.json()["code"]) == (503, "issuer_down")
            assert refused.headers["Retry-After"]
            issuer.start()
            eventually(lambda: server.ask(operator(issuer)).status == 200)
            assert "keys of an issuer fetched" in server.log_text()


@pytest.mark.parametrize("body", [
    "", "[]", "{", '{"keys":[]}', '{"keys":{}}', '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}',
    '{"keys":[' + ",".join(['{"kty":"oct"}'] * 101) + "]}", '{"a":"' + "a" * 300_000 + '"}',
])
def test_sets_of_keys_that_cannot_be_used(tmp_path, body):
    with Issuer() as issuer:
        issuer.add("ES256")
        issuer.body = body
        with Trusting(tmp_path, issuer) as server:
            assert server.refusal(operator(issuer))[:2] == (503, "issuer_down")
            assert server.get("/healthz").status == 200


def test_requests_that_wait_for_keys_hold_up_nobody(tmp_path):
    with Issuer() as issuer:
        issuer.add("ES256")
        issuer.answers.clear()
        with Trusting(tmp_path, issuer) as server:
            answers = []
            waiting = [threading.Thread(target=lambda number=number: answers.append(
                server.ask(operator(issuer, sub=f"u{number}")))) for number in range(8)]
            for thread in waiting:
                thread.start()
            client = server.socket()
            client.send(json.dumps({"op": "hello", "id": 1, "token": operator(issuer)}))
            client.send(json.dumps({"op": "sub", "id": 2, "graph": "acme", "node": "line.speed"}))
            for _ in range(3):
                assert server.get("/healthz").status == 200
            assert not answers, "all of them wait"
            issuer.answers.set()
            upgraded = server.socket(operator(issuer, sub="early"))
            for thread in waiting:
                thread.join(PATIENCE)
            assert [answer.status for answer in answers] == [200] * 8
            assert issuer.asked == 1
            # In order, although the first had to wait.
            assert [json.loads(client.recv(PATIENCE))["id"] for _ in range(2)] == [1, 2]
            assert tell(upgraded, op="list", id=1)["op"] == "ok"
            client.close()
            upgraded.close()


def test_a_key_that_is_withdrawn_counts_no_longer(tmp_path, issuer):
    (tmp_path / "keys.json").write_text(json.dumps(issuer.key_set()))
    with Trusting(tmp_path, issuer, f"keys: {tmp_path}/keys.json") as server:
        first, second = issuer.published[:2]
        gone, stays = operator(issuer, kid=first), operator(issuer, kid=second)
        with server.socket(gone) as client, server.socket(stays) as other:
            assert tell(client, op="list", id=1)["op"] == "ok"
            left = [key for key in issuer.key_set()["keys"] if key["kid"] != first]
            (tmp_path / "keys.json").write_text(json.dumps({"keys": left}))
            server.reload()
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(PATIENCE)
            assert closed.value.rcvd.code == 4401
            assert tell(other, op="list", id=1)["op"] == "ok"
        assert server.refusal(gone)[0] == 401
        assert server.ask(stays).status == 200


# MARK: Sessions


def test_a_client_renews_its_token_while_it_listens(tmp_path, issuer):
    with Trusting(tmp_path, issuer, "skew: 0") as server:
        with server.socket(operator(issuer, lifetime=3)) as client:
            hello = tell(client, op="hello", id=1)
            assert 0 <= hello["expires"] <= 3
            assert tell(client, op="sub", id=2, graph="acme", node="line.speed", mode="all")["v"] == 5
            feed = threading.Thread(target=lambda: [
                server.ask(god, "POST", f"{NODE}/line.speed", str(number)) for number in range(40)])
            god = operator(issuer, sub="feed")
            feed.start()
            seen = []

            def until(id):
                while (message := json.loads(client.recv(PATIENCE))).get("id") != id or message["op"] != "ok":
                    seen.extend(each["v"] for each in message.get("d", [message]) if "v" in each)
                return message

            for number in range(3, 7):
                client.send(json.dumps({"op": "auth", "id": number, "token": operator(issuer, lifetime=3)}))
                assert until(number)["expires"] <= 3
            feed.join(PATIENCE)
            while len(seen) < 40:
                message = json.loads(client.recv(PATIENCE))
                seen.extend(each["v"] for each in message.get("d", [message]) if "v" in each)
            assert seen == list(range(40))
            # Fewer claims, fewer rights.
            less = issuer.token(tenant="acme", lifetime=3)
            client.send(json.dumps({"op": "auth", "id": 10, "token": less}))
            told = [json.loads(client.recv(PATIENCE)) for _ in range(2)]
            assert (told[0]["op"], told[0]["code"], told[1]["op"]) == ("end", "forbidden", "ok")
            # A token that does not count changes nothing.
            other = operator(issuer, aud="x")
            assert tell(client, op="auth", id=11, token=other)["code"] == "unauthenticated"
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(PATIENCE)
            assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (4401, "token_expired")


def test_streams_and_cookies_end_with_their_token(tmp_path, issuer):
    with Trusting(tmp_path, issuer, "skew: 0") as server:
        token = operator(issuer, lifetime=2)
        answer = server.ask(token, path="/v1/graphs/acme/events?node=line.speed")
        # It has been read to its end.
        assert answer.status == 200 and b'"v":5' in answer.body
        assert server.refusal(token)[1] == "token_expired"
        signed = server.request("POST", "/v1/session", json.dumps({"token": operator(issuer, lifetime=3)}))
        assert signed.status == 204
        cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
        assert server.request("GET", f"{NODE}/line.speed", headers=cookie).status == 200
        eventually(lambda: server.request("GET", f"{NODE}/line.speed", headers=cookie).status == 401)
        for wrong in (token, "x", operator(issuer, aud="x")):
            assert server.request("POST", "/v1/session", json.dumps({"token": wrong})).status == 401


def test_rules_and_revocations_of_the_file_reach_open_sessions(tmp_path, issuer):
    with Trusting(tmp_path, issuer) as server:
        first, second = operator(issuer, jti="one"), operator(issuer, jti="two")
        old, new = operator(issuer, sub="bob", iat=1_700_000_000), operator(issuer, sub="bob")
        sockets = [server.socket(token) for token in (first, second, old, new)]
        for client in sockets:
            assert tell(client, op="sub", id=1, graph="acme", node="line.speed")["v"] == 5
        server.write('revoked: [ { jti: one }, { sub: bob, before: 2025-01-01T00:00:00Z } ]')
        server.reload()
        for client in (sockets[0], sockets[2]):
            with pytest.raises(ConnectionClosed) as closed:
                client.recv(PATIENCE)
            assert closed.value.rcvd.code == 4401
        assert "revoked" in server.refusal(first)[2] and "revoked" in server.refusal(old)[2]
        assert [server.ask(token).status for token in (second, new)] == [200, 200]
        server.rights = '[ { can: read, graphs: [acme], nodes: ["user.*"] } ]'
        server.write()
        server.reload()
        for client in (sockets[1], sockets[3]):
            assert json.loads(client.recv(PATIENCE))["code"] == "forbidden"
            client.close()


# MARK: The file


@pytest.mark.parametrize("text, problem", [
    ("", "no issuers"), ("issuers: 7", "must be a list"), ("other: []", "unknown key 'other'"),
    ("issuers: [ {} ]", "needs 'issuer'"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], key: y } ]", "unknown key 'key'"),
    ("issuers: [ { issuer: https://a, audience: [], rights: [] } ]", "'audience' must be"),
    ("issuers: [ { issuer: plant, audience: x, rights: [] } ]", "no URL needs 'keys'"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], keys: /nowhere } ]", "cannot be read"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], ca: /nowhere } ]", "list of authorities"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], keys: 'ftp://a' } ]", "not a URL"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], algorithms: [RS512] } ]", "one of RS256"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], skew: 1h } ]", "at most 10m"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], name: 'a#b' } ]", "without blanks and #"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [ { if: 'claims.' } ] } ]", "yaml:1:"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [ { can: fly } ] } ]", "a right must be"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [ { nodes: '{sub' } ] } ]", "brace"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [ { nodes: '{nobody}' } ] } ]", "nobody"),
    ("issuers: [ { issuer: https://a, audience: x, rights: [], revoked: [ {} ] } ]", "'jti' or 'sub'"),
    (f"issuers: [ {', '.join(['{ issuer: https://a, audience: x, rights: [] }'] * 2)} ]", "given twice"),
])
def test_mistakes_in_the_file_are_named(tmp_path, text, problem):
    (tmp_path / "issuers.yaml").write_text(text)
    with pytest.raises(AssertionError) as failed:
        Server({"acme": PLANT}, f"issuers: {tmp_path}/issuers.yaml\n")
    assert "issuers.yaml" in str(failed.value)
    assert problem in str(failed.value), failed.value


# MARK: Behind nginx


@nginx.needed
def test_two_servers_behind_nginx_and_a_client_that_renews(tmp_path, issuer):
    file = tmp_path / "issuers.yaml"
    file.write_text(
        f"issuers:\n  - issuer: {issuer.id}\n    audience: sluice\n    skew: 0\n    name: plant\n"
        f"    roles: claims.realm_access.roles\n    rights: {RIGHTS}"
        "      - { if: sub == \"boss\", can: [admin] }\n"
    )
    config = f"issuers: {file}\n"
    with (
        Redis() as redis,
        Instance(redis, {"acme": PLANT}, config) as one,
        Instance(redis, {"acme": PLANT}, config) as other,
        nginx.Nginx(
            types.SimpleNamespace(url="http://both"),
            f"upstream both {{ server {one.host}:{one.port}; server {other.host}:{other.port}; }}",
        ) as proxy,
    ):
        def bearer(token):
            return {"Authorization": f"Bearer {token}"}

        def listen(token):
            client = connect(f"ws://{proxy.host}:{proxy.port}/v1/ws", additional_headers=bearer(token))
            assert tell(client, op="sub", id=1, graph="acme", node="line.speed", mode="all")["op"] == "snap"
            return client

        path, reader = f"{NODE}/line.speed", bearer(operator(issuer))
        eventually(lambda: proxy.request("GET", path, headers=reader).status == 200)
        clients = [listen(operator(issuer, sub=f"u{number}", lifetime=3)) for number in range(4)]
        count = 60

        def feed():
            for number in range(count):
                token = bearer(operator(issuer, sub="feed"))
                assert proxy.request("POST", f"{NODE}/line.speed", str(number), token).status == 200
                time.sleep(0.1)

        feeding = threading.Thread(target=feed)
        feeding.start()
        seen = {client: [] for client in clients}
        renewed = time.monotonic()
        while min(map(len, seen.values())) < count:
            for number, client in enumerate(clients):
                with contextlib.suppress(TimeoutError):
                    message = json.loads(client.recv(0.02))
                    seen[client] += [each["v"] for each in message.get("d", []) if "v" in each]
                    assert message["op"] in ("upd", "ok", "hb"), message
            if time.monotonic() > renewed + 1:
                renewed = time.monotonic()
                for number, client in enumerate(clients):
                    token = operator(issuer, sub=f"u{number}", lifetime=3)
                    client.send(json.dumps({"op": "auth", "id": 1000 + int(renewed), "token": token}))
        feeding.join(PATIENCE)
        # Longer than two tokens live.
        assert list(seen.values()) == [list(range(count))] * 4
        for client in clients:
            client.send(json.dumps({"op": "auth", "id": 5, "token": operator(issuer, sub="out")}))
            while json.loads(client.recv(PATIENCE)).get("id") != 5:
                pass
        began = time.monotonic()
        body = json.dumps({"issuer": "plant", "sub": "out"})
        headers = {**bearer(operator(issuer, sub="boss")), "Content-Type": "application/json"}
        assert proxy.request("POST", "/v1/revocations", body, headers).status == 201
        for client in clients:
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    client.recv(PATIENCE)
            assert closed.value.rcvd.code == 4401
        # At both servers: nginx has spread the clients.
        assert time.monotonic() - began < 1


@nginx.needed
@pytest.mark.browser
def test_a_page_whose_proxy_signs_people_in(tmp_path, issuer, open_page):
    issuer.signed_in = lambda: operator(issuer, sub="alice", lifetime=3)
    guard = (
        f"location = /oauth2/auth {{ internal; proxy_pass {issuer.address}; proxy_pass_request_body off; "
        'proxy_set_header Content-Length ""; }'
    )
    fields = (
        "auth_request /oauth2/auth; auth_request_set $token $upstream_http_x_auth_request_access_token; "
        'proxy_set_header Authorization "Bearer $token"; proxy_set_header X-Forwarded-Host $http_host;'
    )
    rights = """
      - { can: [read, observe], graphs: [acme] }
      - { if: sub == "feed", graphs: [acme] }
"""
    with (
        Trusting(tmp_path, issuer, "skew: 0", rights, "trustedProxies: [127.0.0.1]\n") as server,
        nginx.Nginx(server, "", guard, fields) as proxy,
    ):
        page = open_page(proxy, "/#/g/acme/values", allow=DOWN)
        expect(row(page, "line.speed")).to_contain_text("5")
        # The token has ended, more than once, and the page has gone on with the next one.
        time.sleep(8)
        server.ask(operator(issuer, sub="feed"), "POST", f"{NODE}/line.speed", "42")
        expect(row(page, "line.speed")).to_contain_text("42")
