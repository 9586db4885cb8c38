"""A server that says what a test says: for what a real one does rarely, or never should."""

import asyncio
import contextlib
import json

from sluice_client import Client
from websockets.asyncio.server import serve

HELLO = {"op": "hello", "session": "c:1", "server": "sluice/test", "hb": 25, "limits": {"msg": 65_536}}


class Session:
    """One connection, from the server's side."""

    def __init__(self, socket, hello):
        self.socket, self.hello = socket, hello

    async def receive(self):
        return json.loads(await self.socket.recv())

    async def send(self, *messages):
        for message in messages:
            await self.socket.send(message if isinstance(message, str) else json.dumps(message))

    async def snap(self, **fields):
        """Answers the next subscription."""
        message = await self.receive()
        await self.send({"op": "snap", "id": message["id"], "epoch": "e", "rev": 1, "t": 1, **fields})
        return message


class Scripted:
    """Each connection runs the next of these scripts; further ones the last."""

    def __init__(self, *scripts, hello=HELLO):
        self.scripts, self.greeting, self.connections = scripts, hello, 0

    async def __aenter__(self):
        self.server = await serve(self.play, "127.0.0.1", 0, subprotocols=["sluice.v1.json"])
        port = self.server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_):
        self.server.close()
        await self.server.wait_closed()

    async def play(self, socket):
        script = self.scripts[min(self.connections, len(self.scripts) - 1)]
        self.connections += 1
        # A client that goes away in the middle of a script is what some of them are about.
        with contextlib.suppress(Exception):
            session = Session(socket, json.loads(await socket.recv()))
            if self.greeting:
                await session.send(self.greeting)
            await script(session)


async def stay(session):
    """Says nothing more."""
    await session.socket.wait_closed()


@contextlib.asynccontextmanager
async def started(url, **options):
    """A client that does not wait for its connection."""
    client = Client(url, **options)
    client.start()
    try:
        yield client
    finally:
        await client.close()


async def until(claim):
    """Waits until something is so."""
    async with asyncio.timeout(60):
        while not claim():
            await asyncio.sleep(0.005)
