"""What calls for attention: alarms, values out of date, outages, rights, and editors that keep up
with the graph."""

import re
import signal

import pytest
from access import Guarded
from browser import DOWN, row
from playwright.sync_api import expect
from sluice import ROOT, Server, eventually

pytestmark = pytest.mark.browser

GRAPH = """
graph: g
title: Greenhouse
nodes:
  heat:   { set: number, initial: 20, min: 0, max: 100, unit: °C, title: Heat }
  probe:  { set: number, initial: 1, fresh: 1s, role: sensor, title: Probe }
  state:  { from: heat, pipe: [ { map: "value > 50 ? 'too hot' : 'fine'" } ], severity: alarm, ok: fine, title: State }
  warm:   { from: heat, pipe: [ { map: "value > 30" } ], severity: warning, title: Warm }
  calm:   { from: heat, pipe: [ { window: { last: 5m, of: avg } }, { debounce: 30s } ], title: Calm }
"""


@pytest.fixture
def greenhouse():
    with Server({"g": GRAPH}) as server:
        yield server


def node(page, name):
    return page.locator(f'.node[data-id="n:{name}"]')


def redefine(server, text):
    before = server.log_text().count("reloaded")
    (server.config.parent / "graphs/g.yaml").write_text(text)
    server.process.send_signal(signal.SIGHUP)
    eventually(lambda: server.log_text().count("reloaded") > before, what="the reload")


def test_an_alarm_is_raised_in_the_list_and_the_title_of_the_tab_and_ends(open_page, greenhouse):
    page = open_page(greenhouse, "/#/graphs")
    card = page.locator(".graphs .card")
    # While the list is fetched, three empty cards stand for it.
    expect(card).to_have_count(1)
    # The probe is out of date a second after the start.
    expect(card).to_contain_text(re.compile("All is well|Out of date: probe"))
    greenhouse.set("g", "heat", 60)
    expect(card).to_contain_text("Alarm: State: too hot")
    expect(card).to_contain_text("Warning: Warm")
    expect(card).to_have_attribute("data-level", "alarm")
    expect(page).to_have_title("(!) Alarm: State: too hot · Sluice")
    greenhouse.set("g", "heat", 20)
    expect(page).to_have_title("Sluice")


def test_an_alarm_reaches_the_list_and_the_title_at_once(open_page, greenhouse):
    page = open_page(greenhouse, "/#/graphs")
    # While the list is fetched, three empty cards stand for it.
    expect(page.locator(".graphs .card")).to_have_count(1)
    # The list is asked for every five seconds; that this is never waited for is no luck.
    for _ in range(4):
        greenhouse.set("g", "heat", 60)
        expect(page).to_have_title("(!) Alarm: State: too hot · Sluice")
        expect(page.locator(".graphs .card")).to_have_attribute("data-level", "alarm")
        greenhouse.set("g", "heat", 20)
        expect(page).to_have_title("Sluice")


def test_an_alarm_is_told_by_word_and_mark_in_the_picture_the_outline_and_the_table(open_page, greenhouse):
    greenhouse.set("g", "heat", 60)
    page = open_page(greenhouse, "/#/g/g?node=state")
    expect(node(page, "state")).to_have_attribute("data-severity", "alarm")
    expect(node(page, "state").locator(".word")).to_have_text("Alarm")
    expect(node(page, "state").locator(".name")).to_have_text("State")
    expect(node(page, "warm").locator(".word")).to_have_text("Warning")
    expect(page.locator(".inspector .severity")).to_have_text("Alarm")
    page.get_by_role("button", name="Outline").click()
    expect(page.get_by_role("treeitem").filter(has_text="State").first).to_contain_text("Alarm")
    page.goto(greenhouse.url + "/#/g/g/values")
    expect(row(page, "state").locator(".severity")).to_have_text("Alarm")
    expect(row(page, "state")).to_have_attribute("data-severity", "alarm")
    greenhouse.set("g", "heat", 20)
    expect(row(page, "state").locator(".severity")).to_have_count(0)


def test_small_screens_show_an_alarm_without_the_list_of_graphs(open_page, greenhouse):
    greenhouse.set("g", "heat", 60)
    for width in (390, 800):
        page = open_page(greenhouse, "/#/g/g/dash", viewport={"width": width, "height": 844})
        expect(page.locator("#sidebar")).not_to_be_visible()
        expect(page.locator("#context .severity")).to_contain_text("1 alarm, 1 warning")
        state = page.get_by_role("article", name=re.compile("^Warm"))
        # The title of a small widget gives way to nothing beside it.
        expect(state.locator("h2")).to_be_visible()
        assert state.locator("h2").evaluate("each => each.clientWidth") >= 20
    page = open_page(greenhouse, "/#/g/g", viewport={"width": 390, "height": 844})
    warned = page.get_by_role("treeitem").filter(has_text="State").first
    expect(warned.locator(".outline-word")).to_be_visible()
    expect(warned.locator(".outline-word")).to_have_text("Alarm")
    greenhouse.set("g", "heat", 20)
    expect(page.locator("#context .severity")).not_to_contain_text("alarm")


