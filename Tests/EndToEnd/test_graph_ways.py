"""The live graph view: rings, hostile names, the keyboard alone (11, 12 and 13 of the page's tests)."""

import json
import re

import pytest
from conftest import CHAIN, Client
from playwright.sync_api import expect
from sluice import Server, eventually
from test_graph_view import boxes, listeners, node, overlapping, pipelines, shows

pytestmark = pytest.mark.browser


# 11. Cycles

def told(nodes, edges, listeners=()):
    """A `topo` as the server would send it, for graphs that a definition cannot make."""
    return {
        "op": "topo", "id": 0, "seq": 1, "epoch": "e", "rev": 1, "t": 1_760_000_000_000,
        "nodes": [
            {
                "n": n, "kind": "derived", "name": name, "op": "map", "retain": "whileInUse", "c": 1, "t": 1,
                "v": n, "count": 1, "born": 1, "owners": owners,
            }
            for n, name, owners in nodes
        ],
        "edges": [
            {"e": i, "from": a, "to": b, "queued": queued, **({"feedback": True} if back else {})}
            for i, (a, b, back, queued) in enumerate(edges)
        ],
        "listeners": list(listeners),
    }


def played(topo):
    """A socket that answers `observe` with this picture, and everything else as a quiet server would."""
    def before(page):
        def answer(socket):
            def receive(text):
                for message in (lambda m: m if isinstance(m, list) else [m])(json.loads(text)):
                    if message["op"] == "hello":
                        socket.send(
                            json.dumps(
                                {
                                    "op": "hello", "session": "c:1", "server": "sluice/1.0", "hb": 25,
                                    "limits": {},
                                }
                            )
                        )
                    elif message["op"] == "observe":
                        socket.send(json.dumps({**topo, "id": message["id"]}))
                    elif message["op"] == "ping":
                        socket.send(json.dumps({**message, "op": "pong"}))
            socket.on_message(receive)
        page.route_web_socket(re.compile("/v1/ws"), answer)
    return before


