import Testing

@testable import Graphs
@testable import Sessions

private let house = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1}, "y": {"set": "number"}, "k": {"set": "string", "initial": "x"},
      "f": {"set": "number", "fresh": "100ms"},
      "sum": {"combine": ["x", "y"], "map": "value"}, "twice": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "chosen": {"flatten": {"from": "k", "to": {"x": "x", "y": "y"}}},
      "sign": {"if": {"from": "x", "when": "value < 0", "then": "minus", "else": "plus"}}
    }}
    """

@Suite("Clients that ask what is known besides values")
struct FacetSubscribingTests {
    let bench = Bench()
    let graph: LiveGraph
    let client: Client

    init() throws {
        graph = try bench.define(house)
        client = bench.connect()
    }

    /// Reports something, and takes what the client receives.
    @discardableResult
    private func load(_ node: String, _ what: String) -> [String] {
        client.ask(#"{"op":"load","id":99,"graph":"g","node":"\#(node)",\#(what)}"#)
    }

    private func state(_ node: String) throws -> String {
        String(decoding: try #require(graph.node(node)).facetsJSON, as: UTF8.self)
    }

    @Test("L-4 snap and upd have the state for clients that ask, without an unchanged value")
    func subscribing() throws {
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","facets":true}"#)
                == [#"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"v":1,"state":{"t":5000000}}"#]
        )
        let other = bench.connect()
        other.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        let answers = load("x", #""loading":true,"progress":0.25"#)
        #expect(
            answers.contains(
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"state":{"t":5000000,"loading":true,"progress":0.25}}]}"#
            )
        )
        try bench.set(graph, [("x", "2")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"v":2,"state":{"t":5000000}}]}"#
            ]
        )
        try bench.set(graph, [("x", "3")])
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":4,"t":5000000,"d":[{"id":1,"v":3}]}"#])
        #expect(
            other.take()
                == [3, 4].map {
                    #"{"op":"upd","graph":"g","rev":\#($0),"t":5000000,"d":[{"id":1,"v":\#($0 - 1)}]}"#
                }
        )
        // A report that says nothing new is a commit and no news.
        load("x", #""cancelled":true"#)
        #expect(load("x", #""cancelled":true"#).count == 1)
        #expect(client.ask(#"{"op":"mod","id":7,"sub":1,"facets":false}"#).joined().contains("facets:"))
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(!graph.facets.isWatched)
    }

    @Test("L-4 mode all: every change, in the frame of its commit")
    func modeAll() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","facets":true,"mode":"all"}"#)
        client.send(#"{"op":"load","graph":"g","node":"x","loading":true}"#)
        client.send(#"{"op":"load","graph":"g","node":"x","progress":0.5}"#)
        try bench.submit(graph, [("x", "2")])
        try bench.submit(graph, [("x", "3")])
        bench.endTurn()
        #expect(
            client.take().filter { $0.contains("upd") } == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"state":{"t":5000000,"loading":true}}]}"#,
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"state":{"t":5000000,"loading":true,"progress":0.5}}]}"#,
                #"{"op":"upd","graph":"g","rev":4,"t":5000000,"d":[{"id":1,"v":2,"state":{"t":5000000}}]}"#,
                #"{"op":"upd","graph":"g","rev":5,"t":5000000,"d":[{"id":1,"v":3}]}"#,
            ]
        )
        #expect(client.session.outbox.queue.bytes == 0)
        // Nothing is lost where the mode changes in between.
        client.send(#"{"op":"load","graph":"g","node":"x","loading":true}"#)
        client.send(#"{"op":"mod","id":5,"sub":1,"mode":"latest"}"#)
        bench.endTurn()
        client.send(#"{"op":"load","graph":"g","node":"x","cancelled":true}"#)
        client.send(#"{"op":"mod","id":6,"sub":1,"mode":"all"}"#)
        bench.endTurn()
        #expect(client.take().filter { $0.contains("state") }.count == 2)
        #expect(client.session.outbox.queue.bytes == 0)
    }

    @Test("L-4 several nodes: each member has its state, sent when it changes")
    func groups() throws {
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["x","y","tw*"],"facets":true}"#) == [
                #"{"op":"snap","id":1,"epoch":"e1","rev":1,"t":5000000,"m":{"x":{"v":1,"state":{"t":5000000}},"y":{"empty":true,"state":{}},"twice":{"v":2,"state":{}}}}"#
            ]
        )
        let all = bench.connect()
        all.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["x","twice"],"facets":true,"mode":"all"}"#)
        client.send(#"{"op":"load","graph":"g","node":"x","invalidate":true}"#)
        try bench.submit(graph, [("y", "5")])
        bench.endTurn()
        let stale = #""twice":{"state":{"stale":true}}"#
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"m":{"x":{"state":{"t":5000000,"stale":true}},\#(stale),"y":{"v":5}}}]}"#
            ]
        )
        #expect(
            all.take() == [
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"m":{\#(stale),"x":{"state":{"t":5000000,"stale":true}}}}]}"#
            ]
        )
        try bench.set(graph, [("x", "4")])
        let cleared = #"{"x":{"v":4,"state":{"t":5000000}},"twice":{"v":8,"state":{}}}"#
        let update = #"{"op":"upd","graph":"g","rev":4,"t":5000000,"d":[{"id":1,"m":\#(cleared)}]}"#
        #expect(client.take() == [update] && all.take() == [update])
        #expect(all.session.outbox.queue.bytes == 0)
        all.session.close()
        client.session.close()
        #expect(!graph.facets.isWatched)
    }

    @Test("L-4 derived nodes have what their present inputs have, the first error and the least progress")
    func derived() throws {
        load("y", #""error":{"code":"second"}"#)
        #expect(try state("sum") == #"{"error":{"code":"second","msg":"","at":5000000}}"#)
        load("x", #""error":{"code":"first"}"#)
        load("x", #""progress":0.75"#)
        #expect(try state("sum").contains("first"))
        #expect(try state("sum").contains(#""progress":0.75"#))
        load("y", #""progress":0.5"#)
        #expect(try state("sum").contains(#""loading":true,"progress":0.5"#))
        load("y", #""cancelled":true"#)
        load("y", #""loading":true"#)
        #expect(
            try state("sum").contains(#""loading":true,"error""#),
            "one of them does not say how far it is"
        )
        #expect(try state("twice").contains(#""progress":0.75"#))
    }

    @Test("L-4 of a flatten only the chosen node counts, and listeners are notified when another is chosen")
    func chosen() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"chosen","facets":true}"#)
        load("y", #""loading":true"#)
        #expect(try state("chosen") == "{}")
        #expect(client.take().isEmpty)
        // The node that is chosen is empty; it is loading.
        try bench.set(graph, [("k", #""y""#)])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":1,"empty":true,"state":{"loading":true}}]}"#
            ]
        )
        try bench.set(graph, [("k", #""x""#)])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":4,"t":5000000,"d":[{"id":1,"v":1,"state":{}}]}"#
            ]
        )
        load("k", #""invalidate":true"#)
        #expect(try state("chosen") == #"{"stale":true}"#, "the key counts as well")
    }

    @Test("L-4 of an if only the side of the present value counts; a client's case is no different")
    func sides() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["minus","plus"],"facets":true}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","case":{"of":"sign","key":true},"facets":true}"#)
        let update = load("x", #""loading":true"#).joined()
        #expect(update.contains(#""d":[{"id":1,"m":{"plus":{"state":{"loading":true}}}}]"#))
        #expect(try state("minus") == "{}")
        try bench.set(graph, [("x", "-1")])
        client.take().forEach { #expect($0.contains(#""minus":{"v":-1},"plus":{"state":{}}"#)) }
        load("x", #""loading":true"#)
        #expect(try state("plus") == "{}")
        #expect(try state("minus") == #"{"loading":true}"#)
    }

    @Test("L-4 pipelines and combines of clients have a state, too, and get and eval's neighbours say it")
    func pipelines() throws {
        let snap = client.ask(
            #"{"op":"sub","id":1,"graph":"g","combine":{"a":"x","b":"y"},"pipe":["distinct"],"facets":true}"#
        ).joined()
        #expect(snap.contains(#""empty":true,"state":{}"#))
        #expect(load("y", #""loading":true"#).joined().contains(#"{"id":1,"state":{"loading":true}}"#))
        #expect(
            client.ask(#"{"op":"get","id":3,"graph":"g","nodes":["x","twice","sum"],"facets":true}"#) == [
                #"{"op":"ok","id":3,"epoch":"e1","rev":2,"t":5000000,"m":{"x":{"v":1,"state":{"t":5000000}},"twice":{"v":2,"state":{}},"sum":{"empty":true,"state":{"loading":true}}}}"#
            ]
        )
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(!graph.facets.isWatched)
    }

    @Test("L-4 every holds states back as it does values, and resuming says the present state")
    func intervals() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","facets":true,"every":50}"#)
        load("x", #""loading":true"#)
        load("x", #""progress":0.1"#)
        #expect(load("x", #""progress":0.2"#).count == 1)
        bench.pass(49)
        #expect(client.take().isEmpty)
        bench.pass(1)
        #expect(
            client.take().joined().contains(
                #"[{"id":1,"state":{"t":5000000,"loading":true,"progress":0.2}}]"#
            )
        )
        let resumed = bench.connect().ask(
            #"{"op":"sub","id":1,"graph":"g","node":"x","facets":true,"since":{"epoch":"e1","rev":1}}"#
        )
        #expect(
            resumed.joined().contains(#""resumed":true,"state":{"t":5000000,"loading":true,"progress":0.2}}"#)
        )
        let group = bench.connect().ask(
            #"{"op":"sub","id":1,"graph":"g","nodes":["x","y"],"facets":true,"since":{"epoch":"e1","rev":1}}"#
        )
        #expect(group.joined().contains(#""m":{"x":{"state":{"t":5000000,"loading":true"#))
        let silent = bench.connect().ask(
            #"{"op":"sub","id":1,"graph":"g","node":"x","facets":true,"initial":false}"#
        )
        #expect(silent.joined().contains("state") == false)
    }

    @Test("L-4 a plain stream with facets sends objects")
    func bare() throws {
        let node = try #require(graph.node("x"))
        let stream = bench.connect(form: .node(node))
        try stream.session.stream(StreamOptions(hasFacets: true))
        bench.endTurn()
        #expect(stream.take() == [#"{"v":1,"state":{"t":5000000}}"#])
        load("x", #""loading":true"#)
        try bench.set(graph, [("x", "2")])
        try bench.set(graph, [("x", "3")])
        #expect(
            stream.take() == [
                #"{"state":{"t":5000000,"loading":true}}"#, #"{"v":2,"state":{"t":5000000}}"#, #"{"v":3}"#,
            ]
        )
        let all = bench.connect(form: .node(node))
        try all.session.stream(StreamOptions(isAll: true, hasFacets: true))
        load("x", #""loading":true"#)
        try bench.set(graph, [("x", "4")])
        #expect(
            all.take() == [
                #"{"v":3,"state":{"t":5000000}}"#, #"{"state":{"t":5000000,"loading":true}}"#,
                #"{"v":4,"state":{"t":5000000}}"#,
            ]
        )
    }

    @Test("L-4 members of families have facets as long as they live; globs say them")
    func members() throws {
        let graph = try bench.define(
            #"{"graph":"fleet","nodes":{"s.{id}":{"set":"number","fresh":"100ms"},"d.{id}":{"from":"s.{id}","pipe":[{"map":"value * 2"}]}}}"#
        )
        func load(_ node: String, _ what: String) -> String {
            client.ask(#"{"op":"load","id":98,"graph":"fleet","node":"\#(node)",\#(what)}"#).joined()
        }
        client.ask(#"{"op":"sub","id":1,"graph":"fleet","nodes":["*"],"facets":true}"#)
        #expect(
            load("s.1", #""loading":true"#).contains(#""op":"ok""#),
            "there is no such member, and none is made"
        )
        #expect(graph.members.livingCount == 0 && graph.facets.speaking == 0)
        try bench.set(graph, [("s.1", "5")])
        #expect(
            client.take().joined().contains(#""s.1":{"v":5,"state":{"t":5000000}},"d.1":{"v":10,"state":{}}"#)
        )
        #expect(load("s.1", #""loading":true"#).contains(#""d.1":{"state":{"loading":true}}"#))
        bench.pass(100)
        #expect(
            client.take().joined().contains(#""s.1":{"state":{"t":5000000,"loading":true,"stale":true}}"#)
        )
        #expect(
            client.ask(#"{"op":"drop","id":2,"graph":"fleet","node":"s.1"}"#).joined().contains(
                #""s.1":{"gone":true}"#
            )
        )
        #expect(graph.facets.speaking == 0 && graph.members.livingCount == 0)
        // An empty one that a client listens to has them while it lives.
        client.ask(#"{"op":"sub","id":3,"graph":"fleet","node":"s.2","facets":true}"#)
        #expect(load("s.2", #""loading":true"#).contains(#"{"id":3,"state":{"loading":true}}"#))
        client.ask(#"{"op":"unsub","id":3}"#)
        #expect(graph.facets.speaking == 0)
        try bench.set(graph, [("s.2", "1")])
        bench.pass(100)
        client.session.close()
        bench.endTurn()
        #expect(!graph.facets.isWatched)
    }
}
