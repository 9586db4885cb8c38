"""A client of /v1/diagnostics/echo that sends any bytes and keeps everything it hears."""

import base64
import os
import re
import socket
import struct
import zlib

from rawsocket import RawSocket

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
NAMES = {
    TEXT: "text", BINARY: "binary", CLOSE: "close", PING: "ping", PONG: "pong", CONTINUATION: "continuation",
}


def masked(payload, mask):
    """Large payloads in one operation instead of one per byte."""
    whole = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")).to_bytes(len(payload), "big")


def frame(opcode, payload=b"", fin=True, rsv=0, mask=None, size=None):
    """One client's frame; `size` announces another length, `mask=False` leaves the mask out."""
    payload = payload.encode() if isinstance(payload, str) else payload
    size = len(payload) if size is None else size
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    bit = 0 if mask is False else 0x80
    if size < 126:
        head += bytes([bit | size])
    elif size < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", size)
    if mask is False:
        return head + payload
    mask = os.urandom(4) if mask is None else mask
    return head + mask + masked(payload, mask)


def close(code=1000, reason=b""):
    reason = reason.encode() if isinstance(reason, str) else reason
    return frame(CLOSE, b"" if code is None else struct.pack(">H", code) + reason)


def fragments(opcode, pieces, rsv=0):
    """The frames of one message, a fragment for each piece."""
    return [
        frame(opcode if i == 0 else CONTINUATION, piece, fin=i == len(pieces) - 1, rsv=rsv if i == 0 else 0)
        for i, piece in enumerate(pieces)
    ]


class EchoPeer(RawSocket):
    def __init__(self, server, extensions=None, timeout=20):
        super().__init__(server, timeout)
        # Small pieces must leave one by one, and at once.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        offer = "".join(f"Sec-WebSocket-Extensions: {value}\r\n" for value in extensions or [])
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(
            f"GET /v1/diagnostics/echo HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nConnection: "
            "Upgrade\r\n"
            f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{offer}\r\n"
        )
        lines = self.until(b"\r\n\r\n").decode().split("\r\n")
        self.status = int(lines[0].split()[1])
        fields = dict(line.lower().split(": ", 1) for line in lines[1:])
        self.agreed = fields.get("sec-websocket-extensions")
        self.deflate = self.agreed and Deflate(self.agreed)

    def next(self):
        """The next frame, (opcode, payload, rsv)."""
        first, second = self.exactly(2)
        assert second & 0x80 == 0, "a server must not mask (RFC 6455 §5.1)"
        assert first & 0x80, "the echo does not fragment"
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack(">H", self.exactly(2))
            assert size > 125, "a length is not in its shortest form"
        elif size == 127:
            (size,) = struct.unpack(">Q", self.exactly(8))
            assert size > 65535, "a length is not in its shortest form"
        return first & 0x0F, self.exactly(size), first >> 4 & 7

    def heard(self):
        """Everything up to the end of the stream: [("text", bytes), …, ("close", code)]."""
        lines = []
        while True:
            try:
                opcode, payload, rsv = self.next()
            except EOFError:
                assert not self.buffer, "a frame is cut off"
                return lines
            lines.append(self.line(opcode, payload, rsv))

    def line(self, opcode, payload, rsv):
        if opcode == CLOSE:
            assert rsv == 0
            code = struct.unpack(">H", payload[:2])[0] if payload else None
            payload[2:].decode()
            return ("close", code)
        if rsv == 4:
            assert self.deflate, "the first reserved bit was not agreed on"
            payload = self.deflate.inflate(payload)
            rsv = 0
        assert rsv == 0
        return (NAMES[opcode], payload)


class Deflate:
    """The client's side of permessage-deflate, by Python's zlib, keeping to what was agreed on."""

    def __init__(self, agreed):
        parts = [part.strip() for part in agreed.split(";")]
        assert parts[0] == "permessage-deflate", agreed
        values = dict((part + "=").split("=")[:2] for part in parts[1:])
        assert all(
            re.fullmatch("(server|client)_(no_context_takeover|max_window_bits)", name) for name in values
        )
        self.client_bits = int(values.get("client_max_window_bits", 15))
        self.server_bits = int(values.get("server_max_window_bits", 15))
        self.client_forgets = "client_no_context_takeover" in values
        self.server_forgets = "server_no_context_takeover" in values
        self.values = values
        self.deflater = self.inflater = None

    def deflate(self, message):
        if self.deflater is None or self.client_forgets:
            # zlib has no window of 2^8; in one of 2^9 it refers no further back either.
            self.deflater = zlib.compressobj(6, zlib.DEFLATED, -max(self.client_bits, 9))
        data = self.deflater.compress(message) + self.deflater.flush(zlib.Z_SYNC_FLUSH)
        assert not data or data.endswith(b"\0\0\xff\xff")
        return data[:-4] or b"\0"

    def inflate(self, payload):
        if self.inflater is None or self.server_forgets:
            # The window is the one agreed on and no larger: what refers further back fails here.
            self.inflater = zlib.decompressobj(-self.server_bits)
        data = self.inflater.decompress(payload + b"\0\0\xff\xff")
        assert not self.inflater.unconsumed_tail
        return data
