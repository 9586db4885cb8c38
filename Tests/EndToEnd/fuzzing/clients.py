"""Clients that send many random operations at once and end in any way: a WebSocket, pipelined
requests, streams."""

import asyncio
import base64
import collections
import re
import socket
import struct
import time

from fuzzing import content, messages, routes
from fuzzing.world import Maker, compact

HEAD = re.compile(rb'\{"op":"(\w+)"(?:,"id":(\d+))?')
CODE = re.compile(rb'"code":"(\w+)"')
CURSOR = re.compile(rb'"epoch":"([^"]+)","rev":(\d+)')
TICKET = re.compile(rb'"ticket":"([^"]+)"')
TAG = re.compile(rb'ETag: "([^":]+):(\d+)"')
LENGTH = re.compile(rb"Content-Length: (\d+)")
# How clients end, as often as they stand here.
ENDS = ["drained", "drained", "drained", "closed", "fin", "reset", "reset", "silent"]
# Codes of close frames that clients of this kind may get; the others are faults.
CLOSES = {1000, 1001, 1005, 4400, 4401, 4403, 4408, 4429, 4503, 4508, 4510, 4529, 4580}


class Client(asyncio.Protocol):
    """One connection: sends bursts while few operations are unanswered, until it has sent its
    share, and ends."""

    kind = "client"

    def __init__(self, run, number, rng):
        self.run, self.world, self.number, self.rng = run, run.world, number, rng
        self.maker = Maker(rng, self.world)
        # The first one may do everything.
        self.token = self.maker.pick(self.world.tokens[:1] * 3 + self.world.tokens)
        self.left = rng.choice([3, 20, 60, 150, 300])
        self.most = rng.choice([1, 4, 16, 48])
        self.end = rng.choice(ENDS)
        self.buffer = bytearray()
        self.waiting = {}
        self.is_finishing, self.is_blocked, self.is_deaf = False, False, False
        self.transport = None
        self.heard = time.monotonic()

    # The connection

    def connection_made(self, transport):
        self.transport = transport
        self.begin()

    def connection_lost(self, _):
        self.run.ended(self)

    def eof_received(self):
        return False

    def pause_writing(self):
        self.is_blocked = True

    def resume_writing(self):
        self.is_blocked = False
        self.refill()

    def write(self, data):
        self.world.wrote(time.monotonic() - self.run.began, f"{self.kind}{self.number}", data)
        self.transport.write(data)

    def data_received(self, data):
        self.heard = time.monotonic()
        self.buffer += data
        self.read()
        self.refill()

    def is_stuck(self, seconds):
        """Whether it waits for an answer for so long."""
        return bool(self.waiting) and not self.is_deaf and time.monotonic() - self.heard > seconds

    # Sending

    def refill(self):
        if self.transport.is_closing() or self.is_blocked or self.is_deaf:
            return
        while not self.is_finishing and len(self.waiting) <= self.most // 2:
            if self.left <= 0 or self.run.is_over:
                return self.finish()
            count = min(self.left, self.rng.randint(1, self.most))
            self.left -= count
            self.run.count(count)
            if not self.waiting:
                self.heard = time.monotonic()
            self.write(self.burst(count))
            if self.transport.is_closing():
                return
        if self.is_finishing and self.end == "drained" and not self.waiting:
            self.drained()

    def finish(self):
        """No more operations: ends in the way that was drawn."""
        self.is_finishing = True
        if self.end == "drained":
            self.heard = time.monotonic()
            self.say_last()
        elif self.end == "closed":
            self.close_politely()
        elif self.end == "fin":
            self.half_close()
        elif self.end == "reset":
            self.reset()
        else:
            # Reads nothing more, and vanishes after a while.
            self.is_deaf = True
            self.transport.pause_reading()
            asyncio.get_running_loop().call_later(self.rng.random() * 0.5, self.reset)

    def half_close(self):
        """Sends FIN and reads on; the server closes."""
        self.is_deaf = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        asyncio.get_running_loop().call_later(0.3 + self.rng.random(), self.reset)

    def reset(self):
        if self.transport.is_closing():
            return
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def drained(self):
        self.transport.close()

    def wrong(self, text):
        self.world.fail(f"{self.kind}{self.number}: {text}")


