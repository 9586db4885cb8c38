internal import CEL
package import Commits
internal import Definitions
internal import DequeModule
internal import ReactiveGraph
internal import Support
internal import Values

/// The history of one node by time: for each step of commit time in which the node emitted, the
/// least, mean and greatest number, and the last emission.
///
/// Steps that are over are packed, at most ``chunkSteps`` in a chunk. A chunk that is complete goes
/// to the log with the next snapshot, if the log keeps histories, and else stays in memory.
final class TimeHistory {
    /// A chunk has the steps of a span of so many.
    static var chunkSteps: UInt64 { 64 }
    /// A chunk with large values ends earlier.
    private static var chunkBytes: Int { 32 << 10 }

    /// How many steps before a multiple of their span chunks begin: by the node's name, so that
    /// those of many nodes are not complete at once.
    private let phase: UInt64
    /// The length of the present step in milliseconds; the definition's from the first step on
    /// that does not overlap one of the former length.
    private var every: UInt64
    private(set) var rule: HistoryDefinition.Steps
    /// The history is complete from this time on, in milliseconds since 1970.
    private(set) var from: UInt64
    /// Complete chunks that no store has, with the rev of the commit that ended each.
    private var complete: Deque<(chunk: HistoryChunk, rev: UInt64)> = []
    /// The chunk that is not complete, and the start of its last step.
    private var packed: (start: UInt64, last: UInt64, bytes: [UInt8])?
    /// The step that is not over.
    private var step: HistoryStep?
    private var isEmptyNow = true
    private let room: HistoryRoom
    /// The bytes of chunks in memory.
    private(set) var bytes = 0 {
        didSet { room.used += bytes - oldValue }
    }

    /// An empty history of a node, which begins at `time`.
    init(of node: String, _ rule: HistoryDefinition.Steps, from time: UInt64, in room: HistoryRoom) {
        (phase, every, self.rule, from, self.room) = (Self.phase(of: node), rule.every, rule, time, room)
    }

