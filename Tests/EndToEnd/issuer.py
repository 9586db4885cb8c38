"""An issuer of tokens, as Keycloak and Auth0 are: its keys at an address, and tokens in their shape."""

import base64
import http.server
import json
import threading
import time
import uuid

import jwt
from joserfc import jwk, jws

ALGORITHMS = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP", "HS256": "oct"}


def make_key(algorithm, kid):
    """A private key; the JSON says what it is for, as issuers do."""
    kind = ALGORITHMS[algorithm]
    size = {"RSA": 2048, "EC": "P-256", "OKP": "Ed25519", "oct": 256}[kind]
    maker = {"RSA": jwk.RSAKey, "EC": jwk.ECKey, "OKP": jwk.OKPKey, "oct": jwk.OctKey}[kind]
    return maker.generate_key(size, {"kid": kid, "alg": algorithm, "use": "sig"}, private=True)


def by_joserfc(header, claims, key):
    payload = json.dumps(claims).encode()
    return jws.serialize_compact(header, payload, key, algorithms=[*ALGORITHMS])


def by_pyjwt(header, claims, key):
    private = key.raw_value if key.key_type == "oct" else key.private_key
    return jwt.encode(claims, private, algorithm=header["alg"], headers=header)


class Issuer:
    """Serves metadata and keys, and signs tokens."""

    def __init__(self, path="/realms/plant"):
        self.keys, self.published = {}, []
        # How often keys were asked for, and how the answer is spoilt; it waits for the event.
        self.asked, self.body, self.status = 0, None, 200
        self.answers = threading.Event()
        self.answers.set()
        # The token that a proxy shows which has signed a browser in; `None`: it has not.
        self.signed_in = lambda: None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == f"{path}/.well-known/openid-configuration":
                    answer = {"issuer": outer.id, "jwks_uri": f"{outer.address}/certs?p=1"}
                elif self.path == "/oauth2/auth":
                    token = outer.signed_in()
                    self.send_response(202 if token else 401)
                    self.send_header("X-Auth-Request-Access-Token", token or "")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                elif self.path == "/certs?p=1":
                    outer.asked += 1
                    outer.answers.wait()
                    answer = outer.key_set()
                else:
                    return self.send_error(404)
                body = outer.body if outer.body is not None and "certs" in self.path else json.dumps(answer)
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.handler, self.port = Handler, 0
        self.start()
        self.id = f"{self.address}{path}"

    def start(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.port = self.server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()

    def stop(self):
        """Nobody answers at its address until it is started again."""
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def add(self, algorithm, kid=None, published=True):
        kid = kid or f"{algorithm}-{len(self.keys)}"
        self.keys[kid] = make_key(algorithm, kid)
        if published:
            self.published.append(kid)
        return kid

    def key_set(self):
        return {"keys": [self.keys[kid].as_dict(private=False) for kid in self.published]}

    def claims(self, sub="alice", lifetime=300, **claims):
        """What tokens of Keycloak have; `None` leaves a claim out."""
        now = int(time.time())
        all_claims = {
            "exp": now + lifetime, "iat": now, "auth_time": now, "jti": str(uuid.uuid4()),
            "iss": self.id, "aud": ["sluice", "account"], "sub": sub, "typ": "Bearer", "azp": "dashboard",
            "sid": str(uuid.uuid4()), "acr": "1", "allowed-origins": ["https://plant.example.org"],
            "realm_access": {"roles": ["offline_access", "uma_authorization"]},
            "resource_access": {"account": {"roles": ["manage-account", "view-profile"]}},
            "scope": "openid profile email", "email_verified": True, "preferred_username": sub,
            **claims,
        }
        return {name: value for name, value in all_claims.items() if value is not None}

    def token(self, sub="alice", kid=None, sign=by_joserfc, header=None, **claims):
        kid = kid or self.published[0]
        key = self.keys[kid]
        full = {"alg": key.as_dict()["alg"], "typ": "JWT", "kid": kid, **(header or {})}
        full = {name: value for name, value in full.items() if value is not None}
        return sign(full, self.claims(sub, **claims), key)


def encoded(part):
    raw = part if isinstance(part, bytes) else json.dumps(part).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def assembled(header, claims, signature=b"none"):
    """A token of any parts, as nobody who is honest makes one."""
    return ".".join([encoded(header), encoded(claims), encoded(signature)])
