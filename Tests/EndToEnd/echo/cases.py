"""What a WebSocket server must do, as data: (name, what is sent piece by piece, what is heard up to the end).

The families are those of the Autobahn test suite: 1 framing, 2 pings and pongs, 3 reserved bits, 4
opcodes, 5 fragmentation, 6 UTF-8, 7 closing, 9 sizes, 10 automatic fragmentation. Compression (12,
13) has a file of its own.

A case that is not cut short by a failure ends with the client's close frame 1000 and the server's answer.
"""

import struct

from echo.peer import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, close, fragments, frame

CASES = []


def case(name, send, expect, chop=True):
    CASES.append((name, send, expect, chop))


def fine(name, send, expect, chop=True):
    case(name, [*send, close()], [*expect, ("close", 1000)], chop)


def fails(name, send, before=(), code=1002, chop=True):
    case(name, send, [*before, ("close", code)], chop)



# 1: framing
for kind, opcode in (("text", TEXT), ("binary", BINARY)):
    for size in (0, 1, 124, 125, 126, 127, 128, 255, 256, 65534, 65535, 65536, 65537):
        payload = (b"*" if opcode == TEXT else b"\xfe") * size
        fine(f"1 {kind} of {size} bytes", [frame(opcode, payload)], [(kind, payload)], chop=size < 300)
    for mask in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\x02\x03\x04"):
        fine(
            f"1 {kind} masked with {mask.hex()}", [frame(opcode, b"Hello, mask", mask=mask)],
            [(kind, b"Hello, mask")],
        )
for size in (126, 300, 65536):
    for chop in (1, 7, 997):
        data = frame(TEXT, b"*" * size)
        pieces = [data[i:i + chop] for i in range(0, len(data), chop)]
        if len(pieces) <= 1000:
            fine(f"1 text of {size} bytes in pieces of {chop}", pieces, [("text", b"*" * size)], chop=False)
for opcode in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
    fails(f"1 opcode {opcode} without a mask", [frame(opcode, b"", mask=False)])
for size in (0, 1, 125):
    fails(f"1 {size} bytes announced in 16 bits", [b"\x81\xfe" + struct.pack(">H", size) + b"\0\0\0\0"])
for size in (0, 125, 65535):
    fails(f"1 {size} bytes announced in 64 bits", [b"\x82\xff" + struct.pack(">Q", size) + b"\0\0\0\0"])
fails("1 a length with its highest bit set", [b"\x82\xff" + struct.pack(">Q", 1 << 63) + b"\0\0\0\0"])
fails(
    "1 a length beyond every limit", [b"\x82\xff" + struct.pack(">Q", (1 << 63) - 1) + b"\0\0\0\0"], code=1009
)