class RequestClient(Client):
    """Requests of all routes, many in one segment."""

    kind = "http"

    def begin(self):
        self.skip, self.former = 0, b""
        self.waiting = collections.deque()
        self.refill()

    def burst(self, count):
        data = b""
        for _ in range(count):
            data += self.encode(routes.name(self.maker))
        return data

    def encode(self, name):
        request = routes.request(self.maker, name)
        self.waiting.append((name, request))
        data = routes.encode(request, self.run.host, self.token)
        if name == "removeGraph" and self.maker.chance(0.8):
            # Put again at once, before the others notice.
            again = routes.define_graph(self.maker, request.target.rsplit("/", 1)[1])
            self.waiting.append(("defineGraph", again))
            data += routes.encode(again, self.run.host, self.token)
        return data

    def say_last(self):
        self.write(self.encode("health"))

    def close_politely(self):
        self.write(f"GET /healthz HTTP/1.1\r\nHost: {self.run.host}\r\nConnection: close\r\n\r\n".encode())
        self.is_deaf = True
        asyncio.get_running_loop().call_later(2, self.reset)

    def read(self):
        while self.buffer:
            if self.skip:
                taken = min(self.skip, len(self.buffer))
                del self.buffer[:taken]
                self.skip -= taken
                continue
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.buffer[:end])
            if not head.startswith(b"HTTP/1.1 "):
                return self.wrong(f"this is no answer: {bytes(self.buffer[:600])!r}, after {self.former!r}")
            self.former = head
            status = int(head[9:12])
            if status == 100:
                del self.buffer[: end + 4]
                continue
            found = LENGTH.search(head)
            length = int(found[1]) if found and status not in (204, 304) else 0
            if status >= 400 and len(self.buffer) < end + 4 + length:
                return
            body = bytes(self.buffer[end + 4:end + 4 + length]) if status >= 400 else b""
            taken = min(len(self.buffer), end + 4 + length)
            self.skip = end + 4 + length - taken
            del self.buffer[:taken]
            if not self.waiting:
                if self.is_deaf:
                    continue
                return self.wrong(f"an answer to nothing: {head!r}")
            self.answered(*self.waiting.popleft(), status, head, body)

    def answered(self, name, request, status, head, body):
        if status < 400:
            self.world.tally["http", name, "ok"] += 1
            if request.graph and (tag := TAG.search(head)):
                self.world.learn(request.graph, tag[1].decode(), tag[2])
            if status not in self.run.documented[name]:
                self.wrong(f"{name} was answered {status}, which is not described: {request}")
            return
        found = CODE.search(body)
        code = found[1].decode() if found else "none"
        self.world.tally["http", name, code] += 1
        if name == "defineGraph":
            self.world.defined.pop(request.graph, None)
        if not self.run.expects(name, status, code):
            self.wrong(f"{name} was answered {status} {code}: {request} {body[:600]!r}")


