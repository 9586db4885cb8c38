"""What upstreams are open is bounded for each principal, and can be seen: in pictures, with `why`, in
lists and in the audit."""

import json

import pytest

from rawsocket import RawWebSocket
from sluice import eventually
from test_sources import config, definition, listening, open_upstreams, serve
from upstream import Upstream


@pytest.fixture
def upstream():
    running = Upstream()
    yield running
    running.close()


def members(call):
    names = call.path.split("ids=")[1].split(",")
    call.reply({name: len(name) for name in names})


FAMILY = (
    '  far.{id}: { source: { get: "met:/far?ids={id*}", every: 1h, pick: "value[key.id]" } }\n'
    '  near.{id}: { from: "far.{id}", pipe: [ { map: value * 10 } ] }\n'
)


# Bounds


def test_s_7_what_one_principal_keeps_wanted_is_bounded(upstream):
    """S-7: limits.wanted."""
    upstream.answer = members
    with serve(upstream, FAMILY, "limits: { wanted: 2 }\n") as server, RawWebSocket(server) as peer:
        peer.text({"op": "sub", "id": 1, "graph": "g", "nodes": ["near.a", "far.bb"]})
        answer = peer.message()
        assert answer["op"] == "snap", answer
        peer.text({"op": "sub", "id": 2, "graph": "g", "node": "near.a"})
        eventually(lambda: any(message.get("id") == 2 for message in [peer.message()]))
        # Without tokens all clients count together.
        refused = server.get("/v1/graphs/g/events?node=far.c")
        assert (refused.status, refused.json()["code"]) == (429, "sub_limit")
        assert "limits.wanted" in refused.json()["hint"]
        assert server.get("/v1/graphs/g/nodes/far.c?load=1").status == 429
        assert not any("c" in path.split("ids=")[1] for path in upstream.paths)
        peer.reset()
        eventually(lambda: server.get("/v1/graphs/g/nodes/far.c?load=1").status == 200)
