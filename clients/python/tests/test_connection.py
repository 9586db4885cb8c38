"""What happens when a connection is refused, breaks, or says what it should not."""

import asyncio
import gc

import pytest
from scripted import Scripted, started, stay, until
from sluice_client import Client, SluiceError, UnknownOutcome, connect


def test_an_address_that_is_none_is_refused_at_once():
    for address in ("127.0.0.1:8080", "ftp://a", "http://", ""):
        with pytest.raises(ValueError):
            connect(address)


def test_without_a_server_the_beginning_says_so():
    async def main():
        with pytest.raises(SluiceError) as error:
            async with connect("http://127.0.0.1:1", timeout=0.2):
                pass
        assert error.value.code == "unreachable" and "127.0.0.1:1" in error.value.message

    asyncio.run(main())


def test_a_server_that_refuses_the_client_is_not_tried_again():
    async def refuse(session):
        await session.socket.close(4401, "unauthenticated")

    async def main():
        async with Scripted(refuse, hello=None) as server:
            with pytest.raises(SluiceError) as error:
                async with connect(server.url):
                    pass
            assert error.value.code == "refused" and server.connections == 1

    asyncio.run(main())


def test_an_error_before_the_greeting_is_a_refusal():
    async def refuse(session):
        await session.send({"op": "err", "id": 1, "code": "unauthenticated", "msg": "no token"})
        await stay(session)

    async def main():
        async with Scripted(refuse, hello=None) as server:
            with pytest.raises(SluiceError) as error:
                async with connect(server.url):
                    pass
            assert "no token" in error.value.message

    asyncio.run(main())


@pytest.mark.parametrize("text", ["{", "[1]", '"a"', '{"op":"upd","d":[{}]}', '{"op":"snap","id":2}', "null"])
def test_a_malformed_message_ends_the_connection_and_not_the_client(text):
    async def spoil(session):
        await session.receive()
        await session.send(text)
        await stay(session)

    async def answer(session):
        await session.snap(v=7)
        await stay(session)

    async def main():
        async with Scripted(spoil, answer) as server, connect(server.url) as client:
            async for value in client.node("g/x"):
                assert value == 7
                break

    asyncio.run(main())


def test_a_token_is_asked_for_before_each_connection():
    tokens = iter(["first", "second"])
    shown = []

    async def expire(session):
        shown.append(session.hello["token"])
        await session.socket.close(4401, "token expired")

    async def accept(session):
        shown.append(session.hello["token"])
        await stay(session)

    async def token():
        return next(tokens)

    async def main():
        async with Scripted(expire, accept) as server, started(server.url, token=token):
            await until(lambda: len(shown) == 2)

    asyncio.run(main())
    assert shown == ["first", "second"]


def test_a_function_of_the_program_that_fails_harms_nothing():
    def fail(_):
        raise RuntimeError("a fault of the program")

    async def answer(session):
        await session.snap(v=1)
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url, on_state=fail, on_gap=fail) as client:
            assert await anext(client.node("g/x").values()) == 1

    asyncio.run(main())


def test_a_request_whose_answer_was_lost_is_repeated_under_its_key():
    seen = []

    async def lose(session):
        seen.append(await session.receive())
        await session.socket.close(4500)

    async def answer(session):
        message = await session.receive()
        seen.append(message)
        await session.send({"op": "ok", "id": message["id"], "epoch": "e", "rev": 2})
        await stay(session)

    async def main():
        async with Scripted(lose, answer) as server, connect(server.url) as client:
            with pytest.raises(UnknownOutcome) as error:
                await client.set("g/x", 1)
            assert error.value.path == "g/x" and error.value.key == seen[0]["key"]
            await until(lambda: client.state.name == "live")
            assert (await error.value.repeat())["rev"] == 2
        assert seen[0]["key"] == seen[1]["key"]

    asyncio.run(main())


def test_a_message_that_is_too_long_is_not_sent():
    async def main():
        async with Scripted(stay) as server, connect(server.url) as client:
            with pytest.raises(SluiceError) as error:
                await client.set("g/x", "a" * 70_000)
            assert error.value.code == "too_large" and error.value.path == "g/x"
            watch = client.watch("g/x", pipe=["a" * 70_000])
            assert (await anext(watch)).ended.code == "too_large"

    asyncio.run(main())


def test_a_value_of_another_type_is_a_failure_and_ends_nothing():
    async def answer(session):
        await session.snap(v="warm")
        await session.send({"op": "upd", "graph": "g", "rev": 2, "t": 2, "d": [{"id": 2, "v": 3}]})
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
    async def answer(session):
        await session.snap(v=1)
        await session.receive()
        await session.send({"op": "upd", "graph": "g", "rev": 2, "t": 2, "d": [{"id": 2, "v": 2}]})
        await stay(session)

    async def main():
        async with Scripted(answer) as server, connect(server.url) as client:
            values = client.values("g/x")
            assert await anext(values) == 1
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(values), 0.01)
            await asyncio.wait_for(client.ping(0.01), 10)
            assert await anext(values) == 2

    asyncio.run(main())


def test_closing_ends_what_waits():
    async def main():
        async with Scripted(stay) as server, started(server.url) as client:
            await until(lambda: client.state.name == "live")
            request = asyncio.create_task(client.get("g/x"))
            values = client.values("g/x")
            taking = asyncio.create_task(anext(values, "no more"))
            await asyncio.sleep(0)
            await client.close()
            assert await taking == "no more"
            with pytest.raises(UnknownOutcome):
                await request
            with pytest.raises(SluiceError):
                await client.set("g/x", 1)

    asyncio.run(main())


def test_a_name_of_a_node_is_needed():
    async def main():
        client = Client("http://127.0.0.1:1")
        for target in ("g", "g/", "/x", ""):
            with pytest.raises(ValueError):
                client.watch(target)

    asyncio.run(main())