class SocketClient(Client):
    """Messages of all operations over a WebSocket, single and as lists, many in one segment."""

    kind = "ws"

    def begin(self):
        self.is_open = False
        fields = f"Authorization: Bearer {self.token}\r\n" if self.token and self.rng.random() < 0.7 else ""
        self.write(upgrade("/v1/ws", self.run.host, "Sec-WebSocket-Protocol: sluice.v1.json\r\n" + fields))
        self.subjects, self.last = {}, None

    def refill(self):
        if self.is_open:
            super().refill()

    def burst(self, count):
        data, list_ = b"", []
        for _ in range(count):
            message = self.message(messages.word(self.maker))
            if self.rng.random() < 0.1 or list_:
                list_.append(message)
                if self.rng.random() < 0.3:
                    data += frame(compact(list_))
                    list_ = []
            else:
                data += frame(compact(message))
        return data + frame(compact(list_)) if list_ else data

    def message(self, word):
        fresh = self.maker.last_id
        message = messages.message(self.maker, word)
        id = message.get("id", 0)
        if id > fresh:
            self.waiting[id] = word
            if word in messages.LASTING:
                self.maker.ids.append(id)
                if len(self.maker.ids) > 60:
                    del self.maker.ids[0]
            if "keep" in message:
                self.subjects[id] = message
        return message

    def say_last(self):
        self.last = self.maker.id()
        self.waiting[self.last] = "ping"
        self.write(frame(compact({"op": "ping", "id": self.last})))

    def close_politely(self):
        self.write(frame(struct.pack(">H", 1000), 8))
        self.is_deaf = True
        asyncio.get_running_loop().call_later(2, self.reset)

    def drained(self):
        self.close_politely()

    def read(self):
        if not self.is_open:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if self.buffer[9:12] != b"101":
                if not (self.world.is_away or b"503" in self.buffer[:20]):
                    self.wrong(f"the upgrade was answered {bytes(self.buffer)!r}")
                return self.transport.close()
            del self.buffer[: end + 4]
            self.is_open = True
        position, buffer = 0, self.buffer
        while len(buffer) - position >= 2:
            opcode, length, start = buffer[position] & 0x0F, buffer[position + 1], position + 2
            if length == 126:
                if len(buffer) < start + 2:
                    break
                length, start = int.from_bytes(buffer[start:start + 2], "big"), start + 2
            elif length == 127:
                if len(buffer) < start + 8:
                    break
                length, start = int.from_bytes(buffer[start:start + 8], "big"), start + 8
            if len(buffer) < start + length:
                break
            payload = bytes(buffer[start:start + length])
            position = start + length
            if opcode == 1:
                self.received(payload)
            elif opcode == 9:
                # After its FIN a client cannot answer any more.
                if not self.is_deaf and not self.transport.is_closing():
                    self.transport.write(frame(payload, 10))
            elif opcode == 8:
                self.closed(payload)
                break
        del buffer[:position]

    def closed(self, payload):
        code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
        self.world.tally["close", self.kind, code] += 1
        if code not in CLOSES:
            self.wrong(f"closed with {code}: {payload[2:]!r}")
        self.waiting.clear()
        self.transport.close()

    def received(self, payload):
        if payload.startswith(b'{"op":"upd"'):
            return
        found = HEAD.match(payload)
        if not found:
            return self.wrong(f"a message of another form: {payload[:300]!r}")
        op, id = found[1], int(found[2] or 0)
        if op in (b"topod", b"hb", b"changes"):
            return
        word = self.waiting.pop(id, None)
        if op == b"err":
            code = CODE.search(payload)[1].decode()
            self.world.tally["ws", word, code] += 1
            if code not in self.run.codes or code == "internal":
                self.wrong(f"{word} was answered {payload[:600]!r}")
            return
        if op == b"end":
            code = CODE.search(payload)[1].decode()
            self.world.tally["end", self.kind, code] += 1
            if code == "done":
                self.world.tally["ws", "unsub", "ok"] += 1
            if code == "internal":
                self.wrong(f"a subscription ended: {payload[:600]!r}")
        if word:
            self.world.tally["ws", word, "ok"] += 1
            self.learn(op, id, payload)
            if word == "ping" and self.is_finishing and id == self.last and self.waiting:
                self.wrong(f"no answer to {list(self.waiting.items())[:5]}, though a later ping was answered")

    def learn(self, op, id, payload):
        if op == b"snap" and (message := self.subjects.pop(id, None)):
            if ticket := TICKET.search(payload):
                cursor = CURSOR.search(payload)
                since = {"epoch": cursor[1].decode(), "rev": int(cursor[2]), "ticket": ticket[1].decode()}
                subject = {
                    name: value
                    for name, value in message.items()
                    if name in messages.SUBJECTS or name in ("pipe", "map", "reduce")
                }
                self.world.tickets.append((message["graph"], subject, since))
                self.world.learn(message["graph"], since["epoch"], since["rev"])
        elif op == b"hello":
            self.world.connections.append(re.search(rb'"session":"([^"]+)"', payload)[1].decode())


