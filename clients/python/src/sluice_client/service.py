"""Requests over HTTP, for what needs no connection that stays: setting or reading a value once,
pages of values, histories, and definitions."""

from __future__ import annotations

import asyncio
import math
import random
import secrets
import urllib.parse
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

import httpx

from .errors import SluiceError, refusal
from .options import Fields, SetOptions, fields_of_options, one_node, present
from .values import decode, encode, read_as, reader

# How often a request is sent that changes nothing, or changes it once under its key.
TRIES = 4
# A server that asks for a longer pause is not asked again, in seconds.
LONGEST_PAUSE = 10.0
# What a server or a proxy answers that may answer otherwise a moment later.
BUSY = (429, 502, 503, 504)


class Service:
    """Requests to a server over HTTP, to be used with `async with`.

    Each set has a key, so that one whose answer is lost is sent again and applied once. Requests
    raise `SluiceError`: with the code of the server's refusal, `unreachable` if there is no answer,
    or `http_404` and the like if something else than a Sluice server answers.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", *, token: str | None = None, timeout: float = 10,
        transport: httpx.AsyncBaseTransport | None = None,
    ):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(
            base_url=address.rstrip("/") + "/v1/", headers=headers, timeout=timeout, transport=transport
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connections."""
        await self._http.aclose()

    # Values

    async def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None,
        at: int | str | None = None,
    ) -> Any:
        """Returns what a node holds, and None if it is empty.

        Args:
            target: `graph/node`.
            type: The type of the value; `sluice_client.values.reader` lists types.
            after: What a set has returned; the result includes that set, at whatever server.
            at: A revision, or a time such as `@2026-11-30T17:00:00Z`, at which it held the value.
        """
        read = reader(type)
        answer = await self._ask("GET", _path(target), params={"after": _position(after), "at": at})
        return None if answer.status_code == 204 else read_as(read, _content(answer), target)

    async def set(
        self, target: str, value: Any, *, ctx: Any = None, key: str | None = None
    ) -> Fields:
        """Sets a node; the answer has `epoch` and `rev`."""
        headers = {"Sluice-Context": encode(ctx)} if ctx is not None else {}
        return await self._change("POST", _path(target), encode(value), headers, key)

    async def clear(self, target: str) -> Fields:
        """Makes a node empty."""
        return await self._change("DELETE", _path(target) + "/value")

    async def batch(
        self, graph: str, values: Mapping[str, Any] | None = None, *,
        update: Mapping[str, str] | None = None, key: str | None = None, **options: Any,
    ) -> Fields:
        """Sets and computes several nodes in one commit, or none of them.

        Args:
            graph: The graph of the nodes.
            values: What is set.
            update: Expressions that the server computes; the answer has the results as `values`.
            key: The idempotency key; without one the client makes one up for this call.
            options: `if_`, `with_`, `clear`, `ctx` and `path`, as in docs/protocol.md.
        """
        given = fields_of_options(options, SetOptions.__optional_keys__)
        body = present({"set": dict(values or {}), "update": update, **given})
        return await self._change("POST", f"{_graph(graph)}/batch", encode(body), key=key)

    async def values(self, graph: str, match: str = "*") -> AsyncIterator[tuple[str, Any]]:
        """Yields all nodes that match and hold a value, by name, however many there are."""
        params: Fields = {"nodes": match}
        while True:
            page = _content(await self._ask("GET", f"{_graph(graph)}/values", params=params))
            for name, held in page["m"].items():
                if "v" in held:
                    yield name, held["v"]
            if "next" not in page:
                return
            params["next"] = page["next"]

    async def history(
        self, target: str, *, since: int | None = None, limit: int | None = None,
        begin: int | str | None = None, end: int | str | None = None, points: int | None = None,
    ) -> AsyncIterator[Fields]:
        """Yields what a node emitted, oldest first: entries with `rev`, `t` and `v`, `empty` or `fail`.

        Args:
            target: `graph/node`.
            since: Everything after this revision; without it the newest `limit` entries.
            limit: How many entries to read at a time.
            begin: With `end` and `points`: steps of time with `min`, `mean`, `max` and the last value.
        """
        params = present({"since": since, "limit": limit, "begin": begin, "end": end, "points": points})
        while True:
            page = _content(await self._ask("GET", _path(target) + "/history", params=params))
            for entry in page["d"]:
                yield entry
            if since is None or not page.get("more"):
                return
            last = page.get("to", page["d"][-1]["rev"] if page["d"] else since)
            # An answer that goes no further would be asked for without end.
            if last == since:
                return
            params["since"] = since = last

    # Graphs

    async def graphs(self) -> list[Fields]:
        """Returns the graphs that there are."""
        found: list[Fields] = _content(await self._ask("GET", "graphs"))["graphs"]
        return found

    async def definition(self, graph: str) -> Fields:
        """Returns the definition of a graph."""
        found: Fields = _content(await self._ask("GET", f"{_graph(graph)}/definition"))
        return found

    async def define(
        self, graph: str, definition: str | Mapping[str, Any], *, dry_run: bool = False
    ) -> Fields:
        """Defines a graph, or redefines it while it runs.

        Args:
            graph: Its name.
            definition: A graph file as YAML, or as a mapping.
            dry_run: Return what would change, and change nothing.

        Raises:
            SluiceError: `details["problems"]` has the problems of a definition, with their places.
        """
        is_text = isinstance(definition, str)
        answer = await self._ask(
            "PUT", _graph(graph), definition if is_text else encode(definition),
            {"Content-Type": f"application/{'yaml' if is_text else 'json'}"},
            params={"dry_run": 1 if dry_run else None},
        )
        result: Fields = _content(answer)
        return result

    async def remove(self, graph: str) -> None:
        """Removes a graph for good, with its values."""
        await self._ask("DELETE", _graph(graph))

    # Requests

    async def _change(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] = {},
        key: str | None = None,
    ) -> Fields:
        fields = {**headers, "Idempotency-Key": key or secrets.token_hex(16)}
        if body is not None:
            fields["Content-Type"] = "application/json"
        answer = await self._ask(method, path, body, fields)
        result: Fields = _content(answer) if answer.content else {}
        return result

    async def _ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = {},
        params: Mapping[str, Any] = {},
    ) -> httpx.Response:
        """Sends a request, again where that is safe, and returns the answer."""
        is_safe = method == "GET" or "Idempotency-Key" in headers
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = await self._http.request(
                    method, path, content=body, headers=dict(headers), params=present(params)
                )
            except httpx.TransportError as error:
                refusal = SluiceError("unreachable", str(error) or type(error).__name__, path)
                pause = random.random() * 2**attempt / 8
            else:
                if answer.is_success:
                    return answer
                refusal = _refusal(answer, path)
                pause = math.inf if refusal.details.get("retry") is False else _pause(answer)
            if attempt == TRIES or not is_safe or pause > LONGEST_PAUSE:
                raise refusal
            await asyncio.sleep(pause)


