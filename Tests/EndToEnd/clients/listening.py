"""Scenarios of subscriptions, while the connection holds."""

from clients.table import refusal, scenario
from sluice import eventually


def sets(at, graph, node, values):
    for value in values:
        at.set(graph, node, value)


@scenario
def follows_a_node(at, client, graph):
    watch = client.watch(f"{graph}/double")
    first = watch.next()
    assert first["value"] == 0 and first["meta"]["epoch"] and first["meta"]["rev"] >= 0
    answer = at.set(graph, "x", 21)
    event = watch.until_value(42)[-1]
    assert event["meta"]["rev"] == answer["rev"] and event["meta"]["folded"] == 1
    assert event["meta"]["by"] == "other"
    watch.close()
    eventually(lambda: at.live(graph)["listeners"] == 0)


@scenario
def gets_every_value(at, client, graph):
    watch = client.watch(f"{graph}/x", mode="all")
    assert watch.next()["value"] == 0
    sets(at, graph, "x", range(1, 51))
    assert watch.values(50) == list(range(1, 51))


@scenario
def streams_every_value(at, client, graph):
    stream = client.open("stream", target=f"{graph}/x", mode="all")
    assert stream.next()["value"] == 0
    sets(at, graph, "x", range(1, 21))
    assert stream.values(20) == list(range(1, 21))
    stream.close()
    assert stream.until_ended() is None
    eventually(lambda: at.live(graph)["listeners"] == 0)


@scenario
def folds_what_comes_too_fast(at, client, graph):
    watch = client.watch(f"{graph}/x", every=200)
    watch.next()
    sets(at, graph, "x", range(1, 31))
    events = watch.until_value(30)
    assert len(events) < 30
    assert sum(event["meta"]["folded"] for event in events) == 30


@scenario
def gets_the_newest_first(at, client, graph):
    sets(at, graph, "log", ["a", "b", "c"])
    # The client's server has the last one by then.
    client.get(target=f"{graph}/log", after=at.set(graph, "log", "d"))
    watch = client.watch(f"{graph}/log", history=3, mode="all")
    events = [watch.next() for _ in range(3)]
    assert [event["value"] for event in events] == ["b", "c", "d"]
    assert all(event["meta"]["history"] for event in events)
    at.set(graph, "log", "e")
    event = watch.next()
    assert event["value"] == "e" and not event["meta"].get("history")


@scenario
def follows_several_nodes(at, client, graph):
    watch = client.watch(graph=graph, nodes=["seat.*", "x"])
    assert watch.next()["value"] == {"x": 0}
    at.set(graph, "seat.2", "Bob")
    event = watch.next()
    assert event["value"] == {"x": 0, "seat.2": "Bob"} and event["meta"]["changed"] == ["seat.2"]


@scenario
def follows_members_that_come_and_go(at, client, graph):
    watch = client.watch(f"{graph}/sensor.*.celsius")
    assert watch.next()["value"] == {}
    at.set(graph, "sensor.7.celsius", 20)
    at.set(graph, "sensor.8.celsius", 21)
    both = {"sensor.7.celsius": 20, "sensor.8.celsius": 21}
    watch.until_value(both)
    assert at.ask("DELETE", f"{graph}/nodes/sensor.7.celsius").status == 204
    event = watch.until_value({"sensor.8.celsius": 21})[-1]
    assert event["meta"]["m"]["sensor.7.celsius"] == {"gone": True}


@scenario
def reads_a_member(at, client, graph):
    target = f"{graph}/sensor.9.celsius"
    assert client.get(target=target) is None
    client.set(target=target, value=19.5)
    assert client.get(target=target) == 19.5 and at.holds(graph, "sensor.9.celsius", 19.5)


@scenario
def has_the_server_compute(at, client, graph):
    piped = client.watch(f"{graph}/x", pipe=[{"map": "value + 1"}, "distinct"])
    joined = client.watch(graph=graph, combine={"a": "x", "b": "count"}, map="a * 10 + b")
    assert piped.next()["value"] == 1 and joined.next()["value"] == 0
    at.set(graph, "x", 4)
    at.set(graph, "count", 2)
    piped.until_value(5)
    joined.until_value(42)
    assert refusal_of(client.watch(f"{graph}/x", pipe=[{"map": "valeu + 1"}])) == "expr_type"