class PlainClient(SocketClient):
    """A plain stream: values in both directions."""

    kind = "plain"

    def begin(self):
        self.is_open = False
        self.left = min(self.left, 40)
        graph, node = self.maker.graph(), self.maker.node()
        path = f"/v1/graphs/{graph}/nodes/{node}{self.rng.choice(['', '?facets=1', '?mode=all'])}"
        self.write(
            upgrade(path, self.run.host, f"Authorization: Bearer {self.token}\r\n" if self.token else "")
        )

    def burst(self, count):
        return b"".join(frame(compact(content.value(self.rng))) for _ in range(count))

    def refill(self):
        # There are no answers: it sends something now and then.
        if self.is_open and not self.is_finishing and not self.transport.is_closing():
            super(SocketClient, self).refill() if self.left <= 0 or self.run.is_over else self.send_some()

    def send_some(self):
        count = min(self.left, self.rng.randint(1, 5))
        self.left -= count
        self.run.count(count)
        self.write(self.burst(count))
        asyncio.get_running_loop().call_later(0.02, self.refill)

    def say_last(self):
        self.close_politely()

    def read(self):
        if not self.is_open and self.buffer[9:12] not in (b"", b"101"):
            code = CODE.search(self.buffer)
            self.world.tally["plain", "open", code and code[1].decode()] += 1
            return self.transport.close()
        super().read()

    def received(self, payload):
        self.world.tally["plain", "value", "ok"] += 1


class EventClient(Client):
    """Server-sent events, until it has had enough of them."""

    kind = "sse"

    def begin(self):
        self.is_answered = False
        maker, rng = self.maker, self.rng
        graph = maker.graph()
        query = "&".join(f"node={maker.node()}" for _ in range(rng.randint(1, 3)))
        query += rng.choice(["", "&mode=all", "&every=20", "&facets=1", "&load=1"])
        if rng.random() < 0.4:
            query += "&pipe=" + routes.quote(compact(content.pipe(rng)))
        last = f"Last-Event-ID: {maker.epoch(graph)}:{maker.rev(graph)}\r\n" if rng.random() < 0.3 else ""
        token = f"Authorization: Bearer {self.token}\r\n" if self.token else ""
        self.run.count(1)
        self.write(
            (
                f"GET /v1/graphs/{graph}/events?{query} HTTP/1.1\r\n"
                f"Host: {self.run.host}\r\n{last}{token}\r\n"
            ).encode()
        )
        self.end = rng.choice(["fin", "reset", "silent"])
        asyncio.get_running_loop().call_later(rng.random(), self.leave)

    def leave(self):
        if not self.transport.is_closing():
            self.finish()

    def refill(self):
        pass

    def read(self):
        if not self.is_answered and (found := CODE.search(self.buffer)) and self.buffer[9:12] != b"200":
            self.is_answered, code = True, found[1].decode()
            self.world.tally["http", "streamEvents", code] += 1
            if not self.run.expects("streamEvents", int(self.buffer[9:12]), code):
                self.wrong(f"events were answered {bytes(self.buffer)!r}")
            self.transport.close()
        elif not self.is_answered and b"event: " in self.buffer:
            self.is_answered = True
            self.world.tally["http", "streamEvents", "ok"] += 1
        if self.is_answered:
            self.buffer.clear()


# How often each kind comes.
KINDS = [RequestClient] * 5 + [SocketClient] * 6 + [PlainClient] + [EventClient]


def upgrade(path, host, fields):
    key = base64.b64encode(b"0123456789abcdef").decode()
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {key}\r\n{fields}\r\n"
    ).encode()


def frame(payload, opcode=1):
    """A frame under the mask 0, which changes nothing and costs nothing (RFC 6455 §5.3)."""
    if isinstance(payload, str):
        payload = payload.encode()
    length = len(payload)
    head = bytes([0x80 | opcode, 0x80 | (length if length < 126 else 126 if length < 65536 else 127)])
    if length >= 126:
        head += struct.pack(">H" if length < 65536 else ">Q", length)
    return head + b"\0\0\0\0" + payload
