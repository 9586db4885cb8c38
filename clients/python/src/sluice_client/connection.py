"""The connection: made, kept alive, and made again when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import re
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from . import tokens
from .errors import SluiceError, UnknownOutcome, refusal
from .options import Fields, present
from .state import State
from .subscriptions import Subscription, Subscriptions
from .tokens import Token
from .values import decode, encode

log = logging.getLogger("sluice_client")

# The longest pauses before the first attempts to connect again, and before all others, in seconds.
PAUSES = [0.25, 0.5, 1, 2, 5]
LONGEST_PAUSE = 10.0
# After a connection of this length the pauses begin anew.
STABLE = 5.0
# After so long without a connection the state is `offline`.
LONG = 30.0
# How long the server remembers the key of a set.
KEY_LIFETIME = 600.0
# The longest message that a server sends (`limits.answer`), and what JSON adds to it.
LONGEST_MESSAGE = 16 << 20
# How long the end of a connection waits for the server's.
CLOSING = 1.0


@dataclass(slots=True)
class Request:
    """A request that has no answer yet."""

    fields: Fields
    path: str | None
    until: float
    answer: asyncio.Future[Fields]


class Connection:
    """One client's connection, with the requests and subscriptions that use it."""

    def __init__(
        self, address: str, token: Token, name: str | None, headers: dict[str, str] | None,
        on_state: Callable[[State], None] | None, on_gap: Callable[[Fields], None] | None,
    ):
        self.url = _socket_url(address)
        self.token, self.name, self.headers = token, name, headers or {}
        self.limits: dict[str, int] = {"msg": 65_536}
        self.session: str | None = None
        self.server: str | None = None
        # Between `start` and `stop`; and whether the server has answered `hello`.
        self.is_started = self.is_ready = False
        self.state = State("closed")
        self.on_state = on_state
        self.on_changes: Callable[[list[str]], None] | None = None
        self.on_live: Callable[[], None] = lambda: None
        self.subscriptions = Subscriptions(self, lambda gap: self.safely(on_gap, gap))
        # Requests without an answer, and subscriptions that the server has, by number.
        self._waiting: dict[int, Request | Subscription] = {}
        self._last = 0
        self._socket: ClientConnection | None = None
        self._outgoing: asyncio.Queue[str] = asyncio.Queue()
        self._heartbeat = 10.0
        # When the connection became live, or was lost.
        self._since: float | None = None
        self._tries = 0
        # Whether a connection that is lost is made again.
        self._is_wanted = False
        self._task: asyncio.Task[None] | None = None
        self._renewal: asyncio.Task[None] | None = None
        self._again = asyncio.Event()
        self._heard = 0.0
        self._expected: list[tuple[tuple[str, ...], asyncio.Future[None]]] = []

    # The life of a connection

    def start(self) -> None:
        """Connects, and connects again whenever the connection is lost. Ends a pause before that."""
        self._again.set()
        self.is_started = self._is_wanted = True
        if self._task is None or self._task.done():
            self._report()
            self._task = asyncio.create_task(self._run(), name="sluice-client")

    async def stop(self) -> None:
        """Ends the connection and all subscriptions."""
        self.is_started = self._is_wanted = False
        self.subscriptions.close()
        task, self._task = self._task, None
        if task:
            task.cancel()
            await asyncio.wait([task])
        self._drop(1000, "")

    async def reached(self, *names: str) -> None:
        """Waits for one of these states."""
        if self.state.name in names:
            return
        entry = names, asyncio.get_running_loop().create_future()
        self._expected.append(entry)
        try:
            await entry[1]
        finally:
            self._expected.remove(entry)

    async def _run(self) -> None:
        while self._is_wanted:
            self._again.clear()
            code, reason = await self._connect()
            pause = self._drop(code, reason)
            if pause is not None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._again.wait()

    async def _connect(self) -> tuple[int, str]:
        """Connects; returns when the connection has ended, with its close code and reason."""
        try:
            token = await tokens.current(self.token)
            async with open_socket(
                self.url, subprotocols=[Subprotocol("sluice.v1.json")], ping_interval=None,
                additional_headers=self.headers, max_size=LONGEST_MESSAGE, close_timeout=CLOSING,
            ) as socket:
                self._socket, self._outgoing = socket, asyncio.Queue()
                helpers = [
                    asyncio.create_task(self._write(socket, self._outgoing)),
                    asyncio.create_task(self._watch()),
                ]
                try:
                    self.send(present({"op": "hello", "client": self.name, "token": token}))
                    async for text in socket:
                        self._heard = time.monotonic()
                        self._receive_text(text)
                finally:
                    for helper in helpers:
                        helper.cancel()
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
        except (OSError, TimeoutError, InvalidHandshake) as error:
            return 1006, str(error) or type(error).__name__
        except SluiceError as error:
            return 4401 if error.code == "unauthenticated" else 4503, error.message
        except Exception as error:
            # Such as a header field that cannot be sent, or a proxy that needs another package.
            log.exception("the connection to %s ended for an unexpected reason", self.url)
            return 4500, repr(error)

    async def _write(self, socket: ClientConnection, outgoing: asyncio.Queue[str]) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await socket.send(await outgoing.get())

    async def _watch(self) -> None:
        """Notices a server that is silent: after a heartbeat it is pinged, after another given up."""
        self._heard = time.monotonic()
        while True:
            await asyncio.sleep(self._heartbeat / 4)
            silent = time.monotonic() - self._heard
            if silent > 2 * self._heartbeat:
                self.give_up()
            elif silent > self._heartbeat and self.is_ready:
                self.send({"op": "ping"})

    def give_up(self) -> None:
        """Ends the connection without waiting for the server, which may be silent."""
        if self._socket:
            self._socket.transport.abort()

    def _drop(self, code: int, reason: str) -> float | None:
        """Ends the connection; returns the pause before the next, or None if there is to be none."""
        now = time.monotonic()
        abandoned = [each for each in self._waiting.values() if isinstance(each, Request)]
        self._waiting.clear()
        self._socket = None
        if self._renewal:
            self._renewal.cancel()
        if self.is_ready:
            if self._since is not None and now - self._since > STABLE:
                self._tries = 0
            self._since = now
        # Random, so that not all clients come back at once.
        pause = random.random() * (PAUSES[self._tries] if self._tries < len(PAUSES) else LONGEST_PAUSE)
        if stated := re.search(r'"after":(\d+)', reason):
            pause = int(stated[1]) / 1000
        # Below 4500 the client is at fault. An expired token may have a successor.
        is_expired = self.is_ready and "expired" in reason and callable(self.token)
        self._is_wanted = self._is_wanted and (code < 4000 or code >= 4500 or is_expired)
        self.is_ready = False
        self._tries += self._is_wanted
        self._report(code=code, reason=reason)
        for request in abandoned:
            self._abandon(request)
        if self.is_started and not self._is_wanted:
            self.subscriptions.interrupt(SluiceError("refused", f"{self.url}: {reason or code}"))
        return pause if self._is_wanted else None

    def _abandon(self, request: Request) -> None:
        """Only the program knows whether a request whose outcome is unknown should be repeated."""
        if not request.answer.done():
            request.answer.set_exception(UnknownOutcome(
                request.path, request.fields.get("key"),
                lambda: self.request(request.fields, request.path, request.until),
            ))

    def _report(self, **more: Any) -> None:
        """Reports the state to those that wait for it, and to the program."""
        self.state = State(self._state_name(), tries=0 if self.is_ready else self._tries, **more)
        for names, future in self._expected:
            if self.state.name in names and not future.done():
                future.set_result(None)
        self.safely(self.on_state, self.state)

    def _state_name(self) -> str:
        if self.is_ready:
            return "live"
        if not self._is_wanted:
            return "closed"
        if self._since is None and not self._tries:
            return "connecting"
        is_long = self._since is not None and time.monotonic() - self._since > LONG
        return "offline" if is_long else "reconnecting"

    @staticmethod
    def safely(act: Callable[..., None] | None, *given: Any) -> None:
        """Calls a function of the program, whose errors must not harm the client."""
        try:
            if act:
                act(*given)
        except Exception:
            log.exception("a function of the program raised an error")

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
        size, limit = len(text.encode()), self.limits["msg"]
        if size > limit:
            raise SluiceError("too_large", f"the message has {size} bytes; the server takes {limit}")
        if waiting is not None:
            self._waiting[self._last] = waiting
        if isinstance(waiting, Subscription):
            waiting.number = self._last
        self._outgoing.put_nowait(text)
        return self._last

    async def request(self, fields: Fields, path: str | None, until: float | None = None) -> Fields:
        """Sends a request, and returns the answer."""
        until = until or time.monotonic() + KEY_LIFETIME
        if time.monotonic() > until:
            raise SluiceError("key-expired", "the server no longer knows the key of the request", path)
        if not self.is_ready:
            raise SluiceError("not-connected", f"there is no connection to {self.url}", path)
        answer: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        try:
            self.send(fields, Request(fields, path, until, answer))
        except SluiceError as error:
            raise SluiceError(error.code, error.message, path) from None
        return await answer

    def _receive_text(self, text: str | bytes) -> None:
        try:
            messages = decode(text)
            for message in messages if isinstance(messages, list) else [messages]:
                self._receive(message)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            log.warning("%s sent a malformed message: %r in %.200r", self.url, error, text)
            raise SluiceError("malformed", f"the server sent a malformed message: {error!r}") from error

    def _receive(self, message: Fields) -> None:
        op, number = message["op"], message.get("id")
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
        elif op == "hb":
            if self.is_ready and self.state.stale != message.get("stale", False):
                self._report(stale=not self.state.stale)
        elif op == "changes":
            self.safely(self.on_changes, message["graphs"])
        elif op == "err" and waiting is None and not self.is_ready:
            # A server that cannot reach the issuer of tokens may accept this one later.
            code = "not_ready" if "_down" in message["code"] else "unauthenticated"
            raise SluiceError(code, refusal(message, None).message)
        elif isinstance(waiting, Request):
            self._settle(waiting, message)
            self.forget(number)
        elif isinstance(waiting, Subscription):
            self.subscriptions.receive(waiting, message)

    @staticmethod
    def _settle(request: Request, message: Fields) -> None:
        # The program may have given up, such as after a time of its own.
        if request.answer.done():
            return
        if message["op"] == "ok":
            return request.answer.set_result(message)
        node = message.get("node")
        path = f"{request.fields.get('graph')}/{node}" if node else request.path
        request.answer.set_exception(refusal(message, path))

    def _welcome(self, message: Fields) -> None:
        now = time.monotonic()
        gap = (now - self._since) * 1000 if self._since is not None else None
        self._heartbeat = max(1.0, float(message["hb"]))
        self.session, self.server = message.get("session"), message.get("server")
        self.limits.update(message.get("limits") or {})
        self.is_ready, self._since = True, now
        self._renewal = asyncio.create_task(
            tokens.keep_valid(self.token, message.get("expires"), self.show)
        )
        self._report(gap=gap)
        self.on_live()
        self.subscriptions.resume(gap)

    async def show(self, token: str) -> float | None:
        """Shows another token; returns for how many seconds it is valid, None if it does not end."""
        answer = await self.request({"op": "auth", "token": token}, None)
        return answer.get("expires")


def _socket_url(address: str) -> str:
    """Where the socket of a server is; raises `ValueError` for what is not an address."""
    parts = urllib.parse.urlsplit(address)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise ValueError(f"'{address}' is not an address such as http://127.0.0.1:8080")
    path = parts.path.rstrip("/").removesuffix("/v1/ws")
    return f"{parts.scheme.replace('http', 'ws')}://{parts.netloc}{path}/v1/ws"
