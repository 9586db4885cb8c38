"""Sockets without a library between the test and the bytes: for hostile input and for clients that vanish."""

import base64
import json
import os
import socket
import struct

from sluice import PATIENCE


class RawSocket:
    def __init__(self, server, timeout=PATIENCE, receive_buffer=None, secure=False, source=None):
        self.socket = socket.socket()
        self.socket.settimeout(timeout)
        if receive_buffer:
            # Before connecting, so that the kernel neither offers more nor makes it larger by
            # itself.
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect((server.host, server.port))
        if secure:
            self.socket = server.trust.wrap_socket(self.socket, server_hostname="localhost")
        self.server = server
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def receive(self):
        """More bytes into the buffer; False at the end of the stream or after a reset."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self.buffer += data
        return bool(data)

    def until(self, mark):
        while mark not in self.buffer:
            if not self.receive():
                raise EOFError(f"closed before {mark!r}: {self.buffer!r}")
        head, self.buffer = self.buffer.split(mark, 1)
        return head

    def exactly(self, count):
        while len(self.buffer) < count:
            if not self.receive():
                raise EOFError(f"closed with {len(self.buffer)} of {count} bytes")
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def response(self):
        """(status, headers with lower-case names, body) of the next response."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        return int(lines[0].split()[1]), headers, self.exactly(int(headers.get("content-length", 0)))

    def closed(self, seconds=PATIENCE):
        """True once the peer has closed; what it still sent stays in the buffer. False if no byte
        comes for so long."""
        self.socket.settimeout(seconds)
        try:
            while self.receive():
                pass
        except TimeoutError:
            return False
        return True

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def frame(opcode, payload=b"", fin=True, masked=True, rsv=0):
    """One WebSocket frame as a client sends it (RFC 6455 §5.2)."""
    if isinstance(payload, str):
        payload = payload.encode()
    head = bytes([(0x80 if fin else 0) | rsv << 4 | opcode])
    bit = 0x80 if masked else 0
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    elif len(payload) < 65536:
        head += bytes([bit | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(byte ^ mask[i & 3] for i, byte in enumerate(payload))


class RawWebSocket(RawSocket):
    """A client that speaks frames by hand."""

    def __init__(
        self, server, path="/v1/ws", protocol="sluice.v1.json", timeout=PATIENCE, fields="", **options
    ):
        super().__init__(server, timeout, **options)
        key = base64.b64encode(os.urandom(16)).decode()
        offer = f"Sec-WebSocket-Protocol: {protocol}\r\n" if protocol else ""
        self.send(
            f"GET {path} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nConnection: Upgrade\r\nUpgrade: "
            "websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{offer}{fields}\r\n"
        )
        status = self.until(b"\r\n\r\n").split(b" ", 2)[1]
        assert status == b"101", (status, self.buffer)

    def text(self, message):
        self.send(frame(1, message if isinstance(message, (str, bytes)) else json.dumps(message)))

    def next_frame(self):
        first, second = self.exactly(2)
        assert second & 0x80 == 0, "a server must not mask (RFC 6455 §5.1)"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack(">H", self.exactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.exactly(8))
        return first & 0x0F, self.exactly(length)

    def message(self):
        """The next text message as JSON, pings left unanswered; a close frame raises `Closed`."""
        while True:
            opcode, payload = self.next_frame()
            if opcode == 1:
                return json.loads(payload)
            if opcode == 8:
                raise Closed(payload)

    def close_code(self):
        """Reads on until the close frame and returns its code."""
        try:
            while True:
                self.message()
        except Closed as closed:
            return closed.code

    def subscribe(self, graph, node, id=1, **options):
        self.text({"op": "sub", "id": id, "graph": graph, "node": node, **options})
        answer = self.message()
        assert answer["op"] == "snap" and answer["id"] == id, answer
        return answer


class Closed(Exception):
    def __init__(self, payload):
        self.code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
        self.reason = payload[2:].decode()
        super().__init__(self.code, self.reason)
