internal import HTTP
internal import Support

/// Bytes on their way to one peer.
///
/// Taken from a pool when there is something to say and given back when the kernel has it, so that a quiet
/// connection holds none.
final class Outbox {
    @exclusivity(unchecked) var buffer = ByteBuffer()
}

/// Outboxes that nobody needs at the moment.
///
/// The one given back last is handed out first: its memory is in the caches.
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
