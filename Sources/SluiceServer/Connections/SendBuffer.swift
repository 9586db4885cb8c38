internal import HTTP
internal import Support

/// Bytes on their way to one peer.
///
/// Taken from a pool when there is something to send and given back when the kernel has taken it,
/// so that a quiet connection has none.
final class Outbox {
    @exclusivity(unchecked) var buffer = ByteBuffer()
}

/// Unused outboxes.
///
/// The one given back last is reused first, because its memory is in the caches.
final class OutboxPool {
    @exclusivity(unchecked) private var free: ContiguousArray<Outbox> = []

    /// An empty outbox.
    func take() -> Outbox {
        free.popLast() ?? Outbox()
    }

    /// Takes an outbox back.
    ///
    /// Memory beyond 64 KiB is not kept, nor are more than 64 outboxes.
    func give(_ outbox: consuming Outbox) {
        guard free.count < 64 else { return }
        outbox.buffer.removeAll(keepingAtMost: 64 * 1024)
        free.append(outbox)
    }
}
