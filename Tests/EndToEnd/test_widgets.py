"""Widgets in odd moments: a view left half way, parts that come late or not, nodes that go,
displays that are paused, hostile layouts."""

import base64
import json
import re

import pytest
from browser import DOWN
from playwright.sync_api import expect
from sluice import Server, eventually
from dashboards import GRAPH, address, layout, listeners, widget

pytestmark = pytest.mark.browser


def item(page, title, name):
    page.get_by_role("button", name=f"Menu of {title}").click()
    page.get_by_role("menuitem", name=name).click()


def held(page):
    """The layout that the address holds."""
    text = page.evaluate("location.hash").split("w=1.")[1].split("&")[0]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def late(page, path, seconds=0.6):
    page.route(f"**{path}", lambda route: (page.wait_for_timeout(seconds * 1000), route.continue_()))


def test_frames_and_titles_are_there_before_the_server_answers(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(layout({"kind": "number", "node": "x", "title": "Volts"})), allow=DOWN
        )
        expect(widget(page, "Volts").locator("output")).to_have_text("1")
        there = page.evaluate("location.hash")
        page.evaluate("location.hash = '#/about'")
        expect(widget(page, "Volts")).to_have_count(0)
        server.process.kill()
        expect(page.locator(".conn-text")).to_contain_text("Reconnecting")
        page.evaluate(f"location.hash = {there!r}")
        expect(widget(page, "Volts").locator(".skeleton")).to_be_visible()


def test_a_view_left_while_it_was_loading_leaves_no_buttons_behind(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, "/#/g/g/values", before=lambda page: late(page, "/dash/dash.css"))
        expect(page.locator("[data-node=double]")).to_have_text("2")
        with page.expect_request("**/dash/dash.css"):
            page.evaluate("location.hash = '#/g/g/dash'")
        page.evaluate("location.hash = '#/g/g'")
        expect(page.locator(".node").first).to_be_visible()
        page.wait_for_timeout(1000)
        expect(page.get_by_role("button", name="Add widget")).to_have_count(0)


def test_a_dialog_answered_after_its_view_was_left_makes_nothing_that_listens(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        page.keyboard.press("a")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.evaluate("location.hash = '#/about'")
        expect(page.locator("dl.facts").first).to_be_visible()
        if page.get_by_role("dialog").count():
            page.get_by_role("button", name="Add", exact=True).click()
        page.wait_for_timeout(500)
        assert listeners(server) == 0


def test_a_widget_dragged_past_others_stays_in_the_hand(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "number", "node": "x"},
                    {"kind": "number", "node": "y"},
                    {"kind": "lamp", "node": "alarm"},
                )
            ),
        )
        expect(widget(page, "y").locator("output")).to_have_text("2")
        box = widget(page, "y").get_by_role("heading").bounding_box()
        page.mouse.move(box["x"], box["y"] + 4)
        page.mouse.down()
        page.wait_for_timeout(300)
        # Up past the first, and then away from itself, faster than it follows.
        page.mouse.move(box["x"], box["y"] - 140, steps=8)
        expect(widget(page, "y")).to_have_css("grid-row-start", "1")
        page.mouse.move(box["x"] + 500, box["y"] - 140)
        page.mouse.up()
        expect(page.locator(".widget.held")).to_have_count(0)
        assert next(each["x"] for each in held(page)["widgets"] if each["node"] == "y") > 0
        # And Tab goes through them as they stand now.
        assert page.evaluate(
            "[...document.querySelectorAll('.widget')].map((w) => [w.style.gridRowStart, "
            "w.style.gridColumnStart].map(Number))"
        ) == sorted(
            page.evaluate(
                "[...document.querySelectorAll('.widget')].map((w) => [w.style.gridRowStart, "
                "w.style.gridColumnStart].map(Number))"
            )
        )


