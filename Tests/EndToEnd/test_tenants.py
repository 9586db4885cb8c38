"""Two hundred tenants share a server: no route tells one of them anything about another.

The routes are those of `/openapi.json`, which is made from the rows that the server dispatches by,
so a new route is walked as soon as it exists. Each request that names something of another tenant
is sent again with a name that is not in use; both answers must be the same.
"""

import contextlib
import hashlib
import json
import re
import urllib.parse

import pytest
from issuer import Issuer
from sluice import PATIENCE, Server, eventually
from websockets.sync.client import connect

pytestmark = [pytest.mark.long, pytest.mark.first]

TENANTS = [f"t{number:03}" for number in range(200)]
# A hundred nodes each: in a graph of its own, and in one that all share (looking at its past
# builds it again).
OWN, SHARED = 84, 16
# A tenant, one that it must not find, and a name as close to its own that is not in use.
ME, OTHER, GHOST = "t007", "t008", "t00g"
ALL = ["read", "pipe", "set", "observe", "metrics", "dashboards", "admin"]


def nodes_of(tenant, count):
    """Values, a derived node, and a family."""
    lines = [
        f"  {tenant}.n{number:02}: {{ set: any, initial: value-of-{tenant}, history: 3 }}"
        for number in range(count - 2)
    ]
    return [
        *lines,
        f"  {tenant}.sum: {{ from: {tenant}.n00, pipe: [ {{ map: 'value' }} ], title: Sum of {tenant} }}",
        f"  {tenant}.box.{{k}}: {{ set: any }}",
    ]


def token(name):
    return f"slc_the_token_of_{name}"


def entry(name, can, graphs=None, nodes=None):
    digest = hashlib.sha256(token(name).encode()).hexdigest()
    limits = "".join(
        f"\n    {key}: {json.dumps(value)}" for key, value in (("graphs", graphs), ("nodes", nodes)) if value
    )
    return f"  - name: {name}\n    hash: sha256:{digest}\n    can: {json.dumps(can)}{limits}\n"


