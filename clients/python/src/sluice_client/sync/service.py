"""Requests over HTTP for programs without asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self, TypeVar

from .. import service as asynchronous
from ..options import Fields
from .background import Background

T = TypeVar("T")


class Service:
    """Requests to a server over HTTP, to be used with `with`.

    The calls and their arguments are those of `sluice_client.service.Service`.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", *, token: str | None = None, timeout: float = 10
    ):
        self._service = asynchronous.Service(address, token=token, timeout=timeout)
        self._background = Background()
        self._wait = self._background.wait

    def __enter__(self) -> Self:
        self._background.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._wait(self._service.close())
        finally:
            self._background.stop()

    def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None,
        at: int | str | None = None,
    ) -> Any:
        """Returns what a node holds, or held at a revision or time, and None if it is empty."""
        return self._wait(self._service.get(target, type, after=after, at=at))

    def set(self, target: str, value: Any, *, ctx: Any = None, key: str | None = None) -> Fields:
        """Sets a node; the answer has `epoch` and `rev`."""
        return self._wait(self._service.set(target, value, ctx=ctx, key=key))

    def clear(self, target: str) -> Fields:
        """Makes a node empty."""
        return self._wait(self._service.clear(target))

    def batch(
        self, graph: str, values: Mapping[str, Any] | None = None, *,
        update: Mapping[str, str] | None = None, key: str | None = None, **options: Any,
    ) -> Fields:
        """Sets and computes several nodes in one commit, or none of them."""
        return self._wait(self._service.batch(graph, values, update=update, key=key, **options))

    def values(self, graph: str, match: str = "*") -> Iterator[tuple[str, Any]]:
        """Yields all nodes that match and hold a value, by name."""
        return self._each(self._service.values(graph, match))

    def history(self, target: str, **range: Any) -> Iterator[Fields]:
        """Yields what a node emitted, oldest first."""
        return self._each(self._service.history(target, **range))

    def graphs(self) -> list[Fields]:
        """Returns the graphs that there are."""
        return self._wait(self._service.graphs())

    def definition(self, graph: str) -> Fields:
        """Returns the definition of a graph."""
        return self._wait(self._service.definition(graph))

    def define(
        self, graph: str, definition: str | Mapping[str, Any], *, dry_run: bool = False
    ) -> Fields:
        """Defines a graph, or redefines it while it runs."""
        return self._wait(self._service.define(graph, definition, dry_run=dry_run))

    def remove(self, graph: str) -> None:
        """Removes a graph for good, with its values."""
        self._wait(self._service.remove(graph))

    def _each(self, source: AsyncIterator[T]) -> Iterator[T]:
        while True:
            try:
                item = self._background.next_of(source)
            except StopIteration:
                return
            yield item
