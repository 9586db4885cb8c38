public import Support

/// Writes answers one after the other into a buffer, so that those of one read leave in one system
/// call.
///
/// An answer is `begin`, any number of fields, then one of `finish`, `finishEmpty` and
/// `beginChunks`:
/// ```
/// encoder.begin(.ok, framing, in: &out)
/// out.field("Content-Type", "application/json")
/// encoder.finish(body, framing, in: &out)
/// ```
public struct ResponseEncoder: Sendable {
    /// The date that every answer carries; the caller moves it on.
    public var date: HTTPDate

    public init(date: HTTPDate = HTTPDate(unixSeconds: 0)) {
        self.date = date
    }

    /// Writes the status line, `Date`, and `Connection` where the peer would otherwise assume the
    /// contrary.
    public func begin(_ status: Status, _ framing: ResponseFraming, in buffer: inout ByteBuffer) {
        if status == .ok {
            buffer.append("HTTP/1.1 200 OK\r\nDate: ")
        } else {
            buffer.append("HTTP/1.1 ")
            buffer.append(decimal: status.rawValue)
            buffer.append(ASCII.space)
            buffer.append(status.phrase)
            buffer.append("\r\nDate: ")
        }
        date.append(to: &buffer)
        buffer.append("\r\n")
        if !framing.keepsAlive {
            buffer.append("Connection: close\r\n")
        } else if framing.isHTTP10 {
            buffer.append("Connection: keep-alive\r\n")
        }
    }

    /// Ends the answer with `Content-Length`, the empty line and, unless the request was HEAD, the
    /// body.
    public func finish(
        _ body: BorrowedBytes,
        _ framing: ResponseFraming,
        in buffer: inout ByteBuffer
    ) {
        buffer.append("Content-Length: ")
        buffer.append(decimal: body.count)
        buffer.append("\r\n\r\n")
        if !framing.omitsBody {
            buffer.append(body)
        }
    }

    /// Ends an answer that has no body: 204 and 304 get no `Content-Length`, others
    /// `Content-Length: 0`.
    public func finishEmpty(_ status: Status, in buffer: inout ByteBuffer) {
        buffer.append(status.isBodiless ? "\r\n" : "Content-Length: 0\r\n\r\n")
    }

    /// Ends the head of an answer whose length is not known yet.
    ///
    /// Each piece then goes through `chunk`. An HTTP/1.0 client gets no chunks: its answer ends
    /// with the connection, so `framing.keepsAlive` must be false for it.
    public func beginChunks(_ framing: ResponseFraming, in buffer: inout ByteBuffer) {
        precondition(!(framing.isHTTP10 && framing.keepsAlive), "an open-ended answer to HTTP/1.0 must close")
        buffer.append(framing.isHTTP10 ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n")
    }

    /// Writes one piece of an open-ended answer; an empty one is nothing.
    public func chunk(
        _ bytes: BorrowedBytes,
        _ framing: ResponseFraming,
        in buffer: inout ByteBuffer
    ) {
        guard bytes.count > 0, !framing.omitsBody else { return }
        guard !framing.isHTTP10 else { return buffer.append(bytes) }
        buffer.append(hexadecimal: UInt64(bytes.count))
        buffer.append("\r\n")
        buffer.append(bytes)
        buffer.append("\r\n")
    }

    /// Ends an open-ended answer.
    public func endChunks(_ framing: ResponseFraming, in buffer: inout ByteBuffer) {
        if !framing.isHTTP10, !framing.omitsBody {
            buffer.append("0\r\n\r\n")
        }
    }

    /// The interim answer to `Expect: 100-continue`.
    public static let continueLine: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
}

extension ByteBuffer {
    /// Appends a header line with a literal value.
    @inlinable
    @inline(__always)
    public mutating func field(_ name: StaticString, _ value: StaticString) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }

    /// Appends a header line with a number.
    public mutating func field(_ name: StaticString, _ value: Int) {
        append(name)
        append(": ")
        append(decimal: value)
        append("\r\n")
    }

    /// Appends a header line.
    ///
    /// Control bytes in the value become spaces, so that no value can end its line.
    public mutating func field(_ name: StaticString, _ value: BorrowedBytes) {
        append(name)
        append(": ")
        let start = count
        append(value)
        let written = unsafe mutableBytes
        for index in start..<count where unsafe written[index] < 0x20 || written[index] == 0x7F {
            unsafe written[index] = ASCII.space
        }
        append("\r\n")
    }

    /// Appends a header line.
    ///
    /// Not for the hot path.
    public mutating func field(_ name: StaticString, string value: String) {
        value.withBorrowedBytes { field(name, $0) }
    }
}
