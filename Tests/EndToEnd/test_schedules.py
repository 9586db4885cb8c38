"""Nodes that go by the time of day, with the shipped server and its clock."""

import datetime
import time

import pytest
from sluice import Server, eventually

pytestmark = pytest.mark.long


def clock(minutes):
    """A time of the day in UTC, so many minutes from now."""
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
    return moment.strftime("%H:%M")


def test_between_is_right_at_once_and_after_a_restart(tmp_path):
    graph = f"""
nodes:
  now:    {{ between: ["{clock(-60)}", "{clock(60)}"] }}
  later:  {{ between: ["{clock(60)}", "{clock(120)}"] }}
  india:  {{ between: ["{clock(-60 + 330)}", "{clock(60 + 330)}"], zone: Asia/Kolkata }}
  never:  {{ schedule: "0 0 29 2 *", zone: Europe/Berlin }}
"""
    with Server({"g": graph}, config=f"dataDir: {tmp_path}/data") as server:
        for _ in range(2):
            assert [server.value("g", name) for name in ("now", "later", "india")] == [True, False, True]
            assert server.get("/v1/graphs/g/nodes/never").status == 204
            server.stop()
            server.start()


@pytest.mark.first
def test_a_time_that_passes_while_the_server_is_down_comes_once_after_the_start(tmp_path):
    graph = """
nodes:
  each:  { schedule: "* * * * *", zone: Europe/Berlin, history: 10 }
  count: { from: each, pipe: [ { scan: { start: 0, with: "acc + 1" } } ] }
"""
    with Server({"g": graph}, config=f"dataDir: {tmp_path}/data") as server:
        # Not so close to the minute that it comes before the server has stopped.
        if time.time() % 60 > 55:
            time.sleep(61 - time.time() % 60)
        answer = server.get("/v1/graphs/g/nodes/count")
        before = answer.json() if answer.status == 200 else 0
        server.stop()
        stopped = time.time()
        time.sleep(60.2 - time.time() % 60)
        server.start()
        eventually(lambda: server.get("/v1/graphs/g/nodes/count").body == str(before + 1).encode(),
                   what="the time that was missed")
        planned = datetime.datetime.fromisoformat(server.value("g", "each"))
        assert planned.second == 0 and planned.utcoffset() is not None
        assert stopped < planned.timestamp() <= time.time()
        server.stop()
        server.start()
        assert server.value("g", "count") == before + 1, "nothing comes twice"


def test_a_bad_schedule_is_refused_at_its_place(server):
    definition = 'nodes:\n  x: { schedule: "0 25 * * *" }\n  y: { between: ["22:00", "6"] }\n'
    answer = server.request("PUT", "/v1/graphs/new", definition, {"Content-Type": "application/yaml"})
    assert answer.status == 400, answer
    problems = answer.json()["problems"]
    assert [(p["line"], p["column"]) for p in problems] == [(2, 21), (3, 27)]
    assert problems[0]["message"] == "the hour must be 0 to 23, not '25'"
