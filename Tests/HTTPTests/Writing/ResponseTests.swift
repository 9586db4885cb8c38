import HTTP
import Support
import Testing

@Suite("ResponseEncoder writes answers, ResponseParser reads them")
struct ResponseTests {
    /// What a client's parser makes of some bytes.
    private func read(_ pieces: [[UInt8]], answersHead: Bool = false, thenEnds: Bool = false) -> [String] {
        let parser = ResponseParser()
        parser.answersHead = answersHead
        var lines: [String] = []
        func note(_ step: ResponseParser.Step) -> Bool {
            switch step {
            case .more: return false
            case .response:
                var line = "\(parser.head.status.rawValue)"
                for index in 0..<parser.head.fieldCount {
                    let field = parser.head.field(at: index)
                    if field.name.equalsIgnoringCase("date") { continue }
                    line += " \(field.name.text)=\(field.value.text);"
                }
                lines.append(line + " [\(parser.body.text)] \(parser.keepsAlive ? "keep" : "close")")
                return true
            case .upgrade:
                lines.append("upgrade")
                return false
            case .failed(let failure):
                lines.append("failed \(failure.code.rawValue)")
                return false
            }
        }
        for piece in pieces {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            defer { memory.deallocate() }
            var input = BorrowedBytes(UnsafeRawBufferPointer(memory))
            while note(parser.parse(&input)) {}
        }
        if thenEnds { _ = note(parser.finish()) }
        return lines
    }

    /// The same at every split.
    private func atEverySplit(_ text: String, answersHead: Bool = false, thenEnds: Bool = false) -> [String] {
        let bytes = Array(text.utf8)
        let whole = read([bytes], answersHead: answersHead, thenEnds: thenEnds)
        for place in 0...bytes.count {
            let heard = read(
                [Array(bytes[..<place]), Array(bytes[place...])],
                answersHead: answersHead,
                thenEnds: thenEnds
            )
            guard heard == whole else { return ["split at \(place): \(heard) instead of \(whole)"] }
        }
        return whole
    }

    @Test("what the encoder writes the parser reads")
    func roundTrip() {
        let encoder = ResponseEncoder(date: HTTPDate(unixSeconds: 784_111_777))
        let framing = ResponseFraming()
        var out = ByteBuffer()
        encoder.begin(.ok, framing, in: &out)
        out.field("Content-Type", "application/json")
        lend("\"k:7\"") { out.field("ETag", $0) }
        lend("{}") { encoder.finish($0, framing, in: &out) }
        encoder.begin(.noContent, framing, in: &out)
        encoder.finishEmpty(.noContent, in: &out)
        encoder.begin(.created, framing, in: &out)
        encoder.finishEmpty(.created, in: &out)
        encoder.begin(.ok, framing, in: &out)
        encoder.beginChunks(framing, in: &out)
        lend("0123456789abcdef") { encoder.chunk($0, framing, in: &out) }
        lend("") { encoder.chunk($0, framing, in: &out) }
        lend("x") { encoder.chunk($0, framing, in: &out) }
        encoder.endChunks(framing, in: &out)
        encoder.begin(.badRequest, ResponseFraming(keepsAlive: false), in: &out)
        lend("bye") { encoder.finish($0, ResponseFraming(keepsAlive: false), in: &out) }
        #expect(out.bytes.text.hasPrefix("HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
        #expect(
            atEverySplit(out.bytes.text) == [
                "200 Content-Type=application/json; ETag=\"k:7\"; Content-Length=2; [{}] keep", "204 [] keep",
                "201 Content-Length=0; [] keep", "200 Transfer-Encoding=chunked; [0123456789abcdefx] keep",
                "400 Connection=close; Content-Length=3; [bye] close",
            ]
        )
    }

    @Test("an answer to HEAD has a length and no body")
    func head() {
        var out = ByteBuffer()
        let framing = ResponseFraming(omitsBody: true)
        ResponseEncoder().begin(.ok, framing, in: &out)
        lend("0123456789") { ResponseEncoder().finish($0, framing, in: &out) }
        #expect(atEverySplit(out.bytes.text, answersHead: true) == ["200 Content-Length=10; [] keep"])
    }

    @Test("HTTP/1.0 gets Connection: keep-alive, and no chunks")
    func oldVersion() {
        var out = ByteBuffer()
        ResponseEncoder().begin(.ok, ResponseFraming(isHTTP10: true), in: &out)
        #expect(out.bytes.text.hasSuffix("Connection: keep-alive\r\n"))
        out.removeAll()
        let closing = ResponseFraming(keepsAlive: false, isHTTP10: true)
        ResponseEncoder().begin(.ok, closing, in: &out)
        ResponseEncoder().beginChunks(closing, in: &out)
        lend("abc") { ResponseEncoder().chunk($0, closing, in: &out) }
        ResponseEncoder().endChunks(closing, in: &out)
        #expect(atEverySplit(out.bytes.text, thenEnds: true) == ["200 Connection=close; [abc] close"])
    }

    @Test("interim answers are passed over, 101 hands over")
    func interim() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        #expect(atEverySplit(text) == ["200 Content-Length=0; [] keep"])
        let upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        #expect(atEverySplit(upgrade) == ["upgrade"])
    }

    @Test(
        "a head that does not end in CR LF is refused, however it is cut",
        arguments: [
            "HTTP/1.1 200 OK\r\nA: b\r\n\n\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\n\r\nbody",
            "HTTP/1.1 200 OK\r\nA: b\n\nbody",
        ]
    )
    func headEnd(text: String) {
        let bytes = Array(text.utf8)
        for place in 0...bytes.count {
            let heard = read([Array(bytes[..<place]), Array(bytes[place...])])
            #expect(
                heard.allSatisfy { $0 == "failed bad_request" } && !heard.isEmpty,
                "split at \(place): \(heard)"
            )
        }
    }

    @Test("an end within a response is a failure, between two it is not")
    func ending() {
        #expect(
            read([Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab".utf8)], thenEnds: true) == [
                "failed bad_request"
            ]
        )
        #expect(read([Array("HTTP/1.1 200".utf8)], thenEnds: true) == ["failed bad_request"])
        #expect(read([], thenEnds: true) == [])
        #expect(read([Array("nonsense".utf8)]) == ["failed bad_request"])
    }

    @Test("no value can end its header line")
    func injection() {
        var out = ByteBuffer()
        out.field("X", string: "a\r\nEvil: b\u{0}\u{7f}")
        #expect(out.bytes.text == "X: a  Evil: b  \r\n")
    }

    @Test("requests that RequestEncoder writes are requests")
    func requests() {
        var out = ByteBuffer()
        lend("21.5") {
            RequestEncoder.append(.post, "/v1/x", host: "h:1", type: "application/json", body: $0, to: &out) {
                $0.field("If-Match", "\"k:1\"")
            }
        }
        RequestEncoder.append(.get, "/", host: "h", to: &out)
        RequestEncoder.appendUpgrade(
            "/v1/ws",
            host: "h",
            key: "dGhlIHNhbXBsZSBub25jZQ==",
            subprotocol: "sluice.v1.json",
            to: &out
        )
        let heard = Transcript.of(out.bytes.text)
        #expect(heard.count == 4)
        #expect(
            heard[0]
                == "POST /v1/x @h:1 Host=h:1; Content-Type=application/json; If-Match=\"k:1\"; Content-Length=4; [21.5] keep"
        )
        #expect(heard[1] == "GET / @h Host=h; [] keep")
        #expect(heard[3] == "upgrade, rest []")
    }
}

