import DiskSupport
import Commits
import LogTestSupport
import TestSupport

@testable import SQLiteLog

/// A log on a disk that lies, with books of what it was given and what it has answered.
final class DiskBench {
    let disk: LyingDisk
    let durability: Durability
    private(set) var executor = ManualExecutor()
    private(set) var log: SQLiteLog?
    /// Sentences about what may not happen.
    var complaints: [String] { isDamaged ? findings : findings + damages }
    private var findings: [String] = []
    /// Whether the files were changed by other hands, so that ``damages`` are no complaints.
    var isDamaged = false
    /// What the log itself has found to be damaged.
    private(set) var damages: [String] = []
    /// How many answered commits were lost where they may be.
    private(set) var lost = 0
    /// Whether answered commits may be missing from the next start on: the power has gone, and not
    /// everything is synchronised.
    var mayLose = false
    /// Whether a refused commit may be there: the process has ended before the log could take it
    /// out.
    var maySeeRefused = false

    private var listener = LogListener()
    private var heard = (committed: 0, refused: 0)
    private var sent: [UInt64: LogEntry] = [:]
    private var lastTicket: UInt64 = 0
    private var wall: UInt64 = 1_000
    private var starts: Int
    private var refused: Set<LogEntry> = []
    /// What was answered, by graph, each with its place.
    private var answered: [String: [(entry: LogEntry, stamp: LogStamp)]] = [:]
    private var epochs: [String: String] = [:]
    /// The graphs that have begun and not ended, as of the last append.
    private var begun: Set<String> = []

    init(_ disk: LyingDisk, _ durability: Durability) {
        (self.disk, self.durability) = (disk, durability)
        starts = 0
    }

    /// The books of another bench, for a copy of its disk.
    init(_ disk: LyingDisk, after former: DiskBench) {
        self.disk = disk
        durability = former.durability
        (sent, lastTicket, wall, starts) = (former.sent, former.lastTicket, former.wall, former.starts)
        (refused, answered, epochs) = (former.refused, former.answered, former.epochs)
        begun = former.begun
    }

    /// Starts, and compares how far that has come with the books.
    func start() throws(StoreError) {
        try open()
        inspect()
    }

    /// Starts.
    func open() throws(StoreError) {
        starts += 1
        executor = ManualExecutor()
        listener = LogListener()
        heard = (0, 0)
        let log = try SQLiteLog(
            disk.store,
            durability,
            keepRevs: 4,
            epoch: "epoch\(starts)",
            executor: executor
        )
        log.follower = listener
        log.onEvent = { [unowned self] _, what in
            if what.contains("has lost writes") { findings.append(what) }
        }
        listener.state = { [unowned self] graph in
            (answered[graph]?.last?.stamp).map { GraphSnapshot($0, Self.state(of: graph, $0)) }
        }
        self.log = log
    }

    /// Compares how far a start has come with the books.
    func inspect() {
        if let log { takeOver(log) }
        mayLose = false
    }

    /// Drops the log as the end of the process does.
    func stop() { log = nil }

    private static func state(of graph: String, _ stamp: LogStamp) -> [UInt8] {
        Array(String(repeating: "\(graph) at \(stamp.rev) ", count: 300).utf8)
    }

    // MARK: - What it is given

    func define(_ graph: String) {
        append(LogEntry(graph: graph, kind: .define(text: "{}", .client)))
    }

    func remove(_ graph: String) { append(LogEntry(graph: graph, kind: .remove)) }

    /// One commit with a value that no other has.
    func set(_ graph: String, bytes: Int = 1) {
        var entry = LogEntry(graph: graph)
        let value = "\"\(lastTicket) \(String(repeating: "x", count: bytes))\""
        entry.set = [LogEntry.Assignment("x", Array(value.utf8))]
        if lastTicket % 3 == 0 { entry.key = LogEntry.Key("key \(lastTicket)", digest: UInt128(lastTicket)) }
        append(entry)
    }

    /// Appends what a host would: graphs begin before they are set, and not twice.
    private func append(_ entry: LogEntry) {
        switch entry.kind {
        case .define: guard begun.insert(entry.graph).inserted else { return }
        case .remove: guard begun.remove(entry.graph) != nil else { return }
        default: guard begun.contains(entry.graph) else { return }
        }
        lastTicket += 1
        wall += 7
        sent[lastTicket] = entry
        log?.append([entry], tickets: lastTicket..<lastTicket + 1, wall: wall)
    }

    /// Lets time pass, and writes down what was answered.
    func pass(_ milliseconds: UInt64 = 0) {
        executor.pass(milliseconds)
        note()
    }

    func close() {
        log?.close()
        note()
    }

    /// Writes down what was answered.
    func note() {
        for (ticket, stamp) in listener.committed[heard.committed...] {
            guard let entry = sent.removeValue(forKey: ticket) else {
                findings.append("ticket \(ticket) is answered twice")
                continue
            }
            let expected = (answered[entry.graph]?.last?.stamp.rev ?? 0) + 1
            if stamp.rev != expected { findings.append("rev \(stamp.rev) is answered, not \(expected)") }
            answered[entry.graph, default: []].append((entry, stamp))
            if epochs[entry.graph] == nil { epochs[entry.graph] = try? log?.open(graph: entry.graph).epoch }
        }
        // If the process has ended, no client receives a refusal.
        for ticket in listener.refused[heard.refused...] where !disk.hasStopped {
            guard let entry = sent.removeValue(forKey: ticket) else {
                findings.append("ticket \(ticket) is answered twice")
                continue
            }
            refused.insert(entry)
            begun = living
        }
        heard = (listener.committed.count, listener.refused.count)
    }

