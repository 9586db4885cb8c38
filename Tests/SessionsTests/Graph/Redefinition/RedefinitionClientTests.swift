import ReactiveGraph
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A new definition for a running graph: what happens to listeners, and what they receive.
@Suite("Redefinition: clients")
struct RedefinitionClientTests {
    let bench = Bench()

    @Test("Removed: subscriptions to the node, to pipelines on it and to combinations with it end")
    func removed() throws {
        let graph = try bench.define(nodes: #""x":{"set":"any","initial":1},"y":{"set":"any","initial":2}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y","pipe":[{"map":"value + 1"}]}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","combine":{"a":"x","b":"y"}}"#)
        client.ask(#"{"op":"sub","id":4,"graph":"g","node":"x"}"#)
        weak let living = graph.node("y")?.living
        weak let named = graph.node("y")
        try bench.redefine(graph, #""x":{"set":"any","initial":1}"#)
        let ends = client.take()
        #expect(
            ends == [
                #"{"op":"end","id":1,"code":"node_removed","released":0}"#,
                #"{"op":"end","id":2,"code":"node_removed","released":1}"#,
                #"{"op":"end","id":3,"code":"node_removed","released":1}"#,
            ]
        )
        #expect(graph.node("y") == nil)
        #expect(living == nil && named == nil)
        #expect(graph.statistics.nodes == 1 && graph.statistics.listeners == 1)
        #expect(client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#).joined().contains("unknown_node"))
        try bench.set(graph, [("x", "7")])
        #expect(client.take().joined().contains(#""d":[{"id":4,"v":7}]"#))
    }

    @Test("F-1: a member that goes with a subscription that ends is not redefined")
    func membersOfEnded() throws {
        let graph = try bench.define(nodes: #""v.{id}":{"set":"any"},"w.{id}":{"from":"v.{id}"}"#)
        try bench.set(graph, [("v.1", "1")])
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","zip":["v.1","w.1"]}"#)
        #expect(graph.members.livingCount == 2)
        try bench.redefine(graph, #""w.{id}":{"set":"any"}"#)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"node_removed","released":2}"#])
        #expect(graph.members.livingCount == 0 && graph.isWhole)
        try bench.set(graph, [("w.1", "2")])
        #expect(graph.members.livingCount == 1 && graph.isWhole)
    }

    @Test("F-1: a derived node without a living one becomes a name that a family may fill")
    func becomesMember() throws {
        let graph = try bench.define(nodes: #""x":{"set":"any"},"w.1":{"from":"x"}"#)
        try bench.redefine(graph, #""w.{id}":{"set":"any"}"#)
        #expect(graph.members.livingCount == 0 && graph.isWhole)
        try bench.set(graph, [("w.1", "2")])
        #expect(graph.members.livingCount == 1 && graph.isWhole)
    }

    @Test("Globs: nodes added later join the subscription, removed ones are gone")
    func globs() throws {
        let graph = try bench.define(
            nodes:
                #""r.a":{"set":"any","initial":1},"r.b":{"set":"any","initial":2},"s":{"set":"any"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.*"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["r.a","s"]}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","nodes":["r.a"]}"#)
        try bench.redefine(
            graph,
            #""r.b":{"set":"any","initial":2},"r.c":{"set":"any","initial":3},"s":{"set":"any"}"#
        )
        #expect(
            client.take() == [
                #"{"op":"end","id":3,"code":"node_removed","released":0}"#,
                #"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"m":{"r.a":{"gone":true},"r.c":{"v":3}}},{"id":2,"m":{"r.a":{"gone":true}}}]}"#,
            ]
        )
        try bench.set(graph, [("r.c", "4")])
        #expect(client.take().joined().contains(#"{"id":1,"m":{"r.c":{"v":4}}}"#))
        try bench.redefine(graph, #""r.a":{"set":"any","initial":9},"s":{"set":"any"}"#)
        #expect(
            client.take().joined().contains(
                #"{"id":1,"m":{"r.b":{"gone":true},"r.c":{"gone":true},"r.a":{"v":9}}},{"id":2,"m":{"r.a":{"v":9}}}"#
            )
        )
        #expect(graph.isWhole)
    }

    @Test("Globs: nodes that go and come between two deliveries are sent once, as they are then")
    func goneAndBack() throws {
        let all = (0..<20).map { #""r.\#($0)":{"set":"any","initial":1}"# }.joined(separator: ",")
        let graph = try bench.define(nodes: all + #","s":{"set":"any"}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.*"]}"#)
        for nodes in [
            #""s":{"set":"any"}"#, #""r.1":{"set":"any","initial":7},"r.x":{"set":"any","initial":8}"#,
        ] {
            _ = bench.host.redefine(graph, as: try bench.definition(#"{"graph":"g","nodes":{\#(nodes)}}"#))
        }
        bench.host.flush()
        let told = client.take().joined()
        #expect(told.contains(#""r.1":{"v":7},"r.x":{"v":8}}"#))
        #expect(told.contains(#""r.0":{"gone":true},"r.2":{"gone":true}"#))
        #expect(!told.contains(#""r.1":{"gone""#))
        #expect(graph.isWhole)
    }

    @Test("Globs: many nodes join in time linear in their number")
    func manyJoin() throws {
        func join(_ count: Int) throws -> Double {
            var limits = SessionLimits.ample
            limits.matches = 10_000
            let bench = Bench(limits: limits)
            let graph = try bench.define(#"{"graph":"g","nodes":{"s":{"set":"any"}}}"#)
            let client = bench.connect()
            for id in 1...5 { client.ask(#"{"op":"sub","id":\#(id),"graph":"g","nodes":["r.*"]}"#) }
            let all = (0..<count).map { #","r.\#($0)":{"set":"any"}"# }.joined()
            let new = try bench.definition(#"{"graph":"g","nodes":{"s":{"set":"any"}\#(all)}}"#)
            let seconds = processorSeconds { _ = bench.host.redefine(graph, as: new) }
            bench.host.flush()
            #expect(client.take().joined().contains(#""r.\#(count - 1)":{"empty":true}"#))
            return seconds
        }
        let (few, many) = (try join(1_000), try join(8_000))
        #expect(many < 24 * few, "\(few) and \(many) s")
    }

    @Test("Globs: what another token lets a client read joins with the next definition, as do new nodes")
    func globsOfOtherRights() throws {
        let graph = try bench.define(nodes: #""a":{"set":"any","initial":1},"b":{"set":"any","initial":2}"#)
        func access(_ nodes: [String]) -> Access {
            Access(Principal(name: "ann", grants: [Principal.Grant(nodes: nodes, can: .customary)]))
        }
        let client = bench.connect(access(["a", "c"]))
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"]}"#)
        #expect(snap[0].contains(#""m":{"a":{"v":1}}"#))
        let three =
            #""a":{"set":"any","initial":1},"b":{"set":"any","initial":2},"c":{"set":"any","initial":3}"#
        try bench.redefine(graph, three)
        #expect(client.take().joined().contains(#""m":{"c":{"v":3}}"#))
        client.session.change(to: access(["*"]))
        try bench.redefine(graph, three + #","d":{"set":"any","initial":4}"#)
        #expect(client.take().joined().contains(#""m":{"b":{"v":2},"d":{"v":4}}"#))
        try bench.redefine(graph, three, #","access":[{"who":"ann","can":["read"]}]"#)
        #expect(client.take().joined().contains(#""m":{"d":{"gone":true}}"#))
        #expect(graph.isWhole)
    }

    @Test(
        "limits.matches: a glob that comes to match more nodes continues with those it has, and says how many are left out"
    )
    func growingGlobs() throws {
        var limits = SessionLimits.ample
        limits.matches = 2
        let bench = Bench(limits: limits)
        func nodes(_ names: [String]) -> String {
            let list = names.map { #""\#($0)":{"set":"any","initial":1}"# }
            return #"{"graph":"g","nodes":{\#(list.joined(separator: ","))}}"#
        }
        func redefine(_ names: [String]) throws -> [String] {
            _ = bench.host.redefine(graph, as: try bench.definition(nodes(names)))
            bench.host.flush()
            return client.take()
        }
        let graph = try bench.define(nodes(["a"]))
        let client = bench.connect()
        #expect(
            client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"]}"#)[0].contains(#""m":{"a":{"v":1}}}"#)
        )
        #expect(try redefine(["a", "b"]).joined().contains(#""d":[{"id":1,"m":{"b":{"v":1}}}]"#))
        #expect(try redefine(["a", "b", "c"]).joined().contains(#""d":[{"id":1,"m":{},"more":1}]"#))
        #expect(try redefine(["a", "b", "c", "d"]).joined().contains(#""d":[{"id":1,"m":{},"more":2}]"#))
        #expect(try redefine(["a", "b", "d", "c"]) == [], "as many as before")
        // What is there goes on, and where there is room again others take it, by name.
        try bench.set(graph, [("b", "7"), ("d", "8")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"m":{"b":{"v":7}}}]"#))
        #expect(
            try redefine(["b", "d", "c"]).joined().contains(#"{"a":{"gone":true},"c":{"v":1}},"more":1}"#)
        )
        #expect(
            try redefine(["b", "d"]).joined().contains(#"{"c":{"gone":true},"d":{"v":8}},"more":0}"#)
        )
        // A new subscription that would mean more leaves out as many.
        _ = try redefine(["b", "c", "d"])
        let fresh = client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["*"]}"#)[0]
        #expect(fresh.hasSuffix(#"},"more":1}"#), "\(fresh)")
        #expect(graph.isWhole)
    }

    @Test("The sides of an if follow their node")
    func sides() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"number","initial":1},"i":{"if":{"from":"x","when":"value > 5","then":"big","else":"small"}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"big"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"small"}"#)
        try bench.redefine(
            graph,
            #""x":{"set":"number","initial":1},"i":{"if":{"from":"x","when":"value > 0","then":"big","else":"little"}}"#
        )
        let news = client.take()
        #expect(news.contains(#"{"op":"end","id":2,"code":"node_removed","released":0}"#))
        #expect(news.joined().contains(#"{"id":1,"v":1}"#), "\(news)")
        #expect(graph.node("little") != nil && graph.node("small") == nil)
        #expect(graph.isWhole)
    }

    @Test("Observers receive rebuilt nodes, removed nodes, and names that do not live at the moment")
    func observers() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"y":{"set":"any"},"a":{"from":"x","pipe":[{"map":"value * 2"},"distinct"]},"lazy":{"from":"x"}"#
        )
        let watcher = bench.connect()
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#)
        let number = try #require(graph.node("a")?.living?.id)
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value * 3"},"distinct"]},"idle":{"from":"x"}"#
        )
        bench.pass(100)
        let news = watcher.take()
        #expect(news.count == 1)
        let message = news.joined()
        #expect(message.contains(#""reason":"redefined""#), "\(message)")
        #expect(message.contains(#""reason":"removed""#))
        #expect(message.contains(#"{"name":"lazy","reason":"removed"}"#))
        #expect(message.contains(#"{"kind":"derived","name":"idle","exists":false,"#))
        #expect(
            message.contains(#"{"n":\#(number),"kind":"derived","name":"a""#),
            "it lives on under its number"
        )
        _ = graph
    }

    @Test("Another access section: what may not be seen any more ends")
    func access() throws {
        let x = #""x":{"set":"any","initial":1}"#
        let graph = try bench.define(nodes: x, #","access":[{"who":"ann","can":["read"]}]"#)
        let ann = Principal(name: "ann", grants: [Principal.Grant(can: .all)])
        let client = bench.connect(Access(ann))
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        try bench.redefine(graph, x, #","access":[{"who":"bob","can":["read"]}]"#)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"forbidden","released":0}"#])
    }
}
