"""Scenarios of connections that are lost, of servers that are silent, and of clients that are slow."""

import threading

from clients.listening import sets
from clients.table import scenario
from sluice import eventually


@scenario
def goes_on_where_it_was(at, client, graph):
    """In mode `latest` the newest value comes, if there is one."""
    changed, same = client.watch(f"{graph}/x"), client.watch(f"{graph}/small")
    changed.next(), same.next()
    at.break_off()
    client.until_state("reconnecting")
    sets(at, graph, "x", range(1, 6))
    at.join()
    event = changed.next()
    assert event["value"] == 5 and event["meta"]["gap"] > 0 and not event["meta"].get("lost")
    gaps = [client.until("gap", lambda _: True)[0] for _ in range(2)]
    assert not any(gap.get("lost") for gap in gaps)
    at.set(graph, "small", 7)
    # The value that it had did not come again.
    assert same.next()["value"] == 7


@scenario
def misses_nothing(at, client, graph):
    watch = client.watch(f"{graph}/log", mode="all")
    watch.next()
    sets(at, graph, "log", range(10))
    at.break_off()
    client.until_state("reconnecting")
    sets(at, graph, "log", range(10, 20))
    at.join()
    assert watch.values(20) == list(range(20))
    at.set(graph, "log", 20)
    assert watch.next()["value"] == 20


@scenario
def says_what_is_lost(at, client, graph):
    """A node that keeps three values cannot give back ten."""
    watch = client.watch(f"{graph}/short", mode="all")
    watch.next()
    at.set(graph, "short", 0)
    watch.until_value(0)
    at.break_off()
    client.until_state("reconnecting")
    sets(at, graph, "short", range(1, 11))
    at.join()
    event = watch.next()
    assert event["value"] == 10 and event["meta"]["lost"] and event["meta"]["lostRevs"] == 10
    assert client.until("gap", lambda gap: gap.get("lost"))[-1]["lostRevs"] == 10
    at.set(graph, "short", 11)
    event = watch.next()
    assert event["value"] == 11 and not event["meta"].get("lost")


@scenario
def keeps_a_pipeline_running(at, client, graph):
    """A sum goes on across a reconnect to the same server; another server has to begin anew."""
    watch = client.watch(f"{graph}/x", pipe=[{"scan": {"start": 0, "with": "acc + value"}}])
    watch.next()
    sets(at, graph, "x", (10, 5))
    watch.until_value(15)
    at.break_off()
    client.until_state("reconnecting")
    at.set(graph, "x", 100)
    at.join()
    event = watch.next()
    if at.changes_server:
        assert event["meta"]["lost"]
    else:
        assert event["value"] == 115 and not event["meta"].get("lost")


@scenario
def names_its_owners_again(at, client, graph):
    panel, own = client.watch(f"{graph}/double", owner="panel"), client.watch(f"{graph}/x")
    panel.next(), own.next()
    at.break_off()
    client.until_state("reconnecting")
    at.join()
    client.until_state("live")
    at.set(graph, "x", 1)
    panel.until_value(2), own.until_value(1)
    client.release(owner="panel")
    assert panel.until_ended() == "closed"
    eventually(lambda: at.live(graph)["listeners"] == 1)


@scenario
def releases_while_it_is_away(at, client, graph):
    panel, own = client.watch(f"{graph}/double", owner="panel"), client.watch(f"{graph}/x")
    panel.next(), own.next()
    at.break_off()
    client.until_state("reconnecting")
    client.release(owner="panel")
    assert panel.until_ended() == "closed"
    at.join()
    client.until_state("live")
    eventually(lambda: at.live(graph)["listeners"] == 1)


@scenario
def makes_links_again(at, client, graph):
    client.open("link", graph=graph, **{"from": "x"}, to="y")
    at.holds(graph, "y", 0)
    at.break_off()
    client.until_state("reconnecting")
    at.join()
    client.until_state("live")
    at.set(graph, "x", 8)
    at.holds(graph, "y", 8)


@scenario
def learns_again_what_is_wanted(at, client, graph):
    producer = client.open("demand", graph=graph, nodes=["sensor.*"])
    producer.next()
    watch = client.watch(f"{graph}/sensor.1.celsius")
    watch.next()
    producer.until(lambda wanted, _: "sensor.1.celsius" in wanted)
    at.break_off()
    client.until_state("reconnecting")
    watch.close()
    at.join()
    producer.until(lambda wanted, meta: meta["m"].get("sensor.1.celsius", {}).get("wanted") is False)


@scenario
def survives_a_storm(at, client, graph):
    """Connections that break again and again while values come: each arrives once, in order."""
    watch = client.watch(f"{graph}/log", mode="all", queue=4096)
    watch.next()
    total, stopped = 300, threading.Event()

    def write():
        for number in range(total):
            at.set(graph, "log", number)
        stopped.set()

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(6):
        client.until_state("live") if client.streams["state"] else None
        at.network.break_off()
        client.until_state("reconnecting")
        at.network.join()
        client.until_state("live")
    writer.join()
    assert stopped.is_set() and watch.values(total) == list(range(total))


@scenario
def notices_a_silent_server(at, client, graph):
    """Nothing ends, nothing comes: the client finds out by the server's heartbeat."""
    watch = client.watch(f"{graph}/x")
    watch.next()
    at.network.cut()
    client.until_state("reconnecting")
    at.set(graph, "x", 1)
    at.join()
    watch.until_value(1)


# More bytes in so many values than the kernel keeps for a socket.
LARGE = 40


def fill(at, graph):
    for number in range(1, LARGE + 1):
        at.set(graph, "x", [number, "." * 800_000])


@scenario
def is_slow_and_gets_the_newest(at, client, graph):
    """A client that does not read costs the server nothing, and then gets the present value."""
    watch = client.watch(f"{graph}/x")
    watch.next()
    with client.stopped():
        fill(at, graph)
    events = watch.until(lambda value, _: value[0] == LARGE)
    assert len(events) < LARGE
    assert sum(event["meta"]["folded"] for event in events) == LARGE


@scenario
def is_too_slow_for_every_value(at, client, graph):
    """Mode `all` is bounded: it ends with `slow`, and goes on with what was lost told."""
    watch = client.watch(f"{graph}/x", mode="all", queue=8)
    watch.next()
    with client.stopped():
        fill(at, graph)
    assert watch.until(lambda _, meta: meta.get("ended"))[-1]["meta"]["ended"]["code"] == "slow"
    watch.until(lambda _, meta: meta.get("lost"))
    at.set(graph, "x", "next")
    watch.until_value("next")