# 2: pings and pongs
for name, payload in (
    ("empty", b""),
    ("text", b"Hello, world!"),
    ("binary", b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff"),
    ("of 124 bytes", b"\xfe" * 124),
    ("of 125 bytes", b"\xfe" * 125),
):
    fine(f"2 ping {name}", [frame(PING, payload)], [("pong", payload)])
    fine(f"2 pong {name} that nobody asked for", [frame(PONG, payload)], [])
for size in (126, 127, 65536):
    fails(f"2 ping of {size} bytes", [frame(PING, b"\xfe" * size)], chop=False)
    fails(f"2 pong of {size} bytes", [frame(PONG, b"\xfe" * size)], chop=False)
fine("2 pong, then ping", [frame(PONG, "unsolicited"), frame(PING, "a")], [("pong", b"a")])
fine(
    "2 ten pings", [frame(PING, f"p{i}") for i in range(10)], [("pong", f"p{i}".encode()) for i in range(10)]
)
fine("2 ping after text", [frame(TEXT, "a"), frame(PING, "p")], [("text", b"a"), ("pong", b"p")])
fails("2 ping fragmented", [frame(PING, "a", fin=False)])
fails("2 pong fragmented", [frame(PONG, "a", fin=False)])
fails("2 continuation of a ping", [frame(PING, "a"), frame(CONTINUATION, "b")], [("pong", b"a")])

# 3: reserved bits
for rsv in range(1, 8):
    for name, opcode in (
        ("text", TEXT),
        ("binary", BINARY),
        ("ping", PING),
        ("pong", PONG),
        ("close", CLOSE),
    ):
        payload = struct.pack(">H", 1000) if opcode == CLOSE else b"x"
        fails(f"3 bits {rsv:03b} on {name}", [frame(opcode, payload, rsv=rsv)])
    fails(f"3 bits {rsv:03b} on an empty text", [frame(TEXT, rsv=rsv)])
    fails(f"3 bits {rsv:03b} after a text", [frame(TEXT, "a"), frame(TEXT, "b", rsv=rsv)], [("text", b"a")])
    fails(f"3 bits {rsv:03b} after a ping", [frame(PING, "a"), frame(TEXT, "b", rsv=rsv)], [("pong", b"a")])
    fails(
        f"3 bits {rsv:03b} on a continuation",
        [frame(TEXT, "a", fin=False), frame(CONTINUATION, "b", rsv=rsv)],
    )
    fails(
        f"3 bits {rsv:03b}, then a ping that is not answered",
        [frame(TEXT, "a"), frame(TEXT, rsv=rsv), frame(PING)],
        [("text", b"a")],
    )

# 4: opcodes that mean nothing
for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
    fails(f"4 opcode {opcode}", [frame(opcode)])
    fails(f"4 opcode {opcode} with payload", [frame(opcode, "reserved")])
    fails(f"4 opcode {opcode} after text", [frame(TEXT, "a"), frame(opcode), frame(PING)], [("text", b"a")])
    fails(f"4 opcode {opcode} not final", [frame(opcode, fin=False)])
    fails(f"4 opcode {opcode} within a message", [frame(TEXT, "a", fin=False), frame(opcode, "b")])

# 5: fragmentation
two = fragments(TEXT, ["fragment1", "fragment2"])
whole = [("text", b"fragment1fragment2")]
fine("5 two fragments", two, whole)
fine("5 two fragments in one write", [b"".join(two)], whole)
fine("5 a ping between", [two[0], frame(PING, "p"), two[1]], [("pong", b"p"), *whole])
fine("5 a pong between", [two[0], frame(PONG, "p"), two[1]], whole)
fine("5 ten pings between", [two[0], *[frame(PING, "p")] * 10, two[1]], [*[("pong", b"p")] * 10, *whole])
for count in (3, 5, 50):
    pieces = [f"f{i}," for i in range(count)]
    fine(f"5 {count} fragments", fragments(TEXT, pieces), [("text", "".join(pieces).encode())])
    with_pings = [part for piece in fragments(TEXT, pieces) for part in (piece, frame(PING, "x"))]
    expect = [("pong", b"x")] * (count - 1) + [("text", "".join(pieces).encode()), ("pong", b"x")]
    fine(f"5 {count} fragments with pings between", with_pings, expect)
fine("5 empty fragments", fragments(TEXT, ["", "", ""]), [("text", b"")])
fine("5 empty, full, empty", fragments(TEXT, ["", "middle", ""]), [("text", b"middle")])
fine("5 binary fragments", fragments(BINARY, [b"\xff", b"\xfe", b""]), [("binary", b"\xff\xfe")])
fine("5 two fragmented messages", two + fragments(BINARY, [b"1", b"2"]), [*whole, ("binary", b"12")])
for fin in (True, False):
    fails(
        f"5 a continuation frame without a message to continue, final: {fin}",
        [frame(CONTINUATION, "a", fin=fin)],
    )
    fails(f"5 a continuation after a whole message, final: {fin}",
          [frame(TEXT, "a"), frame(CONTINUATION, "b", fin=fin)], [("text", b"a")])
    fails(f"5 a continuation after fragments, final: {fin}", [*two, frame(CONTINUATION, "b", fin=fin)], whole)
    for opcode in (TEXT, BINARY):
        fails(f"5 opcode {opcode} within a message, final: {fin}", [two[0], frame(opcode, "b", fin=fin)])
fails("5 continuation, text, continuation", [frame(CONTINUATION, "a", fin=False), *two])

# 6: UTF-8
VALID = {
    "the word kosme": "κόσμε", "first of 1 byte": "\0", "first of 2 bytes": "\x80",
    "first of 3 bytes": "\u0800", "first of 4 bytes": "\U00010000", "last of 1 byte": "\x7f",
    "last of 2 bytes": "\u07ff", "last of 3 bytes": "\uffff", "last of all": "\U0010ffff",
    "before the surrogates": "\ud7ff", "behind the surrogates": "\ue000",
    "the replacement character": "\ufffd", "noncharacter FFFE": "\ufffe", "noncharacter 1FFFF": "\U0001ffff",
    "private use": "\ue000\U000f0000", "a mixture": "Hello-µ@ßöäüàá-UTF-8!!", "emoji": "😀🏳️‍🌈" * 20,
    "BOM": "\ufeffa", "ASCII and one at the end": "a" * 63 + "€", "one at the start": "€" + "a" * 63,
    "controls": "\x01\x02\t\r\n\x1f",
}
INVALID = {
    "a lone continuation 80": "80", "a lone continuation bf": "bf", "two continuations": "80bf",
    "nine": "80bf80bf80bf80bf80", "every continuation": bytes(range(0x80, 0xC0)).hex(),
    "2-byte start and a space": "c220", "3-byte start and a space": "e020",
    "4-byte start and a space": "f020", "5-byte start": "f8888080 80".replace(" ", ""),
    "6-byte start": "fc8480808080", "fe": "fe", "ff": "ff", "fefeffff": "fefeffff", "2 bytes, cut": "c3",
    "3 bytes, cut at 1": "e2", "3 bytes, cut at 2": "e282", "4 bytes, cut at 1": "f0",
    "4 bytes, cut at 2": "f09f", "4 bytes, cut at 3": "f09f98", "overlong slash in 2": "c0af",
    "overlong slash in 3": "e080af", "overlong slash in 4": "f08080af", "overlong slash in 5": "f8808080af",
    "overlong slash in 6": "fc80808080af", "overlong 7f in 2": "c1bf", "overlong 7ff in 3": "e09fbf",
    "overlong ffff in 4": "f08fbfbf", "overlong NUL in 2": "c080", "overlong NUL in 3": "e08080",
    "overlong NUL in 4": "f0808080", "surrogate d800": "eda080", "surrogate db7f": "edadbf",
    "surrogate dbff": "edafbf", "surrogate dc00": "edb080", "surrogate dfff": "edbfbf",
    "a pair of surrogates": "eda080edb080", "beyond the last": "f4908080", "f5": "f5808080", "f7": "f7bfbfbf",
    "cut before a character": "e282c3a4", "cut before ASCII": "f09f9841",
    "valid and one bad byte": "cebae1bdb9cf83cebcceb5eda080656469746564",
    "32 of ASCII and a bad byte": "61" * 32 + "ff", "31 of ASCII and a bad byte": "61" * 31 + "80",
    "bad in the middle of 80": "61" * 40 + "c0" + "61" * 39,
}
for name, text in VALID.items():
    data = text.encode("utf-8", "surrogatepass")
    fine(f"6 valid: {name}", [frame(TEXT, data)], [("text", data)])
    pieces = [data[i:i + 1] for i in range(len(data))]
    fine(
        f"6 valid, a fragment per byte: {name}", fragments(TEXT, pieces), [("text", data)],
        chop=len(data) < 100,
    )
    fine(f"6 valid, the end alone: {name}", fragments(TEXT, [data[:-1], data[-1:], b""]), [("text", data)])
for name, digits in INVALID.items():
    data = bytes.fromhex(digits)
    fails(f"6 invalid: {name}", [frame(TEXT, data)], code=1007)
    fails(
        f"6 invalid, between text: {name}", [frame(TEXT, b"ok"), frame(TEXT, b"a" + data + b"z")],
        [("text", b"ok")], code=1007,
    )
    pieces = [data[i:i + 1] for i in range(len(data))]
    fails(f"6 invalid, a fragment per byte: {name}", fragments(TEXT, pieces), code=1007)
    fine(f"6 the same as binary: {name}", [frame(BINARY, data)], [("binary", data)])
    if not any(word in name for word in ("cut at", ", cut")):
        # Refused before the message, and even the frame, is complete.
        fails(f"6 fail fast, message not ended: {name}", [frame(TEXT, b"a" + data, fin=False)], code=1007)
        fails(
            f"6 fail fast, frame not ended: {name}", [frame(TEXT, b"a" + data, size=len(data) + 1000)],
            code=1007,
        )

# 7: closing
for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999):
    case(f"7 code {code}", [close(code)], [("close", code)])
    case(f"7 code {code} with a reason", [close(code, "bye ä")], [("close", code)])
