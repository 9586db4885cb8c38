"""The connection: made, kept alive, and made again when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import random
import re
import time
import urllib.parse
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from .errors import SluiceError, UnknownOutcome
from .subscriptions import Fields, Subscription, Subscriptions
from .values import decode, encode

log = logging.getLogger("sluice_client")

Token = str | Callable[[], str | Awaitable[str]] | None

# The longest pauses before the first tries to connect again, and before all others, in seconds.
PAUSES = [0.25, 0.5, 1, 2, 5]
LONGEST_PAUSE = 10.0
# A connection that lasted so long has worked: the pauses begin anew.
STABLE = 5.0
# After so long without a connection the state is `offline`.
LONG = 30.0
# So long the server knows the key of a set.
KEY_LIFETIME = 600.0
# The longest message that a server sends (`limits.answer`), and what JSON adds to it.
LONGEST_MESSAGE = 16 << 20


@dataclass(frozen=True, slots=True)
class State:
    """How the connection is."""

    name: str
    """`connecting`, `live`, `reconnecting`, `offline` (lost for more than 30 s) or `closed`."""
    code: int | None = None
    """Why it was lost: a close code (docs/protocol.md)."""
    reason: str | None = None
    tries: int = 0
    """How many tries have failed in a row."""
    gap: float | None = None
    """When it is live again: for how many milliseconds it was not."""


@dataclass(slots=True)
class Request:
    """A request without an answer."""

    fields: Fields
    path: str | None
    until: float
    answer: asyncio.Future[Fields]


class Connection:
    """One client's connection, with the requests and subscriptions that use it."""

    def __init__(self, address: str, token: Token, name: str | None, headers: dict[str, str] | None):
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https", "ws", "wss") or not parts.netloc:
            raise ValueError(f"'{address}' is no address such as http://127.0.0.1:8080")
        scheme = parts.scheme.replace("http", "ws")
        self.url = f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/v1/ws"
        self.token, self.name, self.headers = token, name, headers or {}
        self.limits: dict[str, int] = {"msg": 65_536}
        self.session: str | None = None
        self.server: str | None = None
        self.is_ready = False
        self.state = State("closed")
        self.on_state: list[Callable[[State], None]] = []
        self.on_gap: Callable[[Fields], None] | None = None
        self.on_changes: Callable[[list[str]], None] | None = None
        self.before_subscriptions: Callable[[], None] = lambda: None
        self.subscriptions = Subscriptions(self, lambda gap: self.safely(self.on_gap, gap))
        # Requests without an answer, and subscriptions that the server has, by number.
        self._waiting: dict[int, Request | Subscription] = {}
        self._last = 0
        self._socket: ClientConnection | None = None
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._heartbeat = 10.0
        self._since: float | None = None
        self._tries = 0
        self._is_wanted = False
        self._task: asyncio.Task[None] | None = None
        self._again = asyncio.Event()
        self._heard = 0.0
        # What waits for one of these states.
        self._expected: list[tuple[tuple[str, ...], asyncio.Future[None]]] = []

    # The life of a connection

    def start(self) -> None:
        """Connects, and connects again whenever the connection is lost."""
        self._again.set()
        self._is_wanted = True
        if self._task is None or self._task.done():
            self._report()
            self._task = asyncio.create_task(self._run(), name="sluice-client")

    async def stop(self) -> None:
        self._is_wanted = False
        self.subscriptions.close()
        if self._task and not self._task.done():
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._drop(1000, "")

    async def reached(self, *names: str) -> None:
        """Waits for one of these states."""
        if self.state.name in names:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._expected.append((names, future))
        await future

    async def _run(self) -> None:
        while self._is_wanted:
            self._again.clear()
            code, reason = await self._connect()
            pause = self._drop(code, reason)
            if pause is not None:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._again.wait(), pause)

    async def _connect(self) -> tuple[int, str]:
        """Connects, and returns when the connection has ended: with the reason."""
        try:
            token = await self._current_token()
            async with open_socket(
                self.url, subprotocols=[Subprotocol("sluice.v1.json")], ping_interval=None,
                additional_headers=self.headers, max_size=LONGEST_MESSAGE, open_timeout=10,
            ) as socket:
                self._socket, self._outgoing = socket, asyncio.Queue()
                writer = asyncio.create_task(self._write(socket, self._outgoing))
                watchdog = asyncio.create_task(self._watch(socket))
                try:
                    hello = {"op": "hello", "client": self.name, "token": token}
                    self.send({key: each for key, each in hello.items() if each is not None})
                    async for text in socket:
                        self._heard = time.monotonic()
                        message = decode(text)
                        for each in message if isinstance(message, list) else [message]:
                            self._receive(each)
                finally:
                    writer.cancel()
                    watchdog.cancel()
                return socket.close_code or 1006, socket.close_reason or ""
        except ConnectionClosed as error:
            end = error.rcvd or error.sent
            return (end.code, end.reason) if end else (1006, "")
        except InvalidStatus as error:
            status = error.response.status_code
            # A proxy that cannot reach the server answers for it; anything else is a refusal.
            return (4503 if status >= 500 or status == 429 else 4400), f"HTTP {status}"
        except InvalidURI as error:
            return 4400, str(error)
        except (OSError, TimeoutError) as error:
            return 1006, str(error)
        except SluiceError as error:
            return 4400 if error.code == "unauthenticated" else 4503, error.message
        except Exception as error:
            log.exception("the connection ends because of something unexpected")
            return 4500, str(error)

    async def _current_token(self) -> str | None:
        if not callable(self.token):
            return self.token
        token = self.token()
        return await token if inspect.isawaitable(token) else token

    async def _write(self, socket: ClientConnection, outgoing: asyncio.Queue[str]) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await socket.send(await outgoing.get())

    async def _watch(self, socket: ClientConnection) -> None:
        """Finds a server that goes silent without closing: by a ping, and gives it up after another."""
        self._heard = time.monotonic()
        while True:
            await asyncio.sleep(self._heartbeat / 4)
            silent = time.monotonic() - self._heard
            if silent > 2 * self._heartbeat:
                socket.transport.abort()
            elif silent > self._heartbeat and self.is_ready:
                self.send({"op": "ping"})

    def _drop(self, code: int, reason: str) -> float | None:
        """Ends the connection; returns the pause before the next, None if the client is not welcome."""
        now = time.monotonic()
        abandoned = [each for each in self._waiting.values() if isinstance(each, Request)]
        self._waiting.clear()
        self._socket = None
        if self.is_ready and self._since is not None and now - self._since > STABLE:
            self._tries = 0
        if self.is_ready:
            self._since = now
        pause = random.random() * (PAUSES[self._tries] if self._tries < len(PAUSES) else LONGEST_PAUSE)
        if stated := re.search(r'"after":(\d+)', reason):
            pause = int(stated[1]) / 1000
        # Below 4500 the client is at fault. A token that has ended may have a successor.
        is_expired = self.is_ready and "expired" in reason and callable(self.token)
        self._is_wanted = self._is_wanted and (code < 4000 or code >= 4500 or is_expired)
        self.is_ready = False
        self._tries += self._is_wanted
        self._report(code=code, reason=reason)
        for request in abandoned:
            self._abandon(request)
        return pause if self._is_wanted else None

    def _abandon(self, request: Request) -> None:
        """Only the program knows whether a request whose outcome is unknown should still be made."""
        if not request.answer.done():
            request.answer.set_exception(UnknownOutcome(
                request.path, request.fields.get("key"),
                lambda: self.request(request.fields, request.path, request.until),
            ))

    def _report(self, **more: Any) -> None:
        if self.is_ready:
            name = "live"
        elif not self._is_wanted:
            name = "closed"
        elif self._since is None and not self._tries:
            name = "connecting"
        else:
            is_long = self._since is not None and time.monotonic() - self._since > LONG
            name = "offline" if is_long else "reconnecting"
        self.state = State(name, tries=0 if self.is_ready else self._tries, **more)
        for each in list(self.on_state):
            self.safely(each, self.state)
        for entry in [entry for entry in self._expected if name in entry[0]]:
            self._expected.remove(entry)
            if not entry[1].done():
                entry[1].set_result(None)

    @staticmethod
    def safely(act: Callable[..., None] | None, *given: Any) -> None:
        """Calls a function of the program, whose errors must not harm the client."""
        try:
            if act:
                act(*given)
        except Exception:
            log.exception("a function of the program has failed")

    # Messages

    def has(self, number: int | None) -> bool:
        return number in self._waiting

    def forget(self, number: int | None) -> None:
        if number is not None:
            self._waiting.pop(number, None)

    def send(self, message: Fields, waiting: Request | Subscription | None = None) -> int:
        """Sends a message; `waiting` receives the answers. Raises `SluiceError` if it is too long."""
        self._last += 1
        text = encode({"id": self._last, **message})
        if len(text.encode()) > self.limits["msg"]:
            raise SluiceError("too_large", f"the message has over {self.limits['msg']} bytes")
        if waiting is not None:
            self._waiting[self._last] = waiting
        if isinstance(waiting, Subscription):
            waiting.number = self._last
        self._outgoing.put_nowait(text)
        return self._last

    async def request(self, fields: Fields, path: str | None, until: float | None = None) -> Fields:
        """Makes a request, and returns the answer."""
        until = until or time.monotonic() + KEY_LIFETIME
        if time.monotonic() > until:
            raise SluiceError("key-expired", "the server no longer knows the key of the request", path)
        if not self.is_ready:
            raise SluiceError("not-connected", "there is no connection", path)
        answer: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        try:
            self.send(fields, Request(fields, path, until, answer))
        except SluiceError as error:
            error.path = path
            raise
        return await answer

    def _receive(self, message: Fields) -> None:
        op = message.get("op")
        number = message.get("id")
        if op == "err" and number is None:
            # Answers come in order: an error without a number is that of the oldest request.
            number = next((n for n, each in self._waiting.items() if isinstance(each, Request)), None)
        waiting = self._waiting.get(number) if number is not None else None
        if op == "upd":
            for entry in message["d"]:
                subscription = self._waiting.get(entry["id"])
                if isinstance(subscription, Subscription):
                    self.subscriptions.deliver(subscription, entry, message)
        elif op == "hello":
            self._welcome(message)
        elif op == "changes":
            self.safely(self.on_changes, message["graphs"])
        elif op == "err" and waiting is None and not self.is_ready:
            code = message["code"]
            refused = "not_ready" if "_down" in code else "unauthenticated"
            raise SluiceError(refused, message.get("msg") or code)
        elif isinstance(waiting, Request):
            self._settle(waiting, message)
            self.forget(number)
        elif isinstance(waiting, Subscription):
            self.subscriptions.receive(waiting, message)

    @staticmethod
    def _settle(request: Request, message: Fields) -> None:
        if request.answer.done():
            return
        if message["op"] == "ok":
            return request.answer.set_result(message)
        node = message.get("node")
        path = f"{request.fields.get('graph')}/{node}" if node else request.path
        details = {key: each for key, each in message.items() if key not in ("op", "id", "code", "msg")}
        request.answer.set_exception(SluiceError(message["code"], message.get("msg"), path, **details))

    def _welcome(self, message: Fields) -> None:
        now = time.monotonic()
        gap = (now - self._since) * 1000 if self._since is not None else None
        self._heartbeat = message["hb"]
        self.session, self.server = message.get("session"), message.get("server")
        self.limits.update(message.get("limits") or {})
        self.is_ready, self._since = True, now
        self._report(gap=gap)
        self.before_subscriptions()
        self.subscriptions.welcome(gap)
