"""The Swift client against a real server: the program of its README, and ten thousand models."""

import os
import pty
import re
import subprocess

import pytest
from clients.driver import Driver
from sluice import BINARY, ROOT, Server, eventually
from test_tls import Secure

README = ROOT / "clients/swift/README.md"
FIRST = ROOT / "Tests/SluiceClientPrograms/First/main.swift"

HOUSE = """
graph: house
nodes:
  setpoint_c: { set: number, initial: 20 }
  indoor_c: { from: setpoint_c, pipe: [ { map: "value - 0.5" } ] }
"""

FLEET = """
graph: fleet
nodes:
  sensor.{id}.celsius: { set: number }
  sensor.{id}.fahrenheit: { from: "sensor.{id}.celsius", pipe: [ { map: "value * 9 / 5 + 32" } ] }
"""


class Program:
    """A program in a terminal, where it prints each line at once. Lines tell it when to go on."""

    def __init__(self, name, *arguments):
        self.terminal, end = pty.openpty()
        self.process = subprocess.Popen(
            [BINARY.with_name(name), *arguments], stdin=subprocess.PIPE, stdout=end, text=True, bufsize=1,
        )
        os.close(end)
        self.lines = open(self.terminal, encoding="utf-8")

    def line(self):
        return self.lines.readline().rstrip("\n")

    def go_on(self):
        self.process.stdin.write("\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.lines.close()


def test_the_program_of_the_readme_is_short_and_is_the_one_that_runs():
    shown = re.findall(r"^```swift\n(.*?)^```", README.read_text(), re.S | re.M)
    assert FIRST.read_text() in shown
    assert len(FIRST.read_text().splitlines()) <= 10


def test_the_first_program_prints_each_value():
    with Server({"house": HOUSE}) as server, Program("sluice-client-first", server.url) as program:
        assert program.line() == "indoors: 19.5 °C"
        server.request("POST", "/v1/graphs/house/nodes/setpoint_c", "22")
        assert program.line() == "indoors: 21.5 °C"


@pytest.mark.first
@pytest.mark.long
def test_ten_thousand_dismissed_models_leave_nothing():
    limits = "limits: { subs: 30000 }\n"
    with Server({"fleet": FLEET}, limits) as server, Program("sluice-client-models", server.url) as program:
        before = server.count("nodes", "fleet")
        assert program.line() == "shown"
        assert server.count("nodes", "fleet") >= before + 20_000
        subscriptions = eventually(lambda: live(server)["listeners"])
        assert subscriptions
        program.go_on()
        assert program.line() == "set"
        program.go_on()
        assert program.line() == "dismissed"
        # Members that hold a value stay.
        eventually(lambda: server.count("nodes", "fleet") == before + 100)
        eventually(lambda: live(server)["listeners"] == 0)
        assert server.request("POST", "/v1/graphs/fleet/wipe").status == 200
        eventually(lambda: server.count("nodes", "fleet") == before)
        assert program.process.poll() is None, "the client is still connected"


def test_tls_with_an_authority_of_its_own(tmp_path):
    with Secure(tmp_path, graphs={"house": HOUSE}) as server:
        driver = Driver("swift")
        driver.connect(server.url, trust=str(server.certificate))
        assert driver.get(target="house/indoor_c") == 19.5
        driver.close_client()
        # The system's authorities know nothing of this one.
        driver.ask("connect", url=server.url)
        driver.until_state("reconnecting")
        driver.close()


def live(server):
    return server.get("/v1/graphs/fleet").json()["live"]


def test_files_are_short_enough_to_read_as_an_example():
    folders = ("Sources/SluiceClient", "Tests/SluiceClientTests", "Tests/SluiceClientDriver")
    lengths = {
        path.name: len(path.read_text().splitlines())
        for folder in folders for path in (ROOT / folder).rglob("*.swift")
    }
    assert max(lengths.values()) <= 400, lengths


def test_the_client_knows_no_part_of_the_server():
    imports = {
        name
        for path in (ROOT / "Sources/SluiceClient").rglob("*.swift")
        for name in re.findall(r"^ *(?:\w+ )*import (\w+)", path.read_text(), re.M)
    }
    assert imports == {
        "DequeModule", "Foundation", "FoundationEssentials", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL",
        "NIOWebSocket", "Observation", "Synchronization",
    }
