"""The recipes of docs/cookbook.md do what they say. Seconds are shortened, the rest is as it stands there."""

import datetime
import re
import subprocess
import time

from sluice import BINARY, ROOT, Server, eventually
from test_client_js import NODE

PAGE = (ROOT / "docs/cookbook.md").read_text()


def recipe(title, language="yaml"):
    """The definitions below the heading that begins like that, or the programs."""
    section = next(part for part in PAGE.split("\n## ")[1:] if part.startswith(title))
    found = re.findall(rf"```{language}\n(.*?)```", section, re.S)
    assert found, title
    return ["graph: g\n" + text for text in found] if language == "yaml" else found


def set_all(server, node, *values):
    for value in values:
        server.set("g", node, value)
        yield server.value("g", "heating")


def test_every_recipe_is_run():
    source = (ROOT / "Tests/EndToEnd/test_cookbook.py").read_text()
    for part in PAGE.split("\n## ")[1:]:
        assert any(part.startswith(title) for title in re.findall(r'recipe\("(.*?)"', source)), (
            part.splitlines()[0]
        )


def test_a_transfer():
    text, = recipe("A transfer")
    body = re.search(r'^{"update":.*$', PAGE.split("\n## A transfer")[1], re.M).group()
    with Server({"g": text}) as server:
        def transfer(body):
            return server.request("POST", "/v1/graphs/g/batch", body, {"Content-Type": "application/json"})

        server.set("g", "account.7", 15)
        server.set("g", "account.8", 1)
        first = transfer(body)
        assert first.json()["values"] == {"account.7": 5, "account.8": 11}
        assert transfer(body).json() == first.json()
        assert transfer(body.replace("t-4711", "t-4712")).json()["code"] == "type_mismatch"
        assert server.value("g", "account.7") == 5 and server.value("g", "total") == 16


def test_a_week_in_one_chart():
    text, = recipe("A week in one chart")
    with Server({"g": text}) as server:
        for value in (17, 19, 21):
            server.set("g", "outdoor_c", value)
        path = PAGE.split("\n## A week in one chart")[1]
        path = re.search(r"GET …(/nodes/outdoor_c/history\?points=500)", path).group(1)
        steps = server.get("/v1/graphs/g" + path).json()["d"]
        # One step, or two where the clock has passed a step's end.
        assert sum(step["n"] for step in steps) == 3
        assert (min(s["min"] for s in steps), max(s["max"] for s in steps)) == (17, 21)


def test_hysteresis():
    text, = recipe("Hysteresis")
    with Server({"g": text}) as server:
        assert list(set_all(server, "indoor_c", 20, 18, 20, 21, 22, 20, 19, 18.9)) == [
            False, True, True, True, False, False, False, True,
        ]


def test_held_for_a_time_with_repetitions():
    text, = recipe("Held for 30 seconds")
    with Server(
        {
            "g": text.replace("30s", "600ms")
            + "  count: { from: door_alarm, pipe: [ { scan: { start: 0, with: acc + 1 } } ], retain: "
              "always }\n"
        }
    ) as server:
        alarm = lambda: server.value("g", "door_alarm")  # noqa: E731
        assert alarm() is False
        began = time.monotonic()
        # Reports that repeat put nothing off.
        while not alarm():
            server.set("g", "door_open", True)
            time.sleep(0.1)
        assert time.monotonic() - began > 0.55
        server.set("g", "door_open", True)
        assert server.value("g", "count") == 2, "off, then on: repetitions are no alarms"
        server.set("g", "door_open", False)
        assert alarm() is False
        # Opened again before the delay of the first time is over: the time begins anew.
        server.set("g", "door_open", True)
        time.sleep(0.3)
        server.set("g", "door_open", False)
        began = time.monotonic()
        server.set("g", "door_open", True)
        eventually(alarm)
        assert time.monotonic() - began > 0.55


def test_a_sensor_is_lost():
    text, = recipe("A sensor is lost")
    with Server({"g": text.replace("10m", "300ms")}) as server:
        server.set("g", "garden_c", 7)
        assert server.value("g", "garden_lost") is False
        eventually(lambda: server.value("g", "garden_lost") is True)
        server.set("g", "garden_c", 7)
        assert server.value("g", "garden_lost") is False


def test_an_average_survives_a_restart():
    text, = recipe("An average that survives a restart")
    with Server({"g": text}, keeps=True) as server:
        for value in (1, 2, 6):
            server.set("g", "outdoor_c", value)
        assert server.value("g", "outdoor_1h") == 3
        server.stop()
        server.start()
        assert server.value("g", "outdoor_1h") == 3
        server.set("g", "outdoor_c", 11)
        assert server.value("g", "outdoor_1h") == 5


