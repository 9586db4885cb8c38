import CLLHTTP
internal import Support

// What a request's head must satisfy beyond llhttp's grammar. The strict build still lets pass: a
// line ended by LF alone in three places, folded lines, several spaces in the request line,
// protocols other than HTTP, versions other than 1.0 and 1.1, empty field names,
// `Transfer-Encoding` other than `chunked`.
extension MessageCore {
    mutating func requestHeadCompleted() -> Int32 {
        let base = unsafe head.base.unsafelyUnwrapped
        guard judgeSize() == 0 else { return -1 }
        guard unsafe isRequestLineExact(base) else {
            return refuse(.badRequest, "the request line is not METHOD target HTTP/1.1")
        }
        guard unsafe base[headEnd &- 2] == ASCII.carriageReturn, unsafe base[headEnd &- 1] == ASCII.lineFeed
        else {
            return refuse(.badRequest, "a line does not end in CR LF")
        }
        if let failure = unsafe sortFields(base) {
            return refuse(.badRequest, failure)
        }
        if let failure = unsafe judgeTarget(base) {
            return refuse(.badRequest, failure)
        }
        if facts.authorityLength > 0,
            unsafe !HostField.isWellFormed(
                BorrowedBytes(start: base + facts.authority, count: facts.authorityLength)
            )
        {
            return refuse(.badRequest, "the request target has no host")
        }
        let code = judgeFraming()
        if code == 0 { unsafe rememberHead(base) }
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
        guard target >= 2, targetLength > 0, unsafe Int(head.fields[0].name) == end &+ 11 else {
            return false
        }
        let words = unsafe UnsafeRawPointer(base + end)
        var expected: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &expected) {
            unsafe $0.copyBytes(
                from: BorrowedBytes(start: (" HTTP/1." as StaticString).utf8Start, count: 8)
            )
        }
        guard unsafe words.loadUnaligned(as: UInt64.self) == expected,
            unsafe base[end &+ 8] &- 48 < 2, unsafe base[end &+ 9] == ASCII.carriageReturn,
            unsafe base[end &+ 10] == ASCII.lineFeed,
            unsafe base[target &- 1] == ASCII.space, unsafe base[target &- 2] != ASCII.space
        else { return false }
        facts.minorVersion = unsafe base[end &+ 8] &- 48
        facts.method = unsafe Method(rawValue: parser.pointee.method)
        return true
    }

    /// Trims values, knows names, refuses what is ambiguous.
    private mutating func sortFields(_ base: UnsafePointer<UInt8>) -> StaticString? {
        let fields = unsafe head.fields
        let table = HeaderTable.known
        for index in 0..<head.fieldCount {
            let field = unsafe fields + index
            let name = unsafe Int(field.pointee.name)
            let nameLength = unsafe Int(field.pointee.nameLength)
            guard nameLength > 0 else { return "a header field has no name" }
            guard unsafe base[name &- 2] == ASCII.carriageReturn, unsafe base[name &- 1] == ASCII.lineFeed
            else {
                return "a line does not end in CR LF"
            }
            if unsafe field.pointee.valueLength > 0 {
                let value = unsafe Int(field.pointee.value)
                var place = name &+ nameLength &+ 1
                while place < value {
                    guard unsafe base[place] == ASCII.space || base[place] == ASCII.tab else {
                        return "a folded header line is not accepted"
                    }
                    place &+= 1
                }
                var end = unsafe value &+ Int(field.pointee.valueLength)
                while end > value, unsafe base[end &- 1] == ASCII.space || base[end &- 1] == ASCII.tab {
                    end &-= 1
                }
                unsafe field.pointee.valueLength = UInt32(truncatingIfNeeded: end &- value)
            }
            let known = unsafe table.find(base + name, nameLength)
            guard known != .unknown else { continue }
            unsafe field.pointee.known = known
            if unsafe head.first[Int(known.rawValue)] == 0 {
                unsafe head.first[Int(known.rawValue)] = UInt16(truncatingIfNeeded: index &+ 1)
            } else if known.isSingle {
                return known == .host
                    ? "Host is given twice" : "a header field that may occur only once is given twice"
            }
        }
        guard let host = head.value(.host) else { return "Host is missing" }
        return HostField.isWellFormed(host) ? nil : "Host is not a host"
    }

    /// How long the body is, whether the connection lasts, whether another protocol follows.
    private mutating func judgeFraming() -> Int32 {
        let flags = unsafe UInt32(parser.pointee.flags)
        facts.isChunked = flags & F_CHUNKED.rawValue != 0
        if let coding = head.value(.transferEncoding) {
            guard facts.isChunked, facts.minorVersion == 1, coding.equalsIgnoringCase("chunked") else {
                return refuse(.badRequest, "Transfer-Encoding may only be chunked, in HTTP/1.1")
            }
            guard head.value(.contentLength) == nil else {
                return refuse(.badRequest, "Content-Length and Transfer-Encoding exclude each other")
            }
        }
        let length = unsafe parser.pointee.content_length
        if facts.queryLength > 0, facts.isChunked || length > 0 {
            let query = Query(slice(facts.query, facts.queryLength))
            facts.allowsLongBody = limits.allowsLongBody(facts.method, path, query)
        }
        guard facts.isChunked || length <= UInt64(limits.body(of: facts)) else {
            return refuseBody(of: length)
        }
        facts.contentLength = facts.isChunked ? 0 : Int(length)
        facts.keepsAlive = unsafe llhttp_should_keep_alive(parser) != 0
        let hasBody = facts.isChunked || length > 0
        if unsafe parser.pointee.upgrade != 0 {
            // Only a bodiless GET for WebSocket leaves HTTP; every other wish to upgrade is ignored
            // (RFC 9110 §7.8).
            facts.upgradesToWebSocket =
                facts.method == .get && !hasBody && facts.minorVersion == 1
                && head.value(.upgrade).map { $0.listContains("websocket") } ?? false
            unsafe parser.pointee.upgrade = 0
        }
        guard hasBody, facts.minorVersion == 1, let expectation = head.value(.expect),
            expectation.equalsIgnoringCase("100-continue"), headEnd == origin &+ inputCount
        else { return 0 }
        facts.expectsContinue = true
        return Int32(HPE_PAUSED.rawValue)
    }
}
