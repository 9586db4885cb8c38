"""WebSocket: handshakes, frames, messages."""

from hostile.case import frames, message, upgrade
from rawsocket import frame

KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
ASK = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
VERSION = "Sec-WebSocket-Version: 13\r\n"
WHOLE = "{H}" + ASK + VERSION + KEY

HANDSHAKES = [
    upgrade("nothing missing", WHOLE, 101),
    upgrade("our subprotocol among others", WHOLE + "Sec-WebSocket-Protocol: mqtt, sluice.v1.json\r\n", 101),
    upgrade(
        "small letters, and others in the list",
        "{H}connection: keep-alive, UPGRADE\r\nupgrade: WebSocket\r\n" + VERSION + KEY, 101,
    ),
    upgrade("no wish to upgrade", "{H}", 426),
    upgrade("no Connection", "{H}Upgrade: websocket\r\n" + VERSION + KEY, 426),
    upgrade("no Upgrade", "{H}Connection: Upgrade\r\n" + VERSION + KEY, 426),
    upgrade("another protocol", "{H}Connection: Upgrade\r\nUpgrade: irc\r\n" + VERSION + KEY, 426),
    upgrade("no version", "{H}" + ASK + KEY, 426),
    upgrade("version 8", "{H}" + ASK + "Sec-WebSocket-Version: 8\r\n" + KEY, 426),
    upgrade("a list of versions", "{H}" + ASK + "Sec-WebSocket-Version: 8, 13\r\n" + KEY, 426),
    upgrade("a version that is no number", "{H}" + ASK + "Sec-WebSocket-Version: x\r\n" + KEY, 426),
    upgrade("two versions", "{H}" + ASK + VERSION + VERSION + KEY, 400),
    upgrade("HTTP/1.0", WHOLE, 426, line="GET /v1/ws HTTP/1.0"),
    upgrade("no key", "{H}" + ASK + VERSION, 400),
    upgrade("an empty key", "{H}" + ASK + VERSION + "Sec-WebSocket-Key:\r\n", 400),
    upgrade("a short key", "{H}" + ASK + VERSION + "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\n", 400),
    upgrade("a long key", "{H}" + ASK + VERSION + "Sec-WebSocket-Key: " + "A" * 400 + "\r\n", 400),
    upgrade(
        "a key that is not base64", "{H}" + ASK + VERSION + "Sec-WebSocket-Key: " + "!" * 22 + "==\r\n", 400
    ),
    upgrade("two keys", WHOLE + KEY, 400),
    upgrade("a subprotocol that is not ours", WHOLE + "Sec-WebSocket-Protocol: mqtt\r\n", 400),
    upgrade("ours in another version", WHOLE + "Sec-WebSocket-Protocol: sluice.v2.json\r\n", 400),
    upgrade("ours in capitals", WHOLE + "Sec-WebSocket-Protocol: SLUICE.V1.JSON\r\n", 400),
    upgrade("an empty list of subprotocols", WHOLE + "Sec-WebSocket-Protocol: ,\r\n", 400),
    upgrade("a subprotocol that is no name", WHOLE + "Sec-WebSocket-Protocol: a b\r\n", 400),
    upgrade(
        "two thousand subprotocols", WHOLE + "Sec-WebSocket-Protocol: " + "x," * 2000 + "sluice.v1.json\r\n",
        101,
    ),
    upgrade("extensions that are none", WHOLE + "Sec-WebSocket-Extensions: ;;;\r\n", 400),
    upgrade("an extension nobody knows", WHOLE + "Sec-WebSocket-Extensions: x-secret; a=1\r\n", 101),
    upgrade(
        "a window of 99",
        WHOLE + "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99\r\n", 101,
    ),
    upgrade("a foreign origin", WHOLE + "Origin: http://evil.example\r\n", 403),
    upgrade("the origin null", WHOLE + "Origin: null\r\n", 403),
    upgrade("a cross-site page", WHOLE + "Sec-Fetch-Site: cross-site\r\n", 403),
    upgrade("a foreign host", "Host: evil.example\r\n" + ASK + VERSION + KEY, 421),
    upgrade("no host", ASK + VERSION + KEY, 400),
    upgrade("two hosts", WHOLE + "{H}", 400),
    upgrade("a path that is none", WHOLE, 404, line="GET /v1/wss HTTP/1.1"),
    upgrade("a file", WHOLE, 404, line="GET /index.html HTTP/1.1"),
    upgrade("a list of graphs", WHOLE, 400, line="GET /v1/graphs HTTP/1.1"),
    upgrade("a node that is not there", WHOLE, 404, line="GET /v1/graphs/g/nodes/nope HTTP/1.1"),
    upgrade(
        "a node, with a subprotocol", WHOLE + "Sec-WebSocket-Protocol: sluice.v1.json\r\n", 400,
        line="GET /v1/graphs/g/nodes/x HTTP/1.1",
    ),
    upgrade(
        "a node, with an interval that is none", WHOLE, 400,
        line="GET /v1/graphs/g/nodes/x?every=soon HTTP/1.1",
    ),
    upgrade(
        "a node, with a mode that is none", WHOLE, 400, line="GET /v1/graphs/g/nodes/x?mode=some HTTP/1.1"
    ),
    upgrade("by POST", WHOLE + "Content-Length: 0\r\n", 405, line="POST /v1/ws HTTP/1.1"),
    upgrade("by HEAD", WHOLE, 426, line="HEAD /v1/ws HTTP/1.1"),
    upgrade("with a body", WHOLE + "Content-Length: 4\r\n\r\nabcd", 426),
    upgrade("with a body in chunks", WHOLE + "Transfer-Encoding: chunked\r\n\r\n0\r\n", 426),
]

