"""The page in Firefox and WebKit: the core path of every view, with both kinds of hands. What only
Chromium's tools can measure stays with Chromium."""

import json
import re
import subprocess
import tempfile
import time

import pytest
from conftest import Client
from drivers import Firefox, WebKit
from sluice import BINARY, PATIENCE, ROOT, Server, eventually
from dashboards import address, layout
from test_graph_load import CHAIN
from test_page_values import GRAPH

pytestmark = [pytest.mark.browser, pytest.mark.first]
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"
SHIPPED = {file.stem: file.read_text() for file in (ROOT / "config/graphs").glob("*.yaml")}
DASHBOARDS = f"dashboards: {ROOT}/config/dashboards\n"
# What a browser says by itself about a server that is down.
DOWN = r"can.t establish a connection|connection to .* was interrupted|Could not connect|WebSocket connection"
VIEWS = {
    "graphs": ("", ".graphs a"), "house": ("#/g/house", ".node .value"), "host": ("#/g/host", ".node .name"),
    "outline": ("#/g/house?view=outline", "[role=treeitem]"),
    "values": ("#/g/house/values", "[data-node=indoor_f]"), "clients": ("#/clients", "table.clients a"),
    "about": ("#/about", "dl.facts dd"), "dash-house": ("#/g/house/dash", ".people-join"),
    "dash-host": ("#/g/host/dash", ".chart canvas"),
}


@pytest.fixture(scope="module", params=[Firefox, WebKit], ids=lambda kind: kind.name)
def other(request):
    if reason := request.param.absent():
        pytest.skip(reason)
    running = request.param()
    yield running
    running.close()


@pytest.fixture
def open_other(other):
    """Opens pages whose consoles must stay silent; `allow` is what they may say nevertheless."""
    opened = []

    def open_(server, path="/", allow="^$", **options):
        page = other.open(server.url + path, **options)
        opened.append((page, re.compile(allow)))
        page.wait("document.readyState === 'complete'")
        return page

    yield open_
    complaints = [
        words
        for page, allowed in opened
        if not page.closed
        for words in page.problems()
        if not allowed.search(words)
    ]
    for page, _ in opened:
        page.close()
    assert complaints == []


def live(page):
    page.wait_text(".conn-text", "^Live$")


def counts(server):
    return server.counts("g")


def test_every_view_is_shown_without_complaint(other, open_other):
    ARTEFACTS.mkdir(exist_ok=True)
    with Server(SHIPPED, DASHBOARDS) as server:
        server.set("host", "cpu_busy_ticks", 1)
        page = open_other(server)
        for size in ((1280, 900), (390, 844)):
            page.resize(*size)
            for name, (view, sign) in VIEWS.items():
                page.goto(f"{server.url}/?{name}{size[0]}{view}")
                live(page)
                # On a narrow screen a graph is an outline.
                is_outline = size[0] <= 760 and name in ("house", "host")
                page.wait(f"Boolean({page.find('[role=treeitem]' if is_outline else sign)})")
                if name.startswith("dash"):
                    page.wait(
                        "document.querySelectorAll('.widget').length > 8 && "
                        "[...document.querySelectorAll('.widget-body')].every((e) => e.firstElementChild)"
                    )
                    assert (
                        page.evaluate(
                            "[...document.querySelectorAll('.widget-body > p.bad')].map((e) => e.textContent)"
                        )
                        == []
                    )
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                    name, size, "no sideways page scroll",
                )
                time.sleep(0.3)
                page.screenshot(ARTEFACTS / f"{other.name}-{name}-{page.evaluate('innerWidth')}.png")
                assert page.problems() == []
        page.close()


