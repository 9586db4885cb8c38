"""Iterators over what subscriptions deliver: who holds one holds the subscription."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .delivery import Delivery
from .errors import SluiceError

T = TypeVar("T")

# Of every value, so many wait for a program that is slow.
LONGEST_QUEUE = 10_000


class Listener:
    """The deliveries of one iterator that were not taken yet."""

    def __init__(self, read: Callable[[Any], Any], keeps_all: bool, leave: Callable[[Listener], None]):
        self.read, self.keeps_all, self.leave = read, keeps_all, leave
        self.waiting: deque[Delivery[Any]] = deque()
        self.is_closed = False
        self._arrived: asyncio.Future[None] | None = None

    def put(self, delivery: Delivery[Any]) -> None:
        """Adds a delivery; unless each counts, it takes the place of one that was not taken."""
        if self.is_closed:
            return
        if self.keeps_all and len(self.waiting) >= LONGEST_QUEUE:
            self.waiting.append(Delivery(ended=SluiceError("slow", "the program does not take its values")))
            return self.close()
        if self.waiting and not self.keeps_all:
            delivery = delivery.after(self.waiting.pop())
        self.waiting.append(delivery)
        self._wake()

    def close(self) -> None:
        """Ends it once what waits has been taken."""
        if not self.is_closed:
            self.is_closed = True
            self.leave(self)
            self._wake()

    def _wake(self) -> None:
        if self._arrived and not self._arrived.done():
            self._arrived.set_result(None)

    async def take(self) -> Delivery[Any]:
        """The next delivery; raises `StopAsyncIteration` when there are no more."""
        while not self.waiting:
            if self.is_closed:
                raise StopAsyncIteration
            self._arrived = asyncio.get_running_loop().create_future()
            await self._arrived
        return self.waiting.popleft()

    async def take_value(self) -> Any:
        """The next value; raises the reason for which the server ended the subscription."""
        while True:
            delivery = await self.take()
            if delivery.ended:
                self.close()
                if delivery.ended.code in ("complete", "closed"):
                    raise StopAsyncIteration
                raise delivery.ended
            if delivery.has_value and not delivery.same:
                return delivery.value


class Deliveries(Generic[T]):
    """An asynchronous iterator over deliveries.

    The subscription lasts as long as the iterator is held. It ends with `close()`, at the end of
    `async with`, and when the iterator is no longer referenced: after a loop, and with a task that
    is cancelled. A delivery with `ended` says that the server ended the subscription.
    """

    def __init__(self, listener: Listener):
        self._listener = listener
        # A listener may be closed from any thread in which the last reference goes.
        self._loop = asyncio.get_running_loop()

    def __aiter__(self) -> Deliveries[T]:
        return self

    async def __anext__(self) -> Delivery[T]:
        try:
            return await self._listener.take()
        except BaseException:
            # A cancelled task keeps the frames in which it waited, and would keep the iterator.
            del self
            raise

    def close(self) -> None:
        """Ends the subscription; other iterators over the same node go on."""
        self._listener.close()

    async def __aenter__(self) -> Deliveries[T]:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._listener.is_closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._listener.close)


class Values(Deliveries[T]):
    """An asynchronous iterator over the values alone.

    Deliveries without a value are left out. If the server ends the subscription for another reason
    than that there are no more values, the iterator raises that as a `SluiceError`.
    """

    def __aiter__(self) -> Values[T]:
        return self

    async def __anext__(self) -> T:  # type: ignore[override]
        try:
            return await self._listener.take_value()  # type: ignore[no-any-return]
        except BaseException:
            del self
            raise
