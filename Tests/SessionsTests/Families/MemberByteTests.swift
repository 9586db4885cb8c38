import LogTestSupport
import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("How many bytes members may hold")
struct MemberByteTests {
    private static let nodes =
        #""s.{id}":{"set":"any","expire":"1s"},"h.{id}":{"set":"any","history":1000},"d.{id}":{"from":"h.{id}","history":1000}"#

    private func bench(_ log: FaultyLog? = nil, bytes: Int = 1_000) -> Bench {
        var limits = SessionLimits.ample
        limits.memberBytes = bytes
        return Bench(log: log, limits: limits)
    }

    private func define(_ bench: Bench) throws -> LiveGraph {
        try bench.define(#"{"graph":"g","nodes":{\#(Self.nodes)}}"#)
    }

    /// A JSON text whose fragment has so many bytes.
    private static func text(_ bytes: Int) -> String { "\"\(String(repeating: "x", count: bytes - 6))\"" }

    private func bytes(_ bench: Bench, _ name: String?) -> Int {
        bench.host.memory.members.account(of: name).bytes
    }

    private static func refusal(_ bytes: Int) -> HostError {
        let message = "members hold \(bytes) bytes for this principal; 1000 are allowed"
        return HostError(.subLimit, message + " (twice limits.held)")
    }

    @Test("F-7: twice limits.held bounds what the values hold that one principal has set last")
    func values() throws {
        let bench = bench()
        let graph = try define(bench)
        try bench.submit(graph, [("s.a", Self.text(600))], by: "ann")
        #expect(bytes(bench, "ann") == 600)
        #expect(throws: Self.refusal(600)) { try bench.submit(graph, [("s.b", Self.text(500))], by: "ann") }
        // All of a commit counts; what it replaces does not.
        #expect(throws: Self.refusal(600)) {
            try bench.submit(graph, [("s.b", Self.text(300)), ("s.c", Self.text(300))], by: "ann")
        }
        try bench.submit(graph, [("s.a", Self.text(900))], by: "ann")
        // Others have room, and take over what they set.
        try bench.submit(graph, [("s.b", Self.text(500))])
        #expect(throws: Self.refusal(500)) { try bench.submit(graph, [("s.b", Self.text(1_001))]) }
        try bench.submit(graph, [("s.a", Self.text(100))], by: "bob")
        #expect(["ann", "bob", nil].map { bytes(bench, $0) } == [0, 100, 500])
        // So does what is cleared, dropped or expired.
        try bench.submit(graph, [], clear: ["s.b"])
        _ = bench.host.submit(Commit(dropping: try #require(graph.node("s.a"))))
        try bench.submit(graph, [("s.c", Self.text(1_000))], by: "ann")
        bench.endTurn()
        #expect(["ann", "bob", nil].map { bytes(bench, $0) } == [1_000, 0, 0])
        bench.pass(1_001)
        #expect(bytes(bench, "ann") == 0 && graph.members.livingCount == 0)
    }

    @Test("F-7: the context of the last change counts")
    func contexts() throws {
        let bench = bench()
        let graph = try define(bench)
        try bench.submit(graph, [("s.a", Self.text(300))], context: Self.text(600), by: "ann")
        #expect(bytes(bench, "ann") == 900)
        #expect(throws: Self.refusal(900)) {
            try bench.submit(graph, [("s.b", Self.text(50))], context: Self.text(100), by: "ann")
        }
        try bench.submit(graph, [("s.a", Self.text(300))], by: "ann")
        #expect(bytes(bench, "ann") == 300)
    }

    @Test("F-7: histories use at most half, and the oldest give way; values are not refused for them")
    func histories() throws {
        let bench = bench()
        let graph = try define(bench)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"d.a"}"#)
        for number in 0..<100 { try bench.submit(graph, [("h.a", "\"\(100 + number)\"")]) }
        let rings = try ["h.a", "d.a"].map { try #require(graph.node($0)?.ring) }
        #expect(rings.allSatisfy { $0.count > 1 } && rings.reduce(0) { $0 + $1.bytes } <= 500)
        #expect(rings.allSatisfy { $0[$0.count - 1].value?.text == "\"199\"" })
        #expect(bytes(bench, nil) <= 520)
        try bench.submit(graph, [("s.a", Self.text(480))])
        // There is no room left for the history of the next value.
        try bench.submit(graph, [("h.a", "\"200\"")])
        #expect(graph.node("h.a")?.ring?.count == 0 && bytes(bench, nil) <= 1_000)
    }

    @Test("F-7: after a start bytes count for the principal that set them last")
    func restored() throws {
        let log = FaultyLog()
        let bench = bench(log)
        let graph = try define(bench)
        try bench.submit(graph, [("s.a", Self.text(100)), ("h.a", Self.text(40))], by: "ann")
        try bench.submit(graph, [("s.b", Self.text(300))], context: Self.text(50), by: "bob")
        let before = ["ann", "bob", nil].map { bytes(bench, $0) }
        #expect(before[0] > 140 && Array(before[1...]) == [350, 0])
        bench.endTurn()
        let next = self.bench(FaultyLog(after: log))
        _ = try #require(try next.host.restore(graph: "g"))
        #expect(["ann", "bob", nil].map { bytes(next, $0) } == before)
    }

    @Test(
        "F-7: what is charged is what is held, through any history",
        arguments: 0..<(Nightly.isOn ? 400 : 40)
    )
    func anyHistory(_ seed: Int) throws {
        var dice = SeededGenerator(seed: UInt64(seed))
        let bench = bench(bytes: 2_000)
        let graph = try define(bench)
        let client = bench.connect()
        for number in 0..<4 { client.ask(#"{"op":"sub","id":\#(number),"graph":"g","node":"d.\#(number)"}"#) }
        for _ in 0..<300 {
            let names = ["s", "h"].flatMap { family in (0..<4).map { "\(family).\($0)" } }
            let name = names[dice.below(names.count)]
            let by = ["ann", "bob", nil][dice.below(3)]
            switch dice.below(8) {
            case 0: _ = try? bench.submit(graph, [], clear: [name], by: by)
            case 1: _ = graph.node(name).map { bench.host.submit(Commit(dropping: $0)) }
            case 2: bench.pass(UInt64(dice.below(400)))
            case 3:
                let context = Self.text(7 + dice.below(200))
                _ = try? bench.submit(graph, [(name, "1"), ("s.0", "2")], context: context, by: by)
            default: _ = try? bench.submit(graph, [(name, Self.text(7 + dice.below(600)))], by: by)
            }
            if dice.chance(1, in: 3) { bench.endTurn() }
            var held: [String?: Int] = [:]
            for member in graph.members.living {
                let parts = [member.source?.value, member.writer?.context].map { $0?.heldBytes ?? 0 }
                let bytes = parts.reduce(member.ring?.bytes ?? 0, +)
                #expect(bytes == Int(member.charged), "\(member.name)")
                if let payer = member.payer {
                    let accounts = bench.host.memory.members
                    let name = try #require(["ann", "bob", nil].first { accounts.account(of: $0) === payer })
                    held[name, default: 0] += bytes
                }
            }
            #expect(["ann", "bob", nil].allSatisfy { bytes(bench, $0) == held[$0, default: 0] })
            #expect(held.values.allSatisfy { $0 <= 2_000 })
        }
    }
}
