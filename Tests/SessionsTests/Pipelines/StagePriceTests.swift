import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

/// The fields of a thousand subscriptions; `#` stands for a number that makes each different.
private let shapes = [
    #""node":"x","pipe":[{"map":"value + #"}]"#,
    #""node":"x","mode":"all","pipe":[{"map":"value + #"}]"#,
    #""node":"x","pipe":[{"filter":"value < -#"}]"#,
    #""node":"x","pipe":[{"map":"value + #"},{"map":"value + 1"},{"map":"value + 2"},{"map":"value + 3"}]"#,
    #""node":"x","pipe":[{"map":"value + #"},"distinct"]"#,
    #""node":"x","pipe":[{"map":"value + #"},{"window":{"count":10,"of":"sum"}}]"#,
    #""node":"x","pipe":[{"map":"value + #"},{"scan":{"start":0,"with":"acc + value"}}]"#,
    #""node":"x","pipe":[{"debounce":50},{"map":"value + #"}]"#,
    #""node":"list","pipe":[{"map":"value[1] + #"}]"#,
    #""node":"text","pipe":[{"map":"value + '#'"}]"#,
    #""combine":{"a":"x","b":"y"},"map":"a + b + #""#,
    #""combine":["x","y","x","y","x","y","x","y","x","y","x","y","x","y","x","y"],"map":"value[1] + #""#,
    #""all":"m*","reduce":"sum","map":"value + #""#,
    #""all":"m*","reduce":"max","map":"value + #""#,
    #""all":"m*","reduce":"list","map":"value[0] + #""#,
    #""zip":["x","y"],"map":"value[0] + #""#,
]

@Suite("Pipelines are charged what they take", .serialized)
struct StagePriceTests {
    static let graph = #"""
        {"graph": "g", "nodes": {
          "x": {"set": "number", "initial": 1}, "y": {"set": "number", "initial": 1},
          "list": {"set": "array", "initial": [1, 2, 3]}, "text": {"set": "string", "initial": "hello"},
          "idle": {"set": "number", "initial": 1}, "m1": {"from": "x"}, "m2": {"from": "x"}
        }}
        """#

    @Test(
        "A unit is at most 20 ns, whatever the pipelines do",
        .enabled(if: environment("SLUICE_QUIET") == "1", "says something on a quiet machine only"),
        arguments: shapes
    )
    func price(_ shape: String) throws {
        for (clients, burst) in [(1, 1_000), (20, 1_000), (1, 100_000), (20, 100_000)] {
            let crowd = try Crowd(shape, clients: clients, burst: burst)
            let (commits, later) = try crowd.measure(sets: 60)
            print("\(shape), \(clients) clients, \(burst) units: commits \(commits); later \(later)")
            #expect(commits.units > 0 && later.units > 0)
            #expect(commits.nanoseconds < 20 && later.nanoseconds < 20)
        }
    }
}

/// What turns took, and what pipelines were charged.
private struct Price: CustomStringConvertible {
    var seconds = 0.0
    var units = 0
    var turns = 0

    var nanoseconds: Double { seconds * 1e9 / Double(max(units, 1)) }

    var description: String {
        let each = turns > 0 ? "\(units / turns) units and \(Int(seconds * 1e6) / turns) µs each" : ""
        return "\(Int(nanoseconds)) ns a unit in \(turns) turns \(each)"
    }
}

/// A thousand subscriptions of some clients, whose principals may spend `burst` units at once.
private final class Crowd {
    private let bench: Bench
    private let graph: LiveGraph
    private let sink = SilentSink()
    private var sessions: [Session] = []
    /// What other work leaves in the processor's caches.
    private var other = [UInt8](repeating: 0, count: 8 << 20)

    init(_ shape: String, clients: Int, burst: Int) throws {
        var limits = SessionLimits.ample
        limits.pipelineUnits = burst * 500
        bench = Bench(limits: limits)
        graph = try bench.define(StagePriceTests.graph)
        sessions = (0..<clients).map { _ in
            Session(of: bench.clients, transport: sink, access: .full, form: .messages)
        }
        for id in 1...1_000 {
            let fields = shape.split(separator: "#", omittingEmptySubsequences: false).joined(
                separator: "\(id)"
            )
            let message = #"{"op":"sub","id":\#(id),"graph":"g",\#(fields)}"#
            message.withBorrowedBytes { sessions[id % clients].receive(message: $0) }
            bench.settle()
        }
        try #require(bench.clients.statistics.subscriptions == 1_000)
    }

    /// Sets every node, sometimes before all clients have the values before.
    func measure(sets: Int) throws -> (commits: Price, later: Price) {
        var (commits, later, idle) = (Price(), Price(), Price())
        for value in 1...sets {
            try measure(&idle) { try bench.submit(graph, [("idle", "\(value)")]) }
            bench.endTurn()
            for node in ["x", "y", "list", "text"] {
                let json =
                    node == "list" ? "[1,\(value),3]" : node == "text" ? #""hello \#(value)""# : "\(value)"
                try measure(&commits) { try bench.submit(graph, [(node, json)]) }
                bench.endTurn()
            }
            var turns = value % 3 == 0 ? 2_000 : 5
            while turns > 0, let next = bench.host.nextDeadline {
                turns -= 1
                if next > bench.clock.now { bench.clock.advance(by: next - bench.clock.now) }
                measure(&later) {
                    bench.host.advance()
                    bench.endTurn()
                }
            }
            bench.clock.advance(by: 1)
        }
        commits.seconds -= idle.seconds / Double(idle.turns) * Double(commits.turns)
        return (commits, later)
    }

    private func measure(_ price: inout Price, _ step: () throws -> Void) rethrows {
        for place in stride(from: 0, to: other.count, by: 64) { other[place] &+= 1 }
        let before = bench.host.pipelines.total
        price.seconds += try processorSeconds(of: step)
        price.units += bench.host.pipelines.total - before
        price.turns += 1
    }
}

/// Takes messages and forgets them.
private final class SilentSink: MessageTransport {
    let unsentBytes = 0

    func send(_ message: Outgoing) {}
    func close(code: UInt16, reason: String) {}
    func pauseReading(_ paused: Bool) {}
}
