"""What HTTP does better than a connection: a program that sets or reads something once, pages of
values, histories, and definitions."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx

from .errors import SluiceError
from .values import decode, encode, reader

# A request that changes nothing, or does so once under its key, is made so often.
TRIES = 4


class Service:
    """Requests to a server over HTTP, to be used with `async with`.

    Sets have a key of their own, so that one whose answer is lost is simply sent again and is
    applied once. What the server refuses is a `SluiceError` with the code of the refusal.
    """

    def __init__(
        self, address: str = "http://127.0.0.1:8080", *, token: str | None = None, timeout: float = 10,
        transport: httpx.AsyncBaseTransport | None = None,
    ):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(
            base_url=address.rstrip("/") + "/v1/", headers=headers, timeout=timeout, transport=transport
        )

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    # Values

    async def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None,
        at: int | str | None = None,
    ) -> Any:
        """What a node holds, None if it is empty; with `at` what it held at a revision, or at a time
        written as `@2026-11-30T17:00:00Z`."""
        answer = await self._ask("GET", _path(target), params={"after": _position(after), "at": at})
        if answer.status_code == 204:
            return None
        try:
            return reader(type)(decode(answer.content))
        except (TypeError, ValueError) as error:
            raise SluiceError("type_mismatch", str(error), target) from error

    async def set(self, target: str, value: Any, *, ctx: Any = None) -> dict[str, Any]:
        """Sets a node; the answer has `epoch` and `rev`."""
        headers = {"Sluice-Context": encode(ctx)} if ctx is not None else {}
        return await self._change("POST", _path(target), encode(value), headers)

    async def clear(self, target: str) -> dict[str, Any]:
        return await self._change("DELETE", _path(target) + "/value")

    async def batch(
        self, graph: str, values: Mapping[str, Any] | None = None, *,
        update: Mapping[str, str] | None = None, key: str | None = None, **options: Any,
    ) -> dict[str, Any]:
        """Sets and updates several nodes in one commit, or none of them; `if_`, `with_`, `clear` and
        `ctx` are as in docs/protocol.md."""
        given = {name.rstrip("_"): each for name, each in options.items()}
        body = {"set": dict(values or {}), "update": update, **given}
        text = encode({name: each for name, each in body.items() if each is not None})
        return await self._change("POST", f"graphs/{graph}/batch", text, key=key)

    async def values(self, graph: str, match: str = "*") -> AsyncIterator[tuple[str, Any]]:
        """All nodes that match and hold a value, by name, however many there are."""
        params: dict[str, Any] = {"nodes": match}
        while True:
            page = decode((await self._ask("GET", f"graphs/{graph}/values", params=params)).content)
            for name, held in page["m"].items():
                if "v" in held:
                    yield name, held["v"]
            if "next" not in page:
                return
            params["next"] = page["next"]

    async def history(self, target: str, **range: Any) -> AsyncIterator[dict[str, Any]]:
        """What a node emitted, oldest first: entries with `rev`, `t` and `v`, `empty` or `fail`.

        With `since` what came after a revision. With `begin`, `end` and `points` steps of time with
        `min`, `mean`, `max` and the last value.
        """
        params = dict(range)
        while True:
            answer = await self._ask("GET", _path(target) + "/history", params=params)
            page = decode(answer.content)
            for entry in page["d"]:
                yield entry
            if not page.get("more") or "since" not in params:
                return
            params["since"] = page.get("to", page["d"][-1]["rev"] if page["d"] else params["since"])

    # Graphs

    async def graphs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = decode((await self._ask("GET", "graphs")).content)["graphs"]
        return found

    async def definition(self, graph: str) -> dict[str, Any]:
        found: dict[str, Any] = decode((await self._ask("GET", f"graphs/{graph}/definition")).content)
        return found

    async def define(
        self, graph: str, definition: str | Mapping[str, Any], *, dry_run: bool = False
    ) -> dict[str, Any]:
        """Defines a graph, or redefines it while it runs; `definition` is YAML, or its members.

        The problems of a definition that is refused are `error.details["problems"]`.
        """
        is_text = isinstance(definition, str)
        answer = await self._ask(
            "PUT", f"graphs/{graph}", definition if is_text else encode(definition),
            {"Content-Type": f"application/{'yaml' if is_text else 'json'}"},
            params={"dry_run": 1 if dry_run else None},
        )
        result: dict[str, Any] = decode(answer.content)
        return result

    async def remove(self, graph: str) -> None:
        """Removes a graph for good, with its values."""
        await self._ask("DELETE", f"graphs/{graph}")

    # Requests

    async def _change(
        self, method: str, path: str, body: str | None = None, headers: Mapping[str, str] = {},
        key: str | None = None,
    ) -> dict[str, Any]:
        fields = {**headers, "Idempotency-Key": key or secrets.token_hex(16)}
        if body is not None:
            fields["Content-Type"] = "application/json"
        answer = await self._ask(method, path, body, fields)
        result: dict[str, Any] = decode(answer.content) if answer.content else {}
        return result

    async def _ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = {},
        params: Mapping[str, Any] = {},
    ) -> httpx.Response:
        given = {name: each for name, each in params.items() if each is not None}
        is_safe = method == "GET" or "Idempotency-Key" in headers
        for attempt in range(TRIES):
            is_last = attempt == TRIES - 1 or not is_safe
            try:
                answer = await self._http.request(
                    method, path, content=body, headers=dict(headers), params=given
                )
            except httpx.TransportError as error:
                if is_last:
                    raise SluiceError("unreachable", str(error) or type(error).__name__, path) from error
                await asyncio.sleep(random.random() * 2**attempt / 4)
                continue
            if answer.is_success:
                return answer
            refusal = _refusal(answer, path)
            if is_last or answer.status_code != 503 or not refusal.details.get("retry"):
                raise refusal
            await asyncio.sleep(float(answer.headers.get("Retry-After", 1)) * (1 + random.random() / 4))
        raise AssertionError("unreachable")


def _refusal(answer: httpx.Response, path: str) -> SluiceError:
    """The problem document of a refusal (RFC 9457), or what stands in front of the server."""
    try:
        problem = decode(answer.content)
        code, message = problem.pop("code"), problem.pop("detail", None)
    except (ValueError, KeyError, TypeError, AttributeError):
        return SluiceError(f"http_{answer.status_code}", answer.reason_phrase, path)
    return SluiceError(code, message, path, **problem)


def _path(target: str) -> str:
    graph, slash, node = target.partition("/")
    if not (graph and slash and node):
        raise ValueError(f"'{target}' is not of the form graph/node")
    return f"graphs/{graph}/nodes/{node}"


def _position(after: Mapping[str, Any] | None) -> str | None:
    return f"{after['epoch']}:{after['rev']}" if after else None


__all__ = ["Service"]
