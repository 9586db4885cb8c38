"""RFC 6455 and RFC 7692 over the echo path, as raw bytes; the cases are in echo/."""

import os
import random
import threading
import zlib

import pytest
from echo.cases import CASES, sizes
from echo import deflate
from echo.peer import BINARY, CLOSE, CONTINUATION, PING, TEXT, EchoPeer, close, fragments, frame
from sluice import Server, eventually

CONFIGURATION = """
diagnostics: { echo: true }
compression: %s
limits: { message: 32MiB, unsentHard: 128MiB } # fixed: limits.unsent=64MiB
"""


@pytest.fixture(scope="module")
def plain():
    with Server(config=CONFIGURATION % "off") as running:
        yield running


@pytest.fixture(scope="module")
def full():
    with Server(config=CONFIGURATION % "full") as running:
        yield running


def exchange(server, pieces, extensions=None):
    """Sends the pieces, and returns all that came back up to the end of the stream."""
    with EchoPeer(server, extensions) as peer:
        def send():
            try:
                for piece in pieces:
                    peer.send(piece)
            except OSError:
                pass  # The server may have refused before the last piece.

        # What is large is echoed while it is sent.
        sender = threading.Thread(target=send)
        sender.start()
        heard = peer.heard()
        sender.join()
        return heard


