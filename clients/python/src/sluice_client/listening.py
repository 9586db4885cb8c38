"""Iterators over what subscriptions deliver. A program that holds one holds the subscription."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .delivery import Delivery
from .errors import SluiceError

T = TypeVar("T")

# At most so many values wait for a slow program where every value counts.
LONGEST_QUEUE = 10_000


class Listener:
    """The deliveries that one iterator has not taken yet."""

    def __init__(self, read: Callable[[Any], Any], keeps_all: bool, leave: Callable[[Listener], None]):
        self.read, self.keeps_all, self.leave = read, keeps_all, leave
        self.loop = asyncio.get_running_loop()
        self.waiting: deque[Delivery[Any]] = deque()
        self.is_closed = self.wants_values = False
        self._arrived = asyncio.Event()

    def put(self, delivery: Delivery[Any]) -> None:
        """Adds a delivery. It replaces a value that was not taken, unless every value counts."""
        if self.is_closed:
            return
        if self.keeps_all and len(self.waiting) >= LONGEST_QUEUE:
            message = f"the program has not taken {LONGEST_QUEUE} values"
            self.waiting.append(Delivery(ended=SluiceError("slow", message)))
            return self.close()
        if not self.keeps_all:
            delivery = self._in_place_of_older(delivery)
        self.waiting.append(delivery)
        self._arrived.set()

    def _in_place_of_older(self, delivery: Delivery[Any]) -> Delivery[Any]:
        # An end is superseded by what comes later. It never hides the last value before it.
        if self.waiting and self.waiting[-1].ended:
            self.waiting.pop()
        # The program has asked for each value of a history.
        if not self.waiting or delivery.ended or self.waiting[-1].history:
            return delivery
        return delivery.replacing(self.waiting.pop())

    def close(self) -> None:
        """Accepts no more; the iterator ends when the program has taken what waits."""
        if not self.is_closed:
            self.is_closed = True
            self.leave(self)
            self._arrived.set()

    async def take(self) -> Delivery[Any]:
        """Returns the next delivery; raises `StopAsyncIteration` when there are no more."""
        while not self.waiting:
            if self.is_closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self.waiting.popleft()

    async def take_value(self) -> Any:
        """Returns the next value; raises the reason for which the server ended the subscription."""
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

    The subscription lasts as long as the program holds the iterator. It ends with `close()`, at the
    end of `async with`, and when the iterator is no longer referenced: after a loop, and with a
    task that is cancelled. A delivery with `ended` says that the server ended the subscription.
    """

    def __init__(self, listener: Listener):
        self._listener = listener

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
        # The last reference may end in another thread.
        listener = self._listener
        if not listener.is_closed and not listener.loop.is_closed():
            listener.loop.call_soon_threadsafe(listener.close)


class Values(Deliveries[T]):
    """An asynchronous iterator over the values alone.

    Deliveries without a value are left out. When the server ends the subscription or refuses the
    client, the iterator raises the reason as a `SluiceError`, except when there are no more values.
    """

    def __init__(self, listener: Listener):
        super().__init__(listener)
        listener.wants_values = True

    def __aiter__(self) -> Values[T]:
        return self

    async def __anext__(self) -> T:  # type: ignore[override]
        try:
            return await self._listener.take_value()  # type: ignore[no-any-return]
        except BaseException:
            del self
            raise