@Suite("ServerSentEvents writes events")
struct ServerSentEventsTests {
    @Test("name, id, and one data line per line")
    func event() {
        var out = ByteBuffer()
        lend("k:7") { id in lend("{\n}\r\nx\r") { ServerSentEvents.append("upd", id: id, data: $0, to: &out) }
        }
        #expect(out.bytes.text == "event: upd\nid: k:7\ndata: {\ndata: }\ndata: x\ndata: \n\n")
    }

    @Test("comments and the time to wait")
    func others() {
        var out = ByteBuffer()
        ServerSentEvents.appendComment(to: &out)
        ServerSentEvents.appendRetry(milliseconds: 3000, to: &out)
        #expect(out.bytes.text == ":\n\nretry: 3000\n\n")
    }
}

@Suite("SelfTest knows a strict llhttp")
struct SelfTestTests {
    @Test("the linked library passes")
    func passes() {
        #expect(SelfTest.run() == nil)
    }
}

@Suite("Methods are llhttp's numbers, names are found")
struct NumbersTests {
    @Test(
        "every routable method is parsed as itself",
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
    )
    func methods(name: String) {
        #expect(Transcript.of("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n") == ["\(name) / @a Host=a; [] keep"])
    }

    @Test("every known header is found by its name in any case, and by no other")
    func headers() {
        let parser = RequestParser()
        for number in UInt8(1)..<36 {
            let name = HeaderName(rawValue: number)
            // These change how the message is read, and are covered elsewhere.
            if [.host, .contentLength, .transferEncoding, .connection, .upgrade, .expect].contains(name) {
                continue
            }
            let text = name.name.description
            for spelling in [text, text.uppercased(), text.dropLast() + "~"] {
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(spelling): v\r\n\r\n".utf8)
                bytes.withBorrowedBytes {
                    var input = $0
                    guard case .request = parser.parse(&input) else {
                        return #expect(Bool(false), "\(spelling)")
                    }
                    #expect(parser.head.has(name) == !spelling.hasSuffix("~"), "\(spelling)")
                }
            }
        }
    }
}
