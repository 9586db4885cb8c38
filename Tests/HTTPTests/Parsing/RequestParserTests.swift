import HTTP
import Support
import Testing

@Suite("RequestParser reads requests from bytes")
struct RequestParserTests {
    @Test("a request with a length is read whole")
    func lengthBody() {
        let heard = Transcript.of("POST /v1/n?a=1 HTTP/1.1\r\nHost: a:80\r\nContent-Length:  4 \r\n\r\n21.5")
        #expect(heard == ["POST /v1/n ?a=1 @a:80 Host=a:80; Content-Length=4; [21.5] keep"])
    }

    @Test(
        "a parser that was reset reads as a new one, whatever it has read before",
        arguments: [
            "", "\r\n", "PO", "GET /a HTTP/1.1\r\nHost: a\r\nX: ", "GET / HTTP/1.1\r\n\r\n", "no request",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /a?b HTTP/1.1\r\nHost: a\r\nOrigin: b\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
            "PUT /%61 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=\"y",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nrest",
        ]
    )
    func reset(former: String) {
        let parser = RequestParser()
        _ = Transcript.of([Array(former.utf8)], by: parser)
        let requests = [
            Array("\r\nPOST /n HTTP/1.1\r\nHost: b\r\nContent-Length: 2\r\n\r\n21".utf8),
            Array("PUT / HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
            Array("1;x\r\na\r\n0\r\n\r\n".utf8),
        ]
        parser.reset()
        #expect(parser.isIdle && parser.bodyBytes == 0)
        #expect(Transcript.of(requests, by: parser) == Transcript.of(requests))
    }

    @Test("chunks are put together")
    func chunks() {
        let heard = Transcript.of(
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n00\r\n\r\n"
        )
        #expect(heard == ["PUT / @a Host=a; Transfer-Encoding=Chunked; [abc0123456789] keep"])
    }

    @Test("chunk extensions and trailers are discarded, and change nothing about the next request")
    func discarded() {
        let heard = Transcript.of(
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;x;y=z;q=\"b;c\"\r\na\r\n0;end\r\n"
                + "Connection: close\r\nUpgrade: websocket\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(
            heard == ["PUT / @a Host=a; Transfer-Encoding=chunked; [a] keep", "GET / @a Host=a; [] keep"]
        )
    }

    @Test("zeros in front of a chunk's size are no digits too many")
    func zeros() {
        let heard = Transcript.of(
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(String(repeating: "0", count: 40))1\r\na\r\n"
                + "00\r\n\r\n"
        )
        #expect(heard == ["PUT / @a Host=a; Transfer-Encoding=chunked; [a] keep"])
    }

    @Test("extensions and trailer may have as many bytes together as a header block", arguments: [0, 1])
    func discardedBound(over: Int) {
        let limits = Limits(headerBytes: 100)
        // `T:1`, two line ends: 7 bytes.
        let text = String(repeating: "x", count: 93 + over)
        let heard = Transcript.of(
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(text)\r\na\r\n0\r\nT:1\r\n\r\n",
            limits: limits
        )
        #expect(heard.last?.hasSuffix(over == 0 ? "[a] keep" : "failed headers_too_large") == true)
    }

    @Test("pipelined requests come one at a time, in order")
    func pipelined() {
        let parser = RequestParser()
        let bytes = Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        bytes.withBorrowedBytes { whole in
            var input = whole
            guard case .request = parser.parse(&input) else {
                return #expect(Bool(false), "no first request")
            }
            #expect(parser.head.path.text == "/1")
            #expect(input.count == bytes.count / 2)
            guard case .request = parser.parse(&input) else {
                return #expect(Bool(false), "no second request")
            }
            #expect(parser.head.path.text == "/2")
            #expect(parser.isIdle && input.isEmpty)
        }
    }

    @Test("what follows a request with Connection: close is ignored")
    func afterClose() {
        let heard = Transcript.of(
            "GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHo"
        )
        #expect(heard == ["GET /1 @a Host=a; Connection=close; [] close"])
    }

    @Test("HTTP/1.0 closes unless it asks to stay")
    func oldVersion() {
        #expect(Transcript.of("GET / HTTP/1.0\r\nHost: a\r\n\r\n") == ["GET / @a Host=a; [] close"])
        let kept = Transcript.of("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
        #expect(kept == ["GET / @a Host=a; Connection=keep-alive; [] keep"])
    }

    @Test("an upgrade to WebSocket hands over the bytes after it")
    func upgrade() {
        let heard = Transcript.of(
            "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\r\nframes"
        )
        #expect(
            heard == [
                "GET /ws @a Host=a; Connection=keep-alive, Upgrade; Upgrade=WebSocket; [] keep",
                "upgrade, rest [frames]",
            ]
        )
    }

    @Test(
        "other wishes to upgrade are ignored",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\nx",
        ]
    )
    func ignoredUpgrade(bytes: String) {
        let heard = Transcript.of(bytes + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(heard.count == 2)
        #expect(heard.last == "GET /next @a Host=a; [] keep")
    }

    @Test("Expect: 100-continue stops after the head only while the body is missing")
    func expectation() {
        let head = "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        let line = "PUT / @a Host=a; Expect=100-Continue; Content-Length=2; [hi] keep"
        let waiting = Transcript.of([Array(head.utf8), Array("hi".utf8)], showsContinue: true)
        #expect(waiting == ["continue", line])
        #expect(Transcript.of(head + "hi", showsContinue: true) == [line])
    }

    @Test("Expect without a body or in HTTP/1.0 is ignored")
    func needlessExpectation() {
        let bodiless = "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"
        #expect(
            Transcript.of(bodiless, showsContinue: true) == ["GET / @a Host=a; Expect=100-continue; [] keep"]
        )
        let old = "PUT / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
        #expect(Transcript.of(old, showsContinue: true) == [])
    }

