"""The client for programs without asyncio."""

import asyncio
import contextlib
import os
import signal
import threading

import pytest
from scripted import Scripted, stay
from sluice_client import SluiceError, UnknownOutcome, sync


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


def test_an_iterator_can_be_waited_for_with_a_time_limit():
    with serving(answer) as server, sync.connect(server.url) as client:
        with client.watch("g/x") as watch:
            while watch.take(timeout=60).value != 2:
                pass
            with pytest.raises(TimeoutError):
                watch.take(timeout=0.01)


def test_closing_ends_a_loop_of_another_thread():
    async def one(session):
        await session.snap(v=1)
        await stay(session)

    for _ in range(20):
        with serving(one) as server:
            client = sync.connect(server.url).__enter__()
            values, taken = client.values("g/x"), threading.Event()

            def loop(values=values, taken=taken):
                for _ in values:
                    taken.set()

            thread = threading.Thread(target=loop)
            thread.start()
            assert taken.wait(60)
            client.close()
            thread.join(60)
            assert not thread.is_alive()


def test_a_request_of_another_thread_ends_when_the_client_is_closed():
    reached, raised = threading.Event(), []

    async def hear(session):
        await session.receive()
        reached.set()
        await stay(session)

    with serving(hear) as server:
        client = sync.connect(server.url).__enter__()

        def ask():
            try:
                client.get("g/x")
            except SluiceError as error:
                raised.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        assert reached.wait(60)
        client.close()
        thread.join(60)
        assert isinstance(raised[0], UnknownOutcome)


def test_a_client_that_is_not_open_says_so():
    client = sync.connect("http://127.0.0.1:1")
    with pytest.raises(SluiceError) as error:
        client.get("g/x")
    assert error.value.code == "not-connected" and "with" in error.value.message
    client.close()
    with serving(answer) as server, sync.connect(server.url) as client:
        values = client.values("g/x")
    values.close()
    with pytest.raises(SluiceError):
        client.set("g/x", 1)
    with pytest.raises(SluiceError):
        next(values)


def test_a_callback_cannot_wait_for_its_own_client():
    raised = []

    def on_state(state):
        if state.name == "live":
            try:
                client.get("g/x")
            except RuntimeError as error:
                raised.append(str(error))

    with serving(stay) as server:
        client = sync.connect(server.url, on_state=on_state)
        with client:
            assert "another thread" in raised[0]


def test_ctrl_c_ends_a_wait():
    async def interrupt(session):
        await session.snap(v=1)
        os.kill(os.getpid(), signal.SIGINT)
        await stay(session)

    before = threading.active_count()
    with serving(interrupt) as server, pytest.raises(KeyboardInterrupt):
        with sync.connect(server.url) as client:
            for _ in client.node("g/x"):
                pass
    assert threading.active_count() == before


def test_an_owner_ends_what_it_holds():
    with serving(answer) as server, sync.connect(server.url) as client:
        with client.owner("panel") as panel:
            values = panel.values("g/x", mode="all")
            assert next(values) == 1
        assert list(values) in ([], [2])


def test_a_lost_answer_is_repeated():
    async def lose(session):
        await session.receive()
        await session.socket.close(4503)

    async def accept(session):
        message = await session.receive()
        await session.send({"op": "ok", "id": message["id"], "rev": 7})
        await stay(session)

    live = threading.Semaphore(0)
    with serving(lose, accept) as server:
        note = lambda state: state.name == "live" and live.release()  # noqa: E731
        with sync.connect(server.url, on_state=note) as client:
            assert live.acquire(timeout=60)
            with pytest.raises(UnknownOutcome) as error:
                client.set("g/x", 1)
            assert live.acquire(timeout=60)
            assert client.repeat(error.value)["rev"] == 7
