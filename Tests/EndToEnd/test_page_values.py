"""Values and editors in the page: two clients, every kind of field, every way in which an input can
be wrong."""

import re
import time

import pytest
from browser import DOWN, row
from playwright.sync_api import expect
from sluice import ROOT, Server, eventually

pytestmark = pytest.mark.browser
ARTEFACTS = ROOT / "Tests/EndToEnd/artefacts"
GRAPH = """
graph: g
title: Fields
nodes:
  level:  { set: number, min: 0, max: 100, unit: "%", title: Level, initial: 10 }
  whole:  { set: integer }
  lamp:   { set: boolean, initial: false }
  door:   { set: boolean, initial: false, words: { true: open, false: closed } }
  mode:   { set: { enum: [eco, auto, off] }, initial: auto }
  name:   { set: string, minLength: 2, maxLength: 8, initial: hall }
  shape:  { set: object }
  list:   { set: array, maxLength: 2 }
  any:    { set: any }
  note:   { set: string }
  height: { set: number, min: 2000000, max: 2000100, initial: 2000050 }
  double: { from: level, pipe: [ { map: "value * 2" } ] }
"""


@pytest.fixture
def fields():
    with Server({"g": GRAPH}) as server:
        yield server


def shown(page, node):
    return row(page, node).locator(".value")


def field(page, node):
    return row(page, node).locator("input[type=text], textarea, select, [role=switch]")


def editor(page, node):
    return row(page, node).locator("value-editor")


def open_values(open_page, server, **options):
    page = open_page(server, "/#/g/g/values", **options)
    expect(shown(page, "double")).to_have_text(re.compile(r"\d"))
    return page


def test_a_set_in_one_page_shows_in_another_and_in_its_own_as_accepted(fields, open_page):
    a, b = open_values(open_page, fields), open_values(open_page, fields)
    field(a, "level").fill("42")
    expect(editor(a, "level")).to_have_attribute("data-state", "edited")
    expect(shown(a, "level")).to_have_text(re.compile(r"^10\s%"))
    field(a, "level").press("Enter")
    expect(shown(b, "level")).to_have_text(re.compile(r"^42\s%"))
    expect(shown(b, "double")).to_have_text("84")
    expect(editor(a, "level")).to_have_attribute("data-state", "accepted")
    expect(editor(a, "level").locator(".editor-message")).to_have_text("Accepted, revision 2")
    expect(shown(a, "level")).to_have_text(re.compile(r"^42\s%"))
    expect(field(b, "level")).to_have_value("42")


PHONE = dict(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)


def test_a_small_screen_lists_values_and_sets_them_by_a_press(fields, open_page):
    page = open_values(open_page, fields, **PHONE)
    heights = [each.bounding_box()["height"] for each in page.locator("[data-row]").all()]
    assert all(56 <= each <= 60 for each in heights), heights
    # A switch and a choice are in their rows.
    row(page, "lamp").get_by_role("switch").tap()
    eventually(lambda: fields.value("g", "lamp") is True)
    row(page, "mode").get_by_role("combobox").select_option("off")
    eventually(lambda: fields.value("g", "mode") == "off")
    # A number has a sheet: larger and smaller, and a field that takes the keyboard for numbers.
    row(page, "level").tap()
    sheet = page.get_by_role("dialog", name="Level")
    for _ in range(3):
        sheet.get_by_role("button", name="More").tap()
    eventually(lambda: fields.value("g", "level") == 25)
    expect(sheet.locator("output")).to_have_text(re.compile(r"^25\s%"))
    field = sheet.locator("input[type=text]")
    expect(field).to_have_attribute("inputmode", "decimal")
    field.fill("101")
    field.press("Enter")
    expect(sheet).to_contain_text("at most 100")
    field.fill("99")
    field.press("Enter")
    eventually(lambda: fields.value("g", "level") == 99)
    # The last press is sent also where the sheet is closed at once.
    sheet.get_by_role("button", name="More").tap()
    sheet.get_by_role("button", name="Done").tap()
    expect(sheet).to_have_count(0)
    eventually(lambda: fields.value("g", "level") == 100)
    expect(shown(page, "double")).to_have_text("200")
    # Turned round, the same page is the table again.
    page.set_viewport_size({"width": 844, "height": 390})
    expect(editor(page, "level")).to_be_visible()


def swipe(page, element, across, down=0):
    """A finger drawn over the middle of an element, as the browser gets it from a screen."""
    # Not below the bars.
    element.evaluate("it => it.scrollIntoView({ block: 'center' })")
    box, session = element.bounding_box(), page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for step in range(1, 9):
        touch("touchMove", {"x": x + across * step / 8, "y": y + down * step / 8})
    touch("touchEnd")


