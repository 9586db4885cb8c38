"""Looking at graphs as they were: over HTTP after a restart, with the command line, and on the page."""

import datetime
import json
import re
import subprocess
import time
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from sluice import BINARY, PATIENCE, ROOT, Server, eventually

ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"
GRAPH = """
graph: g
title: A test graph
nodes:
  x: { set: number, initial: 1, title: Temperature, unit: °C, min: 0, max: 50 }
  note: { set: string }
  double: { from: x, pipe: [ { map: "value * 2" } ], title: Double }
  half: { from: x, pipe: [ { map: "value / 2" } ] }
  mean: { from: x, retain: always, pipe: [ { window: { count: 3, of: avg } } ] }
  alarm: { from: double, pipe: [ { map: "value > 20" }, distinct ] }
"""


@pytest.fixture
def kept():
    with Server({"g": GRAPH}, keeps=True) as server:
        yield server


def play(server, *values):
    for value in values:
        server.set("g", "x", value)


def test_over_http_after_a_kill(kept):
    play(kept, 5, 12, 7)
    kept.kill()
    kept.start()
    play(kept, 8)
    described = kept.get("/v1/graphs/g").json()
    assert described["kept"] == {"from": 1, "to": described["rev"]}
    assert kept.get("/v1/graphs/g/values?nodes=x,double,mean&at=3").json()["m"] == {
        "x": {"v": 12}, "double": {"v": 24}, "mean": {"v": 6},
    }
    assert kept.get("/v1/graphs/g/nodes/alarm?at=3").body == b"true"
    why = kept.get("/v1/graphs/g/nodes/alarm/explain?at=3").json()
    assert (
        why["nodes"][0]["v"] is True and why["commits"][0]["rev"] == 3 and why["commits"][0]["set"] == ["x"]
    )
    history = kept.get("/v1/graphs/g/nodes/double/history?since=1").json()
    assert [each["v"] for each in history["d"]] == [10, 24, 14, 16]
    refused = kept.get(f"/v1/graphs/g/values?at={described['rev'] + 1}")
    assert refused.status == 400 and refused.json()["code"] == "bad_field"
    assert kept.get("/v1/graphs/g/values?at=2&epoch=other").json()["kept"] is None


def test_by_time(kept):
    """`at=@TIME` is the state after the last commit at or before it, wherever `at` is."""
    times = []
    for value in (5, 12, 7):
        kept.set("g", "x", value)
        times.append(kept.get("/v1/graphs/g/values?nodes=x").json()["t"])
        eventually(lambda: time.time() * 1000 > times[-1] + 2)
    born = kept.get("/v1/graphs/g/values?nodes=x&at=1").json()["t"]
    kept.kill()
    kept.start()
    for at, rev, value in [
        (born, 1, 1), (times[1] - 1, 2, 5), (times[1], 3, 12), (times[1] + 1, 3, 12), (times[2], 4, 7),
        (10**13, 4, 7),
    ]:
        found = kept.get(f"/v1/graphs/g/values?nodes=x&at=@{at}").json()
        assert (found["rev"], found["m"]["x"]["v"]) == (rev, value), at
        assert kept.get(f"/v1/graphs/g/nodes/double?at=@{at}").json() == 2 * value
        assert kept.get(f"/v1/graphs/g/nodes/double/explain?at=@{at}").json()["rev"] == rev
        assert kept.get(f"/v1/graphs/g/graph?format=json&at=@{at}").json()["rev"] == rev
    text = datetime.datetime.fromtimestamp(times[1] / 1000, datetime.UTC).isoformat(timespec="milliseconds")
    assert kept.get(f"/v1/graphs/g/values?at=@{quote(text)}").json()["rev"] == 3
    gone = kept.get(f"/v1/graphs/g/values?at=@{born - 1}")
    refused = gone.json()
    assert gone.status == 410 and refused["code"] == "gone" and refused["kept"] == {"from": 1, "to": 4}
    assert f"at=@{born}" in refused["hint"]
    for at in ("@", "@nope", "@-1", "@99999999999999999", "yesterday", "@1&epoch=e"):
        refused = kept.get(f"/v1/graphs/g/values?at={at}")
        assert refused.status == 400 and refused.json()["code"] == "bad_field", at
    run = subprocess.run(
        [BINARY, "get", "g/double", "--at", f"@{text}", "--url", kept.url], capture_output=True, text=True,
        timeout=PATIENCE,
    )
    assert run.stdout.strip() == "24", run


def test_command_line(kept):
    play(kept, 5, 12)
    run = subprocess.run(
        [BINARY, "get", "g/double", "--at", "2", "--url", kept.url], capture_output=True, text=True,
        timeout=PATIENCE,
    )
    assert run.stdout.strip() == "10", run
    run = subprocess.run(
        [BINARY, "get", "g", "--at", "2", "--url", kept.url], capture_output=True, text=True, timeout=PATIENCE
    )
    assert '"x":{"v":5}' in run.stdout, run
    run = subprocess.run(
        [BINARY, "get", "g/x", "--at", "99", "--url", kept.url], capture_output=True, text=True,
        timeout=PATIENCE,
    )
    assert run.returncode != 0 and "is in the future" in run.stderr, run


