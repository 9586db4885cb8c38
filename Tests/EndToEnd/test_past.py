"""Looking at graphs as they were: over HTTP after a restart, with the command line, and on the page."""

import json
import re
import subprocess

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
    return page.get_by_role("slider", name="Revision")


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
    expect(bar.locator(".past-when")).to_contain_text("rev 3")
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
def test_graph_of_a_revision(open_page, kept):
    play(kept, 5, 12, 7)
    page = open_page(kept, "/#/g/g?node=half")
    expect(page.locator(".inspector-value")).to_have_text("asleep")
    look_back(page)
    value = page.locator(".view:not([hidden]) .inspector-value")
    expect(value).to_have_text("3.5")
    page.keyboard.press("ArrowLeft")
    expect(value).to_have_text("6")
    page.get_by_role("button", name="Why this value?").last.click()
    why = page.locator(".view:not([hidden]) .explain")
    expect(why).to_contain_text("rev 3")
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
    expect(page.locator(".inspector-value")).to_have_text("asleep")


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
        expect(page.locator(".past-when")).to_contain_text("rev 3")
        eventually(lambda: page.locator("[aria-busy]").count() == 0)
        page.wait_for_timeout(300)
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"{name} scrolls sideways by {width}"
        page.screenshot(path=ARTEFACTS / f"past-{name}-{look}.png")
