"""One node of a server, with the type of its values."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Generic, TypeVar, Unpack

from .listening import Deliveries, Values
from .options import Fields, Options, SetOptions, split
from .subscribing import Subscribing

T = TypeVar("T")


class ReadOnlyNode(Generic[T]):
    """A node that clients cannot set: `async for value in node`."""

    def __init__(self, client: Subscribing, target: str, type: Any = None, options: Options | None = None):
        split(target)
        self.client, self.target, self.type = client, target, type
        self._options: Options = options or {}

    def __aiter__(self) -> AsyncIterator[T]:
        return self.values()

    def values(self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]) -> Values[T]:
        """Subscribes, and returns an iterator over the values, beginning with the present one."""
        given: Options = {**self._options, **options}
        return self.client.values(self.target, self.type, owner=owner, **given)

    def watch(self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]) -> Deliveries[T]:
        """Subscribes, and returns an iterator over deliveries: values and all that is known of them."""
        given: Options = {**self._options, **options}
        return self.client.watch(self.target, self.type, owner=owner, **given)

    async def get(self, *, after: Mapping[str, Any] | None = None) -> T | None:
        """Returns what the node holds now, and None if it is empty."""
        value: T | None = await self.client.get(self.target, self.type, after=after)
        return value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target}>"


class Node(ReadOnlyNode[T]):
    """A node that clients may set."""

    async def set(self, value: T, **options: Unpack[SetOptions]) -> Fields:
        """Sets the node; returns `epoch` and `rev` when the server has accepted it."""
        return await self.client.set(self.target, value, **options)

    async def update(self, expression: str, **options: Unpack[SetOptions]) -> Fields:
        """Lets the server compute the next value, such as `value + 1`."""
        return await self.client.update(self.target, expression, **options)

    async def clear(self) -> Fields:
        """Makes the node empty."""
        return await self.client.clear(self.target)

    async def load(self, **report: Any) -> Fields:
        """Reports the state of the value: `loading`, `progress`, `error` and others."""
        return await self.client.load(self.target, **report)
