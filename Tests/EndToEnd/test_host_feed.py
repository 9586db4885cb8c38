"""Real input: this machine's own figures, through the shipped configuration."""

import signal
import subprocess
import time

from conftest import Client
from sluice import BINARY, PATIENCE, ROOT, Server, eventually

HOST = {"host": (ROOT / "config/graphs/host.yaml").read_text()}


def feed(server, *arguments):
    return subprocess.Popen([BINARY, "feed", "host", "--url", server.url, "--interval", "100ms", *arguments],
                            stderr=subprocess.PIPE, text=True)


def test_the_figures_of_this_machine_flow_to_a_subscriber():
    with Server(HOST) as server, Client(server) as client:
        assert client.ask(op="sub", graph="host", node="summary")["empty"] is True
        process = feed(server)
        try:
            update = client.receive(10)
            summary = update["d"][0]["v"]
            assert set(summary) == {"cpu", "memory", "disk", "load"}
            assert 0 <= summary["cpu"] <= 100 and 0 < summary["memory"] < 100
            revs = [client.receive(10)["rev"] for _ in range(3)]
            assert revs == [update["rev"] + 1, update["rev"] + 2, update["rev"] + 3], (
                "one batch, one revision, one frame"
            )
            memory = server.value("host", "mem_total")
            kernel = next(line for line in open("/proc/meminfo") if line.startswith("MemTotal"))
            assert memory == int(kernel.split()[1]) * 1024
            assert server.value("host", "alarm") in (True, False)
            assert server.value("host", "net_rx_rate") >= 0
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0, process.stderr.read()


def test_the_feed_survives_a_restart_of_the_server():
    with Server(HOST) as first:
        process = feed(first)
        try:
            eventually(lambda: first.get("/v1/graphs/host/nodes/uptime_s").status == 200)
            port = first.port
            first.process.kill()
            first.process.wait()
            time.sleep(0.3)
            with Server(HOST, listen=f"127.0.0.1:{port}") as second:
                eventually(lambda: second.get("/v1/graphs/host/nodes/uptime_s").status == 200)
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0, process.stderr.read()
