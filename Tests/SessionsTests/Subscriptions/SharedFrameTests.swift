import Testing

@testable import Graphs
@testable import Sessions

/// Clients with equal subscriptions share the bytes of one message, and never those of another
/// moment or another client.
@Suite("Shared frames")
struct SharedFrameTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":0},"y":{"set":"any"}}}"#)
    }

    private func subscriber(_ node: String = "x") -> Client {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(node)"}"#)
        return client
    }

    @Test("If a client that breaks off changes a node, clients served earlier in the turn receive that too")
    func changedWhileTelling() throws {
        let first = subscriber()
        let second = subscriber()
        let breaking = subscriber()
        breaking.ask(#"{"op":"set","graph":"g","set":{"x":1},"presence":true}"#)
        bench.host.flush()
        for client in [first, second, breaking] { _ = client.take() }
        // Again by the same client, so that it still stands for its presence.
        breaking.send(#"{"op":"set","graph":"g","set":{"x":1},"presence":true}"#)
        breaking.sink.failsNext = true
        bench.host.flush()
        #expect(try bench.read(graph, "x") == "empty")
        for client in [first, second] {
            #expect(client.take().last?.contains(#"{"id":1,"empty":true"#) == true)
        }
    }

    @Test("A full socket in between does not spoil the message that the others share")
    func fullInBetween() throws {
        let first = subscriber()
        let full = bench.connect()
        full.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all"}"#)
        full.ask(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        let last = subscriber()
        try bench.submit(graph, [("x", "1")])
        full.send(#"{"op":"set","id":9,"graph":"g","set":{"x":2}}"#)
        full.sink.unsentBytes = 1 << 17
        bench.host.flush()
        let expected = [#"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"v":2,"n":2}]}"#]
        #expect(first.take() == expected)
        #expect(last.take() == expected)
        #expect(full.take().last == #"{"op":"ok","id":9,"epoch":"e1","rev":3}"#)
    }

    @Test("Equal ids on different nodes are different messages", arguments: ["latest", "all"])
    func otherNodes(mode: String) throws {
        let clients = ["x", "y", "x", "y"].map { node in
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(node)","mode":"\#(mode)"}"#)
            return client
        }
        try bench.set(graph, [("x", "1"), ("y", "2")])
        #expect(
            clients.map { $0.take().joined().contains(#"{"id":1,"v":1}"#) } == [true, false, true, false]
        )
        try bench.set(graph, [("x", "3"), ("y", "4")])
        #expect(
            clients.map { $0.take().joined().contains(#"{"id":1,"v":4}"#) } == [false, true, false, true]
        )
    }

    @Test("Different ids on one node are different messages", arguments: ["latest", "all"])
    func otherIDs(mode: String) throws {
        let clients = [1, 2, 1].map { id in
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"x","mode":"\#(mode)"}"#)
            return client
        }
        try bench.set(graph, [("x", "5")])
        #expect(clients.map { $0.take().joined().contains(#"{"id":1,"v":5}"#) } == [true, false, true])
    }

    @Test("A subscription made later in a turn has less folded, and its message says so")
    func lessFolded() throws {
        let early = subscriber()
        try bench.submit(graph, [("x", "1")])
        let late = bench.connect()
        late.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        try bench.submit(graph, [("x", "2")])
        bench.host.flush()
        #expect(early.take().last?.contains(#"[{"id":1,"v":2,"n":2}]"#) == true)
        #expect(late.take().last?.contains(#"[{"id":1,"v":2}]"#) == true)
    }

    @Test("Subscriptions to several nodes get messages of their own")
    func groups() throws {
        let clients = [#"["x"]"#, #"["y"]"#].map { nodes in
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":\#(nodes)}"#)
            return client
        }
        try bench.set(graph, [("x", "1"), ("y", "2")])
        #expect(clients[0].take().joined().contains(#""d":[{"id":1,"m":{"x":{"v":1}}}]"#))
        #expect(clients[1].take().joined().contains(#""d":[{"id":1,"m":{"y":{"v":2}}}]"#))
    }
}
