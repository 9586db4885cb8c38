internal import Support

// The request target (RFC 9112 §3.2): origin form, absolute form, and `*` for OPTIONS. The path is
// percent-decoded once here, so that no code after the parser sees an escape and decodes it a
// second time.
extension MessageCore {
    /// Finds path, query and authority in the target.
    /// - Returns: what is wrong with it, or nil.
    mutating func judgeTarget(_ base: UnsafePointer<UInt8>) -> StaticString? {
        var start = target
        let end = target &+ targetLength
        if unsafe base[start] == UInt8(ascii: "*"), targetLength == 1 {
            guard facts.method == .options else { return "the target * belongs to OPTIONS" }
            facts.path = start
            facts.pathLength = 1
            return nil
        }
        if unsafe base[start] != ASCII.slash {
            guard let after = unsafe authorityEnd(base, start, end) else {
                return "the target is neither a path nor an http URL"
            }
            start = after
        }
        guard facts.method != .connect else { return "CONNECT is not supported" }
        var place = start
        var isEscaped = false
        while true {
            place = unsafe Self.nextMark(base, from: place, to: end)
            guard place < end, unsafe base[place] != UInt8(ascii: "?") else { break }
            if unsafe base[place] == UInt8(ascii: "#") { return "the target has a fragment" }
            isEscaped = true
            place &+= 1
        }
        facts.path = start
        facts.pathLength = place &- start
        if place < end {
            facts.query = place &+ 1
            facts.queryLength = end &- place &- 1
            var mark = facts.query
            while mark < end {
                if unsafe base[mark] == UInt8(ascii: "#") { return "the target has a fragment" }
                mark &+= 1
            }
        }
        if facts.pathLength == 0 {
            facts.pathPlace = .root
        } else if isEscaped {
            let raw = unsafe BorrowedBytes(start: base + facts.path, count: facts.pathLength)
            decoded.removeAll(keepingAtMost: 1024)
            guard PercentEncoding.decode(path: raw, to: &decoded) else {
                return "invalid percent-encoding in the request target"
            }
            facts.pathPlace = .decoded
        }
        return nil
    }

    /// The next `#`, `%` or `?` in a range of the head; `end` if there is none.
    ///
    /// Reads 8 bytes at a time and so up to 7 past `end`, which still belong to the head: a
    /// version, a line end and a Host field follow the target.
    @inline(__always)
    private static func nextMark(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        var place = start
        while place < end {
            let bytes = unsafe UInt64(
                littleEndian: UnsafeRawPointer(base + place).loadUnaligned(as: UInt64.self)
            )
            // The lowest bit found is exact; bits above it may be carried over from it.
            let marks =
                (bytes ^ 0x2323_2323_2323_2323).zeroBytes | (bytes ^ 0x2525_2525_2525_2525).zeroBytes
                | (bytes ^ 0x3F3F_3F3F_3F3F_3F3F).zeroBytes
            if marks != 0 { return min(place &+ marks.trailingZeroBitCount / 8, end) }
            place &+= 8
        }
        return end
    }

    /// The end of `http://host`, whose host then counts instead of the Host field (RFC 9112
    /// §3.2.2).
    private mutating func authorityEnd(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let bytes = unsafe BorrowedBytes(start: base + start, count: end &- start)
        let scheme: Int
        if bytes.count > 7, bytes.part(..<7).equalsIgnoringCase("http://") {
            scheme = 7
        } else if bytes.count > 8,
            bytes.part(..<8).equalsIgnoringCase("https://")
        {
            scheme = 8
        } else {
            return nil
        }
        var place = scheme
        while place < bytes.count, bytes[place] != ASCII.slash,
            bytes[place] != UInt8(ascii: "?")
        {
            guard bytes[place] != UInt8(ascii: "@"), bytes[place] != UInt8(ascii: "#") else {
                return nil
            }
            place += 1
        }
        guard place > scheme else { return nil }
        facts.authority = start + scheme
        facts.authorityLength = place - scheme
        return start + place
    }
}

extension UInt64 {
    /// The highest bit of every byte that is zero.
    @inline(__always)
    fileprivate var zeroBytes: UInt64 {
        (self &- 0x0101_0101_0101_0101) & ~self & 0x8080_8080_8080_8080
    }
}
