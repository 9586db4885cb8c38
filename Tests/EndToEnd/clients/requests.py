"""Scenarios of requests: what is set and read once."""

from clients.table import refusal, scenario
from sluice import eventually


@scenario
def sets_and_reads(at, client, graph):
    target = f"{graph}/x"
    answer = client.set(target=target, value={"a": [1, None, "ü"]})
    assert answer["rev"] > 0 and answer["epoch"]
    value = {"a": [1, None, "ü"]}
    assert client.get(target=target) == value and at.holds(graph, "x", value)
    assert client.get(target=f"{graph}/y") is None
    both = client.get(graph=graph, nodes=["x", "small", "y"])
    assert both["m"]["small"] == {"v": 3} and both["m"]["y"] == {"empty": True}
    assert both["rev"] == answer["rev"]


@scenario
def keeps_every_digit(at, client, graph):
    """An integer of 64 bits is more than a floating-point number holds."""
    for value in (9007199254740993, -9223372036854775808, 9223372036854775807, 0.1, 1e300):
        client.set(target=f"{graph}/x", value=value)
        assert client.get(target=f"{graph}/x") == value and at.holds(graph, "x", value)
        assert client.watch(f"{graph}/x").next()["value"] == value


@scenario
def reports_what_is_refused(at, client, graph):
    error = refusal(client.set, target=f"{graph}/small", value=11)
    assert error.code == "type_mismatch" and error.path == f"{graph}/small" and "10" in error.message
    error = refusal(client.set, graph=graph, values={"x": 1, "small": "many"})
    assert error.code == "type_mismatch" and error.path == f"{graph}/small"
    assert refusal(client.set, target=f"{graph}/double", value=1).code == "not_mutable"
    assert refusal(client.get, target=f"{graph}/nothing").code == "unknown_node"
    assert refusal(client.get, target="no-graph/x").code == "unknown_graph"
    assert client.get(target=f"{graph}/small") == 3 and at.holds(graph, "x", 0)


@scenario
def sets_on_conditions(at, client, graph):
    answer = client.set(target=f"{graph}/x", value=1, **{"if": {"x": {"v": 0}}})
    assert refusal(client.set, target=f"{graph}/x", value=2, **{"if": {"x": {"v": 0}}}).code == "conflict"
    client.set(target=f"{graph}/y", value="first", **{"if": {"y": {"empty": True}}})
    taken = refusal(client.set, target=f"{graph}/y", value="second", **{"if": {"y": {"empty": True}}})
    assert taken.code == "conflict"
    since = {"epoch": answer["epoch"], "x": {"rev": answer["rev"]}}
    client.set(target=f"{graph}/x", value=3, **{"if": since})
    assert refusal(client.set, target=f"{graph}/x", value=4, **{"if": since}).code == "conflict"
    assert at.holds(graph, "x", 3) and at.holds(graph, "y", "first")


@scenario
def sets_several_at_once(at, client, graph):
    watch = client.watch(f"{graph}/x,y,count")
    assert watch.next()["value"] == {"x": 0, "count": 0}
    client.set(graph=graph, values={"x": 1, "y": 2})
    assert watch.next()["value"] == {"x": 1, "y": 2, "count": 0}
    answer = client.set(graph=graph, values={"x": 5}, clear=["y"])
    event = watch.next()
    assert event["value"] == {"x": 5, "count": 0} and event["meta"]["rev"] == answer["rev"]
    assert sorted(event["meta"]["changed"]) == ["x", "y"]


@scenario
def updates_by_expressions(at, client, graph):
    answer = client.update(target=f"{graph}/count", expression="value + 5")
    assert answer["values"] == {"count": 5}
    answer = client.update(
        graph=graph, expressions={"count": "value - 2", "x": "c * 10"},
        **{"with": {"c": "count"}, "if": "c >= 2"},
    )
    assert answer["values"] == {"count": 3, "x": 50}
    error = refusal(
        client.update, graph=graph, expressions={"count": "value - 2"},
        **{"with": {"c": "count"}, "if": "c >= 100"},
    )
    assert error.code == "conflict"
    assert at.holds(graph, "count", 3)


