import LogTestSupport
import ReactiveGraph
import Support
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// What a sink over a glob sends: lists of what became of all nodes that match.
@Suite("Sinks over globs")
struct FollowingTests {
    private static let families =
        #""s.{id}":{"set":"any"},"d.{id}":{"from":"s.{id}","pipe":[{"map":"10 / value"}]}"#

    /// A receiver that keeps the newest of each node, and the sink that sends to it.
    private final class Mirror {
        let bench: Bench
        let graph: LiveGraph
        let client: Client
        let following: Following
        let glob: String
        var kept: [String: String] = [:]
        /// The entries of each list that was sent.
        var lists: [[(node: String, rev: Int, text: String)]] = []
        var changes = 0

        init(
            _ bench: Bench,
            _ glob: String = "s.*",
            isAll: Bool = false,
            repeats: Bool = false,
            queue: Int = 100_000,
            queueBytes: Int = .max,
            most: Int = 1_000,
            mostBytes: Int = 65_536
        ) throws {
            self.bench = bench
            self.glob = glob
            graph = try #require(bench.host["g"])
            client = bench.connect()
            following = Following(
                FollowRules(
                    glob: glob,
                    isAll: isAll,
                    repeats: repeats,
                    queue: queue,
                    queueBytes: queueBytes,
                    most: most,
                    mostBytes: mostBytes
                ),
                in: graph,
                for: client.session
            )
            following.onChange = { [weak self] in self?.changes += 1 }
        }

        func begin() {
            while following.isBeginning { following.listenOn() }
            bench.endTurn()
        }

        /// Sends one list, if there is one; `isTaken`: whether the receiver has it, whatever the
        /// sink learns.
        @discardableResult
        func send(_ outcome: FollowedOutcome = .arrived, isTaken: Bool = true) throws -> Bool {
            guard let list = following.next() else { return false }
            let body = String(decoding: list.body, as: UTF8.self)
            let entries = try JSONReader.entries(body)
            #expect(entries.count == list.count)
            lists.append(entries)
            if isTaken {
                for entry in entries { kept[entry.node] = entry.text == "gone" ? nil : entry.text }
            }
            following.settle(outcome)
            return true
        }

        /// Sends until nothing waits.
        func sendAll() throws {
            while following.waiting > 0 { try send() }
        }

        /// What the newest entries say, and forgets them.
        func take() -> [String] {
            defer { lists = [] }
            return lists.flatMap(\.self).map { "\($0.node) \($0.text)" }
        }
    }