# The page


def look_back(page):
    page.get_by_role("button", name="History").click()
    bar = page.get_by_role("region", name="The past")
    expect(bar).to_be_visible()
    return bar


def slider(page):
    return page.get_by_role("slider", name="Time")


@pytest.mark.browser
def test_values_of_a_revision_and_back(open_page, kept):
    play(kept, 5, 12, 7)
    page = open_page(kept, "/#/g/g/values")
    value = page.locator('.view:not([hidden]) [data-node="double"]')
    expect(value).to_have_text("14")
    bar = look_back(page)
    expect(bar).to_contain_text("Past, read-only")
    expect(slider(page)).to_be_focused()
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(r"Revision 4, .*\d\d:\d\d:\d\d"))
    page.keyboard.press("ArrowLeft")
    expect(value).to_have_text("24")
    expect(bar.locator(".past-when")).to_contain_text("revision 3")
    # What is set meanwhile is not shown, and nothing can be set here.
    kept.set("g", "x", 20)
    page.keyboard.press("Home")
    expect(value).to_have_text("2")
    editors = page.locator(".view:not([hidden]) value-editor")
    expect(editors.first).to_have_attribute("data-off", "")
    expect(editors.first.locator("input").last).not_to_be_editable()
    expect(page.locator('.view:not([hidden]) [data-node="note"]')).to_have_text("empty")
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    expect(page.get_by_role("button", name="History")).to_be_focused()
    expect(value).to_have_text("40")
    expect(editors.first.locator("input").last).to_be_editable()


@pytest.mark.browser
def test_the_clock_goes_to_a_time_plays_and_says_what_changed(open_page, kept):
    for value in (5, 12, 7, 30):
        kept.set("g", "x", value)
        time.sleep(1.1)
    times = [kept.get(f"/v1/graphs/g/values?nodes=x&at={rev}").json()["t"] for rev in range(1, 6)]
    page = open_page(kept, "/#/g/g/values")
    value, bar = page.locator('.view:not([hidden]) [data-node="x"]'), look_back(page)
    expect(page.locator(".past-when")).to_contain_text("revision 5")
    expect(slider(page)).to_have_attribute("min", str(times[0]))
    assert bar.locator(".past-marks span").count() > 1, "times below the slider"
    # A time between two commits shows the earlier one.
    page.evaluate(
        """(t) => { const it = document.querySelector(".past-time input"); it.value = t;
           it.dispatchEvent(new Event("input", { bubbles: true })); }""",
        times[2] + 500,
    )
    expect(value).to_have_text("12\u202f°C")
    expect(page.locator(".past-when")).to_contain_text("revision 3")
    bar.get_by_role("button", name="The next commit").click()
    expect(value).to_have_text("7\u202f°C")
    # The summary says how many; the list has a link, and both values where it knows them.
    expect(bar.locator("summary")).to_have_text(re.compile(r"\d nodes changed in revision 4"))
    bar.locator("summary").click()
    expect(bar.get_by_role("listitem").filter(has_text="Temperature")).to_have_text(
        "Temperature 12\u202f°C → 7\u202f°C"
    )
    # A field for date and time.
    field = bar.get_by_label("Date and time")
    stamp = page.evaluate(
        "(t) => new Date(t - new Date(t).getTimezoneOffset() * 60e3).toISOString().slice(0, 19)",
        times[1] + 1000,
    )
    field.fill(stamp)
    field.blur()
    expect(value).to_have_text("5\u202f°C")
    # Playing goes on to the end by itself.
    bar.get_by_label("Speed").select_option("10")
    bar.get_by_role("button", name="Play").click()
    expect(value).to_have_text("30\u202f°C")
    expect(bar.get_by_role("button", name="Play")).to_be_visible()
    # The link leads to the node, at the same moment.
    bar.get_by_role("link", name="Temperature").click()
    expect(page.locator(".view:not([hidden]) .inspector-value")).to_have_text("30\u202f°C")
    expect(bar).to_be_visible()


@pytest.mark.browser
def test_playing_asks_only_where_something_changes(open_page, kept):
    kept.set("g", "x", 5)
    time.sleep(4)
    kept.set("g", "x", 7)
    page, asked = open_page(kept, "/#/g/g/values"), []
    value, bar = page.locator('.view:not([hidden]) [data-node="x"]'), look_back(page)
    expect(page.locator(".past-when")).to_contain_text("revision 3")
    page.keyboard.press("Home")
    expect(page.locator(".past-when")).to_contain_text("revision 1")
    page.on("request", lambda request: "/graph?" in request.url and asked.append(request.url))
    bar.get_by_label("Speed").select_option("1")
    bar.get_by_role("button", name="Play").click()
    expect(value).to_have_text("5\u202f°C")
    expect(value).to_have_text("7\u202f°C")
    assert len(asked) <= 6, "the picture of each revision, and once more until the next is known"


