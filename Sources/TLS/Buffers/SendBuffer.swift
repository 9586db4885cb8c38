package import Support

/// Bytes on their way to one peer.
///
/// Taken from a pool when there is something to send and given back when the kernel has taken it,
/// so that a quiet connection has none.
package final class SendBuffer {
    package var buffer = ByteBuffer()
    /// The next unused one.
    fileprivate var next: SendBuffer?
}

/// Unused buffers.
///
/// The one given back last is reused first, because its memory is in the caches.
package final class SendBufferPool {
    private var first: SendBuffer?
    private var count = 0

    package init() {}

    package func take() -> SendBuffer {
        guard let taken = first.take() else { return SendBuffer() }
        first = taken.next.take()
        count -= 1
        return taken
    }

    /// Takes a buffer back.
    ///
    /// Memory beyond 64 KiB is not kept, nor are more than 64 buffers.
    package func give(_ sendBuffer: consuming SendBuffer) {
        guard count < 64 else { return }
        sendBuffer.buffer.removeAll(keepingAtMost: 64 * 1024)
        sendBuffer.next = first.take()
        first = sendBuffer
        count += 1
    }
}
