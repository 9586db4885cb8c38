import CLLHTTP
public import Support

// What a response's head must satisfy beyond llhttp's grammar; the client side trusts its server
// more than the server trusts its clients, so only names are sorted and values trimmed.
extension MessageCore {
    mutating func responseHeadCompleted() -> Int32 {
        stage = .body
        guard head.fieldCount > 0, let base = unsafe head.base else { return skipsBody ? 1 : 0 }
        guard unsafe base[headEnd &- 2] == ASCII.carriageReturn, unsafe base[headEnd &- 1] == ASCII.lineFeed
        else {
            return refuse(.badRequest, "a line does not end in CR LF")
        }
        for index in 0..<head.fieldCount {
            let field = unsafe head.fields + index
            let value = unsafe Int(field.pointee.value)
            var end = unsafe value &+ Int(field.pointee.valueLength)
            while end > value, unsafe base[end &- 1] == ASCII.space || base[end &- 1] == ASCII.tab {
                end &-= 1
            }
            unsafe field.pointee.valueLength = UInt32(truncatingIfNeeded: end &- value)
            let known = unsafe HeaderTable.known.find(
                base + Int(field.pointee.name),
                Int(field.pointee.nameLength)
            )
            unsafe field.pointee.known = known
            if known != .unknown, unsafe head.first[Int(known.rawValue)] == 0 {
                unsafe head.first[Int(known.rawValue)] = UInt16(truncatingIfNeeded: index &+ 1)
            }
        }
        let flags = unsafe UInt32(parser.pointee.flags)
        facts.isChunked = flags & F_CHUNKED.rawValue != 0 && !skipsBody
        if !facts.isChunked, flags & F_CONTENT_LENGTH.rawValue != 0, !skipsBody {
            guard unsafe parser.pointee.content_length <= UInt64(limits.bodyBytes) else {
                return refuse(.tooLarge, "the body is too large")
            }
            facts.contentLength = unsafe Int(parser.pointee.content_length)
        }
        if unsafe parser.pointee.status_code != 101 {
            unsafe parser.pointee.upgrade = 0
        }
        return skipsBody ? 1 : 0
    }
}

/// The head of a response as the parser holds it: a view, lent like `RequestHead`.
@safe public struct ResponseHead {
    let core: UnsafeMutablePointer<MessageCore>

    /// The status.
    public var status: Status { unsafe Status(rawValue: core.pointee.parser.pointee.status_code) }

    /// The value of the first field with this name, trimmed, or nil.
    public func value(_ name: HeaderName) -> BorrowedBytes? {
        unsafe core.pointee.head.value(name)
    }

    /// The number of header fields.
    public var fieldCount: Int { unsafe core.pointee.head.fieldCount }

    /// The name, as sent, and the value of the field at `index`, 0 ..< `fieldCount`.
    public func field(at index: Int) -> (name: BorrowedBytes, value: BorrowedBytes) {
        unsafe core.pointee.field(at: index)
    }
}
