import Commits
import DiskSupport
import LogTestSupport
import TestSupport
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
@testable import SQLiteLog
import Support

/// One start of a server on a store in memory, driven step by step.
struct StoreServer {
    let executor = ManualExecutor()
    let log: SQLiteLog
    let host: Host
    let clock: ManualHostClock

    init(_ disk: LyingDisk, epoch: String, wall: UInt64) throws(StoreError) {
        log = try SQLiteLog(disk.store, .written, keepRevs: 8, epoch: epoch, executor: executor)
        clock = ManualHostClock(now: 1_000, wall: wall)
        host = Host(store: .log(log), clock: clock)
    }

    /// Ends the turn, and does what waits; the number of steps has a bound.
    func endTurn() {
        host.flush()
        for _ in 0..<50 where executor.pending > 0 {
            executor.step()
            host.flush()
        }
    }

    func pass(_ milliseconds: UInt64) {
        clock.advance(by: milliseconds)
        executor.advance(by: milliseconds)
        host.advance()
        endTurn()
    }

    func definition(_ name: String, _ text: String) -> GraphDefinition? {
        guard let document = try? Document.parse(json: text) else { return nil }
        return GraphDefinition.read(document, file: nil, named: name, options: host.definitions).0
    }

    /// Sets some node of each graph.
    func setAll(_ hostility: inout Hostility) {
        for graph in host.graphs {
            let nodes =
                graph.nodes.filter(\.isMutable)
                + [graph.node("s.a"), graph.node("s.hall")].compactMap(\.self)
            guard !nodes.isEmpty, let value = try? Datum.parse("\(hostility.dice.below(5))") else { continue }
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(hostility.pick(nodes), value))
            if hostility.dice.chance(1, in: 4) { commit.key = "k\(hostility.dice.below(9))" }
            _ = host.submit(commit)
        }
    }
}

/// A store that servers have written: a history of two graphs with snapshots and keys.
struct StoredHistory {
    let disk: LyingDisk
    let wall: UInt64

    init(seed: UInt64) throws {
        var hostility = Hostility(seed: seed)
        disk = LyingDisk(seed: seed)
        var wall: UInt64 = 1_763_690_000_000
        for start in 0..<2 {
            let server = try StoreServer(disk, epoch: "start\(start)", wall: wall)
            for stored in server.host.storedGraphs { _ = try server.host.restore(graph: stored.name) }
            for step in 0..<30 {
                for name in ["g", "h"] where server.host[name] == nil {
                    let text = Hostility.definitions[Int(seed) % 3]
                    if let definition = server.definition(name, text) { _ = server.host.define(definition) }
                }
                if hostility.dice.chance(1, in: 2) { server.endTurn() }
                // Several commits of one turn stand in one row.
                for _ in 0...hostility.dice.below(3) {
                    server.setAll(&hostility)
                    server.clock.advance(by: 1)
                    server.host.flush()
                }
                switch hostility.dice.below(12) {
                case 0:
                    let name = hostility.pick(["g", "h"])
                    let text = Hostility.definitions[hostility.dice.below(3)]
                    if let graph = server.host[name], let definition = server.definition(name, text) {
                        _ = server.host.redefine(graph, as: definition)
                    }
                case 1 where step > 5: if let graph = server.host["h"] { _ = server.host.remove(graph) }
                case 2: server.pass(61_000)
                default: server.pass(UInt64(hostility.pick([1, 100, 700, 4_000])))
                }
            }
            server.endTurn()
            wall = server.clock.wall + 10_000
            server.host.close()
            disk.kill()
        }
        self.wall = wall
    }
}

/// Changes what stands in a store, and seals it again: every checksum is right.
struct StoreMutation {
    private var hostility: Hostility
    private let database: Database

    init(_ disk: LyingDisk, _ hostility: Hostility) throws {
        self.hostility = hostility
        database = try Database("sluice.db", vfs: disk.name, isReadOnly: false)
    }

    /// Returns what comes after it.
    mutating func run() throws -> Hostility {
        for _ in 0...hostility.dice.below(3) { try change() }
        // What no server would seal stays without.
        if let seal = try? database.measuredSeal() { try database.write(seal) }
        return hostility
    }

    private mutating func change() throws {
        switch hostility.dice.below(16) {
        case 0...6: try changeLog()
        case 7...11: try changeSnapshot()
        case 12: try changeKey()
        case 13: try changeGraph()
        case 14:
            let table = hostility.pick(["log", "log", "snapshots", "keys", "graphs"])
            let key = table == "graphs" ? "id" : table == "log" ? "last" : "rev"
            guard let row = try place(in: table, key) else { return }
            try database.run(
                "DELETE FROM \(table) WHERE \(table == "graphs" ? "id" : "graph") = ? AND \(key) = ?",
                .number(row.graph),
                .number(row.key)
            )
        default: try database.run("UPDATE seal SET sequence = ?", DatabaseValue(hostility.number()))
        }
    }

