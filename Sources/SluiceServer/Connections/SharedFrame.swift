internal import HTTP
internal import Support

/// The frame of a message that many clients get one after the other: encoded once, sent by all.
final class SharedFrame {
    private var frame = ByteBuffer()
    private var number: UInt64 = 0

    /// The frame of a message; the same number means the same message.
    @inline(__always)
    func bytes(of message: UnsafeRawBufferPointer, _ number: UInt64) -> UnsafeRawBufferPointer {
        if number != self.number { make(message, number) }
        return frame.bytes
    }

    @inline(never)
    private func make(_ message: UnsafeRawBufferPointer, _ number: UInt64) {
        self.number = number
        frame.removeAll(keepingAtMost: 64 * 1024)
        FrameEncoder.append(.text, message, to: &frame)
    }
}
