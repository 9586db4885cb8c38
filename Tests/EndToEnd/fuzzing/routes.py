"""A random request for each route: a table by the name that /openapi.json has for it."""

import collections
import time
from urllib.parse import quote

from fuzzing import content
from fuzzing.world import FILED, GRAPHS, compact

# `body` is bytes or None. `graph` is the one that it is about, for what its answer teaches.
Request = collections.namedtuple("Request", "method target headers body graph", defaults=((), None, None))
JSON = ("Content-Type", "application/json")
DASHBOARDS = ["one", "two"]


def _node_path(maker, node=None):
    graph = maker.graph()
    return graph, f"/v1/graphs/{graph}/nodes/{node or maker.node()}"


def _past(maker, graph, first="?"):
    """The query of a look at the past, or after a commit; empty most of the time where the server
    has no past."""
    if maker.chance(0.05):
        return f"{first}after={maker.epoch(graph)}:{maker.rev(graph)}"
    if not maker.chance(0.35):
        return ""
    if maker.chance(0.3):
        now = int(time.time() * 1000)
        ages = ["", "nope", "-1", "2026-01-31T12:00:00Z", now, now - maker.rng.randint(-1000, 20_000)]
        return f"{first}at=@{maker.rng.choice(ages)}"
    epoch = f"&epoch={maker.epoch(graph)}" if maker.chance(0.3) else ""
    return f"{first}at={maker.rev(graph)}{epoch}"


def _read_headers(maker, graph):
    drawn = maker.rng.random()
    if drawn < 0.1:
        return (("If-None-Match", f'"{maker.epoch(graph)}:{maker.rev(graph)}"'),)
    if drawn < 0.13:
        return (
            ("If-None-Match", f'"{maker.epoch(graph)}:{maker.rev(graph)}"'),
            ("Prefer", f"wait={maker.rng.choice([0, 0, 1])}"),
        )
    return ()


def _set_headers(maker, graph):
    drawn, tag = maker.rng.random(), f'"{maker.epoch(graph)}:{maker.rev(graph)}"'
    if drawn < 0.6:
        return ()
    return maker.rng.choice(
        [
            (("If-Match", tag),),
            (("If-None-Match", "*"),),
            (("Prefer", "return=minimal"),),
            (("If-Match", "*"),),
            (("Idempotency-Key", f"k{maker.rng.randint(0, 200)}"),),
            (("Sluice-Context", '{"src":"fuzz"}'),),
            (("Sluice-Path", maker.rng.choice(['["s/g/x"]', "[1]", "{", '["?1","a/b"]'])),),
        ]
    )


def _dashboard(maker):
    widgets = [
        {"kind": kind, "node": maker.node(), "x": 0, "y": y}
        for y, kind in enumerate(maker.rng.sample(["number", "gauge", "lamp"], 2))
    ]
    return {"v": 1, "title": maker.rng.choice(["One", "Ä"]), "graph": maker.graph(), "widgets": widgets}


def list_graphs(maker):
    return Request("GET", "/v1/graphs")


def describe_graph(maker):
    graph = maker.graph()
    return Request("GET", f"/v1/graphs/{graph}", (), None, graph)


def define_graph(maker, graph=None):
    rng, graph = maker.rng, graph or maker.rng.choice([maker.favourite, *GRAPHS])
    if maker.chance(0.02):
        graph = FILED
    query = rng.choices(["", "?dry_run=1", "?adopt=0"], [90, 8, 2])[0]
    body = compact(maker.world.definition(rng, graph))
    condition = rng.choices([(), (("If-None-Match", "*"),), (("If-Match", '"0123"'),)], [95, 3, 2])[0]
    kind = rng.choices([JSON, ("Content-Type", "application/yaml")], [90, 10])[0]
    return Request("PUT", f"/v1/graphs/{graph}{query}", (kind, *condition), body.encode(), graph)


def remove_graph(maker):
    graph = maker.favourite if maker.chance(0.7) else maker.graph()
    return Request("DELETE", f"/v1/graphs/{graph}")


