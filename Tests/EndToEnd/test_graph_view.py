"""The live graph view in a real browser: owners, lifetimes, a picture that stays still (2, 3 and 10
of the page's tests)."""

import json
import os
import re
import signal

import pytest
from browser import DOWN
from conftest import CHAIN, Client
from network import Network
from playwright.sync_api import expect
from sluice import Server, eventually
from dashboards import address, widget

pytestmark = pytest.mark.browser


def node(page, name):
    return page.locator(f'.node[data-id="n:{name}"]')


def listeners(page):
    return page.locator('.node[data-kind="listener"]:not(.gone)')


def living(page):
    return page.locator('.node:not(.gone):not(.asleep):not([data-kind="listener"])')


def boxes(page):
    """Where every node stands, in the picture's own units, by id."""
    return page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('.node:not(.gone)')].map((g) => {
        const [x, y] = g.style.transform.match(/-?[\\d.]+(?=px)/g).map(Number);
        const box = g.querySelector('.box').getBBox();
        return [g.dataset.id, [x, y, box.width, box.height]];
    }))""")


def overlapping(places):
    found, ids = [], list(places)
    for i, a in enumerate(ids):
        ax, ay, aw, ah = places[a]
        for b in ids[i + 1:]:
            bx, by, bw, bh = places[b]
            if ax < bx + bw and bx < ax + aw and ay < by + bh - 0.1 and by < ay + ah - 0.1:
                found.append((a, b))
    return found


def smallest_text(page):
    """The height of the smallest text of the picture, in CSS px as it is on screen."""
    return page.evaluate("""() => {
        const scale = document.querySelector('.camera').getCTM().a;
        const texts = [...document.querySelectorAll('.picture text')].filter((t) => t.textContent && getComputedStyle(t).visibility === 'visible');
        return Math.min(99, ...texts.map((t) => parseFloat(getComputedStyle(t).fontSize) * scale));
    }""")


def shows(page):
    expect(page.locator(".graph-status")).to_contain_text("node")
    expect(living(page).first).to_be_visible()


# 2. Join and leave

def pipelines(server, name="tablet/1"):
    client = Client(server)
    client.ask(op="hello", client=name)
    client.ask(op="sub", graph="g", node="double", pipe=[{"map": "value * 3"}, {"map": "value - 1"}])
    return client


@pytest.mark.parametrize("ending", ["close", "cut"])
def test_a_client_that_joins_is_seen_with_all_it_needs_and_leaves_with_exactly_that(open_page, ending):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g?details=1")
        shows(page)
        before = living(page).count()
        expect(listeners(page)).to_have_count(0)
        expect(node(page, "double")).to_have_class(re.compile("asleep"))

        first = pipelines(server)
        expect(listeners(page)).to_have_count(1)
        expect(listeners(page)).to_contain_text("tablet/1")
        expect(node(page, "double")).not_to_have_class(re.compile("asleep"))
        expect(node(page, "double").locator(".badge")).to_have_text("1 listens")
        expect(page.locator('.node[data-kind="chain"]:not(.gone)')).to_have_count(2)
        with_first = living(page).count()

        second = pipelines(server, "phone/2")
        expect(listeners(page)).to_have_count(2)
        expect(living(page)).to_have_count(with_first)  # the same derivation is the same nodes
        expect(node(page, "double").locator(".badge")).to_have_text("2 listen")
        expect(page.locator('.node[data-kind="chain"] .badge').first).to_have_text("2 listen")

        if ending == "cut":
            second.socket.socket.shutdown(2)
        else:
            second.close()
        expect(listeners(page)).to_have_count(1)
        expect(node(page, "double").locator(".badge")).to_have_text("1 listens")
        expect(living(page)).to_have_count(with_first)

        first.close()
        expect(listeners(page)).to_have_count(0)
        expect(living(page)).to_have_count(before)
        expect(node(page, "double")).to_have_class(re.compile("asleep"))
        # What was released rests in the tray, with its last value.
        page.get_by_role("button", name="Recently released").click()
        rows = page.locator(".tray-list li")
        expect(rows.filter(has_text="value - 1")).to_contain_text("the last client that listened left")
        expect(rows.filter(has_text="value - 1").locator(".tray-value")).to_have_text("5")


def test_a_page_that_is_closed_or_crashes_vanishes_from_the_picture_of_another(open_page, browser):
    with Server({"g": CHAIN}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        other = open_page(server, "/#/g/g")
        shows(other)
        watch = """() => import('/client.js').then(({ connect }) => {
            const c = connect('/v1/ws', { client: 'other-page' });
            c.watch('g/deep', Number, () => {});
            globalThis.kept = c;
        })"""
        other.evaluate(watch)
        expect(listeners(page)).to_have_count(1)
        expect(listeners(page)).to_contain_text("other-page")
        expect(node(page, "deep")).not_to_have_class(re.compile("asleep"))
        other.close()
        expect(listeners(page)).to_have_count(0)
        expect(node(page, "deep")).to_have_class(re.compile("asleep"))

        system = browser.new_browser_cdp_session()

        def renderers():
            processes = system.send("SystemInfo.getProcessInfo")["processInfo"]
            return {process["id"] for process in processes if process["type"] == "renderer"}

        known = renderers()
        crashing = open_page(server, "/#/g/g")
        shows(crashing)
        crashing.evaluate(watch)
        expect(listeners(page)).to_have_count(1)
        for process in renderers() - known:
            os.kill(process, signal.SIGKILL)
        expect(listeners(page)).to_have_count(0)
        expect(node(page, "deep")).to_have_class(re.compile("asleep"))


def test_a_page_whose_network_falls_silent_takes_exactly_its_own_with_it(open_page):
    """Nobody says that the page is gone; its heartbeat does not come."""
    widgets = [
        {"kind": "number", "node": "double", "pipe": pipe, "title": title, "x": 4 * i, "y": 0, "w": 4, "h": 2}
        for i, (title, pipe) in enumerate(
            [("Shared", [{"map": "value * 3"}, {"map": "value - 1"}]), ("Own", [{"map": "value * 7"}])]
        )
    ]
    with Server({"g": CHAIN}, "heartbeat: 1s\n") as server, Network(server) as network:
        page = open_page(server, "/#/g/g?details=1")
        shows(page)
        with pipelines(server):
            chains = page.locator('.node[data-kind="chain"]:not(.gone)')
            expect(chains).to_have_count(2)
            before = boxes(page).keys()

            other = open_page(network, address({"v": 1, "widgets": widgets}), allow=DOWN)
            expect(widget(other, "Shared").locator("output")).to_have_text("5")
            expect(widget(other, "Own").locator("output")).to_have_text("14")
            expect(listeners(page)).to_have_count(2)
            expect(chains).to_have_count(3)
            expect(chains.filter(has_text="value - 1").locator(".badge")).to_have_text("2 listen")
            expect(node(page, "double").locator(".badge")).to_have_text("2 listen")

            network.cut()
            expect(listeners(page)).to_have_count(1)
            expect(listeners(page)).to_contain_text("tablet/1")
            expect(chains).to_have_count(2)
            expect(chains.filter(has_text="value * 7")).to_have_count(0)
            expect(chains.filter(has_text="value - 1").locator(".badge")).to_have_text("1 listens")
            expect(node(page, "double").locator(".badge")).to_have_text("1 listens")
            expect(page.locator(".node.gone")).to_have_count(0)
            assert boxes(page).keys() == before, "exactly what was there before it came"
            # And the page that was cut off knows it too.
            expect(other.locator(".conn-text")).to_have_text(
                re.compile("No answer|Reconnecting|Cannot connect")
            )
            other.context.close()


# 3. Observing owns nothing

def test_looking_at_a_graph_owns_nothing(open_page):
    with Server({"g": CHAIN}) as server, pipelines(server):
        eventually(lambda: server.counts("g")["listeners"] == 1)
        before, owners = (
            server.counts("g"), {n["name"]: n["owners"] for n in server.picture("g")["nodes"] if "name" in n},
        )

        def unchanged():
            assert server.counts("g") == before
            assert {n["name"]: n["owners"] for n in server.picture("g")["nodes"] if "name" in n} == owners

        page = open_page(server, "/#/g/g")
        shows(page)
        expect(page.get_by_text("Observing only – keeps nothing alive")).to_be_visible()
        unchanged()
        # Every way of looking: inspector, owners, focus, explain, outline.
        node(page, "deep").click()
        expect(page.get_by_role("heading", name="deep")).to_be_visible()
        unchanged()
        page.get_by_role("button", name="Fit the picture").click()
        node(page, "double").click()
        page.keyboard.press("o")
        page.keyboard.press("Escape")
        page.keyboard.press("f")
        page.get_by_role("button", name="Why this value?").click()
        expect(page.locator(".explain-list li").first).to_contain_text("double")
        page.get_by_role("button", name="Outline").click()
        expect(page.get_by_role("treeitem").first).to_be_visible()
        unchanged()
        page.close()
        unchanged()


# 10. A stable picture

def graph_of(count, extra=""):
    """A graph of `count` living nodes in several columns."""
    lines = ["graph: g", "nodes:"]
    for i in range(count // 3):
        lines += [
            f"  in{i}: {{ set: number, initial: {i} }}",
            f"  sum{i}: {{ combine: {{ a: in{i}, b: in{(i * 7 + 1) % (count // 3)} }}, map: 'a + b', "
            f"retain: always }}"
            if (i * 7 + 1) % (count // 3) != i
            else f"  sum{i}: {{ from: in{i}, retain: always }}",
            f"  out{i}: {{ merge: [sum{i}, sum{(i + 1) % (count // 3)}], retain: always }}",
        ]
    return "\n".join(lines) + extra


def test_the_picture_does_not_jump_when_clients_come_and_go(open_page):
    with Server({"g": graph_of(30)}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        before = boxes(page)
        assert len(before) >= 30 and overlapping(before) == []
        camera = page.locator(".camera").get_attribute("style")
        clients = []
        for i in range(4):
            client = Client(server)
            client.ask(op="sub", graph="g", node=f"out{3 * i}", pipe=[{"map": f"value * {i + 2}"}])
            clients.append(client)
            expect(listeners(page)).to_have_count(i + 1)
            now = boxes(page)
            assert overlapping(now) == []
            moves = [
                ((now[n][0] - before[n][0]) ** 2 + (now[n][1] - before[n][1]) ** 2) ** 0.5 for n in before
            ]
            assert sum(moves) / len(moves) <= 8, moves
        assert page.locator(".camera").get_attribute("style") == camera, (
            "the picture stands still under the eye"
        )
        for client in clients:
            client.close()
        expect(listeners(page)).to_have_count(0)
        page.wait_for_timeout(1200)
        assert boxes(page).keys() == before.keys()
        assert smallest_text(page) >= 10.95


def test_nodes_that_wake_and_sleep_stay_where_they_are(open_page):
    sleeping = "".join(
        f"\n  late{i}: {{ combine: {{ a: in{i}, b: out{i + 1} }}, map: 'a + b' }}" for i in range(6)
    )
    with Server({"g": graph_of(30, sleeping)}) as server:
        page = open_page(server, "/#/g/g")
        shows(page)
        expect(page.locator(".node.asleep")).to_have_count(6)
        before = boxes(page)
        for _ in range(3):
            with Client(server) as client:
                for i in range(6):
                    client.ask(op="sub", graph="g", node=f"late{i}")
                expect(listeners(page)).to_have_count(1)
                expect(page.locator(".node.asleep")).to_have_count(0)
                now = boxes(page)
                assert overlapping(now) == []
                moved = [n for n in before if now[n] != before[n]]
                assert len(moved) <= 2, moved
            expect(page.locator(".node.asleep")).to_have_count(6)
            expect(page.locator(".node.gone")).to_have_count(0)
        after = boxes(page)
        moves = [
            ((after[n][0] - before[n][0]) ** 2 + (after[n][1] - before[n][1]) ** 2) ** 0.5 for n in before
        ]
        assert sum(moves) / len(moves) <= 2, moves


@pytest.mark.parametrize(
    "count, size", [(12, (1280, 800)), (60, (1280, 800)), (117, (900, 700)), (30, (390, 844))]
)
def test_text_stays_readable_and_nothing_overlaps(open_page, count, size):
    with Server({"g": graph_of(count)}) as server:
        page = open_page(server, "/#/g/g?view=picture", viewport={"width": size[0], "height": size[1]})
        shows(page)
        for _ in range(8):
            page.get_by_role("button", name="Zoom out").click()
        assert smallest_text(page) >= 10.95
        assert overlapping(boxes(page)) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "no sideways page scroll"
        if count > 40:
            expect(page.locator(".minimap")).to_be_visible()
            before = page.locator(".camera").get_attribute("style")
            page.locator(".minimap").click(position={"x": 20, "y": 20})
            expect(page.locator(".camera")).not_to_have_attribute("style", before)


# Families: one box each

FAMILY = """
graph: g
nodes:
  sensor.{id}.celsius: { set: number, unit: °C }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
  mean: { all: "sensor.*.celsius", reduce: avg, retain: always }
  hall: { from: sensor.hall.celsius }
