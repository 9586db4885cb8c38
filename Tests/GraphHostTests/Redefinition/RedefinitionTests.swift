@testable import GraphHost
import ReactiveGraph
import TestSupport
import Testing

/// A new definition for a graph that runs (definitions.md §2).
@Suite("Redefinition")
struct RedefinitionTests {
    let bench = Bench()

    /// Gives the graph another definition, and ends the turn.
    @discardableResult
    private func redefine(_ graph: LiveGraph, _ nodes: String, _ more: String = "") throws -> Applied {
        let definition = try bench.definition(#"{"graph":"g"\#(more),"nodes":{\#(nodes)}}"#)
        let submission = bench.host.redefine(graph, as: definition)
        bench.host.flush()
        switch submission {
        case .applied(let applied): return applied
        case .refused(let error): throw error
        case .pending: throw HostError(.internalError, "pending")
        }
    }

    private func define(_ nodes: String, _ more: String = "") throws -> LiveGraph {
        try bench.define(#"{"graph":"g"\#(more),"nodes":{\#(nodes)}}"#)
    }

    @Test("One node of three changes: its subscribers get one frame, the others none, the rev goes on by one")
    func oneNode() throws {
        let graph = try define(
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value * 2"}]},"b":{"from":"x","pipe":[{"map":"value + 1"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"x"}"#)
        let living = try #require(graph.node("b")?.living)
        let applied = try redefine(
            graph,
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value * 3"}]},"b":{"from":"x","pipe":[{"map":"value + 1"}]}"#
        )
        #expect(applied.rev == 2)
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":6}]}"#])
        #expect(graph.node("b")?.living === living)
        try bench.set(graph, [("x", "5")])
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":3,"t":5000000,"d":[{"id":3,"v":5},{"id":2,"v":6},{"id":1,"v":15}]}"#
            ]
        )
    }

    @Test("A node that holds the same after the change says nothing, and neither does what follows it")
    func sameValue() throws {
        let graph = try define(
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value * 2"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"a","pipe":[{"map":"value + 1"}]}"#)
        try redefine(
            graph,
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value + value"}]}"#
        )
        #expect(client.take() == [])
        try bench.set(graph, [("x", "5")])
        #expect(client.take().joined().contains(#"{"id":1,"v":10},{"id":2,"v":11}"#))
    }

    @Test("The same definition, written otherwise, is no change: no commit")
    func nothing() throws {
        let graph = try define(#""x":{"set":"number","min":1},"a":{"from":"x"}"#)
        let same = try bench.definition(
            #"{"nodes":{"x":{"min":1,"set":"number"},"a":{"from":"x"}},"graph":"g"}"#
        )
        #expect(same.hash == graph.definition.hash)
        guard case .applied(let applied) = bench.host.redefine(graph, as: same) else {
            Issue.record("refused")
            return
        }
        #expect(applied.rev == 1)
        #expect(DefinitionChange(from: graph.definition, to: same).isEmpty)
    }

    @Test("What is unchanged keeps its state although what it is made from changes: a running sum goes on")
    func state() throws {
        let sum = #""sum":{"from":"a","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        let graph = try define(#""x":{"set":"any","initial":1},"a":{"from":"x"},\#(sum)"#)
        try bench.set(graph, [("x", "2")])
        #expect(try bench.read(graph, "sum") == "3")
        try redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value * 10"}]},\#(sum)"#
        )
        #expect(try bench.read(graph, "sum") == "23")
        try bench.set(graph, [("x", "3")])
        #expect(try bench.read(graph, "sum") == "53")
    }

    @Test("A node whose operators change starts anew: only its new edges replay")
    func anew() throws {
        let graph = try define(
            #""x":{"set":"any","initial":1},"sum":{"from":"x","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        )
        try bench.set(graph, [("x", "5")])
        try redefine(
            graph,
            #""x":{"set":"any","initial":1},"sum":{"from":"x","pipe":[{"scan":{"start":100,"with":"acc + value"}}]}"#
        )
        #expect(try bench.read(graph, "sum") == "105")
    }

    @Test("Two changed nodes and a third made from both: it emits once, with both new values")
    func once() throws {
        let sum = #""c":{"combine":{"p":"a","q":"b"},"map":"p + q","retain":"always"}"#
        let graph = try define(
            #""x":{"set":"any","initial":1},"a":{"from":"x"},"b":{"from":"a","pipe":[{"map":"value"}]},\#(sum)"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all"}"#)
        try redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value + 10"}]},"b":{"from":"a","pipe":[{"map":"value * 2"}]},\#(sum)"#
        )
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":33}]}"#])
    }

    @Test("Two nodes that change places: each is made from the other now")
    func turned() throws {
        let graph = try define(
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value + 1"}]},"b":{"from":"a","pipe":[{"map":"value * 10"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        try redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"b","pipe":[{"map":"value + 1"}]},"b":{"from":"x","pipe":[{"map":"value * 10"}]}"#
        )
        #expect(client.take().joined().contains(#"[{"id":2,"v":10},{"id":1,"v":11}]"#))
        #expect(graph.isWhole)
    }

    @Test("Removed: subscriptions to the node, to pipelines on it and to combinations with it end")
    func removed() throws {
        let graph = try define(#""x":{"set":"any","initial":1},"y":{"set":"any","initial":2}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y","pipe":[{"map":"value + 1"}]}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","combine":{"a":"x","b":"y"}}"#)
        client.ask(#"{"op":"sub","id":4,"graph":"g","node":"x"}"#)
        weak let living = graph.node("y")?.living
        weak let named = graph.node("y")
        try redefine(graph, #""x":{"set":"any","initial":1}"#)
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

    @Test(
        "A node that comes between two others: what is behind it waits for what is before it, and emits once"
    )
    func newNodeBetween() throws {
        let graph = try define(
            #""a":{"from":"x"},"x":{"set":"any","initial":1},"b":{"from":"x","pipe":[{"map":"value * 2"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"a","mode":"all"}"#)
        try redefine(
            graph,
            #""a":{"from":"m"},"x":{"set":"any","initial":1},"m":{"from":"l","pipe":[{"map":"value + 1"}]},"l":{"from":"b"},"b":{"from":"x","pipe":[{"map":"value * 3"}]}"#
        )
        let said = client.take().joined()
        #expect(said.contains(#"{"id":1,"v":4}"#) && said.contains(#"{"id":2,"v":3}"#))
        #expect(said.components(of: #"{"id":3,"#) == [#"{"id":3,"v":4}"#], "\(said)")
        #expect(graph.isWhole)
    }

    @Test("Globs: nodes added later join the subscription, removed ones are gone")
    func globs() throws {
        let graph = try define(
            #""r.a":{"set":"any","initial":1},"r.b":{"set":"any","initial":2},"s":{"set":"any"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["r.*"]}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["r.a","s"]}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","nodes":["r.a"]}"#)
        try redefine(
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
        try redefine(graph, #""r.a":{"set":"any","initial":9},"s":{"set":"any"}"#)
        #expect(
            client.take().joined().contains(
                #"{"id":1,"m":{"r.b":{"gone":true},"r.c":{"gone":true},"r.a":{"v":9}}},{"id":2,"m":{"r.a":{"v":9}}}"#
            )
        )
        #expect(graph.isWhole)
    }

    @Test(
        "limits.matches: a glob that comes to mean more nodes goes on with those it has, and says how many are left out"
    )
    func growingGlobs() throws {
        var limits = SessionLimits()
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
        // What is there goes on, and where there is room again others take it.
        try bench.set(graph, [("b", "7"), ("d", "8")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"m":{"b":{"v":7}}}]"#))
        #expect(
            try redefine(["b", "d", "c"]).joined().contains(#"{"a":{"gone":true},"d":{"v":8}},"more":1}"#)
        )
        #expect(try redefine(["b", "d"]).joined().contains(#""m":{},"more":0}"#))
        // A new subscription that would mean more is refused.
        _ = try redefine(["b", "c", "d"])
        #expect(client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["*"]}"#)[0].contains("sub_limit"))
        #expect(graph.isWhole)
    }

    @Test(
        "Checks that the value passes leave it alone; others put the initial value in its place, and say so"
    )
    func checks() throws {
        let graph = try define(
            #""x":{"set":"number","initial":5},"y":{"set":"number","initial":5},"z":{"set":"any","initial":5}"#
        )
        try bench.set(graph, [("x", "7"), ("y", "70"), ("z", "\"t\"")])
        let client = bench.connect()
        for (id, name) in ["x", "y", "z"].enumerated() {
            client.ask(#"{"op":"sub","id":\#(id + 1),"graph":"g","node":"\#(name)"}"#)
        }
        let next =
            #""x":{"set":"number","max":10,"initial":1},"y":{"set":"number","max":10,"initial":1},"z":{"set":"number"}"#
        let change = graph.change(to: try bench.definition(#"{"graph":"g","nodes":{\#(next)}}"#))
        #expect(change.reset == ["y", "z"] && change.changed == ["x", "y", "z"] && change.rebuilt == [])
        try redefine(graph, next)
        #expect(client.take().joined().contains(#""d":[{"id":2,"v":1},{"id":3,"empty":true}]"#))
        #expect(try bench.read(graph, "x") == "7")
        #expect(graph.read(try #require(graph.node("x"))).changed == 2, "its value did not change")
        #expect(graph.read(try #require(graph.node("y"))).changed == 3)
        #expect(throws: HostError.self) { try bench.submit(graph, [("x", "11")]) }
    }

    @Test("A mutable node becomes derived and mutable again; its subscribers stay")
    func kinds() throws {
        let graph = try define(
            #""x":{"set":"any","initial":1},"y":{"set":"any","initial":2},"z":{"from":"y"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"z","pipe":[{"map":"value + 100"}]}"#)
        try redefine(
            graph,
            #""x":{"set":"any","initial":1},"y":{"from":"x","pipe":[{"map":"value * 7"}]},"z":{"from":"y"}"#
        )
        #expect(client.take().joined().contains(#"[{"id":1,"v":7},{"id":2,"v":107}]"#))
        #expect(throws: HostError.self) { try bench.submit(graph, [("y", "1")]) }
        try bench.set(graph, [("x", "2")])
        #expect(client.take().joined().contains(#"[{"id":1,"v":14},{"id":2,"v":114}]"#))
        try redefine(graph, #""x":{"set":"any","initial":1},"y":{"set":"any","initial":3},"z":{"set":"any"}"#)
        #expect(client.take().joined().contains(#"[{"id":1,"v":3},{"id":2,"empty":true}]"#))
        try bench.set(graph, [("y", "4"), ("z", "5")])
        #expect(client.take().joined().contains(#"[{"id":1,"v":4},{"id":2,"v":105}]"#))
        #expect(graph.isWhole)
        // And once more, now that the nodes behind the names are of the other kind.
        try redefine(graph, #""x":{"set":"any","initial":1},"z":{"from":"x"},"y":{"from":"z"}"#)
        #expect(client.take().joined().contains(#"{"id":1,"v":2}"#))
        client.session.close()
        #expect(graph.isWhole)
        #expect(graph.statistics.nodes == 1)
    }

    @Test("ETag: of class none the definition's change counts, of an unchanged node it does not")
    func changeRevs() throws {
        let graph = try define(
            #""x":{"set":"any","initial":2},"a":{"from":"x"},"b":{"from":"x"},"c":{"from":"a"}"#
        )
        try redefine(
            graph,
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value"}]},"b":{"from":"x","title":"B"},"c":{"from":"a"}"#
        )
        func change(_ name: String) throws -> UInt64 { graph.read(try #require(graph.node(name))).changed }
        #expect(try change("x") == 1)
        #expect(try change("a") == 2)
        #expect(try change("b") == 1, "a title is no value")
        #expect(try change("c") == 2, "an ancestor's definition has changed")
        #expect(graph.node("b")?.definition.title == "B")
    }

    @Test("Histories stay, and keep as many emissions as the definition asks for now")
    func histories() throws {
        let graph = try define(
            #""x":{"set":"any","initial":1,"history":10},"s":{"from":"x","pipe":["distinct"],"history":10}"#
        )
        for value in 2...6 { try bench.set(graph, [("x", "\(value)")]) }
        try redefine(
            graph,
            #""x":{"set":"any","initial":1,"history":3},"s":{"from":"x","pipe":["distinct"],"history":20}"#
        )
        func history(_ name: String) throws -> String {
            let node = try #require(graph.node(name))
            return String(decoding: try graph.historyJSON(of: node, limit: 100), as: UTF8.self)
        }
        #expect(try history("x").contains(#""d":[{"rev":4,"t":5000000,"v":4}"#))
        #expect(try history("s").contains(#""d":[{"rev":1,"t":5000000,"v":1}"#))
        try bench.set(graph, [("x", "7")])
        #expect(try history("x").contains(#"{"rev":8,"t":5000000,"v":7}]"#))
        try redefine(graph, #""x":{"set":"any","initial":1},"s":{"from":"x","pipe":["distinct"]}"#)
        #expect(try history("x").contains(#""d":[]"#))
        #expect(graph.isWhole)
    }

    @Test("Time to live: a new one counts from the last set, none lets the value stay")
    func ttl() throws {
        let graph = try define(#""x":{"set":"any","ttl":100},"y":{"set":"any"}"#)
        try bench.set(graph, [("x", "1"), ("y", "1")])
        bench.pass(50)
        try redefine(graph, #""x":{"set":"any"},"y":{"set":"any","ttl":80}"#)
        bench.pass(29)
        #expect(try bench.read(graph, "y") == "1")
        bench.pass(2)
        #expect(try bench.read(graph, "y") == "empty")
        bench.pass(100)
        #expect(try bench.read(graph, "x") == "1")
    }

    @Test("Another mode: nothing is lost, and joins emit in the new way")
    func mode() throws {
        let nodes =
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value"}]},"s":{"combine":{"p":"x","q":"a"},"map":"p + q"}"#
        let graph = try define(nodes)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s","mode":"all"}"#)
        try redefine(graph, nodes, #","mode":"immediate""#)
        #expect(client.take() == [])
        try bench.set(graph, [("x", "2")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"v":3},{"id":1,"v":4}]"#))
        try redefine(graph, nodes, #","mode":"settled""#)
        try bench.set(graph, [("x", "3")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"v":6}]"#))
    }

    @Test("Links and syncs that stay say nothing; new ones deliver what is there, removed ones nothing more")
    func ties() throws {
        let nodes =
            #""x":{"set":"number","initial":1},"y":{"set":"number","initial":2},"f":{"from":"x"},"any":{"merge":["x","y"]}"#
        let link = #"{"from":"y","to":"any","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        let graph = try define(nodes, #","links":[\#(link)]"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"any","mode":"all"}"#)
        let other = nodes.replacing(#""f":{"from":"x"}"#, with: #""f":{"from":"x","pipe":[{"map":"value"}]}"#)
        try redefine(graph, other, #","links":[\#(link)]"#)
        #expect(client.take() == [], "a link that stays delivers nothing anew")
        try bench.set(graph, [("y", "5")])
        #expect(
            client.take().joined().contains(#""d":[{"id":1,"v":5},{"id":1,"v":7}]"#),
            "its stages keep their state"
        )
        try redefine(graph, other, #","links":[\#(link)],"sync":[{"a":"x","b":"y"}]"#)
        #expect(try bench.read(graph, "x") == "5" && bench.read(graph, "y") == "5")
        try bench.set(graph, [("x", "8")])
        #expect(try bench.read(graph, "y") == "8")
        _ = client.take()
        try redefine(graph, nodes)
        try bench.set(graph, [("x", "9")])
        #expect(try bench.read(graph, "y") == "8")
        #expect(client.take().joined().contains(#""d":[{"id":1,"v":9}]"#))
        #expect(graph.isWhole)
    }

    @Test("A link out of a node that is built anew delivers its new value; one into it comes back")
    func linksOfRebuilt() throws {
        let text =
            #""x":{"set":"number","initial":1},"f":{"from":"x","pipe":[{"map":"value * 2"}]},"m":{"merge":["x"]}"#
        let links = #","links":[{"from":"f","to":"m"},{"from":"m","to":"f","pipe":[{"filter":"false"}]}]"#
        let graph = try define(text, links)
        #expect(try bench.read(graph, "m") == "2")
        try redefine(graph, text.replacing("value * 2", with: "value * 3"), links)
        #expect(try bench.read(graph, "m") == "3")
        try bench.set(graph, [("x", "5")])
        #expect(try bench.read(graph, "f") == "15")
        #expect(graph.ties.count == 2)
        _ = bench.host.remove(graph)
        #expect(graph.statistics.nodes == 0)
    }

    @Test("The sides of an if follow their node")
    func sides() throws {
        let graph = try define(
            #""x":{"set":"number","initial":1},"i":{"if":{"from":"x","when":"value > 5","then":"big","else":"small"}}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"big"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"small"}"#)
        try redefine(
            graph,
            #""x":{"set":"number","initial":1},"i":{"if":{"from":"x","when":"value > 0","then":"big","else":"little"}}"#
        )
        let news = client.take()
        #expect(news.contains(#"{"op":"end","id":2,"code":"node_removed","released":0}"#))
        #expect(news.joined().contains(#"{"id":1,"v":1}"#), "\(news)")
        #expect(graph.node("little") != nil && graph.node("small") == nil)
        #expect(graph.isWhole)
    }

    @Test("Observers are told what was built anew, what is gone, and names that do not exist at the moment")
    func observers() throws {
        let graph = try define(
            #""x":{"set":"any","initial":1},"y":{"set":"any"},"a":{"from":"x","pipe":[{"map":"value * 2"},"distinct"]},"lazy":{"from":"x"}"#
        )
        let watcher = bench.connect()
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100}"#)
        let number = try #require(graph.node("a")?.living?.id)
        try redefine(
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
        let graph = try define(x, #","access":[{"who":"ann","can":["read"]}]"#)
        let ann = Principal(name: "ann", grants: [Principal.Grant(can: .all)])
        let client = bench.connect(SessionAccess(Access(ann)))
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        try redefine(graph, x, #","access":[{"who":"bob","can":["read"]}]"#)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"forbidden","released":0}"#])
    }

    @Test("If-Match on the definition: another hash is a conflict, and nothing happens")
    func conditional() throws {
        let graph = try define(#""x":{"set":"any"}"#)
        let next = try bench.definition(#"{"graph":"g","nodes":{"y":{"set":"any"}}}"#)
        guard case .refused(let error) = bench.host.redefine(graph, as: next, ifHash: "0") else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .conflict)
        #expect(graph.rev == 1 && graph.node("x") != nil)
        guard case .applied = bench.host.redefine(graph, as: next, ifHash: graph.definition.hash) else {
            Issue.record("refused")
            return
        }
        #expect(graph.node("y") != nil)
    }

    @Test("As many graphs as the limit says")
    func graphLimit() throws {
        var limits = SessionLimits()
        limits.graphs = 2
        let bench = Bench(limits: limits)
        try bench.define(#"{"graph":"a","nodes":{}}"#)
        let second = try bench.define(#"{"graph":"b","nodes":{}}"#)
        #expect {
            try bench.define(#"{"graph":"c","nodes":{}}"#)
        } throws: {
            ($0 as? HostError)?.code == .tooLarge
        }
        _ = bench.host.remove(second)
        try bench.define(#"{"graph":"c","nodes":{}}"#)
    }

    @Test("As many nodes as the limit says")
    func nodeLimit() throws {
        let document = try Document.parse(
            json: #"{"graph":"a","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#
        )
        var options = DefinitionOptions()
        options.mostNodes = 2
        let two = GraphDefinition.read(document, file: nil, options: options)
        #expect(two.problems.isEmpty)
        options.mostNodes = 1
        let one = GraphDefinition.read(document, file: nil, options: options)
        #expect(one.problems.map(\.message) == ["a graph has at most 1 nodes"])
        #expect(one.problems.map(\.code) == [.tooLarge])
    }

    @Test("The text of a definition gives an equal definition")
    func text() throws {
        let graph = try define(
            #""x":{"set":"number","initial":1e2,"title":"\"x\""},"f":{"flatten":{"from":"x","to":{"1":"x"}}}"#,
            #","title":"t","access":[{"who":"*","can":"read"}]"#
        )
        let again = try bench.definition(graph.definition.text)
        #expect(again.hash == graph.definition.hash)
        #expect(DefinitionChange(from: graph.definition, to: again).isEmpty)
    }

    @Test("A removed graph ends its subscriptions and leaves the others alone")
    func removedGraph() throws {
        let graph = try define(#""x":{"set":"any","initial":1},"a":{"from":"x","retain":"always"}"#)
        let other = try bench.define(#"{"graph":"h","nodes":{"x":{"set":"any","initial":1}}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"h","node":"x"}"#)
        _ = bench.host.remove(graph)
        #expect(client.take() == [#"{"op":"end","id":1,"code":"node_removed","released":0}"#])
        #expect(other.rev == 1)
        #expect(graph.statistics.nodes == 0)
        try bench.set(other, [("x", "2")])
        #expect(client.take().count == 1)
    }
}

/// Changes of the definition through a log that takes its time.
@Suite("Redefinition behind a slow log")
struct PendingRedefinitionTests {
    let log = DelayingLog()
    let bench: Bench

    init() {
        bench = Bench(log: log)
        log.isInstant = true
    }

    @Test("What comes behind a pending change is checked against the new definition")
    func order() throws {
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"}}}"#
        )
        log.isInstant = false
        let next = try bench.definition(#"{"graph":"g","nodes":{"x":{"set":"number","max":10,"initial":1}}}"#)
        guard case .pending = bench.host.redefine(graph, as: next) else {
            Issue.record("not pending")
            return
        }
        #expect(graph.node("y") != nil, "nobody sees what is not durable")
        let client = bench.connect()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"x":11}}"#)
        client.send(#"{"op":"set","id":2,"graph":"g","set":{"y":1}}"#)
        client.send(#"{"op":"set","id":3,"graph":"g","set":{"x":9}}"#)
        #expect(client.take() == [])
        guard case .refused(let error) = bench.host.redefine(graph, as: next) else {
            Issue.record("two changes at once")
            return
        }
        #expect(error.code == .conflict && error.retry)
        log.confirm(1)
        log.confirm()
        let answers = client.take()
        #expect(answers.count == 3)
        #expect(answers[0].contains("type_mismatch") && answers[1].contains("unknown_node"))
        #expect(answers[2].contains(#""ok""#))
        #expect(try bench.read(graph, "x") == "9")
        #expect(graph.rev == 3)
    }

    @Test("A change that the log refuses changes nothing, and what waited behind it goes on")
    func refused() throws {
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any","initial":1}}}"#)
        log.isInstant = false
        let next = try bench.definition(#"{"graph":"g","nodes":{"y":{"set":"any"}}}"#)
        _ = bench.host.redefine(graph, as: next)
        let client = bench.connect()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"x":5}}"#)
        log.lose(HostError(.engineDown, "gone"))
        log.confirm()
        #expect(client.take().joined().contains(#""op":"ok""#))
        #expect(graph.node("y") == nil)
        #expect(try bench.read(graph, "x") == "5")
    }
}

extension String {
    /// The entries of deliveries that begin so, each up to its closing brace.
    fileprivate func components(of beginning: String) -> [String] {
        split(separator: "{", omittingEmptySubsequences: true)
            .map { "{" + $0.prefix { $0 != "}" } + "}" }
            .filter { $0.hasPrefix(beginning) }
    }
}
