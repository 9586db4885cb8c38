"""Demand over servers that share a Redis: producers at one learn what clients of all want
(docs/protocol.md, Demand)."""

import contextlib
import time

import pytest
from websockets.exceptions import ConnectionClosed

from conftest import Client
from redis_server import Instance, Redis
from sluice import PATIENCE, eventually

pytestmark = pytest.mark.long

FLEET = """graph: fleet
nodes:
  sensor.{id}.celsius: { set: number }
  sensor.{id}.hot: { from: "sensor.{id}.celsius", pipe: [ { map: "value > 30" } ] }
  target: { set: number, initial: 20, fresh: 400ms }
  shown: { from: target, pipe: [ { map: "value * 2" } ] }
"""
LIMITS = "# fixed: times.load=1s\n"


@pytest.fixture(scope="module")
def redis():
    with Redis() as redis:
        yield redis


@pytest.fixture
def pair(redis):
    with Instance(redis, {"fleet": FLEET}, LIMITS) as one, Instance(redis, {"fleet": FLEET}, LIMITS) as other:
        yield one, other


class Device(Client):
    """A producer: what it knows to be wanted."""

    def __init__(self, server, *nodes):
        super().__init__(server)
        self.wanted, self.loads = set(), []
        self.ids = 1
        self.send(op="demand", id=1, graph="fleet", nodes=list(nodes) or ["*"])
        self.hear()

    def hear(self):
        """The next message about demand; what else comes is about the server's state."""
        while (message := self.receive(PATIENCE))["op"] != "wanted":
            assert message["op"] in ("hb", "ok"), message
        for name, state in message["m"].items():
            (self.wanted.add if state["wanted"] else self.wanted.discard)(name)
            if state.get("load"):
                self.loads.append(name)

    def still(self, seconds):
        """Nothing about demand comes for so long."""
        deadline = time.monotonic() + seconds
        while (rest := deadline - time.monotonic()) > 0:
            with contextlib.suppress(TimeoutError):
                assert (message := self.receive(rest))["op"] == "hb", message

    def hear_until(self, claim, what):
        deadline = time.monotonic() + PATIENCE
        while not claim():
            assert time.monotonic() < deadline, f"{what}; there is {self.wanted}, asked for {self.loads}"
            self.hear()

    def until(self, wanted):
        self.hear_until(lambda: self.wanted == set(wanted), f"wanted: {wanted}")

    def asked(self, name):
        self.hear_until(lambda: name in self.loads, f"asked for: {name}")
        self.loads.remove(name)


def listen(server, node, **options):
    client = Client(server)
    assert client.ask(op="sub", graph="fleet", node=node, **options)["op"] == "snap"
    return client


def test_a_device_at_another_server_wakes_and_sleeps(pair):
    """D-4: wanted with the first listener of all servers, no longer with the last one."""
    one, other = pair
    with Device(other, "target", "sensor.*") as device:
        assert device.wanted == set()
        first = listen(one, "shown")
        begun = time.monotonic()
        device.until({"target"})
        assert time.monotonic() - begun < 2, "not only with the next sign of life"
        second, third = listen(other, "target"), listen(one, "sensor.7.hot")
        device.until({"target", "sensor.7.celsius"})
        first.close()
        third.close()
        device.until({"target"})
        device.still(0.5)
        second.close()
        device.until(set())
        # At the server of the listener it is no different.
        with Device(one) as near, listen(one, "target"):
            near.until({"target"})
            device.until({"target"})


def test_a_device_that_comes_later(pair):
    """D-4: it learns all that is wanted, of the servers together."""
    one, other = pair
    with listen(one, "sensor.1.celsius"), listen(other, "sensor.2.celsius"):
        with Device(other) as device:
            device.until({"sensor.1.celsius", "sensor.2.celsius"})
            with Device(other) as next_one:
                assert next_one.wanted == device.wanted, "in the first message"
            with Device(one) as third:
                third.until(device.wanted)


