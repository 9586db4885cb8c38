"""Every view of the page, in both themes, on a desk and on a phone, judged by axe-core.

axe is evaluated over the browser's debugging protocol, as all that tests evaluate: the page's
Content-Security-Policy stays in force, and its violations still fail a test (browser.py).
"""

import re

import pytest
from access import Guarded
from axe_playwright_python.base import AXE_SCRIPT
from browser import DOWN
from dashboards import address, layout
from playwright.sync_api import expect
from sluice import PATIENCE, Server
from test_sinks import Receiver

pytestmark = [pytest.mark.browser, pytest.mark.timeout(6 * PATIENCE)]
# Quiet, empty, out of date, failed, in alarm, with a warning, without an answer of its upstream.
HOME = """
graph: home
title: Our home
upstreams: { met: { url: "UPSTREAM" } }
nodes:
  room: { set: number, initial: 20.5, unit: °C, title: Living room, icon: thermometer, role: sensor, history: 100 }
  cellar: { set: number, initial: 12, unit: °C, title: Cellar, role: sensor, fresh: 200ms, history: 100 }
  garage: { set: number, unit: °C, title: Garage, role: sensor }
  leak: { set: boolean, initial: true, title: Leak, icon: drop, role: sensor, severity: alarm, words: { true: wet, false: dry } }
  wanted: { set: number, initial: 21, min: 5, max: 30, unit: °C, title: Set point }
  mode: { set: { enum: [eco, comfort] }, initial: eco, title: Heating }
  light: { set: boolean, initial: true, title: Light }
  note: { set: any, initial: { by: hand } }
  warm: { from: room, pipe: [ { map: "value > 18" } ], title: Warm, severity: warning }
  wrong: { from: room, pipe: [ { map: "value / 0.0 > 1.0 ? value : 1.0 / (value - 20.5)" } ] }
  far: { source: { get: "met:/now", every: 1s, pick: value.temp }, title: Outside }
sinks:
  pager: { from: room, url: "SINK" }
"""
OTHER = "graph: other\ntitle: A quiet graph\nnodes:\n  x: { set: number, initial: 1 }\n"
EMPTY = "graph: empty\nnodes: {}\n"
WIDGETS = layout(
    {"kind": "number", "node": "room"}, {"kind": "number", "node": "cellar"},
    {"kind": "number", "node": "garage"},
    {"kind": "lamp", "node": "leak"}, {"kind": "lamp", "node": "warm"}, {"kind": "gauge", "node": "wanted"},
    {"kind": "editor", "node": "wanted", "slider": True}, {"kind": "editor", "node": "mode"},
    {"kind": "editor", "node": "light"}, {"kind": "text", "node": "note"}, {"kind": "text", "node": "wrong"},
    {"kind": "sparkline", "node": "room"}, {"kind": "table", "nodes": ["*"], "h": 4},
    {"kind": "log", "node": "room", "h": 4},
    {"kind": "clients", "h": 3}, {"kind": "series", "nodes": ["room", "cellar"], "title": "Line", "h": 4},
)
# A view, what shows that it is there, and what is opened in it.
VIEWS = [
    ("#/graphs", ".graph-values dd", []),
    (address(WIDGETS, "home", edit=False)[1:], ".widget[data-loud=alarm]", ["menu", "dashboards"]),
    (address(WIDGETS, "home")[1:], ".handles", ["widget", "node"]),
    (address(WIDGETS, "home", edit=False)[1:] + "&kiosk=1", "[data-kiosk] .widget[data-loud=alarm]", []),
    ("#/g/empty/dash", ".notice", []),
    ("#/g/home", ".node .value, .outline-row", ["find", "legend"]),
    ("#/g/home?node=warm", ".inspector .node-facts", ["why"]),
    ("#/g/home?node=far", ".inspector .node-facts", []),
    ("#/g/home?view=outline", ".outline-row", []),
    ("#/g/home/values", "[data-row=warm] .value", ["sheet"]),
    ("#/g/empty/values", ".notice", []),
    ("#/clients", "table.clients a", []),
    ("#/files", "#main button", []),
    ("#/about", "dl.facts dd", ["keys", "theme", "connection"]),
    ("#/none", ".notice", []),
]
SIZES = {
    "desk": dict(viewport={"width": 1280, "height": 800}),
    "phone": dict(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True),
}
AXE = """(only) => axe.run(document, { resultTypes: ["violations"], ...(only ? { runOnly: only }
    : { rules: { "target-size": { enabled: true } } }) })
    .then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, any, all, none }) =>
        `${id} at ${target.join(" ")}: ${[...any, ...all, ...none][0]?.message ?? help}`)))"""


