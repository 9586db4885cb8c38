"""Subscriptions of programs without asyncio."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from .background import Background

T = TypeVar("T")


class Stream(Generic[T]):
    """An iterator that waits for what comes next.

    The subscription lasts as long as the program holds it. It ends with `close()`, at the end of
    `with`, and when it is no longer referenced.
    """

    def __init__(self, background: Background, source: Any):
        self._background, self._source = background, source

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        return self.take()

    def take(self, timeout: float | None = None) -> T:
        """Waits for the next one; raises `TimeoutError` after so many seconds."""
        item: T = self._background.next_of(self._source, timeout)
        return item

    def close(self) -> None:
        """Ends the subscription."""
        if self._background.is_running:
            self._background.call(self._source.close)

    def __enter__(self) -> Stream[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
