"""Browsers that sign in: a cookie instead of a token."""

import json
import time

from access import NODE, Guarded, tell


def test_a_browser_signs_in_and_out(guarded):
    answer = guarded.request("POST", "/v1/session", json.dumps({"token": guarded.tokens["bob"]}))
    assert answer.status == 204
    field = answer.headers["Set-Cookie"]
    assert "HttpOnly" in field and "SameSite=Strict" in field and "Path=/" in field and "Secure" not in field
    cookie = field.split(";")[0]
    assert guarded.tokens["bob"] not in cookie
    assert (
        guarded.request("GET", f"{NODE}/room.temp", headers={"Cookie": f"a=b; {cookie}; c=d"}).status == 200
    )
    assert guarded.request("GET", f"{NODE}/secret", headers={"Cookie": cookie}).status == 404
    with guarded.socket(cookie=cookie) as client:
        assert tell(client, op="sub", id=1, graph="house", node="room.temp")["v"] == 20
    # A page of another site may not use it.
    answer = guarded.request(
        "POST", "/v1/graphs/open/nodes/x", "5", {"Cookie": cookie, "Origin": "https://evil.example"}
    )
    assert answer.status == 403
    answer = guarded.request("DELETE", "/v1/session", headers={"Cookie": cookie})
    assert answer.status == 204 and "Max-Age=0" in answer.headers["Set-Cookie"]
    assert guarded.request("GET", f"{NODE}/room.temp", headers={"Cookie": cookie}).status == 401
    for body in ('{"token":"slc_wrong_wrong_wrong"}', '{"token":""}'):
        assert guarded.request("POST", "/v1/session", body).status == 401
    assert guarded.request("POST", "/v1/session", '{"token":7}').status == 400
    assert guarded.request("POST", "/v1/session", "no json").status == 400
    # With an old cookie the page can still say hello.
    with guarded.socket(cookie=cookie) as client:
        assert tell(client, op="hello", id=1, token=guarded.tokens["bob"])["op"] == "hello"


def test_sessions_of_browsers_are_few_and_end(tmp_path):
    def sign_in(server):
        answer = server.request("POST", "/v1/session", json.dumps({"token": server.tokens["bob"]}))
        return {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}

    def status(server, cookie):
        return server.request("GET", f"{NODE}/room.temp", headers=cookie).status

    with Guarded(tmp_path, config="# fixed: limits.sessions=2") as server:
        first, second = sign_in(server), sign_in(server)
        time.sleep(0.01)
        assert status(server, first) == 200
        third = sign_in(server)
        assert [status(server, cookie) for cookie in (first, second, third)] == [200, 401, 200], (
            "the one unused for longest went"
        )
    with Guarded(tmp_path, config="# fixed: limits.sessions=4") as server:
        first = sign_in(server)
        for _ in range(20):
            server.request("POST", "/v1/session", json.dumps({"token": server.tokens["alice"]}))
        assert status(server, first) == 200, "who signs in again and again ends its own sessions"
    with Guarded(tmp_path, config="times: { session: 2s }") as server:
        cookie = sign_in(server)
        assert status(server, cookie) == 200
        time.sleep(2.2)
        assert status(server, cookie) == 401
