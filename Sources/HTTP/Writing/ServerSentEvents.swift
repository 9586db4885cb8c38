public import Support

/// Writes server-sent events (WHATWG HTML §9.2).
///
/// The bytes still go through `ResponseEncoder.chunk`.
public enum ServerSentEvents {
    /// Appends one event.
    /// - Parameters:
    ///   - name: the event's type.
    ///   - id: the resume cursor, without line ends; nil leaves the client's as it is.
    ///   - data: UTF-8; each of its lines becomes one `data:` line.
    ///   - buffer: what it is appended to.
    public static func append(
        _ name: StaticString,
        id: BorrowedBytes? = nil,
        data: BorrowedBytes,
        to buffer: inout ByteBuffer
    ) {
        buffer.append("event: ")
        buffer.append(name)
        if let id = id {
            buffer.append("\nid: ")
            buffer.append(id)
        }
        var start = 0
        while true {
            var end = start
            while end < data.count, data[end] != ASCII.lineFeed,
                data[end] != ASCII.carriageReturn
            {
                end += 1
            }
            buffer.append("\ndata: ")
            buffer.append(data.part(start..<end))
            guard end < data.count else { break }
            let isPair =
                data[end] == ASCII.carriageReturn && end + 1 < data.count
                && data[end + 1] == ASCII.lineFeed
            start = end + (isPair ? 2 : 1)
        }
        buffer.append("\n\n")
    }

    /// Appends an empty comment, which clients ignore: the heartbeat.
    public static func appendComment(to buffer: inout ByteBuffer) {
        buffer.append(":\n\n")
    }

    /// Appends how long a client waits before it connects again, in milliseconds.
    public static func appendRetry(milliseconds: Int, to buffer: inout ByteBuffer) {
        buffer.append("retry: ")
        buffer.append(decimal: milliseconds)
        buffer.append("\n\n")
    }
}