def test_a_set_in_one_shows_in_the_other_and_wrong_input_is_reported_at_the_field(open_other):
    with Server({"g": GRAPH}) as server:
        a, b = (open_other(server, "/#/g/g/values") for _ in range(2))
        for page in (a, b):
            page.wait_text("[data-row=double] .value", r"^20$")
        a.fill("[data-row=level] input[type=text]", "42")
        a.press("Enter")
        b.wait_text("[data-row=level] .value", r"^42\s%")
        b.wait_text("[data-row=double] .value", "^84$")
        a.wait_text("[data-row=level] .editor-message", "Accepted, revision 2")
        a.fill("[data-row=level] input[type=text]", "101")
        a.press("Enter")
        a.wait_text("[data-row=level] .editor-message", "at most 100")
        assert a.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
        a.press("Escape")
        # A switch, a slider by keys, a choice.
        a.click("[data-row=lamp] [role=switch]")
        b.wait_text("[data-row=lamp] .value", "on")
        a.evaluate("document.querySelector('[data-row=level] input[type=range]').focus()")
        a.press("End")
        b.wait_text("[data-row=level] .value", r"^100\s%")
        a.evaluate("document.querySelector('[data-row=mode] select').focus()")
        a.press("o")
        b.wait_text("[data-row=mode] .value", "off")
        # Every digit of 64 bits, both ways.
        a.fill("[data-row=whole] input[type=text]", "9007199254740993")
        a.press("Enter")
        b.wait_text("[data-row=whole] .value", "9007199254740993")
        # Both at once end equal.
        for page, value in ((a, "31"), (b, "32")):
            page.fill("[data-row=level] input[type=text]", value)
        for page in (a, b):
            page.evaluate("document.querySelector('[data-row=level] form').requestSubmit()")
        eventually(
            lambda: (
                {
                    a.text("[data-row=double] .value"), b.text("[data-row=double] .value"),
                    str(2 * server.value("g", "level")),
                }
                <= {"62", "64"}
            )
        )
        eventually(
            lambda: (
                a.text("[data-row=double] .value")
                == b.text("[data-row=double] .value")
                == str(2 * server.value("g", "level"))
            )
        )


def test_joining_and_leaving_are_seen_and_looking_owns_nothing(open_other):
    with Server({"g": CHAIN}) as server:
        before = counts(server)
        page = open_other(server, "/#/g/g?details=1")
        page.wait("document.querySelectorAll('.node').length > 8")
        here = "document.querySelectorAll('.node[data-kind=listener]:not(.gone)').length"
        page.click('.node[data-id="n:x"]')
        page.wait_text(".inspector-head h2", "^x$")
        page.fill("value-editor input", "7")
        page.press("Enter")
        page.wait_text('.node[data-id="n:x"] .value', "^7$")
        assert counts(server) == before, "looking and setting own nothing"
        other = open_other(
            server,
            address(
                layout({"kind": "number", "node": "double", "pipe": [{"map": "value * 3"}], "title": "Own"})
            ),
        )
        other.wait_text(".widget output", "^42$")
        page.wait(f"{here} === 1 && Boolean({page.find('.node[data-kind=chain]:not(.gone)')})")
        other.close()
        page.wait(f"{here} === 0 && !{page.find('.node[data-kind=chain]:not(.gone)')}")
        page.wait("document.querySelectorAll('.node.gone').length === 0")
        assert counts(server) == before
        with Client(server) as client:
            client.ask(op="sub", graph="g", node="deep")
            page.wait(f"{here} === 1")
        page.wait(f"{here} === 0")


def test_the_picture_and_the_outline_are_walked_with_keys(open_other):
    with Server({"g": CHAIN}) as server:
        page = open_other(server, "/#/g/g")
        page.wait("document.querySelectorAll('.node').length > 8")
        page.press("/", *"double")
        page.press("Enter")
        page.wait_text(".inspector-head h2", "^double$")
        page.evaluate("document.querySelector('.node[data-id=\"n:double\"]').focus()")
        # Along the flow, which is to the right or down, as there is room.
        x, double = (
            page.evaluate(
                f"document.querySelector('.node[data-id=\"n:{name}\"] .box').getBoundingClientRect().right"
            )
            for name in ("x", "double")
        )
        page.press("ArrowLeft" if x < double - 150 else "ArrowUp")
        page.wait("document.activeElement.dataset.id === 'n:x'")
        page.press("Enter")
        page.wait_text(".inspector-head h2", "^x$")
        page.press("Escape", "?")
        page.wait("document.querySelector('dialog[open]')?.textContent.includes('Go to the clients')")
        page.press("Escape")
        page.wait("!document.querySelector('dialog[open]')")
        page.press("g", "c")
        page.wait("location.hash === '#/clients'")
        # The picture is moved and zoomed by hand.
        page.goto(server.url + "/?again#/g/g")
        page.wait("document.querySelectorAll('.node').length > 8")
        time.sleep(0.5)
        camera = "document.querySelector('.camera').style.transform"
        stood = page.evaluate(camera)
        x, y = page.evaluate(
            "(({ left, bottom, width }) => [Math.round(left + width / 2), Math.round(bottom - "
            "30)])(document.querySelector('.picture').getBoundingClientRect())"
        )
        page.pointer(
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": 300},
            {"type": "pointerMove", "x": x - 60, "y": y - 40, "duration": 100},
            {"type": "pointerUp", "button": 0},
        )
        page.wait(f"{camera} !== {json.dumps(stood)}")
        page.click("button", "Fit")
        page.click("button", "Outline")
        page.wait(f"Boolean({page.find('[role=treeitem]')})")
        page.evaluate("document.querySelector('[role=tree]').focus()")
        page.press("ArrowDown", "Enter")
        page.wait("Boolean(document.querySelector('.inspector-head h2')?.textContent)")


