"""How long a body is, in chunks or at once; and requests one behind the other."""

from hostile.case import END, exchange, refused

NODE = "/v1/graphs/g/nodes/"
LINE = f"POST {NODE}any HTTP/1.1\r\n" + "{H}"
CHUNKED = LINE + "Transfer-Encoding: chunked\r\n\r\n"
GET = "GET /healthz HTTP/1.1\r\n{H}\r\n"
SET = LINE + "Content-Length: 1\r\n\r\n7"


def length(name, text, status=400, body="1"):
    return refused(name, LINE + text + "\r\n" + body, status)


LENGTHS = [
    length("two equal lengths", "Content-Length: 1\r\nContent-Length: 1\r\n"),
    length("two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n"),
    length("a list of lengths", "Content-Length: 1, 1\r\n"),
    length("a length with a plus", "Content-Length: +1\r\n"),
    length("a length below zero", "Content-Length: -1\r\n"),
    length("a hexadecimal length", "Content-Length: 0x1\r\n"),
    length("a length with a letter", "Content-Length: 1a\r\n"),
    length("a length with a space", "Content-Length: 1 1\r\n"),
    length("a length with a fraction", "Content-Length: 1.0\r\n"),
    length("an empty length", "Content-Length:\r\n"),
    length("a length beyond 64 bits", "Content-Length: 99999999999999999999999\r\n"),
    length("a length of 2^64", "Content-Length: 18446744073709551616\r\n"),
    length("a length of 2^63", "Content-Length: 9223372036854775808\r\n", 413),
    length("both lengths", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", body="1\r\n1\r\n0\r\n\r\n"),
    length(
        "both lengths, the other way round", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        body="0\r\n\r\n",
    ),
    length("an unknown coding", "Transfer-Encoding: xchunked\r\n"),
    length("the coding identity", "Transfer-Encoding: identity\r\n"),
    length("no coding", "Transfer-Encoding:\r\n"),
    length("gzip and chunked", "Transfer-Encoding: gzip, chunked\r\n"),
    length("chunked and identity", "Transfer-Encoding: chunked, identity\r\n"),
    length("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", body="0\r\n\r\n"),
    length("chunked in quotes", 'Transfer-Encoding: "chunked"\r\n'),
    length("chunked behind a vertical tab", "Transfer-Encoding: \vchunked\r\n"),
    length("a space before the colon of the coding", "Transfer-Encoding : chunked\r\n"),
    length("a body beyond the limit, by its word", "Content-Length: 70000\r\n", 413),
    refused(
        "chunked in HTTP/1.0", LINE.replace("1.1", "1.0", 1) + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    refused("a length hidden by LF alone", LINE + "X: a\nContent-Length: 1\r\n\r\n1"),
]


def chunks(name, text, status=400):
    return refused(name, CHUNKED + text, status)


CHUNKS = [
    chunks("no size", "\r\n"), chunks("a letter as size", "g\r\n"), chunks("a size below zero", "-1\r\n"),
    chunks("a size with a plus", "+1\r\n"), chunks("a size in 0x", "0x1\r\n"),
    chunks("a space before a size", " 1\r\n1\r\n"), chunks("a space behind a size", "1 \r\n1\r\n"),
    chunks("LF alone behind a size", "1\n1\r\n"), chunks("CR CR behind a size", "1\r\r1\r\n"),
    chunks("a chunk longer than its size", "1\r\n12\r\n"), chunks("LF alone behind a chunk", "1\r\n1\n"),
    chunks("CR alone behind a chunk", "1\r\n1\r0"), chunks("an empty extension", "1;\r\n1\r\n"),
    chunks("an extension ended by LF alone", "1;x\n1\r\n0\r\n\r\n"),
    chunks("a control character in an extension", "1;x=\"\x01\"\r\n1\r\n0\r\n\r\n"),
    chunks("an extension behind a space", "1 ;x\r\n1\r\n"),
    chunks("an extension of 100,000 bytes", "1;" + "x" * 100_000),
    chunks("a size beyond 64 bits", "fffffffffffffffff\r\n"),
    chunks("a size of 2^64-1", "ffffffffffffffff\r\n", 413),
    chunks("a trailer that is a length", "0\r\nContent-Length: 5\r\n\r\n"),
    chunks("LF LF at the end", "0\r\n\n"),
    chunks("a trailer that is a coding", "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    chunks("CR CR LF at the end", "0\r\n\r\r\n"),
    chunks("a trailer ended by LF alone", "1\r\n1\r\n0\r\nT: x\n\r\n"),
    chunks("a folded trailer", "1\r\n1\r\n0\r\nT: x\r\n y\r\n\r\n"),
    chunks("a request as trailer", "1\r\n1\r\n0\r\nGET / HTTP/1.1\r\n\r\n"),
    chunks("a trailer of 100,000 bytes", "1\r\n1\r\n0\r\nT: " + "x" * 100_000, 431),
    chunks("101 trailer fields", "1\r\n1\r\n0\r\n" + "T: x\r\n" * 101 + "\r\n", 431),
    exchange(
        "extensions and a trailer are ignored",
        CHUNKED + "1;x=y;z=\"a b\"\r\n1\r\n0;x\r\nConnection: close\r\nT: x\r\n\r\n" + GET, 200, 200,
    ),
    chunks("chunks beyond the limit", "11170\r\n" + "1" * 70_000, 413),
    chunks("small chunks beyond the limit", "400\r\n" + "\r\n400\r\n".join(["1" * 1024] * 80), 413),
    exchange("a body in single bytes", CHUNKED + "1\r\n[\r\n1\r\n1\r\n1\r\n]\r\n0\r\n\r\n", 200),
    exchange(
        "sizes with zeros in front and in capitals", CHUNKED + "0003\r\n\"aa\r\n1\r\n\"\r\n0\r\n\r\n", 200
    ),
    exchange("no chunks at all", CHUNKED + "0\r\n\r\n", 400),
]

PIPELINES = [
    exchange("fifty requests at once", GET * 50, *[200] * 50),
    exchange("sets and reads in turn", (SET + f"GET {NODE}any HTTP/1.1\r\n" + "{H}\r\n") * 20, *[200] * 40),
    exchange("errors among answers", (GET + "GET /nothing HTTP/1.1\r\n{H}\r\n") * 10, *[200, 404] * 10),
    exchange(
        "nothing behind Connection: close", GET[:-2] + "Connection: close\r\n\r\n" + GET * 3, 200, then=END
    ),
    exchange(
        "a doubt ends the line", GET + SET + "BREW / HTTP/1.1\r\n\r\n" + GET * 2, 200, 200, 400, then=END
    ),
    exchange(
        "a smuggled request is not one",
        LINE + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + GET, 400, then=END,
    ),
    exchange(
        "a body is not a request", LINE + "Content-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n" + GET, 400, 200
    ),
    exchange(
        "what a refused upgrade leaves is not HTTP",
        "GET /v1/ws HTTP/1.1\r\n{H}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" + GET, 426, then=END,
    ),
    exchange("a refused body ends the line", LINE + "Content-Length: 70000\r\n\r\n" + GET * 3, 413, then=END),
    exchange(
        "a wish for h2c is ignored",
        "GET /healthz HTTP/1.1\r\n{H}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n" + GET, 200, 200,
    ),
]

EXPECTATIONS = [
    exchange(
        "100 is not sent where the body is there",
        LINE + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n7", 200,
    ),
    exchange(
        "100 is sent where it is waited for", LINE + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n", 100,
        then=None,
    ),
    exchange(
        "no 100 for a body too large", LINE + "Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n", 413,
        then=END,
    ),
    exchange(
        "no 100 for nothing",
        "POST /nothing HTTP/1.1\r\n{H}Expect: 100-continue\r\nContent-Length: 1\r\n\r\n", 404, then=END,
    ),
    exchange(
        "no 100 for a foreign origin",
        LINE + "Origin: http://evil.example\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", 403,
        then=END,
    ),
    exchange(
        "no 100 for a foreign host",
        LINE.replace("{H}", "Host: evil.example\r\n") + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n",
        421, then=END,
    ),
    exchange(
        "an unknown expectation is ignored", LINE + "Expect: 200-maybe\r\nContent-Length: 1\r\n\r\n7", 200
    ),
]

CASES = LENGTHS + CHUNKS + PIPELINES + EXPECTATIONS