def test_a_value_that_was_not_set_for_too_long_is_out_of_date_everywhere(open_page, greenhouse):
    greenhouse.set("g", "probe", -1234.56)
    page = open_page(greenhouse, "/#/g/g?node=probe")
    expect(page.locator(".inspector")).to_contain_text(
        re.compile("No report for .*, expected every 1\\ss")
    )
    expect(node(page, "probe").locator(".word")).to_have_text(re.compile("^out of "))
    # The word has what the value leaves.
    expect(node(page, "probe").locator(".value")).to_have_text("-1234.56")
    page.goto(greenhouse.url + "/#/g/g/values")
    expect(row(page, "probe").locator(".value")).to_have_attribute(
        "data-facets", re.compile("no report for .*, expected every 1\\ss")
    )
    expect(row(page, "warm").locator(".value")).not_to_have_attribute("data-facets", re.compile("."))


def test_a_sensor_has_a_line_and_a_field_that_a_button_opens(open_page, greenhouse):
    page = open_page(greenhouse, "/#/g/g/values")
    expect(row(page, "heat").locator("value-editor")).to_have_count(1)
    expect(row(page, "probe").locator("value-editor")).to_have_count(0)
    for value in (2, 3, 4):
        greenhouse.set("g", "probe", value)
        expect(row(page, "probe").locator(".value")).to_have_text(str(value))
    expect(row(page, "probe").locator(".sparkline")).to_be_visible()
    # What devices set has a table of its own, whose third column is the trend.
    sensors = page.get_by_role("table", name="Sensors")
    expect(sensors.get_by_role("columnheader")).to_have_text(["Node", "Value", "Trend", "Last report"])
    expect(sensors.locator("[data-row=heat]")).to_have_count(0)
    sensors.locator("[data-row=probe]").get_by_role("button", name="Set by hand").click()
    row(page, "probe").get_by_role("textbox").fill("7")
    row(page, "probe").get_by_role("textbox").press("Enter")
    eventually(lambda: greenhouse.value("g", "probe") == 7)


def test_what_only_programs_set_again_and_again_becomes_a_sensor(greenhouse):
    def role():
        picture = greenhouse.get("/v1/graphs/g/graph?format=json").json()
        return next(node["role"] for node in picture["nodes"] if node["name"] == "heat")

    assert role() == "setting"
    for value in range(5):
        greenhouse.set("g", "heat", value)
    assert role() == "sensor"


def test_the_field_of_the_inspector_follows_the_node(open_page, greenhouse):
    page = open_page(greenhouse, "/#/g/g?node=heat")
    field = page.locator(".inspector input[type=text]")
    expect(field).to_have_value("20")
    for value in (31, 32, 33):
        greenhouse.set("g", "heat", value)
        expect(field).to_have_value(str(value))
    field.fill("40")
    greenhouse.set("g", "heat", 34)
    expect(page.locator(".inspector value-editor")).to_have_attribute("data-state", "conflict")
    expect(field).to_have_value("40")


@pytest.mark.parametrize("path", ["/#/g/g?node=heat", "/#/g/g/values"])
def test_open_fields_take_the_bounds_of_a_changed_definition(open_page, greenhouse, path):
    page = open_page(greenhouse, path)
    editor = page.locator("value-editor").first
    expect(editor).to_contain_text("0 to 100")
    editor.locator("input[type=text]").fill("150")
    redefine(greenhouse, GRAPH.replace("max: 100", "max: 200"))
    expect(editor).to_contain_text("0 to 200")
    expect(editor.locator("input[type=text]")).to_have_value("150")
    editor.locator("input[type=text]").press("Enter")
    expect(editor).to_have_attribute("data-state", "accepted")
    assert greenhouse.value("g", "heat") == 150


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_menus_are_no_wider_than_their_words(open_page, greenhouse, width):
    page = open_page(greenhouse, viewport={"width": width, "height": 800})
    page.get_by_label("Theme: system").click()
    menu = page.get_by_role("menu")
    expect(menu).to_be_visible()
    box = menu.bounding_box()
    assert box["width"] <= 240 and box["x"] >= 0 and box["x"] + box["width"] <= width, box
    tops = [item.bounding_box()["y"] for item in menu.get_by_role("menuitem").all()]
    assert len(set(tops)) == 3, "one below the other"