@pytest.mark.browser
def test_graph_of_a_revision(open_page, kept):
    play(kept, 5, 12, 7)
    page = open_page(kept, "/#/g/g?node=half")
    expect(page.locator(".inspector-value")).to_have_text("not running: nobody listens")
    look_back(page)
    value = page.locator(".view:not([hidden]) .inspector-value")
    expect(value).to_have_text("3.5")
    page.keyboard.press("ArrowLeft")
    expect(value).to_have_text("6")
    page.get_by_role("button", name="Why this value?").last.click()
    why = page.locator(".view:not([hidden]) .explain")
    expect(why).to_contain_text("revision 3")
    expect(why).to_contain_text("12")
    expect(why).to_contain_text("set x")
    slider(page).press("ArrowLeft")
    expect(value).to_have_text("2.5")
    expect(why).to_be_empty()
    slider(page).press("ArrowRight")
    expect(value).to_have_text("6")
    page.get_by_role("button", name="Why this value?").last.click()
    expect(page.get_by_text("Observing only").last).to_be_visible()
    page.screenshot(path=ARTEFACTS / "past-graph-light.png")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".inspector-value")).to_have_text("not running: nobody listens")


@pytest.mark.browser
def test_definition_of_that_time(open_page, kept):
    nodes = {"a": {"set": "number", "initial": 1}, "b": {"from": "a", "pipe": [{"map": "value + 1"}]}}
    definition = json.dumps({"graph": "h", "nodes": nodes})
    kept.request("PUT", "/v1/graphs/h", definition, {"Content-Type": "application/json"})
    kept.request(
        "PUT", "/v1/graphs/h", '{"graph":"h","nodes":{"a":{"set":"number"}}}',
        {"Content-Type": "application/json"},
    )
    page = open_page(kept, "/#/g/h/values")
    expect(page.locator('[data-node="a"]')).to_have_text("1")
    look_back(page)
    page.keyboard.press("Home")
    expect(page.locator('.view:not([hidden]) [data-node="b"]')).to_have_text("2")


@pytest.mark.browser
def test_dashboard_of_a_revision(open_page, kept):
    play(kept, 5, 12, 7)
    page = open_page(kept, "/#/g/g/dash")
    figures = page.locator(".view:not([hidden]) .widget")
    expect(figures.filter(has_text="double")).to_contain_text("14")
    look_back(page)
    page.keyboard.press("ArrowLeft")
    expect(figures.filter(has_text="double")).to_contain_text("24")
    expect(page.get_by_role("button", name="Add widget")).to_have_count(0)
    expect(page.get_by_role("button", name="Edit", exact=True)).to_have_count(0)
    page.keyboard.press("a")
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.screenshot(path=ARTEFACTS / "past-dash-light.png")
    # Another view of the graph is of the same moment.
    page.get_by_role("link", name="Values", exact=True).first.click()
    expect(page.locator('.view:not([hidden]) [data-node="double"]')).to_have_text("24")
    # Another place is not.
    page.get_by_role("link", name="About", exact=True).click()
    expect(page.get_by_role("region", name="The past")).to_have_count(0)


@pytest.mark.browser
def test_without_a_log_there_is_only_the_present(open_page, server):
    page = open_page(server, "/#/g/g/values")
    expect(page.locator('[data-node="double"]')).to_be_visible()
    bar = look_back(page)
    expect(bar).to_contain_text("There is only the present")
    expect(bar).to_contain_text("dataDir")
    expect(slider(page)).to_have_count(0)
    expect(page.locator("html[data-past]")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(bar).to_be_hidden()


@pytest.mark.browser
@pytest.mark.parametrize("look", ["dark", "phone"])
def test_looks(open_page, kept, look):
    play(kept, 5, 12, 7)
    options = (
        {"color_scheme": "dark"}
        if look == "dark"
        else {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    )
    for name, path in [
        ("graph", "/#/g/g?node=alarm" if look == "dark" else "/#/g/g"),
        ("dash", "/#/g/g/dash"),
        ("values", "/#/g/g/values"),
    ]:
        page = open_page(kept, path, **options)
        expect(page.get_by_role("button", name="History")).to_be_visible()
        look_back(page)
        slider(page).press("ArrowLeft")
        expect(page.locator(".past-when")).to_contain_text("revision 3")
        eventually(lambda: page.locator("[aria-busy]").count() == 0)
        page.wait_for_timeout(300)
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"{name} scrolls sideways by {width}"
        page.screenshot(path=ARTEFACTS / f"past-{name}-{look}.png")
