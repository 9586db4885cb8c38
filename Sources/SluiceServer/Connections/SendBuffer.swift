internal import HTTP
internal import Support

/// Bytes on their way to one peer.
///
/// Taken from a pool when there is something to send and given back when the kernel has taken it,
/// so that a quiet connection has none.
final class SendBuffer {
    @exclusivity(unchecked) var buffer = ByteBuffer()
}

/// Unused buffers.
///
/// The one given back last is reused first, because its memory is in the caches.
final class SendBufferPool {
    @exclusivity(unchecked) private var free: ContiguousArray<SendBuffer> = []

    func take() -> SendBuffer {
        free.popLast() ?? SendBuffer()
    }

    /// Takes a buffer back.
    ///
    /// Memory beyond 64 KiB is not kept, nor are more than 64 buffers.
    func give(_ sendBuffer: consuming SendBuffer) {
        guard free.count < 64 else { return }
        sendBuffer.buffer.removeAll(keepingAtMost: 64 * 1024)
        free.append(sendBuffer)
    }
}