    /// A row of a table, by its graph and the rest of its key.
    private mutating func place(in table: String, _ key: String) throws -> (graph: Int64, key: Int64)? {
        var rows = try database.rows("SELECT \(table == "graphs" ? "id" : "graph"), \(key) FROM \(table)")
        var found: [(Int64, Int64)] = []
        while let row = try rows.next() { found.append((row.number(0), row.number(1))) }
        return found.isEmpty ? nil : hostility.pick(found)
    }

    // MARK: - Rows

    private mutating func changeLog() throws {
        guard let place = try place(in: "log", "last") else { return }
        var (first, time, bytes): (UInt64, UInt64, [UInt8]) = (0, 0, [])
        do {
            var rows = try database.rows(
                "SELECT first, time, entries FROM log WHERE graph = ? AND last = ?",
                [.number(place.graph), .number(place.key)]
            )
            guard let row = try rows.next() else { return }
            (first, time) = (row.unsigned(0), row.unsigned(1))
            bytes = row.withBytes(2) { Array($0) }
        }
        var last = UInt64(bitPattern: place.key)
        switch hostility.dice.below(10) {
        case 0: first = hostility.number(near: first)
        case 1: last = hostility.number(near: last)
        case 2: time = hostility.number(near: time)
        case 3: hostility.change(&bytes)
        default: changeEntries(of: &bytes)
        }
        let sum = checksum(of: bytes, after: UInt64(bitPattern: place.graph), first, last, time)
        try database.run(
            "UPDATE OR REPLACE log SET first = ?, last = ?, time = ?, checksum = ?, entries = ? WHERE graph = ? AND last = ?",
            DatabaseValue(first),
            DatabaseValue(last),
            DatabaseValue(time),
            .number(Int64(sum)),
            .bytes(bytes),
            .number(place.graph),
            .number(place.key)
        )
    }

    private mutating func changeEntries(of bytes: inout [UInt8]) {
        var entries: [(delay: UInt64, entry: LogEntry)] = []
        bytes.withBorrowedBytes { bytes in
            var reader = LogBytesReader(bytes)
            while !reader.isAtEnd, let delay = try? reader.varint(),
                let entry = try? LogEntry(graph: "g", from: &reader)
            {
                entries.append((delay, entry))
            }
        }
        guard !entries.isEmpty else { return }
        let place = hostility.dice.below(entries.count)
        switch hostility.dice.below(5) {
        case 0: entries[place].delay = hostility.number(near: entries[place].delay)
        case 1: entries.remove(at: place)
        case 2: entries.insert(entries[place], at: place)
        default: hostility.change(&entries[place].entry, near: entries.reduce(0) { $0 &+ $1.delay })
        }
        bytes = []
        for (delay, entry) in entries {
            bytes.append(varint: delay)
            entry.append(to: &bytes)
        }
    }

    private mutating func changeSnapshot() throws {
        guard let place = try place(in: "snapshots", "rev") else { return }
        var (time, bytes): (UInt64, [UInt8]) = (0, [])
        do {
            var rows = try database.rows(
                "SELECT time, state FROM snapshots WHERE graph = ? AND rev = ?",
                [.number(place.graph), .number(place.key)]
            )
            guard let row = try rows.next() else { return }
            time = row.unsigned(0)
            bytes = row.withBytes(1) { Array($0) }
        }
        var (graph, rev) = (place.graph, UInt64(bitPattern: place.key))
        switch hostility.dice.below(12) {
        case 0: rev = hostility.number(near: rev)
        case 1: time = hostility.number(near: time)
        case 2: graph = Int64(hostility.dice.below(3))
        default: for _ in 0...hostility.dice.below(3) { hostility.change(&bytes) }
        }
        let sum = checksum(of: bytes, after: UInt64(bitPattern: graph), rev, time)
        try database.run(
            "INSERT OR REPLACE INTO snapshots(graph, rev, time, checksum, state) VALUES(?,?,?,?,?)",
            .number(graph),
            DatabaseValue(rev),
            DatabaseValue(time),
            .number(Int64(sum)),
            .bytes(bytes)
        )
    }

    private mutating func changeKey() throws {
        guard let place = try place(in: "keys", "rev") else { return }
        let stamp = LogStamp(
            rev: hostility.number(near: UInt64(bitPattern: place.key)),
            time: hostility.number(near: 1_763_690_000_000)
        )
        let key = StoredKey(
            LogEntry.Key(hostility.pick(["", "k1"]), digest: UInt128(hostility.number())),
            by: hostility.pick([nil, "ann"]),
            stamp,
            changed: Int(UInt32(truncatingIfNeeded: hostility.number()))
        )
        try database.run(
            "UPDATE OR REPLACE keys SET rev = ?, time = ?, principal = ?, key = ?, digest = ?, changed = ?, checksum = ? WHERE graph = ? AND rev = ?",
            DatabaseValue(stamp.rev),
            DatabaseValue(stamp.time),
            DatabaseValue(key.by),
            .text(key.key.text),
            .bytes(withUnsafeBytes(of: key.key.digest.littleEndian) { Array($0) }),
            .number(Int64(key.changed)),
            .number(key.sum(in: place.graph)),
            .number(place.graph),
            .number(place.key)
        )
    }

