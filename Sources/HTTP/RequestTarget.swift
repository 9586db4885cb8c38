// The request target (RFC 9112 §3.2): origin form, absolute form, and `*` for OPTIONS. The path is
// percent-decoded once here, so that nobody after the parser sees an escape and decodes a second time.
extension MessageCore {
    /// Finds path, query and authority in the target.
    /// - Returns: what is wrong with it, or nil.
    mutating func judgeTarget(_ base: UnsafePointer<UInt8>) -> StaticString? {
        var start = target
        let end = target &+ targetLength
        if base[start] == UInt8(ascii: "*"), targetLength == 1 {
            guard facts.method == .options else { return "the target * belongs to OPTIONS" }
            facts.path = start
            facts.pathLength = 1
            return nil
        }
        if base[start] != ASCII.slash {
            guard let after = authorityEnd(base, start, end) else {
                return "the target is neither a path nor an http URL"
            }
            start = after
        }
        guard facts.method != .connect else { return "CONNECT is not served" }
        var place = start
        var isEscaped = false
        // One pass over the path: `#`, `%` and `?` all lie below 64.
        let marks: UInt64 = 1 << 35 | 1 << 37 | 1 << 63
        while place < end {
            let byte = base[place]
            if byte < 64, marks >> UInt64(byte) & 1 != 0 {
                if byte == UInt8(ascii: "?") { break }
                if byte == UInt8(ascii: "#") { return "the target has a fragment" }
                isEscaped = true
            }
            place &+= 1
        }
        facts.path = start
        facts.pathLength = place &- start
        if place < end {
            facts.query = place &+ 1
            facts.queryLength = end &- place &- 1
            for index in facts.query..<end where base[index] == UInt8(ascii: "#") {
                return "the target has a fragment"
            }
        }
        if facts.pathLength == 0 {
            facts.pathPlace = .root
        } else if isEscaped {
            let raw = UnsafeRawBufferPointer(start: base + facts.path, count: facts.pathLength)
            decoded.removeAll(keepingAtMost: 1024)
            guard PercentEncoding.decode(path: raw, to: &decoded) else {
                return "the target has a bad escape"
            }
            facts.pathPlace = .decoded
        }
        return nil
    }

    /// The end of `http://host`, whose host then counts instead of the Host field (RFC 9112 §3.2.2).
    private mutating func authorityEnd(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let bytes = UnsafeRawBufferPointer(start: base + start, count: end &- start)
        let scheme: Int
        if bytes.count > 7, UnsafeRawBufferPointer(rebasing: bytes[..<7]).equalsIgnoringCase("http://") {
            scheme = 7
        } else if bytes.count > 8,
            UnsafeRawBufferPointer(rebasing: bytes[..<8]).equalsIgnoringCase("https://")
        {
            scheme = 8
        } else {
            return nil
        }
        var place = scheme
        while place < bytes.count, bytes[place] != ASCII.slash, bytes[place] != UInt8(ascii: "?") {
            guard bytes[place] != UInt8(ascii: "@"), bytes[place] != UInt8(ascii: "#") else { return nil }
            place += 1
        }
        guard place > scheme else { return nil }
        facts.authority = start + scheme
        facts.authorityLength = place - scheme
        return start + place
    }
}
