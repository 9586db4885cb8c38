"""Dashboards on a wall that are operated by touch: what sets nodes, what asks first, pages, and the
screen at rest."""

import re
import signal

import pytest
from access import Guarded
from browser import DOWN
from dashboards import address, layout, widget
from playwright.sync_api import expect
from sluice import Server, eventually

pytestmark = pytest.mark.browser
GRAPH = """
graph: g
title: A house
nodes:
  light: { set: boolean, initial: false, title: Light, words: { true: lit, false: dark } }
  mode: { set: { enum: [eco, comfort, "off"] }, initial: eco, title: Heating, words: { "off": switched off } }
  wanted: { set: number, initial: 21, min: 5, max: 30, unit: °C, title: Wanted }
  count: { set: integer, initial: 7, min: 0, title: Count }
  note: { set: string, initial: milk, title: Note }
  gate:
    { set: boolean, initial: false, confirm: true, role: setting, title: Gate, words: { true: open, false: closed } }
  level: { set: number, initial: 20, min: 0, max: 100, confirm: true, title: Level }
  tens: { set: number, initial: 20, min: 0, max: 100, title: Tens, schema: { enum: [10, 20, 30] } }
  leak: { set: boolean, initial: false, title: Leak, severity: alarm, words: { true: wet, false: dry } }
  smoke: { set: boolean, initial: false, title: Smoke, severity: alarm }
"""
EDITORS = layout(*(
    {"kind": "editor", "node": node, "x": 4 * (i % 3), "y": 2 * (i // 3)}
    for i, node in enumerate(("light", "mode", "wanted", "count", "note", "gate", "level"))
), {"kind": "lamp", "node": "leak", "x": 8, "y": 4}, {"kind": "clients", "x": 4, "y": 4})


def kiosk(open_page, server, saver="", what=EDITORS, clock=False, **options):
    """A tablet on a wall; with `clock`, its time is the test's."""
    return open_page(
        server, address(what, edit=False) + f"&kiosk=touch{saver}", has_touch=True,
        before=(lambda page: page.clock.install()) if clock else None, **options,
    )


def becomes(page, server, node, value):
    """Waits until the server has the value."""
    for _ in range(100):
        if server.value("g", node) == value:
            return
        page.wait_for_timeout(50)
    assert server.value("g", node) == value


@pytest.fixture(scope="module")
def house():
    with Server({"g": GRAPH}) as server:
        yield server


def test_a_tap_switches_and_two_tablets_show_the_same(open_page, house):
    page, other = (kiosk(open_page, house) for _ in range(2))
    light, same = (each.get_by_role("switch", name="Light") for each in (page, other))
    expect(light).to_have_attribute("aria-checked", "false")
    expect(widget(page, "Light").locator("output")).to_have_text("dark")
    # The whole tile is the switch, its title too.
    widget(page, "Light").get_by_role("heading").tap()
    expect(light).to_have_attribute("aria-checked", "true")
    expect(widget(page, "Light").locator("output")).to_have_text("lit")
    expect(same).to_have_attribute("aria-checked", "true")
    assert house.value("g", "light") is True
    same.focus()
    other.keyboard.press("Space")
    expect(light).to_have_attribute("aria-checked", "false")
    assert house.value("g", "light") is False


def test_a_few_words_are_segments(open_page, house):
    page = kiosk(open_page, house)
    group = page.get_by_role("radiogroup", name="Heating")
    expect(group.get_by_role("radio")).to_have_text(["eco", "comfort", "switched off"])
    expect(group.get_by_role("radio", name="eco")).to_be_checked()
    group.get_by_role("radio", name="comfort").tap()
    expect(group.get_by_role("radio", name="comfort")).to_be_checked()
    becomes(page, house, "mode", "comfort")
    # Arrow keys only go there: what is on the way is not set.
    page.keyboard.press("ArrowRight")
    expect(group.get_by_role("radio", name="switched off")).to_be_focused()
    assert house.value("g", "mode") == "comfort"
    page.keyboard.press("Space")
    expect(group.get_by_role("radio", name="switched off")).to_be_checked()
    becomes(page, house, "mode", "off")
    house.set("g", "mode", "eco")
    expect(group.get_by_role("radio", name="eco")).to_be_checked()


def test_numbers_have_less_and_more_and_a_slider_within_their_bounds(open_page, house):
    page = kiosk(open_page, house)
    tile, slider = widget(page, "Wanted"), page.get_by_role("slider", name="Wanted")
    expect(tile.locator("output")).to_have_text("21")
    revision = house.get("/v1/graphs/g").json()["rev"]
    tile.get_by_role("button", name="Wanted: more").evaluate("it => { it.click(); it.click(); it.click(); }")
    expect(tile.locator("output")).to_have_text("22.5")
    becomes(page, house, "wanted", 22.5)
    assert house.get("/v1/graphs/g").json()["rev"] == revision + 1, "three presses are one set"
    expect(slider).to_have_attribute("aria-valuetext", "22.5\u202f°C")
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2)
    expect(tile.locator("output")).to_have_text("17.5")
    becomes(page, house, "wanted", 17.5)
    slider.focus()
    page.keyboard.press("End")
    becomes(page, house, "wanted", 30)
    expect(tile.get_by_role("button", name="Wanted: more")).to_be_disabled()
    # Without an upper bound there is no slider.
    expect(widget(page, "Count").get_by_role("slider")).to_have_count(0)
    widget(page, "Count").get_by_role("button", name="Count: less").tap()
    becomes(page, house, "count", 6)
    # What needs a keyboard has a field.
    field = widget(page, "Note").get_by_role("textbox")
    field.fill("bread")
    field.press("Enter")
    becomes(page, house, "note", "bread")


def test_targets_are_large(open_page, house):
    for size in ((1280, 800), (800, 600), (390, 844)):
        page = kiosk(open_page, house, viewport=dict(zip(("width", "height"), size)))
        expect(page.get_by_role("switch")).to_have_count(2)
        expect(page.get_by_role("slider")).to_have_count(2)
        boxes = page.locator(".widget :is(button, input):visible").evaluate_all(
            "all => all.map((it) => [it.ariaLabel ?? it.textContent, it.getBoundingClientRect().width, "
            "it.getBoundingClientRect().height])"
        )
        assert len(boxes) > 12
        assert [each for each in boxes if each[1] < 47.9 or each[2] < 47.9] == [], size
    # − and + are within the reach of a hand also where a tile is as wide as the wall.
    wide = layout({"kind": "editor", "node": "level", "w": 12})
    page = kiosk(open_page, house, what=wide, viewport={"width": 1920, "height": 1080})
    less, more = (
        page.get_by_role("button", name=f"Level: {each}").bounding_box() for each in ("less", "more")
    )
    assert 200 < more["x"] - less["x"] < 850


@pytest.mark.parametrize("answer", ["yes", "no", "silence"])
def test_what_asks_is_set_only_after_a_yes(open_page, house, answer):
    house.set("g", "gate", False)
    page = kiosk(open_page, house, clock=True)
    gate = page.get_by_role("switch", name="Gate")
    expect(gate).to_have_attribute("aria-checked", "false")
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
    gate.tap()
    question = page.get_by_role("dialog", name="Set Gate?")
    expect(question.locator(".from-to b")).to_have_text(["closed", "open"])
    expect(question).to_contain_text("Closes in")
    expect(gate).to_have_attribute("aria-checked", "false")
    # The question follows what others set meanwhile, and a second tap is no answer.
    expect(question.get_by_role("button", name="Set")).to_be_disabled()
    house.set("g", "gate", True)
    expect(gate).to_have_attribute("aria-checked", "true")
    page.clock.run_for(500)
    expect(question.locator(".from-to b")).to_have_text(["open", "open"])
    house.set("g", "gate", False)
    expect(gate).to_have_attribute("aria-checked", "false")
    page.clock.run_for(500)
    expect(question.locator(".from-to b")).to_have_text(["closed", "open"])
    if answer == "silence":
        page.clock.run_for(10_000)
    else:
        question.get_by_role("button", name="Set" if answer == "yes" else "Cancel", exact=True).tap()
    expect(question).to_have_count(0)
    if answer == "yes":
        becomes(page, house, "gate", True)
        expect(gate).to_have_attribute("aria-checked", "true")
    else:
        page.clock.run_for(2000)
        assert house.value("g", "gate") is False
        expect(gate).to_have_attribute("aria-checked", "false")


def test_a_definition_that_begins_to_ask_is_followed(open_page):
    with Server({"g": GRAPH}) as server:
        wall, page = kiosk(open_page, server), open_page(server, address(EDITORS, edit=False))
        expect(wall.get_by_role("switch", name="Light")).to_be_visible()
        field = widget(page, "Light").get_by_role("switch")
        expect(field).to_be_visible()
        (server.config.parent / "graphs/g.yaml").write_text(
            GRAPH.replace("light: {", "light: { confirm: true,")
        )
        server.process.send_signal(signal.SIGHUP)
        eventually(lambda: "reloaded" in server.log_text(), what="the reload")
        wall.wait_for_timeout(1500)
        wall.get_by_role("switch", name="Light").tap()
        expect(wall.get_by_role("dialog", name="Set Light?")).to_be_visible()
        field.click()
        expect(page.get_by_role("dialog", name="Set Light?")).to_be_visible()
        assert server.value("g", "light") is False


def test_a_drag_asks_once_at_its_end(open_page, house):
    page = kiosk(open_page, house)
    slider = page.get_by_role("slider", name="Level")
    expect(slider).to_have_attribute("aria-valuetext", "20")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=5)
    page.wait_for_timeout(200)
    assert house.value("g", "level") == 20, "nothing is set on the way"
    page.mouse.up()
    question = page.get_by_role("dialog", name="Set Level?")
    expect(question.locator(".from-to b")).to_have_text(["20", "80"])
    question.get_by_role("button", name="Cancel").tap()
    expect(widget(page, "Level").locator("output")).to_have_text("20")
    assert house.value("g", "level") == 20