def test_a_swipe_switches_or_opens_what_sets_and_scrolling_does_neither(fields, open_page):
    page = open_values(open_page, fields, **{**PHONE, "viewport": {"width": 390, "height": 480}})
    lamp, level = row(page, "lamp"), row(page, "level")
    swipe(page, lamp, 120)
    eventually(lambda: fields.value("g", "lamp") is True)
    swipe(page, lamp, -120)
    eventually(lambda: fields.value("g", "lamp") is False)
    # Of two words the other one is chosen.
    swipe(page, row(page, "door"), 120)
    eventually(lambda: fields.value("g", "door") is True)
    rev = fields.get("/v1/graphs/g").json()["rev"]
    # Too short, and up and down: the list scrolls, whatever the finger does after that.
    swipe(page, lamp, 30)
    before = page.evaluate("scrollY")
    swipe(page, lamp, 20, -120)
    eventually(lambda: page.evaluate("scrollY") > before + 50)
    swipe(page, lamp, 100, 180)
    swipe(page, row(page, "double"), 120)
    expect(page.locator("[data-swipe]")).to_have_count(0)
    page.wait_for_timeout(300)
    assert fields.get("/v1/graphs/g").json()["rev"] == rev
    expect(page.get_by_role("dialog")).to_have_count(0)
    swipe(page, level, -120)
    expect(page.get_by_role("dialog", name="Level")).to_be_visible()


def test_on_a_small_screen_what_is_raised_comes_first_for_every_reader(open_page):
    graph = """
nodes:
  a: { set: string, initial: one }
  b: { set: boolean, initial: false, severity: alarm }
"""
    with Server({"g": graph}) as server:
        page = open_page(server, "/#/g/g/values", **PHONE)
        order = "[...document.querySelectorAll('[data-row]')].map((each) => each.dataset.row)"
        eventually(lambda: page.evaluate(order) == ["a", "b"])
        switch = row(page, "b").get_by_role("switch")
        switch.focus()
        page.keyboard.press("Space")
        eventually(lambda: page.evaluate(order) == ["b", "a"])
        expect(switch).to_be_focused()
        page.keyboard.press("Space")
        eventually(lambda: page.evaluate(order) == ["a", "b"])


def test_sets_at_the_same_time_end_equal_in_both(fields, open_page):
    a, b = open_values(open_page, fields), open_values(open_page, fields)
    for page, value in ((a, "31"), (b, "32")):
        field(page, "level").fill(value)
    a.evaluate("document.querySelector('[data-row=level] form').requestSubmit()")
    b.evaluate("document.querySelector('[data-row=level] form').requestSubmit()")
    eventually(lambda: fields.get("/v1/graphs/g").json()["rev"] == 3)
    final = str(fields.value("g", "level"))
    for page in (a, b):
        expect(shown(page, "level")).to_have_text(re.compile(rf"^{final}\s%"))
        expect(shown(page, "double")).to_have_text(str(2 * int(final)))


GOOD = [
    ("level", "21.5", 21.5),
    ("level", " 7,5 ", 7.5),
    ("whole", "-3", -3),
    ("whole", "9007199254740993", 9007199254740993),
    ("name", "küche", "küche"),
    ("shape", '{"a": [1, null]}', {"a": [1, None]}),
    ("list", "[1, 2]", [1, 2]),
    ("any", "plain words", "plain words"),
    ("any", '"quoted"', "quoted"),
    ("any", "null", None),
    ("any", "true", True),
]


def test_every_kind_of_field_sets_what_it_says(fields, open_page):
    page = open_values(open_page, fields)
    for place, (node, text, value) in enumerate(GOOD):
        field(page, node).fill(text)
        field(page, node).press("Enter")
        expect(editor(page, node).locator(".editor-message"), (node, text)).to_have_text(
            f"Accepted, revision {place + 2}"
        )
        assert fields.value("g", node) == value, (node, text)


def test_switch_select_slider_and_clear(fields, open_page):
    page = open_values(open_page, fields)
    lamp = row(page, "lamp").get_by_role("switch")
    lamp.focus()
    lamp.press("Space")
    expect(lamp).to_have_attribute("aria-checked", "true")
    expect(shown(page, "lamp")).to_have_text("on")
    row(page, "mode").get_by_role("combobox").select_option("off")
    expect(shown(page, "mode")).to_have_text("off")
    slider = row(page, "level").get_by_role("slider")
    slider.focus()
    slider.press("End")
    expect(shown(page, "level")).to_have_text(re.compile(r"^100\s%"))
    row(page, "level").get_by_role("button", name="Clear").click()
    expect(shown(page, "level")).to_have_text("empty")
    expect(shown(page, "double")).to_have_text("empty")
    assert fields.get("/v1/graphs/g/nodes/level").status == 204