"""


def set_members(server, count, value=20):
    body = {"set": {f"sensor.{number}.celsius": value for number in range(1, count + 1)}}
    assert (
        server.request(
            "POST", "/v1/graphs/g/batch", json.dumps(body), {"Content-Type": "application/json"}
        ).status
        == 200
    )


def test_a_family_is_one_box_and_opens_to_a_list_of_its_members(open_page):
    """F-8"""
    with Server({"g": FAMILY}) as server:
        set_members(server, 250)
        page = open_page(server, "/#/g/g")
        box = node(page, "sensor.{id}.celsius")
        expect(box).to_contain_text("250 members")
        expect(node(page, "sensor.{id}.hot")).to_contain_text("250 members")
        expect(page.locator(".node")).to_have_count(4)
        expect(page.locator(".counts")).to_contain_text("2 families with 500 members")
        expect(page.locator(".edge")).to_have_count(3)  # to hot, mean and hall
        set_members(server, 251, 21)
        expect(box).to_contain_text("251 members")
        before = server.counts("g")

        box.click()
        panel = page.get_by_role("complementary", name="Inspector")
        rows = panel.locator(".member-list button")
        expect(rows).to_have_count(100)
        expect(rows.first).to_have_text("sensor.1.celsius21\u202f°C")
        expect(panel).to_contain_text("1 to 100")
        panel.get_by_role("button", name="Later").click()
        expect(panel).to_contain_text("101 to 200")
        panel.get_by_role("button", name="Later").click()
        expect(rows).to_have_count(51)
        expect(panel.get_by_role("button", name="Later")).to_be_disabled()
        panel.get_by_role("button", name="Earlier").click()
        expect(panel).to_contain_text("101 to 200")

        # Searched, and followed as values change and members go.
        panel.get_by_label("Find a member").fill("25")
        expect(rows).to_have_count(5)  # 25, 125, 225, 250, 251
        server.set("g", "sensor.25.celsius", 33)
        expect(rows.filter(has_text="sensor.25.celsius")).to_contain_text("33")
        assert server.request("DELETE", "/v1/graphs/g/nodes/sensor.251.celsius").status == 204
        expect(rows).to_have_count(4)
        expect(box).to_contain_text("250 members")
        panel.get_by_label("Find a member").fill("attic")
        expect(panel).to_contain_text("None has this in its name")
        now = server.counts("g")
        assert now["listeners"] == before["listeners"] == 0, "looking owns nothing"


def test_a_member_that_is_chosen_is_drawn_with_what_belongs_to_it_until_it_is_closed(open_page):
    with Server({"g": FAMILY}) as server, Client(server) as client:
        set_members(server, 250)
        client.ask(op="hello", client="tablet/1")
        client.ask(op="sub", graph="g", node="sensor.7.hot")
        page = open_page(server, "/#/g/g")
        expect(listeners(page)).to_have_count(1)
        node(page, "sensor.{id}.hot").hover()
        expect(page.locator('.client-lines .edge')).to_have_count(1)  # from the family
        node(page, "sensor.{id}.celsius").press("Enter")
        panel = page.get_by_role("complementary", name="Inspector")
        panel.get_by_label("Find a member").fill("7")
        panel.get_by_role("button", name="sensor.7.celsius").click()
        expect(node(page, "sensor.7.celsius")).to_contain_text("20\u202f°C")
        expect(node(page, "sensor.7.hot")).to_contain_text("off")
        expect(panel.get_by_role("heading", name="sensor.7.celsius")).to_be_visible()
        assert "node=sensor.7.celsius" in page.evaluate("location.hash")
        server.set("g", "sensor.7.celsius", 31)
        expect(node(page, "sensor.7.hot")).to_contain_text("on")
        expect(page.locator(".node")).to_have_count(7)  # the others are still in their box
        expect(panel).to_contain_text("tablet/1")

        # Its family again, by the link, and then nothing: the box stands for it again.
        panel.get_by_role("button", name="sensor.{id}.celsius").click()
        expect(panel.locator(".member-list button").first).to_be_visible()
        page.get_by_role("button", name="Close inspector").click()
        expect(node(page, "sensor.7.celsius")).to_have_count(0)
        expect(page.locator(".node")).to_have_count(5)

        # An address leads to a member, also to one that another has.
        other = open_page(server, "/#/g/g?node=sensor.249.celsius")
        expect(other.get_by_role("heading", name="sensor.249.celsius")).to_be_visible()
        assert server.request("DELETE", "/v1/graphs/g/nodes/sensor.249.celsius").status == 204
        expect(other.get_by_role("heading", name="Gone")).to_be_visible()
        expect(node(other, "sensor.{id}.celsius")).to_contain_text("249 members")


def test_what_is_made_from_a_family_is_joined_to_it_also_after_it_has_fallen_asleep(open_page):
    with Server({"g": FAMILY}) as server, Client(server) as client:
        set_members(server, 250)
        page = open_page(server, "/#/g/g")
        hall = page.locator('.node[data-id="n:hall"]:not(.gone)')
        expect(page.locator(".edge")).to_have_count(3)
        client.send(op="sub", id=1, graph="g", node="hall")
        expect(hall).not_to_contain_text("not running")
        client.send(op="unsub", id=1)
        expect(hall).to_contain_text("not running")
        expect(page.locator(".edge:not(.gone)")).to_have_count(3)


def test_a_family_is_in_the_outline_and_found_by_its_name(open_page):
    with Server({"g": FAMILY}) as server:
        set_members(server, 3)
        page = open_page(
            server, "/#/g/g?view=outline", viewport={"width": 390, "height": 844}, has_touch=True
        )
        row = page.get_by_role("treeitem", name="sensor.{id}.celsius")
        expect(row).to_contain_text("3 members")
        row.tap()
        expect(page.get_by_role("dialog", name="Inspector").locator(".member-list button")).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "no sideways page scroll"
        page.get_by_role("button", name="Close inspector").click()
        page.get_by_label("Find a node").fill("hot")
        expect(page.get_by_role("option", name="sensor.{id}.hot")).to_be_visible()