def test_keys_act_in_their_order_and_at_once(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g?node=x")
        expect(node(page, "x")).to_be_visible()
        for key in ("f", "o", "Escape", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.locator(".focus-chip")).to_contain_text("Focus: x, upstream and downstream")
        expect(page.locator(".picture")).not_to_have_class(re.compile("dimmed"))
        page.keyboard.press("o")
        expect(page.locator(".picture")).to_have_class(re.compile("dimmed"))
        page.keyboard.press("Escape")
        expect(page.locator(".picture")).not_to_have_class(re.compile("dimmed"))
        expect(page.locator(".focus-chip")).to_be_visible()


def test_a_drag_and_the_wheel_move_the_picture(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g")
        expect(node(page, "x")).to_be_visible()
        corner = lambda: page.evaluate(
            "(({ e, f }) => [e, f])(new "
            "DOMMatrix(getComputedStyle(document.querySelector('.camera')).transform))"
        )
        x, y = corner()
        area = page.locator(".picture").bounding_box()
        middle, low = area["x"] + area["width"] / 2, area["y"] + area["height"] - 40
        page.mouse.move(middle, low)
        page.mouse.down()
        page.mouse.move(middle + 50, low - 30, steps=5)
        page.mouse.up()
        page.mouse.wheel(0, 20)
        eventually(lambda: corner() == pytest.approx([x + 50, y - 50], abs=1))


def test_what_is_not_fetched_when_the_server_goes_is_said_and_comes_later(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(
            server, "/#/g/g", allow="Failed to load|ERR_FAILED",
            before=lambda page: page.route("**/graph/panel.js", lambda route: route.abort()),
        )
        expect(node(page, "x")).to_be_visible()
        node(page, "x").click()
        expect(page.locator("#assertive")).to_contain_text("the server does not answer")
        page.unroute("**/graph/panel.js")
        node(page, "y").click()
        expect(page.locator(".inspector-head h2")).to_have_text("y")


def test_what_would_go_with_a_client_is_marked_as_long_as_the_pointer_is_at_it(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server):
        page = open_page(server, "/#/g/g")
        expect(listeners(page)).to_have_count(1)
        listeners(page).hover()
        expect(page.locator(".graph-notice")).to_contain_text("leaving stops")
        expect(page.locator(".node.leaving")).not_to_have_count(0)
        area = page.locator(".picture").bounding_box()
        page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] - 20)
        expect(page.locator(".graph-notice")).to_be_empty()
        expect(page.locator(".node.leaving")).to_have_count(0)


def test_a_field_that_cannot_be_loaded_is_said_in_its_place_and_asked_for_again(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(
            server, "/#/g/g", allow="ERR_FAILED",
            before=lambda page: page.route("**/ui/value-editor.js", lambda route: route.abort()),
        )
        node(page, "x").click()
        expect(page.locator(".editor-slot")).to_contain_text("did not load")
        page.unroute("**/ui/value-editor.js")
        node(page, "x").click()
        expect(page.get_by_role("textbox", name="New value of x")).to_be_visible()


def test_feedback_is_drawn_as_feedback_and_a_ring_that_nobody_owns_is_flagged(open_page):
    topo = told(
        [
            (1, "plant", ["c:7"]),
            (2, "control", ["c:7"]),
            (3, "lost", []),
            (4, "found", []),
            (5, "self", ["c:7"]),
        ],
        [(1, 2, False, 0), (2, 1, True, 3), (3, 4, False, 0), (4, 3, False, 0), (5, 5, True, 0)],
        [
            {
                "l": "c:7", "client": "tablet", "transport": "ws", "since": 1, "on": [1, 5], "queued": 0,
                "folded": 0,
            }
        ],
    )
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g", before=played(topo))
        expect(page.locator(".node")).to_have_count(6)
        # The declared way back, the loop of a node on itself, and the one that had to be found.
        expect(page.locator('.edge[data-look="feedback"]')).to_have_count(3)
        expect(page.locator(".backlog")).to_have_text("3 waiting")
        for name in ("lost", "found"):
            expect(node(page, name)).to_have_class(re.compile("leak"))
            expect(node(page, name).locator(".badge")).to_have_text("leak")
        for name in ("plant", "control", "self"):
            expect(node(page, name)).not_to_have_class(re.compile("leak"))
        expect(page.locator(".graph-notice")).to_have_text("Leak: 2 nodes in a ring that nobody owns")
        assert overlapping(boxes(page)) == []
        # A way back has ports of its own: it ends at the lower side of its node, not among the
        # edges that enter.
        ends = page.evaluate("""() => [...document.querySelectorAll('.edge[data-look="feedback"]')].map((e) => {
            const p = e.getPointAtLength(e.getTotalLength());
            return [...document.querySelectorAll('.node')].some((g) => {
                const [x, y] = g.style.transform.match(/-?[\\d.]+(?=px)/g).map(Number);
                const b = g.querySelector('.box').getBBox();
                return p.x > x + 4 && p.x < x + b.width - 4 && (Math.abs(p.y - y) < 1 || Math.abs(p.y - y - b.height) < 1);
            });
        })""")
        assert ends == [True] * 3
        page.get_by_role("button", name="Outline").click()
        expect(page.get_by_role("treeitem").filter(has_text="leak: a ring that nobody owns")).to_have_count(2)
        page.close()


RING = """
graph: g
nodes:
  celsius: { set: number, initial: 20 }
  fahrenheit: { set: number }
  warm: { from: celsius, pipe: [ { map: "value > 25" } ], retain: always }
sync:
  - { a: celsius, b: fahrenheit, to_b: "value * 9 / 5 + 32", to_a: "(value - 32) * 5 / 9" }
"""


def test_feedback_of_a_definition_is_drawn_as_feedback(open_page):
    with Server({"g": RING}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        expect(page.locator('.edge[data-look="feedback"]')).to_have_count(1)
        expect(page.locator(".node.leak")).to_have_count(0)
        server.set("g", "celsius", 30)
        expect(node(page, "fahrenheit").locator(".value")).to_have_text("86")


# 12. Hostile names

HOSTILE = [
    "<img src=x onerror=alert(1)>", "\"quotes' & <b>", "\u202eright to left\u202c",
    "\U0001f600\U0001f469\u200d\U0001f680 rocket", "x" * 10_000, "{{7*7}}${7*7}",
    "</text></svg><script>alert(1)</script>",
]


def test_names_and_values_of_strangers_are_text(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        problems = []
        page.on("dialog", lambda d: (problems.append(d.message), d.dismiss()))
        clients = []
        for name in HOSTILE:
            client = Client(server)
            client.ask(op="hello", client=name[:200])
            client.ask(
                op="sub", graph="g", node="any",
                pipe=[{"map": f"value == {json.dumps(name[:500], ensure_ascii=False)}"}],
            )
            clients.append(client)
        for name in HOSTILE:
            server.set("g", "any", name)
            page.wait_for_timeout(150)
        expect(listeners(page)).to_have_count(len(HOSTILE))
        server.set("g", "any", {HOSTILE[0]: HOSTILE[2]})
        places = boxes(page)
        assert overlapping(places) == [] and all(w < 260 and h < 80 for _, _, w, h in places.values())
        for mode in ("Picture", "Outline"):
            page.get_by_role("button", name=mode, exact=True).click()
            page.wait_for_timeout(200)
            assert page.evaluate("document.querySelectorAll('main img, main script, main b').length") == 0
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                "no sideways page scroll"
            )
        page.get_by_role("button", name="Picture", exact=True).click()
        assert page.locator(".picture").text_content().count("\u202e") == 0, (
            "nothing turns the rest of the line round"
        )
        pills = listeners(page)
        expect(pills.filter(has_text="<img src")).to_have_count(1)
        for i in range(pills.count()):
            pills.nth(i).dispatch_event("click")
            expect(page.locator(".inspector-head h2")).not_to_be_empty()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # As a node's name in the address, too.
        page.goto(f"{server.url}/#/g/g?node=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&focus=%00&view=%F0")
        shows(page)
        assert problems == []
        for client in clients:
            client.close()


# 13. The keyboard alone

def focused(page):
    return page.evaluate("document.activeElement?.dataset?.id ?? document.activeElement?.tagName")


def has_visible_focus(page):
    return page.evaluate("""() => {
        const here = document.activeElement;
        const ring = getComputedStyle(here.matches('.node') ? here.querySelector('.box') : here);
        return here.matches(':focus-visible') && ring.outlineStyle !== 'none' && parseFloat(ring.outlineWidth) >= 2;
    }""")


def test_the_graph_is_walked_and_a_value_set_without_a_pointer(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server) as client:
        page = open_page(server, "/#/g/g")
        shows(page)
        expect(listeners(page)).to_have_count(1)
        assert page.locator('.node[tabindex="0"]').count() == 1, "one stop for Tab"
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.matches('.node')"):
                break
        assert page.evaluate("document.activeElement.matches('.node')") and has_visible_focus(page)
        # Search, then along the flow and back.
        page.keyboard.press("/")
        page.keyboard.type("double")
        page.keyboard.press("Enter")
        eventually(lambda: focused(page) == "n:double")
        page.keyboard.press("ArrowRight")
        after = focused(page)
        assert after != "n:double" and has_visible_focus(page)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        eventually(lambda: focused(page) == "n:x")
        page.keyboard.press("o")
        expect(page.locator(".picture")).to_have_class(re.compile("dimmed"))
        expect(page.locator(".node.lit.listener")).to_have_count(1)
        page.keyboard.press("o")
        page.keyboard.press("f")
        expect(page.locator(".focus-chip")).to_contain_text("upstream and downstream")
        for _ in range(3):
            page.keyboard.press("f")
        expect(page.locator(".focus-chip")).to_be_hidden()
        page.keyboard.press("Escape")
        # Inspect, set.
        page.keyboard.press("/")
        page.keyboard.type("x")
        page.keyboard.press("Enter")
        field = page.locator(".graph-aside input:not([type=range])").first
        expect(field).to_be_visible()
        for _ in range(80):
            page.keyboard.press("Tab")
            if field.evaluate("(f) => f === document.activeElement"):
                break
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("7")
        page.keyboard.press("Enter")
        eventually(lambda: server.value("g", "x") == 7)
        expect(node(page, "x").locator(".value")).to_have_text("7")
        client.close()


def test_the_inspector_is_as_wide_as_people_want_it(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g?node=x")
        grip = page.get_by_role("separator", name="Width of the inspector")
        expect(grip).to_be_attached()
        aside = page.locator(".graph-aside")
        before = aside.bounding_box()["width"]
        grip.focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert abs(aside.bounding_box()["width"] - before - 48) < 2
        page.reload()
        expect(aside).to_be_visible()
        assert abs(aside.bounding_box()["width"] - before - 48) < 2


def test_focus_survives_the_release_of_the_focused_node(open_page):
    with Server({"g": CHAIN}) as server:
        client = pipelines(server)
        page = open_page(server, "/#/g/g?details=1")
        shows(page)
        expect(listeners(page)).to_have_count(1)
        chain = page.locator('.node[data-kind="chain"]').first
        chain.focus()
        gone = focused(page)
        client.close()
        expect(page.locator(f'.node[data-id="{gone}"]')).to_have_count(0)
        eventually(
            lambda: page.evaluate("document.activeElement.matches('.node:not(.gone)')"),
            what="a node with the focus",
        )
        assert focused(page) != gone
        expect(page.locator("#polite")).to_contain_text("is gone. Now at")


def test_the_outline_is_a_tree_equal_to_the_picture(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server):
        page = open_page(server, "/#/g/g?details=1")
        shows(page)
        expect(listeners(page)).to_have_count(1)
        drawn = set(boxes(page))
        page.get_by_role("button", name="Outline").click()
        rows = page.get_by_role("treeitem")
        expect(rows.first).to_be_visible()
        assert set(rows.evaluate_all("(list) => list.map((r) => r.dataset.id)")) == drawn
        double = rows.filter(has_text=re.compile("^▾?double")).first
        expect(double).to_contain_text("1 listens")
        assert double.get_attribute("aria-level") == "2"
        tree = page.get_by_role("tree")
        tree.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowLeft")
        expect(rows.first).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        here = page.locator(f'#{tree.get_attribute("aria-activedescendant")}')
        assert here.get_attribute("aria-level") == "2"
        page.keyboard.press("Enter")
        expect(page.locator(".inspector-head h2")).to_be_visible()