def test_every_field_of_the_page_asks(open_page, house):
    house.set("g", "gate", False)

    def refuse(act):
        act()
        question = page.get_by_role("dialog", name="Set Gate?")
        expect(question.locator(".from-to b")).to_have_text(["closed", "open"])
        expect(question).not_to_contain_text("Closes in")
        question.get_by_role("button", name="Cancel").click()
        expect(question).to_have_count(0)
        assert house.value("g", "gate") is False

    def choose(where):
        return where.get_by_role("switch", name="New value of Gate").click

    page = open_page(house, address(EDITORS, edit=False))
    refuse(choose(widget(page, "Gate")))
    expect(widget(page, "Gate").locator(".switch-word")).to_have_text("closed")
    page = open_page(house, "/#/g/g/values")
    refuse(choose(page.locator("[data-row=gate]")))
    page = open_page(house, "/#/g/g?node=gate")
    refuse(choose(page.locator(".inspector")))
    choose(page.locator(".inspector"))()
    page.get_by_role("dialog").get_by_role("button", name="Set", exact=True).click()
    becomes(page, house, "gate", True)
    # Making it empty is a change, too.
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("dialog").locator(".from-to b")).to_have_text(["open", "empty"])


def test_what_the_server_refuses_is_said_and_the_value_stays(open_page, house):
    page = kiosk(open_page, house, clock=True, what=layout({"kind": "editor", "node": "tens"}))
    tile = widget(page, "Tens")
    tile.get_by_role("button", name="Tens: more").tap()
    expect(tile.locator("output")).to_have_text("25")
    message = tile.locator(".touch-message")
    expect(message).to_have_text(re.compile("^Not set: .*10"))
    expect(page.locator("#assertive")).to_contain_text("Tens: Not set:")
    expect(tile.locator("output")).to_have_text("20")
    assert house.value("g", "tens") == 20
    page.clock.run_for(11_000)
    expect(message).to_be_hidden()