def judge(page, where):
    """What axe finds, as lines with the rule, the element and what is wrong with it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = []
    for theme, only in (("light", None), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += [f"{where}, {theme}: {line}" for line in page.evaluate(AXE, only)]
    return found


def opened(page, what, size):
    """Opens a menu or a dialog; returns what closes it."""
    button = lambda name, **more: page.get_by_role("button", name=name, **more)
    if (what, size) in (("sheet", "desk"), ("legend", "phone")):
        return False
    if what == "why":
        button("Why this value?").click()
        expect(page.locator(".explain")).not_to_be_empty()
        return True
    if what == "menu":
        page.locator(".widget-menu").first.focus()
        page.keyboard.press("Enter")
    elif what == "find":
        page.get_by_label("Find a node").fill("r")
    elif what == "node":
        button("Add widget").click()
        page.get_by_role("dialog").get_by_label("Node").first.click()
    elif what == "sheet":
        page.locator(".row-open").first.tap()
    else:
        {
            "dashboards": lambda: button("Dashboards").click(),
            "widget": lambda: button("Add widget").click(),
            "legend": lambda: button("Legend").click(),
            "keys": lambda: button("Keys").click(),
            "theme": lambda: button("Theme").click(),
            "connection": lambda: page.locator(".conn-chip").click(),
        }[what]()
    parts = ("dialog", ".menu", ".legend", "[role=listbox]")
    expect(page.locator(", ".join(f"{part}:visible" for part in parts)).first).to_be_visible()
    return True


@pytest.fixture
def home(upstream):
    receiver = Receiver()
    receiver.answer = lambda handler: handler.reply(503)
    upstream.answer = lambda call: call.reply({}, status=503)
    graph = HOME.replace("UPSTREAM", upstream.url).replace("SINK", f"http://127.0.0.1:{receiver.port}/hook")
    hosts = f'sourceHosts: ["127.0.0.1:{upstream.port}"]\nsinkHosts: ["127.0.0.1:{receiver.port}"]\n'
    with Server({"home": graph, "other": OTHER, "empty": EMPTY}, hosts, keeps=True) as server:
        server.set("home", "room", 21.5)
        yield server
    receiver.close()


@pytest.mark.parametrize("size", SIZES)
def test_no_view_has_a_fault_that_axe_finds(open_page, home, size):
    page = open_page(home, "/", allow=DOWN, **SIZES[size])
    found = []
    for path, sign, openings in VIEWS:
        page.evaluate("(to) => { location.hash = to; }", path)
        expect(page.locator(sign).first).to_be_visible()
        expect(page.locator("#main .skeleton:visible")).to_have_count(0)
        found += judge(page, path[:40])
        for each in openings:
            if opened(page, each, size):
                found += judge(page, f"{path[:40]}, {each} open")
                page.keyboard.press("Escape")
                page.keyboard.press("Escape")
    # The past, and a server that is gone.
    page.evaluate("location.hash = '#/g/home/values'")
    page.get_by_role("button", name="History").click()
    expect(page.locator(".past-when")).to_contain_text(re.compile("revision [0-9]"))
    found += judge(page, "the past")
    home.kill()
    expect(page.get_by_role("button", name="Retry now")).to_be_visible()
    page.get_by_role("button", name="Back to now").click()
    found += judge(page, "an outage")
    assert not found, "\n".join(found)


def test_signing_in_has_no_fault_that_axe_finds(open_page, tmp_path):
    with Guarded(tmp_path) as server:
        page = open_page(server, "/", allow=f"{DOWN}|401")
        page.get_by_label("Token").fill("no token")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#token-message")).not_to_be_empty()
        found = judge(page, "signing in")
        assert not found, "\n".join(found)