    private static func phase(of node: String) -> UInt64 {
        node.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) } % chunkSteps
    }

    deinit { room.used -= bytes }

    /// Adds an emission; times never fall.
    func append(_ value: Datum?, at stamp: LogStamp) {
        if value == nil, isEmptyNow { return }
        isEmptyNow = value == nil
        if every != rule.every { changeLength(at: stamp) }
        let start = stamp.time - stamp.time % every
        if let step, step.start < start { pack(step, stamp.rev) }
        if step == nil { step = HistoryStep(start: start) }
        step?.add(value)
    }

    /// The definition asks for steps of another length.
    private func changeLength(at stamp: LogStamp) {
        if let last = step?.start ?? packed?.last {
            guard stamp.time - stamp.time % rule.every >= last + every else { return }
            if let step { pack(step, stamp.rev) }
            complete(stamp.rev)
        }
        every = rule.every
    }

    private func pack(_ step: HistoryStep, _ rev: UInt64) {
        func place(_ start: UInt64) -> UInt64 { (start / every + phase) / Self.chunkSteps }
        if let packed, place(packed.start) != place(step.start) || packed.bytes.count >= Self.chunkBytes {
            complete(rev)
        }
        let former = packed?.bytes.count ?? 0
        var chunk = packed ?? (start: step.start, last: step.start, bytes: [])
        packed = nil
        chunk.bytes.append(step, after: chunk.last, every: every)
        chunk.last = step.start
        bytes += chunk.bytes.count - former
        packed = chunk
        self.step = nil
        trim(at: step.start)
    }

    private func complete(_ rev: UInt64) {
        guard let chunk = packed else { return }
        packed = nil
        complete.append((HistoryChunk(start: chunk.start, every: every, chunk.bytes), rev))
    }

    /// Drops what is older than the definition asks for, and what there is no room for.
    private func trim(at time: UInt64) {
        while let first = complete.first?.chunk, first.start + first.span + rule.keep < time { dropOldest() }
        shrink(to: min(room.byteLimit, bytes + room.left))
    }

    /// Drops the oldest chunks, until the others have no more than so many bytes.
    func shrink(to limit: Int) {
        while bytes > limit, !complete.isEmpty { dropOldest() }
        guard bytes > limit, let chunk = packed else { return }
        bytes -= chunk.bytes.count
        packed = nil
        from = max(from, step?.start ?? chunk.last + every)
    }

    private func dropOldest() {
        bytes -= complete.removeFirst().chunk.bytes.count
        from = max(from, complete.first?.chunk.start ?? firstUnfinished ?? from)
    }

    private var firstUnfinished: UInt64? { packed?.start ?? step?.start }

    /// The definition has changed.
    func take(_ rule: HistoryDefinition.Steps) { self.rule = rule }

    // MARK: - What it has

    /// All that is in memory, oldest first.
    var chunks: [HistoryChunk] {
        var last = packed
        if let step {
            var chunk = last ?? (start: step.start, last: step.start, bytes: [])
            chunk.bytes.append(step, after: chunk.last, every: every)
            last = chunk
        }
        return complete.map(\.chunk)
            + (last.map { [HistoryChunk(start: $0.start, every: every, $0.bytes)] } ?? [])
    }

    /// The chunks for the log to store.
    var unstored: [HistoryChunk] { complete.map(\.chunk) }

    /// The log has stored the chunks that were complete at `rev`.
    func forget(storedAt rev: UInt64) {
        while let first = complete.first, first.rev <= rev {
            bytes -= first.chunk.bytes.count
            complete.removeFirst()
        }
    }

    // MARK: - Saving

    /// Writes what is not in complete chunks; `isStored`: the log has, or gets, those.
    ///
    /// Without them the history begins anew, at `time` if there is nothing else.
    func write(to writer: inout StateWriter, isStored: Bool, at time: UInt64) {
        writer.write(time: isStored ? from : firstUnfinished ?? time)
        writer.write(time: every)
        writer.write(isEmptyNow ? 1 : 0)
        writer.write(packed) { writer, chunk in
            writer.write(time: chunk.start)
            writer.write(time: chunk.last)
            writer.write(value: chunk.bytes)
        }
        writer.write(step) { $1.write(to: &$0) }
    }

    init(
        from reader: inout StateReader,
        of node: String,
        _ rule: HistoryDefinition.Steps,
        in room: HistoryRoom
    ) throws {
        (phase, self.rule, self.room) = (Self.phase(of: node), rule, room)
        from = try reader.time()
        every = try reader.time()
        guard every > 0 else { throw StateError.malformed }
        isEmptyNow = try reader.flag()
        packed = try reader.optional { (try $0.time(), try $0.time(), try $0.value(as: [UInt8].self)) }
        step = try reader.optional { try HistoryStep(from: &$0) }
        bytes = packed?.bytes.count ?? 0
        room.used += bytes
    }
}

/// The memory of all histories by time of a host.
final class HistoryRoom {
    var used = 0
    private let limit: Int
    /// The most bytes of one history.
    let byteLimit: Int

    init(limit: Int, byteLimit: Int) { (self.limit, self.byteLimit) = (limit, byteLimit) }

    /// How much more they may have; negative: they have too much.
    var left: Int { limit - used }
}

extension HistoryChunk {
    /// For how long its steps may reach from its start, in milliseconds.
    package var span: UInt64 { every * TimeHistory.chunkSteps }
}

extension HistoryStep {
    func write(to writer: inout StateWriter) {
        writer.write(time: start)
        writer.write(Int(count))
        writer.write(figures) { writer, figures in
            writer.write(Int(figures.count))
            writer.write(value: figures.min)
            writer.write(value: figures.max)
            writer.write(value: figures.sum)
            writer.write(value: figures.rest)
        }
        writer.write(Emission(last))
    }

    init(from reader: inout StateReader) throws {
        let start: UInt64 = try reader.time()
        let count = UInt64(try reader.integer(in: 1...Int.max))
        let figures = try reader.optional { reader in
            StepFigures(
                count: UInt64(try reader.integer(in: 1...Int.max)),
                min: try reader.value(),
                max: try reader.value(),
                sum: try reader.value(),
                rest: try reader.value()
            )
        }
        self.init(start: start, count: count, figures, last: try reader.emission(of: Datum.self).value)
    }
}