def read_values(maker):
    graph = maker.graph()
    chosen = ",".join(
        maker.rng.choice(content.GLOBS) if maker.chance(0.4) else maker.node()
        for _ in range(maker.rng.randint(1, 3))
    )
    others = maker.rng.choice(["", "", "&facets=1", "&load=1"])
    return Request(
        "GET", f"/v1/graphs/{graph}/values?nodes={quote(chosen)}{others}{_past(maker, graph, '&')}", (), None,
        graph,
    )


def list_nodes(maker):
    graph = maker.graph()
    match = f"match={quote(maker.rng.choice(content.GLOBS))}&" if maker.chance(0.7) else ""
    return Request(
        "GET", f"/v1/graphs/{graph}/nodes?{match}limit={maker.rng.randint(1, 20)}&next={maker.node()}", (),
        None, graph,
    )


def read_node(maker):
    graph, path = _node_path(maker)
    query = maker.rng.choice(["?facets=1", "?load=1"]) if maker.chance(0.1) else _past(maker, graph)
    return Request("GET", path + query, _read_headers(maker, graph), None, graph)


def set_node(maker, method="POST"):
    graph, path = _node_path(maker, maker.settable())
    return Request(
        method, path, (JSON, *_set_headers(maker, graph)), compact(content.value(maker.rng)).encode(), graph
    )


def put_node(maker):
    return set_node(maker, "PUT")


def patch_node(maker):
    graph, path = _node_path(maker, maker.settable())
    body = {maker.rng.choice("abc"): content.value(maker.rng) for _ in range(maker.rng.randint(0, 3))}
    return Request(
        "PATCH", path, (("Content-Type", "application/merge-patch+json"), *_set_headers(maker, graph)),
        compact(body).encode(), graph,
    )


def drop_node(maker):
    graph, path = _node_path(maker, maker.rng.choice(content.MEMBERS))
    return Request("DELETE", path, _set_headers(maker, graph), None, graph)


def clear_node(maker):
    graph, path = _node_path(maker, maker.settable())
    return Request("DELETE", path + "/value", _set_headers(maker, graph), None, graph)


def load_node(maker):
    graph, path = _node_path(maker, maker.settable())
    return Request(
        "POST", path + "/load", (JSON, *_set_headers(maker, graph)), compact(maker.report()).encode(), graph
    )


def read_history(maker):
    graph, path = _node_path(maker)
    since = f"since={maker.rev(graph) if maker.chance(0.7) else 0}&" if maker.chance(0.8) else ""
    query = since + maker.rng.choice(["", "limit=3", "facets=1", f"epoch={maker.epoch(graph)}"])
    if maker.chance(0.3):
        end = maker.rng.randint(1, 2**42)
        query = maker.rng.choice(["begin=0", "points=7", f"begin=0&end={end}&points=1"])
    return Request("GET", f"{path}/history?{query}", (), None, graph)


def batch(maker):
    graph = maker.graph()
    return Request("POST", f"/v1/graphs/{graph}/batch", (JSON,), compact(maker.change(graph)).encode(), graph)


def evaluate(maker):
    return Request("POST", f"/v1/graphs/{maker.graph()}/eval", (JSON,), compact(maker.subject()).encode())


def explain_node(maker):
    graph, path = _node_path(maker)
    return Request("GET", f"{path}/explain{_past(maker, graph)}")


def read_definition(maker):
    return Request("GET", f"/v1/graphs/{maker.graph()}/definition")


def reload(maker):
    return Request("POST", "/v1/reload")


def draw_graph(maker):
    graph = maker.graph()
    query = f"format={maker.rng.choice(['json', 'dot', 'mermaid'])}"
    query += maker.rng.choice(["", "&live=1", f"&around={maker.node()}&depth={maker.rng.randint(1, 4)}"])
    return Request("GET", f"/v1/graphs/{graph}/graph?{query}{_past(maker, graph, '&')}")


def explain_life(maker):
    _, path = _node_path(maker)
    return Request("GET", f"{path}/why?limit={maker.rng.choice([1, 16, 100])}")


def list_listeners(maker):
    return Request("GET", f"/v1/graphs/{maker.graph()}/listeners")


def save_dashboard(maker):
    return Request(
        "PUT", f"/v1/dashboards/{maker.rng.choice(DASHBOARDS)}", (JSON,), compact(_dashboard(maker)).encode()
    )


def _dashboard_path(maker):
    return f"/v1/dashboards/{maker.rng.choice(DASHBOARDS)}"


