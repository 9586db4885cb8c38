internal import DequeModule
internal import Commits

/// How one graph stands between the host and its stream.
final class Track {
    /// A batch that was given to Redis, until all of it is answered.
    final class Flight {
        let batch: Batch
        /// The host's numbers for the commits of each item that were not answered yet: each is
        /// answered once, whatever comes from Redis.
        var tickets: [ArraySlice<UInt64>]
        /// What Redis has said.
        var outcome: Outcome?
        /// The places of the items that its entry in the stream has not got; nil while that has not
        /// come back.
        var left: Set<Int>?

        init(_ batch: Batch, _ tickets: [ArraySlice<UInt64>]) {
            (self.batch, self.tickets) = (batch, tickets)
        }
    }

    /// A commit, or a question about one, that was not sent yet.
    struct Waiting {
        let entry: LogEntry
        let ticket: UInt64
        let isQuestion: Bool
        let premise: Batch.Premise?
    }

    let graph: String
    /// The last entry that the host has.
    var position: StreamPosition { didSet { onMove(graph) } }
    /// What is on its way, oldest first.
    var flights: Deque<Flight> = []
    /// What waits for the writer, oldest first.
    var waiting: Deque<Waiting> = []
    /// The last batch of which the host knows everything.
    private(set) var concluded: UInt64 = 0
    /// Commits since the last snapshot.
    var unsaved: UInt64 = 0
    /// The newest digests of the graph, by rev: what the servers compare.
    private(set) var digests: [UInt64: String] = [:]
    /// Whether some of them are news for the others.
    var hasNewDigests = false
    /// Whether the stream does not go on where the host stands: nothing is sent or read until the
    /// graph was read again.
    var isBroken = false { didSet { onMove(graph) } }
    /// Whether the graph has begun in Redis since it was last read.
    var hasBegun = false
    private var number: UInt64 = 0
    /// Called when the follower has to read from another place, or not at all.
    private let onMove: (String) -> Void

    init(_ graph: String, _ position: StreamPosition, onMove: @escaping (String) -> Void) {
        (self.graph, self.position, self.onMove) = (graph, position, onMove)
        onMove(graph)
    }

    /// Whether the host has nothing there that is not answered.
    var isIdle: Bool { flights.isEmpty && waiting.isEmpty }

    /// Queues a commit, or the question what would become of it, after those that wait.
    func add(_ entry: LogEntry, _ ticket: UInt64, isQuestion: Bool) {
        let premise = entry.checkedAt.map { Batch.Premise(rev: $0, batch: concluded) }
        waiting.append(Waiting(entry: entry, ticket: ticket, isQuestion: isQuestion, premise: premise))
    }

    /// Notes a digest, and forgets the oldest.
    func note(_ digest: String, at rev: UInt64) {
        digests[rev] = digest
        hasNewDigests = true
        while digests.count > 8, let oldest = digests.keys.min() { digests[oldest] = nil }
    }

    /// Drops the digests, because the graph is read again.
    func forgetDigests() { (digests, hasNewDigests) = ([:], false) }

    /// The batch that an entry has come from, if it is this instance's and waited for.
    func flight(of entry: StreamEntry) -> Flight? { flights.first { $0.batch.id == entry.id } }

    /// Whether Redis has not said yet what became of the batch that an entry has come from.
    func isUnconfirmed(_ entry: StreamEntry) -> Bool { flight(of: entry).map { $0.outcome == nil } ?? false }

    /// The host knows everything about a batch and those before.
    func note(concluded batch: Batch) { concluded = max(concluded, batch.number) }

    /// Takes what waits into a batch; `id` is the entry's.
    func takeOff(id: String, writer: String) -> Flight? {
        guard !isBroken, !waiting.isEmpty else { return nil }
        var items: [Batch.Item] = []
        var tickets: [ArraySlice<UInt64>] = []
        while let next = waiting.first, items.count < Self.itemLimit {
            waiting.removeFirst()
            // Plain values take one item, however many they are.
            if next.isPlain, items.last?.isPlain == true {
                items[items.count - 1].count += 1
                next.entry.append(to: &items[items.count - 1].bytes)
                tickets[items.count - 1].append(next.ticket)
            } else {
                items.append(Batch.Item(next))
                tickets.append([next.ticket])
            }
        }
        number += 1
        let batch = Batch(graph: graph, number: number, id: id, writer: writer, base: position, items: items)
        let flight = Flight(batch, tickets)
        flights.append(flight)
        return flight
    }

    /// Lua can return some eight thousand values.
    private static let itemLimit = 4_000
}

extension Batch.Item {
    /// What waits, as it is sent.
    fileprivate init(_ waiting: Track.Waiting) {
        let (entry, isQuestion) = (waiting.entry, waiting.isQuestion)
        self.init(
            kind: isQuestion ? .question : entry.batchKind,
            count: 1,
            bytes: [],
            premise: waiting.premise
        )
        if !isQuestion { entry.append(to: &bytes) }
        if let text = entry.key {
            key = "\(entry.by ?? "")\n\(text.text)"
            note = "\(entry.changed) \(text.digest)"
            if !text.values.isEmpty { note += " " + String(decoding: text.values, as: UTF8.self) }
        }
        switch entry.kind {
        case .define(_, let origin), .redefine(_, let origin): note = DefinitionOrigin?.some(origin).text
        case .tick, .expire: note = String(entry.earliest)
        case .values, .remove, .drop: break
        }
    }

    fileprivate var isPlain: Bool { kind == .values && key == nil && premise == nil }
}

extension Track.Waiting {
    fileprivate var isPlain: Bool {
        entry.kind == .values && entry.key == nil && premise == nil && !isQuestion
    }
}

extension LogEntry {
    fileprivate var batchKind: Batch.Item.Kind {
        switch kind {
        case .values, .drop: .values
        case .define: .define
        case .redefine: .redefine
        case .remove: .remove
        case .tick, .expire: .tick
        }
    }
}
