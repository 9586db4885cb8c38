public import Support

/// Writes requests: the client side, for the command line and the load run.
public enum RequestEncoder {
    /// Writes a whole request.
    /// - Parameters:
    ///   - method: one of the named methods.
    ///   - target: the request target, escaped already.
    ///   - host: host and port, as the URL has them.
    ///   - type: the body's media type; nil leaves it out.
    ///   - body: nil if there is none; empty says `Content-Length: 0`.
    ///   - buffer: what it is appended to.
    ///   - fields: writes further header lines.
    public static func append(
        _ method: Method,
        _ target: String,
        host: String,
        type: StaticString? = nil,
        body: BorrowedBytes? = nil,
        to buffer: inout ByteBuffer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        buffer.append(method.name)
        buffer.append(ASCII.space)
        buffer.append(utf8: target)
        buffer.append(" HTTP/1.1\r\n")
        buffer.field("Host", string: host)
        if let type {
            buffer.field("Content-Type", type)
        }
        fields(&buffer)
        if let body = body {
            buffer.field("Content-Length", body.count)
        }
        buffer.append("\r\n")
        if let body = body {
            buffer.append(body)
        }
    }

    /// Writes a request to upgrade to WebSocket (RFC 6455 §4.1).
    /// - Parameters:
    ///   - target: the request target, escaped already.
    ///   - host: host and port, as the URL has them.
    ///   - key: 16 random bytes in base64.
    ///   - subprotocol: the one to offer, or nil.
    ///   - buffer: what it is appended to.
    ///   - fields: writes further header lines.
    public static func appendUpgrade(
        _ target: String,
        host: String,
        key: String,
        subprotocol: String? = nil,
        to buffer: inout ByteBuffer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        append(.get, target, host: host, to: &buffer) {
            $0.field("Connection", "Upgrade")
            $0.field("Upgrade", "websocket")
            $0.field("Sec-WebSocket-Version", "13")
            $0.field("Sec-WebSocket-Key", string: key)
            if let subprotocol {
                $0.field("Sec-WebSocket-Protocol", string: subprotocol)
            }
            fields(&$0)
        }
    }
}