def test_a_widget_moved_by_keys_takes_its_place_in_the_order_and_a_click_elsewhere_keeps_it(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "number", "node": "x", "title": "First"},
                    {"kind": "editor", "node": "y", "title": "Second"},
                )
            ),
        )
        expect(widget(page, "First").locator("output")).to_have_text("1")
        item(page, "First", "Move or resize")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Menu of First")).to_be_focused()
        assert page.evaluate(
            "[...document.querySelectorAll('.widget h2')].map((each) => each.textContent)"
        ) == ["Second", "First"]
        item(page, "First", "Move or resize")
        page.keyboard.press("ArrowRight")
        widget(page, "Second").locator("input").click()
        expect(widget(page, "Second").locator("input")).to_be_focused()
        expect(widget(page, "First")).to_have_css("grid-column-start", "2")


def test_a_table_says_when_values_changed_and_not_when_they_came(open_page):
    with Server({"g": GRAPH}) as server:
        server.set("g", "y", 3)
        page = open_page(
            server, address(layout({"kind": "table", "nodes": ["y", "mode"], "title": "All", "h": 4}))
        )
        page.wait_for_timeout(3500)
        server.set("g", "mode", "auto")
        page.reload()
        expect(widget(page, "All").get_by_role("row", name=re.compile(r"y 3 [3-9]\ss ago"))).to_be_visible()
        expect(
            widget(page, "All").get_by_role("row", name=re.compile(r"mode auto (now|[12]\ss ago)"))
        ).to_be_visible()


def test_screen_readers_announce_no_changing_values(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "number", "node": "x"},
                    {"kind": "sparkline", "node": "x", "title": "Spark"},
                    {"kind": "lamp", "node": "alarm"},
                    {"kind": "text", "node": "mode"},
                    {"kind": "series", "nodes": ["x"], "title": "Line", "w": 6, "h": 4},
                )
            ),
        )
        expect(widget(page, "Line").locator("output")).to_have_text("1\u202fV")
        expect(page.locator(".widget output")).to_have_count(5)
        assert page.locator(".widget output:not([aria-live=off])").count() == 0


def test_a_chart_has_words_as_soon_as_it_has_values(open_page):
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 8)
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 6, "h": 4})))
        expect(widget(page, "Voltage").locator("canvas")).to_have_attribute(
            "aria-label", re.compile("Voltage 8\u202fV, between")
        )


def test_a_paused_chart_stands_still_and_can_be_looked_into(open_page):
    with Server({"g": GRAPH}) as server:
        server.set("g", "x", 8)
        page = open_page(
            server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 4, "span": 10}))
        )
        readout, canvas = (
            widget(page, "Voltage").locator(".legend output"), widget(page, "Voltage").locator("canvas"),
        )
        expect(readout).to_have_text("8\u202fV")
        page.keyboard.press("p")
        server.set("g", "x", 9)
        page.wait_for_timeout(1500)
        expect(readout).to_have_text("8\u202fV")
        # Half an hour back there was nothing: the view moves although the display rests.
        canvas.focus()
        for _ in range(12):
            page.keyboard.press("-")
        for _ in range(8):
            page.keyboard.press("Shift+ArrowLeft")
        expect(readout).to_have_text("–")
        page.keyboard.press("0")
        expect(readout).to_have_text("8\u202fV")
        page.keyboard.press("p")
        expect(readout).to_have_text("9\u202fV")


