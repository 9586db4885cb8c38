"""Connections that are refused, break, or receive what they should not."""

import asyncio

import pytest
from scripted import HELLO, Scripted, started, stay, until
from sluice_client import SluiceError, UnknownOutcome, connect


def test_a_wrong_address_is_refused_at_once():
    for address in ("127.0.0.1:8080", "ftp://a", "http://", "http://:80", ""):
        with pytest.raises(ValueError):
            connect(address)


def test_without_a_server_the_beginning_says_so():
    async def main():
        with pytest.raises(SluiceError) as error:
            async with connect("http://127.0.0.1:1", timeout=0.2):
                pass
        assert error.value.code == "unreachable" and "127.0.0.1:1" in error.value.message

    asyncio.run(main())


def test_an_unexpected_error_is_reported(monkeypatch):
    def fail(*_, **__):
        raise ImportError("this proxy needs python-socks")

    async def main():
        with pytest.raises(SluiceError) as error:
            async with connect("http://127.0.0.1:1", timeout=0.1):
                pass
        assert error.value.code == "unreachable" and "python-socks" in error.value.message

    monkeypatch.setattr("sluice_client.connection.open_socket", fail)
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


def test_a_server_that_becomes_stale_says_so():
    async def become_stale(session):
        await session.send({"op": "hb", "revs": {}, "stale": True})
        await session.receive()
        await session.send({"op": "hb", "revs": {}})
        await stay(session)

    async def main():
        async with Scripted(become_stale) as server, connect(server.url) as client:
            await until(lambda: client.state.stale)
            assert client.state.name == "live"
            client.watch("g/x")
            await until(lambda: not client.state.stale)

    asyncio.run(main())


def test_a_server_that_does_not_answer_a_ping_is_given_up():
    async def main():
        async with Scripted(stay) as server, connect(server.url) as client:
            assert await client.ping(0.01) is None
            await until(lambda: server.connections == 2 and client.state.name == "live")

    asyncio.run(main())


def test_a_silent_server_is_given_up():
    async def main():
        async with Scripted(stay, hello={**HELLO, "hb": 1}) as server, connect(server.url):
            await until(lambda: server.connections == 2)

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


def test_a_token_is_renewed_before_it_ends():
    tokens, shown = iter(["first", "second", "third"]), []

    async def renew(session):
        shown.append(session.hello["token"])
        for answer in ({"op": "err", "code": "issuer_down"}, {"op": "ok"}):
            message = await session.receive()
            shown.append(message["token"])
            await session.send({**answer, "id": message["id"]})
        await stay(session)

    async def main():
        # The first attempt comes after half of the time, the next after half of the rest.
        async with Scripted(renew, hello={**HELLO, "expires": 2.5}) as server:
            async with connect(server.url, token=lambda: next(tokens)) as client:
                await until(lambda: len(shown) == 3)
                assert server.connections == 1 and client.state.name == "live"

    asyncio.run(main())
    assert shown == ["first", "second", "third"]


def test_a_token_function_that_fails_is_asked_again():
    asked = []

    def token():
        asked.append(1)
        if len(asked) < 3:
            raise OSError("the issuer is away")
        return "t"

    async def main():
        async with Scripted(stay) as server:
            async with connect(server.url, token=token, timeout=60) as client:
                assert client.state.name == "live"
            with pytest.raises(SluiceError) as error:
                async with connect(server.url, token=lambda: 1 / 0, timeout=0.2):
                    pass
            assert error.value.code == "unreachable" and "ZeroDivisionError" in error.value.message

    asyncio.run(main())


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


def test_a_request_that_is_given_up_harms_nothing():
    async def answer_late(session):
        late = await session.receive()
        message = await session.receive()
        await session.send({"op": "ok", "id": late["id"]}, {"op": "ok", "id": message["id"], "rev": 2})
        await stay(session)

    async def main():
        async with Scripted(answer_late) as server, connect(server.url) as client:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.set("g/x", 1), 0.01)
            assert (await client.set("g/x", 2))["rev"] == 2

    asyncio.run(main())


def test_a_refusal_says_what_is_wrong_where_and_what_to_do():
    async def refuse(session):
        message = await session.receive()
        await session.send({
            "op": "err", "id": message["id"], "code": "unknown_node", "msg": "no such node", "node": "y",
            "hint": "did you mean 'x'?", "path": 1, "message": 2,
        })
        await stay(session)

    async def main():
        async with Scripted(refuse) as server, connect(server.url) as client:
            with pytest.raises(SluiceError) as error:
                await client.set_many("g", {"x": 1, "y": 2})
            assert str(error.value) == "unknown_node: no such node; did you mean 'x'? (g/y)"
            assert error.value.details["hint"] == "did you mean 'x'?"

    asyncio.run(main())


def test_presence_is_set_again():
    claims = []

    async def lose(session):
        message = await session.receive()
        claims.append((message["set"], message["presence"]))
        await session.send({"op": "ok", "id": message["id"]})
        await session.socket.close(4503)

    async def refuse(session):
        message = await session.receive()
        claims.append((message["set"], message["presence"]))
        await session.send({"op": "err", "id": message["id"], "code": "forbidden"})
        await stay(session)

    async def main():
        async with Scripted(lose, refuse) as server, connect(server.url) as client:
            await client.presence("g/seat", "Ada")
            await until(lambda: len(claims) == 2)

    asyncio.run(main())
    assert claims == [({"seat": "Ada"}, True)] * 2


def test_the_client_may_be_closed_and_opened_again():
    async def answer(session):
        await session.snap(v=1)
        await stay(session)

    async def main():
        async with Scripted(answer) as server:
            client = connect(server.url)
            for _ in range(2):
                async with client:
                    assert await anext(client.values("g/x")) == 1
                assert client.state.name == "closed"

    asyncio.run(main())


def test_a_client_that_is_cancelled_while_it_connects_leaves_nothing():
    async def main():
        async with Scripted(stay, hello=None) as server:
            async def use():
                async with connect(server.url):
                    pass

            task = asyncio.create_task(use())
            await until(lambda: server.connections == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            names = lambda: [each.get_name() for each in asyncio.all_tasks()]  # noqa: E731
            await until(lambda: "sluice-client" not in names())

    asyncio.run(main())
