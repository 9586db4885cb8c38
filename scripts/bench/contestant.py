"""A server process under load: Sluice, Sluice with TLS, and the minimal server in C."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

from bench.machine import ROOT

SLUICE = pathlib.Path(os.environ.get("SLUICE_BINARY", ROOT / ".build/release/sluice"))
LOAD = SLUICE.with_name("sluice-dev")
SECURE = "sluice, TLS"
GRAPH = 'graph: house\nnodes:\n  note: { set: any, initial: "" }\n'


class LoadFailure(Exception):
    """The load could not be put on a server."""


class Contestant:
    """A server process on the first processor. A new one for every run, so that none inherits the
    memory of the one before."""

    # Further options of the load generator.
    options = []

    def __init__(self, name, machine, command, authority=None, environment=None):
        self.name, self.authority, self.machine = name, authority, machine
        started = time.monotonic()
        self.process = subprocess.Popen(
            machine.pinned(0, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **(environment or {})},
        )
        self.url = self.address()
        self.start = time.monotonic() - started
        self.measured = self.process.pid
        if authority:
            self.url = self.url.replace("127.0.0.1", "localhost")

    def address(self):
        """Where it listens, as it prints."""
        line = self.process.stdout.readline()
        found = re.match(r"listening on (https?://\S+)", line)
        if not found:
            sys.exit(f"{self.name} did not start: {line!r}")
        return found.group(1).rstrip("/")

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.measured}/statm").read_text().split()[1]) * 4096

    def command(self, arguments, seconds):
        """The load, on the second processor."""
        trust = ["--ca", self.authority] if self.authority else []
        return self.machine.pinned(
            1,
            [
                LOAD, "bench", *arguments, "--url", self.url, "--process", self.measured, "--json",
                "--duration", f"{round(seconds * 1000)}ms", *trust, *self.options,
            ],
        )

    def load(self, arguments, seconds):
        """The report of one run of the load generator."""
        try:
            run = subprocess.run(
                self.command(arguments, seconds), capture_output=True, text=True, timeout=60 + 10 * seconds
            )
        except subprocess.TimeoutExpired:
            raise LoadFailure("the load did not end") from None
        if run.returncode != 0:
            raise LoadFailure((run.stdout + run.stderr).strip())
        return json.loads(run.stdout)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def minimal(machine, binary):
    return Contestant("C", machine, [binary])


def sluice(machine, folder, *settings, name="Sluice"):
    """A server of the graphs in that folder; see `prepare`."""
    command = [SLUICE, "serve", "--config", folder / "sluice.yaml", "--listen", "127.0.0.1:0"]
    if name == SECURE:
        settings += (f"tls.cert={folder}/tls.crt", f"tls.key={folder}/tls.key")
    for setting in settings:
        command += ["--set", setting]
    return Contestant(name, machine, command, folder / "tls.crt" if name == SECURE else None)


def prepare(folder, graph=GRAPH):
    """Configuration, graph and certificate of our server."""
    (folder / "graphs").mkdir()
    (folder / "graphs/house.yaml").write_text(graph)
    (folder / "sluice.yaml").write_text(f"graphs: {folder}/graphs\npublic: ''\ndrain: 100ms\n")
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-out", folder / "tls.crt", "-keyout", folder / "tls.key", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ],
        check=True, capture_output=True,
    )
