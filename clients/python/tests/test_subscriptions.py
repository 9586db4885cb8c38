"""Subscriptions: how they are shared, end, go on, and are taken by slow programs."""

import asyncio
import gc

import pytest
from scripted import Scripted, stay, until
from sluice_client import Delivery, SluiceError, connect


def update(*values, number=2, **fields):
    """A message with values of the first subscription."""
    entries = [{"id": number, "v": value, **fields} for value in values]
    return {"op": "upd", "graph": "g", "rev": 2, "t": 2, "d": entries}


def test_a_value_of_another_type_is_a_failure_and_ends_nothing():
    async def answer(session):
        await session.snap(v="warm")
        await session.send(update(3))
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            watch = client.watch("g/x", int, mode="all")
            assert (await anext(watch)).fail["code"] == "type_mismatch"
            assert (await anext(watch)).value == 3

    asyncio.run(main())


def test_of_every_value_a_bounded_number_waits_for_the_program():
    async def flood(session):
        await session.snap(v=0)
        entries = [{"id": 2, "v": number} for number in range(20_000)]
        for at in range(0, len(entries), 1000):
            await session.send({"op": "upd", "graph": "g", "rev": 2, "t": 2, "d": entries[at:at + 1000]})
        # The client leaves what its program does not take.
        assert (await session.receive())["op"] == "unsub"
        await stay(session)

    async def main():
        async with Scripted(flood) as server, connect(server.url) as client:
            values = client.values("g/x", mode="all")
            await until(lambda: values._listener.is_closed)
            taken = []
            with pytest.raises(SluiceError) as error:
                async for value in values:
                    taken.append(value)
            assert error.value.code == "slow" and len(taken) == 10_000

    asyncio.run(main())


def test_what_is_no_longer_held_is_unsubscribed():
    ended = []

    async def answer(session):
        await session.snap(v=1)
        ended.append((await session.receive())["op"])
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            values = client.values("g/x")
            assert await anext(values) == 1
            del values
            gc.collect()
            await until(lambda: ended == ["unsub"])
            assert not client.connection.subscriptions.all

    asyncio.run(main())


def test_waiting_for_a_value_with_a_time_limit_ends_nothing():
    async def main():
        given_up = asyncio.Event()

        async def answer(session):
            await session.snap(v=1)
            await given_up.wait()
            await session.send(update(2))
            await stay(session)

        async with Scripted(answer) as server, connect(server.url) as client:
            values = client.values("g/x")
            assert await anext(values) == 1
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(values), 0.01)
            given_up.set()
            assert await anext(values) == 2

    asyncio.run(main())


def test_a_name_of_a_node_is_needed():
    async def main():
        async with Scripted(stay) as server, connect(server.url) as client:
            for target in ("g", "g/", "/x", ""):
                with pytest.raises(ValueError):
                    client.watch(target)
                with pytest.raises(ValueError):
                    client.node(target)
                with pytest.raises(ValueError):
                    await client.set(target, 1)
            for target in ("g/a,b", "g/*"):
                with pytest.raises(ValueError, match="get_many"):
                    await client.get(target)
            with pytest.raises(TypeError):
                client.watch("g/x", 5)
            # The server ignores fields that it does not know.
            with pytest.raises(TypeError, match="mod"):
                client.watch("g/x", mod="all")
            with pytest.raises(TypeError, match="if"):
                await client.set("g/x", 1, **{"if": {}})

    asyncio.run(main())


def test_a_client_that_is_not_open_says_so():
    async def main():
        client = connect("http://127.0.0.1:1")
        with pytest.raises(SluiceError) as error:
            async for _ in client.node("g/x"):
                pass
        assert error.value.code == "not-connected" and "async with" in error.value.message

    asyncio.run(main())


def test_a_value_is_not_lost_because_the_subscription_ends_after_it():
    async def complete(session):
        message = await session.snap(v=1)
        await session.send([update(2), {"op": "end", "id": message["id"], "code": "complete"}])
        await stay(session)

    async def main():
        async with Scripted(complete) as server, connect(server.url) as client:
            values = client.values("g/x")
            await until(lambda: values._listener.is_closed)
            assert [value async for value in values] == [2]

    asyncio.run(main())