    @Test(
        "target forms",
        arguments: [
            ("GET /a/b?x=%20#", "failed bad_request"),
            ("GET /a%20b%2Fc%2e?x=%20", "GET /a b%2Fc. ?x=%20 @h Host=h; [] keep"),
            ("GET /%zz", "failed bad_request"), ("GET /%4", "failed bad_request"),
            ("GET /%", "failed bad_request"),
            ("GET http://other:81/p?q", "GET /p ?q @other:81 Host=h; [] keep"),
            ("GET HTTPS://other", "GET / @other Host=h; [] keep"),
            ("GET http://other?q", "GET / ?q @other Host=h; [] keep"),
            ("GET http:///p", "failed bad_request"), ("GET http://u@other/p", "failed bad_request"),
            ("GET ftp://other/p", "failed bad_request"), ("GET other:80", "failed bad_request"),
            ("OPTIONS *", "OPTIONS * @h Host=h; [] keep"), ("GET *", "failed bad_request"),
            ("CONNECT other:80", "failed bad_request"), ("CONNECT /", "failed bad_request"),
            ("OPTIONS *x", "failed bad_request"), ("GET /?", "GET / @h Host=h; [] keep"),
            ("GET //x", "GET //x @h Host=h; [] keep"),
        ]
    )
    func targets(line: String, expected: String) {
        #expect(Transcript.of("\(line) HTTP/1.1\r\nHost: h\r\n\r\n") == [expected])
    }

    @Test("one empty line before a request is passed over, no more")
    func blankLine() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let line = "GET / @a Host=a; [] keep"
        #expect(Transcript.of("\r\n" + request + "\r\n" + request) == [line, line])
        #expect(Transcript.of("\r\n\r\n" + request) == ["failed bad_request"])
        #expect(Transcript.of("\n" + request) == ["failed bad_request"])
        #expect(Transcript.of("\r" + request) == ["failed bad_request"])
    }

    @Test("stages tell which time limit runs")
    func stages() {
        let parser = RequestParser()
        func feed(_ text: String) {
            Array(text.utf8).withBorrowedBytes {
                var input = $0
                _ = parser.parse(&input)
            }
        }
        #expect(parser.isIdle)
        feed("PO")
        #expect(parser.isReadingHead && !parser.isIdle)
        feed("ST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na")
        #expect(parser.isReadingBody && parser.bodyBytes == 1)
        feed("bc")
        #expect(parser.isIdle)
    }

    @Test("known fields are found by name, repeated ones in order")
    func fields() {
        let parser = RequestParser()
        let text = Array(
            "GET / HTTP/1.1\r\nhOST: a\r\nPrefer: wait=3\r\nX-Y: 1\r\nprefer: return=minimal\r\n\r\n".utf8
        )
        text.withBorrowedBytes {
            var input = $0
            guard case .request = parser.parse(&input) else { return #expect(Bool(false), "no request") }
            var values: [String] = []
            parser.head.forEachValue(.prefer) {
                values.append($0.text)
                return true
            }
            #expect(values == ["wait=3", "return=minimal"])
            #expect(parser.head.has(.host) && !parser.head.has(.origin))
            let preferences = Preferences(parser.head)
            #expect(preferences.waitSeconds == 3 && preferences.returnsMinimal)
        }
    }

    @Test("Limits that become smaller in the middle of a request hold from the next byte on")
    func smallerLimits() {
        let parser = RequestParser()
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n"
        #expect(Transcript.of([Array(chunked.utf8)], by: parser).isEmpty)
        parser.limits = Limits(bodyBytes: 2)
        #expect(Transcript.of([Array("1\r\ne\r\n0\r\n\r\n".utf8)], by: parser) == ["failed too_large"])

        let other = RequestParser()
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 9_000))"
        #expect(Transcript.of([Array(head.utf8)], by: other).isEmpty)
        other.limits = Limits(targetBytes: 100, headerBytes: 200)
        #expect(Transcript.of([Array("x\r\n\r\n".utf8)], by: other) == ["failed headers_too_large"])
    }
}
