import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A new definition for a graph that runs: what its nodes hold (docs/definitions.md,
/// Changing a graph that runs).
@Suite("Redefinition")
struct RedefinitionTests {
    let bench = Bench()

    @Test(
        "One node of three changes: its subscribers get one frame, the others none, the rev rises by one"
    )
    func oneNode() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value * 2"}]},"b":{"from":"x","pipe":[{"map":"value + 1"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"x"}"#)
        let living = try #require(graph.node("b")?.living)
        let applied = try bench.redefine(
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
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value * 2"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"a","pipe":[{"map":"value + 1"}]}"#)
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":2},"a":{"from":"x","pipe":[{"map":"value + value"}]}"#
        )
        #expect(client.take() == [])
        try bench.set(graph, [("x", "5")])
        #expect(client.take().joined().contains(#"{"id":1,"v":10},{"id":2,"v":11}"#))
    }

    @Test("The same definition, written otherwise, is no change: no commit")
    func nothing() throws {
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"number","min":1},"a":{"from":"x"}}}"#
        )
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

    @Test("What is unchanged keeps its state although what it is made from changes: a running sum continues")
    func state() throws {
        let sum = #""sum":{"from":"a","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        let graph = try bench.define(nodes: #""x":{"set":"any","initial":1},"a":{"from":"x"},\#(sum)"#)
        try bench.set(graph, [("x", "2")])
        #expect(try bench.read(graph, "sum") == "3")
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value * 10"}]},\#(sum)"#
        )
        #expect(try bench.read(graph, "sum") == "23")
        try bench.set(graph, [("x", "3")])
        #expect(try bench.read(graph, "sum") == "53")
    }

    @Test("A node whose operators change starts anew: only its new edges replay")
    func anew() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"sum":{"from":"x","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        )
        try bench.set(graph, [("x", "5")])
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"sum":{"from":"x","pipe":[{"scan":{"start":100,"with":"acc + value"}}]}"#
        )
        #expect(try bench.read(graph, "sum") == "105")
    }

    @Test("Two changed nodes and a third made from both: it emits once, with both new values")
    func once() throws {
        let sum = #""c":{"combine":{"p":"a","q":"b"},"map":"p + q","retain":"always"}"#
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"a":{"from":"x"},"b":{"from":"a","pipe":[{"map":"value"}]},\#(sum)"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all"}"#)
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value + 10"}]},"b":{"from":"a","pipe":[{"map":"value * 2"}]},\#(sum)"#
        )
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":33}]}"#])
    }

    @Test("Two nodes that change places: each is made from the other now")
    func turned() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"a":{"from":"x","pipe":[{"map":"value + 1"}]},"b":{"from":"a","pipe":[{"map":"value * 10"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"a":{"from":"b","pipe":[{"map":"value + 1"}]},"b":{"from":"x","pipe":[{"map":"value * 10"}]}"#
        )
        #expect(client.take().joined().contains(#"[{"id":2,"v":10},{"id":1,"v":11}]"#))
        #expect(graph.isWhole)
    }

    @Test(
        "A node inserted between two others: its downstream waits for its upstream, and emits once"
    )
    func newNodeBetween() throws {
        let graph = try bench.define(
            nodes:
                #""a":{"from":"x"},"x":{"set":"any","initial":1},"b":{"from":"x","pipe":[{"map":"value * 2"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"b"}"#)
        client.ask(#"{"op":"sub","id":3,"graph":"g","node":"a","mode":"all"}"#)
        try bench.redefine(
            graph,
            #""a":{"from":"m"},"x":{"set":"any","initial":1},"m":{"from":"l","pipe":[{"map":"value + 1"}]},"l":{"from":"b"},"b":{"from":"x","pipe":[{"map":"value * 3"}]}"#
        )
        let said = client.take().joined()
        #expect(said.contains(#"{"id":1,"v":4}"#) && said.contains(#"{"id":2,"v":3}"#))
        #expect(said.components(of: #"{"id":3,"#) == [#"{"id":3,"v":4}"#], "\(said)")
        #expect(graph.isWhole)
    }

    @Test(
        "A changed node downstream of an unchanged join of a changed node: it waits for the join, and emits once"
    )
    func changedBehindJoin() throws {
        let join =
            #""x":{"set":"any","initial":1},"j":{"combine":{"p":"a","q":"x"},"map":"p + q"}"#
        let graph = try bench.define(
            nodes: #"\#(join),"a":{"from":"x"},"b":{"from":"j","pipe":[{"map":"value * 2"}]}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"b","mode":"all"}"#)
        try bench.redefine(
            graph,
            #"\#(join),"a":{"from":"x","pipe":[{"map":"value * 10"}]},"b":{"from":"j","pipe":[{"map":"value * 3"}]}"#
        )
        #expect(client.take() == [#"{"op":"upd","graph":"g","rev":2,"t":5000000,"d":[{"id":1,"v":33}]}"#])
    }

    @Test("A changed node that is not needed is not built; it has the new value when it is read")
    func changedAndUnneeded() throws {
        func chain(_ more: Int) -> String {
            (1...50).reduce(#""n0":{"set":"any","initial":1}"#) { text, place in
                text + #","n\#(place)":{"from":"n\#(place - 1)","pipe":[{"map":"value + \#(more)"}]}"#
            }
        }
        let graph = try bench.define(nodes: chain(1))
        #expect(try bench.read(graph, "n50") == "51")
        let before = bench.host.work
        try bench.redefine(graph, chain(2))
        #expect(bench.host.work == before)
        #expect(try bench.read(graph, "n50") == "101")
    }

    @Test(
        "Unneeded nodes are visited once for a rebuilt node, however many paths lead upwards"
    )
    func diamondsBetween() throws {
        let graph = try bench.define(nodes: #""x":{"set":"any","initial":1},"a":{"from":"x"}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"a"}"#)
        // 2^40 ways: two from each of these to the one before.
        var nodes = #""x":{"set":"any","initial":1},"m0":{"from":"x"}"#
        for level in 1...40 {
            let before = level - 1
            nodes += #","l\#(level)":{"from":"m\#(before)"},"r\#(level)":{"from":"m\#(before)"}"#
            nodes += #","m\#(level)":{"combine":{"p":"l\#(level)","q":"r\#(level)"},"map":"p * q"}"#
        }
        try bench.redefine(graph, nodes + #","a":{"from":"m40","pipe":[{"map":"value + 1"}]}"#)
        #expect(client.take().joined().contains(#"{"id":1,"v":2}"#))
    }

    @Test("However deep what is before it stands, a node built anew waits for it, and emits once")
    func newNodeBehindDepth() throws {
        let deep =
            #""x":{"set":"any","initial":1},"c":{"from":"x","pipe":[{"map":"value + 1"}]},"d":{"from":"c","pipe":[{"map":"value + 1"}]}"#
        let graph = try bench.define(
            nodes: #"\#(deep),"b":{"from":"d","pipe":[{"map":"value * 2"}]},"a":{"from":"x"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"b"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"a","mode":"all"}"#)
        // m is not needed so far: a waits for the nodes upstream of it.
        try bench.redefine(
            graph,
            #"\#(deep),"b":{"from":"d","pipe":[{"map":"value * 3"}]},"m":{"from":"b"},"a":{"from":"m"}"#
        )
        let said = client.take().joined()
        #expect(said.components(of: #"{"id":2,"#) == [#"{"id":2,"v":9}"#], "\(said)")
        #expect(graph.isWhole)
    }

    @Test(
        "Checks that the value passes leave it alone; others put the initial value in its place, and say so"
    )
    func checks() throws {
        let graph = try bench.define(
            nodes:
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
        try bench.redefine(graph, next)
        #expect(client.take().joined().contains(#""d":[{"id":2,"v":1},{"id":3,"empty":true}]"#))
        #expect(try bench.read(graph, "x") == "7")
        #expect(graph.read(try #require(graph.node("x"))).changed == 2, "its value did not change")
        #expect(graph.read(try #require(graph.node("y"))).changed == 3)
        #expect(throws: HostError.self) { try bench.submit(graph, [("x", "11")]) }
    }

    @Test("A mutable node becomes derived and mutable again; its subscribers stay")
    func kinds() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1},"y":{"set":"any","initial":2},"z":{"from":"y"}"#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"z","pipe":[{"map":"value + 100"}]}"#)
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"y":{"from":"x","pipe":[{"map":"value * 7"}]},"z":{"from":"y"}"#
        )
        #expect(client.take().joined().contains(#"[{"id":1,"v":7},{"id":2,"v":107}]"#))
        #expect(throws: HostError.self) { try bench.submit(graph, [("y", "1")]) }
        try bench.set(graph, [("x", "2")])
        #expect(client.take().joined().contains(#"[{"id":1,"v":14},{"id":2,"v":114}]"#))
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1},"y":{"set":"any","initial":3},"z":{"set":"any"}"#
        )
        #expect(client.take().joined().contains(#"[{"id":1,"v":3},{"id":2,"empty":true}]"#))
        try bench.set(graph, [("y", "4"), ("z", "5")])
        #expect(client.take().joined().contains(#"[{"id":1,"v":4},{"id":2,"v":105}]"#))
        #expect(graph.isWhole)
        // And again, now that the nodes of these names are of the other kind.
        try bench.redefine(graph, #""x":{"set":"any","initial":1},"z":{"from":"x"},"y":{"from":"z"}"#)
        #expect(client.take().joined().contains(#"{"id":1,"v":2}"#))
        client.session.close()
        #expect(graph.isWhole)
        #expect(graph.statistics.nodes == 1)
    }

    @Test("ETag: of class none the definition's change counts, of an unchanged node it does not")
    func changeRevs() throws {
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":2},"a":{"from":"x"},"b":{"from":"x"},"c":{"from":"a"}"#
        )
        try bench.redefine(
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
        let graph = try bench.define(
            nodes:
                #""x":{"set":"any","initial":1,"history":10},"s":{"from":"x","pipe":["distinct"],"history":10}"#
        )
        for value in 2...6 { try bench.set(graph, [("x", "\(value)")]) }
        try bench.redefine(
            graph,
            #""x":{"set":"any","initial":1,"history":3},"s":{"from":"x","pipe":["distinct"],"history":20}"#
        )
        func history(_ name: String) throws -> String {
            let node = try #require(graph.node(name))
            return String(decoding: try HistoryAnswer(in: graph).json(of: node, limit: 100), as: UTF8.self)
        }
        #expect(try history("x").contains(#""d":[{"rev":4,"t":5000000,"v":4,"origin":"set"}"#))
        #expect(try history("s").contains(#""d":[{"rev":1,"t":5000000,"v":1,"origin":"initial"}"#))
        try bench.set(graph, [("x", "7")])
        #expect(try history("x").contains(#"{"rev":8,"t":5000000,"v":7,"origin":"set"}]"#))
        try bench.redefine(graph, #""x":{"set":"any","initial":1},"s":{"from":"x","pipe":["distinct"]}"#)
        #expect(try history("x").contains(#""d":[]"#))
        #expect(graph.isWhole)
    }

    @Test("Time to live: a new one counts from the last set, none lets the value stay")
    func ttl() throws {
        let graph = try bench.define(nodes: #""x":{"set":"any","ttl":100},"y":{"set":"any"}"#)
        try bench.set(graph, [("x", "1"), ("y", "1")])
        bench.pass(50)
        try bench.redefine(graph, #""x":{"set":"any"},"y":{"set":"any","ttl":80}"#)
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
        let graph = try bench.define(nodes: nodes)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s","mode":"all"}"#)
        try bench.redefine(graph, nodes, #","mode":"immediate""#)
        #expect(client.take() == [])
        try bench.set(graph, [("x", "2")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"v":3},{"id":1,"v":4}]"#))
        try bench.redefine(graph, nodes, #","mode":"settled""#)
        try bench.set(graph, [("x", "3")])
        #expect(client.take().joined().contains(#""d":[{"id":1,"v":6}]"#))
    }

    @Test("Links and syncs that stay say nothing; new ones deliver what is there, removed ones nothing more")
    func ties() throws {
        let nodes =
            #""x":{"set":"number","initial":1},"y":{"set":"number","initial":2},"f":{"from":"x"},"any":{"merge":["x","y"]}"#
        let link = #"{"from":"y","to":"any","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}"#
        let graph = try bench.define(nodes: nodes, #","links":[\#(link)]"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"any","mode":"all"}"#)
        let other = nodes.replacing(#""f":{"from":"x"}"#, with: #""f":{"from":"x","pipe":[{"map":"value"}]}"#)
        try bench.redefine(graph, other, #","links":[\#(link)]"#)
        #expect(client.take() == [], "a link that stays delivers nothing anew")
        try bench.set(graph, [("y", "5")])
        #expect(
            client.take().joined().contains(#""d":[{"id":1,"v":5},{"id":1,"v":7}]"#),
            "its stages keep their state"
        )
        try bench.redefine(graph, other, #","links":[\#(link)],"sync":[{"a":"x","b":"y"}]"#)
        #expect(try bench.read(graph, "x") == "5" && bench.read(graph, "y") == "5")
        try bench.set(graph, [("x", "8")])
        #expect(try bench.read(graph, "y") == "8")
        _ = client.take()
        try bench.redefine(graph, nodes)
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
        let graph = try bench.define(nodes: text, links)
        #expect(try bench.read(graph, "m") == "2")
        try bench.redefine(graph, text.replacing("value * 2", with: "value * 3"), links)
        #expect(try bench.read(graph, "m") == "3")
        try bench.set(graph, [("x", "5")])
        #expect(try bench.read(graph, "f") == "15")
        #expect(graph.ties.all.count == 2)
        _ = bench.host.remove(graph)
        #expect(graph.statistics.nodes == 0)
    }

    @Test("G-112: a deadline keeps its place among equal ones through a change of something else")
    func placeOfDeadline() throws {
        let x = #""x":{"set":"any","initial":1,"ttl":6}"#
        let d = #","d":{"from":"x","pipe":[{"delay":6}],"retain":"always"}"#
        let graph = try bench.define(nodes: x + d)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"d","mode":"all"}"#)
        try bench.redefine(graph, x.replacing("6}", with: #"6,"title":"X"}"#) + d)
        bench.clock.advance(by: 6)
        bench.host.advance()
        bench.host.flush()
        #expect(try bench.read(graph, "x") == "empty")
        #expect(client.take() == [], "x ends first, and with it what waits in d")
    }

    @Test("G-145: a link that stays delivers that its source became empty in the meantime")
    func linkOfEmptied() throws {
        let text =
            #""x":{"set":"number","initial":1},"f":{"from":"x","pipe":[{"skip":0}]},"m":{"merge":["x"]}"#
        let links = #","links":[{"from":"f","to":"m"}]"#
        let graph = try bench.define(nodes: text, links)
        #expect(try bench.read(graph, "m") == "1")
        try bench.redefine(graph, text.replacing("0}", with: "1}"), links)
        #expect(try bench.read(graph, "f") == "empty")
        #expect(try bench.read(graph, "m") == "empty")
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