def test_a_history_is_delivered_also_to_a_slow_program():
    async def answer(session):
        message = await session.snap(v=3, rev=3, d=[{"rev": rev, "v": rev} for rev in (1, 2, 3)])
        await session.send(update(4), update(5))
        assert (await session.receive())["op"] == "ping"
        await session.send({"op": "ok", "id": message["id"] + 1})
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            watch = client.watch("g/x", history=3)
            assert await client.ping(60) is not None
            taken = [await anext(watch) for _ in range(4)]
            assert [each.value for each in taken] == [1, 2, 3, 5]
            assert [each.history for each in taken] == [True, True, True, False]
            assert taken[3].folded == 2

    asyncio.run(main())


def test_losses_add_up_in_the_delivery_that_replaces_others():
    first, second = Delivery(lost=True, lost_revs=2), Delivery(lost=True, lost_revs=3)
    assert second.replacing(first).lost_revs == 5
    assert Delivery().replacing(first).lost_revs == 2 and Delivery().replacing(first).lost
    # How many are missing is unknown if that is unknown for one of them.
    assert second.replacing(Delivery(lost=True)).lost_revs is None
    assert not Delivery().replacing(Delivery()).lost


def test_a_further_iterator_begins_with_the_present_value_and_no_loss():
    async def lose(session):
        await session.snap(v=1)
        await session.socket.close(4503)

    async def answer(session):
        await session.snap(v=9, rev=7, resumed=False)
        await stay(session)

    async def main():
        async with Scripted(lose, answer) as server, connect(server.url) as client:
            one = client.watch("g/x", mode="all")
            assert (await anext(one)).value == 1
            lost = await anext(one)
            assert (lost.value, lost.lost, lost.lost_revs) == (9, True, 6)
            other = await anext(client.watch("g/x", mode="all"))
            assert (other.value, other.lost, other.gap) == (9, False, None)

    asyncio.run(main())


def test_each_demand_learns_what_is_wanted():
    async def answer(session):
        while True:
            message = await session.receive()
            await session.send({"op": "wanted", "id": message["id"], "m": {"x": {"wanted": True}}})

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            for demand in [client.demand("g", "x") for _ in range(2)]:
                assert "x" in (await anext(demand)).value

    asyncio.run(main())


def test_two_tasks_may_share_an_iterator():
    async def main():
        both_wait = asyncio.Event()

        async def answer(session):
            await both_wait.wait()
            await session.snap(v=1)
            await session.send(update(2))
            await stay(session)

        async with Scripted(answer) as server, connect(server.url) as client:
            values = client.values("g/x", mode="all")
            tasks = [asyncio.create_task(values.__anext__()) for _ in range(2)]
            await asyncio.sleep(0)
            both_wait.set()
            assert sorted(await asyncio.gather(*tasks)) == [1, 2]

    asyncio.run(main())


def test_a_refused_client_ends_loops_over_values_and_resumes_the_others():
    async def expire(session):
        for _ in range(2):
            await session.snap(v=1)
        await session.socket.close(4401, "token_expired")

    async def resume(session):
        message = await session.receive()
        assert message["since"] == {"epoch": "e", "rev": 1}
        await session.send(
            {"op": "snap", "id": message["id"], "epoch": "e", "rev": 2, "v": 2, "resumed": True}
        )
        await stay(session)

    async def main():
        async with Scripted(expire, resume) as server, connect(server.url, token="t") as client:
            values, watch = client.values("g/x"), client.watch("g/x", every=1)
            assert await anext(values) == (await anext(watch)).value == 1
            with pytest.raises(SluiceError) as error:
                await anext(values)
            assert error.value.code == "refused" and "token_expired" in error.value.message
            assert client.state.name == "closed"
            client.start()
            assert (await anext(watch)).value == 2

    asyncio.run(main())


def test_what_a_type_raises_is_a_failure():
    async def answer(session):
        await session.snap(v={"b": 1})
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            delivery = await anext(client.watch("g/x", lambda value: value["a"]))
            assert delivery.fail == {"code": "type_mismatch", "msg": "'a'"} and not delivery.has_value

    asyncio.run(main())