    private func bench(
        _ nodes: String = families,
        limits: SessionLimits = .ample
    ) throws -> (Bench, LiveGraph) {
        let bench = Bench(limits: limits)
        return (bench, try bench.define(#"{"graph":"g","nodes":{\#(nodes)}}"#))
    }

    private func drop(_ bench: Bench, _ graph: LiveGraph, _ name: String) throws {
        _ = bench.host.submit(Commit(dropping: try #require(graph.node(name))))
        bench.endTurn()
    }

    @Test("F-6: a sink in mode latest sends what is newest of each member, and nothing that the receiver has")
    func latest() throws {
        let (bench, graph) = try bench()
        try bench.set(graph, [("s.a", "1"), ("s.b", "2")])
        let mirror = try Mirror(bench)
        mirror.begin()
        try mirror.sendAll()
        #expect(mirror.take() == ["s.a 1", "s.b 2"])
        try bench.set(graph, [("s.a", "1"), ("s.b", "2.0")])
        try bench.set(graph, [("s.a", "3")])
        try bench.set(graph, [("s.a", "1")])
        try mirror.sendAll()
        #expect(mirror.take() == [])
        try bench.set(graph, [("s.c", "4")])
        try bench.set(graph, [("s.c", "5")])
        try drop(bench, graph, "s.b")
        try mirror.sendAll()
        #expect(mirror.take() == ["s.c 5", "s.b gone"] && mirror.changes == 3, "told once until it looks")
        // It is a change that the member was gone in between.
        try drop(bench, graph, "s.c")
        try bench.set(graph, [("s.c", "5")])
        try mirror.sendAll()
        #expect(mirror.take() == ["s.c 5"])
        // What has come and gone unsent is not worth a word.
        try bench.set(graph, [("s.brief", "1")])
        try drop(bench, graph, "s.brief")
        #expect(mirror.following.waiting == 1)
        try mirror.sendAll()
        #expect(mirror.take() == [])
    }

    @Test("F-6: repeats sends a value again that the receiver has; a failure is sent once")
    func repeats() throws {
        let (bench, graph) = try bench()
        let mirror = try Mirror(bench, "*", repeats: true)
        let once = try Mirror(bench, "d.*")
        mirror.begin()
        once.begin()
        for value in ["1", "1", "0", "0", "1"] {
            try bench.set(graph, [("s.a", value)])
            try mirror.sendAll()
            try once.sendAll()
        }
        #expect(mirror.take().filter { $0.hasPrefix("s") } == ["s.a 1", "s.a 1", "s.a 0", "s.a 0", "s.a 1"])
        let derived = once.take()
        #expect(
            derived.count == 3 && derived[0] == "d.a 10" && derived[1].hasPrefix("d.a fail:")
                && derived[2] == "d.a 10",
            "\(derived)"
        )
    }

    @Test("F-6: mode all sends every change in order, and the same list again after a failure")
    func all() throws {
        let (bench, graph) = try bench()
        try bench.set(graph, [("s.a", "1")])
        let mirror = try Mirror(bench, isAll: true, most: 2)
        mirror.begin()
        #expect(mirror.following.waiting == 0)
        try bench.set(graph, [("s.a", "2"), ("s.b", "3")])
        try bench.set(graph, [("s.a", "2")])
        try drop(bench, graph, "s.a")
        try mirror.send(.failed)
        try bench.set(graph, [("s.c", "4")])
        #expect(mirror.following.waiting == 5)
        try mirror.send(.failed)
        try mirror.sendAll()
        let lists = mirror.lists.map { $0.map { "\($0.node) \($0.text)" } }
        #expect(
            lists == [
                ["s.a 2", "s.b 3"], ["s.a 2", "s.b 3"], ["s.a 2", "s.b 3"], ["s.a 2", "s.a gone"], ["s.c 4"],
            ]
        )
        let revs = mirror.lists.flatMap(\.self).map(\.rev)
        #expect(revs == revs.sorted())
    }

    @Test("limits.sinkQueue, queue: the oldest is dropped when too many changes wait, or too many bytes")
    func queue() throws {
        let (bench, graph) = try bench()
        let few = try Mirror(bench, isAll: true, queue: 3)
        let short = try Mirror(bench, isAll: true, queueBytes: 1_000)
        var (dropped, droppedBytes) = (0, 0)
        few.following.onDrop = { dropped += 1 }
        short.following.onDrop = { droppedBytes += 1 }
        few.begin()
        short.begin()
        for number in 0..<10 {
            try bench.set(graph, [("s.a", "\"\(number)\(String(repeating: "x", count: 200))\"")])
        }
        #expect(dropped == 7 && few.following.waiting == 3)
        #expect(droppedBytes == 7 && short.following.waiting == 3)
        try few.sendAll()
        #expect(few.take().map { $0.prefix(6) } == ["s.a \"7", "s.a \"8", "s.a \"9"])
    }

    @Test("limits.sinkEntries, limits.sinkBytes: a list ends there, and a single value may be longer")
    func lists() throws {
        let (bench, graph) = try bench()
        for isAll in [false, true] {
            let mirror = try Mirror(bench, isAll: isAll, most: 3, mostBytes: 500)
            mirror.begin()
            let long = "\"\(isAll)\(String(repeating: "x", count: 600))\""
            try bench.set(
                graph,
                (0..<5).map { ("s.\($0)", "[\($0), \(isAll)]") } + [("s.long", long), ("s.z", "\(isAll)")]
            )
            try mirror.sendAll()
            #expect(mirror.lists.map(\.count) == [3, 2, 1, 1])
        }
    }

    @Test("F-6: what a receiver refused waits for another try, and what is not there any more does not")
    func refused() throws {
        let (bench, graph) = try bench()
        let mirror = try Mirror(bench)
        mirror.begin()
        try bench.set(graph, [("s.a", "1"), ("s.b", "2"), ("s.c", "3")])
        try mirror.send(.refused, isTaken: false)
        try bench.set(graph, [("s.a", "4")])
        try drop(bench, graph, "s.b")
        try mirror.sendAll()
        #expect(mirror.kept == ["s.a": "4"])
        #expect(mirror.following.tryRefused() && !mirror.following.tryRefused())
        try mirror.sendAll()
        #expect(mirror.kept == ["s.a": "4", "s.c": "3"])
    }

    @Test("F-6: members of a receiver that is down leave nothing behind when they go")
    func down() throws {
        let (bench, graph) = try bench()
        let mirror = try Mirror(bench)
        mirror.begin()
        try bench.set(graph, [("s.known", "1")])
        try mirror.sendAll()
        for number in 0..<500 {
            try bench.set(graph, [("s.\(number)", "1")])
            if number == 7 { try mirror.send(.failed, isTaken: false) }
            try drop(bench, graph, "s.\(number)")
        }
        try drop(bench, graph, "s.known")
        try mirror.sendAll()
        #expect(mirror.take().suffix(2) == ["s.7 gone", "s.known gone"])
    }

    @Test("F-6: nodes of a new definition join, and those that it lacks are gone")
    func redefined() throws {
        let (bench, graph) = try bench(#""x.a":{"set":"any","initial":1},"x.b":{"set":"any"}"#)
        let mirror = try Mirror(bench, "x.*")
        mirror.begin()
        try mirror.sendAll()
        #expect(mirror.kept == ["x.a": "1", "x.b": "empty"])
        let next = #""x.b":{"set":"any"},"x.c":{"from":"x.b"},"x.n-{id}":{"set":"any"}"#
        _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(next)}}"#))
        bench.endTurn()
        mirror.begin()
        try bench.set(graph, [("x.b", "2"), ("x.n-1", "3")])
        try mirror.sendAll()
        #expect(mirror.kept == ["x.b": "2", "x.c": "2", "x.n-1": "3"])
        // A member that becomes a declared node stays; the end of the graph says nothing.
        _ = bench.host.remove(graph)
        bench.endTurn()
        #expect(try !mirror.send() && mirror.client.take().last?.contains("node_removed") == true)
    }

    @Test("F-4: a sink over a glob keeps no member from its expiry, and holds what is made from members")
    func holds() throws {
        let (bench, graph) = try bench(Self.families.replacing(#""any"}"#, with: #""any","expire":"1s"}"#))
        let mirror = try Mirror(bench, "d.*")
        mirror.begin()
        try bench.set(graph, [("s.a", "1")])
        try mirror.sendAll()
        #expect(mirror.kept == ["d.a": "10"])
        #expect(graph.node("d.a")?.living != nil)
        bench.pass(2_100)
        try mirror.sendAll()
        #expect(mirror.kept.isEmpty && graph.members.livingCount == 0)
    }

    @Test("F-6: after any history of members and receivers the receiver has what there is")
    func histories() throws {
        let (bench, graph) = try bench()
        for seed in 0..<(Nightly.isOn ? 2_000 : 100) {
            var dice = SeededGenerator(seed: UInt64(seed))
            let mirror = try Mirror(bench, ["s.*", "*", "d.?"][dice.below(3)], most: 1 + dice.below(5))
            for _ in 0..<dice.below(30) { mirror.following.listenOn() }
            for _ in 0..<80 {
                let name = "s.\(dice.below(8))"
                switch dice.below(8) {
                case 0..<4: try bench.set(graph, [(name, "\(dice.below(3))")])
                case 4: if graph.members.names.contains(name) { try drop(bench, graph, name) }
                case 5: mirror.begin()
                default:
                    let outcome = [FollowedOutcome.arrived, .failed, .refused][dice.below(3)]
                    try mirror.send(
                        outcome,
                        isTaken: outcome == .arrived || (outcome == .failed && dice.chance(1, in: 2))
                    )
                }
            }
            mirror.begin()
            _ = mirror.following.tryRefused()
            try mirror.sendAll()
            var expected: [String: String] = [:]
            for name in graph.members.names.matching(mirror.glob) {
                expected[name] = try bench.read(graph, name)
            }
            #expect(mirror.kept == expected, "seed \(seed)")
            mirror.client.session.close()
            bench.endTurn()
        }
        #expect(graph.members.watchers.count == 0 && graph.isWhole)
    }

    @Test("Sinks over many members begin, send and end in steps")
    func many() throws {
        let count = Nightly.isOn ? 100_000 : 20_000
        let (bench, graph) = try bench(#""s.{id}":{"set":"any"}"#, limits: SessionLimits())
        func set(_ value: Int) throws {
            for first in stride(from: 0, to: count, by: 1_000) {
                try bench.set(graph, (first..<first + 1_000).map { ("s.m\($0)", "\(value)") })
            }
        }
        try set(1)
        let before = graph.statistics
        let mirror = try Mirror(bench)
        while mirror.following.isBeginning {
            let listeners = graph.statistics.listeners
            mirror.following.listenOn()
            #expect(graph.statistics.listeners - listeners <= 250)
            bench.endTurn()
        }
        try mirror.sendAll()
        #expect(mirror.kept.count == count && mirror.lists.map(\.count).max() == 1_000)
        mirror.lists = []
        // Many sets of one member are one entry, and equal ones none; looking through them is
        // divided as well.
        try set(2)
        try set(3)
        #expect(mirror.following.waiting == count)
        try mirror.sendAll()
        #expect(
            mirror.lists.map(\.count).reduce(0, +) == count && mirror.kept.values.allSatisfy { $0 == "3" }
        )
        mirror.lists = []
        try set(3)
        var looks = 0
        while mirror.following.waiting > 0 {
            #expect(try !mirror.send())
            looks += 1
        }
        #expect(looks >= count / 2_000 && looks <= count / 500)
        mirror.client.session.close()
        var turns = 0
        while bench.clients.sessions.isUnfinished {
            let listeners = graph.statistics.listeners
            bench.host.advance()
            bench.endTurn()
            #expect(listeners - graph.statistics.listeners <= 250)
            turns += 1
        }
        #expect(turns > count / 250 && graph.statistics.listeners == before.listeners)
        #expect(graph.members.watchers.count == 0)
    }
}

extension JSONReader {
    /// The entries of a list: what became of each node.
    fileprivate static func entries(_ body: String) throws -> [(node: String, rev: Int, text: String)] {
        body.withBorrowedBytes { bytes in
            let list = JSONReader(validated: bytes)
            return list["d"]?.elements.map { entry in
                let text =
                    entry["v"].map { String(decoding: $0.bytes, as: UTF8.self) }
                    ?? entry["fail"].map { "fail:\($0["code"]?.string ?? "?")" }
                    ?? (entry["gone"] == nil ? "empty" : "gone")
                return (entry["node"]?.string ?? "?", entry["rev"]?.int ?? 0, text)
            } ?? []
        }
    }
}
