"""The shipped town, with the services that `sluice feed town` plays: sources of all five kinds."""

import contextlib
import subprocess

from mosquitto import Mosquitto
from sluice import BINARY, ROOT, SHIPPED, Server, eventually

NODES = ["weather", "windiest", "gold", "trade", "hall", "cabin_f", "feels_cold"]


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def test_every_kind_of_source_has_values_while_a_client_listens():
    """S-1, S-9."""
    town = (ROOT / "config/graphs/town.yaml").read_text()
    with Mosquitto(port=9193), running(BINARY, "feed", "town"):
        with Server({"town": town}, SHIPPED) as server:
            for node in NODES:
                path = f"/v1/graphs/town/nodes/{node}?load=1"
                eventually(lambda: server.get(path).status == 200, node)  # noqa: B023
            assert server.get("/v1/graphs/town/nodes/trade").json()["number"] > 0
            eventually(lambda: not server.get("/v1/graphs/town").json().get("upstreams"))
