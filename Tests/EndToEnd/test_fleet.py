"""The fleet that Sluice comes with: simulated sensors that come and go, its dashboard, and the
guide (docs/fleet.md)."""

import json
import os
import re
import signal
import subprocess
import threading

import pytest
from conftest import Client
from playwright.sync_api import expect
from sluice import BINARY, PATIENCE, ROOT, Server, eventually
from dashboards import widget

pytestmark = pytest.mark.long

SHIPPED = (ROOT / "config/graphs/fleet.yaml").read_text()
BRIEF = SHIPPED.replace("expire: 1m", "expire: 400ms")
DASHBOARDS = f"dashboards: {ROOT}/config/dashboards\n"


class Feed:
    """`sluice feed fleet` as long as the block runs."""

    def __init__(self, server, *arguments):
        self.process = subprocess.Popen(
            [BINARY, "feed", "fleet", "--url", server.url, *arguments], stderr=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, self.process.stderr.read()


def set_members(server, temperatures):
    for first in range(0, len(temperatures), 1000):
        part = dict(list(temperatures.items())[first:first + 1000])
        body = json.dumps({"set": {f"sensor.{each}.celsius": value for each, value in part.items()}})
        assert (
            server.request(
                "POST", "/v1/graphs/fleet/batch", body, {"Content-Type": "application/json"}
            ).status
            == 200
        )


def everything(server):
    """The figures of the fleet, and the temperatures that they are made of: all of one revision."""
    answer = server.get(
        "/v1/graphs/fleet/values?nodes=sensors,mean,coldest,warmest,hot,sensor.*.celsius"
    ).json()["m"]
    values = {name: held.get("v") for name, held in answer.items()}
    return values, [value for name, value in values.items() if name.endswith(".celsius")]


def test_sensors_come_and_go_and_the_figures_agree_with_them():
    with Server({"fleet": BRIEF}) as server, Client(server) as client:
        client.send(op="sub", id=1, graph="fleet", nodes=["sensor.*.celsius"])
        assert client.receive()["m"] == {}
        present, left, returned = set(), set(), set()
        with Feed(server, "--devices", "20", "--interval", "10ms"):
            def follow():
                for entry in client.receive(10).get("d", []):
                    for name, held in entry["m"].items():
                        if held.get("gone"):
                            present.discard(name)
                            left.add(name)
                        else:
                            present.add(name)
                            returned.update({name} & left)
                return len(left) >= 2 and returned

            eventually(follow, what="two sensors that went and one that came back")
            for _ in range(10):
                figures, temperatures = everything(server)
                assert figures["sensors"] == len(temperatures) > 0
                assert figures["mean"] == pytest.approx(sum(temperatures) / len(temperatures), abs=0.006)
                assert (figures["coldest"], figures["warmest"]) == (min(temperatures), max(temperatures))
                assert figures["hot"] == sum(value > 30 for value in temperatures)
        assert left <= {f"sensor.{number}.celsius" for number in range(1, 21)}
        # Without the feed all of them expire.
        eventually(lambda: everything(server)[1] == [])
        figures, _ = everything(server)
        assert (figures["sensors"], figures["hot"], figures["mean"]) == (0, 0, None)
        assert not [name for name in server.alive("fleet") if name.startswith("sensor.")]


def test_the_largest_fleet_is_there_after_ten_batches():
    with Server({"fleet": SHIPPED}) as server, Feed(server, "--devices", "10000", "--interval", "50ms"):
        eventually(lambda: server.value("fleet", "sensors") > 9_900)


@pytest.mark.parametrize("devices", ["0", "10001", "many"])
def test_an_invalid_number_of_devices_is_refused(devices):
    done = subprocess.run([BINARY, "feed", "fleet", "--devices", devices], capture_output=True, text=True)
    assert done.returncode == 2 or done.returncode == 64, done
    assert "devices" in done.stderr


@pytest.mark.browser
def test_the_dashboard_shows_the_fleet_and_its_sensors_as_they_come_and_go(open_page):
    with Server({"fleet": SHIPPED}, DASHBOARDS) as server:
        set_members(server, {number: 20 + number for number in range(1, 13)})
        page = open_page(server, "/#/g/fleet/dash", viewport={"width": 1280, "height": 1000})
        table = widget(page, "Sensors").and_(page.locator('[data-kind="table"]'))
        row = table.get_by_role("row")
        expect(
            widget(page, "Sensors").and_(page.locator('[data-kind="number"]')).locator("output")
        ).to_have_text("12")
        expect(widget(page, "Warmest").locator("output")).to_have_text("32")
        expect(widget(page, "Mean").locator("output")).to_have_text("26.5")
        expect(widget(page, "Above 30 °C").locator("output")).to_have_text("2")
        expect(table.locator("tbody th")).to_have_text(
            [f"sensor.{number}.celsius" for number in range(1, 13)]
        )
        expect(row.filter(has_text="sensor.12.celsius")).to_contain_text("32\u202f°C")

        set_members(server, {"attic": 40, 1: 31})
        expect(row.filter(has_text="sensor.attic.celsius")).to_contain_text("40\u202f°C")
        expect(row.filter(has_text="sensor.1.celsius")).to_contain_text("31\u202f°C")
        expect(widget(page, "Above 30 °C").locator("output")).to_have_text("4")
        expect(widget(page, "Sensor 1 above 30 °C").locator(".lamp")).to_have_attribute("data-tone", "alarm")
        assert server.request("DELETE", "/v1/graphs/fleet/nodes/sensor.attic.celsius").status == 204
        expect(table.locator("tbody th")).to_have_count(12)
        expect(widget(page, "Above 30 °C").locator("output")).to_have_text("3")


@pytest.mark.browser
def test_a_table_of_more_sensors_than_it_may_follow_says_so_and_holds_only_what_is_in_sight(open_page):
    with Server({"fleet": SHIPPED}, DASHBOARDS) as server:
        set_members(server, {number: 20 for number in range(1, 1201)})
        page = open_page(server, "/#/g/fleet/dash", viewport={"width": 1280, "height": 1000})
        table = page.locator('[data-kind="table"]')
        expect(table.locator(".widget-state")).to_have_text("1000 of 1200 nodes")
        expect(table.locator("table")).to_have_attribute("aria-rowcount", "1000")
        set_members(server, {1: 21})
        expect(table.get_by_role("row").filter(has_text="sensor.1.celsius")).to_contain_text("21\u202f°C")
        assert table.locator("tbody tr").count() < 40
        table.locator(".scroll").evaluate("(pane) => pane.scrollTo(0, pane.scrollHeight)")
        expect(table.locator('tr[aria-rowindex="1000"]')).to_be_visible()
        assert table.locator("tbody tr").count() < 40


def test_the_guide_as_it_is_written(tmp_path):
    guide = (ROOT / "docs/fleet.md").read_text()
    blocks = dict(re.findall(r"<!-- run: (\w+) -->\n```sh\n(.*?)```", guide, re.S))
    (tmp_path / "sluice").symlink_to(BINARY)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    running = []

    def start(name, sign):
        process = subprocess.Popen(["bash", "-c", f"exec {blocks[name].strip()}"], cwd=ROOT, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        running.append(process)
        seen = b""
        while sign not in seen:
            line = process.stdout.readline()
            assert line, f"{name}: {seen.decode()}"
            seen += line
        threading.Thread(target=process.stdout.read, daemon=True).start()

    def run(name):
        done = subprocess.run(
            ["bash", "-ec", blocks[name]], cwd=ROOT, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done
        return done.stdout

    try:
        start("serve", b"listening on")
        assert run("set").endswith("1")
        assert run("drop") == ""
        assert "sensor" not in run("page")
        start("feed", b"feeding")
        eventually(lambda: json.loads(run("whole"))["m"]["sensors"]["v"] > 950)
        page = json.loads(run("page"))
        assert [each["name"] for each in page["nodes"]] == [
            "sensor.1.celsius", "sensor.10.celsius", "sensor.100.celsius",
        ]
        assert page["next"] >= "sensor.100.celsius"
        assert 200 < json.loads(run("whole"))["m"]["hot"]["v"] < 300
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(PATIENCE)
    # What the guide says about the graph is in its file.
    for name, glob, reduce in re.findall(r"^  (\w+): +\{ all: \"([^\"]+)\", reduce: (\w+)", guide, re.M):
        assert re.search(rf"^  {name}: +\{{ all: \"{re.escape(glob)}\", reduce: {reduce}", SHIPPED, re.M), (
            name
        )
