"""One node of a server, with the type of its values."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack

from .listening import Deliveries, Values

if TYPE_CHECKING:
    from .client import Client, Options, SetOptions

T = TypeVar("T")


class ReadOnlyNode(Generic[T]):
    """A node that clients cannot set: `async for value in node`."""

    def __init__(self, client: Client, target: str, type: Any = None, options: Options | None = None):
        self.client, self.target, self.type = client, target, type
        self._options: Options = options or {}

    def __aiter__(self) -> AsyncIterator[T]:
        return self.values()

    def values(self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]) -> Values[T]:
        """Its values from now on, beginning with the present one."""
        given: Options = {**self._options, **options}
        return self.client.values(self.target, self.type, owner=owner, **given)

    def watch(self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]) -> Deliveries[T]:
        """The same with all that is known of each value, and with the reasons where there is none."""
        given: Options = {**self._options, **options}
        return self.client.watch(self.target, self.type, owner=owner, **given)

    async def get(self, *, after: Mapping[str, Any] | None = None) -> T | None:
        """What it holds now; None if it is empty."""
        value: T | None = await self.client.get(self.target, self.type, after=after)
        return value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.target}>"


class Node(ReadOnlyNode[T]):
    """A node that clients may set."""

    async def set(self, value: T, **options: Unpack[SetOptions]) -> dict[str, Any]:
        return await self.client.set(self.target, value, **options)

    async def update(self, expression: str, **options: Unpack[SetOptions]) -> dict[str, Any]:
        return await self.client.update(self.target, expression, **options)

    async def clear(self) -> dict[str, Any]:
        graph, _, node = self.target.partition("/")
        return await self.client.set_many(graph, {}, clear=[node])

    async def load(self, **report: Any) -> dict[str, Any]:
        return await self.client.load(self.target, **report)