def sign_in(maker):
    return Request(
        "POST", "/v1/session", (JSON,), compact({"token": maker.pick(maker.world.tokens) or "none"}).encode()
    )


def end_connection(maker):
    return Request("DELETE", f"/v1/connections/{maker.pick(maker.world.connections)}")


def make_token(maker):
    body = {"name": maker.rng.choice(["one", "a b", 7]), "can": maker.rng.choice([["read"], ["fly"], "set"])}
    maker.rng.random() < 0.3 and body.update(expires="2020-01-01T00:00:00Z")
    return Request("POST", "/v1/tokens", (JSON,), compact(body).encode())


def flush_graph(maker):
    return Request("POST", f"/v1/graphs/{maker.graph()}/flush?match={quote(maker.rng.choice(content.GLOBS))}")


def wipe_graph(maker):
    return Request("POST", f"/v1/graphs/{maker.graph()}/wipe?match={quote(maker.rng.choice(content.GLOBS))}")


def _plain(path, method="GET"):
    return lambda maker: Request(method, path)


# (how often, what makes the request)
ROUTES = {
    "listGraphs": (1, list_graphs), "describeGraph": (2, describe_graph), "defineGraph": (6, define_graph),
    "removeGraph": (2, remove_graph), "readValues": (6, read_values), "listNodes": (3, list_nodes),
    "readNode": (18, read_node), "setNode": (16, set_node), "putNode": (3, put_node),
    "patchNode": (3, patch_node), "dropNode": (4, drop_node), "clearNode": (3, clear_node),
    "loadNode": (3, load_node), "readHistory": (5, read_history), "batch": (6, batch),
    "evaluate": (6, evaluate), "explainNode": (4, explain_node), "readDefinition": (1, read_definition),
    "reload": (0.5, reload), "drawGraph": (2, draw_graph), "explainLife": (3, explain_life),
    "listListeners": (1, list_listeners), "listOperators": (0.2, _plain("/v1/operators")),
    "listDashboards": (0.5, _plain("/v1/dashboards")),
    "readDashboard": (0.5, lambda maker: Request("GET", _dashboard_path(maker))),
    "saveDashboard": (1, save_dashboard),
    "removeDashboard": (0.5, lambda maker: Request("DELETE", _dashboard_path(maker))),
    "signIn": (0.3, sign_in), "signOut": (0.3, _plain("/v1/session", "DELETE")),
    "listTokens": (0.3, _plain("/v1/tokens")), "makeToken": (0.3, make_token),
    "revokeToken": (0.2, _plain("/v1/tokens/x", "DELETE")),
    "listRevocations": (0.2, _plain("/v1/revocations")),
    "revoke": (0.2, lambda maker: Request("POST", "/v1/revocations", (JSON,), b'{"issuer":"x","jti":"y"}')),
    "takeBackRevocation": (0.2, _plain("/v1/revocations/x", "DELETE")),
    "listConnections": (0.5, _plain("/v1/connections")), "endConnection": (0.3, end_connection),
    "wipeGraph": (1, wipe_graph),
    "flushGraph": (2, flush_graph), "metrics": (0.5, _plain("/metrics")), "health": (0.2, _plain("/healthz")),
    "readiness": (0.2, _plain("/readyz")), "version": (0.2, _plain("/version")),
    "openAPI": (0.1, _plain("/openapi.json")), "backup": (0.3, _plain("/v1/backup")),
}
# Of what these name there is none here.
VAIN = {"revokeToken", "revoke", "takeBackRevocation"}
# These are connections of their own: see clients.py.
STREAMS = {"streamEvents", "openSocket"}
_NAMES = list(ROUTES)
_WEIGHTS = [weight for weight, _ in ROUTES.values()]


def name(maker):
    return maker.rng.choices(_NAMES, _WEIGHTS)[0]


def request(maker, name):
    return ROUTES[name][1](maker)


def encode(request, host, token=None):
    """The bytes of a request."""
    lines = [
        f"{request.method} {request.target} HTTP/1.1", f"Host: {host}",
        *(f"{field}: {value}" for field, value in request.headers),
    ]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if request.body is None:
        return ("\r\n".join(lines) + "\r\n\r\n").encode()
    lines.append(f"Content-Length: {len(request.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + request.body