def test_in_an_outage_nothing_can_be_set_and_afterwards_it_can(open_page):
    with Server({"g": GRAPH}) as server:
        page = kiosk(open_page, server, allow=DOWN)
        light = page.get_by_role("switch", name="Light")
        expect(light).to_be_enabled()
        server.process.kill()
        server.process.wait()
        expect(page.locator("#banner")).to_contain_text("nothing can be set")
        for each in page.locator(".touch button, .touch input").all():
            expect(each).to_be_disabled()
        widget(page, "Light").get_by_role("heading").tap()
        with Server({"g": GRAPH}, listen=f"127.0.0.1:{server.port}") as again:
            expect(page.locator("#banner")).to_be_hidden()
            expect(light).to_have_attribute("aria-checked", "false")
            light.tap()
            becomes(page, again, "light", True)


def test_a_token_that_may_only_read_sees_values(open_page, tmp_path):
    what = layout({"kind": "editor", "node": "room.temp"})
    with Guarded(tmp_path) as server:
        page = open_page(
            server, address(what, "house", edit=False) + "&kiosk=touch", has_touch=True,
            allow="401|Unauthorized|4401",
        )
        page.locator("#token").fill(server.tokens["bob"])
        page.get_by_role("button", name="Sign in").click()
        expect(widget(page, "room.temp").locator("output")).to_have_text("20")
        expect(page.locator(".widget :is(button:visible, input)")).to_have_count(0)