def test_long_integers_keep_their_digits_wherever_they_stand(fields, open_page):
    fields.request("POST", "/v1/graphs/g/nodes/any", '{"id": 9007199254740993}')
    fields.request("POST", "/v1/graphs/g/nodes/level", "10.5")
    page = open_values(open_page, fields)
    expect(shown(page, "any")).to_have_text('{"id":9007199254740993}')
    line = row(page, "any")
    line.get_by_role("textbox", name="id").fill("9007199254740995")
    line.get_by_role("textbox", name="id").press("Enter")
    expect(editor(page, "any")).to_have_attribute("data-state", "accepted")
    assert fields.value("g", "any") == {"id": 9007199254740995}


def test_what_is_typed_while_a_value_is_on_its_way_is_kept(fields, open_page):
    page = open_values(open_page, fields)
    field(page, "level").fill("42")
    # Neither the answer nor the module that sends comes before this is over.
    page.evaluate("""() => { const form = document.querySelector("[data-row=level] form"), field = form.querySelector("input[type=text]");
        form.requestSubmit(); field.value = "421"; field.dispatchEvent(new Event("input", { bubbles: true })); }""")
    expect(editor(page, "level")).to_have_attribute("data-state", "edited")
    expect(editor(page, "level")).to_contain_text("typed since is not set yet")
    expect(field(page, "level")).to_have_value("421")
    assert fields.value("g", "level") == 42


def test_enter_and_escape_belong_to_the_input_method_while_it_composes(fields, open_page):
    page = open_values(open_page, fields)
    field(page, "any").fill("にほん")
    press = """(key) => document.querySelector("[data-row=any] textarea").dispatchEvent(
        new KeyboardEvent("keydown", { key, isComposing: true, bubbles: true, cancelable: true }))"""
    assert page.evaluate(press, "Enter") and page.evaluate(press, "Escape"), "neither is taken"
    expect(field(page, "any")).to_have_value("にほん")
    assert fields.get("/v1/graphs/g/nodes/any").status == 204


def test_a_text_of_several_lines_keeps_its_lines(fields, open_page):
    fields.set("g", "note", "one\ntwo")
    page = open_values(open_page, fields)
    note = row(page, "note").locator("textarea")
    expect(note).to_have_value("one\ntwo")
    note.press("End")
    note.press_sequentially("!")
    note.press("Enter")
    expect(editor(page, "note")).to_have_attribute("data-state", "accepted")
    assert "\n" in fields.value("g", "note") and "!" in fields.value("g", "note")


def test_a_slider_over_a_narrow_range_far_from_zero_reaches_its_places(fields, open_page):
    page = open_values(open_page, fields)
    slider = row(page, "height").get_by_role("slider")
    slider.focus()
    slider.evaluate(
        """(e) => {
            e.value = "2000033.3";
            e.dispatchEvent(new Event("input"));
            e.dispatchEvent(new Event("change"));
        }"""
    )
    expect(shown(page, "height")).to_have_text("2000033")
    expect(editor(page, "height")).to_have_attribute("data-state", "accepted")
    assert abs(fields.value("g", "height") - 2000033.3) < 0.2
    slider.press("End")
    expect(shown(page, "height")).to_have_text("2000100")


def test_choices_by_arrow_keys_end_with_the_last(fields, open_page):
    page = open_values(open_page, fields)
    mode = row(page, "mode").get_by_role("combobox")
    mode.focus()
    mode.evaluate(
        "(e) => { for (const value of '012') { e.value = value; e.dispatchEvent(new Event('input', { "
        "bubbles: true })); } }"
    )
    expect(shown(page, "mode")).to_have_text("off")
    expect(editor(page, "mode")).to_have_attribute("data-state", "accepted")
    expect(mode).to_have_value("2")


