"""The facade for programs without asyncio."""

import asyncio
import contextlib
import threading

import pytest
from scripted import Scripted, stay
from sluice_client import SluiceError, sync


@contextlib.contextmanager
def serving(*scripts):
    """A scripted server in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(Scripted(*scripts).__aenter__(), loop).result()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def answer(session):
    message = await session.snap(v=1)
    await session.send({"op": "upd", "graph": "g", "rev": 2, "t": 2, "d": [{"id": message["id"], "v": 2}]})
    while True:
        message = await session.receive()
        if message["op"] == "get":
            await session.send({"op": "ok", "id": message["id"], "epoch": "e", "rev": 2, "t": 2,
                                "m": {"x": {"v": 2}}})
        elif message["op"] == "set":
            await session.send({"op": "err", "id": message["id"], "code": "forbidden", "msg": "no"})


def test_reads_sets_and_iterates():
    with serving(answer) as server, sync.connect(server.url) as client:
        values = client.node("g/x", int).values(mode="all")
        assert [next(values), next(values)] == [1, 2]
        values.close()
        assert list(values) == []
        assert client.node("g/x", int).get() == 2
        with pytest.raises(SluiceError) as error:
            client.set("g/x", 3)
        assert error.value.code == "forbidden" and error.value.path == "g/x"


def test_its_thread_ends_with_it():
    before = threading.active_count()
    for _ in range(3):
        with serving(stay) as server, sync.connect(server.url):
            assert threading.active_count() == before + 2
    assert threading.active_count() == before


def test_its_thread_ends_when_there_is_no_connection():
    before = threading.active_count()
    with pytest.raises(SluiceError):
        with sync.connect("http://127.0.0.1:1", timeout=0.1):
            pass
    assert threading.active_count() == before


def test_an_iterator_that_is_dropped_ends_its_subscription():
    ended = threading.Event()

    async def note(session):
        await session.snap(v=1)
        if (await session.receive())["op"] == "unsub":
            ended.set()
        await stay(session)

    with serving(note) as server, sync.connect(server.url) as client:
        for _ in client.node("g/x"):
            break
        assert ended.wait(60)
