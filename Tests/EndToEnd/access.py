"""A server that wants tokens, and what tests ask of it."""

import contextlib
import datetime
import json
import re
import signal
import subprocess
import time

from sluice import BINARY, PATIENCE, Server, eventually
from websockets.sync.client import connect

HOUSE = """
graph: house
nodes:
  room.temp: { set: number, initial: 20 }
  room.note: { set: any, initial: hi }
  secret: { set: number, initial: 7 }
  doubled: { from: room.temp, pipe: [ { map: "value * 2" } ] }
  leak: { combine: { a: "room.temp", b: secret }, map: "a + b" }
  hint: { from: secret, pipe: [ { map: "value > 5" }, distinct ] }
access:
  - { who: "role:owner", nodes: "*", can: [read, pipe, set, observe] }
  - { who: "role:viewer", nodes: ["room.*", doubled, hint], can: [read, pipe] }
  - { who: "device:7", nodes: room.temp, can: set }
"""
OPEN = "graph: open\nnodes:\n  x: { set: number, initial: 1 }\n"
HIDDEN = "graph: hidden\nnodes:\n  x: { set: number, initial: 1 }\naccess: [ { who: alice, can: [read] } ]\n"
NODE = "/v1/graphs/house/nodes"


class Guarded(Server):
    """A server that wants tokens; `tokens` are by name what `sluice token` gave out."""

    def __init__(self, folder, **options):
        self.file = folder / "tokens.yaml"
        self.entries, self.tokens = [], {}
        self.add("alice", "--role", "owner", *can("read", "pipe", "set", "observe", "metrics", "admin"))
        self.add("bob", "--role", "viewer")
        self.add("device:7", "--can", "set", "--graphs", "house")
        self.add("scraper", "--can", "metrics")
        self.add("pub", *can("read", "admin", "metrics"), "--graphs", "op*")
        self.add("part", *can("read", "admin", "metrics"), "--graphs", "open", "--nodes", "x")
        config = options.pop("config", "")
        super().__init__(
            {"house": HOUSE, "open": OPEN, "hidden": HIDDEN}, f"auth: {self.file}\n{config}", **options
        )

    def add(self, name, *options):
        ran = subprocess.run([BINARY, "token", "--name", name, *options], capture_output=True, text=True)
        assert ran.returncode == 0, ran
        self.tokens[name] = re.search(r"token \(shown once\): (\S+)", ran.stderr)[1]
        self.entries.append((name, ran.stdout))
        self.write()

    def write(self):
        self.file.write_text("tokens:\n" + "".join(text for _, text in self.entries))

    def remove(self, name):
        self.entries = [entry for entry in self.entries if entry[0] != name]
        self.write()

    def add_guest(self):
        """Adds a guest whose token ends in an hour."""
        self.add("guest", "--role", "viewer", "--expires", moment(3600))
        self.reload()

    def end_soon(self, name):
        """Lets a token end in a moment, instead of when it would."""
        self.entries = [
            (entry, re.sub("expires: .*", f'expires: "{moment(0.3)}"', text) if entry == name else text)
            for entry, text in self.entries
        ]
        self.write()
        self.reload()

    def reload(self, says="tokens read again"):
        before = self.log_text().count(says)
        self.process.send_signal(signal.SIGHUP)
        eventually(lambda: self.log_text().count(says) > before)

    def ask(self, who, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            headers["Authorization"] = f"Bearer {self.tokens.get(who, who)}"
        return self.request(method, path, body, headers)

    def metrics(self):
        samples = {}
        for line in self.ask("alice", "GET", "/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
        return samples

    @contextlib.contextmanager
    def socket(self, who=None, cookie=None, hello=None):
        headers = {}
        if who:
            headers["Authorization"] = f"Bearer {self.tokens[who]}"
        if cookie:
            headers["Cookie"] = cookie
        with connect(f"ws://{self.host}:{self.port}/v1/ws", subprotocols=["sluice.v1.json"],
                     additional_headers=headers) as client:
            if hello:
                client.send(json.dumps({"op": "hello", "id": 99, "token": self.tokens.get(hello, hello)}))
            yield client


def moment(seconds):
    """The time in so many seconds, as files of tokens write it."""
    return datetime.datetime.fromtimestamp(time.time() + seconds, datetime.UTC).isoformat(
        timespec="milliseconds"
    )


def can(*rights):
    return [word for right in rights for word in ("--can", right)]


def tell(client, **message):
    client.send(json.dumps(message))
    return json.loads(client.recv(PATIENCE))