def test_killed_and_started_again_the_page_is_as_it_was(open_other):
    with Server({"g": GRAPH}) as first:
        page = open_other(first, "/#/g/g/values", allow=DOWN)
        chart = open_other(
            first, address(layout({"kind": "series", "nodes": ["level"], "w": 12, "h": 5})), allow=DOWN
        )
        page.wait_text("[data-row=double] .value", "^20$")
        chart.wait_text(".legend output", "10")
        origin = page.evaluate("performance.timeOrigin")
        page.fill("[data-row=name] input", "half ty")
        first.process.kill()
        first.process.wait()
        page.wait_text(".conn-text", "Reconnecting|Cannot connect")
        page.wait_text("#banner", "Not connected")
        with Server({"g": GRAPH.replace("initial: 10", "initial: 11")}, listen=f"127.0.0.1:{first.port}"):
            page.wait_text("[data-row=double] .value", "^22$")
            live(page)
            assert page.evaluate("[performance.timeOrigin, document.activeElement.value]") == [
                origin, "half ty",
            ]
            page.press("Enter")
            page.wait_text("[data-row=name] .editor-message", "Accepted")
            chart.wait_text(".legend output", "11")
            assert chart.evaluate("document.querySelector('canvas').dataset.gaps") == "1"
            for each in (page, chart):
                each.close()


def test_widgets_are_drawn_moved_and_resized(open_other):
    two = {"kind": "gauge", "min": 0, "max": 100}
    charts = layout(
        {**two, "node": "level", "title": "One"},
        {**two, "node": "double", "title": "Two"},
        {"kind": "series", "nodes": ["level", "double"], "title": "Both", "w": 8, "h": 4, "x": 0, "y": 4},
        {"kind": "log", "node": "level", "title": "Log", "x": 8, "y": 4, "h": 4},
    )
    with Server({"g": GRAPH}) as server:
        page = open_other(server, address(charts), size=(1280, 1000))
        page.wait_text(".legend", "10.*20")
        for value in range(20, 60, 10):
            server.set("g", "level", value)
        page.wait_text(".legend", "50.*100")
        page.wait(
            "document.querySelectorAll('[role=meter]').length === 2 && "
            "document.querySelector('[role=meter]').ariaValueNow === '50'"
        )
        painted = """(() => { const c = document.querySelector('.chart canvas'), p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
            for (let i = 0; i < p.length; i += 4) if (p[i + 3] > 200) seen.add(p[i] + ' ' + p[i + 1] + ' ' + p[i + 2]); return seen.size > 3; })()"""
        page.wait(painted)
        place = "getComputedStyle(document.querySelector('[aria-label^=One]')).{}"
        column = page.evaluate(
            "document.querySelector('[aria-label^=One]').getBoundingClientRect().width / 4"
        )
        page.drag("[aria-label^=One] header", round(3 * column), 0)
        page.wait(place.format("gridColumnStart") + " === '4'")
        page.drag("[aria-label^=One] .widget-resize", round(2 * column), 70)
        page.wait(
            place.format("gridColumnEnd") + " === 'span 6' && " + place.format("gridRowEnd") + " === 'span 3'"
        )
        # And by keys, from its menu.
        page.click("[aria-label='Menu of Two']")
        page.click("[role=menuitem]", "Move or resize")
        page.press("ArrowRight", "Enter")
        page.wait("getComputedStyle(document.querySelector('[aria-label^=Two]')).gridColumnStart === '2'")
        # The chart's cursor, and its figures as a table.
        page.click("[aria-label='Menu of Both']")
        page.click("[role=menuitem]", "Show as table")
        page.wait_text("[aria-label^=Both] table", "100")
        page.press("a")
        page.wait(
            "document.querySelector('dialog[open]')?.ariaLabel === 'Add widget' || "
            "document.querySelector('dialog[open] h2')?.textContent === 'Add widget'"
        )
        page.press("Escape")
        assert "w=1." in page.evaluate("location.hash")


