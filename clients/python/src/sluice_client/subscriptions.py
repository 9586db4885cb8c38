"""The subscriptions of a client. They outlive its connections."""

from __future__ import annotations

import asyncio
import copy
import itertools
import random
from collections.abc import Callable
from typing import Any, Protocol

from .delivery import Delivery
from .errors import SluiceError, refusal
from .listening import Listener
from .options import Fields, present
from .values import encode, read_as

# A subscription outlives its last listener by this, in seconds: the next one may ask for the same.
LINGER = 0.25


class Wire(Protocol):
    """What subscriptions need of a connection."""

    is_started: bool
    is_ready: bool

    def send(self, message: Fields, waiting: Any = None) -> int:
        """Sends a message, and returns its number."""
        ...

    def has(self, number: int | None) -> bool:
        """Whether the server has the subscription with this number."""
        ...

    def forget(self, number: int | None) -> None:
        """Ignores what still comes for a number."""
        ...


class Subscription:
    """What one message `sub`, `link`, `sync`, `demand` or `observe` asks for."""

    def __init__(self, key: Any, fields: Fields, owners: set[str]):
        self.key, self.fields, self.owners = key, fields, owners
        self.listeners: list[Listener] = []
        self.number: int | None = None
        self.is_new = False
        # Where to go on, and what was lost on the way.
        self.cursor: Fields | None = None
        self.cut: Fields = {}
        # The last delivery as the server sent it, and of several nodes what each holds.
        self.entry: Fields | None = None
        self.last: Delivery[Any] | None = None
        self.values: dict[str, Any] = {}
        # Of several nodes with `facets`: the last delivery of each.
        self.parts: dict[str, Fields] = {}
        self.ended: str | None = None
        self.timer: asyncio.TimerHandle | None = None

    @property
    def has_names(self) -> bool:
        return bool(self.fields.get("nodes"))

    @property
    def is_pipeline(self) -> bool:
        """Whether it is more than nodes as they are."""
        is_node = "node" in self.fields and not self.fields.get("pipe")
        return self.fields["op"] == "sub" and not self.has_names and not is_node

    def cancel_timer(self) -> None:
        if self.timer:
            self.timer.cancel()