@pytest.mark.parametrize("width", [390, 800])
def test_an_outage_is_shown_once_with_an_age_that_counts_from_the_loss(open_page, width):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, "/#/g/g/values", allow=DOWN, viewport={"width": width, "height": 800})
        expect(row(page, "heat").locator(".value")).to_contain_text("20")
        server.kill()
        banner = page.locator("#banner")
        expect(banner).to_contain_text(re.compile("Not connected for [2-5]\\ss"))
        assert page.locator("body").inner_text().count("nothing can be set") == 1
        words = page.locator(".conn-text > span").first
        expect(words).to_have_text(re.compile("Reconnecting|Offline"))
        assert words.evaluate("e => e.scrollWidth <= e.parentElement.clientWidth + 1"), "not cut"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "no sideways page scroll"
        server.start()
        expect(page.locator(".conn-text")).to_have_text(re.compile("values began anew|nothing was lost"))
        expect(banner).to_be_hidden()


def test_clients_that_still_set_a_removed_node_are_reported_by_the_page_and_the_log(open_page, greenhouse):
    page = open_page(greenhouse, "/#/g/g")
    expect(node(page, "probe")).to_be_visible()
    redefine(greenhouse, "\n".join(line for line in GRAPH.splitlines() if "probe" not in line))
    assert (
        greenhouse.request(
            "POST", "/v1/graphs/g/nodes/probe", "3", {"Content-Type": "application/json"}
        ).status
        == 404
    )
    expect(page.locator("#banner")).to_contain_text(
        "Clients still set probe, which Greenhouse does not have any more."
    )
    assert "clients still set a node that the definition does not have any more" in greenhouse.log_text()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator("#banner")).to_be_hidden()


def test_a_token_that_may_only_read_gets_fields_that_are_read_only(open_page, tmp_path):
    with Guarded(tmp_path) as server:
        page = open_page(server, "/#/g/open/values", allow="401|Unauthorized|4401")
        page.locator("#token").fill(server.tokens["bob"])
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("[data-row=x]")).to_be_visible()
        editable = server.ask("bob", "GET", "/v1/graphs/open/graph?format=json").json()["nodes"][0]
        reads_only = "readOnly" in editable
        assert reads_only == (
            server.ask("bob", "POST", "/v1/graphs/open/nodes/x", "2", Content_Type="application/json").status
            == 403
        )
        expect(page.locator("[data-row=x] value-editor")).to_have_count(0 if reads_only else 1)


def test_fit_shows_all_nodes_of_a_large_graph_and_what_the_keyboard_goes_to_comes_on_screen(open_page):
    graphs = {
        "host": (ROOT / "config/graphs/host.yaml").read_text(),
        "many": "graph: many\nnodes:\n"
        + "".join(f"  a{i}: {{ set: number, initial: {i} }}\n" for i in range(350)),
    }
    with Server(graphs) as server:
        for graph in graphs:
            page = open_page(server, f"/#/g/{graph}")
            expect(page.locator(".node").first).to_be_visible()
            if graph == "many":
                page.locator(".node.cluster").first.click()
                page.wait_for_timeout(1200)
            page.get_by_role("button", name="Fit the picture").click()
            outside = page.evaluate("""() => { const stage = document.querySelector('.graph-stage').getBoundingClientRect();
                return [...document.querySelectorAll('.node .box')].map((e) => e.getBoundingClientRect())
                    .filter((b) => b.left < stage.left || b.right > stage.right || b.top < stage.top || b.bottom > stage.bottom).length; }""")
            assert outside == 0, graph
            page.close()


def test_large_graphs_have_pages_of_values_and_a_filter(open_page):
    lines = "".join(f"  a{i}: {{ set: number, initial: {i} }}\n" for i in range(1200))
    with Server({"g": f"graph: g\nnodes:\n{lines}"}) as server:
        page = open_page(server, "/#/g/g/values")
        expect(page.locator(".values-tools")).to_contain_text("1 to 200 of 1200 values")
        expect(page.locator("[data-row]")).to_have_count(200)
        page.get_by_role("button", name="Later").click()
        expect(row(page, "a200").locator(".value")).to_have_text("200")
        page.get_by_label("Find a value").fill("a119")
        expect(page.locator("[data-row]")).to_have_count(11)
        server.set("g", "a1199", 7)
        expect(row(page, "a1199").locator(".value")).to_have_text("7")


def test_stages_are_told_in_words_and_only_other_states_flash(open_page, greenhouse):
    page = open_page(greenhouse, "/#/g/g?node=calm")
    expect(page.locator(".inspector code[title]")).to_have_text(
        re.compile("average over 5\\smin, then waits 30\\ss")
    )
    page.evaluate("""() => { window.flashes = []; const { animate } = Element.prototype;
        Element.prototype.animate = function (...given) { window.flashes.push(this.closest('.node').dataset.id); return animate.apply(this, given); }; }""")
    greenhouse.set("g", "heat", 21)
    expect(node(page, "heat").locator(".value")).to_contain_text("21")
    greenhouse.set("g", "heat", 31)
    expect(node(page, "warm").locator(".value")).to_have_text("on")
    eventually(lambda: "n:warm" in page.evaluate("window.flashes"))
    assert "n:heat" not in page.evaluate("window.flashes")
