@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing

@Suite("Timed stages")
struct TimedStageTests {
    /// A graph with one timed node, a client that receives all of it, and what it received:
    /// `time:value` since the start.
    private func run(
        _ stage: String,
        _ steps: [(at: UInt64, set: String)],
        until end: UInt64
    ) throws -> [String] {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[\#(stage)]}}}"#
        )
        let named = bench.connect()
        let piped = bench.connect()
        named.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
        piped.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","pipe":[\#(stage)]}"#)
        var heard: [String] = []
        var heardPiped: [String] = []
        for now in 0...end {
            for step in steps where step.at == now {
                if step.set == "clear" {
                    try bench.submit(graph, [], clear: ["x"])
                } else {
                    try bench.submit(graph, [("x", step.set)])
                }
            }
            bench.host.flush()
            heard += named.take().map { "\(now):\(Self.value($0))" }
            heardPiped += piped.take().map { "\(now):\(Self.value($0))" }
            bench.pass(1)
            heard += named.take().map { "\(now + 1):\(Self.value($0))" }
            heardPiped += piped.take().map { "\(now + 1):\(Self.value($0))" }
        }
        #expect(heard == heardPiped, "a definition and a pipeline agree")
        named.session.close()
        piped.session.close()
        return heard
    }

    private static func value(_ frame: String) -> String {
        guard let start = frame.firstRange(of: #""d":[{"id":1,"#) else { return frame }
        return String(frame[start.upperBound...].dropLast(3))
    }

    @Test("G-75: debounce emits after the silence")
    func debounce() throws {
        let heard = try run(
            #"{"debounce":10}"#,
            [(0, "1"), (5, "2"), (30, "3"), (35, "clear"), (60, "4")],
            until: 80
        )
        #expect(heard == [#"15:"v":2"#, #"35:"empty":true"#, #"70:"v":4"#])
    }

    @Test("G-141: debounce can emit on the leading edge, or on both")
    func debounceEdges() throws {
        let steps: [(at: UInt64, set: String)] = [(0, "1"), (5, "2"), (30, "3")]
        #expect(
            try run(#"{"debounce":{"for":10,"edge":"leading"}}"#, steps, until: 60) == [
                #"0:"v":1"#, #"30:"v":3"#,
            ]
        )
        #expect(
            try run(#"{"debounce":{"for":10,"edge":"both"}}"#, steps, until: 60) == [
                #"0:"v":1"#, #"15:"v":2"#, #"30:"v":3"#,
            ]
        )
    }

    @Test("G-141a: sample emits the newest at a fixed rate and rests when nothing comes")
    func sample() throws {
        let steps: [(at: UInt64, set: String)] = [
            (0, "1"), (5, "2"), (12, "3"), (50, "4"), (55, "clear"), (70, "5"),
        ]
        let heard = try run(#"{"sample":10}"#, steps, until: 90)
        #expect(heard == [#"10:"v":2"#, #"20:"v":3"#, #"55:"empty":true"#, #"80:"v":5"#])
    }

    @Test(
        "G-141a: sample with the leading edge passes the first value of an interval on, and both edges the newest too"
    )
    func sampleEdges() throws {
        let steps: [(at: UInt64, set: String)] = [
            (0, "1"), (5, "2"), (12, "3"), (15, "clear"), (16, "4"), (17, "5"), (50, "6"),
        ]
        let leading = try run(#"{"sample":{"every":10,"edge":"leading"}}"#, steps, until: 90)
        #expect(leading == [#"0:"v":1"#, #"12:"v":3"#, #"15:"empty":true"#, #"16:"v":4"#, #"50:"v":6"#])
        let both = try run(#"{"sample":{"every":10,"edge":"both"}}"#, steps, until: 90)
        #expect(
            both == [
                #"0:"v":1"#, #"10:"v":2"#, #"15:"empty":true"#, #"16:"v":4"#, #"26:"v":5"#, #"50:"v":6"#,
            ]
        )
    }

    @Test("G-74: delay shifts every value, and a clear empties at once")
    func delay() throws {
        let heard = try run(
            #"{"delay":10}"#,
            [(0, "1"), (1, "2"), (1, "3"), (20, "4"), (25, "clear"), (26, "5")],
            until: 50
        )
        #expect(heard == [#"10:"v":1"#, #"11:"v":2},{"id":1,"v":3"#, #"25:"empty":true"#, #"36:"v":5"#])
    }

    @Test("A window by age forgets in time")
    func window() throws {
        let heard = try run(#"{"window":{"last":10,"of":"sum"}}"#, [(0, "1"), (5, "2")], until: 40)
        #expect(heard == [#"0:"v":1"#, #"5:"v":3"#, #"10:"v":2"#, #"15:"v":0"#])
        let average = try run(#"{"window":{"last":10,"of":"avg"}}"#, [(0, "1"), (5, "2")], until: 40)
        #expect(average == [#"0:"v":1"#, #"5:"v":1.5"#, #"10:"v":2"#, #"15:"empty":true"#])
        let rate = try run(#"{"window":{"last":1000,"of":"rate"}}"#, [(0, "10"), (500, "20")], until: 600)
        #expect(rate == [#"500:"v":20"#])
    }

    @Test("All that is due in one turn is one commit and one settled turn")
    func oneTick() throws {
        let bench = Bench()
        let graph = try bench.define(
            """
            {"graph":"g","nodes":{"x":{"set":"any"},
              "a":{"from":"x","pipe":[{"delay":10}]},
              "b":{"from":"x","pipe":[{"debounce":10}]},
              "both":{"combine":{"a":"a","b":"b"},"map":"a + b","retain":"always"},
              "later":{"from":"a","pipe":[{"delay":10}]}}}
            """
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"both","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"later","mode":"all"}"#)
        try bench.set(graph, [("x", "1")])
        bench.pass(10)
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":3,"t":5000010,"d":[{"id":1,"v":2}]}"#])
        bench.pass(10)
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":4,"t":5000020,"d":[{"id":2,"v":1}]}"#])
        bench.pass(100)
        #expect(graph.rev == 4, "ticks without an emission are no commits")
        #expect(graph.node("later").map { graph.read($0).changed } == 4)
        #expect(graph.node("a").map { graph.read($0).changed } == 3)
    }

    @Test(
        "A tick is logged only if something is emitted, and takes a rev then",
        arguments: [
            (#"{"debounce":{"for":10,"edge":"leading"}}"#, 0), (#"{"debounce":{"for":10,"edge":"both"}}"#, 0),
            (#"{"debounce":10}"#, 1), (#"{"sample":10}"#, 1), (#"{"delay":10}"#, 1),
            (#"{"window":{"last":10,"of":"count"}}"#, 1),
        ]
    )
    func ticks(_ stage: String, _ expected: UInt64) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"out":{"from":"x","pipe":[\#(stage)]}}}"#
        )
        try bench.set(graph, [("x", "1")])
        let rev = graph.rev
        bench.pass(100)
        #expect(graph.rev == rev + expected)
        // In a client's pipeline it takes none.
        let plain = try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any"}}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"h","node":"x","pipe":[\#(stage)]}"#)
        try bench.set(plain, [("x", "1")])
        bench.pass(100)
        #expect(plain.rev == 2)
        #expect(!Told(client.take())[1].isEmpty)
    }

    @Test("A full delay lets its oldest value leave early")
    func fullDelay() throws {
        var limits = SessionLimits.ample
        limits.delayed = 2
        let bench = Bench(limits: limits)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"d":{"from":"x","pipe":[{"delay":10}]}}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"d","mode":"all"}"#)
        for number in 1...3 { try bench.set(graph, [("x", "\(number)")]) }
        #expect(client.take().map(Self.value) == [#""v":1"#])
        bench.pass(10)
        #expect(client.take().map(Self.value) == [#""v":2},{"id":1,"v":3"#])
    }

    @Test(
        "A value that is due when its source ends does not come back after the end",
        arguments: [
            #"{"delay":30}"#, #"{"debounce":30}"#, #"{"sample":30}"#, #"{"window":{"last":30,"of":"count"}}"#,
        ]
    )
    func dueWithTheEnd(stage: String) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","ttl":30},"out":{"from":"x","pipe":[\#(stage)]}}}"#
        )
        try bench.set(graph, [("x", "1")])
        bench.pass(100)
        #expect(try bench.read(graph, "x") == "empty")
        #expect(try bench.read(graph, "out") == "empty")
    }
}
