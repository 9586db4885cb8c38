import LogTestSupport
import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let text = #"""
    {"graph": "g", "nodes": {
      "sensor.{id}.celsius": {"set": "number", "fresh": "30s"},
      "sensor.{id}.hot": {"from": "sensor.{id}.celsius", "pipe": [{"map": "value > 30"}]},
      "mean": {"all": "sensor.*.celsius", "reduce": "avg"},
      "x": {"set": "number", "initial": 1},
      "y": {"set": "number"},
      "which": {"set": "string", "initial": "x"},
      "sum": {"combine": {"x": "x", "y": "y"}, "map": "x + y", "retain": "always"},
      "chosen": {"flatten": {"from": "which", "to": {"x": "x", "y": "y"}}},
      "copy": {"set": "number"}
    }, "links": [{"from": "x", "to": "copy"}]}
    """#

private func access(_ rights: Rights) -> Access {
    Access(Principal(name: "p", grants: [Principal.Grant(can: rights)]))
}

@Suite("Demand: which nodes are wanted")
struct DemandTests {
    let bench: Bench
    let graph: LiveGraph
    let producer: Client
    let client: Client

    init() throws {
        bench = Bench()
        graph = try bench.define(text)
        producer = bench.connect()
        client = bench.connect()
    }

    private func demand(_ nodes: String, id: Int = 5) -> String {
        producer.ask(#"{"op":"demand","id":\#(id),"graph":"g","nodes":\#(nodes)}"#).first ?? ""
    }

    /// Without the end of the turn.
    private func listen(_ client: Client, _ id: Int, _ node: String) {
        client.send(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)"}"#)
    }

    private func told() -> [String] {
        bench.endTurn()
        return producer.take()
    }

    private func wanted(_ entries: String) -> String { #"{"op":"wanted","id":5,"m":{\#(entries)}}"# }

    @Test("D-1: a client that breaks off at the first of several messages gets none of the others")
    func broken() throws {
        weak var session: Session?
        func produce() -> RecordingSink {
            let producer = bench.connect()
            for id in 1...3 { producer.ask(#"{"op":"demand","id":\#(id),"graph":"g","nodes":["x","y"]}"#) }
            session = producer.session
            return producer.sink
        }
        let sink = produce()
        _ = sink.take()
        sink.failsNext = true
        listen(client, 1, "sum")
        bench.endTurn()
        #expect(sink.take().isEmpty && session == nil && bench.clients.demandNews.isEmpty)
        #expect(graph.core.demands.isEmpty && bench.host.turn.demanded.isEmpty)
    }

    @Test("D-1: the answer names what was named, and of globs what is wanted")
    func answer() throws {
        listen(client, 1, "x")
        bench.endTurn()
        #expect(demand(#"["y","x"]"#) == wanted(#""x":{"wanted":true},"y":{"wanted":false}"#))
        #expect(demand(#"["*"]"#, id: 6) == #"{"op":"wanted","id":6,"m":{"x":{"wanted":true}}}"#)
    }

    @Test(
        "D-1: the first listener of a derived node makes its inputs wanted, the last one that goes ends that"
    )
    func derived() throws {
        #expect(demand(#"["x","y"]"#) == wanted(#""x":{"wanted":false},"y":{"wanted":false}"#))
        listen(client, 1, "sum")
        #expect(told() == [wanted(#""x":{"wanted":true},"y":{"wanted":true}"#)])
        let other = bench.connect()
        listen(other, 1, "sum")
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told().isEmpty, "some listener is left")
        other.session.close(.reset)
        #expect(told() == [wanted(#""x":{"wanted":false},"y":{"wanted":false}"#)])
        #expect(graph.node("sum")?.living != nil, "the node lives on, but nothing listens")
    }

    @Test("D-1: what comes and goes within one turn is not reported")
    func oneTurn() throws {
        _ = demand(#"["x"]"#)
        listen(client, 1, "x")
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told().isEmpty)
    }

    @Test("D-1: a pipeline of a client makes its source wanted")
    func pipeline() throws {
        _ = demand(#"["x"]"#)
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value * 2"}]}"#)
        #expect(told() == [wanted(#""x":{"wanted":true}"#)])
        client.session.close()
        #expect(told() == [wanted(#""x":{"wanted":false}"#)])
    }

    @Test("D-1: a flatten wants the node that it follows")
    func flatten() throws {
        _ = demand(#"["x","y","which"]"#)
        listen(client, 1, "chosen")
        #expect(told() == [wanted(#""which":{"wanted":true},"x":{"wanted":true}"#)])
        try bench.set(graph, [("which", #""y""#)])
        #expect(told() == [wanted(#""x":{"wanted":false},"y":{"wanted":true}"#)])
    }

    @Test("D-1: a node that is linked to a wanted one is wanted")
    func links() throws {
        _ = demand(#"["x","copy"]"#)
        listen(client, 1, "copy")
        #expect(told() == [wanted(#""copy":{"wanted":true},"x":{"wanted":true}"#)])
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told() == [wanted(#""copy":{"wanted":false},"x":{"wanted":false}"#)])
    }

    @Test("D-1: a ring of synced nodes wants nothing by itself")
    func rings() throws {
        let ring = try bench.define(
            #"""
            {"graph":"r","nodes":{"a":{"set":"any"},"b":{"set":"any"},"c":{"set":"any"}},
             "sync":[{"a":"a","b":"b"},{"a":"b","b":"c"},{"a":"c","b":"a"}]}
            """#
        )
        _ = producer.ask(#"{"op":"demand","id":5,"graph":"r","nodes":["*"]}"#)
        client.send(#"{"op":"sub","id":1,"graph":"r","node":"b"}"#)
        #expect(told() == [wanted(#""a":{"wanted":true},"b":{"wanted":true},"c":{"wanted":true}"#)])
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told() == [wanted(#""a":{"wanted":false},"b":{"wanted":false},"c":{"wanted":false}"#)])
        #expect(ring.isWhole)
    }

    @Test("D-1, F-3: a member that a listener brings to life is wanted until it goes with it")
    func members() throws {
        _ = demand(#"["sensor.7.*","sensor.8.celsius"]"#)
        listen(client, 1, "sensor.7.hot")
        #expect(told() == [wanted(#""sensor.7.celsius":{"wanted":true}"#)])
        client.session.close(.reset)
        #expect(told() == [wanted(#""sensor.7.celsius":{"wanted":false}"#)])
        #expect(graph.members.livingCount == 0 && graph.existing("sensor.7.celsius") == nil)
    }

    @Test("D-1, F-4: globs and all keep no member, and want it")
    func globs() throws {
        try bench.set(graph, [("sensor.a.celsius", "1")])
        _ = demand(#"["sensor.*"]"#)
        listen(client, 1, "mean")
        #expect(told() == [wanted(#""sensor.a.celsius":{"wanted":true}"#)])
        try bench.set(graph, [("sensor.b.celsius", "1")])
        #expect(told() == [wanted(#""sensor.b.celsius":{"wanted":true}"#)])
        client.send(#"{"op":"sub","id":2,"graph":"g","nodes":["sensor.*.celsius"]}"#)
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told().isEmpty)
        client.session.close()
        let entries = #""sensor.a.celsius":{"wanted":false},"sensor.b.celsius":{"wanted":false}"#
        #expect(told() == [wanted(entries)])
    }

    @Test("D-1, K-1: a chain that is kept wants nothing, and wants again when it is taken over")
    func kept() throws {
        _ = demand(#"["x"]"#)
        let ask = #"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"skip":1}],"keep":"30s""#
        let snap = try #require(client.ask(ask + "}").first)
        #expect(told() == [wanted(#""x":{"wanted":true}"#)])
        client.session.close(.reset)
        #expect(told() == [wanted(#""x":{"wanted":false}"#)] && graph.clients.keptChains == 1)
        let ticket = try #require(snap.split(separator: #""ticket":""#).last?.prefix(24))
        let since = #","since":{"epoch":"\#(graph.epoch)","rev":\#(graph.rev),"ticket":"\#(ticket)"}}"#
        #expect(bench.connect().ask(ask + since).first?.contains(#""resumed":true"#) == true)
        #expect(told() == [wanted(#""x":{"wanted":true}"#)])
    }

    @Test("D-1: a producer that does not read gets what is true when it does")
    func slowProducer() throws {
        _ = demand(#"["x","y"]"#)
        producer.sink.unsentBytes = bench.host.limits.softBytes + 1
        listen(client, 1, "x")
        listen(client, 2, "y")
        #expect(told().isEmpty)
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told().isEmpty)
        producer.sink.unsentBytes = 0
        producer.session.drained()
        #expect(told() == [wanted(#""y":{"wanted":true}"#)])
    }

    @Test("D-1: more nodes than one turn looks at follow in the next ones, at most 1,000 in a message")
    func manyNodes() throws {
        let count = GraphDemand.mostInTurn + 1_000
        for number in 0..<count { try bench.set(graph, [("sensor.s\(number).celsius", "1")]) }
        _ = demand(#"["sensor.*"]"#)
        listen(client, 1, "mean")
        var names: Set<String> = []
        var turns = 0
        repeat {
            let messages = told()
            for message in messages {
                let told = message.split(separator: #"":{"wanted":true}"#).count - 1
                #expect(told <= 1_000)
                for part in message.split(separator: "\"") where part.hasPrefix("sensor.") {
                    names.insert(String(part))
                }
            }
            turns += 1
        } while bench.host.nextDeadline == bench.clock.now
        #expect(names.count == count && turns == 2)
        client.session.close()
        var released = 0
        repeat {
            for message in told() { released += message.split(separator: #"":{"wanted":false}"#).count - 1 }
        } while bench.host.nextDeadline == bench.clock.now
        #expect(released == count)
    }

    @Test("D-1: nothing is looked at where no producer asks")
    func costsNothing() throws {
        #expect(graph.core.demands.isEmpty)
        _ = demand(#"["x"]"#)
        #expect(!graph.core.demands.isEmpty && bench.host.turn.demanded.count == 1)
        #expect(
            producer.ask(#"{"op":"unsub","id":5}"#) == [#"{"op":"end","id":5,"code":"done","released":0}"#]
        )
        #expect(graph.core.demands.isEmpty && bench.host.turn.demanded.isEmpty)
        _ = demand(#"["x"]"#)
        producer.session.close()
        #expect(graph.core.demands.isEmpty && graph.demand == nil)
    }

    @Test(
        "D-1: what cannot be produced is refused",
        arguments: [
            (#""nodes":["sum"]"#, "not_mutable"), (#""nodes":["z"]"#, "unknown_node"),
            (#""nodes":[]"#, "bad_field"), (#""owner":"me","nodes":["x"]"#, "bad_field"),
            (#""nodes":["sensor.7.hot"]"#, "not_mutable"),
        ]
    )
    func refusals(fields: String, code: String) {
        let answer = producer.ask(#"{"op":"demand","id":5,"graph":"g",\#(fields)}"#)
        #expect(answer.first?.contains(#""code":"\#(code)""#) == true, "\(answer)")
        #expect(graph.demand == nil)
    }

    @Test("D-1: the right to set is needed, and ends what hangs on it")
    func rights() throws {
        let reader = bench.connect(access([.read, .pipe]))
        let ask = #"{"op":"demand","id":5,"graph":"g","nodes":["x"]}"#
        #expect(reader.ask(ask).first?.contains(#""code":"forbidden""#) == true)
        _ = reader.ask(#"{"op":"demand","id":6,"graph":"g","nodes":["*"]}"#)
        listen(client, 1, "x")
        bench.endTurn()
        #expect(reader.take().isEmpty, "a glob means what the client may set")
        let writer = bench.connect(access(.all))
        #expect(writer.ask(ask).first?.contains(#""wanted":true"#) == true)
        writer.session.change(to: access([.read, .pipe]))
        #expect(writer.take().contains(#"{"op":"end","id":5,"code":"forbidden","released":0}"#))
    }

    @Test("D-1: a definition without the node ends the demand for its name; globs continue")
    func redefinition() throws {
        _ = demand(#"["x"]"#)
        _ = demand(#"["*"]"#, id: 6)
        listen(client, 1, "y")
        _ = told()
        let next = #"{"graph":"g","nodes":{"y":{"set":"number"},"n":{"set":"any","initial":1}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(next))
        listen(client, 2, "n")
        let messages = told()
        #expect(messages.contains(#"{"op":"end","id":5,"code":"node_removed","released":0}"#), "\(messages)")
        #expect(messages.contains { $0.contains(#""n":{"wanted":true}"#) })
        #expect(!messages.contains { $0.contains(#""y""#) }, "its listener has stayed")
        _ = bench.host.remove(graph)
        #expect(told().contains(#"{"op":"end","id":6,"code":"node_removed","released":0}"#))
    }

    @Test("D-1: a member that a new definition makes mutable is wanted by its listeners")
    func becomesMutable() throws {
        _ = demand(#"["*"]"#)
        try bench.set(graph, [("sensor.1.celsius", "20")])
        listen(client, 1, "sensor.1.hot")
        #expect(told().joined().contains(#""sensor.1.celsius":{"wanted":true}"#))
        let next = text.replacing(
            #"{"from": "sensor.{id}.celsius", "pipe": [{"map": "value > 30"}]}"#,
            with: #"{"set": "any"}"#
        )
        _ = bench.host.redefine(graph, as: try bench.definition(next))
        let messages = told().joined()
        #expect(messages.contains(#""sensor.1.hot":{"wanted":true}"#), "\(messages)")
        #expect(messages.contains(#""sensor.1.celsius":{"wanted":false}"#), "\(messages)")
    }

    @Test("D-1: what is wanted is what listeners reach, after any history", arguments: 1...20)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        _ = demand(#"["*"]"#)
        let names = ["x", "y", "sum", "chosen", "copy", "which", "mean", "sensor.1.hot", "sensor.2.celsius"]
        var clients: [Client] = []
        var believed: [String: Bool] = [:]
        for _ in 0..<300 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                if clients.count < 4 { clients.append(bench.connect()) }
                let client = clients.randomElement(using: &random)!
                let name = names.randomElement(using: &random)!
                let id = Int.random(in: 1...6, using: &random)
                let keep = Bool.random(using: &random) ? #","pipe":["distinct"],"keep":"1s""# : ""
                client.send(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(name)"\#(keep)}"#)
            case 4:
                let id = Int.random(in: 1...6, using: &random)
                clients.randomElement(using: &random)?.send(#"{"op":"unsub","id":\#(id)}"#)
            case 5:
                if let place = clients.indices.randomElement(using: &random) {
                    clients.remove(at: place).session.close(.reset)
                }
            case 6:
                try bench.set(
                    graph,
                    [("which", ["\"x\"", "\"y\"", "\"no\""].randomElement(using: &random)!)]
                )
            case 7:
                let number = Int.random(in: 1...3, using: &random)
                try bench.set(
                    graph,
                    [("sensor.\(number).celsius", "\(Int.random(in: 0...60, using: &random))")]
                )
            default: bench.leap(UInt64(Int.random(in: 0...1_500, using: &random)))
            }
            for message in told() {
                for (name, isWanted) in Self.entries(message) { believed[name] = isWanted }
            }
            let reached = reached()
            #expect(Set(believed.filter(\.value).keys) == reached, "seed \(seed)")
            if Set(believed.filter(\.value).keys) != reached { return }
        }
        for client in clients { client.session.close() }
        bench.leap(2_000)
        for message in told() { for (name, isWanted) in Self.entries(message) { believed[name] = isWanted } }
        #expect(believed.values.allSatisfy { !$0 } && graph.isWhole)
    }

    /// The mutable nodes above what clients listen to, found from below.
    private func reached() -> Set<String> {
        var open: [AnyNode] = []
        for session in bench.clients.sessions.all {
            for subscription in session.subscriptions { open += subscription.listenedNodes }
        }
        var seen: Set<UInt64> = []
        var names: Set<String> = []
        while let node = open.popLast() {
            guard seen.insert(node.id).inserted else { continue }
            if let named = graph.name(of: node), named.isMutable { names.insert(named.name) }
            open += node.upstreamNodes + node.followedNodes
        }
        return names
    }

    private static func entries(_ message: String) -> [(String, Bool)] {
        guard message.contains(#""op":"wanted""#), let list = message.split(separator: #""m":{"#).last else {
            return []
        }
        return list.split(separator: "},").compactMap { entry in
            guard let name = entry.split(separator: "\"").first else { return nil }
            return (String(name), entry.contains(#""wanted":true"#))
        }
    }
}
