"""Where the scenarios are played: one server, two servers on Redis of which one is killed, and a
server with nginx in front. Between the client and all of them is a network that can break."""

import collections
import contextlib
import json
import pathlib
import re
import subprocess
import tempfile

from access import moment
from network import Network
from nginx import Nginx
from redis_server import Instance, Redis
from sluice import BINARY, Server, eventually

# Heartbeats are short so that a silent server is noticed soon. What the limits say is not what the
# scenarios are about, except for those of slow readers.
CONFIG = """heartbeat: 5s
limits: { sets: 100000, messages: 100000, body: 1MiB }
"""
RIGHTS = ("read", "set", "pipe", "observe", "link", "metrics", "admin")


class Place:
    """Servers that share a file of tokens, and the network through which the client reaches them."""

    # Whether the server that the client is connected to is another one after `lose()`.
    changes_server = False

    def __init__(self, graphs, config):
        self.things = contextlib.ExitStack()
        self.folder = pathlib.Path(self.things.enter_context(tempfile.TemporaryDirectory()))
        self.tokens, self.entries = {}, {}
        for name in ("program", "other"):
            self.add_token(name)
        config = f"auth: {self.folder}/tokens.yaml\n{CONFIG}{config}"
        self.servers = [self.things.enter_context(server) for server in self.begin(graphs, config)]
        self.network = self.things.enter_context(Network(self.entrance()))
        self.url = self.network.url

    def begin(self, graphs, config):
        yield Server(graphs, config)

    def entrance(self):
        """What the network leads to."""
        return self.servers[0]

    @property
    def server(self):
        """A server that is not going to be killed."""
        return self.servers[-1]

    # A connection that is lost

    def break_off(self):
        """The client loses its connection, and cannot connect until `join()`."""
        self.network.break_off()

    def join(self):
        self.network.join()

    def heal(self):
        """As it was at the beginning."""
        self.join()

    # What other clients do

    def ask(self, method, path, body=None, **headers):
        headers = {
            "Authorization": f"Bearer {self.tokens['other']}", "Content-Type": "application/json", **headers
        }
        return self.server.request(method, f"/v1/graphs/{path}", body, headers)

    def set(self, graph, node, value):
        answer = self.ask("POST", f"{graph}/nodes/{node}", json.dumps(value))
        assert answer.status == 200, answer
        return answer.json()

    def value(self, graph, node):
        """The node's value, which is None where it holds none."""
        answer = self.ask("GET", f"{graph}/nodes/{node}")
        return answer.json() if answer.status == 200 else None

    def holds(self, graph, node, value):
        """Waits until the server has that value, which another one may have had before."""
        eventually(lambda: self.value(graph, node) == value, f"{value!r} in {node}")
        return True

    def described(self, graph):
        """What each server that runs says of the graph."""
        headers = {"Authorization": f"Bearer {self.tokens['other']}"}
        return [
            server.request("GET", f"/v1/graphs/{graph}", None, headers).json()
            for server in self.servers if server.process.poll() is None
        ]

    def live(self, graph):
        """The nodes, edges and listeners that exist, of all servers together."""
        counts = collections.Counter()
        for described in self.described(graph):
            counts.update(described["live"])
        return {key: counts[key] for key in ("nodes", "edges", "listeners")}

    # Tokens

    def add_token(self, name, expires=None):
        rights = [word for right in RIGHTS for word in ("--can", right)]
        more = ["--expires", moment(expires)] if expires else []
        ran = subprocess.run(
            [BINARY, "token", "--name", name, *rights, *more], capture_output=True, text=True, check=True
        )
        self.tokens[name] = re.search(r"token \(shown once\): (\S+)", ran.stderr)[1]
        self.entries[name] = ran.stdout
        self.write_tokens()

    def end_token_soon(self, name):
        self.entries[name] = re.sub("expires: .*", f'expires: "{moment(0.3)}"', self.entries[name])
        self.write_tokens()

    def write_tokens(self):
        (self.folder / "tokens.yaml").write_text("tokens:\n" + "".join(self.entries.values()))
        for server in getattr(self, "servers", []):
            before = server.log_text().count("tokens read again")
            server.process.send_signal(1)
            eventually(lambda server=server, before=before: (
                server.log_text().count("tokens read again") > before
            ))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.things.close()


class One(Place):
    """One server, whose connections break."""


class Two(Place):
    """Two servers that share a Redis. A client that loses its connection loses its server with it,
    and finds the other one."""

    changes_server = True

    def begin(self, graphs, config):
        redis = self.things.enter_context(Redis(keeps=False))
        for _ in range(2):
            yield Instance(redis, graphs, config)

    def break_off(self):
        # At once, so that the client does not find the server that is about to be killed.
        self.network.closed = True
        self.servers[0].kill()
        self.network.lead_to(self.server)
        super().break_off()

    def heal(self):
        if self.servers[0].process.poll() is not None:
            self.servers[0].start()
        self.network.lead_to(self.servers[0])
        super().heal()


class Behind(Place):
    """A server with nginx in front, as docs/operations.md configures it."""

    def entrance(self):
        return self.things.enter_context(Nginx(self.servers[0], fields="proxy_buffering off;"))


PLACES = {"one": One, "two": Two, "nginx": Behind}