@pytest.mark.parametrize("send, expect, chop", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(plain, send, expect, chop):
    assert exchange(plain, send) == expect
    assert exchange(plain, [b"".join(send)]) == expect
    if chop:
        # Byte by byte; the kernel may put some together again, which the unit tests' splits make up
        # for.
        whole = b"".join(send)
        assert exchange(plain, [whole[i:i + 1] for i in range(len(whole))]) == expect


def test_sizes(plain):
    for name, send, expect in sizes(os.environ.get("SLUICE_NIGHTLY")):
        assert exchange(plain, send) == expect, name


def test_there_are_several_hundred_cases():
    assert len(CASES) > 500
    assert len({case[0] for case in CASES}) == len(CASES)


# Compression: what is offered, what is agreed on, what comes back.

NIGHTLY = bool(os.environ.get("SLUICE_NIGHTLY"))


@pytest.mark.parametrize(
    "offers, agreed", [offer[1:] for offer in deflate.OFFERS], ids=[o[0] for o in deflate.OFFERS]
)
def test_offers(full, offers, agreed):
    with EchoPeer(full, offers) as peer:
        assert peer.status == 101
        assert peer.agreed == agreed
        # Whatever was agreed on is kept to, and messages that are not compressed are taken as well.
        for message in deflate.messages("text", 3000, 3):
            if peer.deflate:
                peer.send(frame(BINARY, peer.deflate.deflate(message), rsv=4))
                assert peer.line(*peer.next()) == ("binary", message)
            peer.send(frame(BINARY, message))
            assert peer.line(*peer.next()) == ("binary", message)
        peer.send(close())
        assert peer.heard() == [("close", 1000)]


@pytest.mark.parametrize("offers", deflate.MALFORMED)
def test_a_malformed_field_refuses_the_upgrade(full, plain, offers):
    for server in (full, plain):
        with EchoPeer(server, [offers]) as peer:
            assert peer.status == 400


@pytest.mark.parametrize("parameters", deflate.PARAMETERS)
@pytest.mark.parametrize("kind", deflate.KINDS)
def test_messages(full, kind, parameters):
    randomness = random.Random(f"{kind} {parameters}")
    opcode, name = (TEXT, "text") if kind == "text" else (BINARY, "binary")
    with EchoPeer(full, [f"permessage-deflate{parameters}"]) as peer:
        assert peer.agreed
        for size in deflate.SIZES:
            for message in deflate.messages(kind, size, 1000 if NIGHTLY else 2):
                payload = peer.deflate.deflate(message)
                pieces = [payload]
                while randomness.random() < 0.4 and len(pieces[-1]) > 1:
                    place = randomness.randrange(1, len(pieces[-1]))
                    pieces[-1:] = [pieces[-1][:place], pieces[-1][place:]]
                peer.send(b"".join(fragments(opcode, pieces, rsv=4)))
                assert peer.line(*peer.next()) == (name, message)
        peer.send(close())
        assert peer.heard() == [("close", 1000)]


def test_a_small_answer_is_compressed_too_in_mode_full(full):
    with EchoPeer(full, ["permessage-deflate"]) as peer:
        peer.send(frame(TEXT, "a" * 40))
        opcode, payload, rsv = peer.next()
        assert rsv == 4 and len(payload) < 20
        assert peer.line(opcode, payload, rsv) == ("text", b"a" * 40)


HELLO = bytes.fromhex("f248cdc9c90700")


@pytest.mark.parametrize(
    "send, expect",
    [
        ([frame(TEXT, HELLO, rsv=4)], [("text", b"Hello"), ("close", 1000)]),
        (fragments(TEXT, [HELLO[:3], HELLO[3:]], rsv=4), [("text", b"Hello"), ("close", 1000)]),
        (
            [frame(TEXT, HELLO[:3], fin=False, rsv=4), frame(PING, "p"), frame(CONTINUATION, HELLO[3:])],
            [("pong", b"p"), ("text", b"Hello"), ("close", 1000)],
        ),
        (
            [frame(TEXT, bytes.fromhex("000500faff48656c6c6f00"), rsv=4)],
            [("text", b"Hello"), ("close", 1000)],
        ),
        ([frame(TEXT, bytes.fromhex("f348cdc9c9070000"), rsv=4)], [("text", b"Hello"), ("close", 1000)]),
        (
            [frame(TEXT, bytes.fromhex("f24805000000ffffcac9c90700"), rsv=4)],
            [("text", b"Hello"), ("close", 1000)],
        ),
        (
            [frame(TEXT, HELLO, rsv=4), frame(TEXT, bytes.fromhex("f200110000"), rsv=4)],
            [("text", b"Hello"), ("text", b"Hello"), ("close", 1000)],
        ),
        ([frame(TEXT, b"\0", rsv=4)], [("text", b""), ("close", 1000)]),
        ([frame(TEXT, HELLO, rsv=4, fin=False), frame(CONTINUATION, b"", rsv=4)], [("close", 1002)]),
        ([frame(PING, b"", rsv=4)], [("close", 1002)]),
        ([frame(CLOSE, b"", rsv=4)], [("close", 1002)]),
        ([frame(TEXT, HELLO, rsv=6)], [("close", 1002)]),
        ([frame(TEXT, HELLO, rsv=5)], [("close", 1002)]),
        ([frame(TEXT, HELLO, rsv=2)], [("close", 1002)]),
        ([frame(TEXT, b"\xff\xff", rsv=4)], [("close", 1007)]),
        ([frame(TEXT, HELLO[:3], rsv=4)], [("close", 1007)]),
        ([frame(TEXT, bytes.fromhex("f200110000"), rsv=4)], [("close", 1007)]),
    ],
)
def test_compressed_frames(full, send, expect):
    with EchoPeer(full, ["permessage-deflate"]) as peer:
        peer.send(b"".join(send) + close())
        assert peer.heard() == expect


@pytest.mark.parametrize("digits", ["ff", "eda080", "c0af", "f4908080"])
def test_text_that_is_not_utf8_fails_while_it_is_inflated(full, digits):
    with EchoPeer(full, ["permessage-deflate"]) as peer:
        # Neither the message nor its frame is complete.
        payload = peer.deflate.deflate(b"abc" + bytes.fromhex(digits) + b"abc") + b"\0\0\xff\xff"
        peer.send(frame(TEXT, payload, fin=False, rsv=4, size=len(payload) + 1000))
        assert peer.heard() == [("close", 1007)]


def bomb(size):
    """`size` zeros, deflated; made without holding them."""
    deflater = zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [deflater.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join(parts) + deflater.flush(zlib.Z_SYNC_FLUSH)[:-4]


@pytest.mark.weighed
def test_a_bomb_is_refused_at_the_limit():
    payload = bomb(1 << 30)
    assert len(payload) < 2 << 20
    with Server(config="diagnostics: { echo: true }\ncompression: 'on'\nlimits: { message: 2MiB }") as server:
        before = server.resident()
        for _ in range(5):
            with EchoPeer(server, ["permessage-deflate"]) as peer:
                peer.send(frame(BINARY, payload, rsv=4))
                assert peer.heard() == [("close", 1009)]
        assert server.resident() - before < 32 << 20


@pytest.mark.weighed
def test_contexts_are_bounded_and_given_back():
    """Mode full: what connections hold is counted, kept within the limit, and gone when they are."""
    held = "sluice_compression_context_bytes"
    config = "diagnostics: { echo: true }\ncompression: full\n# fixed: limits.contextBytes=1MiB"
    message = os.urandom(20_000).hex().encode()
    with Server(config=config) as server:
        peers = [EchoPeer(server, ["permessage-deflate"]) for _ in range(8)]
        agreed = [peer.agreed for peer in peers]
        own = agreed.count("permessage-deflate")
        assert own == 3, agreed
        without = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        assert agreed[own:] == [without] * (8 - own)
        for peer in peers:
            peer.send(frame(TEXT, peer.deflate.deflate(message), rsv=4))
            assert peer.line(*peer.next()) == ("text", message)
        assert 0 < server.metrics()[held] <= 1 << 20
        for index, peer in enumerate(peers):
            if index % 2:
                peer.reset()
            else:
                peer.send(close())
                assert peer.heard() == [("close", 1000)]
        eventually(lambda: server.metrics()[held] == 0, what="no contexts")
        before = server.resident()
        for _ in range(500 if NIGHTLY else 60):
            with EchoPeer(server, ["permessage-deflate"]) as peer:
                peer.send(frame(TEXT, peer.deflate.deflate(message), rsv=4))
                assert peer.line(*peer.next()) == ("text", message)
        eventually(lambda: server.metrics()[held] == 0, what="no contexts")
        assert server.resident() - before < 8 << 20