for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 1999, 2000, 2999, 5000, 9999, 65535):
    fails(f"7 code {code}, which must not be sent", [close(code)])
case("7 close without a code", [close(None)], [("close", None)])
fails("7 close of one byte", [frame(CLOSE, b"\x03")])
case("7 reason of 123 bytes", [close(1000, "*" * 123)], [("close", 1000)])
fails("7 reason of 124 bytes", [close(1000, "*" * 124)])
for name in ("surrogate d800", "overlong slash in 2", "2 bytes, cut", "ff"):
    fails(f"7 reason not UTF-8: {name}", [close(1000, b"a" + bytes.fromhex(INVALID[name]))], code=1007)
fails("7 close fragmented", [frame(CLOSE, struct.pack(">H", 1000), fin=False)])
case("7 close twice", [close(), close()], [("close", 1000)])
case("7 close, then ping", [close(), frame(PING, "p")], [("close", 1000)])
case("7 close, then text", [close(), frame(TEXT, "late")], [("close", 1000)])
case("7 close, then rubbish", [close(), b"\xff\xff\xff\xff"], [("close", 1000)])
case("7 close within a message", [two[0], close(), two[1]], [("close", 1000)])
case("7 text, then close", [frame(TEXT, "a"), close()], [("text", b"a"), ("close", 1000)])
case(
    "7 large text, then close", [frame(TEXT, b"a" * 262144), close()],
    [("text", b"a" * 262144), ("close", 1000)], False,
)
case("7 ping, then close", [frame(PING, "a"), close(3000)], [("pong", b"a"), ("close", 3000)])
case("7 close, then 256 KiB", [close(), frame(TEXT, b"a" * 262144)], [("close", 1000)], False)