BIG = (1 << 40).to_bytes(8)
FRAMES = [
    frames("a frame without mask", frame(1, "{}", masked=False), 1002),
    frames("an empty frame without mask", frame(1, "", masked=False), 1002),
    frames("a ping without mask", frame(9, "x", masked=False), 1002),
    frames("a close without mask", frame(8, b"\x03\xe8", masked=False), 1002),
    *(frames(f"opcode {code}", frame(code, "x"), 1002) for code in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15)),
    *(frames(f"reserved bits {bits}", frame(1, "{}", rsv=bits), 1002) for bits in (1, 2, 3, 4, 5, 6, 7)),
    frames("a reserved bit on a ping", frame(9, "x", rsv=4), 1002),
    frames("a reserved bit on a close", frame(8, b"\x03\xe8", rsv=4), 1002),
    frames("a fragmented ping", frame(9, "x", fin=False), 1002),
    frames("a fragmented pong", frame(10, "x", fin=False), 1002),
    frames("a fragmented close", frame(8, b"\x03\xe8", fin=False), 1002),
    frames("a ping of 126 bytes", frame(9, b"x" * 126), 1002),
    frames("a close of 126 bytes", frame(8, b"\x03\xe8" + b"x" * 124), 1002),
    frames("a continuation frame without a message to continue", frame(0, "x"), 1002),
    frames("an unfinished continuation of nothing", frame(0, "x", fin=False), 1002),
    frames(
        "a new message begins before the previous one has ended", frame(1, "{", fin=False) + frame(1, "}"),
        1002,
    ),
    frames("another kind within a message", frame(1, "{", fin=False) + frame(2, "}"), 1002),
    frames("a continuation behind the end", frame(1, "{", fin=False) + frame(0, "}") + frame(0, "x"), 1002),
    frames("a close of one byte", frame(8, b"\x03"), 1002),
    *(
        frames(f"a close of code {code}", frame(8, code.to_bytes(2)), 1002)
        for code in (0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535)
    ),
    *(
        frames(f"a close of code {code} comes back", frame(8, code.to_bytes(2)), code)
        for code in (1000, 1001, 3000, 4999)
    ),
    frames("a close without a code", frame(8), 1005),
    frames("a reason that is not UTF-8", frame(8, b"\x03\xe8\xff"), 1007),
    frames("a reason cut short", frame(8, b"\x03\xe8\xe2\x82"), 1007),
    frames("nothing is heard behind a close", frame(8, b"\x03\xe8") + frame(3) + frame(1, "x"), 1000),
    frames("a length not minimal in 16 bits", b"\x81\xfe\x00\x01mask" + b"x", 1002),
    frames("a length not minimal in 64 bits", b"\x81\xff" + (200).to_bytes(8) + b"mask", 1002),
    frames("a length with the top bit", b"\x81\xff" + (1 << 63).to_bytes(8) + b"mask", 1002),
    frames("a terabyte announced", b"\x81\xff" + BIG + b"mask", 1009),
    frames("a terabyte of binary announced", b"\x82\xff" + BIG + b"mask", 1009),
    frames("a message beyond the limit", frame(1, b"x" * 65_537), 1009),
    frames(
        "a message beyond the limit in pieces", frame(1, b"x" * 40_000, fin=False) + frame(0, b"x" * 40_000),
        1009,
    ),
    frames(
        "ten thousand empty pieces and too much",
        frame(1, b"x", fin=False) + frame(0, b"", fin=False, masked=True) * 10_000 + frame(0, b"x" * 65_536),
        1009,
    ),
    frames("text that is not UTF-8", frame(1, b"\xc3\x28"), 1007),
    frames("a surrogate", frame(1, b"\xed\xa0\x80"), 1007),
    frames("an overlong slash", frame(1, b"\xc0\xaf"), 1007),
    frames("beyond Unicode", frame(1, b"\xf4\x90\x80\x80"), 1007),
    frames("a character cut short", frame(1, b"\xe2\x82"), 1007),
    frames("a character across a message's end", frame(1, b"\xe2", fin=False) + frame(0, b"\x82"), 1007),
    frames("not UTF-8 before the message is complete", frame(1, b"\xff", fin=False), 1007),
    frames("a binary message", frame(2, b"\x00"), 1003),
    frames("a binary message in pieces", frame(2, b"\x00", fin=False) + frame(0, b"\x00"), 1003),
    frames("HTTP behind the upgrade", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 1002),
    frames("noise behind the upgrade", bytes(range(255, 127, -1)), 1002),
    frames("ten messages that are no JSON", frame(1, "{") * 10, 4400),
    frames("ten messages that are no objects", frame(1, "7") * 10, 4400),
    frames("a bad value on a plain stream", frame(1, "{"), 4400, "/v1/graphs/g/nodes/any", None),
    frames("a value of another type on a plain stream", frame(1, '"x"'), 4400, "/v1/graphs/g/nodes/x", None),
    frames(
        "a value for a derived node on a plain stream", frame(1, "1"), 4400, "/v1/graphs/g/nodes/deep", None
    ),
    frames("bytes on a plain stream", frame(2, b"1"), 1003, "/v1/graphs/g/nodes/any", None),
    frames("a pipe that is none on a plain stream", b"", 4400, "/v1/graphs/g/nodes/x?pipe=7", None),
]