def test_the_focus_stays_in_an_editor_whose_button_goes(fields, open_page):
    page = open_values(open_page, fields)
    inside = "document.activeElement.closest('value-editor')?.closest('tr').dataset.row"
    field(page, "level").fill("42")
    row(page, "level").get_by_role("button", name="Set").press("Enter")
    expect(editor(page, "level")).to_have_attribute("data-state", "accepted")
    assert page.evaluate(inside) == "level"
    row(page, "level").get_by_role("button", name="Clear").press("Enter")
    expect(shown(page, "level")).to_have_text("empty")
    assert page.evaluate(inside) == "level"
    field(page, "name").fill("attic")
    fields.set("g", "name", "cellar")
    row(page, "name").get_by_role("button", name="Take theirs").press("Enter")
    expect(field(page, "name")).to_have_value("cellar")
    assert page.evaluate(inside) == "name"


def test_each_value_has_an_age_of_its_own(fields, open_page):
    fields.set("g", "name", "attic")
    time.sleep(3)
    fields.set("g", "level", 20)
    page = open_values(open_page, fields)

    def age(node):
        return row(page, node).locator("td").last

    expect(age("level")).to_have_text(re.compile("now|ago"))
    # The time itself is its title.
    assert age("name").get_attribute("title") != age("level").get_attribute("title")
    expect(age("double")).to_have_text("–")
    fields.set("g", "level", 21)
    expect(age("double")).to_have_text(re.compile("now|ago"))


WRONG = [
    ("level", "warm", "not a number"),
    ("level", "", "Type a number"),
    ("level", "101", "at most 100"),
    ("level", "-1", "at least 0"),
    ("level", "1e999", "too large"),
    ("whole", "1.5", "whole number"),
    ("name", "x", "at least 2 characters"),
    ("name", "123456789", "at most 8 characters; it has 9"),
    ("shape", "[1]", "must be an object"),
    ("shape", "{oops", "not valid JSON"),
    ("list", "[1,2,3]", "at most 2 elements"),
    ("any", '{"a":', "not valid JSON"),
    ("any", "x" * 70_000, "over 65536 bytes"),
    # Only the server knows this.
    ("any", "[" * 70 + "]" * 70, "Not set: "),
]


def test_a_wrong_input_is_reported_at_the_field_and_changes_nothing(fields, open_page):
    a, b = open_values(open_page, fields), open_values(open_page, fields)
    for node, text, words in WRONG:
        before = [shown(page, node).text_content() for page in (a, b)]
        field(a, node).fill(text)
        field(a, node).press("Enter")
        expect(editor(a, node), (node, text[:20])).to_have_attribute("data-state", "rejected")
        message = editor(a, node).locator(".editor-message")
        expect(message).to_contain_text(words)
        expect(field(a, node)).to_have_attribute("aria-invalid", "true")
        expect(field(a, node)).to_have_attribute("aria-describedby", message.get_attribute("id"))
        expect(field(a, node)).to_be_focused()
        expect(field(a, node)).to_have_value(text)
        expect(a.locator("#assertive")).to_contain_text(words)
        assert [shown(page, node).text_content() for page in (a, b)] == before
        field(a, node).press("Escape")
        expect(editor(a, node)).to_have_attribute("data-state", "clean")
        expect(field(a, node)).not_to_have_attribute("aria-invalid", "true")
    assert fields.get("/v1/graphs/g").json()["rev"] == 1


def test_a_change_by_another_client_while_typing_shows_both_and_asks(fields, open_page):
    page = open_values(open_page, fields)
    field(page, "level").fill("55")
    fields.set("g", "level", 44)
    expect(editor(page, "level")).to_have_attribute("data-state", "conflict")
    expect(editor(page, "level")).to_contain_text(re.compile(r"Changed to 44\s% by somebody else"))
    expect(field(page, "level")).to_have_value("55")
    row(page, "level").get_by_role("button", name="Take theirs").click()
    expect(field(page, "level")).to_have_value("44")
    field(page, "level").fill("56")
    fields.set("g", "level", 45)
    row(page, "level").get_by_role("button", name="Keep mine and set it").click()
    expect(editor(page, "level")).to_have_attribute("data-state", "accepted")
    assert fields.value("g", "level") == 56


def test_hostile_values_and_names_are_text(open_page):
    hostile = '<img src=x onerror="document.title=1"> \u202egnol\u202c 🙂 ' + "x" * 10_000
    graph = (
        "graph: g\ntitle: '<script>alert(1)</script>'\nnodes:\n  t: { set: string, title: '<b>bold</b>' }\n"
    )
    with Server({"g": graph}) as server:
        server.set("g", "t", hostile)
        page = open_page(server, "/#/g/g/values")
        expect(shown(page, "t")).to_have_text(hostile)
        expect(page.get_by_role("heading", level=1)).to_have_text("<script>alert(1)</script>")
        expect(row(page, "t").locator(".row-title")).to_have_text("<b>bold</b>")
        assert page.evaluate("document.querySelectorAll('main img, main script, main b').length") == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_table_owns_what_it_shows_as_long_as_it_is_open(fields, open_page):
    start = fields.counts("g")
    page = open_values(open_page, fields)
    assert fields.counts("g")["listeners"] > start["listeners"]
    page.close()
    eventually(lambda: fields.counts("g") == start)