def _refusal(answer: httpx.Response, path: str) -> SluiceError:
    """The problem document of a refusal (RFC 9457), or what a proxy answers."""
    try:
        problem = decode(answer.content)
        return refusal({**problem, "msg": problem.pop("detail", None)}, path)
    except (ValueError, KeyError, TypeError, AttributeError):
        return SluiceError(f"http_{answer.status_code}", answer.reason_phrase, path)


def _content(answer: httpx.Response) -> Any:
    try:
        return decode(answer.content)
    except ValueError as error:
        raise SluiceError("malformed", f"the answer is not JSON: {error}", answer.url.path) from error


def _pause(answer: httpx.Response) -> float:
    """How long to wait before the request is sent again; infinite if that is pointless."""
    if answer.status_code not in BUSY:
        return math.inf
    try:
        # Not exactly, so that not all clients come back at once.
        return float(answer.headers.get("Retry-After", 1)) * (1 + random.random() / 4)
    except ValueError:
        # A date. Servers of Sluice send seconds.
        return 1.0


def _graph(name: str) -> str:
    return f"graphs/{urllib.parse.quote(name, safe='')}"


def _path(target: str) -> str:
    graph, node = one_node(target)
    return f"{_graph(graph)}/nodes/{urllib.parse.quote(node, safe='')}"


def _position(after: Mapping[str, Any] | None) -> str | None:
    return f"{after['epoch']}:{after['rev']}" if after else None
