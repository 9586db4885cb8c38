import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "house", "nodes": {
      "t": {"set": "any", "initial": 20, "history": 3},
      "plain": {"set": "any"},
      "f": {"from": "t", "pipe": [{"map": "value * 2"}], "history": 5},
      "warm": {"from": "t", "pipe": [{"filter": "value > 20"}], "history": 5},
      "loose": {"from": "t", "pipe": [{"map": "value + 1"}], "history": 5, "retain": "whileInUse"}
    }}
    """

@Suite("The history of nodes")
struct HistoryTests {
    private func history(
        _ graph: LiveGraph,
        _ name: String,
        since: UInt64? = nil,
        epoch: String? = nil,
        limit: Int = 100
    ) throws -> String {
        let node = try #require(graph.node(name))
        let bytes = try HistoryAnswer(in: graph).json(of: node, since: since, epoch: epoch, limit: limit)
        // Where values come from has tests of its own (OriginTests).
        return String(decoding: bytes.dropLast(), as: UTF8.self).replacing(/,"origin":"[a-z]+"/, with: "")
    }

    @Test("A mutable node's ring begins with the initial value and keeps the newest")
    func mutable() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        #expect(
            try history(graph, "t") == #"{"epoch":"e1","from":0,"rev":1,"d":[{"rev":1,"t":5000000,"v":20}]}"#
        )
        bench.pass(5)
        for value in 21...23 { try bench.set(graph, [("t", "\(value)")]) }
        #expect(
            try history(graph, "t")
                == #"{"epoch":"e1","from":1,"rev":4,"d":[{"rev":2,"t":5000005,"v":21},{"rev":3,"t":5000005,"v":22},{"rev":4,"t":5000005,"v":23}]}"#
        )
        #expect(
            try history(graph, "t", since: 3)
                == #"{"epoch":"e1","from":3,"rev":4,"d":[{"rev":4,"t":5000005,"v":23}]}"#
        )
        #expect(try history(graph, "t", since: 4) == #"{"epoch":"e1","from":4,"rev":4,"d":[]}"#)
        #expect(
            try history(graph, "t", limit: 1)
                == #"{"epoch":"e1","from":3,"rev":4,"more":true,"d":[{"rev":4,"t":5000005,"v":23}]}"#
        )
        #expect(
            try history(graph, "t", since: 1, limit: 1)
                == #"{"epoch":"e1","from":1,"rev":4,"more":true,"d":[{"rev":2,"t":5000005,"v":21}]}"#
        )
    }

    @Test("An emission costs the same, however many the ring holds")
    func cost() throws {
        let bench = Bench()
        let graph = try bench.define(
            nodes: #""long":{"set":"any","history":20000},"short":{"set":"any","history":2}"#
        )
        func sets(_ name: String, _ count: Int) throws -> Double {
            let (node, value) = (try #require(graph.node(name)), try Datum.parse("1"))
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(node, value))
            return processorSeconds { for _ in 0..<count { _ = bench.host.submit(commit) } }
        }
        _ = try sets("long", 20_000)
        let (long, short) = (try sets("long", 2_000), try sets("short", 2_000))
        #expect(long < 10 * short, "\(long) and \(short) s")
    }

    @Test("What was trimmed, what is not yet, and what is of another epoch is gone")
    func gone() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        for value in 21...23 { try bench.set(graph, [("t", "\(value)")]) }
        for (since, epoch) in [(0, nil), (5, nil), (3, "other")] as [(UInt64, String?)] {
            #expect {
                _ = try history(graph, "t", since: since, epoch: epoch)
            } throws: { error in
                (error as? HostError)?.code == .gone && (error as? HostError)?.rev == 1
            }
        }
        #expect(try history(graph, "t", since: 3, epoch: "e1").contains(#""v":23"#))
    }

    @Test("A node without a history knows since when nothing happened")
    func without() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        try bench.set(graph, [("plain", "1")])
        try bench.set(graph, [("t", "1")])
        #expect(try history(graph, "plain") == #"{"epoch":"e1","from":2,"rev":3,"d":[]}"#)
        #expect(throws: HostError.self) { _ = try history(graph, "plain", since: 1) }
    }

    @Test("Clearing is remembered, clearing what is empty is not, failures are")
    func emptiness() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        try bench.submit(graph, [], clear: ["t"])
        try bench.submit(graph, [], clear: ["t"])
        try bench.submit(graph, [("t", "\"a\"")])
        #expect(
            try history(graph, "t")
                == #"{"epoch":"e1","from":0,"rev":4,"d":[{"rev":1,"t":5000000,"v":20},{"rev":2,"t":5000000,"empty":true},{"rev":4,"t":5000000,"v":"a"}]}"#
        )
        let derived = try history(graph, "f")
        #expect(derived.contains(#"{"rev":2,"t":5000000,"empty":true},{"rev":4,"t":5000000,"fail":{"#))
    }

    @Test("Derived nodes with a history are kept, and remember what they emit and nothing else")
    func derived() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        try bench.set(graph, [("t", "21")])
        try bench.set(graph, [("t", "3")])
        try bench.set(graph, [("t", "22")])
        #expect(graph.node("f")?.living != nil, "nobody listens")
        #expect(
            try history(graph, "f")
                == #"{"epoch":"e1","from":0,"rev":4,"d":[{"rev":1,"t":5000000,"v":40},{"rev":2,"t":5000000,"v":42},{"rev":3,"t":5000000,"v":6},{"rev":4,"t":5000000,"v":44}]}"#
        )
        #expect(
            try history(graph, "warm")
                == #"{"epoch":"e1","from":0,"rev":4,"d":[{"rev":2,"t":5000000,"v":21},{"rev":4,"t":5000000,"v":22}]}"#
        )
    }

    @Test("A node that is released when unused forgets, and says so")
    func loose() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"house","node":"loose"}"#)
        try bench.set(graph, [("t", "21")])
        try bench.set(graph, [("t", "22")])
        #expect(try history(graph, "loose", since: 2).contains(#""d":[{"rev":3,"#))
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(graph.node("loose")?.living == nil)
        client.ask(#"{"op":"sub","id":2,"graph":"house","node":"loose"}"#)
        #expect(throws: HostError.self) { _ = try history(graph, "loose", since: 2) }
        #expect(
            try history(graph, "loose")
                == #"{"epoch":"e1","from":3,"rev":3,"d":[{"rev":3,"t":5000000,"v":23}]}"#
        )
    }

    @Test("The bytes of a ring are bounded")
    func bytes() throws {
        var limits = SessionLimits.ample
        limits.historyBytes = 10
        let bench = Bench(limits: limits)
        let graph = try bench.define(house)
        for _ in 0..<3 { try bench.set(graph, [("t", "12345")]) }
        #expect(
            try history(graph, "t")
                == #"{"epoch":"e1","from":2,"rev":4,"d":[{"rev":3,"t":5000000,"v":12345},{"rev":4,"t":5000000,"v":12345}]}"#
        )
    }

    @Test("A ring is neither a listener nor a node that is shown, and goes with its graph")
    func counts() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        #expect(
            graph.statistics.nodes == 4,
            "a stage at the end of a pipe is the node itself; loose does not exist"
        )
        #expect(graph.statistics.listeners == 0)
        #expect(graph.isWhole)
        _ = bench.host.remove(graph)
        #expect(graph.statistics.nodes == 0)
        #expect(graph.isWhole)
    }

    @Test("sub with history: snap carries the newest values")
    func subscribing() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        for value in 21...23 { try bench.set(graph, [("t", "\(value)")]) }
        let client = bench.connect()
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"house","node":"t","history":2}"#) == [
                #"{"op":"snap","id":1,"epoch":"e1","rev":4,"t":5000000,"v":23,"d":[{"rev":3,"t":5000000,"v":22},{"rev":4,"t":5000000,"v":23}]}"#
            ]
        )
        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"house","node":"plain","history":2}"#) == [
                #"{"op":"snap","id":2,"epoch":"e1","rev":4,"c":1,"t":5000000,"empty":true,"d":[]}"#
            ]
        )
        for wrong in [#""nodes":["t"]"#, #""node":"t","pipe":["delta"]"#, #""combine":{"a":"t"}"#] {
            #expect(
                client.ask(#"{"op":"sub","id":3,"graph":"house",\#(wrong),"history":2}"#)[0].contains(
                    "bad_field"
                )
            )
        }
    }

    @Test("Mode all resumes from the ring: everything that was missed, or false")
    func resuming() throws {
        let bench = Bench()
        let graph = try bench.define(house)
        for value in 21...24 { try bench.set(graph, [("t", "\(value)")]) }
        let client = bench.connect()
        func resume(_ id: Int, _ since: Int, _ more: String = #""node":"t""#) -> [String] {
            client.ask(
                #"{"op":"sub","id":\#(id),"graph":"house",\#(more),"mode":"all","since":{"epoch":"e1","rev":\#(since)}}"#
            )
        }
        #expect(
            resume(1, 3) == [
                #"{"op":"snap","id":1,"epoch":"e1","rev":5,"t":5000000,"resumed":true,"d":[{"rev":4,"t":5000000,"v":23},{"rev":5,"t":5000000,"v":24}]}"#
            ]
        )
        #expect(resume(2, 5) == [#"{"op":"snap","id":2,"epoch":"e1","rev":5,"t":5000000,"resumed":true}"#])
        #expect(
            resume(3, 1) == [#"{"op":"snap","id":3,"epoch":"e1","rev":5,"t":5000000,"resumed":false,"v":24}"#]
        )
        #expect(resume(4, 6)[0].contains(#""resumed":false,"v":24"#))
        #expect(resume(5, 1, #""node":"plain""#)[0].contains(#""resumed":true}"#))
        #expect(resume(6, 3, #""node":"t","pipe":[{"map":"value"}]"#)[0].contains(#""resumed":false,"v":24"#))
        // Later values are received once, after the replay.
        try bench.set(graph, [("t", "25")])
        let update = client.take()
        #expect(update.count == 1)
        #expect(update[0].hasPrefix(#"{"op":"upd","graph":"house","rev":6,"t":5000000,"d":[{"id":1,"v":25}"#))
    }

    @Test("A replay too long for one message is no replay")
    func tooLong() throws {
        var limits = SessionLimits.ample
        limits.hardBytes = 400
        let bench = Bench(limits: limits)
        let graph = try bench.define(house)
        for value in ["1", "2", "3"] { try bench.set(graph, [("t", value)]) }
        let client = bench.connect()
        let snap = client.ask(
            #"{"op":"sub","id":1,"graph":"house","node":"t","mode":"all","since":{"epoch":"e1","rev":1}}"#
        )
        #expect(snap[0].contains(#""resumed":true,"d""#))
        try bench.set(graph, [("t", "\"" + String(repeating: "x", count: 120) + "\"")])
        _ = client.take()
        let again = client.ask(
            #"{"op":"sub","id":2,"graph":"house","node":"t","mode":"all","initial":false,"since":{"epoch":"e1","rev":2}}"#
        )
        #expect(again[0].contains(#""resumed":false}"#))
    }
}
