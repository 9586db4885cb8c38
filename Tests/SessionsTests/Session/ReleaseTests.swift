@testable import Definitions
@testable import Graphs
@testable import Sessions
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "any", "initial": 1}, "y": {"set": "any", "initial": 2}, "mode": {"set": "any", "initial": "a"},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "deep": {"from": "double", "pipe": [{"map": "value + 1"}, {"map": "value + 1"}]},
      "both": {"combine": {"a": "deep", "b": "y"}, "map": "a + b"},
      "shown": {"flatten": {"from": "mode", "to": {"a": "both"}, "otherwise": "deep"}, "retain": "whileInUse"},
      "kept": {"from": "x", "pipe": ["distinct"]}
    }}
    """

@Suite("Letting go")
struct ReleaseTests {
    @Test(
        "Whatever ends a session, all that only it needed is gone when the call returns",
        arguments: [
            CloseReason.closed, .reset, .timeout, .protocolError, .slow, .shutdown,
        ]
    )
    func everyReason(reason: CloseReason) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics
        let stays = bench.connect()
        stays.ask(#"{"op":"sub","id":1,"graph":"g","node":"double"}"#)
        let withOne = graph.statistics
        let goes = bench.connect()
        goes.ask(#"{"op":"sub","id":1,"graph":"g","node":"shown"}"#)
        goes.ask(
            #"{"op":"sub","id":2,"graph":"g","node":"shown","pipe":[{"map":"value"},{"delay":10}],"every":5}"#
        )
        goes.ask(#"{"op":"sub","id":3,"graph":"g","nodes":["*"]}"#)
        goes.ask(#"{"op":"sub","id":4,"graph":"g","node":"deep","mode":"all"}"#)
        goes.sink.unsentBytes = 100_000
        try bench.set(graph, [("x", "5")])
        let before = graph.statistics
        let released = goes.session.close(reason)
        let after = graph.statistics
        #expect(UInt64(before.nodes - after.nodes) == released)
        #expect(after.nodes == withOne.nodes && after.edges == withOne.edges && after.listeners == 1)
        #expect(after.released - before.released == released)
        #expect(bench.clients.statistics.sessions == 1)
        #expect(bench.host.nextDeadline == nil)
        #expect(graph.isWhole)
        #expect(goes.session.close() == 0)
        bench.host.flush()
        try bench.set(graph, [("x", "6")])
        #expect(goes.take().filter { $0.contains(#""v":6"#) }.isEmpty)
        stays.session.close()
        #expect(graph.statistics.nodes == start.nodes && graph.statistics.edges == start.edges)
        #expect(bench.clients.statistics.subscriptions == 0)
    }

    @Test("Nothing keeps a closed session, its sink or its subscriptions")
    func weakReferences() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        weak var session: Session?
        weak var sink: RecordingSink?
        weak var subscription: Subscription?
        do {
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"shown","pipe":[{"debounce":10}],"every":5}"#)
            client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all"}"#)
            try bench.submit(graph, [("x", "2")])
            session = client.session
            sink = client.sink
            subscription = client.session.subscriptions.first
            client.session.close()
            bench.host.flush()
        }
        #expect(session == nil)
        #expect(sink == nil)
        #expect(subscription == nil)
    }

    @Test(
        "A subscription is one listen per node, and ends once: nothing keeps it, marked or not, in either mode",
        arguments: [#""node":"shown""#, #""node":"shown","mode":"all""#, #""nodes":["x","shown"]"#],
        [false, true]
    )
    func endedByClient(target: String, isMarked: Bool) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        let before = graph.statistics
        client.ask(#"{"op":"sub","id":1,"graph":"g",\#(target)}"#)
        weak let subscription = client.session.subscription(1)
        let count = target.contains("nodes") ? 2 : 1
        #expect(subscription?.listenedNodes.count == count)
        #expect(graph.statistics.listeners - before.listeners == count)
        if isMarked { try bench.submit(graph, [("x", "2")]) }
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(graph.statistics.nodes == before.nodes && graph.statistics.listeners == before.listeners)
        #expect(client.session.subscriptions.isEmpty && graph.isWhole)
        bench.host.flush()
        #expect(subscription == nil)
        let news = client.take()
        #expect(news.filter { $0.contains(#""op":"upd""#) }.count == (isMarked ? 1 : 0), "\(news)")
    }

    @Test("Ten thousand random connect, subscribe and vanish cycles leave the counters where they were")
    func cycles() throws {
        let count = !Nightly.isOn ? 10_000 : 1_000_000
        let bench = Bench()
        let graph = try bench.define(graphText)
        let start = graph.statistics
        var dice = SeededGenerator(seed: 7)
        var open: [Client] = []
        let nodes = ["x", "double", "deep", "both", "shown", "kept"]
        let pipes = [
            "[]", #"["distinct"]"#, #"[{"map":"value"}]"#, #"[{"map":"value"},{"skip":1}]"#,
            #"[{"debounce":3}]"#,
            #"[{"window":{"last":5,"of":"count"}}]"#, #"[{"prefix":2}]"#, #"[{"delay":2},"distinct"]"#,
        ]
        for _ in 0..<count {
            let client = bench.connect()
            let node = nodes[dice.below(nodes.count)]
            let every = [0, 0, 4][dice.below(3)]
            let mode = ["latest", "all"][dice.below(2)]
            client.send(
                #"{"op":"sub","id":1,"graph":"g","node":"\#(node)","pipe":\#(pipes[dice.below(pipes.count)]),"every":\#(every),"mode":"\#(mode)"}"#
            )
            open.append(client)
            if dice.below(4) == 0 {
                try bench.submit(graph, [(["x", "y"][dice.below(2)], "\(dice.below(9))")])
            }
            if dice.below(9) == 0 { try bench.submit(graph, [("mode", ["\"a\"", "\"b\""][dice.below(2)])]) }
            if dice.below(3) == 0 { bench.pass(1) }
            while open.count > dice.below(20) {
                open.swapAt(dice.below(open.count), open.count - 1)
                let gone = open.removeLast()
                if dice.below(4) == 0 { gone.send(#"{"op":"unsub","id":1}"#) }
                gone.session.close(.reset)
            }
        }
        for client in open { client.session.close() }
        bench.host.flush()
        let end = graph.statistics
        #expect(
            end.nodes == start.nodes && end.edges == start.edges && end.listeners == start.listeners,
            "\(end)"
        )
        #expect(bench.clients.statistics.sessions == 0 && bench.clients.statistics.subscriptions == 0)
        #expect(bench.host.nextDeadline == nil)
        #expect(graph.isWhole)
    }

    @Test(
        "A sink that fails while it is written to may close its session there and then",
        arguments: ["latest", "all"]
    )
    func closesWhileSending(mode: String) throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var clients = (0..<5).map { _ in bench.connect() }
        for client in clients {
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"\#(mode)","pipe":[{"prefix":3}]}"#)
            client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"\#(mode)"}"#)
        }
        clients[3].ask(#"{"op":"unsub","id":1}"#)
        clients[4].ask(#"{"op":"unsub","id":2}"#)
        for client in clients[1...] { client.sink.failsNext = true }
        try bench.submit(graph, [("x", "2")])
        try bench.submit(graph, [("x", "3")])
        bench.host.flush()
        #expect(clients.map(\.session.isClosed) == [false, true, true, true, true])
        clients.removeAll()
        bench.host.flush()
        #expect(bench.clients.statistics.sessions == 1)
    }

    @Test("A graph that ends leaves nothing")
    func graphEnds() throws {
        let bench = Bench()
        weak var gone: LiveGraph?
        do {
            let graph = try bench.define(graphText)
            gone = graph
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"]}"#)
            client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","pipe":[{"debounce":10}]}"#)
            _ = bench.host.remove(graph)
            #expect(client.take().count == 2)
            client.session.close()
        }
        bench.host.flush()
        #expect(gone == nil)
        #expect(bench.host.graphs.isEmpty)
    }

    @Test("A subscription to several nodes frees them with its end, not later")
    func groups() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"a":{"from":"x","pipe":[{"map":"value"}]},"b":{"from":"a"}}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["a","b"]}"#)
        #expect(graph.statistics.nodes == 3)
        let told = client.ask(#"{"op":"unsub","id":1}"#)
        #expect(told.last == #"{"op":"end","id":1,"code":"done","released":2}"#)
        #expect(graph.statistics.nodes == 1)
    }

    @Test("A chain of ten thousand definitions is built and let go without recursion")
    func deep() throws {
        var nodes = [#""n0":{"set":"any","initial":1}"#]
        for number in 1...10_000 { nodes.append(#""n\#(number)":{"from":"n\#(number - 1)"}"#) }
        let bench = Bench()
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#)
        #expect(try bench.read(graph, "n10000") == "1")
        #expect(graph.statistics.nodes == 1)
        bench.endTurn()
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"n10000"}"#)
        try bench.set(graph, [("n0", "2")])
        #expect(client.take().first?.contains(#""v":2"#) == true)
        #expect(client.session.close() == 10_000)
    }

    @Test(
        "A host that goes takes its graphs with it, whatever their operators: those of the past are never ended"
    )
    func hosts() throws {
        let inputs = #""x":{"set":"any","initial":1},"y":{"set":"any","initial":2}"#
        for (row, example) in try OperatorExamples.inOrder() {
            weak var graph: LiveGraph?
            do {
                let bench = Bench()
                let made = try bench.define(
                    OperatorExamples.graph(example, inputs: inputs, x: "x", y: "y")
                        .replacing(#""out":{"from""#, with: #""out":{"retain":"always","from""#)
                )
                try bench.set(made, [("x", "2")])
                bench.pass(500)
                graph = made
            }
            #expect(graph == nil, "\(row.name): \(example)")
        }
    }
}
