"""The client: what a program calls."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from .connection import Connection, State, Token
from .delivery import Delivery
from .errors import SluiceError
from .listening import Deliveries, Values
from .node import Node
from .subscriptions import Fields
from .values import reader

T = TypeVar("T")
Condition = str | Mapping[str, Any]


class Options(TypedDict, total=False):
    """Options of a subscription, as of `sub` in docs/protocol.md."""

    every: int
    mode: Literal["latest", "all"]
    history: int
    pipe: list[Any]
    keep: str | int | None
    load: bool
    facets: bool
    path: bool
    queue: int
    initial: bool
    after: Mapping[str, Any]


class SetOptions(TypedDict, total=False):
    """Options of a set, as in docs/protocol.md; `if_` is `if`, and `with_` is `with`."""

    clear: list[str]
    if_: Condition
    with_: Mapping[str, str]
    presence: bool
    path: list[Any]
    hand: bool
    ctx: Any
    key: str


def connect(
    address: str = "http://127.0.0.1:8080",
    *,
    token: Token = None,
    name: str | None = None,
    headers: dict[str, str] | None = None,
    timeout: float = 10,
    on_state: Callable[[State], None] | None = None,
    on_gap: Callable[[dict[str, Any]], None] | None = None,
) -> Client:
    """A client of the server at an address, to be used with `async with`.

    Args:
        address: Such as `https://sluice.example.org`; a path in front of `/v1` is kept.
        token: The token, or a function that returns one, which is asked before each connection.
        name: The name of the program, for lists of clients.
        headers: Further header fields of the handshake.
        timeout: How long `async with` waits for the first connection, in seconds.
        on_state: Called at each change of the connection's state.
        on_gap: Called for each subscription that goes on after the connection was lost.

    Raises:
        SluiceError: at the beginning of `async with`: `unreachable` when there is no connection in
            time, `refused` when the server does not take the client.
    """
    client = Client(address, token=token, name=name, headers=headers, timeout=timeout)
    client.connection.on_gap = on_gap
    if on_state:
        client.connection.on_state.append(on_state)
    return client


class Client:
    """A connection to a server, which is made again whenever it is lost."""

    def __init__(
        self, address: str, *, token: Token = None, name: str | None = None,
        headers: dict[str, str] | None = None, timeout: float = 10,
    ):
        self.connection = Connection(address, token, name, headers)
        self.connection.before_subscriptions = self._claim_again
        self._timeout = timeout
        # What `presence` has set: the server forgets it when a connection ends.
        self._claims: dict[str, Any] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    async def __aenter__(self) -> Client:
        self.start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._timeout):
                await self.connection.reached("live", "closed")
        if self.state.name != "live":
            state = self.state
            await self.close()
            code = "refused" if state.name == "closed" else "unreachable"
            raise SluiceError(code, f"no connection to {self.connection.url}: {state.reason or state.code}")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Connects, without waiting for it; after `closed`, tries again."""
        self.connection.start()

    async def close(self) -> None:
        """Ends the connection and all subscriptions."""
        await self.connection.stop()
        for task in self._tasks:
            task.cancel()

    @property
    def state(self) -> State:
        return self.connection.state

    # Listening

    @overload
    def node(self, target: str, type: Callable[[Any], T], **options: Unpack[Options]) -> Node[T]: ...

    @overload
    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]: ...

    def node(self, target: str, type: Any = None, **options: Unpack[Options]) -> Node[Any]:
        """The node `graph/node`, with values of a type (`sluice_client.values.reader` lists types)."""
        return Node(self, target, type, options)

    def watch(
        self, target: str | Mapping[str, Any], type: Any = None, *,
        owner: str | Iterable[str] = (), **options: Unpack[Options],
    ) -> Deliveries[Any]:
        """What a subscription delivers: of `graph/node`, of several nodes as `graph/a,b.*`, or of
        the fields of a `sub`, such as `{"graph": "house", "combine": {"a": "x", "b": "y"}}`."""
        return Deliveries(self._join({"op": "sub", **_target(target), **options}, type, owner))

    def values(
        self, target: str | Mapping[str, Any], type: Any = None, *,
        owner: str | Iterable[str] = (), **options: Unpack[Options],
    ) -> Values[Any]:
        """The values alone."""
        return Values(self._join({"op": "sub", **_target(target), **options}, type, owner))

    def link(
        self, graph: str, source: str, to: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Deliveries[Any]:
        """Lets the server set one node to each value of another, until the result is closed.

        It delivers what could not be set (`fail`), and the next value that could.
        """
        fields = {"op": "link", "graph": graph, "from": source, "to": to, **options}
        return Deliveries(self._join(fields, None, owner, shared=False))

    def sync(
        self, graph: str, a: str, b: str, *, owner: str | Iterable[str] = (), **options: Any
    ) -> Deliveries[Any]:
        """Keeps two nodes in step; `to_a` and `to_b` are expressions that convert between them."""
        fields = {"op": "sync", "graph": graph, "a": a, "b": b, **options}
        return Deliveries(self._join(fields, None, owner, shared=False))

    def observe(self, graph: str, **options: Any) -> Values[Any]:
        """What lives in a graph: its structure and values. It owns nothing."""
        fields = {"op": "observe", "graph": graph, "every": 250, **options}
        return Values(self._join(fields, None, (), shared=False))

    def demand(self, graph: str, nodes: str | Iterable[str]) -> Deliveries[dict[str, dict[str, Any]]]:
        """Which nodes clients want. `value` has all that are wanted; `m` has what has changed:
        `wanted`, and `load` when a value is to be set now."""
        names = [nodes] if isinstance(nodes, str) else list(nodes)
        return Deliveries(self._join({"op": "demand", "graph": graph, "nodes": names}, None, ()))

    def owner(self, name: str) -> Owner:
        """An owner of subscriptions, which ends them all at once."""
        return Owner(self, name)

    def _join(self, fields: Fields, type: Any, owner: str | Iterable[str], shared: bool = True) -> Any:
        owners = {owner} if isinstance(owner, str) else set(owner)
        return self.connection.subscriptions.join(fields, reader(type), owners, shared)

    # Reading

    async def get(
        self, target: str, type: Any = None, *, after: Mapping[str, Any] | None = None
    ) -> Any:
        """What a node holds now; None if it is empty. It owns nothing."""
        fields = _target(target)
        if "nodes" in fields:
            raise ValueError("of several nodes the answer is `get_many`'s")
        node = fields["node"]
        answer = await self.get_many(fields["graph"], [node], after=after)
        held = answer["m"].get(node, {})
        if fail := held.get("fail"):
            raise SluiceError(fail["code"], fail.get("msg"), target)
        if "v" not in held:
            return None
        try:
            return reader(type)(held["v"])
        except (TypeError, ValueError) as error:
            raise SluiceError("type_mismatch", str(error), target) from error

    async def get_many(
        self, graph: str, nodes: Iterable[str], *, after: Mapping[str, Any] | None = None
    ) -> Fields:
        """Several nodes at one revision: `{"rev", "epoch", "t", "m": {name: {"v": …}}}`."""
        position = {key: after[key] for key in ("epoch", "rev")} if after else None
        fields = {"op": "get", "graph": graph, "nodes": list(nodes), "after": position}
        return await self._read(fields, graph)

    async def list(self, on_changes: Callable[[list[str]], None] | None = None) -> list[Fields]:
        """The graphs there are; `on_changes` receives the names of those whose alarms change."""
        if on_changes:
            self.connection.on_changes = on_changes
        answer = await self._read({"op": "list", "changes": True if on_changes else None}, None)
        graphs: list[Fields] = answer["graphs"]
        return graphs

    async def _read(self, fields: Fields, path: str | None) -> Fields:
        # Before the first connection a read waits, because it can do no harm. A set does not.
        if self.state.name == "connecting":
            await self.connection.reached("live", "closed", "reconnecting")
        return await self.connection.request(_present(fields), path)

    # Setting

    async def set(self, target: str, value: Any, **options: Unpack[SetOptions]) -> Fields:
        """Sets a node; returns when the server has accepted it, with `epoch` and `rev`."""
        fields = _target(target)
        return await self._set(fields["graph"], {"set": {fields["node"]: value}}, target, options)

    async def set_many(
        self, graph: str, values: Mapping[str, Any], **options: Unpack[SetOptions]
    ) -> Fields:
        """Sets several nodes of a graph in one commit, or none of them."""
        return await self._set(graph, {"set": dict(values)}, graph, options)

    async def update(self, target: str, expression: str, **options: Unpack[SetOptions]) -> Fields:
        """Lets the server compute the next value: `update("house/count", "value + 1")`."""
        fields = _target(target)
        changes = {"set": {}, "update": {fields["node"]: expression}}
        return await self._set(fields["graph"], changes, target, options)

    async def update_many(
        self, graph: str, expressions: Mapping[str, str], **options: Unpack[SetOptions]
    ) -> Fields:
        """The same for several nodes in one commit; `values` of the answer has the results."""
        return await self._set(graph, {"set": {}, "update": dict(expressions)}, graph, options)

    async def wipe(self, graph: str, match: str = "*") -> Fields:
        """Clears the nodes that match, of those that the client may read and set."""
        return await self._set(graph, {"set": {}, "clear": [match]}, graph, {})

    async def load(self, target: str, **report: Any) -> Fields:
        """Reports the state of a value: `loading`, `progress`, `stale`, `error`."""
        return await self.connection.request({"op": "load", **_target(target), **report}, target)

    async def presence(self, target: str, value: Any = None) -> Fields | None:
        """Sets a node for as long as this client is connected; None clears it.

        With the next connection the client sets it again.
        """
        fields = _target(target)
        if value is None:
            self._claims.pop(target, None)
            changes = {"set": {}, "clear": [fields["node"]]}
            is_live = self.state.name == "live"
            return await self._set(fields["graph"], changes, target, {}) if is_live else None
        self._claims[target] = value
        return await self.set(target, value, presence=True) if self.state.name == "live" else None

    def _claim_again(self) -> None:
        for target, value in self._claims.items():
            task = asyncio.get_running_loop().create_task(self._claim(target, value))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _claim(self, target: str, value: Any) -> None:
        # Lost with the connection: the next one claims it again.
        with contextlib.suppress(SluiceError):
            await self.set(target, value, presence=True)

    async def _set(self, graph: str, changes: Fields, path: str, options: Mapping[str, Any]) -> Fields:
        given = {key.rstrip("_"): each for key, each in options.items()}
        fields = {"op": "set", "graph": graph, **changes, "key": secrets.token_hex(16), **given}
        return await self.connection.request(_present(fields), path)

    # The connection

    async def auth(self, token: str) -> Fields:
        """Shows another token; without a connection it is kept for the next one."""
        self.connection.token = token
        return await self.connection.request({"op": "auth", "token": token}, None)

    async def ping(self, patience: float = 4) -> float | None:
        """The round trip in milliseconds; None if there is no answer within so many seconds."""
        start = time.perf_counter()
        try:
            async with asyncio.timeout(patience):
                await self.connection.request({"op": "ping"}, None)
        except (SluiceError, TimeoutError):
            return None
        return (time.perf_counter() - start) * 1000


class Owner:
    """A part of a program that subscribes to several things and ends them all at once.

    Names are as in docs/protocol.md. It ends with `release()`, or at the end of `async with`, and
    may be used again.
    """

    def __init__(self, client: Client, name: str):
        self.client, self.name = client, name

    def watch(
        self, target: str | Mapping[str, Any], type: Any = None, **options: Unpack[Options]
    ) -> Deliveries[Any]:
        return self.client.watch(target, type, owner=self.name, **options)

    def values(
        self, target: str | Mapping[str, Any], type: Any = None, **options: Unpack[Options]
    ) -> Values[Any]:
        return self.client.values(target, type, owner=self.name, **options)

    def link(self, graph: str, source: str, to: str, **options: Any) -> Deliveries[Any]:
        return self.client.link(graph, source, to, owner=self.name, **options)

    def sync(self, graph: str, a: str, b: str, **options: Any) -> Deliveries[Any]:
        return self.client.sync(graph, a, b, owner=self.name, **options)

    def release(self) -> None:
        self.client.connection.subscriptions.release(self.name)

    async def __aenter__(self) -> Owner:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.release()


def _target(target: str | Mapping[str, Any]) -> Fields:
    """`graph/node` or `graph/a,b.*` as the fields of a message."""
    if not isinstance(target, str):
        return dict(target)
    graph, slash, node = target.partition("/")
    if not slash or not graph or not node:
        raise ValueError(f"'{target}' is not of the form graph/node")
    if set(node) & set("*?,"):
        return {"graph": graph, "nodes": node.split(",")}
    return {"graph": graph, "node": node}


def _present(fields: Fields) -> Fields:
    return {key: each for key, each in fields.items() if each is not None}


__all__ = ["Client", "Delivery", "Options", "Owner", "SetOptions", "connect"]
