"""Looking without owning: `observe`, `topo`, `topod`."""

from conftest import Client
from events import EventSource
from sluice import eventually


class Observer:
    """A model of the graph, kept up to date by differences alone."""

    def __init__(self, client, every=50):
        self.client = client
        topo = client.ask(op="observe", graph="g", every=every)
        assert topo["op"] == "topo" and topo["seq"] == 1
        self.id, self.seq = topo["id"], 1
        self.nodes = {n["n"]: n for n in topo["nodes"] if "n" in n}
        self.absent = {n["name"] for n in topo["nodes"] if n.get("exists") is False}
        self.edges = {e["e"]: e for e in topo["edges"]}
        self.listeners = {entry["l"]: entry for entry in topo["listeners"]}
        self.deaths, self.births, self.departures = [], [], []

    def follow(self):
        news = self.client.receive()
        assert news["op"] == "topod" and news["id"] == self.id and news["seq"] == self.seq + 1
        self.seq += 1
        for node in news["add"]["nodes"]:
            assert node["n"] not in self.nodes
            self.nodes[node["n"]] = node
            self.births.append(node)
        self.edges |= {e["e"]: e for e in news["add"]["edges"]}
        self.listeners |= {entry["l"]: entry for entry in news["add"]["listeners"]}
        for death in news["del"]["nodes"]:
            del self.nodes[death["n"]]
            self.deaths.append(death)
        for edge in news["del"]["edges"]:
            del self.edges[edge]
        for departure in news["del"]["listeners"]:
            del self.listeners[departure["l"]]
            self.departures.append(departure)
        for number, held, count, change in news["val"]:
            self.nodes[number].update(held, count=count, c=change)
        for number, owners, *_ in news["own"]:
            self.nodes[number]["owners"] = owners
        return news

    def until(self, claim):
        while not claim():
            self.follow()

    def named(self, name):
        return next((n for n in self.nodes.values() if n.get("name") == name), None)

    def agrees_with(self, picture):
        assert set(self.nodes) == {n["n"] for n in picture["nodes"] if "n" in n}
        assert {(e["from"], e["to"]) for e in self.edges.values()} == {
            (e["from"], e["to"]) for e in picture["edges"]
        }
        assert set(self.edges) == {e["e"] for e in picture["edges"]}
        assert set(self.listeners) == {entry["l"] for entry in picture["listeners"]}
        for node in picture["nodes"]:
            if "n" in node:
                mine = self.nodes[node["n"]]
                for field in ("v", "empty", "fail", "count", "owners", "c"):
                    assert mine.get(field) == node.get(field), (field, mine, node)


def test_a_model_fed_by_differences_is_the_graph(server):
    with Client(server) as watcher:
        start = server.counts("g")
        observer = Observer(watcher)
        assert server.counts("g") == start, "looking makes nothing and is no listener"
        assert observer.absent == {"double", "deep", "sum"}
        observer.agrees_with(server.picture("g"))

        with Client(server) as client:
            client.ask(op="hello", client="tablet/1")
            client.ask(op="sub", graph="g", node="deep")
            client.ask(op="sub", graph="g", node="x", pipe=[{"map": "value + 0.5"}])
            observer.until(lambda: observer.named("deep") and len(observer.listeners) == 1
                           and any(n["kind"] == "chain" for n in observer.nodes.values()))
            listener, = observer.listeners.values()
            assert (
                listener["client"] == "tablet/1" and listener["transport"] == "ws" and "you" not in listener
            )
            assert observer.named("x")["owners"] == [listener["l"]], "needed by way of deep"
            observer.agrees_with(server.picture("g"))

            for value in range(5, 12):
                server.set("g", "x", value)
            observer.until(lambda: observer.named("x")["v"] == 11 and observer.named("deep")["v"] == 230)
            observer.agrees_with(server.picture("g"))

            with EventSource(server, "/v1/graphs/g/events?node=deep") as source:
                source.event()
                observer.until(lambda: len(observer.listeners) == 2)
                assert len(observer.named("deep")["owners"]) == 2
            observer.until(lambda: len(observer.listeners) == 1)
        observer.until(lambda: not observer.listeners)
        eventually(lambda: server.counts("g") == start)
        observer.agrees_with(server.picture("g"))
        assert {d["reason"] for d in observer.deaths} == {"last_owner"}
        assert any(d["last"] == {"v": 230} for d in observer.deaths)
        assert observer.named("deep") is None


def test_visitors_between_two_messages_are_reported(server):
    with Client(server) as watcher:
        observer = Observer(watcher, every=1000)
        for _ in range(3):
            with Client(server) as client:
                client.ask(op="sub", graph="g", node="x", pipe=[{"map": "value * 3"}])
        observer.until(lambda: len(observer.departures) == 3)
        chains = [n for n in observer.births if n["kind"] == "chain"]
        assert len(chains) == 3 and len({n["n"] for n in chains}) == 3
        assert [d["last"] for d in observer.deaths] == [{"v": 3}] * 3
        observer.agrees_with(server.picture("g"))


def test_an_observer_sees_itself_listening_and_may_stop(server):
    with Client(server) as watcher:
        observer = Observer(watcher)
        watcher.send(op="sub", id=50, graph="g", node="y")
        assert watcher.receive()["op"] == "snap"
        observer.until(lambda: observer.listeners)
        assert next(iter(observer.listeners.values()))["you"] is True
        watcher.send(op="unsub", id=observer.id)
        while (message := watcher.receive())["op"] != "end":
            pass
        assert message == {"op": "end", "id": observer.id, "code": "done", "released": 0}
