import Commits
import LogTestSupport
import Support
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let minute: UInt64 = 60_000

/// Histories by time, against a naive downsampling of all emissions.
@Suite("X-5: history by time")
struct StepHistoryTests {
    /// What a node emitted, and when.
    private struct Emission {
        let time: UInt64
        let value: String?
    }

    /// One step of an answer.
    private struct Step: Equatable, CustomStringConvertible {
        var t: UInt64
        var n: Int
        var figures: [Double]
        var last: String

        var description: String { "\(t): \(n) \(figures) \(last)" }

        static func == (a: Step, b: Step) -> Bool {
            a.t == b.t && a.n == b.n && a.last == b.last && a.figures.count == b.figures.count
                && zip(a.figures, b.figures).allSatisfy { abs($0 - $1) <= 1e-9 * max(1, abs($0)) }
        }
    }

    /// What an answer about these emissions must have.
    private func naive(
        _ emissions: [Emission],
        _ length: UInt64,
        from begin: UInt64,
        to end: UInt64
    ) -> [Step] {
        let groups = Dictionary(grouping: emissions.filter { $0.time <= end }) { $0.time / length }
        return groups.keys.sorted().filter { ($0 + 1) * length > begin }.map { key in
            let all = groups[key] ?? []
            let numbers = all.compactMap { $0.value.flatMap(Double.init) }
            let mean = numbers.reduce(0, +) / Double(max(1, numbers.count))
            let figures = numbers.isEmpty ? [] : [numbers.min() ?? 0, mean, numbers.max() ?? 0]
            return Step(t: key * length, n: all.count, figures: figures, last: all.last?.value ?? "empty")
        }
    }

    private struct Answer {
        let length: UInt64
        let since: UInt64
        let steps: [Step]
    }

    private func ask(
        _ graph: LiveGraph,
        _ name: String,
        from begin: UInt64? = nil,
        to end: UInt64? = nil,
        points: Int = 2_000
    ) throws -> Answer {
        let node = try #require(graph.node(name))
        let kept = try KeptSteps(of: node, from: begin, to: end, points: points)
        guard case .body(let bytes) = kept.answer(graph.host.reader, while: { true }) else {
            throw StoreError("no answer")
        }
        return try bytes.withBorrowedBytes { bytes in
            let answer = try JSONReader(checking: bytes)
            let steps = answer["d"]?.elements.map { entry in
                Step(
                    t: UInt64(entry["t"]?.int ?? 0),
                    n: entry["n"]?.int ?? 0,
                    figures: ["min", "mean", "max"].compactMap { entry[$0]?.double },
                    last: entry["v"].map { String(decoding: $0.bytes, as: UTF8.self) }
                        ?? (entry["fail"] != nil ? "fail" : "empty")
                )
            }
            return Answer(
                length: UInt64(answer["step"]?.int ?? 0),
                since: UInt64(answer["since"]?.int ?? 0),
                steps: steps ?? []
            )
        }
    }

