"""Request lines, header fields, methods, hosts, origins, bodies."""

from hostile.case import END, OPEN, exchange, refused

GET = "GET /healthz HTTP/1.1\r\n"
NODE = "/v1/graphs/g/nodes/"
POST = f"POST {NODE}any HTTP/1.1\r\n"


def line(name, text, status=400):
    return refused(name, text + "\r\n{H}\r\n", status)


REQUEST_LINES = [
    refused("a TLS hello", "\x16\x03\x01\x02\x00\x01\r\n\r\n"),
    refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    refused("a status line", "HTTP/1.1 200 OK\r\n{H}\r\n"),
    refused("an SSH greeting", "SSH-2.0-OpenSSH_9.9\r\n"),
    refused("binary noise", bytes(range(128, 256)) * 4),
    refused("zeros", bytes(64)),
    line("no version", "GET /healthz"),
    line("no version, but its space", "GET /healthz "),
    line("no target", "GET HTTP/1.1"),
    line("no method", "/healthz HTTP/1.1"),
    line("small letters in the protocol", "GET /healthz http/1.1"),
    line("another protocol", "GET /healthz HTTPS/1.1"),
    line("version 0.9", "GET /healthz HTTP/0.9"),
    line("version 1.2", "GET /healthz HTTP/1.2"),
    line("version 2.0", "GET /healthz HTTP/2.0"),
    line("version 3.7", "GET /healthz HTTP/3.7"),
    line("version 1.10", "GET /healthz HTTP/1.10"),
    line("version 01.1", "GET /healthz HTTP/01.1"),
    line("two spaces before the target", "GET  /healthz HTTP/1.1"),
    line("two spaces behind the target", "GET /healthz  HTTP/1.1"),
    line("a tab as space", "GET\t/healthz HTTP/1.1"),
    line("a space at the end", "GET /healthz HTTP/1.1 "),
    line("a space in front", " GET /healthz HTTP/1.1"),
    line("a space in the target", "GET /health z HTTP/1.1"),
    line("NUL in the target", "GET /health\0z HTTP/1.1"),
    line("DEL in the target", "GET /health\x7fz HTTP/1.1"),
    line("a byte above 127 in the target", "GET /h\xe4lth HTTP/1.1"),
    line("a relative target", "GET healthz HTTP/1.1"),
    line("a fragment", "GET /healthz#here HTTP/1.1"),
    line("a fragment behind a query", "GET /healthz?a#b HTTP/1.1"),
    line("a target of another scheme", "GET ftp://{host}/healthz HTTP/1.1"),
    line("a target without host", "GET http:///healthz HTTP/1.1"),
    line("a target that logs in", "GET http://a:b@{host}/healthz HTTP/1.1"),
    line("the star for GET", "GET * HTTP/1.1"),
    line("CONNECT", "CONNECT {host} HTTP/1.1"),
    line("a method nobody knows", "BREW /healthz HTTP/1.1"),
    line("a method in small letters", "get /healthz HTTP/1.1"),
    line("a method with a space", "GE T /healthz HTTP/1.1"),
    line("an endless method", "G" * 40_000 + " /healthz HTTP/1.1"),
    line("a target beyond 8 KiB", "GET /" + "a" * 9000 + " HTTP/1.1", 414),
    line("a query beyond 8 KiB", "GET /healthz?" + "a" * 9000 + " HTTP/1.1", 414),
    refused("a target that never ends", "GET /" + "a" * 200_000, 414),
    refused("LF alone behind the request line", "GET /healthz HTTP/1.1\n{H}\r\n"),
    refused("CR alone behind the request line", "GET /healthz HTTP/1.1\r{H}\r\n"),
    refused("two empty lines in front", "\r\n\r\n" + GET + "{H}\r\n"),
    refused("an LF in front", "\n" + GET + "{H}\r\n"),
    refused("a CR in front", "\r" + GET + "{H}\r\n"),
    exchange("an empty line in front is let pass", "\r\n" + GET + "{H}\r\n", 200),
    exchange("a target of 8 KiB is not too long", "GET /" + "a" * 8000 + " HTTP/1.1\r\n{H}\r\n", 404),
    exchange("absolute form", "GET http://{host}/healthz HTTP/1.1\r\n{H}\r\n", 200),
    exchange("absolute form names the host", "GET http://evil.example/healthz HTTP/1.1\r\n{H}\r\n", 421),
    exchange("HTTP/1.0 is answered and closed", "GET /healthz HTTP/1.0\r\n{H}\r\n", 200, then=END),
]


def field(name, text, status=400):
    return refused(name, GET + "{H}" + text + "\r\n", status)