def test_leaving_for_another_page_releases_and_coming_back_is_live_again(other, open_other):
    with Server({"g": CHAIN}) as server:
        page = open_other(server, address(layout({"kind": "number", "node": "double"})))
        page.wait_text(".widget output", "^2$")
        assert counts(server)["listeners"] == 1
        page.evaluate(
            "(addEventListener('pageshow', (e) => { document.body.dataset.kept = e.persisted; }), 0)"
        )
        page.goto(server.url + "/favicon.svg")
        eventually(lambda: counts(server)["listeners"] == 0, what="the listener to vanish with its page")
        server.set("g", "x", 21)
        page.back()
        # WebKit keeps the page as it was; a question to it while it comes back is never answered.
        # Firefox, which keeps no page that has a socket, loads it again.
        eventually(lambda: counts(server)["listeners"] == 1, what="the listener to be back")
        time.sleep(1)
        page.wait_text(".widget output", "^42$")
        live(page)
        assert page.evaluate("document.body.dataset.kept ?? null") == (
            "true" if other.name == "webkit" else None
        )


def test_signing_in_and_out(open_other, tmp_path):
    made = subprocess.run(
        [BINARY, "token", "--name", "alice", "--role", "owner"]
        + [word for right in ("read", "pipe", "set", "observe", "admin") for word in ("--can", right)],
        capture_output=True, text=True,
    )
    token = re.search(r"token \(shown once\): (\S+)", made.stderr)[1]
    (tmp_path / "tokens.yaml").write_text("tokens:\n" + made.stdout)
    with Server({"g": CHAIN}, f"auth: {tmp_path}/tokens.yaml\n") as server:
        page = open_other(server, "/#/g/g/values", allow="401")
        page.wait("document.activeElement.matches('input[type=password]')")
        page.press(*"slc_wrong", "Enter")
        page.wait_text("[role=alert]", "not known")
        page.fill("input[type=password]", token)
        page.press("Enter")
        page.wait_text('[data-node="deep"]', "^30$")
        page.click("button", "Sign out")
        page.wait("[...document.querySelectorAll('h1')].some((e) => e.textContent === 'Sign in')")


def test_dark_and_without_motion():
    """Firefox takes both from its preferences."""
    if reason := Firefox.absent():
        pytest.skip(reason)
    browser = Firefox(**{"layout.css.prefers-color-scheme.content-override": 0, "ui.prefersReducedMotion": 1})
    try:
        with Server(SHIPPED, DASHBOARDS) as server:
            for name in ("house", "dash-house", "dash-host", "values"):
                page = browser.open(f"{server.url}/{VIEWS[name][0]}", size=(1280, 900))
                live(page)
                page.wait(f"Boolean({page.find(VIEWS[name][1])})")
                assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 19, 26)"
                assert (
                    page.evaluate("document.getAnimations().filter((a) => a.playState === 'running').length")
                    == 0
                )
                time.sleep(0.3)
                page.screenshot(ARTEFACTS / f"firefox-{name}-dark.png")
                assert page.problems() == []
                page.close()
    finally:
        browser.close()


def test_webkit_says_nothing_from_the_first_byte_on():
    """Under automation its console is not to be had; this one writes it to its output, from before
    the first script."""
    if reason := WebKit.absent():
        pytest.skip(reason)
    with Server(SHIPPED, DASHBOARDS) as server, tempfile.TemporaryFile("w+") as output:
        with WebKit.screen() as environment:
            running = subprocess.Popen(
                [
                    "stdbuf", "-oL", WebKit.program(), "--private",
                    "--enable-write-console-messages-to-stdout=true",
                    *(
                        f"{server.url}/{VIEWS[name][0]}"
                        for name in ("house", "values", "dash-house", "dash-host")
                    ),
                ],
                stdout=output, stderr=subprocess.STDOUT, env=environment,
            )
            try:
                eventually(
                    lambda: (
                        server.counts("house")["listeners"] > 1 and server.counts("host")["listeners"] > 0
                    ),
                    what="dashboards and values to listen",
                )
                time.sleep(2)
            finally:
                running.terminate()
                running.wait(PATIENCE)
        output.seek(0)
        assert [line for line in output if "CONSOLE" in line] == []