def test_a_node_is_renamed_and_keeps_its_value():
    both, after = recipe("Rename a node and keep its value")
    with Server({"g": "graph: g\nnodes:\n  temp: { set: number }\n"}, keeps=True) as server:
        server.set("g", "temp", 21.5)
        file = server.config.parent / "graphs/g.yaml"

        def reload(text):
            file.write_text(text)
            done = subprocess.run([BINARY, "reload", "--url", server.url], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

        reload(both)
        assert server.value("g", "living_room_c") == 21.5
        server.set("g", "temp", 22)
        assert server.value("g", "living_room_c") == 22
        reload(after)
        assert server.value("g", "living_room_c") == 22
        assert server.get("/v1/graphs/g/nodes/temp").status == 404


def test_x_11_a_bridge_without_echo():
    text, = recipe("A bridge without echo", "js")
    nodes = "nodes: { setpoint: { set: number } }"
    with Server({"house": nodes}) as house, Server({"cabin": nodes}) as cabin:
        program = f"""import {{ connect }} from "{ROOT}/public/client.js";
const house = connect("ws://127.0.0.1:{house.port}/v1/ws");
const cabin = connect("ws://127.0.0.1:{cabin.port}/v1/ws");
{text}"""
        node = [NODE, "--input-type=module", "-e", program]
        with subprocess.Popen(node, stderr=subprocess.PIPE, text=True) as running:
            try:
                eventually(lambda: house.count("listeners", "house") + cabin.count("listeners", "cabin") == 2)
                for value, (one, at), (other, there) in [
                    (21, (house, "house"), (cabin, "cabin")), (19, (cabin, "cabin"), (house, "house")),
                    (22, (house, "house"), (cabin, "cabin")),
                ]:
                    revs = [each.get(f"/v1/graphs/{graph}").json()["rev"] for each, graph in
                            ((one, at), (other, there))]
                    one.set(at, "setpoint", value)
                    eventually(lambda: other.get(f"/v1/graphs/{there}/nodes/setpoint").body == b"%d" % value)
                    # The other bridge has answered once the next value has come over.
                    assert [each.get(f"/v1/graphs/{graph}").json()["rev"] for each, graph in
                            ((one, at), (other, there))] == [rev + 1 for rev in revs]
            finally:
                running.terminate()


def test_night_setback():
    text, = recipe("Night setback")
    now = datetime.datetime.now(datetime.timezone.utc)

    def during(first, last):
        """The recipe with a night from so many hours from now to so many."""
        times = [(now + datetime.timedelta(hours=hours)).strftime("%H:%M") for hours in (first, last)]
        return text.replace('["22:00", "06:00"]', f'["{times[0]}", "{times[1]}"]').replace(
            "zone: Europe/Berlin", "zone: UTC"
        )

    with Server({"g": during(-2, 2)}) as server:
        assert server.value("g", "target") == 17
        server.set("g", "awake", True)
        assert server.value("g", "target") == 21
    with Server({"g": during(2, 4)}) as server:
        assert server.value("g", "target") == 21


def test_the_rooms_of_a_building():
    text, = recipe("The rooms of a building")
    with Server({"g": text}) as server:
        for room, celsius in (("hall", 21), ("attic", 26), ("cellar", 14), ("lab", 23)):
            server.set("g", f"room.{room}.sensor.a.celsius", celsius)
            server.set("g", f"room.{room}.wanted", 22)
        assert server.value("g", "cold") == ["cellar", "hall"]
        server.set("g", "room.hall.sensor.b.celsius", 31)
        assert server.value("g", "room.hall.mean") == 26
        assert [each["node"] for each in server.value("g", "warmest")] == [
            "room.attic.mean", "room.hall.mean", "room.lab.mean",
        ]
        node = "/v1/graphs/g/nodes/room.attic.sensor.a.celsius"
        assert server.request("DELETE", node).status == 204
        assert [each["node"] for each in server.value("g", "warmest")] == [
            "room.hall.mean", "room.lab.mean", "room.cellar.mean",
        ]


def test_a_price_times_a_meter():
    """X-8"""
    text, = recipe("A price times a meter")
    with Server({"g": text}) as server:
        server.set("g", "impulse", 1)
        assert server.get("/v1/graphs/g/nodes/total").status == 204
        for node, value, total in [
            ("tariff", 0.2, 0.02), ("tariff", 0.4, 0.02), ("impulse", 2, 0.06), ("impulse", 3, 0.1),
            ("tariff", 0.1, 0.1), ("impulse", 4, 0.11),
        ]:
            server.set("g", node, value)
            assert abs(server.value("g", "total") - total) < 1e-9, (node, value)


def test_the_chosen_sensor():
    """X-9"""
    text, = recipe("The chosen sensor")
    with Server({"g": text}) as server:
        server.set("g", "sensor.hall.celsius", 20)
        assert server.value("g", "shown") == 20
        server.set("g", "selected", "attic")
        assert server.get("/v1/graphs/g/nodes/shown").status == 204
        server.set("g", "sensor.attic.celsius", 30)
        assert server.value("g", "shown") == 30
        server.set("g", "selected", "hall 2")
        assert server.get("/v1/graphs/g/nodes/shown").json()["fail"]["code"] == "not_a_key"
