internal import HTTP
internal import Support

/// Compresses the messages of a connection, if both sides have agreed on it (RFC 7692).
///
/// Connections without context takeover share one object with one deflater and one inflater; the
/// others have one each, which lives as long as the connection.
final class MessageCompression {
    /// Inflates the peer's messages.
    let inflation: Inflation
    /// Shorter messages are sent uncompressed.
    private let leastBytes: Int
    private let deflater: Deflater
    /// Frames of this turn; nil with context takeover, where no two frames are alike.
    private let frames: DeflatedMessages?
    private let counters: CompressionCounters
    private let contextBytes: Int

    /// For all connections without context takeover.
    init(sharedBy counters: CompressionCounters) {
        self.counters = counters
        contextBytes = 0
        leastBytes = 1024
        deflater = Deflater(keepsContext: false)
        inflation = .shared(InflaterPool())
        frames = DeflatedMessages()
    }

    /// For one connection with contexts of its own.
    init(_ agreement: DeflateAgreement, inflaters: InflaterPool, counters: CompressionCounters) {
        self.counters = counters
        contextBytes = Self.contextBytes(agreement)
        counters.contextBytes += contextBytes
        leastBytes = 1
        deflater = Deflater(
            windowBits: agreement.serverWindowBits ?? 15,
            keepsContext: agreement.serverKeepsContext
        )
        inflation =
            agreement.clientKeepsContext
            ? .own(Inflater(windowBits: agreement.clientWindowBits ?? 15, keepsContext: true))
            : .shared(inflaters)
        frames = nil
    }

    deinit {
        counters.contextBytes -= contextBytes
    }

    /// The memory of such a connection's own contexts.
    static func contextBytes(_ agreement: DeflateAgreement) -> Int {
        Deflater.memoryBytes(windowBits: agreement.serverWindowBits ?? 15)
            + (agreement.clientKeepsContext
                ? Inflater.memoryBytes(windowBits: agreement.clientWindowBits ?? 15) : 0)
    }

    /// Appends a data message as one frame, compressed if that makes it smaller.
    func append(_ opcode: Opcode, _ message: BorrowedBytes, to buffer: inout ByteBuffer) {
        guard message.count >= leastBytes else {
            return FrameEncoder.append(opcode, message, to: &buffer)
        }
        if let frames {
            let entry = frames.find(message) ?? deflate(message, into: frames)
            counters.frames &+= 1
            let isWorth = entry.output.count < message.count
            return FrameEncoder.append(
                opcode,
                isWorth ? entry.output.bytes : message,
                isCompressed: isWorth,
                to: &buffer
            )
        }
        var output = ByteBuffer()
        deflater.deflate(message, to: &output)
        counters.runs &+= 1
        counters.frames &+= 1
        // Once it is in the context it must be sent compressed, smaller or not.
        let isWorth = deflater.keepsContext || output.count < message.count
        FrameEncoder.append(opcode, isWorth ? output.bytes : message, isCompressed: isWorth, to: &buffer)
    }

    private func deflate(
        _ message: BorrowedBytes,
        into frames: DeflatedMessages
    ) -> DeflatedMessages.Entry {
        let entry = frames.next()
        entry.input.append(message)
        deflater.deflate(message, to: &entry.output)
        counters.runs &+= 1
        return entry
    }

    func endTurn() {
        frames?.forget()
    }
}

final class CompressionCounters {
    /// Memory of connections' own contexts.
    var contextBytes = 0
    /// Messages that were deflated.
    var runs: UInt64 = 0
    /// Frames sent for them.
    var frames: UInt64 = 0
}

/// Some of the messages that were deflated in this turn.
///
/// Subscribers of the same node with the same id get the same bytes: comparing them costs a
/// hundredth of deflating them again.
final class DeflatedMessages {
    /// A message and its compressed form.
    final class Entry {
        var input = ByteBuffer()
        var output = ByteBuffer()
    }

    private let entries = (0..<8).map { _ in Entry() }
    private var used = 0

    func find(_ message: BorrowedBytes) -> Entry? {
        for index in 0..<min(used, entries.count) {
            let entry = entries[index]
            if entry.input.bytes.equals(message) { return entry }
        }
        return nil
    }

    /// An empty entry; replaces the oldest if all are in use.
    func next() -> Entry {
        let entry = entries[used % entries.count]
        used += 1
        entry.input.removeAll()
        entry.output.removeAll()
        return entry
    }

    /// Forgets all of them, and frees the memory of large ones.
    func forget() {
        guard used > 0 else { return }
        for index in 0..<min(used, entries.count) {
            entries[index].input.removeAll(keepingAtMost: 8 * 1024)
            entries[index].output.removeAll(keepingAtMost: 8 * 1024)
        }
        used = 0
    }
}