def test_no_line_is_drawn_where_nothing_was_received(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "series", "nodes": ["x"], "w": 12, "h": 6})))
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("1\u202fV")
        found = page.evaluate("""async () => {
            const { TimeChart } = await import("/chart/chart.js"), { Ring } = await import(new URL(document.baseURI).searchParams.get("ring") ?? "/dash/feeds.js");
            const ring = new Ring(100), now = Date.now();
            let draw;
            const page = { frame: { item: (_, act) => (draw = act, { mark() {}, close() {} }), tick() {} }, store: { listen() {}, get() {} } };
            const chart = new TimeChart({ series: [{ name: "s", unit: "", ring }], span: 100_000, cursor: new EventTarget(), page, now: () => now });
            ring.push(now - 100_000, 5);
            ring.openGap(now - 75_000);
            ring.closeGap(now - 25_000);
            ring.push(now - 20_000, 5.1);
            const box = document.createElement("div");
            box.style.cssText = "width:800px;height:260px;display:flex;flex-direction:column";
            box.style.setProperty("--series-1", "#ff0000");
            box.style.setProperty("--hairline", "#00ff00");
            chart.element.style.flex = 1;
            box.append(chart.element);
            document.querySelector(".in-dash").prepend(box);
            for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
            draw();
            const canvas = box.querySelector("canvas"), { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const red = (from, to) => { let count = 0; for (let x = Math.round(from * width); x < to * width; x++) for (let y = 0; y < height; y++) { const i = 4 * (y * width + x); if (data[i] > 200 && data[i + 1] < 60) count++; } return count; };
            chart.close();
            return [red(0.05, 0.2), red(0.3, 0.65), red(0.8, 0.9)];
        }""")
        assert found[0] > 50 and found[1] == 0 and found[2] > 20, found


def test_what_is_copied_has_exact_times_and_values_and_nothing_that_a_spreadsheet_runs(open_page):
    graph = "graph: g\nnodes:\n  t: { set: any, initial: 0 }\n"
    with Server({"g": graph}) as server:
        page = open_page(server, address(layout({"kind": "log", "node": "t", "title": "Log", "h": 4}), "g"))
        expect(widget(page, "Log").get_by_role("listitem")).to_have_count(1)
        for body in (
            '"=1+1"', '"say \\"hi\\", twice"', "0.123456789", "9007199254740993", '{"a": 9007199254740993}',
        ):
            server.request("PUT", "/v1/graphs/g/nodes/t", body, {"Content-Type": "application/json"})
        expect(widget(page, "Log").get_by_role("listitem")).to_have_count(6)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
        item(page, "Log", "Copy as CSV")
        eventually(lambda: "time" in page.evaluate("navigator.clipboard.readText()"))
        lines = page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n").split("\n")
        assert lines[0] == "time,value"
        assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,", line) for line in lines[1:]), lines
        assert [line.split(",", 1)[1] for line in lines[1:]] == [
            '"{""a"":9007199254740993}"', "9007199254740993", "0.123456789", '"say ""hi"", twice"', "'=1+1",
            "0",
        ]
        item(page, "Log", "Copy as JSON")
        eventually(lambda: page.evaluate("navigator.clipboard.readText()").startswith("["))
        copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
        assert [each["value"] for each in copied] == [
            {"a": 9007199254740993}, 9007199254740993, 0.123456789, 'say "hi", twice', "=1+1", 0,
        ]


def test_editing_a_widget_changes_nothing_that_was_not_touched(open_page):
    widgets = layout(
        {"kind": "table", "nodes": ["*"], "title": "Pattern", "h": 4},
        {"kind": "number", "node": "gone", "title": "Gone"},
        {"kind": "number", "node": "x", "pipe": [{"map": "value * 2"}, "distinct"], "title": "Stages"},
        {"kind": "number", "node": "x", "pipe": [None], "title": "Nonsense"},
    )
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(widgets))
        expect(widget(page, "Stages").locator("output")).to_have_text("2")
        for title in ("Pattern", "Gone", "Stages", "Nonsense"):
            item(page, title, "Edit…")
            page.get_by_role("dialog").get_by_label("Title").fill(f"{title} 2")
            page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
            expect(widget(page, f"{title} 2")).to_be_visible()
        now = {each["title"][:-2]: each for each in held(page)["widgets"]}
        assert now["Pattern"]["nodes"] == ["*"] and now["Gone"]["node"] == "gone"
        assert now["Stages"]["pipe"] == [{"map": "value * 2"}, "distinct"] and now["Nonsense"]["pipe"] == [
            None
        ]
        item(page, "Stages 2", "Edit…")
        page.get_by_label("Expression").fill('[{"map": "value * 3"}, "distinct"]')
        page.get_by_role("dialog").get_by_role("button", name="Save", exact=True).click()
        expect(widget(page, "Stages 2").locator("output")).to_have_text("3")