def refusal_of(watch):
    """The code with which it ends, for a reason that says where it is wrong."""
    meta = watch.until(lambda _, meta: meta.get("ended"))[-1]["meta"]
    assert meta["ended"]["msg"]
    return meta["ended"]["code"]


@scenario
def is_told_why_there_is_no_value(at, client, graph):
    watch = client.watch(f"{graph}/inverse")
    assert watch.next()["meta"]["fail"]["code"]
    at.set(graph, "count", 5)
    event = watch.until_value(2)[-1]
    assert not event["meta"].get("fail")
    empty = client.watch(f"{graph}/y").next()
    assert empty["meta"]["empty"] and empty.get("value") is None
    assert refusal_of(client.watch(f"{graph}/nothing")) == "unknown_node"
    assert refusal_of(client.watch("no-graph/x")) == "unknown_graph"


@scenario
def shares_what_is_equal(at, client, graph):
    one, other = client.watch(f"{graph}/double"), client.watch(f"{graph}/double")
    assert one.next()["value"] == other.next()["value"] == 0
    assert at.live(graph)["listeners"] == 1
    one.close()
    at.set(graph, "x", 1)
    other.until_value(2)
    other.close()
    eventually(lambda: at.live(graph)["listeners"] == 0)


@scenario
def releases_by_owner(at, client, graph):
    idle = at.live(graph)
    panel = client.watch(f"{graph}/x", owner="panel")
    both = client.watch(f"{graph}/double", owner=["panel", "sidebar"])
    panel.next(), both.next()
    assert at.live(graph)["listeners"] == 2
    client.release(owner="panel")
    assert panel.until_ended() == "closed"
    at.set(graph, "x", 3)
    both.until_value(6)
    assert at.live(graph)["listeners"] == 1
    client.release(owner="sidebar")
    assert both.until_ended() == "closed"
    eventually(lambda: at.live(graph) == idle)
    # The owner may be used again.
    assert client.watch(f"{graph}/x", owner="panel").next()["value"] == 3


@scenario
def releases_everything_when_it_closes(at, client, graph):
    idle = at.live(graph)
    watches = [client.watch(f"{graph}/double", pipe=[{"map": f"value + {n}"}]) for n in range(5)]
    assert [watch.next()["value"] for watch in watches] == list(range(5))
    client.close_client()
    assert {watch.until_ended() for watch in watches} == {"closed"}
    eventually(lambda: at.live(graph) == idle)


@scenario
def asks_producers(at, client, graph):
    """A producer learns what others want, and is asked for what is missing."""
    producer = client.open("demand", graph=graph, nodes=["sensor.*", "y"])
    assert producer.next()["value"] == {}
    watch = client.watch(f"{graph}/y", load=True)
    watch.next()
    wanted = producer.until(lambda _, meta: meta["m"].get("y", {}).get("load"))[-1]
    assert wanted["value"]["y"]["wanted"] is True
    client.load(target=f"{graph}/y", loading=True)
    client.set(target=f"{graph}/y", value=5)
    watch.until_value(5)
    watch.close()
    gone = producer.until(lambda _, meta: meta["m"].get("y", {}).get("wanted") is False)[-1]
    assert gone["value"] == {}


@scenario
def says_what_is_known_besides_the_value(at, client, graph):
    client.set(target=f"{graph}/y", value=1)
    watch = client.watch(f"{graph}/y", facets=True)
    assert watch.next()["value"] == 1
    client.load(target=f"{graph}/y", error={"code": "offline", "msg": "no answer"})
    event = watch.until(lambda _, meta: (meta.get("state") or {}).get("error"))[-1]
    assert event["value"] == 1 and event["meta"]["same"]
    assert event["meta"]["state"]["error"]["code"] == "offline"
    client.set(target=f"{graph}/y", value=2)
    event = watch.until_value(2)[-1]
    assert not (event["meta"].get("state") or {}).get("error")


