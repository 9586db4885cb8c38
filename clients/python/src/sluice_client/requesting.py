"""Requests over the connection: reading and setting values."""

from __future__ import annotations

import asyncio
import builtins
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, Unpack, overload

from .connection import Connection
from .errors import SluiceError
from .options import Fields, SetOptions, fields_of, fields_of_options, one_node, present
from .values import read_as, reader

log = logging.getLogger("sluice_client")

T = TypeVar("T")


class Requesting:
    """The part of a client that asks for something once.

    Requests raise `SluiceError` for what the server refuses, and `UnknownOutcome` if the connection
    breaks before the answer.
    """

    def __init__(self, connection: Connection):
        self.connection = connection
        connection.on_live = self._claim_again
        # What `presence` has set: the server clears it when a connection ends.
        self._claims: dict[str, Any] = {}
        self._claiming: set[asyncio.Task[Any]] = set()

    @property
    def is_live(self) -> bool:
        """Whether there is a connection at the moment."""
        return self.connection.is_ready

    # Reading

    @overload
    async def get(
        self, target: str, type: Callable[[Any], T], *, after: Mapping[str, Any] | None = None
    ) -> T | None: ...

    @overload
    async def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None
    ) -> Any: ...

    async def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None
    ) -> Any:
        """Returns what a node holds now, and None if it is empty. That owns nothing.

        Args:
            target: `graph/node`.
            type: The type of the value; `sluice_client.values.reader` lists types.
            after: What a set has returned; the result includes that set, at whatever server.
        """
        graph, node = one_node(target)
        read = reader(type)
        answer = await self.get_many(graph, [node], after=after)
        held = answer["m"].get(node, {})
        if fail := held.get("fail"):
            raise SluiceError(fail["code"], fail.get("msg"), target)
        return read_as(read, held["v"], target) if "v" in held else None

    async def get_many(
        self, graph: str, nodes: Iterable[str], *, after: Mapping[str, Any] | None = None
    ) -> Fields:
        """Reads several nodes at one revision: `{"rev", "epoch", "t", "m": {name: {"v": …}}}`."""
        position = {key: after[key] for key in ("epoch", "rev")} if after else None
        fields = {"op": "get", "graph": graph, "nodes": [*nodes], "after": position}
        return await self._read(fields, graph)

    async def list(
        self, on_changes: Callable[[builtins.list[str]], None] | None = None
    ) -> builtins.list[Fields]:
        """Returns the graphs that there are.

        Args:
            on_changes: From now on called with the names of graphs whose alarms change.
        """
        if on_changes:
            self.connection.on_changes = on_changes
        answer = await self._read({"op": "list", "changes": True if on_changes else None}, None)
        graphs: builtins.list[Fields] = answer["graphs"]
        return graphs

    async def _read(self, fields: Fields, path: str | None) -> Fields:
        # Before the first connection a read waits, because it can do no harm. A set does not.
        if self.connection.state.name == "connecting":
            await self.connection.reached("live", "closed", "reconnecting")
        return await self.connection.request(present(fields), path)

    # Setting

    async def set(self, target: str, value: Any, **options: Unpack[SetOptions]) -> Fields:
        """Sets a node; returns `epoch` and `rev` when the server has accepted it."""
        graph, node = one_node(target)
        return await self._set(graph, {"set": {node: value}}, target, options)

    async def set_many(
        self, graph: str, values: Mapping[str, Any], **options: Unpack[SetOptions]
    ) -> Fields:
        """Sets several nodes of a graph in one commit, or none of them."""
        return await self._set(graph, {"set": dict(values)}, graph, options)

    async def update(self, target: str, expression: str, **options: Unpack[SetOptions]) -> Fields:
        """Lets the server compute the next value: `update("house/count", "value + 1")`."""
        graph, node = one_node(target)
        return await self._set(graph, {"update": {node: expression}}, target, options)

    async def update_many(
        self, graph: str, expressions: Mapping[str, str], **options: Unpack[SetOptions]
    ) -> Fields:
        """Computes several nodes in one commit; `values` of the answer has the results."""
        return await self._set(graph, {"update": dict(expressions)}, graph, options)

    async def clear(self, target: str) -> Fields:
        """Makes a node empty."""
        graph, node = one_node(target)
        return await self._set(graph, {"clear": [node]}, target, {})

    async def wipe(self, graph: str, match: str = "*") -> Fields:
        """Clears the nodes that match, of those that the client may read and set."""
        return await self._set(graph, {"clear": [match]}, graph, {})

    async def load(self, target: str, **report: Any) -> Fields:
        """Reports the state of a value: `loading`, `progress`, `error` and others of docs/protocol.md."""
        return await self.connection.request({"op": "load", **fields_of(target), **report}, target)

    async def _set(self, graph: str, changes: Fields, path: str, options: Mapping[str, Any]) -> Fields:
        given = fields_of_options(options, SetOptions.__optional_keys__)
        fields = {"op": "set", "graph": graph, "key": secrets.token_hex(16), **changes, **given}
        return await self.connection.request(present(fields), path)

    # Presence

    async def presence(self, target: str, value: Any = None) -> Fields | None:
        """Sets a node for as long as this client is connected; None clears it.

        With the next connection the client sets it again. Without a connection it is set with the
        next one, and the result is None.
        """
        one_node(target)
        if value is None:
            self._claims.pop(target, None)
            return await self.clear(target) if self.is_live else None
        self._claims[target] = value
        return await self.set(target, value, presence=True) if self.is_live else None

    def _claim_again(self) -> None:
        for target, value in self._claims.items():
            task = asyncio.create_task(self._claim(target, value))
            self._claiming.add(task)
            task.add_done_callback(self._claiming.discard)

    async def _claim(self, target: str, value: Any) -> None:
        try:
            await self.set(target, value, presence=True)
        except SluiceError as error:
            # If the connection is lost again, the next one claims it.
            if error.code not in ("unknown-outcome", "not-connected"):
                log.warning("the presence was not set again: %s", error)

    # The connection

    async def auth(self, token: str) -> Fields:
        """Shows another token, also with later connections. Without one it is `not-connected`."""
        self.connection.token = token
        return await self.connection.request({"op": "auth", "token": token}, None)

    async def ping(self, patience: float = 4) -> float | None:
        """Returns the round trip in milliseconds, or None without an answer.

        A connection on which no answer comes for `patience` seconds is given up and made again.
        """
        start = time.perf_counter()
        try:
            async with asyncio.timeout(patience):
                await self.connection.request({"op": "ping"}, None)
        except TimeoutError:
            self.connection.give_up()
            return None
        except SluiceError:
            return None
        return (time.perf_counter() - start) * 1000
