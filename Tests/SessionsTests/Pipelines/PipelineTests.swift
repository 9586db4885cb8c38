import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

@Suite("Ten thousand clients of pipelines")
struct ManyPipelinesTests {
    @Test("The same pipeline for all: one chain, the work of one, and the last one frees it")
    func equal() throws {
        func run(_ count: Int) throws -> (nodes: Int, units: Int, runs: UInt32, released: [UInt64]) {
            let bench = Bench()
            let graph = try bench.define(PipelineGraph.text)
            let before = graph.statistics.nodes
            let clients = (0..<count).map { _ in bench.connect() }
            let pipe = #"[{"map":"value + 1"},{"filter":"value > 0"},{"map":"value * 10"}]"#
            for (place, client) in clients.enumerated() {
                let snap = client.subscribe(1, pipe, to: "double")
                #expect(snap.first?.contains(#""shared":\#(place + 1)}"#) == true)
            }
            let nodes = graph.statistics.nodes - before
            // Nothing here may hold the node.
            func emissions() -> UInt32 { graph.chains.all.last?.node.emissionCount ?? 0 }
            let first = emissions()
            let spent = bench.host.pipelines.total
            try bench.set(graph, [("x", "5")])
            let units = bench.host.pipelines.total - spent
            #expect(clients.allSatisfy { $0.take().first?.contains(#"{"id":1,"v":110}"#) == true })
            let runs = emissions() &- first
            var released: [UInt64] = []
            for client in clients {
                released.append(client.session.close())
                bench.host.flush()
            }
            #expect(graph.statistics.nodes == before && graph.chains.all.isEmpty && graph.isWhole)
            return (nodes, units, runs, released)
        }
        let one = try run(1)
        let many = try run(10_000)
        #expect(one.nodes == 4 && many.nodes == 4, "double and three stages")
        #expect(one.runs == 1 && many.runs == 1)
        #expect(one.units > 3 && many.units == one.units, "\(one.units) and \(many.units)")
        #expect(many.released.dropLast().allSatisfy { $0 == 0 })
        #expect(many.released.last == 4)
    }