SUB = '{"op":"sub","id":1,"graph":"g","node":"x"'
BIGGEST = 9007199254740991
MESSAGES = [
    message("no JSON", "nonsense", "bad_json"),
    message("half an object", '{"op":', "bad_json"),
    message("nothing", "", "bad_json"),
    message("a number", "7", "bad_json"),
    message("a string", '"ping"', "bad_json"),
    message("null", "null", "bad_json"),
    message("two objects", "{}{}", "bad_json"),
    message("a list of numbers", "[7]", "bad_json"),
    message("a nest of lists", "[" * 30_000 + "]" * 30_000, "bad_json"),
    message("a key twice", '{"op":"ping","op":"ping","id":1}', "bad_json"),
    message("NaN", '{"op":"ping","id":NaN}', "bad_json"),
    message("no op", '{"id":1}', "bad_op", 1),
    message("an op nobody knows", '{"op":"dance","id":1}', "bad_op", 1),
    message("an op that is a number", '{"op":7,"id":1}', "bad_op", 1),
    message("an op in capitals", '{"op":"PING","id":1}', "bad_op", 1),
    message("a list in a list", '[[{"op":"ping","id":1}]]', "bad_json"),
    *(
        message(f"the id {id}", '{"op":"ping","id":%s}' % id, "bad_field")
        for id in ("0", "-1", "1.5", '"1"', "null", str(BIGGEST + 1), "[]", "true")
    ),
    message("sub without id", '{"op":"sub","graph":"g","node":"x"}', "bad_field"),
    message("get without id", '{"op":"get","graph":"g"}', "bad_field"),
    message("list without id", '{"op":"list"}', "bad_field"),
    message("sub without graph", '{"op":"sub","id":1,"node":"x"}', "bad_field", 1),
    message("sub without node", '{"op":"sub","id":1,"graph":"g"}', "bad_field", 1),
    message(
        "sub of a graph that is not there", '{"op":"sub","id":1,"graph":"nope","node":"x"}', "unknown_graph",
        1,
    ),
    message("sub of a graph that is a number", '{"op":"sub","id":1,"graph":7,"node":"x"}', "bad_field", 1),
    message(
        "sub of a node that is not there", '{"op":"sub","id":1,"graph":"g","node":"nope"}', "unknown_node", 1
    ),
    message("sub of a node that is a number", '{"op":"sub","id":1,"graph":"g","node":7}', "bad_field", 1),
    message("sub of two things", SUB + ',"nodes":["y"]}', "bad_field", 1),
    message(
        "sub of nodes with a pipe", '{"op":"sub","id":1,"graph":"g","nodes":["x"],"pipe":["distinct"]}',
        "bad_field", 1,
    ),
    message("an owner that is a number", SUB + ',"owner":7}', "bad_field", 1),
    message("no owner in the list", SUB + ',"owner":[]}', "bad_field", 1),
    message("nine owners", SUB + ',"owner":[%s]}' % ",".join(f'"o{n}"' for n in range(9)), "bad_field", 1),
    message("a release of nothing", '{"op":"release","id":1}', "bad_field", 1),
    message("a combine of nothing", '{"op":"sub","id":1,"graph":"g","combine":{}}', "bad_field", 1),
    message(
        "a combine of a node that is not there", '{"op":"sub","id":1,"graph":"g","combine":{"a":"nope"}}',
        "unknown_node", 1,
    ),
    message("an interval below zero", SUB + ',"every":-1}', "bad_field", 1),
    message("an interval beyond a day", SUB + ',"every":86400001}', "bad_field", 1),
    message("a mode nobody knows", SUB + ',"mode":"some"}', "bad_field", 1),
    message("a queue of nothing", SUB + ',"queue":0}', "bad_field", 1),
    message("an endless queue", SUB + ',"queue":1e9}', "bad_field", 1),
    message("initial that is no flag", SUB + ',"initial":"no"}', "bad_field", 1),
    message("a history below zero", SUB + ',"history":-1}', "bad_field", 1),
    message("since without a rev", SUB + ',"since":{"epoch":"a"}}', "bad_field", 1),
    message("since that is a number", SUB + ',"since":7}', "bad_field", 1),
    message(
        "a pipe of seventeen stages", SUB + ',"pipe":[%s]}' % ",".join(['"distinct"'] * 17), "bad_field", 1
    ),
    message("a pipe that is a text", SUB + ',"pipe":"distinct"}', "bad_field", 1),
    message("a stage nobody knows", SUB + ',"pipe":["nope"]}', "bad_field", 1),
    message("an expression that is none", SUB + ',"pipe":[{"map":"1 +"}]}', "expr_syntax", 1),
    message("an expression of what is not there", SUB + ',"pipe":[{"map":"nope"}]}', "expr_type", 1),
    message(
        "an expression of 10,000 brackets", SUB + ',"pipe":[{"map":"%s"}]}' % ("(" * 10_000), "expr_syntax", 1
    ),
    message("unsub of nothing", '{"op":"unsub","id":5}', "unknown_id", 5),
    message("mod of nothing", '{"op":"mod","id":1,"sub":5}', "unknown_id", 1),
    message("mod without sub", '{"op":"mod","id":1}', "bad_field", 1),
    message(
        "observe of a graph that is not there", '{"op":"observe","id":1,"graph":"nope"}', "unknown_graph", 1
    ),
    message("observe without rest", '{"op":"observe","id":1,"graph":"g","every":0}', "bad_field", 1),
    message("set of a derived node", '{"op":"set","id":1,"graph":"g","set":{"deep":1}}', "not_mutable", 1),
    message("set beyond bounds", '{"op":"set","id":1,"graph":"g","set":{"small":11}}', "type_mismatch", 1),
    message(
        "set of a number beyond all doubles", '{"op":"set","id":1,"graph":"g","set":{"x":1e999}}', "bad_json"
    ),
    message("set that is a list", '{"op":"set","id":1,"graph":"g","set":[]}', "bad_field", 1),
    message("clear that is an object", '{"op":"set","id":1,"graph":"g","clear":{}}', "bad_field", 1),
    message(
        "a rev without its epoch", '{"op":"set","id":1,"graph":"g","set":{"x":1},"if":{"x":{"rev":1}}}',
        "bad_field", 1,
    ),
    message(
        "a rev of another epoch",
        '{"op":"set","id":1,"graph":"g","set":{"x":1},"if":{"epoch":"zz","x":{"rev":1}}}', "conflict", 1,
    ),
    message(
        "a condition on a derived node",
        '{"op":"set","id":1,"graph":"g","set":{"x":1},"if":{"deep":{"v":1}}}', "not_mutable", 1,
    ),
    message(
        "a condition that is none", '{"op":"set","id":1,"graph":"g","set":{"x":1},"if":{"x":{}}}',
        "bad_field", 1,
    ),
    message(
        "a key of 129 bytes", '{"op":"set","id":1,"graph":"g","set":{"x":1},"key":"%s"}' % ("k" * 129),
        "bad_field", 1,
    ),
    message(
        "presence that is no flag", '{"op":"set","id":1,"graph":"g","set":{"any":1},"presence":1}',
        "bad_field", 1,
    ),
    message(
        "a guarded node without condition", '{"op":"set","id":1,"graph":"g","set":{"guarded":2}}',
        "precondition_required", 1,
    ),
    message("a token that is a number", '{"op":"auth","id":1,"token":7}', "bad_field", 1),
    message("a client that is a list", '{"op":"hello","client":[]}', "bad_field"),
    message(
        "an id that lives", '{"op":"sub","id":1,"graph":"g","node":"y"}', "id_in_use", 1, more=[SUB + "}"]
    ),
    message("an id that lives, for a ping", '{"op":"ping","id":1}', "id_in_use", 1, more=[SUB + "}"]),
    message("a name with NUL", '{"op":"sub","id":1,"graph":"g","node":"x\\u0000"}', "unknown_node", 1),
    message(
        "a name of 60,000 letters", '{"op":"sub","id":1,"graph":"g","node":"%s"}' % ("n" * 60_000),
        "unknown_node", 1,
    ),
]

CASES = HANDSHAKES + FRAMES + MESSAGES
