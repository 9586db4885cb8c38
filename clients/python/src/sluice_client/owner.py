"""Owners: parts of a program that end all their subscriptions at once."""

from __future__ import annotations

from typing import Any, Self, Unpack

from .listening import Deliveries, Values
from .options import Options, Target
from .subscribing import Subscribing


class Owner:
    """A part of a program that subscribes to several things and ends them all at once.

    Names are as in docs/protocol.md. The subscriptions end with `release()`, or at the end of
    `async with`. The owner may be used again.
    """

    def __init__(self, client: Subscribing, name: str):
        self.client, self.name = client, name

    def watch(self, target: Target, type: Any = None, **options: Unpack[Options]) -> Deliveries[Any]:
        """Subscribes for this owner, as `Client.watch` does."""
        return self.client.watch(target, type, owner=self.name, **options)

    def values(self, target: Target, type: Any = None, **options: Unpack[Options]) -> Values[Any]:
        """Subscribes for this owner, as `Client.values` does."""
        return self.client.values(target, type, owner=self.name, **options)

    def link(self, graph: str, source: str, to: str, **options: Any) -> Deliveries[Any]:
        """Links two nodes for this owner, as `Client.link` does."""
        return self.client.link(graph, source, to, owner=self.name, **options)

    def sync(self, graph: str, a: str, b: str, **options: Any) -> Deliveries[Any]:
        """Keeps two nodes in step for this owner, as `Client.sync` does."""
        return self.client.sync(graph, a, b, owner=self.name, **options)

    def release(self) -> None:
        """Ends the subscriptions of this owner that have no other."""
        self.client.connection.subscriptions.release(self.name)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.release()