FIELDS = [
    refused("no Host", GET + "\r\n"),
    refused("no Host in HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n"),
    refused("no Host among others", GET + "A: b\r\n\r\n"),
    refused("two Hosts", GET + "{H}{H}\r\n"),
    refused("two Hosts in two spellings", GET + "{H}HOST: {host}\r\n\r\n"),
    refused("an empty Host", GET + "Host:\r\n\r\n"),
    refused("a Host of blanks", GET + "Host:   \r\n\r\n"),
    refused("a Host with a path", GET + "Host: {host}/x\r\n\r\n"),
    refused("a Host with a user", GET + "Host: a@{host}\r\n\r\n"),
    refused("a list of Hosts", GET + "Host: {host}, {host}\r\n\r\n"),
    refused("a Host with a space", GET + "Host: local host\r\n\r\n"),
    exchange("a foreign Host", GET + "Host: evil.example\r\n\r\n", 421),
    exchange("a Host that only begins well", GET + "Host: localhost.evil.example\r\n\r\n", 421),
    exchange("a Host that only ends well", GET + "Host: evil.localhost.example\r\n\r\n", 421),
    exchange("a Host that is an address elsewhere", GET + "Host: 10.1.2.3\r\n\r\n", 421),
    exchange("the unspecified address as Host", GET + "Host: 0.0.0.0\r\n\r\n", 421),
    refused("a Host with a bad port", GET + "Host: localhost:x\r\n\r\n"),
    refused("a target with a bad port", "GET http://localhost:x/healthz HTTP/1.1\r\n{H}\r\n"),
    exchange("a Host with a long port", GET + "Host: localhost:123456\r\n\r\n", 421),
    refused("a Host in half a bracket", GET + "Host: [::1\r\n\r\n"),
    refused("brackets with something behind", GET + "Host: [::1]evil\r\n\r\n"),
    exchange("a Host in capitals", GET + "Host: LOCALHOST\r\n\r\n", 200),
    exchange("a Host in brackets", GET + "Host: [::1]:80\r\n\r\n", 200),
    exchange("a Host with a dot behind", GET + "Host: localhost.\r\n\r\n", 200),
    field("a space before the colon", "X : a\r\n"),
    field("a tab before the colon", "X\t: a\r\n"),
    field("a space before the name", " X: a\r\n"),
    field("no colon", "no colon here\r\n"),
    field("no name", ": a\r\n"),
    field("a bracket in the name", "X(: a\r\n"),
    field("a control character in the name", "X\x01: a\r\n"),
    field("a byte above 127 in the name", "\xc4: a\r\n"),
    field("NUL in a value", "X: a\0b\r\n"),
    field("DEL in a value", "X: a\x7fb\r\n"),
    field("a bare CR in a value", "X: a\rb\r\n"),
    field("a bare LF behind a value", "X: a\nY: b\r\n"),
    field("a folded line", "X: a\r\n b\r\n"),
    field("a folded line by a tab", "X: a\r\n\tb\r\n"),
    field("a folded empty line", "X: a\r\n \r\n"),
    field("a value that begins in the next line", "X:\r\n a\r\n"),
    field("a length hidden behind a bare CR", "X: a\rContent-Length: 5\r\n"),
    refused("the head ends in LF LF", GET + "{H}A: b\n\n"),
    refused("the head ends in CR CR LF", GET + "{H}\r\r\n"),
    field("two Origins", "Origin: http://{host}\r\nOrigin: http://{host}\r\n"),
    field("two Authorizations", "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"),
    field("two Content-Types", "Content-Type: text/plain\r\nContent-Type: text/html\r\n"),
    field("101 fields", "".join(f"X{i}: 1\r\n" for i in range(100)), 431),
    field("10,000 fields", "X: 1\r\n" * 10_000, 431),
    field("a value beyond 16 KiB", "X: " + "a" * 17_000 + "\r\n", 431),
    field("a name beyond 16 KiB", "X" * 17_000 + ": a\r\n", 431),
    field("blanks beyond 16 KiB", "X:" + " " * 17_000 + "a\r\n", 431),
    refused("a value that never ends", GET + "{H}X: " + "a" * 200_000, 431),
    exchange("99 fields and Host", GET + "{H}" + "".join(f"X{i}: 1\r\n" for i in range(99)) + "\r\n", 200),
    exchange("a value of 15 KiB", GET + "{H}X: " + "a" * 15_000 + "\r\n\r\n", 200),
    exchange("bytes above 127 in a value", GET + "{H}X: \xff\xfe\r\n\r\n", 200),
]

