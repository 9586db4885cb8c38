"""What tests of source nodes share: a server with one graph, and what it shows of its upstreams."""

import contextlib

from rawsocket import RawWebSocket
from sluice import Server

# Short and narrow, for upstreams that mean no good.
BOUNDS = "limits: {}\n# fixed: times.source=1s\n# fixed: limits.sourceBody=100KiB\n"


def definition(upstream, nodes, headers="{}"):
    return f'upstreams: {{ met: {{ url: "{upstream.url}/v2", headers: {headers} }} }}\nnodes:\n{nodes}'


def config(upstream):
    return f'sourceHosts: ["127.0.0.1:{upstream.port}"]\n'


def serve(upstream, nodes, more="", headers="{}", **options):
    graph = definition(upstream, nodes, headers)
    return Server({"g": graph}, config(upstream) + more, **options)


def state(server, node):
    return server.get(f"/v1/graphs/g/nodes/{node}?facets=1").json().get("state", {})


def held(server, node):
    """The node's value; 0 while it has none."""
    answer = server.get(f"/v1/graphs/g/nodes/{node}")
    return answer.json() if answer.status == 200 else 0


def open_upstreams(server):
    return server.get("/v1/graphs/g").json().get("upstreams", [])


@contextlib.contextmanager
def listening(server, node="x", **options):
    with RawWebSocket(server) as peer:
        yield peer, peer.subscribe("g", node, **options)