    private mutating func changeGraph() throws {
        guard let place = try place(in: "graphs", "id") else { return }
        let epoch = hostility.pick(["", "other", String(repeating: "e", count: 400)])
        let name = hostility.pick(["g", "h", "", "other", "a b", String(repeating: "n", count: 400), "{x}"])
        let origin: DefinitionOrigin? = hostility.pick([nil, .file, .client])
        let graph = Store.Graph(position: LogPosition(Epochs(epoch), rev: 0, time: 0), origin: origin)
        try database.run(
            "UPDATE graphs SET name = ?, epoch = ?, origin = ?, checksum = ? WHERE id = ?",
            .text(name),
            .text(epoch),
            origin.map { .number(Int64($0.rawValue)) } ?? .null,
            .number(graph.sum(named: name)),
            .number(place.graph)
        )
    }
}

/// Does with a store all that a server and `sluice replay` do.
struct StoreVisit {
    private let disk: LyingDisk
    private let wall: UInt64
    private var hostility: Hostility
    private var wasRefused = false

    init(_ disk: LyingDisk, wall: UInt64, _ hostility: Hostility) {
        (self.disk, self.wall, self.hostility) = (disk, wall, hostility)
    }

    mutating func run() -> Fuzz.Verdict {
        for start in 0..<2 {
            do throws(StoreError) {
                try visit(StoreServer(disk, epoch: "visit\(start)", wall: wall + UInt64(start) * 3_600_000))
            } catch {
                wasRefused = true
                guard !error.message.isEmpty else { return .failed("an error says nothing") }
            }
            disk.kill()
        }
        return wasRefused ? .refused : .served
    }

    private mutating func visit(_ server: StoreServer) throws(StoreError) {
        var refusal: StoreError?
        for stored in server.host.storedGraphs {
            do throws(StoreError) { _ = try server.host.restore(graph: stored.name) } catch {
                refusal = error
            }
        }
        server.endTurn()
        for milliseconds in [1, 300, 61_000, 3_000] as [UInt64] {
            server.setAll(&hostility)
            server.pass(milliseconds)
        }
        for graph in server.host.graphs { lookBack(at: graph, server) }
        for name in ["g", "h"] { replay(name, server) }
        if hostility.dice.chance(1, in: 2), let graph = server.host["g"],
            let definition = server.definition("g", hostility.definition())
        {
            _ = server.host.redefine(graph, as: definition)
            server.endTurn()
        }
        server.host.close()
        if let refusal { throw refusal }
    }

    private mutating func lookBack(at graph: LiveGraph, _ server: StoreServer) {
        guard let view = try? GraphView(graph, for: .full) else { return }
        let kept = try? server.log.reader.revs(of: graph.name)
        let nodes = graph.nodes.map(\.name) + ["s.a"]
        let past = Past(server.log.reader, limits: SessionLimits()) { DefinitionOptions() }
        for _ in 0..<3 {
            let node = hostility.pick(nodes)
            let subject: PastQuestion.Subject = hostility.pick([
                .values(of: ["*"], limit: 100, facets: true), .node(node, facets: true),
                .picture(.json, live: false), .explanation(of: node),
                .history(of: node, limit: 1 + hostility.dice.below(20), facets: true),
            ])
            let near = hostility.pick([kept?.lowerBound ?? 0, graph.rev])
            let rev = min(graph.rev, hostility.number(near: near))
            guard let question = try? PastQuestion(subject, at: .rev(rev), in: view) else { continue }
            _ = past.answer(question) { true }
        }
        for node in graph.nodes {
            let since = hostility.pick([nil, hostility.number(near: graph.rev)])
            _ = try? HistoryAnswer(in: graph).json(of: node, since: since, limit: 10)
            if let samples = KeptSamples(of: node, since: since, epoch: nil, limit: 10) {
                _ = samples.answer(limits: SessionLimits(), definitions: DefinitionOptions()) { true }
            }
        }
    }

    private mutating func replay(_ name: String, _ server: StoreServer) {
        let text = hostility.definition()
        let end = hostility.pick([nil, hostility.number()])
        for rev in [nil, end] {
            guard
                let replay = try? Replay(
                    name,
                    from: server.log.reader,
                    to: rev,
                    options: { DefinitionOptions() }
                )
            else { continue }
            _ = try? replay.run()
            _ = try? replay.run { options in
                let (definition, problems) = GraphDefinition.read(
                    try Document.parse(json: text),
                    file: nil,
                    named: name,
                    options: options
                )
                guard let definition else { throw StoreError("\(problems)") }
                return definition
            }
        }
    }
}
