"""The client, its nodes and its owners for programs without asyncio.

A thread of the client's own runs the connection. The client may be used from any thread, except
from its own callbacks.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, Self, TypeVar, Unpack, overload

from .. import client as asynchronous
from ..delivery import Delivery
from ..errors import UnknownOutcome
from ..listening import Deliveries, Values
from ..options import Fields, Options, SetOptions, Target, split
from ..state import State
from ..tokens import Token
from .background import Background
from .stream import Stream

T = TypeVar("T")


class Client:
    """A connection to a server, which is made again whenever it is lost.

    `with connect(…) as client` waits for the first connection. The arguments are those of
    `sluice_client.connect`.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", *, token: Token = None, name: str | None = None,
        headers: dict[str, str] | None = None, timeout: float = 10,
        on_state: Callable[[State], None] | None = None, on_gap: Callable[[Fields], None] | None = None,
    ):
        self._client = asynchronous.Client(
            address, token=token, name=name, headers=headers, timeout=timeout, on_state=on_state,
            on_gap=on_gap,
        )
        self._background = Background()
        self._wait = self._background.wait

    def __enter__(self) -> Self:
        self._background.start()
        try:
            self._wait(self._client.__aenter__())
        except BaseException:
            self._background.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, all subscriptions, and the thread."""
        if self._background.is_running:
            try:
                self._wait(self._client.close())
            finally:
                self._background.stop()

    @property
    def state(self) -> State:
        """The state of the connection."""
        return self._client.state

    # Listening

    @overload
    def node(self, target: str, type: Callable[[Any], T], **options: Unpack[Options]) -> Node[T]: ...

    @overload
    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]: ...

    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]:
        """Returns the node `graph/node`, with values of a type."""
        return Node(self, target, type, options)

    def owner(self, name: str) -> Owner:
        """Returns an owner of subscriptions, which ends them all at once."""
        return Owner(self, name)

    def values(
        self, target: Target, type: Any = None, *, owner: str | Iterable[str] = (),
        **options: Unpack[Options],
    ) -> Stream[Any]:
        """Subscribes, and returns an iterator over the values."""
        return self._stream(self._client.values, target, type, owner=owner, **options)

    def watch(
        self, target: Target, type: Any = None, *, owner: str | Iterable[str] = (),
        **options: Unpack[Options],
    ) -> Stream[Delivery[Any]]:
        """Subscribes, and returns an iterator over deliveries: values and all that is known of them."""
        return self._stream(self._client.watch, target, type, owner=owner, **options)

    def link(
        self, graph: str, source: str, to: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Stream[Delivery[Any]]:
        """Lets the server set one node to each value of another, until the result is closed."""
        return self._stream(self._client.link, graph, source, to, owner=owner, **options)

    def sync(
        self, graph: str, a: str, b: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Stream[Delivery[Any]]:
        """Keeps two nodes in step, until the result is closed."""
        return self._stream(self._client.sync, graph, a, b, owner=owner, **options)

    def observe(self, graph: str, **options: Any) -> Stream[Any]:
        """Returns an iterator over what lives in a graph."""
        return self._stream(self._client.observe, graph, **options)

    def demand(self, graph: str, nodes: str | Iterable[str]) -> Stream[Delivery[dict[str, Fields]]]:
        """Returns an iterator over which nodes clients want."""
        return self._stream(self._client.demand, graph, nodes)

    def _stream(
        self, subscribe: Callable[..., Deliveries[Any] | Values[Any]], *given: Any, **options: Any
    ) -> Stream[Any]:
        return Stream(self._background, self._background.call(subscribe, *given, **options))

    def release(self, owner: str) -> None:
        """Ends the subscriptions of an owner that have no other."""
        self._background.call(self._client.owner(owner).release)

    # Reading and setting

    @overload
    def get(
        self, target: str, type: Callable[[Any], T], *, after: Mapping[str, Any] | None = None
    ) -> T | None: ...

    @overload
    def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None
    ) -> Any: ...

    def get(self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None) -> Any:
        """Returns what a node holds now, and None if it is empty."""
        return self._wait(self._client.get(target, type, after=after))

    def get_many(
        self, graph: str, nodes: Iterable[str], *, after: Mapping[str, Any] | None = None
    ) -> Fields:
        """Reads several nodes at one revision."""
        return self._wait(self._client.get_many(graph, nodes, after=after))

    def list(
        self, on_changes: Callable[[builtins.list[str]], None] | None = None
    ) -> builtins.list[Fields]:
        """Returns the graphs that there are."""
        return self._wait(self._client.list(on_changes))

    def set(self, target: str, value: Any, **options: Unpack[SetOptions]) -> Fields:
        """Sets a node; returns `epoch` and `rev` when the server has accepted it."""
        return self._wait(self._client.set(target, value, **options))

    def set_many(self, graph: str, values: Mapping[str, Any], **options: Unpack[SetOptions]) -> Fields:
        """Sets several nodes of a graph in one commit, or none of them."""
        return self._wait(self._client.set_many(graph, values, **options))

    def update(self, target: str, expression: str, **options: Unpack[SetOptions]) -> Fields:
        """Lets the server compute the next value: `update("house/count", "value + 1")`."""
        return self._wait(self._client.update(target, expression, **options))

    def update_many(
        self, graph: str, expressions: Mapping[str, str], **options: Unpack[SetOptions]
    ) -> Fields:
        """Computes several nodes in one commit; `values` of the answer has the results."""
        return self._wait(self._client.update_many(graph, expressions, **options))

    def clear(self, target: str) -> Fields:
        """Makes a node empty."""
        return self._wait(self._client.clear(target))

    def wipe(self, graph: str, match: str = "*") -> Fields:
        """Clears the nodes that match, of those that the client may read and set."""
        return self._wait(self._client.wipe(graph, match))

    def load(self, target: str, **report: Any) -> Fields:
        """Reports the state of a value: `loading`, `progress`, `error` and others."""
        return self._wait(self._client.load(target, **report))

    def presence(self, target: str, value: Any = None) -> Fields | None:
        """Sets a node for as long as this client is connected; None clears it."""
        return self._wait(self._client.presence(target, value))

    def repeat(self, error: UnknownOutcome) -> Fields:
        """Sends a request whose outcome is unknown again, under its key."""
        return self._wait(error.repeat())

    def auth(self, token: str) -> Fields:
        """Shows another token, also with later connections."""
        return self._wait(self._client.auth(token))

    def ping(self, patience: float = 4) -> float | None:
        """Returns the round trip in milliseconds, or None without an answer in so many seconds."""
        return self._wait(self._client.ping(patience))


connect = Client
"""`with connect("http://127.0.0.1:8080", token=…) as client`."""


class Node(Generic[T]):
    """A node of a server: `for value in node`."""

    def __init__(self, client: Client, target: str, type: Any, options: Options):
        split(target)
        self.client, self.target, self.type = client, target, type
        self._options = options

    def __iter__(self) -> Iterator[T]:
        return self.values()

    def values(self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]) -> Stream[T]:
        """Subscribes, and returns an iterator over the values, beginning with the present one."""
        given: Options = {**self._options, **options}
        return self.client.values(self.target, self.type, owner=owner, **given)

    def watch(
        self, *, owner: str | Iterable[str] = (), **options: Unpack[Options]
    ) -> Stream[Delivery[T]]:
        """Subscribes, and returns an iterator over deliveries."""
        given: Options = {**self._options, **options}
        return self.client.watch(self.target, self.type, owner=owner, **given)

    def get(self, *, after: Mapping[str, Any] | None = None) -> T | None:
        """Returns what the node holds now, and None if it is empty."""
        value: T | None = self.client.get(self.target, self.type, after=after)
        return value

    def set(self, value: T, **options: Unpack[SetOptions]) -> Fields:
        """Sets the node; returns `epoch` and `rev` when the server has accepted it."""
        return self.client.set(self.target, value, **options)

    def update(self, expression: str, **options: Unpack[SetOptions]) -> Fields:
        """Lets the server compute the next value, such as `value + 1`."""
        return self.client.update(self.target, expression, **options)

    def clear(self) -> Fields:
        """Makes the node empty."""
        return self.client.clear(self.target)


class Owner:
    """A part of a program that subscribes to several things and ends them all at once."""

    def __init__(self, client: Client, name: str):
        self.client, self.name = client, name

    def watch(self, target: Target, type: Any = None, **options: Unpack[Options]) -> Stream[Delivery[Any]]:
        """Subscribes for this owner, as `Client.watch` does."""
        return self.client.watch(target, type, owner=self.name, **options)

    def values(self, target: Target, type: Any = None, **options: Unpack[Options]) -> Stream[Any]:
        """Subscribes for this owner, as `Client.values` does."""
        return self.client.values(target, type, owner=self.name, **options)

    def release(self) -> None:
        """Ends the subscriptions of this owner that have no other."""
        self.client.release(self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