    @Test(
        "X-5: any range of random histories, over snapshots and restarts, in memory and in a log",
        arguments: 0..<12
    )
    func random(seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        let hasLog = seed % 3 != 0
        var log = FaultyLog()
        log.keepsHistory = seed % 3 == 1
        var bench = hasLog ? Bench(log: log) : Bench()
        var graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"any","history":{"for":"7d","every":"1m"}},
              "m.{i}":{"set":"any","history":{"for":"7d","every":"1m"}}}}
            """#
        )
        var emissions: [String: [Emission]] = ["x": [], "m.1": []]
        var restarts = [Bench]()
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &dice) {
            case 0 where hasLog: log.storeSnapshot(of: "g")
            case 1 where log.keepsHistory:
                let clock = ManualHostClock(now: bench.clock.now, wall: bench.clock.wall)
                log = FaultyLog(after: log)
                let next = Bench(log: log, clock: clock)
                graph = try #require(try next.host.restore(graph: "g"))
                next.endTurn()
                restarts.append(bench)
                bench = next
            case 2, 3, 4: bench.clock.advance(by: UInt64.random(in: 1...400_000, using: &dice))
            case 5: bench.clock.advance(by: UInt64.random(in: 1...9_000_000, using: &dice))
            default: bench.clock.advance(by: UInt64.random(in: 0...20_000, using: &dice))
            }
            let name = Bool.random(using: &dice) ? "x" : "m.1"
            let isEmpty = emissions[name]?.last?.value == nil
            if name == "x", !isEmpty, Int.random(in: 0..<8, using: &dice) == 0 {
                try bench.submit(graph, [], clear: [name])
                bench.endTurn()
                emissions[name]?.append(Emission(time: graph.time, value: nil))
            } else {
                let value =
                    [
                        "\(Int.random(in: -50...50, using: &dice))",
                        "\(Double.random(in: -9...9, using: &dice))",
                        "\"words\"", "true",
                    ].randomElement(using: &dice) ?? "1"
                try bench.set(graph, [(name, value)])
                emissions[name]?.append(Emission(time: graph.time, value: value))
            }
            guard Int.random(in: 0..<10, using: &dice) == 0 else { continue }
            for (name, all) in emissions where !all.isEmpty {
                let now = bench.clock.wall
                let begin = UInt64.random(in: (all.first?.time ?? 0)...now, using: &dice)
                let end = UInt64.random(in: begin...now, using: &dice)
                let points = [1, 7, 60, 500, 2_000].randomElement(using: &dice) ?? 1
                let answer = try ask(graph, name, from: begin, to: end, points: points)
                #expect(answer.length % minute == 0 && answer.steps.count <= points)
                // Whole steps of the definition's length answer.
                let from = begin - begin % minute, to = end - end % minute + minute - 1
                let expected = naive(
                    all.filter { $0.time >= from && $0.time <= to },
                    answer.length,
                    from: from,
                    to: to
                )
                #expect(answer.steps == expected, "\(name) from \(begin) to \(end) in \(points)")
            }
        }
        withExtendedLifetime(restarts) {}
    }

    @Test("X-5: complete chunks leave memory when they are stored, and come back from there")
    func leavesMemory() throws {
        let log = FaultyLog()
        log.keepsHistory = true
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"number","history":{"for":"7d","every":"1m"}}}}"#
        )
        for value in 0..<200 {
            try bench.set(graph, [("x", "\(value)")])
            bench.clock.advance(by: minute)
        }
        let node = try #require(graph.node("x"))
        let before = node.historyBytes
        log.storeSnapshot(of: "g")
        #expect(node.historyBytes < before / 2 && bench.host.memory.histories.used == node.historyBytes)
        #expect(try ask(graph, "x").steps.map(\.last) == (0..<200).map { "\($0)" })
    }

    @Test("X-5: memory is bounded, and the answer says since when it is complete")
    func bounded() throws {
        var limits = SessionLimits.ample
        limits.historyMemory = 3_000
        let bench = Bench(limits: limits)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","history":{"for":"7d","every":"1m"}}}}"#
        )
        for value in 0..<2_000 {
            try bench.set(graph, [("x", "\"value \(value)\"")])
            bench.clock.advance(by: minute)
        }
        #expect(bench.host.memory.histories.used < 5_000)
        let answer = try ask(graph, "x", from: 0)
        let first = try #require(answer.steps.first).t
        #expect((first - answer.length...first + answer.length).contains(answer.since))
        #expect(answer.steps.last?.last == "\"value 1999\"" && answer.steps.count < 300)
    }

    @Test("X-5: another step begins at once and keeps the old ones; without 'for' they go")
    func redefined() throws {
        let log = FaultyLog()
        log.keepsHistory = true
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"number","initial":0,"history":{"for":"7d","every":"1m"}}}}"#
        )
        func define(_ history: String) throws {
            _ = bench.host.redefine(
                graph,
                as: try bench.definition(
                    #"{"graph":"g","nodes":{"x":{"set":"number","initial":0,"history":\#(history)}}}"#
                )
            )
            bench.endTurn()
        }
        let start = graph.time
        for value in 1...130 {
            bench.clock.advance(by: minute)
            try bench.set(graph, [("x", "\(value)")])
        }
        try define(#"{"for":"7d","every":"10m"}"#)
        for value in 131...150 {
            bench.clock.advance(by: minute)
            try bench.set(graph, [("x", "\(value)")])
        }
        log.storeSnapshot(of: "g")
        let answer = try ask(graph, "x")
        #expect(answer.length == 10 * minute && answer.steps.map(\.n).reduce(0, +) == 151)
        #expect(answer.since <= start)
        // A shorter time hides the older ones.
        try define(#"{"for":"1h","every":"10m"}"#)
        let shorter = try ask(graph, "x")
        #expect(shorter.steps.first.map { $0.t + 10 * minute > bench.clock.wall - 60 * minute } == true)
        try define("5")
        log.storeSnapshot(of: "g")
        #expect(try log.reader.history(of: "x", in: "g", 0...bench.clock.wall).isEmpty)
        try define(#"{"for":"7d"}"#)
        #expect(try ask(graph, "x").steps.map(\.n) == [1])
    }

    @Test("X-5: a member's history ends with the member, also in the store")
    func members() throws {
        let log = FaultyLog()
        log.keepsHistory = true
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"m.{i}":{"set":"number","history":{"for":"7d","every":"1s"}}}}"#
        )
        for value in 0..<200 {
            try bench.set(graph, [("m.1", "\(value)")])
            bench.clock.advance(by: 1_000)
        }
        log.storeSnapshot(of: "g")
        #expect(try !log.reader.history(of: "m.1", in: "g", 0...bench.clock.wall).isEmpty)
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("m.1"))))
        bench.endTurn()
        #expect(bench.host.memory.histories.used == 0)
        try bench.set(graph, [("m.1", "7")])
        // Before and after the store has learnt of it.
        #expect(try ask(graph, "m.1").steps.map(\.last) == ["7"])
        log.storeSnapshot(of: "g")
        #expect(try log.reader.history(of: "m.1", in: "g", 0...bench.clock.wall).isEmpty)
        #expect(try ask(graph, "m.1").steps.map(\.last) == ["7"])
    }

    @Test("X-5: the histories of all nodes keep to their limit, also where each has little")
    func together() throws {
        var limits = SessionLimits.ample
        limits.historyMemory = 10_000
        let bench = Bench(limits: limits)
        let names = (0..<200).map { "n\($0)" }
        let nodes = names.map { #""\#($0)":{"set":"any","history":{"for":"1d","every":"1s"}}"# }
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#)
        for second in 0..<50 {
            bench.clock.advance(by: 1_000)
            try bench.set(graph, names.map { ($0, "\(second)") })
            #expect(bench.host.memory.histories.used <= limits.historyMemory)
        }
        #expect(try ask(graph, "n7").steps.last?.last == "49")
    }

    @Test("X-5: short ranges are made from single emissions, and a ring alone answers too")
    func ring() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"""
            {"graph":"g","nodes":{"x":{"set":"number","history":{"count":50,"for":"7d","every":"1m"}},
              "r":{"set":"number","history":50},"none":{"set":"number"}}}
            """#
        )
        for value in 0..<40 {
            bench.clock.advance(by: 500)
            try bench.set(graph, [("x", "\(value)"), ("r", "\(value)")])
        }
        for name in ["x", "r"] {
            let answer = try ask(graph, name, from: bench.clock.wall - 5_000)
            #expect(answer.length < 1_000 && answer.steps.map(\.last) == (29..<40).map { "\($0)" })
        }
        #expect(throws: HostError.self) { try ask(graph, "none") }
        #expect(throws: HostError.self) { try ask(graph, "x", from: 10, to: 5) }
    }
}