class Subscriptions:
    """All subscriptions of a client, by what they ask for."""

    def __init__(self, wire: Wire, on_gap: Callable[[Fields], None]):
        self.wire, self.on_gap = wire, on_gap
        self.all: dict[Any, Subscription] = {}
        self.numbers = itertools.count()

    # Listening

    def join(
        self, fields: Fields, read: Callable[[Any], Any], owners: set[str], shared: bool = True
    ) -> Listener:
        """Adds a listener to the subscription that asks for this, and makes one if there is none."""
        if not self.wire.is_started:
            raise SluiceError("not-connected", "the client is not open; use `async with`")
        # A further listener could not get the history, nor which of several nodes have changed.
        is_alone = not shared or bool(fields.get("nodes") or fields.get("history"))
        key = next(self.numbers) if is_alone else encode([sorted(fields.items()), sorted(owners)])
        found = self.all.get(key)
        subscription = found or Subscription(key, fields, owners)
        listener = Listener(
            read, keeps_all=fields.get("mode") == "all" or fields["op"] in ("observe", "demand"),
            leave=lambda listener: self._leave(subscription, listener),
        )
        subscription.cancel_timer()
        self.all[key] = subscription
        subscription.listeners.append(listener)
        # A further listener gets the value that the others have.
        if subscription.last and not subscription.ended:
            listener.put(self._read(listener, subscription.last.for_another()))
        self.ask(subscription)
        return listener

    def _leave(self, subscription: Subscription, listener: Listener) -> None:
        subscription.listeners.remove(listener)
        if subscription.listeners or self.all.get(subscription.key) is not subscription:
            return
        loop = asyncio.get_running_loop()
        linger = LINGER if isinstance(subscription.key, str) else 0
        subscription.timer = loop.call_later(linger, self._unsubscribe, subscription)

    def _unsubscribe(self, subscription: Subscription) -> None:
        if subscription.listeners:
            return
        self.all.pop(subscription.key, None)
        if self.wire.has(subscription.number):
            self.wire.send({"op": "unsub", "id": subscription.number})

    def release(self, owner: str) -> None:
        """Ends the subscriptions of an owner that have no other."""
        if self.wire.is_ready:
            self.wire.send({"op": "release", "owner": owner})
        for subscription in list(self.all.values()):
            if owner not in subscription.owners:
                continue
            del self.all[subscription.key]
            subscription.owners.discard(owner)
            if subscription.owners:
                # It goes on, but is no longer what an equal request would get.
                subscription.key = next(self.numbers)
                self.all[subscription.key] = subscription
            else:
                self._finish(subscription)

    def close(self) -> None:
        """Ends all of them."""
        for subscription in list(self.all.values()):
            self._finish(subscription)
        self.all.clear()

    def interrupt(self, error: SluiceError) -> None:
        """Ends iterators over values when there is to be no further connection.

        They would wait in vain. Iterators over deliveries go on if the program connects again.
        """
        for subscription in self.all.values():
            for listener in subscription.listeners:
                if listener.wants_values:
                    listener.put(Delivery(ended=error))

    def _finish(self, subscription: Subscription) -> None:
        subscription.cancel_timer()
        self.wire.forget(subscription.number)
        self._report_end(subscription, SluiceError("closed"))

    # Asking

    def ask(self, subscription: Subscription) -> None:
        """Subscribes, where the connection does not have the subscription."""
        has_it = self.wire.has(subscription.number)
        if not self.wire.is_ready or has_it or not subscription.listeners:
            return
        cursor = subscription.cursor
        message = {
            # A window, for example, outlives the connection; the server knows what has a memory.
            **({"keep": "auto"} if subscription.is_pipeline else {}),
            **subscription.fields,
            **({"owner": sorted(subscription.owners)} if subscription.owners else {}),
            **({"since": cursor} if cursor else {}),
        }
        if cursor:
            message.pop("history", None)
        subscription.is_new = True
        try:
            self.wire.send(present(message), subscription)
        except SluiceError as error:
            self._end(subscription, {"code": error.code, "msg": error.message})

    def resume(self, gap: float | None) -> None:
        """Asks a new connection for all subscriptions; the last one ended `gap` milliseconds ago."""
        for subscription in list(self.all.values()):
            subscription.cut["gap"] = gap
            if subscription.ended != "complete":
                self.ask(subscription)

    # What arrives

    def receive(self, subscription: Subscription, message: Fields) -> None:
        """Handles an answer to a subscription, or a message about it."""
        op = message["op"]
        if op in ("snap", "linked"):
            self._begin(subscription, message)
        elif op in ("end", "err"):
            self._end(subscription, message)
        elif op in ("topo", "topod"):
            self._notify(subscription, Delivery(value=message))
        elif op == "wanted":
            self._demanded(subscription, message["m"])

    def _begin(self, subscription: Subscription, message: Fields) -> None:
        """Handles the first answer: the present value, or what has happened since the cursor."""
        cursor, known = subscription.cursor, subscription.entry
        resumed, members = message.get("resumed"), message.get("m")
        entries = message.get("d") or []
        if resumed is False and cursor:
            self._note_loss(subscription, cursor, message)
        cut = present(subscription.cut)
        rev = message["rev"]
        subscription.cursor = {
            key: message[key] for key in ("epoch", "rev", "local", "ticket") if key in message
        }
        # What the whole does not name is no longer there.
        if not resumed and members is not None:
            for name in subscription.values:
                members.setdefault(name, {"gone": True})
        for entry in entries:
            self.deliver(subscription, entry, entry, history=not resumed)
        subscription.cursor["rev"] = rev
        is_known = (
            resumed is False and known is not None and members is None
            and subscription.fields.get("mode") != "all" and _content(known) == _content(message)
        )
        has_content = members is not None or bool(_content(message))
        # The last entry of a history may be the present value already.
        is_delivered = not resumed and bool(entries) and entries[-1]["rev"] == message.get("c", rev)
        if not is_known and not is_delivered and has_content:
            self.deliver(subscription, message, message)
        elif not is_known and is_delivered and "state" in message:
            self.deliver(subscription, {"state": message["state"]}, message)
        if subscription.ended and known is not None:
            self.deliver(subscription, known, {"rev": rev})
        if resumed is not None:
            about = {key: subscription.fields.get(key) for key in ("graph", "node", "nodes", "mode")}
            self.on_gap({**about, "epoch": message["epoch"], "rev": rev, **cut})

    @staticmethod
    def _note_loss(subscription: Subscription, cursor: Fields, message: Fields) -> None:
        """Losses add up until the next delivery, however often the connection breaks before it."""
        cut = subscription.cut
        cut["lost"] = True
        # Revs can be compared within one history only.
        if cursor["epoch"] == message["epoch"] and message["rev"] >= cursor["rev"]:
            cut["lostRevs"] = message["rev"] - cursor["rev"] + (cut.get("lostRevs") or 0)
        else:
            cut["lostRevs"] = None

    def deliver(
        self, subscription: Subscription, entry: Fields, commit: Fields, history: bool = False
    ) -> None:
        """Delivers an emission of a node, or of several in `m`, with the commit that it belongs to."""
        if subscription.fields.get("facets"):
            entry = _merged(subscription.entry, entry)
            for name, part in (entry.get("m") or {}).items():
                entry["m"][name] = subscription.parts[name] = _merged(subscription.parts.get(name), part)
        members = entry.get("m") or {}
        for name, part in members.items():
            if "v" in part:
                subscription.values[name] = part["v"]
            else:
                subscription.values.pop(name, None)
        cut, rev = subscription.cut, commit.get("rev")
        subscription.entry, subscription.cut, subscription.ended = entry, {}, None
        if subscription.cursor is not None:
            subscription.cursor["rev"] = rev
        # A loss is reported once, with the first delivery after it.
        self._notify(subscription, Delivery(
            value=dict(subscription.values) if subscription.has_names else entry.get("v"),
            rev=rev, epoch=(subscription.cursor or {}).get("epoch"), t=commit.get("t"), c=entry.get("c"),
            folded=entry.get("n", 1), empty=bool(entry.get("empty")), fail=entry.get("fail"),
            history=history, changed=list(members), m=members, more=entry.get("more"),
            state=entry.get("state"), same=bool(entry.get("same")),
            by=entry.get("by") if "path" in entry else commit.get("by"), ctx=commit.get("ctx"),
            path=entry.get("path"), origin=entry.get("origin"),
            gap=cut.get("gap"), lost=bool(cut.get("lost")), lost_revs=cut.get("lostRevs"),
        ))

    def _demanded(self, subscription: Subscription, members: dict[str, Fields]) -> None:
        """The first message of a connection names all nodes that are wanted, later ones the changes."""
        if subscription.is_new:
            for name in subscription.values:
                members.setdefault(name, {"wanted": False})
        subscription.is_new = False
        for name, part in members.items():
            if part.get("wanted"):
                subscription.values[name] = part
            else:
                subscription.values.pop(name, None)
        self._notify(subscription, Delivery(
            value=dict(subscription.values), m=members, changed=list(members),
        ))

    def _end(self, subscription: Subscription, message: Fields) -> None:
        code = message["code"]
        self.wire.forget(subscription.number)
        # It goes on with the next connection.
        if code == "shutdown":
            return
        if message.get("retry") or code == "slow":
            seconds = message.get("after", 1000) / 1000 * (1 + random.random() / 4)
            subscription.timer = asyncio.get_running_loop().call_later(seconds, self.ask, subscription)
        path = "/".join(filter(None, (subscription.fields.get("graph"), subscription.fields.get("node"))))
        self._report_end(subscription, refusal(message, path))

    @staticmethod
    def _report_end(subscription: Subscription, error: SluiceError) -> None:
        subscription.ended = error.code
        for listener in list(subscription.listeners):
            listener.put(Delivery(ended=error))
            if error.code in ("done", "complete", "closed"):
                listener.close()

    def _notify(self, subscription: Subscription, delivery: Delivery[Any]) -> None:
        if subscription.fields["op"] == "sub":
            subscription.last = delivery
        for listener in list(subscription.listeners):
            listener.put(self._read(listener, delivery))

    @staticmethod
    def _read(listener: Listener, delivery: Delivery[Any]) -> Delivery[Any]:
        """As the type that the listener asks for."""
        own = copy.copy(delivery)
        if delivery.has_value:
            try:
                own.value = read_as(listener.read, delivery.value, None)
            except SluiceError as error:
                own.value, own.fail = None, {"code": error.code, "msg": error.message}
        return own


def _content(message: Fields) -> Fields:
    """What a delivery says about its node."""
    return {key: message[key] for key in ("v", "empty", "fail", "state") if key in message}


def _merged(known: Fields | None, news: Fields) -> Fields:
    """With `facets` a delivery may lack the state or the value: what was known of it still holds."""
    if any(news.get(key) for key in ("empty", "fail", "gone", "m")) or "v" in news:
        state = {"state": known["state"]} if known and "state" in known else {}
        return {**state, **{key: each for key, each in news.items() if key != "same"}}
    return {**(known or {}), **news, "n": 1, "same": True}
