"""A real `sluice` process under test, and what tests ask of it over HTTP."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/debug/sluice"))

# What is not shipped: load, generated documentation, expressions by the thousand.
DEVELOPER = BINARY.with_name("sluice-dev")


# Seconds after which a test gives up on something that should happen. So much that no machine is
# too slow for it.
PATIENCE = 100


def eventually(claim, what="the expected state"):
    """Waits until `claim()` is true and returns its value; fails with the last value seen otherwise."""
    deadline = time.monotonic() + PATIENCE
    while True:
        value = claim()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come within {PATIENCE} s; last seen: {value!r}")
        time.sleep(0.01)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {dict(self.headers)} {self.body[:400]!r}>"


class Address:
    """Where a server listens, and requests to it."""

    def __init__(self, url, trust=None):
        self.url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port
        # An SSL context that trusts the server's certificate, where it speaks TLS.
        self.trust = trust

    def request(self, method, path, body=None, headers=None):
        if self.trust:
            connection = http.client.HTTPSConnection(
                self.host, self.port, timeout=PATIENCE, context=self.trust
            )
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            if isinstance(body, str):
                body = body.encode()
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})


# What the shipped graphs need of a configuration.
SHIPPED = 'sourceHosts: ["127.0.0.1:9191", "127.0.0.1:9193"]\n'


class Server(Address):
    """One server process on a free port, with its own folder for graphs and configuration."""

    def __init__(self, graphs=None, config="", arguments=(), environment=None, listen="127.0.0.1:0",
                 trust=None, keeps=False):
        # What must end before the server does: pages would complain of its absence.
        self.before_exit = []
        self.folder = tempfile.TemporaryDirectory(prefix="sluice-")
        folder = pathlib.Path(self.folder.name)
        self.data = folder / "data"
        (folder / "graphs").mkdir()
        for name, text in (graphs or {}).items():
            (folder / "graphs" / f"{name}.yaml").write_text(text)
        self.config = folder / "sluice.yaml"
        kept = f"dataDir: {self.data}\n" if keeps else ""
        # Nothing is saved into the folder that is shipped.
        (folder / "dashboards").mkdir()
        if not re.search("^dashboards:", config, re.M):
            kept += f"dashboards: {folder}/dashboards\n"
        self.config.write_text(f"graphs: {folder}/graphs\npublic: {ROOT}/public\n{kept}{config}")
        self.log = open(folder / "log", "w+")
        self.arguments, self.listen, self.trust = arguments, listen, trust
        # Debug builds let tests change limits that are no keys:
        # `# fixed: limits.work=100 times.close=200ms`.
        fixed = " ".join(re.findall("# fixed: (.*)", config))
        self.environment = {**(environment or {}), **({"SLUICE_TEST_LIMITS": fixed} if fixed else {})}
        self.start()

    def start(self, *arguments):
        """Starts the process: at first, and again where the last one has ended, then at the same address."""
        self.process = subprocess.Popen(
            [BINARY, "serve", "--config", self.config, "--listen", self.listen, *self.arguments, *arguments],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **self.environment},
        )
        # Where the operations side listens, if that is an address of its own.
        self.operations = None
        url = None
        for line in self.process.stdout:
            if found := re.match(r"operations on (https?://\S+)", line):
                self.operations = Address(found.group(1), self.trust)
            if found := re.match(r"listening on (https?://\S+)", line):
                url = found.group(1)
                break
        if url is None:
            self.process.wait(PATIENCE)
            raise AssertionError(f"the server did not start: {self.log_text()}")
        super().__init__(url, self.trust)
        if self.listen.endswith(":0"):
            self.listen = f"{self.listen[:-2]}:{self.port}"
        # The pipe must not fill up.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def kill(self):
        """Ends the process as `kill -9` does."""
        self.process.kill()
        self.process.wait()

    def log_text(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for end in self.before_exit:
            end()
        crashed = self.process.poll() is not None and self.process.returncode not in (0, -signal.SIGKILL)
        code = self.process.returncode
        self.stop()
        text = self.log_text()
        self.log.close()
        self.folder.cleanup()
        if crashed:
            raise AssertionError(f"the server ended by itself with {code}: {text[-4000:]}")

    def stop(self, seconds=PATIENCE):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"the server did not drain: {self.log_text()[-4000:]}")
        return self.process.returncode

    def set(self, graph, node, value, **headers):
        answer = self.request("POST", f"/v1/graphs/{graph}/nodes/{node}", json.dumps(value),
                              {"Content-Type": "application/json", **headers})
        assert answer.status == 200, answer
        return answer.json()

    def batch(self, graph, **body):
        return self.request("POST", f"/v1/graphs/{graph}/batch", json.dumps(body),
                            {"Content-Type": "application/json"})

    def value(self, graph, node):
        answer = self.get(f"/v1/graphs/{graph}/nodes/{node}")
        assert answer.status == 200, answer
        return answer.json()

    # Inspection

    def metrics(self):
        """All samples, as {'name{label="x"}': number}."""
        samples = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                samples[name] = float(value)
                assert float(value) == 0 or not name.startswith("sluice_unreachable_nodes"), line
        return samples

    def count(self, what, graph):
        return int(self.metrics()[f'sluice_{what}{{graph="{graph}"}}'])

    def counts(self, graph):
        """What is alive in one graph."""
        samples = self.metrics()
        return {
            what: int(samples[f'sluice_{what}{{graph="{graph}"}}'])
            for what in ("nodes", "edges", "listeners")
        }

    def picture(self, graph):
        answer = self.get(f"/v1/graphs/{graph}/graph?format=json&live=1")
        assert answer.status == 200, answer
        return answer.json()

    def alive(self, graph):
        """The named nodes that exist at this moment."""
        return {n["name"] for n in self.picture(graph)["nodes"] if n.get("name") and n.get("exists", True)}

    def resident(self):
        """Resident memory of the process, bytes."""
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))