HOME = "graph: g\nnodes:\n" + "".join(
    f"  n{i}: {{ set: number, initial: {i}, min: 0, max: 100, title: Value {i} }}\n" for i in range(22)
) + "  high: { from: n21, pipe: [ { map: value > 50 } ], severity: alarm, title: High }\n"
SMALL = layout(*(
    {"kind": "editor" if i % 2 else "number", "node": f"n{i}", "x": 3 * (i % 4), "y": 2 * (i // 4), "w": 3}
    for i in range(22)
))
# Half of it lies on another page, or below.
LARGE = layout(*(
    {"kind": "editor" if i % 2 else "number", "node": f"n{i}", "x": 4 * (i % 3), "y": 3 * (i // 3), "h": 3}
    for i in range(22)
), {"kind": "lamp", "node": "high", "y": 24})


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 800)], ids=str)
@pytest.mark.parametrize("what", [SMALL, LARGE], ids=["small", "large"])
def test_a_home_of_22_nodes_fits_without_scrolling(open_page, size, what):
    with Server({"g": HOME}) as server:
        page = kiosk(open_page, server, what=what, viewport=dict(zip(("width", "height"), size)))
        expect(page.get_by_role("slider").first).to_be_attached()
        expect(page.locator(".skeleton")).to_have_count(0)
        sides = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
        assert sides[0] <= size[1] and sides[1] <= size[0]
        dots = page.locator(".pages button:visible")
        pages = max(1, dots.count())
        assert pages == (1 if what is SMALL else 2 if size[1] > 1000 else 3)
        seen = []
        for i in range(pages):
            if i:
                dots.nth(i).tap()
                expect(dots.nth(i)).to_have_attribute("aria-current", "page")
                page.wait_for_timeout(700)
            boxes = page.locator(".widget").evaluate_all("""all => all
                .map((it) => [it.ariaLabel, it.getBoundingClientRect()])
                .filter(([, box]) => box.right > 1 && box.left < innerWidth - 1)
                .map(([name, box]) => [name, box.left, box.top, box.right, box.bottom])""")
            seen += [name for name, *_ in boxes]
            for name, left, top, right, bottom in boxes:
                assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1], (name, i)
            assert max(each[4] for each in boxes) > 0.6 * size[1], "a page is filled"
            texts = page.locator(".widget :is(h2, footer):visible").evaluate_all(
                "all => all.map((it) => parseFloat(getComputedStyle(it).fontSize) * it.currentCSSZoom)"
            )
            assert min(texts) >= 13.9, "read from across the room"
        assert len(seen) == len(set(seen)) == len(what["widgets"])
        if pages == 1:
            return
        # An alarm on another page shows at its dot.
        dots.first.tap()
        server.set("g", "n21", 80)
        expect(dots.last).to_have_attribute("aria-label", f"Page {pages} of {pages}, alarm")


def ready(page):
    """The page has fetched what it may need later."""
    expect(page.get_by_role("switch", name="Light")).to_be_visible()
    page.clock.run_for(4000)
    expect(page.locator(".saver")).to_be_attached()


def rest(page):
    """Five minutes without touch."""
    ready(page)
    page.clock.run_for(301_000)
    saver = page.locator(".saver")
    expect(saver).to_be_visible()
    return saver


def test_the_screen_rests_moves_and_a_touch_only_wakes_it(open_page, house):
    house.set("g", "light", False)
    page = kiosk(open_page, house, clock=True)
    light = page.get_by_role("switch", name="Light")
    box = light.bounding_box()
    saver = rest(page)
    hours = page.evaluate("new Intl.DateTimeFormat(undefined, "
                          "{ hour: '2-digit', minute: '2-digit', hour12: false }).format()")
    expect(saver.locator("time")).to_have_text(hours)
    assert saver.evaluate("it => getComputedStyle(it).backgroundColor") == "rgb(0, 0, 0)"
    places = []
    for _ in range(4):
        places.append(tuple(saver.locator(".saver-face").bounding_box().values()))
        page.clock.run_for(60_000)
    assert len(set(places)) == 4, "nothing burns in"
    assert all(x >= 0 and y >= 0 and x + w <= 1280 and y + h <= 800 for x, y, w, h in places)
    page.touchscreen.tap(box["x"] + 20, box["y"] + 20)
    page.clock.run_for(1000)
    expect(saver).to_be_hidden()
    page.wait_for_timeout(200)
    assert house.value("g", "light") is False, "the touch that wakes sets nothing"
    page.touchscreen.tap(box["x"] + 20, box["y"] + 20)
    becomes(page, house, "light", True)