@scenario
def opens_sources_while_it_listens(at, client, graph):
    def upstreams():
        return [each for described in at.described(graph) for each in described.get("upstreams", [])]

    assert upstreams() == []
    watch = client.watch(f"{graph}/fed", facets=True)
    assert isinstance(watch.until(lambda value, _: value is not None)[-1]["value"], int)
    assert upstreams()
    watch.close()
    eventually(lambda: upstreams() == [])


@scenario
def holds_a_seat(at, client, graph):
    """What `presence` sets is cleared with the connection, and held again by the next one."""
    client.presence(target=f"{graph}/seat.1", value="Ada")
    assert at.holds(graph, "seat.1", "Ada")
    at.break_off()
    at.holds(graph, "seat.1", None)
    at.join()
    at.holds(graph, "seat.1", "Ada")
    client.presence(target=f"{graph}/seat.1")
    assert at.holds(graph, "seat.1", None)
    client.presence(target=f"{graph}/seat.2", value="Ada")
    client.close_client()
    at.holds(graph, "seat.2", None)


@scenario
def links_nodes(at, client, graph):
    link = client.open("link", graph=graph, **{"from": "x"}, to="y", pipe=[{"map": "value * 3"}])
    at.holds(graph, "y", 0)
    at.set(graph, "x", 2)
    at.holds(graph, "y", 6)
    link.close()
    eventually(lambda: at.live(graph)["listeners"] == 0)
    at.set(graph, "x", 3)
    assert at.holds(graph, "y", 6)


@scenario
def keeps_nodes_in_step(at, client, graph):
    client.open(
        "sync", graph=graph, a="celsius", b="fahrenheit",
        to_b="value * 9 / 5 + 32", to_a="(value - 32) * 5 / 9", owner="panel",
    )
    at.set(graph, "celsius", 100)
    at.holds(graph, "fahrenheit", 212)
    at.set(graph, "fahrenheit", 32)
    at.holds(graph, "celsius", 0)
    client.release(owner="panel")
    eventually(lambda: at.live(graph)["listeners"] == 0)


@scenario
def reports_what_a_link_cannot_set(at, client, graph):
    link = client.open("link", graph=graph, **{"from": "x"}, to="small")
    # It begins with the present value; the next one comes from another server.
    assert at.holds(graph, "small", 0)
    at.set(graph, "x", 99)
    assert link.until(lambda _, meta: meta.get("fail"))[-1]["meta"]["fail"]["code"] == "type_mismatch"
    at.set(graph, "x", 7)
    link.until_value(7)
    assert at.holds(graph, "small", 7)


@scenario
def says_where_a_value_has_been(at, client, graph):
    watch = client.watch(f"{graph}/double", path=True)
    watch.next()
    at.set(graph, "x", 1)
    path = watch.until_value(2)[-1]["meta"]["path"]
    assert path, "a path names the nodes that the value has passed"
    # A program that sends it on shows where it has been, and rings end.
    client.set(target=f"{graph}/y", value=2, path=path)
    assert at.holds(graph, "y", 2)


@scenario
def observes_a_graph(at, client, graph):
    observer = client.open("observe", graph=graph, every=50)
    first = observer.next()["value"]
    names = {node.get("name") for node in first["nodes"]}
    assert {"x", "double"} <= names
    client.watch(f"{graph}/double").next()
    observer.until(lambda event, _: event.get("add") or event.get("nodes") or event.get("op") == "topod")
    observer.close()


@scenario
def is_harmed_by_no_refusal(at, client, graph):
    """A request that is refused, or a stage that is wrong, ends nothing else."""
    watch = client.watch(f"{graph}/x")
    watch.next()
    for _ in range(3):
        assert refusal(client.set, target=f"{graph}/small", value=-1).code == "type_mismatch"
        refusal_of(client.watch(f"{graph}/x", pipe=[{"nothing": 1}]))
    at.set(graph, "x", 1)
    watch.until_value(1)
    assert not client.streams["state"]