# 10: fragments of one size
for size, piece in ((65536, 1300), (65536, 64), (10_000, 1)):
    data = bytes(32 + i % 90 for i in range(size))
    pieces = [data[i:i + piece] for i in range(0, size, piece)]
    fine(
        f"10 {size} bytes in fragments of {piece}", [b"".join(fragments(TEXT, pieces))], [("text", data)],
        chop=False,
    )


def sizes(nightly):
    """9: large messages, as one frame, in fragments, in pieces, and many small ones."""
    cases = []

    def add(name, send, expect):
        cases.append((name, [*send, close()], [*expect, ("close", 1000)]))

    text = ("Sluice €uro 😀 " * 40).encode()
    for size in (65536, 262144, 1 << 20, *((4 << 20, 8 << 20, 16 << 20) if nightly else ())):
        for kind, opcode in (("text", TEXT), ("binary", BINARY)):
            data = text * (size // len(text)) if opcode == TEXT else bytes(range(256)) * (size // 256)
            add(f"9 {kind} of {size} bytes", [frame(opcode, data)], [(kind, data)])
            for piece in (4096, 65536) if nightly else (65536,):
                pieces = [data[i:i + piece] for i in range(0, len(data), piece)]
                add(
                    f"9 {kind} of {size} bytes in fragments of {piece}", fragments(opcode, pieces),
                    [(kind, data)],
                )
    for chop in (64, 1024, 2048) if nightly else (1024,):
        data = frame(TEXT, text * 100)
        pieces = [data[i:i + chop] for i in range(0, len(data), chop)]
        add(f"9 text of {len(text) * 100} bytes in pieces of {chop}", pieces, [("text", text * 100)])
    for size in (0, 16, 64, 256, 1024, 4096):
        for kind, opcode in (("text", TEXT), ("binary", BINARY)):
            count = 10_000 if nightly else 300
            add(
                f"9 {count} {kind} messages of {size} bytes", [frame(opcode, b"x" * size) * count],
                [(kind, b"x" * size)] * count,
            )
    return cases