METHODS = [
    exchange("TRACE", "TRACE /healthz HTTP/1.1\r\n{H}\r\n", 405),
    exchange(
        "DELETE of the list", "DELETE /v1/graphs HTTP/1.1\r\n{H}\r\n", 405,
        fields={"allow": "GET, HEAD, OPTIONS"},
    ),
    exchange("POST to health", "POST /healthz HTTP/1.1\r\n{H}Content-Length: 0\r\n\r\n", 405),
    exchange(
        "PATCH of a file", "PATCH /index.html HTTP/1.1\r\n{H}Content-Length: 0\r\n\r\n", 405,
        fields={"allow": "GET, HEAD, OPTIONS"},
    ),
    exchange("DELETE of a node", f"DELETE {NODE}x HTTP/1.1\r\n" + "{H}\r\n", 405),
    exchange("PROPFIND", "PROPFIND /v1/graphs HTTP/1.1\r\n{H}\r\n", 405),
    exchange(
        "GET of a batch", "GET /v1/graphs/g/batch HTTP/1.1\r\n{H}\r\n", 405, fields={"allow": "POST, OPTIONS"}
    ),
    exchange("POST to nothing", "POST /nothing HTTP/1.1\r\n{H}Content-Length: 2\r\n\r\n{}", 404),
    exchange("OPTIONS of nothing", "OPTIONS /nothing HTTP/1.1\r\n{H}\r\n", 404),
    exchange("OPTIONS of everything", "OPTIONS * HTTP/1.1\r\n{H}\r\n", 204),
    exchange("HEAD of nothing has no body", "HEAD /nothing HTTP/1.1\r\n{H}\r\n", 404, heads=True),
    exchange("HEAD of a batch has no body", "HEAD /v1/graphs/g/batch HTTP/1.1\r\n{H}\r\n", 405, heads=True),
    exchange(
        "HEAD with a body", "HEAD /healthz HTTP/1.1\r\n{H}Content-Length: 3\r\n\r\nabc", 200, heads=True
    ),
    exchange("GET with a body", GET + "{H}Content-Length: 5\r\n\r\nGET /", 200),
    exchange("an unknown graph", "GET /v1/graphs/nope/nodes/x HTTP/1.1\r\n{H}\r\n", 404),
    exchange("an unknown node", f"GET {NODE}nope HTTP/1.1\r\n" + "{H}\r\n", 404),
    exchange("a name of 4,000 letters", f"GET {NODE}{'n' * 4000} HTTP/1.1\r\n" + "{H}\r\n", 404),
    exchange("a name with a slash in it", f"GET {NODE}a%2Fb HTTP/1.1\r\n" + "{H}\r\n", 404),
    exchange("a name with NUL in it", f"GET {NODE}x%00 HTTP/1.1\r\n" + "{H}\r\n", 404),
    exchange("a name that is not UTF-8", f"GET {NODE}%ff%fe HTTP/1.1\r\n" + "{H}\r\n", 404),
    exchange("an unknown name that is not UTF-8", "GET /v1/graphs/%c3%28 HTTP/1.1\r\n{H}\r\n", 404),
    exchange("a connection that is no name", "DELETE /v1/connections/%00 HTTP/1.1\r\n{H}\r\n", 404),
]


def post(name, lines, status, body="1", then=OPEN, node="any", **options):
    text = f"POST {NODE}{node} HTTP/1.1\r\n" + "{H}" + lines + f"Content-Length: {len(body)}\r\n\r\n" + body
    return exchange(name, text, status, then=then, **options)


JSON = "Content-Type: application/json\r\n"
WHO = [
    post("a foreign origin", "Origin: http://evil.example\r\n", 403),
    post("the origin null", "Origin: null\r\n", 403),
    post("an empty origin", "Origin: \r\n", 403),
    post("our host, another scheme", "Origin: https://{host}\r\n", 403),
    post("our host, another port", "Origin: http://127.0.0.1:1\r\n", 403),
    post("an origin that begins like ours", "Origin: http://{host}.evil.example\r\n", 403),
    post("an origin that logs in", "Origin: http://{host}@evil.example\r\n", 403),
    post("an origin that is not UTF-8", "Origin: http://\xff\xfe\r\n", 403),
    post("a cross-site fetch", "Sec-Fetch-Site: cross-site\r\n", 403),
    post("our own origin", "Origin: http://{host}\r\n", 200),
    exchange(
        "a foreign origin deletes",
        f"DELETE {NODE}any/value HTTP/1.1\r\n" + "{H}Origin: http://evil.example\r\n\r\n", 403,
    ),
    exchange(
        "a foreign origin may read what is sent without CORS", GET + "{H}Origin: http://evil.example\r\n\r\n",
        200, fields={"access-control-allow-origin": None},
    ),
]