class Shared(Server):
    """Every tenant has a graph of its own, and its nodes in one graph of all; a token for each of both.

    With an issuer, what a tenant may do follows from claims.
    """

    def __init__(self, folder, issuer=None):
        self.issuer, self.issued = issuer, {}
        entries = [entry("god", ALL)]
        for tenant in TENANTS if issuer is None else []:
            entries += [entry(f"house-{tenant}", ALL, graphs=[f"{tenant}*"]),
                        entry(f"room-{tenant}", ALL, graphs=["sh*"], nodes=[f"{tenant}.*"])]
        (folder / "tokens.yaml").write_text("tokens:\n" + "".join(entries))
        graphs = {
            tenant: f"graph: {tenant}\ntitle: Of {tenant}\nnodes:\n" + "\n".join(nodes_of(tenant, OWN))
            for tenant in TENANTS
        }
        graphs["shared"] = "graph: shared\ntitle: Of all\nnodes:\n" + "\n".join(
            line for tenant in TENANTS for line in nodes_of(tenant, SHARED))
        config = f"auth: {folder}/tokens.yaml\n"
        if issuer:
            (folder / "issuers.yaml").write_text(
                f"""
                issuers:
                  - issuer: {issuer.id}
                    audience: sluice
                    rights:
                      - if: claims.kind == "house"
                        can: {json.dumps(ALL)}
                        graphs: ["{{claims.tenant}}*"]
                      - if: claims.kind == "room"
                        can: {json.dumps(ALL)}
                        graphs: ["sh*"]
                        nodes: ["{{claims.tenant}}.*"]
                """
            )
            config += f"issuers: {folder}/issuers.yaml\n"
        super().__init__(graphs, config, keeps=True)

    def token(self, name):
        if self.issuer is None or name == "god":
            return token(name)
        if name not in self.issued:
            kind, tenant = name.split("-")
            self.issued[name] = self.issuer.token(sub=name, lifetime=7200, kind=kind, tenant=tenant)
        return self.issued[name]

    def ask(self, who, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request(method, path, body, {"Authorization": f"Bearer {self.token(who)}", **headers})

    def socket(self, who):
        return connect(f"ws://{self.host}:{self.port}/v1/ws", subprotocols=["sluice.v1.json"],
                       additional_headers={"Authorization": f"Bearer {self.token(who)}"})


def tell(socket, **message):
    socket.send(json.dumps(message))
    return json.loads(socket.recv(PATIENCE))


@pytest.fixture(scope="module", params=["tokens", "claims"])
def shared(request, tmp_path_factory):
    with contextlib.ExitStack() as stack:
        issuer = None
        if request.param == "claims":
            issuer = stack.enter_context(Issuer())
            issuer.add("ES256")
        server = stack.enter_context(Shared(tmp_path_factory.mktemp("tenants"), issuer))
        # What the other one has: members, a dashboard in the name of its graph, a connection.
        for graph in (OTHER, "shared"):
            assert (
                server.ask(
                    "god", "POST", f"/v1/graphs/{graph}/nodes/{OTHER}.box.a", f'"value-of-{OTHER}"'
                ).status
                == 200
            )
            assert (
                server.ask(
                    "god", "POST", f"/v1/graphs/{graph}/nodes/{OTHER}.n00", f'"later-value-of-{OTHER}"'
                ).status
                == 200
            )
        board = json.dumps({"v": 1, "title": f"Board of {OTHER}", "graph": OTHER, "widgets": []})
        assert (
            server.ask(
                "god", "PUT", f"/v1/dashboards/board-{OTHER}", board, Content_Type="application/json"
            ).status
            == 201
        )
        with server.socket(f"house-{OTHER}") as one, server.socket(f"room-{OTHER}") as two:
            server.session = tell(one, op="hello", id=1, client=f"client-of-{OTHER}")["session"]
            assert (
                tell(one, op="sub", id=2, graph=OTHER, nodes=[f"{OTHER}.*"], owner=f"owner-of-{OTHER}")["op"]
                == "snap"
            )
            assert (
                tell(two, op="sub", id=2, graph="shared", node=f"{OTHER}.n00", owner=f"owner-of-{OTHER}")[
                    "op"
                ]
                == "snap"
            )
            yield server


def routes(server):
    document = json.loads(server.get("/openapi.json").body)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in ("get", "put", "post", "patch", "delete"):
                yield method.upper(), path, operation


def targets(path, tenant, session):
    """The paths in which a route can name something of that tenant."""
    graphs = [tenant, "shared"] if "{n}" in path or path.startswith("/v1/graphs/{g}/") else [tenant]
    for graph in graphs if "{g}" in path else [""]:
        nodes = [f"{tenant}.n00", f"{tenant}.sum", f"{tenant}.box.a"] if "{n}" in path else [""]
        for node in nodes:
            yield (path.replace("{g}", graph).replace("{n}", node).replace("{d}", f"board-{tenant}")
                   .replace("{c}", session))


def queries(operation, tenant):
    """Each query parameter with what could reveal that tenant."""
    names = [f"{tenant}.n00", f"{tenant}.*", "*"]
    words = {
        "nodes": names, "match": names, "node": names[:1], "around": names[:1],
        "after": ["shared", f"{tenant}.n01"], "pipe": ['[{"map":"value"}]'], "at": ["1"],
        "format": ["json", "dot", "mermaid"], "limit": ["100"], "since": ["0"], "dry_run": ["1"],
        "adopt": ["1"],
    }
    yield {}
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query":
            for word in words.get(parameter["name"], ["1"]):
                yield (
                    {"node": names[0], parameter["name"]: word}
                    if "/events" in operation["path"]
                    else {parameter["name"]: word}
                )


def bodies(operation, tenant):
    """Bodies that name something of that tenant, for routes that have one."""
    node = f"{tenant}.n00"
    by_name = {
        "batch": [
            {"set": {node: 1}},
            {"clear": [node]},
            {"set": {f"{ME}.n00": 1}, "if": {node: {"v": f"value-of-{tenant}"}}},
        ],
        "evaluate": [
            {"node": node},
            {"combine": {"a": node}, "map": "a"},
            {"all": f"{tenant}.*"},
            {"all": "*"},
        ],
        "defineGraph": [{"nodes": {"x": {"set": "any"}}}],
        "saveDashboard": [{"v": 1, "graph": tenant, "widgets": []}],
        "signIn": [{"token": token(f"nobody-{tenant}")}],
    }
    if "requestBody" not in operation:
        return [None]
    return [json.dumps(body) for body in by_name.get(operation["operationId"], [{"v": 1}])]


def requests(server, tenant, session):
    for method, path, operation in routes(server):
        operation["path"] = path
        types = list(operation.get("requestBody", {}).get("content", {}))
        for target in targets(path, tenant, session):
            for query in queries(operation, tenant):
                for body in bodies(operation, tenant):
                    encoded = urllib.parse.urlencode(query)
                    yield method, target + (f"?{encoded}" if encoded else ""), body, types[:1]


def of_others(text, me=ME):
    """The tenants other than `me` that the text names."""
    return {name for name in re.findall(r"t\d\d\d(?!\d)", steady(text)) if name != me and name in TENANTS}


VOLATILE = ("Date", "Content-Length")


def shown(answer):
    """All of an answer that may say something."""
    fields = [f"{name}: {value}" for name, value in answer.headers.items() if name not in VOLATILE]
    return "\n".join([str(answer.status), *fields, answer.body.decode("utf-8", "replace")])


def steady(text):
    """Without what differs between any two answers."""
    return re.sub(r'"(epoch|rev|t|c|tc)":("\w+"|\d+)|[a-z0-9]{10}:\d+', "*", text)


@pytest.mark.parametrize("me", [f"house-{ME}", f"room-{ME}"])
def test_no_route_tells_one_tenant_of_another(shared, me):
    def ask(method, target, body, types):
        return shared.ask(me, method, target, body, **({"Content_Type": types[0]} if types else {}))

    walked, before = 0, state(shared)
    for (method, target, body, types), ghost in zip(
            requests(shared, OTHER, shared.session), requests(shared, GHOST, "c:999999"), strict=True):
        if "/v1/ws" in target or (method, target) == ("DELETE", "/v1/session"):
            continue
        found, missing = shown(ask(method, target, body, types)), shown(ask(*ghost))
        if OTHER not in f"{target} {body}" and shared.session not in target:
            # The request names no other tenant: neither may the answer.
            assert not of_others(found), (method, target, found)
        elif method == "PUT" and "/dashboards/" in target:
            # Dashboards have their names in common: one that is in use is refused.
            assert found.startswith("403") and not of_others(found.replace(target, "")) - {OTHER}, found
        else:
            # A reply may repeat what was sent, and says the same as of a name that is not in use.
            same = missing.replace(GHOST, OTHER).replace("c:999999", shared.session)
            assert steady(found) == steady(same), (method, target, body)
            assert not of_others(found) - {OTHER}, (method, target, found)
        walked += 1
    # What it reads of its own; a stream of events does not end.
    for method, target, body, types in requests(shared, ME, "c:999999"):
        if method == "GET" and "/events" not in target and "/v1/ws" not in target:
            assert not of_others(shown(ask(method, target, body, types))), target
            walked += 1
    assert walked > 200
    assert state(shared) == before, "nothing of the other one has changed"


def state(server):
    """What the other tenant has, as one who may see all sees it."""
    texts = [server.ask("god", "GET", path).body.decode() for path in (
        f"/v1/graphs/{OTHER}/definition", f"/v1/dashboards/board-{OTHER}", f"/v1/graphs/{OTHER}/values",
        f"/v1/graphs/shared/values?nodes={OTHER}.*")]
    listed = server.ask("god", "GET", "/v1/connections").json()["connections"]
    return [steady(text) for text in texts], sorted(each["c"] for each in listed if each.get("subscriptions"))


@pytest.mark.parametrize("me", [f"house-{ME}", f"room-{ME}"])
def test_no_message_tells_one_tenant_of_another(shared, me):
    def about(tenant):
        node = f"{tenant}.n00"
        for graph in (tenant, "shared"):
            for fields in (
                {"op": "get", "node": node},
                {"op": "get", "nodes": [f"{tenant}.*"]},
                {"op": "sub", "node": node},
                {"op": "sub", "combine": {"a": node}, "map": "a"},
                {"op": "sub", "all": f"{tenant}.*"},
                {"op": "set", "set": {node: 1}},
                {"op": "set", "clear": [node]},
                {"op": "set", "set": {f"{ME}.n00": 1}, "if": {node: {"v": 1}}},
                {"op": "drop", "node": f"{tenant}.box.a"},
                {"op": "load", "node": node, "error": {"code": "x"}},
                {"op": "demand", "node": node},
                {"op": "observe"},
            ):
                yield {**fields, "graph": graph}

    with shared.socket(me) as client:
        for number, (other, ghost) in enumerate(zip(about(OTHER), about(GHOST), strict=True)):
            found = json.dumps(tell(client, id=4 * number + 1, **other)).replace(
                f'"id": {4 * number + 1}', "id"
            )
            missing = json.dumps(tell(client, id=4 * number + 2, **ghost)).replace(
                f'"id": {4 * number + 2}', "id"
            )
            assert steady(found) == steady(missing.replace(GHOST, OTHER)), (other, found)
            assert not of_others(found) - {OTHER}, found
        own = "shared" if me.startswith("room") else ME
        for number, fields in enumerate(
            [
                {"op": "list"},
                {"op": "get", "graph": own},
                {"op": "sub", "graph": own, "nodes": ["*"]},
                {"op": "sub", "graph": own, "all": "*"},
                {"op": "demand", "graph": own, "nodes": ["*"]},
            ]
        ):
            found = json.dumps(tell(client, id=1000 + number, **fields))
            assert not of_others(found), (fields, found)


def test_what_a_tenant_has_it_finds(shared):
    """The walk would find nothing on a server that refuses everything."""
    own = shared.ask(f"house-{ME}", "GET", "/v1/graphs").json()["graphs"]
    assert [(graph["graph"], graph["nodes"]) for graph in own] == [(ME, OWN - 1)]
    own = shared.ask(f"room-{ME}", "GET", "/v1/graphs").json()["graphs"]
    assert [(graph["graph"], graph["nodes"]) for graph in own] == [("shared", SHARED - 1)]
    metrics = shared.ask(f"house-{ME}", "GET", "/metrics").body.decode()
    assert f'sluice_nodes{{graph="{ME}"}}' in metrics and "shared" not in metrics
    assert shared.ask(f"house-{ME}", "GET", f"/v1/graphs/{ME}/definition").status == 200
    assert shared.ask(f"room-{ME}", "GET", "/v1/graphs/shared/definition").status == 403
    with shared.socket(f"house-{ME}") as client, shared.socket("god") as god:
        tell(client, op="sub", id=1, graph=ME, node=f"{ME}.n00", owner="panel")
        tell(god, op="sub", id=1, graph=ME, node=f"{ME}.n00")
        tell(god, op="sub", id=2, graph=OTHER, nodes=["*"], owner="hidden")
        eventually(
            lambda: len(shared.ask(f"house-{ME}", "GET", "/v1/connections").json()["connections"]) == 2
        )
        listed = shared.ask(f"house-{ME}", "GET", "/v1/connections").json()["connections"]
        assert [each["subscriptions"] for each in listed] == [[{"graph": ME, "count": 1}]] * 2
        assert sorted(each.get("owners", []) for each in listed) == [[], ["panel"]]
        assert shared.ask(f"house-{ME}", "DELETE", f"/v1/connections/{listed[0]['c']}").status == 403
        everything = shared.ask("god", "GET", "/v1/connections").json()["connections"]
        assert [{"graph": OTHER, "count": 1}, {"graph": ME, "count": 1}] in [
            sorted(each.get("subscriptions", []), key=lambda row: row["graph"], reverse=True)
            for each in everything
        ]


def test_a_dashboard_of_another_stays_and_its_graph_is_not_named(shared):
    board = json.dumps({"v": 1, "graph": ME, "widgets": []})
    answer = shared.ask(
        f"house-{ME}", "PUT", f"/v1/dashboards/board-{OTHER}", board, Content_Type="application/json"
    )
    assert (answer.status, answer.json()["code"]) == (403, "forbidden")
    assert not of_others(answer.body.decode()), answer
    assert shared.ask("god", "GET", f"/v1/dashboards/board-{OTHER}").json()["graph"] == OTHER
