"""A thread that runs an event loop, for programs that have none."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, TypeVar

from ..errors import SluiceError

T = TypeVar("T")


class Background:
    """Runs coroutines in a thread of its own, and waits for their results."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        # Guards `_loop`: nothing is given to a loop that is about to end.
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts the thread."""
        is_running = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._run(is_running)), name="sluice-client", daemon=True
        )
        self._thread.start()
        is_running.wait()

    async def _run(self, is_running: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        is_running.set()
        await self._ended.wait()

    def stop(self) -> None:
        """Cancels what still runs, and ends the thread."""
        with self._lock:
            loop, self._loop = self._loop, None
            if loop:
                loop.call_soon_threadsafe(self._ended.set)
        if self._thread:
            self._thread.join()

    @property
    def is_running(self) -> bool:
        return self._loop is not None

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in the thread, and waits for its result."""
        try:
            with self._lock:
                future = asyncio.run_coroutine_threadsafe(work, self._checked_loop())
        except BaseException:
            work.close()
            raise
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise SluiceError("closed", "the client was closed in the meantime") from None
        except BaseException:
            # After Ctrl-C, for example, the program no longer waits for the result.
            future.cancel()
            raise

    def call(self, act: Callable[..., T], *given: Any, **options: Any) -> T:
        """Calls a function in the thread, and returns its result."""
        async def run() -> T:
            return act(*given, **options)

        return self.wait(run())

    def next_of(self, source: AsyncIterator[T], timeout: float | None = None) -> T:
        """Waits for the next item; raises `StopIteration` at the end, or `TimeoutError`."""
        async def run() -> list[T]:
            # A coroutine cannot raise `StopIteration`.
            try:
                async with asyncio.timeout(timeout):
                    return [await anext(source)]
            except StopAsyncIteration:
                return []

        for item in self.wait(run()):
            return item
        raise StopIteration

    def _checked_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise SluiceError("not-connected", "the client is not open; use `with`")
        if threading.current_thread() is self._thread:
            raise RuntimeError("a callback of the client would wait for itself; use another thread")
        return self._loop