@scenario
def wipes_by_a_glob(at, client, graph):
    client.set(graph=graph, values={"seat.1": "Ada", "seat.2": "Bob", "x": 1})
    client.wipe(graph=graph, match="seat.*")
    assert at.holds(graph, "x", 1) and at.holds(graph, "seat.1", None) and at.holds(graph, "seat.2", None)


@scenario
def reads_after_a_commit(at, client, graph):
    answer = at.set(graph, "x", 41)
    after = {"epoch": answer["epoch"], "rev": answer["rev"]}
    assert client.get(target=f"{graph}/double", after=after) == 82
    answer = client.set(target=f"{graph}/x", value=42)
    assert client.get(target=f"{graph}/double", after=answer) == 84


@scenario
def lists_graphs_and_hears_of_alarms(at, client, graph):
    def alarms(graphs):
        found = next(each for each in graphs if each["graph"] == graph)
        return [alarm["node"] for alarm in found.get("alarms", [])]

    assert alarms(client.list(changes=True)) == []
    at.set(graph, "small", 1)
    client.until("changes", lambda graphs: graph in graphs)
    assert alarms(client.list(changes=True)) == ["low"]


@scenario
def measures_the_round_trip(at, client, graph):
    assert 0 < client.ping() < 100_000


@scenario
def changes_its_token(at, client, graph):
    """A connection goes on under the next token, and ends with none of the former one."""
    at.add_token("passing", expires=3600)
    client.close_client()
    client.connect(at.url, token=at.tokens["passing"])
    watch = client.watch(f"{graph}/x")
    watch.until_value(0)
    client.auth(token=at.tokens["program"])
    at.end_token_soon("passing")
    refused = lambda: at.server.request(  # noqa: E731
        "GET", f"/v1/graphs/{graph}", None, {"Authorization": f"Bearer {at.tokens['passing']}"}
    ).status
    eventually(lambda: refused() == 401)
    at.set(graph, "x", 1)
    watch.until_value(1)
    assert not client.streams["state"]


@scenario
def comes_back_with_the_next_token(at, client, graph):
    """A program whose token has ended gives the next one, and misses nothing."""
    at.add_token("short", expires=3600)
    client.close_client()
    client.connect(at.url, token=at.tokens["short"])
    watch = client.watch(f"{graph}/log", mode="all")
    watch.next()
    at.set(graph, "log", 1)
    watch.until_value(1)
    at.end_token_soon("short")
    client.until_state("closed")
    for number in (2, 3):
        at.set(graph, "log", number)
    # Without a connection the token is kept for the next one.
    error = refusal(client.auth, token=at.tokens["program"])
    assert error.code == "not-connected"
    client.retry()
    client.until_state("live")
    assert watch.values(2) == [2, 3]


@scenario
def is_refused_without_a_connection(at, client, graph):
    at.break_off()
    client.until_state("reconnecting")
    assert refusal(client.set, target=f"{graph}/x", value=1).code == "not-connected"
    assert refusal(client.get, target=f"{graph}/x").code == "not-connected"
    assert client.ping() is None
    at.join()
    client.until_state("live")
    client.set(target=f"{graph}/x", value=2)
    assert at.holds(graph, "x", 2)


@scenario
def repeats_what_may_have_been_lost(at, client, graph):
    """A set whose answer is lost is reported as such, and its repetition is applied once."""
    at.network.mute()
    number = client.begin("update", target=f"{graph}/count", expression="value + 1")
    at.holds(graph, "count", 1)
    at.break_off()
    error = refusal(lambda: client.answer(number))
    assert error.code == "unknown-outcome" and error.key and error.path == f"{graph}/count"
    at.join()
    client.until_state("live")
    answer = client.repeat(of=error.request)
    assert answer["rev"] > 0 and at.holds(graph, "count", 1)
    # The next one is another set.
    client.update(target=f"{graph}/count", expression="value + 1")
    assert at.holds(graph, "count", 2)


@scenario
def sends_the_context(at, client, graph):
    watch = client.watch(f"{graph}/x")
    watch.next()
    client.set(target=f"{graph}/x", value=1, ctx={"src": "meter-7"})
    assert watch.next()["meta"]["ctx"] == {"src": "meter-7"}
