"""What clients see when a real nginx stands between them and the server."""

import json

import nginx
from sluice import Server

pytestmark = nginx.needed

GRAPH = "graph: g\nnodes:\n  x: { set: any, initial: 1 }\n"
BOARD = {
    "v": 1, "title": "One", "graph": "g",
    "widgets": [{"kind": "text", "text": "long enough to be compressed " * 9}],
}
COMPRESSING = "gzip on; gzip_proxied any; gzip_min_length 1; gzip_types application/json;"


def test_a_tag_that_compression_made_weak_still_saves(tmp_path):
    """W-115"""
    with (
        Server({"g": GRAPH}, f"dashboards: {tmp_path}\n") as server,
        nginx.Nginx(server, COMPRESSING) as proxy,
    ):
        board, zipped = "/v1/dashboards/one", {"Accept-Encoding": "gzip"}
        assert (
            proxy.request("PUT", board, json.dumps(BOARD), {"Content-Type": "application/json"}).status == 201
        )
        read = proxy.request("GET", board, headers=zipped)
        tag = read.headers["ETag"]
        assert read.headers["Content-Encoding"] == "gzip" and tag.startswith('W/"')
        assert proxy.request("GET", board, headers={**zipped, "If-None-Match": tag}).status == 304
        title = json.dumps({**BOARD, "title": "Two"})
        assert (
            proxy.request("PUT", board, title, {"Content-Type": "application/json", "If-Match": tag}).status
            == 204
        )
        assert (
            proxy.request("PUT", board, title, {"Content-Type": "application/json", "If-Match": tag}).status
            == 412
        )

        node, value = "/v1/graphs/g/nodes/x", json.dumps(["a value " * 9])
        assert proxy.request("PUT", node, value).status == 200
        tag = proxy.request("GET", node, headers=zipped).headers["ETag"]
        assert tag.startswith('W/"')
        assert proxy.request("PUT", node, "2", {"If-Match": tag}).status == 200
        assert proxy.request("PUT", node, "3", {"If-Match": tag}).status == 412

        graph = "/v1/graphs/g"
        tag = proxy.request("GET", f"{graph}/definition", headers=zipped).headers["ETag"]
        assert tag.startswith('W/"')
        changed = GRAPH + "  y: { set: any }\n"
        assert proxy.request("PUT", f"{graph}?adopt=1", changed, {"If-Match": tag}).status == 200
        assert proxy.request("PUT", graph, GRAPH, {"If-Match": tag}).status == 412
