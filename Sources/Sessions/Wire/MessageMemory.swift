internal import Graphs
internal import Support

/// The memory in which messages are built, shared by all that are sent from it.
///
/// Sending a message may lead to others: its client may turn out to be gone, which clears values.
/// Those are built elsewhere (``MessageBuilder``), because the message holds this memory.
final class MessageMemory {
    var bytes = ByteBuffer()
}

/// Builds messages one after the other in the same memory, unless one is being sent from it.
struct MessageBuilder {
    private var memory = MessageMemory()

    /// Builds one message in an empty buffer.
    mutating func message(
        _ kind: Outgoing.Kind,
        of graph: LiveGraph? = nil,
        rev: UInt64? = nil,
        _ build: (inout ByteBuffer) -> Void
    ) -> Outgoing {
        clear()
        build(&memory.bytes)
        return Outgoing(kind, of: graph, rev: rev, in: memory, 0..<memory.bytes.count)
    }

    private mutating func clear() {
        if isKnownUniquelyReferenced(&memory) {
            memory.bytes.removeAll()
        } else {
            memory = MessageMemory()
        }
    }
}