def test_load_is_asked_for_and_answered_over_servers(pair):
    """D-4, D-2: a value, or an error, comes back to the client at the other server."""
    one, other = pair
    with Device(other) as device, listen(one, "sensor.9.hot", load=True, facets=True) as client:
        for _ in range(2):
            device.asked("sensor.9.celsius")
        device.send(
            op="load", id=2, graph="fleet", node="sensor.9.celsius", error={"code": "offline", "msg": "no"}
        )
        assert client.receive(PATIENCE)["d"][0]["state"]["error"]["code"] == "offline"
        device.send(op="set", id=3, graph="fleet", set={"sensor.9.celsius": 35})
        while (state := client.receive(PATIENCE)["d"][0]).get("v") is None:
            pass
        assert state["v"] is True
        # By http, which waits for nothing.
        assert one.get("/v1/graphs/fleet/nodes/sensor.8.celsius?load=1").status == 204
        device.asked("sensor.8.celsius")
        # What becomes stale is asked for again.
        client.send(op="sub", id=5, graph="fleet", node="target", load=True)
        device.asked("target")
        # A client that waits when its first producer comes.
    with listen(one, "sensor.5.hot", load=True), Device(other) as device:
        device.asked("sensor.5.celsius")


@pytest.mark.first
def test_a_server_that_is_killed_wants_nothing_after_its_lease(redis, pair):
    """D-4: what was wanted there ends within some ten seconds; the server begins anew with its own demand."""
    one, other = pair
    with Device(other) as device:
        lost, stays = listen(one, "sensor.3.celsius"), listen(other, "target")
        device.until({"sensor.3.celsius", "target"})
        one.kill()
        killed = time.monotonic()
        device.still(3)
        device.until({"target"})
        assert time.monotonic() - killed > 5
        lost.context.__exit__(None, None, None)
        one.start()
        with listen(one, "sensor.4.celsius"):
            device.until({"target", "sensor.4.celsius"})
            # One that ends in order wants nothing at its end.
            one.process.terminate()
            one.process.wait(PATIENCE)
            device.until({"target"})
        stays.close()
        device.until(set())


def test_a_redis_that_is_killed_and_starts_again():
    """D-4: a server's own demand holds meanwhile; that of others stays, and is right again afterwards."""
    with Redis() as redis, Instance(redis, {"fleet": FLEET}) as one, \
            Instance(redis, {"fleet": FLEET}) as other, Device(other, "target", "sensor.*") as device:
        far, near = listen(one, "sensor.1.celsius"), listen(other, "target")
        device.until({"sensor.1.celsius", "target"})
        redis.kill()
        eventually(lambda: other.metrics()["sluice_log_ready"] == 0)
        near.close()
        device.until({"sensor.1.celsius"})
        with listen(one, "sensor.2.celsius"):
            far.close()
            device.still(1)
            redis.start()
            device.until({"sensor.2.celsius"})
        device.until(set())


def test_a_redis_that_has_lost_everything():
    """D-4: the graph gets a new epoch; clients come back, and count at all servers again."""
    with Redis(keeps=False) as redis, Instance(redis, {"fleet": FLEET}) as one, \
            Instance(redis, {"fleet": FLEET}) as other:
        with Device(other) as device, listen(one, "sensor.1.celsius"):
            device.until({"sensor.1.celsius"})
            redis.kill()
            redis.start()
            with pytest.raises(ConnectionClosed) as closed:
                device.until({"closed"})
            assert closed.value.rcvd.code == 4510
        with Device(other) as device:
            with listen(one, "sensor.2.celsius"):
                device.until({"sensor.2.celsius"})
            device.until(set())


def test_nothing_is_said_where_no_producer_asks(redis, pair):
    """D-4: the demand of a graph that no producer follows is neither computed nor told."""
    one, other = pair
    with listen(one, "target"), listen(other, "sensor.1.celsius"):
        time.sleep(2.5)
        assert "wanted" not in redis.ask("KEYS", "*")
        with Device(one):
            eventually(lambda: redis.ask("KEYS", "*").count(":wanted:") == 1)
        # When the last producer has gone, the next signs of life end it.
        eventually(lambda: "wanted" not in redis.ask("KEYS", "*"))
