public import Support

/// The head of a request as the parser holds it: a view, no copy.
///
/// Everything it returns is lent and, like the view itself, valid until the parser's next `parse`,
/// or until the input that was parsed goes away. Header values are trimmed; a known name is an
/// index.
@safe public struct RequestHead {
    let core: UnsafeMutablePointer<MessageCore>

    /// The method.
    ///
    /// Those llhttp knows and Sluice does not are kept by number, for the router to answer 405.
    public var method: Method { unsafe core.pointee.facts.method }
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    public var minorVersion: Int { unsafe Int(core.pointee.facts.minorVersion) }
    /// Whether the connection may be used again after the answer (RFC 9112 §9.3).
    public var keepsAlive: Bool { unsafe core.pointee.facts.keepsAlive }
    /// Whether this is a bodiless HTTP/1.1 GET with `Connection: upgrade` and `Upgrade: websocket`.
    public var upgradesToWebSocket: Bool { unsafe core.pointee.facts.upgradesToWebSocket }
    /// Whether the body may be longer than that of other requests.
    public var allowsLongBody: Bool { unsafe core.pointee.facts.allowsLongBody }

    /// The target as sent.
    public var target: BorrowedBytes {
        unsafe core.pointee.slice(core.pointee.target, core.pointee.targetLength)
    }

    /// The path, percent-decoded except `%2F` and `%00`; `*` for `OPTIONS *`.
    public var path: BorrowedBytes { unsafe core.pointee.path }

    /// The query, the part after `?`, as sent; empty if there is none.
    ///
    /// See `Query`.
    public var query: BorrowedBytes {
        unsafe core.pointee.slice(core.pointee.facts.query, core.pointee.facts.queryLength)
    }

    /// The host (and port) the request is for: that of an absolute target, otherwise the Host
    /// field.
    public var authority: BorrowedBytes {
        let facts = unsafe core.pointee.facts
        guard facts.authorityLength == 0 else {
            return unsafe core.pointee.slice(facts.authority, facts.authorityLength)
        }
        return unsafe core.pointee.head.value(.host) ?? BorrowedBytes()
    }

    /// How an answer to this request must be framed; may outlive the head.
    public var framing: ResponseFraming {
        ResponseFraming(
            omitsBody: method == .head,
            keepsAlive: keepsAlive,
            isHTTP10: minorVersion == 0
        )
    }

    /// The value of the first field with this name, or nil.
    public func value(_ name: HeaderName) -> BorrowedBytes? {
        unsafe core.pointee.head.value(name)
    }

    /// Whether a field with this name is there.
    public func has(_ name: HeaderName) -> Bool {
        unsafe core.pointee.head.first[Int(name.rawValue)] != 0
    }

    /// Calls `body` with the value of every field with this name, in order, until it returns false.
    public func forEachValue(_ name: HeaderName, _ body: (BorrowedBytes) -> Bool) {
        guard has(name) else { return }
        for index in unsafe 0..<core.pointee.head.fieldCount
        where unsafe core.pointee.head.fields[index].known == name {
            if unsafe !body(core.pointee.head.value(at: index)) { return }
        }
    }

    /// The number of header fields.
    public var fieldCount: Int { unsafe core.pointee.head.fieldCount }

    /// The name, as sent, and the value of the field at `index`, 0 ..< `fieldCount`.
    public func field(at index: Int) -> (name: BorrowedBytes, value: BorrowedBytes) {
        unsafe core.pointee.field(at: index)
    }
}

extension MessageCore {
    /// The path, percent-decoded except `%2F` and `%00`.
    @inline(__always)
    var path: BorrowedBytes {
        switch facts.pathPlace {
        case .raw: slice(facts.path, facts.pathLength)
        case .decoded: decoded.bytes
        case .root: unsafe BorrowedBytes(start: ("/" as StaticString).utf8Start, count: 1)
        }
    }

    /// Bytes of the message by offset; lent like the head.
    @inline(__always)
    func slice(_ offset: Int, _ length: Int) -> BorrowedBytes {
        guard let base = unsafe head.base, length > 0 else {
            return BorrowedBytes()
        }
        return unsafe BorrowedBytes(start: base + offset, count: length)
    }

    func field(at index: Int) -> (name: BorrowedBytes, value: BorrowedBytes) {
        precondition(index >= 0 && index < head.fieldCount, "no such header field")
        let field = unsafe head.fields[index]
        return (head.bytes(field.name, field.nameLength), head.value(at: index))
    }
}
