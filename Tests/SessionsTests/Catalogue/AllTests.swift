@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing
import Values

/// `all`: one value of all nodes that a glob means (F-5).
@Suite("all: the nodes of a glob")
struct AllTests {
    let bench = Bench()

    private static let words = [
        "sum", "avg", "min", "max", "count", "any", "all", "list", "object",
    ]

    @Test("F-5: what each word makes of numbers and truths, and of no members")
    func words() throws {
        let all = Self.words.map { #""\#($0)":{"all":"n.*","reduce":"\#($0)"}"# }.joined(separator: ",")
        let graph = try bench.define(nodes: #""n.b":{"set":"any"},"n.a":{"set":"any"},\#(all)"#)
        func read() throws -> [String] { try Self.words.map { try bench.read(graph, $0) } }
        #expect(try read() == ["0", "empty", "empty", "empty", "0", "false", "true", "[]", "{}"])
        try bench.set(graph, [("n.b", "0.1")])
        try bench.set(graph, [("n.a", "0.2")])
        let wrong = "fail:expr_type"
        #expect(
            try read() == [
                "0.30000000000000004", "0.15000000000000002", "0.1", "0.2", "2", wrong, wrong, "[0.2,0.1]",
                #"{"a":0.2,"b":0.1}"#,
            ]
        )
        try bench.set(graph, [("n.a", "true"), ("n.b", "false")])
        #expect(
            try read() == [
                wrong, wrong, wrong, wrong, "2", "true", "false", "[true,false]", #"{"a":true,"b":false}"#,
            ]
        )
        try bench.submit(graph, [], clear: ["n.b"])
        #expect(try bench.read(graph, "object") == #"{"a":true}"#)
    }

