"""The live graph view while things change under it: names, definitions, queues, the focus, modules
that are late or missing."""

import json
import re

import pytest
from conftest import CHAIN, Client
from playwright.sync_api import expect
from sluice import Server, eventually
from test_graph_view import boxes, graph_of, listeners, living, node, pipelines, shows
from test_graph_ways import told

pytestmark = pytest.mark.browser


class Told:
    """A page's socket that tells what a test wants it to."""

    def __init__(self, topo):
        self.topo, self.socket, self.id = topo, None, None

    def __call__(self, page):
        def answer(socket):
            def receive(text):
                message = json.loads(text)
                if message["op"] == "hello":
                    socket.send(
                        json.dumps(
                            {"op": "hello", "session": "c:1", "server": "sluice/1.0", "hb": 25, "limits": {}}
                        )
                    )
                elif message["op"] == "observe":
                    self.socket, self.id = socket, message["id"]
                    socket.send(json.dumps({**self.topo, "id": self.id}))
                elif message["op"] == "ping":
                    socket.send(json.dumps({**message, "op": "pong"}))
            socket.on_message(receive)
        page.route_web_socket(re.compile("/v1/ws"), answer)

    def tell(self, nodes=(), edges=(), listeners=(), gone=(), cut=(), left=(), val=(), own=()):
        self.socket.send(
            json.dumps(
                {
                    "op": "topod", "id": self.id, "seq": 2, "rev": 2, "t": 1_760_000_001_000,
                    "val": list(val), "own": list(own),
                    "add": {"nodes": list(nodes), "edges": list(edges), "listeners": list(listeners)},
                    "del": {"nodes": list(gone), "edges": list(cut), "listeners": list(left)},
                }
            )
        )


def death(n, reason="last_owner"):
    return {"n": n, "reason": reason, "lived": 5, "last": {"v": 1}}


# What the server tells