def test_after_a_restart_that_lost_nothing_the_page_says_so_and_goes_on(open_page):
    with Server({"g": GRAPH}, keeps=True) as server:
        page = open_values(open_page, server, allow=DOWN)
        server.set("g", "level", 70)
        expect(shown(page, "level")).to_have_text(re.compile(r"^70\s%"))
        server.kill()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        server.start()
        expect(page.locator(".conn-text")).to_have_text(re.compile("^Back after .*, nothing was lost$"))
        expect(page.locator(".conn-text")).to_have_text("Live")
        expect(shown(page, "level")).to_have_text(re.compile(r"^70\s%"))
        server.set("g", "level", 71)
        expect(shown(page, "level")).to_have_text(re.compile(r"^71\s%"))


def test_a_restarted_server_finds_the_page_as_it_was(open_page):
    with Server({"g": GRAPH}) as first:
        page = open_values(open_page, first, allow=DOWN)
        origin = page.evaluate("performance.timeOrigin")
        first.set("g", "level", 70)
        expect(shown(page, "level")).to_have_text(re.compile(r"^70\s%"))
        field(page, "name").fill("half ty")
        port = first.port
        dim = page.locator(".dim").first.evaluate("it => getComputedStyle(it).color")
        expect(shown(page, "level")).not_to_have_css("color", dim)
        first.process.kill()
        first.process.wait()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        expect(page.locator("#banner")).to_contain_text("Not connected")
        expect(field(page, "name")).to_have_value("half ty")
        expect(field(page, "name")).to_be_focused()
        expect(shown(page, "level")).to_have_css("color", dim)
        # The next one has another node, too.
        changed = (
            GRAPH.replace("initial: 10", "initial: 11")
            .replace("  any: ", "  added:  { set: any }\n  any: ")
            .replace("  list:   { set: array, maxLength: 2 }\n", "")
        )
        with Server({"g": changed}, listen=f"127.0.0.1:{port}") as second:
            expect(page.locator(".conn-text")).to_have_text("Restarted, values began anew")
            expect(page.locator(".conn-text")).to_have_text("Live")
            expect(shown(page, "level")).to_have_text(re.compile(r"^11\s%"))
            expect(shown(page, "double")).to_have_text("22")
            expect(shown(page, "added")).to_have_text("empty")
            expect(row(page, "list")).to_have_count(0)
            expect(field(page, "name")).to_have_value("half ty")
            expect(field(page, "name")).to_be_focused()
            assert page.evaluate("performance.timeOrigin") == origin, "not reloaded"
            field(page, "name").press("Enter")
            expect(editor(page, "name")).to_have_attribute("data-state", "accepted")
            assert second.value("g", "name") == "half ty"


def test_a_record_is_a_form_with_its_text_one_button_away(fields, open_page):
    fields.set("g", "shape", {"name": "attic", "level": 3, "open": False, "tags": ["a"]})
    page = open_values(open_page, fields)
    line = row(page, "shape")
    expect(line.get_by_role("textbox")).to_have_count(3)
    line.get_by_role("textbox", name="level").fill("4.5")
    line.get_by_role("checkbox", name="open").check()
    line.get_by_role("textbox", name="level").press("Enter")
    expect(editor(page, "shape")).to_have_attribute("data-state", "accepted")
    assert fields.value("g", "shape") == {"name": "attic", "level": 4.5, "open": True, "tags": ["a"]}
    line.get_by_role("textbox", name="level").fill("high")
    line.get_by_role("textbox", name="level").press("Enter")
    expect(editor(page, "shape")).to_have_attribute("data-state", "rejected")
    line.get_by_role("textbox", name="level").press("Escape")
    line.get_by_role("button", name="As JSON").click()
    raw = line.locator("textarea")
    expect(raw).to_be_focused()
    raw.fill('{"name": "cellar"}')
    raw.press("Enter")
    expect(editor(page, "shape")).to_have_attribute("data-state", "accepted")
    assert fields.value("g", "shape") == {"name": "cellar"}
    line.get_by_role("button", name="As a form").click()
    expect(line.get_by_role("textbox", name="name")).to_have_value("cellar")
    page.screenshot(path=str(ARTEFACTS / "fields.png"), full_page=True)
