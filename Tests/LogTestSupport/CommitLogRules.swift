public import Commits
import Testing
public import Values

/// What every commit log must do, whatever it is made of.
///
/// A log's own test calls this with a way to make one, and a way to make it anew from what the last
/// one has stored.
public func checkCommitLog<Log: CommitLog>(
    _ make: () throws -> Log,
    again: (Log) throws -> Log
) throws {
    var log = try make()
    let follower = LogListener()
    log.follower = follower
    #expect(log.health == .ready)
    #expect(log.graphs == [])
    let begin = try ["a": log.open(graph: "a"), "b": log.open(graph: "b")]
    for position in begin.values {
        #expect(position.rev == 0)
        #expect((1...32).contains(position.epoch.utf8.count))
    }

    // Two graphs, interleaved, with a clock that also stands still and runs back.
    var sent: [LogEntry] = [
        LogEntry(graph: "a", kind: .define(text: #"{"graph":"a"}"#, .file)),
        LogEntry(graph: "b", kind: .define(text: #"{"graph":"b"}"#, .client)),
    ]
    var ticket: UInt64 = 1
    func append(_ entries: [LogEntry], wall: UInt64) {
        let count = UInt64(entries.count)
        log.append(entries, tickets: ticket..<ticket + count, wall: wall)
        ticket += count
    }
    append(sent, wall: 100)
    // No client sets a graph that is not defined yet.
    log.settle()
    for (place, wall) in [100, 250, 90, 300, 300, 10, 400].enumerated() {
        var turn: [LogEntry] = []
        for graph in ["a", "b", "a"] where place % 2 == 0 || graph == "a" {
            turn.append(entry(number: sent.count + turn.count, of: graph))
        }
        sent += turn
        append(turn, wall: UInt64(wall))
        // Some turns come while the log is still busy with the last one.
        if place % 3 == 0 { log.settle() }
    }
    log.settle()
    #expect(follower.refused == [])
    #expect(follower.committed.map(\.ticket).sorted() == Array(1..<ticket), "each is answered once")
    var expected: [String: [(LogEntry, LogStamp)]] = [:]
    for graph in ["a", "b"] {
        let own = follower.committed.filter { sent[Int($0.ticket) - 1].graph == graph }
        #expect(own.map(\.ticket) == own.map(\.ticket).sorted(), "in order of appending")
        #expect(own.map(\.stamp.rev) == Array(1...UInt64(own.count)), "revs rise by one")
        #expect(own.map(\.stamp.time) == own.map(\.stamp.time).sorted(), "times never fall")
        expected[graph] = own.map { (sent[Int($0.ticket) - 1], $0.stamp) }
    }
    func checkStored() throws {
        for (graph, records) in expected {
            let position = try log.open(graph: graph)
            #expect(position.rev == records.last?.1.rev, "the history goes on")
            #expect(position.time == records.last?.1.time)
            #expect(position.epochs.hold(position.rev, of: begin[graph]?.epoch ?? ""), "and its cursors")
            var read: [(LogEntry, LogStamp)] = []
            try log.reader.entries(of: graph, in: 1...(.max >> 1)) { entry, stamp in
                read.append((entry, stamp))
                return true
            }
            #expect(read.map(\.0) == records.map(\.0), "what is stored is what was appended")
            #expect(read.map(\.1) == records.map(\.1))
            read = []
            try log.reader.entries(of: graph, in: 3...5) { entry, stamp in
                read.append((entry, stamp))
                return stamp.rev < 4
            }
            #expect(read.map(\.1.rev) == [3, 4], "as far as the reader wants")
        }
        #expect(try log.reader.revs(of: "a") == 1...UInt64((expected["a"] ?? []).count))
        #expect(try log.reader.snapshot(of: "a", notAfter: .max >> 1) == nil)
    }
    #expect(log.graphs == [StoredGraph("a", .file), StoredGraph("b", .client)])
    try checkStored()
    let keys = try log.reader.keys(of: "a", since: 0)
    // A shared log answers repeats itself.
    let keyed = (expected["a"] ?? []).filter { !log.isShared && $0.0.key != nil }
    #expect(keys.map(\.key) == keyed.compactMap(\.0.key) && keys.isEmpty == log.isShared)
    #expect(keys.map(\.stamp) == keyed.map(\.1))
    #expect(keys.map(\.changed) == keyed.map(\.0.changed))
    #expect(try log.reader.keys(of: "a", since: 401).isEmpty, "older keys are over")

    log.close()
    log = try again(log)
    log.follower = follower
    #expect(log.graphs == [StoredGraph("a", .file), StoredGraph("b", .client)])
    try checkStored()
    // A graph that has ended is not brought back, but its revs go on.
    append([LogEntry(graph: "b", kind: .remove)], wall: 500)
    append([LogEntry(graph: "a", kind: .redefine(text: "{}", .client))], wall: 500)
    log.settle()
    #expect(log.graphs == [StoredGraph("a", .client)])
    // A tick, and an expiry, that are made for a later time than the log's.
    var expiry = LogEntry(graph: "a", kind: .expire)
    expiry.expiredBy = LogStamp.times.upperBound
    let early = [LogEntry(graph: "a", kind: .tick(now: LogStamp.times.upperBound - 1)), expiry]
    append(early, wall: 500)
    log.settle()
    for (place, entry) in early.enumerated() {
        let ticket = ticket - UInt64(early.count - place)
        let stamp = follower.committed.first { $0.ticket == ticket }?.stamp
        #expect(follower.moved.contains(ticket) || stamp.map { $0.time >= entry.earliest } == true)
    }
    log.close()
    log = try again(log)
    #expect(log.graphs == [StoredGraph("a", .client)])
    #expect(try log.open(graph: "b").rev == UInt64((expected["b"] ?? []).count + 1))
    log.close()
}

/// An entry that has something of everything, now and then.
private func entry(number: Int, of graph: String) -> LogEntry {
    var entry = LogEntry(graph: graph)
    switch number % 6 {
    case 0: entry.kind = .tick(now: UInt64(number))
    case 1: entry.set = [LogEntry.Assignment("x", Array("\(number)".utf8))]
    case 2:
        entry.set = [
            LogEntry.Assignment("x", Array("[]".utf8)), LogEntry.Assignment("ÿ", Array(#""ü""#.utf8)),
        ]
        entry.claimed = ["ÿ"]
        entry.by = "somebody"
        entry.context = Array("{\"n\":\(number)}".utf8)
        entry.path = ["s/g/ÿ", "?1"]
        entry.isOfLink = true
        entry.birth = 1_001
    case 3, 4:
        entry.set = [LogEntry.Assignment("x", Array(repeating: UInt8(ascii: "1"), count: 5_000))]
        entry.clear = ["x", "y"]
        entry.key = LogEntry.Key("key \(number)", digest: UInt128.max - UInt128(number))
    default:
        entry.clear = ["y"]
        entry.reports = [
            .init("x", .loading(progress: 0.25)), .init("x", .loading(progress: nil)),
            .init("ÿ", .notModified),
            .init("y", .failed(code: "offline", message: "ü")), .init("x", .cancelled),
            .init("y", .invalidated),
        ]
    }
    return entry
}

/// Records a log's reports.
public final class LogListener: CommitLogFollower {
    /// What was committed, in the order in which it was said.
    public private(set) var committed: [(ticket: UInt64, stamp: LogStamp)] = []
    /// What was refused.
    public private(set) var refused: [UInt64] = []
    /// Why, for each.
    public private(set) var refusals: [HostError] = []
    /// Those that others came in front of, that were confirmed, and whose keys were used before.
    public private(set) var moved: [UInt64] = []
    public private(set) var confirmed: [UInt64] = []
    public private(set) var repeated: [(ticket: UInt64, key: StoredKey)] = []
    /// What others have committed.
    public private(set) var received: [(entry: LogEntry, stamp: LogStamp)] = []
    /// The graphs that had to be built anew.
    public private(set) var reloads: [(graph: String, position: LogPosition, reader: any LogReader)] = []
    /// Servers that are lost.
    public private(set) var lost: [String] = []
    /// How often the log's health has changed.
    public private(set) var changes = 0
    /// What is stored when the log asks for a graph.
    public var state: (String) -> GraphSnapshot? = { _ in nil }
    /// Called when the health has changed.
    public var onHealth: () -> Void = {}

    /// A listener without records.
    public init() {}

    public func log(committed ticket: UInt64, at stamp: LogStamp) { committed.append((ticket, stamp)) }
    public func log(refused ticket: UInt64, because error: HostError) {
        refused.append(ticket)
        refusals.append(error)
    }
    public func log(received entry: LogEntry, at stamp: LogStamp) -> Bool {
        received.append((entry, stamp))
        return true
    }
    public func logHealthChanged() {
        changes += 1
        onHealth()
    }
    public func logFilesChanged() {}
    public func log(lost instances: [String]) { lost += instances }
    public func log(moved ticket: UInt64) { moved.append(ticket) }
    public func log(confirmed ticket: UInt64) { confirmed.append(ticket) }
    public func log(repeated ticket: UInt64, of key: StoredKey) { repeated.append((ticket, key)) }
    public func log(reload graph: String, at position: LogPosition, from reader: any LogReader) -> Bool {
        reloads.append((graph, position, reader))
        return true
    }
    public func digest(of graph: String, passing revs: ClosedRange<UInt64>) -> String? { nil }
    public func snapshot(of graph: String) -> GraphSnapshot? { state(graph) }
}