    @Test("A different one for each: all have a chain of their own on one source, and nothing stays")
    func different() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let before = graph.statistics
        let clients = (0..<10_000).map { _ in bench.connect() }
        for (place, client) in clients.enumerated() {
            let snap = client.subscribe(
                1,
                #"[{"map":"value + \#(place)"},{"filter":"value >= 0"}]"#,
                to: "double"
            )
            #expect(snap.first?.contains(#""shared":1}"#) == true)
        }
        #expect(graph.statistics.nodes == before.nodes + 1 + 20_000)
        #expect(graph.chains.all.count == 20_000)
        try bench.set(graph, [("x", "1")])
        #expect(clients[7].take().first?.contains(#"{"id":1,"v":9}"#) == true)
        bench.settle()
        for client in clients { client.session.close() }
        var turns = 0
        while bench.host.nextDeadline != nil, turns < 1000 {
            bench.pass(1)
            turns += 1
        }
        #expect((90...100).contains(turns), "70,000 units, 750 a turn: \(turns)")
        #expect(graph.statistics.nodes == before.nodes && graph.statistics.edges == before.edges)
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("Equal combinations are one node, and a longer pipeline stands on a shorter one")
    func combinations() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let before = graph.statistics.nodes
        let clients = (0..<3).map { _ in bench.connect() }
        let combine = #"{"op":"sub","id":1,"graph":"g","combine":{"a":"x","b":"y"}"#
        clients[0].ask(combine + "}")
        #expect(graph.statistics.nodes == before + 1)
        clients[1].ask(combine + #","pipe":[{"map":"value.a+value.b"}]}"#)
        let snap = clients[2].ask(combine + #","pipe":[{"map":"value.a  +  value.b"},"distinct"]}"#)
        #expect(snap.first?.contains(#""v":3,"chain":"#) == true)
        #expect(graph.statistics.nodes == before + 3, "the combination, its map, and distinct")
        #expect(clients[0].session.close() == 0)
        #expect(clients[2].session.close() == 1)
        #expect(clients[1].session.close() == 2)
        #expect(graph.statistics.nodes == before)
    }

    @Test("A pipeline with state sends its value again after a reconnect if its chain was built since")
    func forgetful() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        func listen(_ client: Client, _ pipe: String, since rev: Int = 3, _ more: String = "") -> String {
            let since = #""since":{"epoch":"e1","rev":\#(rev)}"#
            return client.ask(
                #"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[\#(pipe)],\#(since)\#(more)}"#
            )[0]
        }
        let filter = #"{"filter":"value > 3"}"#
        let client = bench.connect()
        client.subscribe(1, "[\(filter)]")
        try bench.set(graph, [("x", "5")])
        try bench.set(graph, [("x", "2")])
        #expect(client.take().last?.contains(#""v":5"#) == true)
        client.session.close()
        // It held 5; the chain that is built now holds nothing.
        let again = bench.connect()
        #expect(listen(again, filter).contains(#""resumed":true,"empty":true,"#))
        again.session.close()
        let all = listen(bench.connect(), filter, #","mode":"all""#)
        #expect(all.contains(#""resumed":false,"empty":true,"#))

        // A stage that depends only on the present has nothing to forget, and a chain that was kept
        // has forgotten nothing.
        #expect(listen(bench.connect(), #"{"map":"value"}"#).contains(#""resumed":true,"chain""#))
        let other = #"{"filter":"value < 100"}"#
        bench.connect().subscribe(1, "[\(other)]")
        try bench.set(graph, [("y", "9")])
        #expect(listen(bench.connect(), other, since: 4).contains(#""resumed":true,"chain""#))
    }

    @Test("eval uses a chain that is there, and leaves nothing behind")
    func eval() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let before = graph.statistics
        let view = try GraphView(graph, for: .full)
        func ask(_ text: String) throws -> String {
            let bytes = try text.withBorrowedBytes { bytes in
                try view.evaluate(bytes)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try ask(#"{"node":"double","pipe":[{"map":"value + 1"}]}"#).contains(#""v":3}"#))
        #expect(graph.statistics.nodes == before.nodes && graph.chains.all.isEmpty)
        let client = bench.connect()
        client.subscribe(1, #"[{"map":"value + 1"}]"#, to: "double")
        let work = bench.host.work
        #expect(try ask(#"{"node":"double","pipe":[{"map":"value+1"}]}"#).contains(#""v":3}"#))
        #expect(bench.host.work - work == 44 / 2 + 44 / 32, "its text is read, nothing is built")
        client.session.close()
    }
}

@Suite("Pipelines of one principal")
struct PipelineShareTests {
    @Test("With names limits.held is the principal's, over all its connections and streams")
    func named() throws {
        var limits = SessionLimits.ample
        limits.held = 1_000
        let bench = Bench(limits: limits)
        let graph = try bench.define(PipelineGraph.text)
        let first = bench.connect(.principal("alice"))
        let second = bench.connect(.principal("alice"))
        let other = bench.connect(.principal("bob"))
        first.subscribe(1, #"[{"map":"value + 1"}]"#)
        second.subscribe(1, #"[{"map":"value + 2"}]"#)
        #expect(second.subscribe(2, #"["distinct"]"#).first?.contains("pipe_limit") == true)
        let join = #"{"op":"sub","id":2,"graph":"g","combine":{"a":"x"}}"#
        #expect(second.ask(join).first?.contains("pipe_limit") == true)
        #expect(second.subscribe(2, "[]").first?.contains("snap") == true, "a node needs none")
        #expect(other.subscribe(1, #"["distinct"]"#).first?.contains("snap") == true)
        let view = try GraphView(graph, for: .principal("alice"))
        func stream(_ pipe: String) throws {
            _ = try EventStream(of: view, nodes: ["x"], StreamOptions(pipe: Array(pipe.utf8)))
        }
        #expect(throws: HostError.self) { try stream(#"["distinct"]"#) }
        first.session.close()
        second.session.close()
        try stream(#"["distinct"]"#)
        #expect(
            bench.host.pipelines.accounts.find("alice") == nil,
            "an account without pipelines is forgotten"
        )
    }

    @Test("Stages without expressions count too")
    func others() throws {
        let bench = Bench()
        _ = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        let before = bench.host.pipelines.total
        client.subscribe(
            1,
            #"["distinct",{"select":2},{"ifEmpty":0},{"skip":0},"ignoreNull",{"replace":1}]"#,
            to: "double"
        )
        #expect(bench.host.pipelines.total - before == 540, "ninety for each run")
    }

    @Test("A zip is charged for each value that waits, though no row is ever complete")
    func waiting() throws {
        let bench = Bench()
        let many = Array(repeating: #""x""#, count: 1_000).joined(separator: ",")
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"},"many":{"merge":[\#(many)]}}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","zip":["many","y"]}"#)
        let before = bench.host.pipelines.total
        try bench.set(graph, [("x", "1")])
        #expect(bench.host.pipelines.total - before == 60_000)
    }

    @Test("A long value costs what it takes to look at it")
    func long() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        client.subscribe(1, #"["distinct"]"#)
        let before = bench.host.pipelines.total
        try bench.set(graph, [("x", "\"" + String(repeating: "a", count: 8_000) + "\"")])
        // A run and the recording of a value besides.
        #expect((1_210...1_220).contains(bench.host.pipelines.total - before))
    }

    @Test("The cost of building a pipeline counts against its client's share of the turn")
    func making() throws {
        let bench = Bench()
        _ = try bench.define(PipelineGraph.text)
        let client = bench.connect()
        let before = bench.host.work
        client.subscribe(1, "[\(PipelineGraph.expensive(400))]")
        #expect(bench.host.work - before > 40)
    }

    @Test("Shares of stages come out even, whichever clients come and go")
    func users() throws {
        let bench = Bench()
        let graph = try bench.define(PipelineGraph.text)
        let clients = (0..<3).map { _ in bench.connect() }
        clients[0].subscribe(1, #"["distinct"]"#)
        clients[1].subscribe(1, #"["distinct",{"map":"value"}]"#)
        clients[2].subscribe(1, #"["distinct",{"map":"value"},{"take":1}]"#)
        #expect(graph.chains.all.map(\.segment.uses.count) == [3, 2, 1])
        clients[1].session.close()
        #expect(graph.chains.all.map(\.segment.uses.count) == [2, 1, 1])
        clients[0].session.close()
        #expect(graph.chains.all.map(\.segment.uses.count) == [1, 1, 1])
    }
}