BODIES = [
    post("an image", "Content-Type: image/png\r\n", 415),
    post("another character set", "Content-Type: application/json; charset=utf-16\r\n", 415),
    post("a type that is none", "Content-Type: ;;;\r\n", 415),
    post("a multipart form", "Content-Type: multipart/form-data; boundary=x\r\n", 415),
    post("nothing", JSON, 400, ""),
    post("half a word", JSON, 400, "nul"),
    post("a decimal comma", JSON, 400, "21,5"),
    post("half an object", JSON, 400, "{"),
    post("half a member", JSON, 400, '{"a":'),
    post("a comma too many", JSON, 400, "[1,]"),
    post("a key twice", JSON, 400, '{"a":1,"a":2}'),
    post("a key twice in two spellings", JSON, 400, '{"a":1,"\\u0061":2}'),
    post("a zero in front", JSON, 400, "01"),
    post("a plus in front", JSON, 400, "+1"),
    post("NaN", JSON, 400, "NaN"),
    post("single quotes", JSON, 400, "'a'"),
    post("bytes that are not UTF-8", JSON, 400, "\xff\xfe"),
    post("a string that is not UTF-8", JSON, 400, '"\xc3("'),
    post("a lone surrogate", JSON, 400, '"\\ud800"'),
    post("two values", JSON, 400, "1 2"),
    post("a bare tab in a string", JSON, 400, '"\t"'),
    post("NUL behind a value", JSON, 400, "1\0"),
    post("a byte order mark", JSON, 400, "\xef\xbb\xbf1"),
    post("a nest of 30,000 lists", JSON, 400, "[" * 30_000 + "]" * 30_000),
    post("a nest of 10,000 objects", JSON, 400, '{"a":' * 10_000),
    post("a form that is no JSON", "Content-Type: application/x-www-form-urlencoded\r\n", 400, "a=b"),
    post("a form that is JSON", "Content-Type: application/x-www-form-urlencoded\r\n", 200, "21.5"),
    post("text where a number is wanted", JSON, 422, '"text"', node="x"),
    post("a number beyond its bounds", JSON, 422, "11", node="small"),
    post("a fraction where none is wanted", JSON, 422, "1.5", node="small"),
    post("a number beyond all doubles", JSON, 422, "1e999", node="x"),
    post("the same in a node that takes anything", JSON, 422, "[1e999]"),
    post("null where a number is wanted", JSON, 422, "null", node="x"),
    post("a derived node", JSON, 405, "1", node="deep", fields={"allow": "GET, HEAD, OPTIONS"}),
    post("If-Match that is no tag", "If-Match: x\r\n", 400),
    post("If-Match of another history", 'If-Match: "zzzz:1"\r\n', 412),
    post("If-Match beyond 64 bits", 'If-Match: "zzzz:99999999999999999999999"\r\n', 412),
    post("If-None-Match that is no tag", 'If-None-Match: "\r\n', 400),
    post("an endless Idempotency-Key", "Idempotency-Key: " + "k" * 200 + "\r\n", 400),
    post("an empty Idempotency-Key", "Idempotency-Key: \r\n", 400),
    post("a context that is no JSON", "Sluice-Context: {\r\n", 400),
    exchange(
        "a batch that is a list",
        "POST /v1/graphs/g/batch HTTP/1.1\r\n{H}" + JSON + "Content-Length: 2\r\n\r\n[]", 400,
    ),
    exchange(
        "a batch for a node that is not there",
        "POST /v1/graphs/g/batch HTTP/1.1\r\n{H}" + JSON + 'Content-Length: 18\r\n\r\n{"set":{"nope":1}}',
        404,
    ),
    exchange(
        "a pipeline that is no list",
        "POST /v1/graphs/g/eval HTTP/1.1\r\n{H}" + JSON + 'Content-Length: 21\r\n\r\n{"node":"x","pipe":7}',
        400,
    ),
    exchange("a bad escape in a query", "GET /v1/graphs/g/values?nodes=%zz HTTP/1.1\r\n{H}\r\n", 400),
    exchange(
        "a thousand events of a node", "GET /v1/graphs/g/events?" + "node=x&" * 1001 + " HTTP/1.1\r\n{H}\r\n",
        400,
    ),
    exchange("events of nothing", "GET /v1/graphs/g/events HTTP/1.1\r\n{H}\r\n", 400),
    exchange("an interval below zero", "GET /v1/graphs/g/events?node=x&every=-1 HTTP/1.1\r\n{H}\r\n", 400),
]

CASES = REQUEST_LINES + FIELDS + METHODS + WHO + BODIES