    /// Whether everything that was given is answered, and the last answer was good.
    var isWell: Bool { log?.health == .ready && sent.isEmpty }
    var health: LogHealth? { log?.health }

    // MARK: - What is there

    /// The start has found this: what was not answered may be there, what was must be, or the epoch
    /// is another one.
    private func takeOver(_ log: SQLiteLog) {
        for name in Set(answered.keys).union(sent.values.map(\.graph)).sorted() {
            guard let position = try? log.open(graph: name) else { continue }
            let known = answered[name] ?? []
            let lost = known.filter { $0.stamp.rev > position.rev }
            self.lost += lost.count
            if !lost.isEmpty, !mayLose {
                findings.append("\(name): revs from \(lost[0].stamp.rev) on are lost")
            }
            if let broken = log.broken, !mayLose { findings.append("\(name): \(broken)") }
            if let former = epochs[name], position.rev > 0,
                position.epochs.lastRev(of: former) != position.rev
            {
                findings.append("\(name): epoch \(former) does not lead to \(position)")
            }
            answered[name] = known.filter { $0.stamp.rev <= position.rev }
            epochs[name] = position.rev == 0 ? nil : position.epoch
            if log.broken != nil, position.rev == 0 { continue }
            // What was on its way has arrived.
            let first = (answered[name]?.last?.stamp.rev ?? 0) + 1
            guard first <= position.rev else { continue }
            let arrived = report(name) { try read(name, first...position.rev) } ?? []
            for (entry, stamp) in arrived {
                answered[name, default: []].append((entry, stamp))
                if maySeeRefused, refused.contains(entry) { continue }
                guard let ticket = sent.first(where: { $0.value == entry })?.key else {
                    findings.append(
                        "\(name) rev \(stamp.rev): \(refused.contains(entry) ? "was refused" : "was never sent")"
                    )
                    continue
                }
                sent[ticket] = nil
            }
        }
        sent = [:]
        begun = living
    }

    /// The graphs that have begun and not ended, as of the last answer.
    private var living: Set<String> {
        Set(answered.filter { Self.isLiving($0.value.map(\.entry)) }.keys)
    }

    private static func isLiving(_ entries: [LogEntry]) -> Bool {
        switch entries.last(where: { $0.kind != .values })?.kind {
        case .define: true
        default: false
        }
    }

    private func read(_ graph: String, _ revs: ClosedRange<UInt64>) throws -> [(LogEntry, LogStamp)] {
        var found: [(LogEntry, LogStamp)] = []
        try log?.reader.entries(of: graph, in: revs) { entry, stamp in
            found.append((entry, stamp))
            return true
        }
        return found
    }

    /// Writes down what the log says that it cannot do.
    private func report<Value>(_ graph: String, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch {
            damages.append("\(graph): \(error)")
            return nil
        }
    }

    /// Compares everything that is stored with the books.
    func check() {
        guard let log else { return }
        note()
        for (name, known) in answered.sorted(by: { $0.key < $1.key }) where !known.isEmpty {
            report(name) {
                let position = try log.open(graph: name)
                let last = known.last?.stamp
                if position.rev != last?.rev || position.time != last?.time {
                    findings.append("\(name) stands at \(position), not at \(String(describing: last))")
                }
                if position.epoch != epochs[name] {
                    findings.append("\(name) is in epoch \(position.epoch)")
                }
                try check(name, known, log.reader)
            }
        }
        let living = living.sorted().map { StoredGraph($0, .client) }
        if log.graphs != living { findings.append("there are \(log.graphs), not \(living)") }
    }

    private func check(
        _ name: String,
        _ known: [(entry: LogEntry, stamp: LogStamp)],
        _ reader: any LogReader
    ) throws {
        guard let last = known.last?.stamp.rev, let kept = try reader.revs(of: name) else {
            return findings.append("\(name) has no revs")
        }
        if kept.upperBound != last { findings.append("\(name) has revs \(kept) of \(last)") }
        var first: UInt64 = 1
        if let snapshot = try reader.snapshot(of: name, notAfter: last) {
            if snapshot.state != Self.state(of: name, snapshot.stamp)
                || !known.contains(where: { $0.stamp == snapshot.stamp })
            {
                findings.append("\(name) has a wrong snapshot at \(snapshot.stamp)")
            }
            first = try reader.snapshot(of: name, notAfter: kept.lowerBound).map { $0.stamp.rev + 1 } ?? 1
        }
        guard first <= last else { return }
        let stored = try read(name, first...last)
        let expected = known.filter { $0.stamp.rev >= first }
        if stored.map(\.0) != expected.map(\.entry) || stored.map(\.1) != expected.map(\.stamp) {
            findings.append(
                "\(name) has revs \(stored.map(\.1.rev)) instead of \(expected.map(\.stamp.rev)), or others"
            )
        }
        let keys = try reader.keys(of: name, since: 0)
        let keyed = known.filter { $0.entry.key != nil }
        if keys.map(\.key) != keyed.compactMap(\.entry.key) || keys.map(\.stamp) != keyed.map(\.stamp) {
            findings.append("\(name) has other keys")
        }
    }

    /// Whether the store takes commits.
    func goOn() {
        for graph in ["a", "b", "c"] { define(graph) }
        pass()
        for _ in 0..<2 {
            set("a")
            pass()
        }
        if !isWell {
            findings.append("it takes no commits: \(String(describing: health)), \(sent.count) open")
        }
    }
}
