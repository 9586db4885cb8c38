"""The client for programs without asyncio: the same calls, which wait for their results.

A thread of the client's own runs the event loop. The client may be used from any thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar, overload

from . import client as asynchronous
from .connection import State, Token
from .delivery import Delivery

T = TypeVar("T")


def connect(
    address: str = "http://127.0.0.1:8080", *, token: Token = None, name: str | None = None,
    headers: dict[str, str] | None = None, timeout: float = 10,
) -> Client:
    """A client of the server at an address, to be used with `with`."""
    return Client(address, token=token, name=name, headers=headers, timeout=timeout)


class Client:
    """A connection to a server, which is made again whenever it is lost."""

    def __init__(self, address: str, **options: Any):
        self._client = asynchronous.Client(address, **options)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="sluice-client", daemon=True)

    def __enter__(self) -> Client:
        self._thread.start()
        try:
            self._wait(self._client.__aenter__())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection, all subscriptions, and the thread."""
        if self._thread.is_alive():
            self._wait(self._client.close())
            self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C interrupts the wait, and then nothing waits for the result.
            future.cancel()
            raise

    def _call(self, act: Callable[..., T], *given: Any, **options: Any) -> T:
        """Calls a function in the loop's thread."""
        result: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                result.set_result(act(*given, **options))
            except BaseException as error:
                result.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return result.result()

    @property
    def state(self) -> State:
        return self._client.state

    # Listening

    @overload
    def node(self, target: str, type: Callable[[Any], T], **options: Any) -> Node[T]: ...

    @overload
    def node(self, target: str, type: Any = None, **options: Any) -> Node[Any]: ...

    def node(self, target: str, type: Any = None, **options: Any) -> Node[Any]:
        """The node `graph/node`, with values of a type."""
        return Node(self, target, type, options)

    def values(self, target: str | Mapping[str, Any], type: Any = None, **options: Any) -> Iterate[Any]:
        """The values of a subscription; it lasts as long as the iterator is held."""
        return Iterate(self, self._call(self._client.values, target, type, **options))

    def watch(
        self, target: str | Mapping[str, Any], type: Any = None, **options: Any
    ) -> Iterate[Delivery[Any]]:
        """The same with all that is known of each value."""
        return Iterate(self, self._call(self._client.watch, target, type, **options))

    def release(self, owner: str) -> None:
        """Ends what has no other owner."""
        self._call(self._client.owner(owner).release)

    # Reading and setting

    def get(self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None) -> Any:
        return self._wait(self._client.get(target, type, after=after))

    def get_many(self, graph: str, nodes: Iterable[str], **options: Any) -> dict[str, Any]:
        return self._wait(self._client.get_many(graph, nodes, **options))

    def list(self) -> list[dict[str, Any]]:
        return self._wait(self._client.list())

    def set(self, target: str, value: Any, **options: Any) -> dict[str, Any]:
        return self._wait(self._client.set(target, value, **options))

    def set_many(self, graph: str, values: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        return self._wait(self._client.set_many(graph, values, **options))

    def update(self, target: str, expression: str, **options: Any) -> dict[str, Any]:
        return self._wait(self._client.update(target, expression, **options))

    def update_many(self, graph: str, expressions: Mapping[str, str], **options: Any) -> dict[str, Any]:
        return self._wait(self._client.update_many(graph, expressions, **options))

    def wipe(self, graph: str, match: str = "*") -> dict[str, Any]:
        return self._wait(self._client.wipe(graph, match))

    def load(self, target: str, **report: Any) -> dict[str, Any]:
        return self._wait(self._client.load(target, **report))

    def presence(self, target: str, value: Any = None) -> dict[str, Any] | None:
        return self._wait(self._client.presence(target, value))

    def auth(self, token: str) -> dict[str, Any]:
        return self._wait(self._client.auth(token))

    def ping(self, patience: float = 4) -> float | None:
        return self._wait(self._client.ping(patience))


class Iterate(Generic[T]):
    """An iterator that waits for what comes next."""

    def __init__(self, client: Client, source: Any):
        self._client, self._source = client, source

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        for value in self._client._wait(self._next()):
            return value
        raise StopIteration

    async def _next(self) -> list[T]:
        # A StopAsyncIteration would not get out of a future.
        try:
            return [await self._source.__anext__()]
        except StopAsyncIteration:
            return []

    def close(self) -> None:
        """Ends the subscription."""
        self._client._call(self._source.close)

    def __enter__(self) -> Iterate[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Node(Generic[T]):
    """A node of a server: `for value in node`."""

    def __init__(self, client: Client, target: str, type: Any, options: Mapping[str, Any]):
        self.client, self.target, self.type, self._options = client, target, type, options

    def __iter__(self) -> Iterator[T]:
        return self.values()

    def values(self, **options: Any) -> Iterate[T]:
        return self.client.values(self.target, self.type, **{**self._options, **options})

    def watch(self, **options: Any) -> Iterate[Delivery[T]]:
        return self.client.watch(self.target, self.type, **{**self._options, **options})

    def get(self) -> T | None:
        value: T | None = self.client.get(self.target, self.type)
        return value

    def set(self, value: T, **options: Any) -> dict[str, Any]:
        return self.client.set(self.target, value, **options)

    def update(self, expression: str, **options: Any) -> dict[str, Any]:
        return self.client.update(self.target, expression, **options)
