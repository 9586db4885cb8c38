"""The state of a server on which no client is left: before a round and after it, both are the same.

What `/metrics` does not show is tried: whether as many members of families fit as at the start,
with as many bytes.
"""

import json

from fuzzing.routes import DASHBOARDS
from fuzzing.world import FILED, GRAPHS, RARE
from sluice import eventually

MEMBERS = 200
GAUGES = (
    "sluice_connections{", "sluice_sessions", "sluice_subscriptions{", "sluice_listeners{", "sluice_nodes{",
    "sluice_edges{", "sluice_kept_chains{", "sluice_commits_pending{", "sluice_unreachable_nodes{",
    "sluice_compression_context_bytes", "sluice_internal_errors_total", "process_open_fds",
)
FILE = {
    "graph": FILED,
    "nodes": {
        "x": {"set": "number", "initial": 1},
        "twice": {"from": "x", "pipe": [{"map": "value * 2"}], "retain": "always"},
    },
}
PROBE = "/v1/graphs/probe"


class Standing:
    def __init__(self, server, tokens):
        self.server = server
        self.headers = {"Authorization": f"Bearer {tokens[0]}"} if tokens else {}
        # One principal among several may create half as many.
        self.members = MEMBERS // 2 if tokens else MEMBERS
        self.restore()
        self.before = self.counters()

    def ask(self, method, path, body=None, expected=(200, 201, 204)):
        answer = self.server.request(method, path, None if body is None else json.dumps(body),
                                     {"Content-Type": "application/json", **self.headers})
        assert answer.status in expected, (method, path, answer)
        return answer

    def file(self, definition):
        """Writes the graph that a file owns, and lets the server read it."""
        path = f"{self.server.folder.name}/graphs/{FILED}.yaml"
        with open(path, "w") as file:
            json.dump(definition, file)
        return self.ask("POST", "/v1/reload").json()

    def restore(self):
        """Removes all that clients have made, and tries what counters do not show."""
        self.remove_graphs()
        self.remove_tokens()
        for dashboard in DASHBOARDS:
            self.ask("DELETE", f"/v1/dashboards/{dashboard}", expected=(204, 404))
        # Another definition between, so that nothing of the former graph is left.
        for definition in ({"graph": FILED, "nodes": {"other": {"set": "any"}}}, FILE):
            # Another change may be pending still.
            eventually(lambda: not self.file(definition)["problems"], what="a reload without problems")
        self.probe()

    def remove_graphs(self):
        def is_gone(graph):
            # Another change may be pending still.
            return self.ask("DELETE", f"/v1/graphs/{graph}", expected=(204, 404, 412)).status != 412

        for graph in (*GRAPHS, RARE):
            eventually(lambda: is_gone(graph), what=f"the removal of {graph}")

    def remove_tokens(self):
        answer = self.ask("GET", "/v1/tokens", expected=(200, 404))
        for token in answer.json().get("tokens", []):
            self.ask("DELETE", f"/v1/tokens/{token['id']}", expected=(204, 404))

    def probe(self):
        """As many members as are allowed fit, with nearly as many bytes; otherwise a former round's
        still count."""
        self.ask("PUT", PROBE, {"nodes": {"m.{id}": {"set": "any"}}})
        for first in range(0, self.members, 5):
            self.ask("POST", PROBE + "/batch", {"set": {f"m.{first + i}": "x" * 9000 for i in range(5)}})
        self.ask("DELETE", PROBE)

    def counters(self):
        samples = {}
        for line in self.ask("GET", "/metrics").body.decode().splitlines():
            if line.startswith(GAUGES):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    def restarted(self):
        """Another process opens its store with other descriptors."""
        del self.before["process_open_fds"]

    def differences(self):
        """By gauge, its values before and now, where they differ."""
        now = self.counters()
        return {
            name: (before, now.get(name)) for name, before in self.before.items() if now.get(name) != before
        } | {
            name: (None, value)
            for name, value in now.items()
            if name not in self.before and name != "process_open_fds"
        }

    def check(self):
        """Everything is as it was; the connection that asks is among both."""
        def is_as_before():
            # A definition may be stored only after its client has gone.
            self.remove_graphs()
            return not self.differences()

        try:
            eventually(is_as_before)
        except AssertionError:
            raise AssertionError(f"before and after: {self.differences()}") from None