    @Test(
        "F-5: a member that failed, or of the wrong type, makes the result fail and is named: the first by name"
    )
    func failures() throws {
        let graph = try bench.define(
            nodes: #"""
                "n.c":{"set":"any"},"n.b":{"from":"x","pipe":[{"map":"1 / value"}]},"x":{"set":"any"},
                "sum":{"all":"n.*","reduce":"sum","map":"value + 1"},"count":{"all":"n.*","reduce":"count"},
                "list":{"all":"n.*","reduce":"list","retain":"always"}
                """#
        )
        func fail(_ name: String) throws -> Fail? {
            guard case .fail(let datum) = graph.read(try #require(graph.node(name))).held else { return nil }
            return datum.fail
        }
        try bench.set(graph, [("n.c", #""?""#)])
        #expect(try fail("sum")?.message == "sum needs numbers; n.c is a string")
        #expect(try fail("sum")?.at == "sum")
        #expect(try bench.read(graph, "count") == "1")
        try bench.set(graph, [("x", #""?""#)])
        #expect(try fail("sum")?.message.hasPrefix("n.b: ") == true)
        #expect(try fail("count")?.at.hasPrefix("n.b/0") == true)
        #expect(try fail("list")?.message.hasPrefix("n.b: ") == true)
        try bench.set(graph, [("x", "2"), ("n.c", "1")])
        #expect(try ["sum", "count", "list"].map { try bench.read(graph, $0) } == ["2.5", "2", "[0.5,1]"])
    }

    @Test(
        "F-5: a pipeline says the same as a node of the definition, commit by commit, and goes with its client"
    )
    func pipelines() throws {
        for (word, extra) in [("sum", ""), ("object", ""), ("list", #","map":"size(value)""#), ("max", "")] {
            let bench = Bench()
            let source = #""all":"s.*","reduce":"\#(word)"\#(extra)"#
            let graph = try bench.define(
                #"{"graph":"g","nodes":{"s.{id}":{"set":"any"},"s.x":{"set":"any"},"out":{\#(source)}}}"#
            )
            let client = bench.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
            client.ask(#"{"op":"sub","id":2,"graph":"g",\#(source),"mode":"all"}"#)
            for values in [["s.b": "1"], ["s.a": "2", "s.b": "3"], ["s.x": "1", "s.c": "9"], ["s.a": "4"]] {
                try bench.set(graph, values.map { ($0.key, $0.value) })
                let told = Told(client.take())
                #expect(told[1].count == 1, "\(word): \(values)")
                #expect(told[1] == told[2], "\(word): \(values)")
            }
            var drop = Commit(graph: graph)
            drop.kind = .drop
            drop.clear = [try #require(graph.existing("s.a")), try #require(graph.existing("s.c"))]
            _ = bench.host.submit(drop)
            bench.endTurn()
            let told = Told(client.take())
            #expect(told[1].count == 1 && told[1] == told[2], "\(word): drop")
            #expect(
                try bench.read(graph, "out")
                    == ["sum": "4", "object": #"{"b":3,"x":1}"#, "list": "2", "max": "3"][word]
            )
            client.session.close()
            bench.endTurn()
            #expect(graph.isWhole && graph.members.watchers.count == 1)
            try bench.set(graph, [("s.d", "1")])
        }
    }

    @Test(
        "F-3, F-5: derived members come with the values they are made from; the key is what stands for the `*`"
    )
    func derivedMembers() throws {
        let graph = try bench.define(
            nodes: #"""
                "sensor.{id}.celsius":{"set":"number"},
                "sensor.{id}.hot":{"from":"sensor.{id}.celsius","pipe":[{"map":"value > 30"},"distinct"]},
                "hot":{"all":"sensor.*.hot","reduce":"object","map":"size(value)"},
                "which":{"all":"sensor.*.hot","reduce":"object"},"any":{"all":"sensor.*.hot","reduce":"any"},
                "both":{"combine":{"any":"any","which":"which"},"retain":"always"}
                """#
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"which","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"both","mode":"all"}"#)
        try bench.set(graph, [("sensor.hall.celsius", "20"), ("sensor.attic.celsius", "35")])
        let told = Told(client.take())
        #expect(told[1] == [#"{"attic":true,"hall":false}"#])
        #expect(told[2] == [#"{"any":true,"which":{"attic":true,"hall":false}}"#])
        #expect(try bench.read(graph, "hot") == "2")
        try bench.set(graph, [("sensor.attic.celsius", "36")])
        #expect(client.take() == [], "distinct: nothing has changed")
    }

    @Test("F-5: what a member's change costs does not grow with their number; a thousand are one value")
    func many() throws {
        let graph = try bench.define(
            nodes: #""s.{id}":{"set":"number"},"avg":{"all":"s.*","reduce":"avg","retain":"always"}"#
        )
        for number in 0..<1_000 { try bench.submit(graph, [("s.\(number)", "\(number)")]) }
        #expect(try bench.read(graph, "avg") == "499.5")
        let work = bench.host.work
        try bench.submit(graph, [("s.7", "1007")])
        #expect(bench.host.work - work < 10)
        #expect(try bench.read(graph, "avg") == "500.5")
        let picture = String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self)
        #expect(picture.contains(#""all":{"glob":"s.*","members":1000}"#))
        #expect(picture.contains(#""edges":[]"#))
    }

    @Test("the last change is that of a member, also of one that has left, whether or not the node lives")
    func lastChange() throws {
        let graph = try bench.define(
            nodes:
                #""s.{id}":{"set":"number"},"sum":{"all":"s.*","reduce":"sum"},"twice":{"from":"sum","pipe":[{"map":"value * 2"}]}"#
        )
        func changes() throws -> [UInt64] {
            try ["sum", "twice"].map { graph.read(try #require(graph.node($0))).changed }
        }
        #expect(try changes() == [1, 1])
        for isLiving in [false, true] {
            let client = bench.connect()
            if isLiving { client.ask(#"{"op":"sub","id":1,"graph":"g","node":"twice"}"#) }
            try bench.set(graph, [("s.a", "1"), ("s.b", "1")])
            #expect(try changes() == [graph.rev, graph.rev])
            try bench.set(graph, [("s.a", "2")])
            #expect(try changes() == [graph.rev, graph.rev])
            var drop = Commit(graph: graph)
            drop.kind = .drop
            drop.clear = [try #require(graph.existing("s.b"))]
            _ = bench.host.submit(drop)
            bench.endTurn()
            #expect(try changes() == [graph.rev, graph.rev])
            #expect(try bench.read(graph, "twice") == "4")
            client.session.close()
            bench.endTurn()
        }
    }

    @Test("a definition that brings or takes members: one frame, and none where the value is the same")
    func redefinition() throws {
        func nodes(_ names: [String]) -> String {
            names.map { #""\#($0)":{"set":"number","initial":1},"# }.joined()
                + #""sum":{"all":"n.*","reduce":"sum"},"next":{"combine":["sum","x"]},"x":{"set":"any","initial":0}"#
        }
        let graph = try bench.define(nodes: nodes(["n.a", "n.b"]))
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"next","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","all":"n.*","reduce":"sum","mode":"all"}"#)
        for (names, expected) in [
            (["n.a", "n.b", "n.c"], "3"), (["n.c", "n.a"], "2"), (["n.d"], "1"), (["n.d", "m"], ""),
        ] {
            let definition = try bench.definition(#"{"graph":"g","nodes":{\#(nodes(names))}}"#)
            if case .refused(let error) = bench.host.redefine(graph, as: definition) { throw error }
            bench.endTurn()
            let told = Told(client.take())
            #expect(told[1] == (expected.isEmpty ? [] : ["[\(expected),0]"]), "\(names)")
            #expect(told[2] == (expected.isEmpty ? [] : [expected]), "\(names)")
            #expect(graph.isWhole)
        }
        try bench.set(graph, [("n.d", "7")])
        #expect(Told(client.take())[1] == ["[7,0]"])
        #expect(try bench.read(graph, "sum") == "7")
    }

    @Test("G-164: a restored graph continues with the same members")
    func saving() throws {
        let graph = try bench.define(
            nodes: #"""
                "s.{id}":{"set":"any"},"s.x":{"set":"any"},"t.{id}":{"from":"s.{id}","pipe":["distinct"]},
                "sum":{"all":"s.*","reduce":"sum","retain":"always"},
                "list":{"all":"t.*","reduce":"list","retain":"always","pipe":[{"scan":{"start":0,"with":"acc + 1"}}]}
                """#
        )
        try bench.set(graph, [("s.c", "0.1"), ("s.x", "0.2")])
        try bench.set(graph, [("s.a", "0.7")])
        let (second, restored) = try bench.continued(graph, from: SavedGraph(graph: graph).save())
        for (bench, graph) in [(bench, graph), (second, restored)] {
            #expect(try bench.read(graph, "sum") == "1")
            try bench.set(graph, [("s.b", "1"), ("s.c", "2")])
            #expect(try bench.read(graph, "sum") == "3.9")
        }
        #expect(try second.read(restored, "list") == bench.read(graph, "list"))
        #expect(restored.isWhole)
    }

    @Test("a client's `all` means the nodes that it may read and build on; other rights end it")
    func rights() throws {
        let graph = try bench.define(
            nodes:
                #""n.a":{"set":"number","initial":1},"n.b":{"set":"number","initial":10},"n.{id}":{"set":"number"},"sum":{"all":"n.*","reduce":"sum"}"#,
            #","access":[{"who":"role:all","can":["read","pipe"]},{"who":"role:some","nodes":["n.a","n.x*","sum"],"can":["read","pipe"]},{"who":"role:look","can":["read"]}]"#
        )
        func principal(_ role: String) -> Access {
            Access(Principal(name: role, roles: [role], grants: [Principal.Grant()]))
        }
        let source = #""all":"n.*","reduce":"sum""#
        func sub(_ id: Int) -> String { #"{"op":"sub","id":\#(id),"graph":"g",\#(source)}"# }
        let (all, some) = (
            bench.connect(principal("all")), bench.connect(principal("some"))
        )
        #expect(all.ask(sub(1)).first?.contains(#""v":11"#) == true)
        #expect(some.ask(sub(1)).first?.contains(#""v":1,"#) == true)
        #expect(
            some.ask(#"{"op":"sub","id":2,"graph":"g","node":"sum"}"#).first?.contains(#""v":11"#) == true
        )
        let look = bench.connect(principal("look"))
        _ = look.ask(sub(1))
        try bench.set(graph, [("n.x1", "100"), ("n.y", "1000")])
        #expect(Told(all.take())[1] == ["1111"])
        #expect(Told(some.take())[1] == ["101"])
        #expect(Told(look.take())[1] == [])
        // The same rights by another token change nothing; fewer end it.
        some.session.change(to: principal("some"))
        bench.endTurn()
        #expect(some.take() == [])
        some.session.change(to: principal("all"))
        bench.endTurn()
        #expect(some.take().joined().contains(#""code":"forbidden""#))
    }

    @Test("members of a pipeline count as bytes that its principal holds")
    func held() throws {
        var limits = SessionLimits.ample
        limits.held = 100 * AllMembers.memberBytes
        let bench = Bench(limits: limits)
        let graph = try bench.define(#"{"graph":"g","nodes":{"s.{id}":{"set":"number"}}}"#)
        for number in 0..<50 { try bench.submit(graph, [("s.\(number)", "1")]) }
        let client = bench.connect()
        let snap = client.ask(#"{"op":"sub","id":1,"graph":"g","all":"s.*","reduce":"sum"}"#)
        #expect(snap.first?.contains(#""v":50"#) == true)
        for number in 50..<120 { try bench.set(graph, [("s.\(number)", "1")]) }
        bench.settle()
        #expect(client.take().joined().contains(#""code":"slow""#))
        #expect(
            client.ask(#"{"op":"sub","id":2,"graph":"g","all":"s.*","reduce":"sum"}"#).joined().contains(
                #""code":"pipe_limit""#
            )
        )
        client.session.close()
        #expect(graph.isWhole)
    }

    @Test(
        "F-5: what is wrong with an `all` is said where it stands",
        arguments: [
            (#""a":{"set":"any"},"s":{"all":"a","reduce":"sum"}"#, "takes a glob"),
            (#""a":{"set":"any"},"s":{"all":"a*"}"#, "all needs 'reduce'"),
            (#""a":{"set":"any"},"s":{"all":"a*","reduce":"mean"}"#, "reduce must be one of sum, avg"),
            (#""a":{"set":"any"},"s":{"all":["a"],"reduce":"sum"}"#, "all must be a glob"),
            (#""a":{"set":"any"},"s":{"all":"b*","reduce":"sum"}"#, "'b*' matches no node and no family"),
            (#""a":{"set":"any"},"s":{"all":"a b*","reduce":"sum"}"#, "matches no name of a node"),
            (#""a":{"set":"any"},"s":{"all":"*","reduce":"sum"}"#, "made from itself: s → s"),
            (
                #""ab":{"from":"s"},"aa":{"set":"any"},"s":{"all":"a*","reduce":"sum"}"#,
                "made from itself: ab → s → ab"
            ),
            (
                #""a.{i}":{"set":"any"},"b.{i}":{"from":"a.{i}","pipe":[]},"c":{"combine":["b.x"]},"s":{"all":"?.x.y","reduce":"sum"}"#,
                "matches no node"
            ),
            (#""a.{i}":{"set":"any"},"s.{i}":{"all":"a.*","reduce":"sum"}"#, "must name a family"),
            (#""a":{"set":"any"},"s":{"from":"a","reduce":"sum"}"#, "'reduce' is only allowed with 'all'"),
        ]
    )
    func problems(nodes: String, expected: String) throws {
        let (_, problems) = GraphDefinition.read(
            try Document.parse(json: #"{"graph":"g","nodes":{\#(nodes)}}"#),
            file: nil
        )
        #expect(problems.contains { $0.message.contains(expected) }, "\(problems)")
        #expect(problems.allSatisfy { $0.position != .start })
    }

    @Test(
        "which globs may mean a member of a family",
        arguments: [
            ("a.*.c", "a.{i}.c", true), ("a.*", "a.{i}.c", true), ("*", "a.{i}.c", true),
            ("a.?.c", "a.{i}.c", true),
            ("a.?", "a.{i}.c", false), ("b.*", "a.{i}.c", false), ("a.*.d", "a.{i}.c", false),
            ("a.x*y.c", "a.{i}.c", true),
            ("a.x.y.c", "a.{i}.c", false), ("a.c", "a.{i}.c", false), ("a..c", "a.{i}.c", false),
            ("a.v*.c", "a.v{i}.c", true),
            ("a.v.c", "a.v{i}.c", false), ("a.*.*", "a.{i}.{j}", true), ("a.b", "a.b", true),
            ("a.?", "a.b", true), ("a.?", "b.b", false),
        ]
    )
    func overlaps(glob: String, name: String, expected: Bool) {
        #expect(GlobOverlap.overlaps(glob, name) == expected)
    }

    @Test("what an object calls a node")
    func keys() {
        #expect(AllListing.key(of: "sensor.hall.celsius", matching: "sensor.*.celsius") == "hall")
        #expect(AllListing.key(of: "sensor.hall.celsius", matching: "*") == "sensor.hall.celsius")
        #expect(AllListing.key(of: "a.b.c", matching: "a.*.*") == "a.b.c")
        #expect(AllListing.key(of: "a.b.c", matching: "a.*.?") == "a.b.c")
    }
}