def test_a_sleeping_node_that_a_definition_drops_leaves_the_picture(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        expect(node(page, "deep")).to_have_class(re.compile("asleep"))
        shorter = re.sub(r"  deep:\n.*\n.*\n", "", CHAIN)
        assert (
            server.request(
                "PUT", "/v1/graphs/g?adopt=1", shorter, {"Content-Type": "application/yaml"}
            ).status
            == 200
        )
        expect(node(page, "deep")).to_have_count(0)
        expect(node(page, "double")).to_have_class(re.compile("asleep"))
        page.close()


def test_what_waits_is_shown_as_long_as_it_waits(open_page):
    tablet = {
        "l": "c:7", "client": "tablet", "transport": "ws", "since": 1, "on": [2], "queued": 0, "folded": 0,
    }
    picture = Told(told([(1, "plant", ["c:7"]), (2, "control", ["c:7"])], [(1, 2, False, 3)], [tablet]))
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g", before=picture)
        expect(page.locator(".backlog")).to_have_text("3 waiting")
        picture.tell(edges=[{"e": 0, "from": 1, "to": 2, "queued": 0}], listeners=[{**tablet, "queued": 4}])
        expect(page.locator(".backlog").filter(has_text="3 waiting")).to_have_count(0)
        expect(listeners(page).locator(".badge")).to_have_text("4 waiting")
        listeners(page).hover()
        expect(page.locator(".client-lines .backlog")).to_have_text("4 waiting")
        picture.tell(listeners=[tablet])
        expect(page.locator(".backlog").filter(has_text="waiting")).to_have_count(0)
        expect(listeners(page).locator(".badge")).to_have_text("")
        page.close()


# The focus

def test_the_picture_stays_one_stop_for_tab_when_its_node_is_drawn_anew(open_page):
    picture = Told(told([(1, "plant", []), (2, "control", [])], []))
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g", before=picture)
        expect(node(page, "plant")).to_have_attribute("tabindex", "0")
        picture.tell(nodes=[{**picture.topo["nodes"][0], "title": "A plant"}])
        expect(node(page, "plant").locator(".name")).to_have_text("A plant")
        expect(page.locator('.node[tabindex="0"]')).to_have_count(1)
        page.close()


def test_a_node_that_gets_the_focus_says_what_is_true_now(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        said = lambda: node(page, "y").evaluate("(g) => { g.focus(); return g.getAttribute('aria-label'); }")
        assert said() == "y, set from outside, empty, nobody listens"
        node(page, "x").focus()
        server.set("g", "y", 42)
        expect(node(page, "y").locator(".value")).to_have_text("42")
        assert said() == "y, set from outside, 42, nobody listens"


def test_the_focus_is_not_lost_on_a_graph_that_loses_all_its_nodes(open_page):
    picture = Told(told([(1, "plant", []), (2, "control", [])], []))
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g", before=picture)
        node(page, "plant").focus()
        picture.tell(gone=[death(1, "removed"), death(2, "removed")])
        expect(page.locator(".graph-empty")).to_have_text("This graph has no nodes yet.")
        expect(page.locator(".node")).to_have_count(0)
        expect(page.locator("#polite")).to_contain_text("plant is gone")
        page.close()


def test_what_was_in_focus_and_is_gone_gives_the_whole_graph_back(open_page):
    with Server({"g": CHAIN}) as server:
        with pipelines(server):
            page = open_page(server, "/#/g/g?details=1")
            shows(page)
            expect(listeners(page)).to_have_count(1)
            page.locator('.node[data-kind="chain"]').first.focus()
            page.keyboard.press("f")
            expect(page.locator(".focus-chip")).to_be_visible()
            expect(node(page, "kept")).to_have_count(0)
        expect(page.locator(".focus-chip")).to_be_hidden()
        expect(node(page, "kept")).to_be_visible()


def row_of(page):
    """The row under the outline's cursor."""
    return page.locator(f'#{page.get_by_role("tree").get_attribute("aria-activedescendant")}')


def go_down(page, found):
    """Moves the outline's cursor from the first row to one that is wanted."""
    page.get_by_role("tree").focus()
    page.keyboard.press("Home")
    for _ in range(page.get_by_role("treeitem").count()):
        if found(row_of(page)):
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError("no such row")


def test_keys_in_the_outline_are_about_its_own_row(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server):
        page = open_page(server, "/#/g/g?view=outline&details=1")
        expect(page.get_by_role("treeitem").filter(has_text="tablet/1")).to_have_count(1)
        go_down(page, lambda row: row.get_attribute("data-id") == "n:double")
        page.keyboard.press("f")
        expect(page.locator(".focus-chip")).to_contain_text("Focus: double")


def test_the_cursor_of_the_outline_stays_when_a_client_joins_and_goes_up_from_what_is_gone(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server) as tablet:
        page = open_page(server, "/#/g/g?view=outline&details=1")
        rows = page.get_by_role("treeitem")
        expect(rows.filter(has_text="tablet/1")).to_have_count(1)
        # At what is shown elsewhere, too.
        go_down(page, lambda row: "as above" in row.inner_text())
        here = row_of(page).get_attribute("data-id"), row_of(page).get_attribute("aria-level")
        with Client(server) as other:
            other.ask(op="sub", graph="g", node="y")
            expect(page.locator(".counts")).to_contain_text("2 clients")
            expect(row_of(page)).to_contain_text("as above")
            assert here == (row_of(page).get_attribute("data-id"), row_of(page).get_attribute("aria-level"))
        expect(page.locator("#polite")).to_contain_text(
            "1 client left"
        )  # of many words only the first are said
        go_down(page, lambda row: "tablet/1" in row.inner_text())
        tablet.close()
        expect(rows.filter(has_text="tablet/1")).to_have_count(0)
        expect(row_of(page)).to_have_attribute("data-id", "n:double")
        expect(page.locator("#polite")).to_contain_text("is gone. Now at double")
        page.close()


# What is lit up, and the inspector

def test_what_the_inspector_lights_goes_out_with_what_it_belonged_to(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server):
        page = open_page(server, "/#/g/g?node=double")
        owner = page.locator(".owner-list button").first
        expect(owner).to_be_visible()
        owner.hover()
        expect(page.locator(".picture")).to_have_class(re.compile("dimmed"))
        owner.click()
        expect(page.locator(".inspector-head h2")).to_contain_text("tablet/1")
        expect(page.locator(".picture")).not_to_have_class(re.compile("dimmed"))
        # What O lights stays lit when the inspector has shown something else meanwhile.
        node(page, "double").dispatch_event("click")
        expect(page.locator(".inspector-head h2")).to_have_text("double")
        page.keyboard.press("o")
        expect(page.locator(".picture")).to_have_class(re.compile("dimmed"))
        owner.hover()
        page.mouse.move(5, 5)
        page.wait_for_timeout(100)
        expect(page.locator(".picture")).to_have_class(re.compile("dimmed"))
        page.keyboard.press("o")
        expect(page.locator(".picture")).not_to_have_class(re.compile("dimmed"))


def test_a_window_that_is_wide_narrow_and_wide_again_has_its_inspector(open_page):
    wide, narrow = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g?node=x", viewport=wide)
        expect(page.locator(".graph-aside h2")).to_have_text("x")
        page.set_viewport_size(narrow)
        page.get_by_role("treeitem").filter(has_text="y").first.click()
        expect(page.get_by_role("dialog", name="Inspector").locator("h2")).to_have_text("y")
        page.set_viewport_size(wide)
        expect(page.locator(".graph-aside h2")).to_have_text("y")


# Pictures

def test_a_narrow_picture_stays_where_it_is_when_a_client_joins(open_page):
    with Server({"g": graph_of(12)}) as server:
        page = open_page(server, "/#/g/g?view=picture", viewport={"width": 390, "height": 844})
        shows(page)
        before = boxes(page)
        with Client(server) as client:
            client.ask(op="sub", graph="g", node="in0")
            expect(listeners(page)).to_have_count(1)
            now = boxes(page)
            assert [now[n][1] for n in before] == [before[n][1] for n in before]


def test_a_drag_is_no_click(open_page):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g?node=x")
        expect(page.locator(".inspector-head h2")).to_have_text("x")
        area = page.locator(".picture").bounding_box()
        middle, low = area["x"] + area["width"] / 2, area["y"] + area["height"] - 40
        page.mouse.move(middle, low)
        page.mouse.down()
        page.mouse.move(middle + 50, low - 30, steps=5)
        page.mouse.up()
        page.wait_for_timeout(300)
        assert "node=x" in page.url
        # A click that no pointer made acts behind a drag.
        node(page, "y").dispatch_event("click", {"detail": 0})
        expect(page.locator(".inspector-head h2")).to_have_text("y")


LARGE = "\n".join(
    [
        "graph: g", "nodes:",
        *(f"  {room}.{i}: {{ set: number, initial: 1 }}" for room in ("attic", "bath") for i in range(180)),
        "  late: { from: attic.1 }",
    ]
)
# Counts what is asked of the worker: whether there is something to be remembered.
SLOW = """globalThis.asked = []; globalThis.Worker = class extends Worker {
    postMessage(message) { globalThis.asked.push(message.memory !== null); setTimeout(() => super.postMessage(message), globalThis.slow ?? 0); }
}"""


def opened(page):
    for name in ("attic", "bath"):
        page.locator(".node.cluster").filter(has_text=name).dispatch_event("click")
        expect(page.locator(".node.cluster").filter(has_text=name)).to_have_count(0)


def test_a_picture_that_is_tidied_while_the_worker_lays_it_out_is_tidied(open_page):
    with Server({"g": LARGE}) as server:
        page = open_page(server, "/#/g/g", before=lambda page: page.add_init_script(SLOW))
        expect(page.locator(".node.cluster")).to_have_count(2)
        opened(page)
        expect(living(page)).to_have_count(360)
        page.evaluate("globalThis.slow = 600; globalThis.asked = []")
        page.get_by_role("button", name="Not running", exact=True).click()
        eventually(lambda: page.evaluate("asked.length") == 1)
        page.get_by_role("button", name="Tidy").click()
        eventually(lambda: page.evaluate("asked.length") == 2)
        assert page.evaluate("asked") == [True, False]


def test_a_worker_that_does_not_come_is_said_and_asked_for_again(open_page):
    with Server({"g": LARGE}) as server:
        page = open_page(
            server, "/#/g/g", allow="Failed to load|ERR_FAILED",
            before=lambda page: page.route("**/graph/layout.js", lambda route: route.abort()),
        )
        expect(page.locator("#assertive")).to_contain_text("the server does not answer")
        expect(page.locator(".node")).to_have_count(0)
        page.unroute("**/graph/layout.js")
        page.get_by_role("button", name="Not running", exact=True).click()
        expect(page.locator(".node.cluster")).to_have_count(2)


def test_what_fits_is_free_of_the_buttons_and_the_words_count_what_there_is(open_page):
    lines = [
        f"  n{i}: {{ set: number, initial: 1 }}\n  m{i}: {{ from: n{i}, retain: always }}" for i in range(6)
    ]
    with Server({"g": "\n".join(["graph: g", "nodes:", *lines])}) as server, Client(server) as client:
        client.ask(op="sub", graph="g", node="n0", pipe=[{"map": "value * 2"}])
        client.ask(op="sub", graph="g", node="n1", pipe=[{"map": "value * 2"}])
        page = open_page(server, "/#/g/g", viewport={"width": 1280, "height": 760})
        expect(living(page)).to_have_count(12)
        page.get_by_role("button", name="Fit the picture").click()
        tops = page.evaluate("""[document.querySelector('.zoom').getBoundingClientRect().top,
            Math.max(...[...document.querySelectorAll('.node .box')].map((box) => box.getBoundingClientRect().bottom))]""")
        assert tops[1] <= tops[0], tops
        expect(page.locator(".counts")).to_have_text("12 nodes, 2 steps, 1 client")
        expect(page.locator("#context .severity")).to_have_count(0)
