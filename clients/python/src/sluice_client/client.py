"""The client: a connection, and all that a program does with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Self, TypeVar, Unpack, overload

from .connection import Connection
from .errors import SluiceError
from .node import Node
from .options import Fields, Options
from .owner import Owner
from .state import State
from .subscribing import Subscribing
from .tokens import Token

T = TypeVar("T")


class Client(Subscribing):
    """A connection to a server, which is made again whenever it is lost.

    `async with connect(…) as client` waits for the first connection. `start` and `close` do the
    same without a block, and without waiting.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", *, token: Token = None, name: str | None = None,
        headers: dict[str, str] | None = None, timeout: float = 10,
        on_state: Callable[[State], None] | None = None,
        on_gap: Callable[[Fields], None] | None = None,
    ):
        """Prepares a client.

        Args:
            address: Such as `https://sluice.example.org`; a path before `/v1` is kept.
            token: The token, or a function that returns it. The function may be asynchronous; it is
                called before each connection, and before the present token ends.
            name: The name of the program, for lists of clients.
            headers: Further header fields of the handshake.
            timeout: How long `async with` waits for the first connection, in seconds.
            on_state: Called with each state of the connection.
            on_gap: Called for each subscription that continues after the connection was lost, with
                the `graph`, the `node` or `nodes`, and whether values were `lost`.
        """
        super().__init__(Connection(address, token, name, headers, on_state, on_gap))
        self._timeout = timeout

    async def __aenter__(self) -> Self:
        self.start()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._timeout):
                    await self.connection.reached("live", "closed")
            if not self.is_live:
                state = self.state
                code = "refused" if state.name == "closed" else "unreachable"
                reason = state.reason or state.code or f"no answer in {self._timeout} s"
                raise SluiceError(code, f"no connection to {self.connection.url}: {reason}")
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Connects, without waiting for it. Ends a pause, and tries again after `closed`."""
        self.connection.start()

    async def close(self) -> None:
        """Ends the connection and all subscriptions."""
        await self.connection.stop()

    @property
    def state(self) -> State:
        """The state of the connection."""
        return self.connection.state

    @overload
    def node(self, target: str, type: Callable[[Any], T], **options: Unpack[Options]) -> Node[T]: ...

    @overload
    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]: ...

    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]:
        """Returns the node `graph/node`, with values of a type (`sluice_client.values.reader`)."""
        return Node(self, target, type, options)

    def owner(self, name: str) -> Owner:
        """Returns an owner of subscriptions, which ends them all at once."""
        return Owner(self, name)

    def __repr__(self) -> str:
        return f"<Client {self.connection.url} {self.state.name}>"


connect = Client
"""`async with connect("http://127.0.0.1:8080", token=…) as client`."""