def test_a_key_wakes_the_screen_too_and_the_focus_is_where_it_was(open_page, house):
    house.set("g", "light", False)
    page = kiosk(open_page, house, saver="&saver=0.05")
    light = page.get_by_role("switch", name="Light")
    light.focus()
    expect(page.locator(".saver")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.locator(".saver")).to_be_hidden()
    expect(light).to_be_focused()
    assert house.value("g", "light") is False


def test_a_screen_at_rest_shows_alarms_at_once_and_an_outage(open_page):
    with Server({"g": GRAPH}) as server:
        page = kiosk(open_page, server, clock=True, allow=DOWN)
        saver = rest(page)
        expect(saver.locator("li")).to_have_count(0)
        server.set("g", "leak", True)
        # No widget shows the smoke.
        server.set("g", "smoke", True)
        page.clock.run_for(2000)
        rows = saver.locator("li")
        expect(rows).to_have_count(2)
        leak = saver.locator("li", has_text="Leak")
        expect(leak).to_contain_text("wet")
        page.clock.run_for(60_000)
        expect(leak).to_contain_text(re.compile(r"alarm, for 1\s*min"))
        expect(saver.locator("li", has_text="Smoke")).to_contain_text("alarm, for")
        server.set("g", "smoke", False)
        page.clock.run_for(2000)
        expect(rows).to_have_count(1)
        server.process.kill()
        server.process.wait()
        page.wait_for_timeout(500)
        page.clock.run_for(4000)
        banner = page.locator("#banner")
        expect(banner).to_contain_text("Not connected for")
        covers = """() => { const { left, top } = document.querySelector("#banner").getBoundingClientRect();
            return !!document.elementFromPoint(left + 5, top + 5).closest("#banner"); }"""
        assert page.evaluate(covers), "the saver does not hide the outage"
        # What is shown of alarms is from before, and does not look like news.
        assert saver.locator("ul").evaluate("it => getComputedStyle(it).filter") == "grayscale(1)"
        before = leak.inner_text()
        page.clock.run_for(120_000)
        assert leak.inner_text() == before


def test_the_saver_can_be_changed_and_left_out(open_page, house):
    for saver, sleeps in (("&saver=0", False), ("&saver=1", True), ("&saver=soon", False)):
        page = kiosk(open_page, house, saver=saver, clock=True)
        if saver == "&saver=0":
            expect(page.get_by_role("switch", name="Light")).to_be_visible()
        else:
            ready(page)
        page.clock.run_for(70_000)
        expect(page.locator(".saver:visible")).to_have_count(1 if sleeps else 0)


def test_a_saver_that_could_not_be_fetched_is_fetched_again(open_page, house):
    page = open_page(
        house, address(EDITORS, edit=False) + "&kiosk=touch", allow="ERR_FAILED",
        before=lambda page: page.route("**/dash/saver.js", lambda route: route.abort(), times=1),
    )
    expect(page.locator(".saver")).to_be_attached(timeout=15_000)


def test_the_menu_offers_both_kiosks_and_their_parts_are_loaded_there_only(open_page, house):
    page = open_page(house, address(EDITORS, edit=False))
    expect(widget(page, "Light").locator("value-editor")).to_be_visible()
    loaded = "performance.getEntriesByType('resource').map(({ name }) => name).join()"
    assert not re.search("touch|saver|controls", page.evaluate(loaded))
    for label, kind in (("to look at", "1"), ("to touch", "touch")):
        page.get_by_role("button", name="Dashboards").click()
        page.get_by_role("menuitem", name=f"Full page, {label}").click()
        expect(page).to_have_url(re.compile(f"[?&]kiosk={kind}(&|$)"))
        expect(page.get_by_role("switch", name="Light")).to_have_count(1 if kind == "touch" else 0)
        page.go_back()
        expect(widget(page, "Light").locator("value-editor")).to_be_visible()
        assert page.locator(".dash").evaluate("({ style }) => style.zoom + style.width") == ""
