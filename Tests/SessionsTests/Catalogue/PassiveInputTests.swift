@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing
import Values

/// Inputs of `combine` that are read, and are no cause to emit (X-8).
@Suite("Passive inputs")
struct PassiveInputTests {
    let bench = Bench()

    private static let nodes = """
        "m":{"set":"any"},"n":{"set":"any"},"t":{"set":"any"},
        "f":{"from":"t","pipe":[{"map":"60 / value"}]},
        "c":{"combine":{"m":"m","f":{"of":"f","passive":true}},"map":"m * f"},
        "l":{"combine":["m","n",{"of":"t","passive":true}]}
        """

    @Test(
        "X-8: a passive input completes the value, and is no cause afterwards; what it holds is seen at the next cause",
        arguments: ["settled", "immediate"]
    )
    func causes(mode: String) throws {
        let graph = try bench.define(nodes: Self.nodes, mode: mode)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all"}"#)
        func told(_ values: [(String, String)], clear: [String] = []) throws -> [String] {
            try bench.submit(graph, values, clear: clear)
            bench.endTurn()
            return Told(client.take())[1]
        }
        #expect(try told([("m", "2")]) == [])
        // Its first value completes the other.
        #expect(try told([("t", "6")]) == ["20"])
        #expect(try told([("t", "5")]) == [])
        #expect(try told([("m", "3")]) == ["36"])
        // Its failure and its emptiness are seen with the next cause, and so are their ends.
        #expect(try told([("t", "0")]) == [])
        #expect(try told([("m", "4")]) == ["fail:expr_bad_value"])
        #expect(try told([("t", "6")]) == [])
        #expect(try told([("m", "5")]) == ["50"])
        #expect(try told([], clear: ["t"]) == [])
        #expect(try told([("m", "6")]) == ["empty"])
        #expect(try told([("t", "60")]) == ["6"])
        // Without a cause in between its emptiness is never seen.
        #expect(try told([], clear: ["t"]) == [])
        #expect(try told([("t", "30")]) == [])
        #expect(try told([("m", "7")]) == ["14"])
        #expect(try told([], clear: ["m"]) == ["empty"])
        #expect(try told([("t", "6")]) == [])
        #expect(try told([("m", "8")]) == ["80"])
    }

    @Test(
        "X-8: in settled mode a commit of both emits once, with both new values; in immediate mode the former one may be seen"
    )
    func together() throws {
        for (mode, expected) in [("settled", ["33"]), ("immediate", ["33"])] {
            let bench = Bench()
            let nodes =
                #""m":{"set":"any"},"t":{"set":"any"},"#
                + #""c":{"combine":{"m":"m","t":{"of":"t","passive":true}},"map":"m * t"}"#
            let graph = try bench.define(nodes: nodes, mode: mode)
            try bench.set(graph, [("m", "2"), ("t", "10")])
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all"}"#)
            try bench.set(graph, [("t", "11"), ("m", "3")])
            #expect(Told(client.take())[1] == expected)
            try bench.set(graph, [("m", "4"), ("t", "12")])
            #expect(Told(client.take())[1] == [mode == "settled" ? "48" : "44"])
        }
    }

    @Test("X-8: it depends on earlier values, so it is kept, and after a restart it shows what it showed")
    func kept() throws {
        let graph = try bench.define(nodes: Self.nodes)
        #expect(graph.node("c")?.definition.stateClass == .history)
        #expect(graph.node("c")?.living != nil)
        try bench.set(graph, [("m", "2"), ("t", "6")])
        try bench.set(graph, [("t", "5")])
        #expect(try bench.read(graph, "c") == "20")
        let (second, restored) = try bench.cut(graph)
        #expect(try second.read(restored, "c") == "20")
        for (bench, graph) in [(bench, graph), (second, restored)] {
            try bench.set(graph, [("m", "3")])
            #expect(try bench.read(graph, "c") == "36")
        }
        // An emptiness that was not seen yet is seen after the restart.
        try bench.submit(graph, [], clear: ["t"])
        let (third, again) = try bench.cut(graph)
        #expect(try third.read(again, "c") == "36")
        try third.set(again, [("m", "4")])
        #expect(try third.read(again, "c") == "empty")
    }

    @Test("X-8: a client's combine takes them too; it holds, loads and wants them")
    func clients() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("m", "2"), ("t", "6")])
        let (producer, client) = (bench.connect(), bench.connect())
        producer.ask(#"{"op":"demand","id":9,"graph":"g","nodes":["t"]}"#)
        let ask = #"{"op":"sub","id":1,"graph":"g","mode":"all","combine":["m",{"of":"t","passive":true}]}"#
        #expect(client.ask(ask)[0].contains(#""v":[2,6]"#))
        bench.endTurn()
        #expect(producer.take().joined().contains(#""t":{"wanted":true}"#))
        try bench.set(graph, [("t", "5")])
        #expect(Told(client.take())[1] == [])
        try bench.set(graph, [("m", "3")])
        #expect(Told(client.take())[1] == ["[3,5]"])
        // Another key than without the word, so another chain.
        client.ask(#"{"op":"sub","id":2,"graph":"g","mode":"all","combine":["m","t"]}"#)
        #expect(graph.chains.all.map(\.key.text).sorted() == ["combine(m,t)", "combine(m,~t)"])
        try bench.set(graph, [("t", "4")])
        #expect(Told(client.take())[2] == ["[3,4]"])
        let wrong = client.ask(#"{"op":"sub","id":3,"graph":"g","combine":[{"of":"t","passive":true}]}"#)
        #expect(
            wrong[0].contains(#""code":"bad_field""#)
                && wrong[0].contains("all inputs of combine are passive")
        )
        client.session.close()
        bench.endTurn()
        #expect(graph.isWhole)
    }

    @Test("X-8: redefining the word away makes the input a cause again")
    func redefined() throws {
        let graph = try bench.define(nodes: Self.nodes)
        try bench.set(graph, [("m", "2"), ("t", "6")])
        try bench.set(graph, [("t", "5")])
        try bench.redefine(graph, Self.nodes.replacing(#"{"of":"f","passive":true}"#, with: #""f""#))
        #expect(try bench.read(graph, "c") == "24")
        #expect(graph.node("c")?.definition.stateClass == OperatorRow.StateClass.none)
        try bench.set(graph, [("t", "6")])
        #expect(try bench.read(graph, "c") == "20")
    }
}
