"""Subscriptions of a program: what it can listen to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from .listening import Deliveries, Listener, Values
from .options import Fields, Options, Target, fields_of, fields_of_options
from .requesting import Requesting
from .values import reader


class Subscribing(Requesting):
    """The part of a client that listens. Subscriptions last as long as their iterators."""

    def watch(
        self, target: Target, type: Any = None, *, owner: str | Iterable[str] = (),
        **options: Unpack[Options],
    ) -> Deliveries[Any]:
        """Subscribes, and returns an iterator over deliveries: values and all that is known of them.

        Args:
            target: `graph/node`, several nodes as `graph/a,b.*`, or the fields of a `sub` such as
                `{"graph": "house", "combine": {"a": "x", "b": "y"}}` (docs/protocol.md).
            type: The type of the values; `sluice_client.values.reader` lists types.
            owner: The owners of the subscription; it ends when all of them are released.
        """
        return Deliveries(self._join(_sub(target, options), type, owner))

    def values(
        self, target: Target, type: Any = None, *, owner: str | Iterable[str] = (),
        **options: Unpack[Options],
    ) -> Values[Any]:
        """Subscribes as `watch` does, and returns an iterator over the values alone."""
        return Values(self._join(_sub(target, options), type, owner))

    def link(
        self, graph: str, source: str, to: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Deliveries[Any]:
        """Lets the server set one node to each value of another, until the iterator is closed.

        It delivers what could not be set (`fail`), and the next value that could. `pipe` has stages
        between the two nodes.
        """
        fields = {"op": "link", "graph": graph, "from": source, "to": to, **options}
        return Deliveries(self._join(fields, None, owner, shared=False))

    def sync(
        self, graph: str, a: str, b: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Deliveries[Any]:
        """Keeps two nodes in step; `to_a` and `to_b` are expressions that convert between them."""
        fields = {"op": "sync", "graph": graph, "a": a, "b": b, **options}
        return Deliveries(self._join(fields, None, owner, shared=False))

    def observe(self, graph: str, **options: Any) -> Values[Any]:
        """Returns an iterator over what lives in a graph: structure and values. It owns nothing."""
        fields = {"op": "observe", "graph": graph, "every": 250, **options}
        return Values(self._join(fields, None, (), shared=False))

    def demand(self, graph: str, nodes: str | Iterable[str]) -> Deliveries[dict[str, Fields]]:
        """Returns an iterator over which nodes clients want.

        `value` has all that are wanted. `m` has what has changed: `wanted`, and `load` when a value
        is to be set now.
        """
        names = [nodes] if isinstance(nodes, str) else list(nodes)
        return Deliveries(self._join({"op": "demand", "graph": graph, "nodes": names}, None, ()))

    def _join(
        self, fields: Fields, type: Any, owner: str | Iterable[str], shared: bool = True
    ) -> Listener:
        owners = {owner} if isinstance(owner, str) else set(owner)
        return self.connection.subscriptions.join(fields, reader(type), owners, shared)


def _sub(target: Target, options: Options) -> Fields:
    return {"op": "sub", **fields_of(target), **fields_of_options(options, Options.__optional_keys__)}
