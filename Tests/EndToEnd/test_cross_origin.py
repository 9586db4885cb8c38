"""CORS, content codings, and what else travels in header fields."""

import gzip

import pytest
from conftest import CHAIN
from rawsocket import RawSocket
from sluice import ROOT, Server

FRIEND = "https://friend.example"
NODE = "/v1/graphs/g/nodes/x"


@pytest.fixture
def shared():
    with Server(
        {"g": CHAIN}, f"cors: ['{FRIEND}', 'https://reader.example']\norigins: ['{FRIEND}']\n"
    ) as running:
        yield running


def test_without_configuration_no_page_may_read(server):
    answer = server.get(NODE, Origin=FRIEND)
    assert answer.status == 200
    assert "Access-Control-Allow-Origin" not in answer.headers and "Vary" not in answer.headers


def test_friends_may_read_every_kind_of_answer(shared):
    for method, path, status in (
        ("GET", NODE, 200),
        ("GET", "/v1/graphs/none", 404),
        ("GET", "/", 200),
        ("GET", "/v1/graphs", 200),
        ("POST", NODE, 400),
        ("POST", "/v1/graphs", 405),
    ):
        answer = shared.request(method, path, headers={"Origin": FRIEND})
        assert answer.status == status, (method, path)
        assert answer.headers["Access-Control-Allow-Origin"] == FRIEND, (method, path)
        assert "Origin" in ", ".join(answer.headers.get_all("Vary")), (method, path)
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    stranger = shared.get(NODE, Origin="https://other.example")
    assert "Access-Control-Allow-Origin" not in stranger.headers and stranger.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Origin" not in shared.get(NODE).headers
    assert shared.get(NODE).headers["Vary"] == "Origin", "also what is asked for without an origin"


def preflight(server, origin, method="PUT"):
    return server.request(
        "OPTIONS", NODE,
        headers={
            "Origin": origin, "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "content-type,if-match",
        },
    )


def test_preflights(shared):
    answer = preflight(shared, FRIEND)
    assert answer.status == 204 and answer.headers["Access-Control-Max-Age"] == "600"
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"] and answer.headers["Allow"]
    assert {"Content-Type", "If-Match", "Authorization"} <= set(
        answer.headers["Access-Control-Allow-Headers"].split(", ")
    )
    reader = preflight(shared, "https://reader.example")
    assert reader.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS", "it may read, not write"
    refused = shared.request("PUT", NODE, "1", {"Origin": "https://reader.example"})
    assert (
        refused.status == 403 and refused.headers["Access-Control-Allow-Origin"] == "https://reader.example"
    )
    assert "Access-Control-Allow-Methods" not in preflight(shared, "https://other.example").headers
    assert shared.request("PUT", NODE, "1", {"Origin": FRIEND}).status == 200


def test_every_answer_is_for_the_origin_of_its_own_request(shared):
    """Also those on a connection that has served another origin, and those to what could not be read."""
    def allowed(request):
        peer.send(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: {FRIEND}\r\n\r\n")
        assert peer.response()[1]["access-control-allow-origin"] == FRIEND
        peer.send(request)
        return peer.response()[1].get("access-control-allow-origin")

    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    waiting = "Expect: 100-continue\r\nContent-Length: 5\r\n"
    for origin in ("https://reader.example", None):
        field = f"Origin: {origin}\r\n" if origin else ""
        for start, fields in (("GET /healthz", ""), ("POST /nowhere", waiting), ("GET /nowhere", upgrade)):
            with RawSocket(shared) as peer:
                assert allowed(f"{start} HTTP/1.1\r\nHost: localhost\r\n{field}{fields}\r\n") == origin, (
                    start, origin,
                )
        with RawSocket(shared) as peer:
            assert allowed(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{field}no field\r\n\r\n") is None


def test_a_star_is_everybody():
    with Server({"g": CHAIN}, "cors: ['*']\n") as server:
        assert (
            server.get(NODE, Origin="https://a.example").headers["Access-Control-Allow-Origin"]
            == "https://a.example"
        )


def test_files_are_compressed_for_those_who_take_it(server):
    plain = server.get("/app.js")
    assert "Content-Encoding" not in plain.headers and plain.headers["Vary"] == "Accept-Encoding"
    coded = server.get("/app.js", Accept_Encoding="br, gzip;q=0.5")
    assert coded.headers["Content-Encoding"] == "gzip" and coded.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(coded.body) == plain.body == (ROOT / "public/app.js").read_bytes()
    assert len(coded.body) < len(plain.body) and int(coded.headers["Content-Length"]) == len(coded.body)
    assert coded.headers["ETag"] == plain.headers["ETag"][:-1] + '-gz"'
    assert server.get("/app.js", Accept_Encoding="gzip").body == coded.body, "the same bytes again"
    for refused in ("gzip;q=0", "identity", "br"):
        assert "Content-Encoding" not in server.get("/app.js", Accept_Encoding=refused).headers, refused
    head = server.request("HEAD", "/app.js", headers={"Accept-Encoding": "gzip"})
    assert head.body == b"" and head.headers["Content-Length"] == coded.headers["Content-Length"]
    for tag, encoding, status in (
        (coded.headers["ETag"], "gzip", 304),
        (plain.headers["ETag"], "identity", 304),
        (plain.headers["ETag"], "gzip", 200),
        (coded.headers["ETag"], "identity", 200),
    ):
        assert server.get("/app.js", If_None_Match=tag, Accept_Encoding=encoding).status == status, (
            tag, encoding,
        )
    assert server.request("OPTIONS", "/app.js").headers["Allow"] == "GET, HEAD, OPTIONS"
    assert server.request("DELETE", "/app.js").status == 405


def test_pictures_by_accept(server):
    def picture(accept):
        return server.get("/v1/graphs/g/graph", **({"Accept": accept} if accept else {}))

    for accept, kind in (
        (None, "application/json"),
        ("*/*", "application/json"),
        ("text/vnd.graphviz", "text/vnd.graphviz"),
        ("application/json;q=0.3, text/vnd.graphviz;q=0.5", "text/vnd.graphviz"),
        ("text/vnd.mermaid", "text/vnd.mermaid"),
        ("text/vnd.graphviz;q=0.2, text/*", "text/vnd.mermaid"),
        ("application/*", "application/json"),
    ):
        answer = picture(accept)
        assert answer.status == 200 and answer.headers["Content-Type"].startswith(kind), accept
        assert "Accept" in answer.headers["Vary"]
    refused = picture("image/png")
    assert (
        refused.status == 406
        and refused.json()["code"] == "not_acceptable"
        and "Accept" in refused.headers["Vary"]
    )
    assert server.get("/v1/graphs/g/graph?format=png").status == 406
