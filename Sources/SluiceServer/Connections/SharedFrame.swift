internal import HTTP
internal import Sessions
internal import Support

/// The frame of a message that many clients get one after the other: encoded once, sent by all.
final class SharedFrame {
    private var frame = ByteBuffer()
    private var number: UInt64 = 0

    /// The frame of a message; the same number means the same message.
    @inline(__always)
    func bytes(of message: Outgoing) -> BorrowedBytes {
        if message.number != number { make(message) }
        return frame.bytes
    }

    @inline(never)
    private func make(_ message: Outgoing) {
        number = message.number
        frame.removeAll(keepingAtMost: 64 * 1024)
        message.withBytes { FrameEncoder.append(.text, $0, to: &frame) }
    }
}
