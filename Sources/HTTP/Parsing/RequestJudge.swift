import CLLHTTP
internal import Support

// What a request's head must satisfy beyond llhttp's grammar. The strict build still lets pass: a
// line ended by LF alone in three places, folded lines, several spaces in the request line,
// protocols other than HTTP, versions other than 1.0 and 1.1, empty field names,
// `Transfer-Encoding` other than `chunked`.
extension MessageCore {
    mutating func requestHeadCompleted() -> Int32 {
        let base = head.base.unsafelyUnwrapped
        guard judgeSize() == 0 else { return -1 }
        guard isRequestLineExact(base) else {
            return refuse(.badRequest, "the request line is not METHOD target HTTP/1.1")
        }
        guard base[headEnd &- 2] == ASCII.carriageReturn, base[headEnd &- 1] == ASCII.lineFeed else {
            return refuse(.badRequest, "a line does not end in CR LF")
        }
        if let failure = sortFields(base) {
            return refuse(.badRequest, failure)
        }
        if let failure = judgeTarget(base) {
            return refuse(.badRequest, failure)
        }
        if facts.authorityLength > 0,
            !isHost(UnsafeRawBufferPointer(start: base + facts.authority, count: facts.authorityLength))
        {
            return refuse(.badRequest, "the request target has no host")
        }
        let code = judgeFraming()
        if code == 0 { rememberHead(base) }
        return code
    }

    /// Whether target and header block are within their limits: 0, or what makes llhttp stop.
    @inline(__always)
    mutating func judgeSize() -> Int32 {
        guard targetLength <= limits.targetBytes else {
            return refuse(.uriTooLong, "the request target is too long")
        }
        guard headEnd &- target &- targetLength <= limits.headerBytes &+ 11 else {
            return refuse(.headersTooLarge, "the header block is too large")
        }
        return 0
    }

    /// One space on either side of the target, then exactly `HTTP/1.1` or `HTTP/1.0`, CR LF and the
    /// first field.
    private mutating func isRequestLineExact(_ base: UnsafePointer<UInt8>) -> Bool {
        let end = target &+ targetLength
        guard target >= 2, targetLength > 0, Int(head.fields[0].name) == end &+ 11 else { return false }
        let words = UnsafeRawPointer(base + end)
        var expected: UInt64 = 0
        withUnsafeMutableBytes(of: &expected) {
            $0.copyBytes(
                from: UnsafeRawBufferPointer(start: (" HTTP/1." as StaticString).utf8Start, count: 8)
            )
        }
        guard words.loadUnaligned(as: UInt64.self) == expected,
            base[end &+ 8] &- 48 < 2, base[end &+ 9] == ASCII.carriageReturn,
            base[end &+ 10] == ASCII.lineFeed,
            base[target &- 1] == ASCII.space, base[target &- 2] != ASCII.space
        else { return false }
        facts.minorVersion = base[end &+ 8] &- 48
        facts.method = Method(rawValue: parser.pointee.method)
        return true
    }

    /// Trims values, knows names, refuses what is ambiguous.
    private mutating func sortFields(_ base: UnsafePointer<UInt8>) -> StaticString? {
        let fields = head.fields
        let table = HeaderTable.known
        for index in 0..<head.fieldCount {
            let field = fields + index
            let name = Int(field.pointee.name)
            let nameLength = Int(field.pointee.nameLength)
            guard nameLength > 0 else { return "a header field has no name" }
            guard base[name &- 2] == ASCII.carriageReturn, base[name &- 1] == ASCII.lineFeed else {
                return "a line does not end in CR LF"
            }
            if field.pointee.valueLength > 0 {
                let value = Int(field.pointee.value)
                var place = name &+ nameLength &+ 1
                while place < value {
                    guard base[place] == ASCII.space || base[place] == ASCII.tab else {
                        return "a folded header line is not accepted"
                    }
                    place &+= 1
                }
                var end = value &+ Int(field.pointee.valueLength)
                while end > value, base[end &- 1] == ASCII.space || base[end &- 1] == ASCII.tab {
                    end &-= 1
                }
                field.pointee.valueLength = UInt32(truncatingIfNeeded: end &- value)
            }
            let known = table.find(base + name, nameLength)
            guard known != .unknown else { continue }
            field.pointee.known = known
            if head.first[Int(known.rawValue)] == 0 {
                head.first[Int(known.rawValue)] = UInt16(truncatingIfNeeded: index &+ 1)
            } else if known.isSingle {
                return known == .host
                    ? "Host is given twice" : "a header field that may occur only once is given twice"
            }
        }
        guard let host = head.value(.host) else { return "Host is missing" }
        return isHost(host) ? nil : "Host is not a host"
    }

    /// Whether the bytes are a host and perhaps a port (RFC 9112 §3.2); an empty host is refused,
    /// as nothing can be checked against it.
    private func isHost(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        if bytes.first == UInt8(ascii: "[") {
            place = 1
            while place < bytes.count,
                bytes[place] == UInt8(ascii: ":") || ByteSet.host.contains(bytes[place])
            {
                place &+= 1
            }
            guard place > 1, place < bytes.count, bytes[place] == UInt8(ascii: "]") else { return false }
            place &+= 1
        } else {
            place = ByteSet.host.prefix(of: bytes)
        }
        guard place > 0 else { return false }
        guard place < bytes.count else { return true }
        guard bytes[place] == UInt8(ascii: ":") else { return false }
        repeat { place &+= 1 } while place < bytes.count && ASCII.isDigit(bytes[place])
        return place == bytes.count
    }

    /// How long the body is, whether the connection lasts, whether another protocol follows.
    private mutating func judgeFraming() -> Int32 {
        let flags = UInt32(parser.pointee.flags)
        facts.isChunked = flags & F_CHUNKED.rawValue != 0
        if let coding = head.value(.transferEncoding) {
            guard facts.isChunked, facts.minorVersion == 1, coding.equalsIgnoringCase("chunked") else {
                return refuse(.badRequest, "Transfer-Encoding may only be chunked, in HTTP/1.1")
            }
            guard head.value(.contentLength) == nil else {
                return refuse(.badRequest, "Content-Length and Transfer-Encoding exclude each other")
            }
        }
        let length = parser.pointee.content_length
        if facts.queryLength > 0, facts.isChunked || length > 0 {
            let query = Query(slice(facts.query, facts.queryLength))
            facts.allowsLongBody = limits.allowsLongBody(facts.method, path, query)
        }
        guard facts.isChunked || length <= UInt64(limits.body(of: facts)) else {
            return refuseBody(of: length)
        }
        facts.contentLength = facts.isChunked ? 0 : Int(length)
        facts.keepsAlive = llhttp_should_keep_alive(parser) != 0
        let hasBody = facts.isChunked || length > 0
        if parser.pointee.upgrade != 0 {
            // Only a bodiless GET for WebSocket leaves HTTP; every other wish to upgrade is ignored
            // (RFC 9110 §7.8).
            facts.upgradesToWebSocket =
                facts.method == .get && !hasBody && facts.minorVersion == 1
                && head.value(.upgrade).map { $0.listContains("websocket") } ?? false
            parser.pointee.upgrade = 0
        }
        guard hasBody, facts.minorVersion == 1, let expectation = head.value(.expect),
            expectation.equalsIgnoringCase("100-continue"), headEnd == origin &+ inputCount
        else { return 0 }
        facts.expectsContinue = true
        return Int32(HPE_PAUSED.rawValue)
    }
}