def test_the_chosen_node_stays_when_the_kind_is_changed(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout()))
        expect(page.get_by_role("heading", name="An empty dashboard")).to_be_visible()
        page.keyboard.press("a")
        page.get_by_label("Node", exact=True).fill("x")
        page.get_by_label("Kind").select_option("gauge")
        expect(page.get_by_label("Node", exact=True)).to_have_value("x")


def test_kinds_are_no_names_of_the_language_and_a_full_dashboard_stays_full(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "constructor", "title": "Odd"},
                    *({"kind": "text", "text": "t", "title": f"T{i}"} for i in range(63)),
                )
            ),
        )
        expect(widget(page, "Odd")).to_contain_text("does not know")
        item(page, "T0", "Duplicate")
        expect(page.locator(".dash-notice")).to_contain_text("at most 64")
        expect(page.locator(".widget")).to_have_count(64)


def test_a_widget_says_how_many_nodes_it_leaves_out(open_page):
    nodes = "".join(f"  n{i}: {{ set: number, initial: {i} }}\n" for i in range(9))
    with Server({"g": f"graph: g\nnodes:\n{nodes}"}) as server:
        page = open_page(
            server,
            address(
                layout(
                    {"kind": "series", "nodes": ["n*"], "title": "Some", "w": 8, "h": 4},
                    {"kind": "series", "nodes": ["z*"], "title": "None"},
                )
            ),
        )
        expect(widget(page, "Some").locator(".widget-state")).to_have_text("6 of 9 nodes")
        expect(widget(page, "None")).to_contain_text("No node has such a name")


def test_a_removed_node_is_not_offered_any_more(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(server, address(layout({"kind": "number", "node": "x"})))
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        answer = server.request(
            "PUT", "/v1/graphs/g?adopt=1",
            GRAPH.replace("  y: { set: number, initial: 2 }\n", "  new: { set: number }\n"),
            {"Content-Type": "application/yaml"},
        )
        assert answer.status == 200, answer.body
        page.wait_for_timeout(1200)
        page.keyboard.press("a")
        page.get_by_label("Node", exact=True).focus()
        options = page.locator(".picker-list [role=option]")
        expect(options.first).to_be_visible()
        assert sorted(options.locator(".mono").all_text_contents()) == ["alarm", "double", "mode", "new", "x"]


def test_values_that_the_server_calls_stale_look_stale(open_page):
    with Server({"g": GRAPH}) as server:
        sockets = []

        def between(page):
            def handle(socket):
                sockets.append(socket)
                remote = socket.connect_to_server()
                remote.on_message(socket.send)
                socket.on_message(remote.send)

            page.route_web_socket("**/v1/ws", handle)

        page = open_page(server, address(layout({"kind": "number", "node": "x"})), before=between)
        expect(widget(page, "Voltage").locator("output")).to_have_text("1")
        sockets[-1].send('{"op":"hb","revs":{},"stale":true}')
        expect(widget(page, "Voltage").locator(".widget-state")).to_contain_text("s old")
        sockets[-1].send('{"op":"hb","revs":{}}')
        expect(widget(page, "Voltage").locator(".widget-state")).to_have_text("")


def test_charts_follow_forced_colours(open_page):
    with Server({"g": GRAPH}) as server:
        page = open_page(
            server, address(layout({"kind": "series", "nodes": ["x"], "w": 6, "h": 4})),
            forced_colors="active",
        )
        expect(widget(page, "Voltage").locator(".legend output")).to_have_text("1\u202fV")
        assert page.locator(".plot canvas").evaluate(
            "(it) => ['--series-1', '--text-2', '--surface'].map((name) => "
            "getComputedStyle(it).getPropertyValue(name).trim())"
        ) == ["CanvasText", "CanvasText", "Canvas"]
