import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Paths, and where values come from")
struct PathTests {
    let bench = Bench()

    private func entry(_ node: String) -> String { "\"e1/g/\(node)\"" }

    /// `"path":[…],"origin":…` of a set by a client without a name.
    private func path(_ nodes: String..., origin: String = "set") -> String {
        #""path":[\#(nodes.map(entry).joined(separator: ","))],"origin":"\#(origin)""#
    }

    private func sub(_ node: String, id: Int = 1, _ more: String = "") -> String {
        #"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)","path":true\#(more)}"#
    }

    /// The entries of the updates among the messages, as text.
    private func entries(_ messages: [String]) -> [String] {
        messages.compactMap { message in
            guard let start = message.firstRange(of: "\"d\":["), let end = message.lastIndex(of: "]") else {
                return nil
            }
            return String(message[start.upperBound..<end])
        }
    }

    private static let joined = """
        {"graph": "g", "nodes": {
          "a": {"set": "any", "initial": 1}, "b": {"set": "any", "initial": 2},
          "twice": {"from": "a", "pipe": [{"map": "value * 2"}]},
          "sum": {"combine": {"x": "twice", "y": "b"}, "map": "x + y"},
          "later": {"from": "sum", "pipe": [{"delay": "5ms"}]}
        }}
        """

    @Test("X-11: a delivery has the named nodes that the value passed, a join those of its last input")
    func joins() throws {
        let graph = try bench.define(Self.joined)
        let client = bench.connect()
        let snap = client.ask(sub("sum")).joined()
        // A first value goes out from its node.
        #expect(snap.contains(path("sum", origin: "initial")))
        try bench.set(graph, [("a", "3")])
        try bench.set(graph, [("b", "4")])
        try bench.set(graph, [("a", "5"), ("b", "6")])
        #expect(
            entries(client.take()) == [
                #"{"id":1,"v":8,\#(path("a", "twice", "sum"))}"#, #"{"id":1,"v":10,\#(path("b", "sum"))}"#,
                #"{"id":1,"v":16,\#(path("b", "sum"))}"#,
            ]
        )
    }

    @Test("X-11: what waits keeps its path; of folded values the newest counts")
    func waiting() throws {
        let graph = try bench.define(Self.joined)
        let client = bench.connect()
        client.ask(sub("later"))
        // The first value waits, too; it was kept back before a client asked for names.
        bench.pass(5)
        #expect(entries(client.take()) == [#"{"id":1,"v":4,\#(path("later", origin: "tick"))}"#])
        try bench.set(graph, [("a", "3")])
        bench.pass(5)
        #expect(
            entries(client.take())
                == [#"{"id":1,"v":8,\#(path("a", "twice", "sum", "later", origin: "tick"))}"#]
        )
        client.ask(sub("sum", id: 2))
        try bench.submit(graph, [("b", "7")])
        try bench.submit(graph, [("a", "4")])
        bench.endTurn()
        #expect(
            entries(client.take()) == [#"{"id":2,"v":15,\#(path("a", "twice", "sum")),"n":2}"#]
        )
    }

    @Test("X-11: a pipeline continues the path of its node, in either mode, with stages that wait")
    func pipelines() throws {
        let graph = try bench.define(Self.joined)
        let client = bench.connect()
        client.ask(sub("twice", #","pipe":[{"map":"value + 1"}],"mode":"all""#))
        client.ask(sub("twice", id: 2, #","pipe":[{"delay":"3ms"}]"#))
        bench.pass(3)
        _ = client.take()
        try bench.set(graph, [("a", "3")])
        #expect(entries(client.take()) == [#"{"id":1,"v":7,\#(path("a", "twice"))}"#])
        bench.pass(3)
        #expect(entries(client.take()) == [#"{"id":2,"v":6,\#(path("a", "twice", origin: "tick"))}"#])
    }

    @Test("X-11: several nodes have a path each")
    func groups() throws {
        let graph = try bench.define(Self.joined)
        let client = bench.connect()
        let both = [#""mode":"latest""#, #""mode":"all""#]
        for (id, mode) in both.enumerated() {
            client.ask(
                #"{"op":"sub","id":\#(id + 1),"graph":"g","nodes":["twice","b"],"path":true,\#(mode)}"#
            )
        }
        try bench.set(graph, [("a", "3"), ("b", "4")])
        let first = #""m":{"twice":{"v":6,\#(path("a", "twice"))},"b":{"v":4,\#(path("b"))}}"#
        let sent = entries(client.take()).joined()
        #expect(sent.contains(#"{"id":1,\#(first)}"#) && sent.contains(#"{"id":2,\#(first)}"#))
    }

    @Test("X-11: of a member that has gone nothing is left for another one")
    func gone() throws {
        let family = #""s.{id}":{"set":"any"}"#
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(family)}}"#)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["*"],"path":true}"#)
        for id in 0..<100 {
            for value in 1...2 { try bench.submit(graph, [("s.\(id)", "\(value)")]) }
            try bench.submit(graph, [], clear: ["s.\(id)"])
            bench.endTurn()
        }
        _ = client.take()
        let nodes = (0..<100).map { #""n\#($0)":{"set":"any","initial":1}"# }.joined(separator: ",")
        let next = try bench.definition(#"{"graph":"g","nodes":{\#(family),\#(nodes)}}"#)
        _ = bench.host.redefine(graph, as: next)
        bench.endTurn()
        let news = client.take().joined()
        #expect(news.contains(path("n99", origin: "initial")) && !news.contains("e1/g/s."))
    }

    @Test("X-11b: of a very long way the oldest derived nodes are left out, at a price for each node alone")
    func longWay() throws {
        func seconds(of count: Int) throws -> Double {
            let nodes = (1..<count).map { #""n\#($0)":{"from":"n\#($0 - 1)"}"# }.joined(separator: ",")
            let name = "g\(count)"
            let text = #"{"graph":"\#(name)","nodes":{"n0":{"set":"any"},\#(nodes)}}"#
            let graph = try bench.define(text)
            let client = bench.connect()
            let last = "n\(count - 1)"
            client.ask(#"{"op":"sub","id":1,"graph":"\#(name)","node":"\#(last)","path":true}"#)
            let seconds = try processorSeconds { for _ in 0..<4 { try bench.set(graph, [("n0", "1")]) } }
            let sent = client.take().last ?? ""
            let kept = ["n0"] + (count - 31..<count).map { "n\($0)" }
            #expect(sent.contains(kept.map { "\"e1/\(name)/\($0)\"" }.joined(separator: ",")))
            return seconds
        }
        let (short, long) = (try seconds(of: 250), try seconds(of: 2_000))
        // 64 times as much, if each node that is left out looks at all others.
        #expect(long < 24 * short, "\(short) s, \(long) s")
    }

    @Test("X-11: a resumed value has no path")
    func resumed() throws {
        let graph = try bench.define(
            #"{"graph": "g", "nodes": {"a": {"set": "any", "history": 5}}}"#
        )
        try bench.set(graph, [("a", "1")])
        try bench.set(graph, [("a", "2")])
        let client = bench.connect()
        let since = #","since":{"epoch":"e1","rev":2}"#
        let latest = client.ask(sub("a", since)).joined()
        #expect(latest.contains(#""resumed":true,"v":2"#) && !latest.contains("path"))
        let all = client.ask(sub("a", id: 2, since + #","mode":"all""#)).joined()
        #expect(all.contains(#""v":2,"origin":"set""#) && !all.contains("path"))
        let group = client.ask(
            #"{"op":"sub","id":3,"graph":"g","nodes":["a"],"path":true,"since":{"epoch":"e1","rev":2}}"#
        ).joined()
        #expect(group.contains(#""resumed":true"#) && group.contains(#""v":2"#) && !group.contains("path"))
    }

    private func set(_ fields: String) -> String { #"{"op":"set","id":9,"graph":"g",\#(fields)}"# }

    @Test("X-11a: a node on the path of a commit is skipped, the rest goes on with the path")
    func skipped() throws {
        try bench.define(Self.joined)
        let client = bench.connect()
        client.ask(sub("sum"))
        let path = #""path":["other/h/n","e1/g/a"]"#
        let messages = client.ask(set(#""set":{"a":7,"b":8},\#(path)"#))
        #expect(messages.contains(#"{"op":"ok","id":9,"epoch":"e1","rev":2,"skipped":["a"]}"#))
        #expect(
            entries(messages) == [
                #"{"id":1,"v":10,"path":["other/h/n","e1/g/a","e1/g/b","e1/g/sum"],"origin":"set"}"#
            ]
        )
        // Nothing is left: nothing is committed.
        #expect(
            client.ask(set(#""set":{"a":7},"clear":["b"],"path":["e1/g/b","e1/g/a"]"#))
                == [#"{"op":"ok","id":9,"skipped":["a","b"]}"#]
        )
        #expect(client.ask(set(#""set":{"a":7},"if":{"b":{"v":0}},\#(path)"#)).joined().contains("conflict"))
        // A node of that name in another graph or service is another node.
        let others = client.ask(set(#""set":{"a":7},"path":["e1/h/a","e2/g/a"]"#))
        #expect(others.joined().contains(#""rev":3}"#))
    }

    @Test("X-11a: links and syncs of the definition follow a commit with a path, and continue it")
    func ties() throws {
        try bench.define(
            """
            {"graph": "g", "nodes": {"a": {"set": "any"}, "b": {"set": "any"}, "c": {"set": "any"}},
             "links": [{"from": "a", "to": "b"}], "sync": [{"a": "b", "b": "c"}]}
            """
        )
        let client = bench.connect()
        client.ask(sub("c"))
        let messages = client.ask(set(#""set":{"a":7},"path":["e1/g/b","e1/g/c"]"#))
        #expect(
            entries(messages) == [
                #"{"id":1,"v":7,"path":["e1/g/b","e1/g/c","e1/g/a","e1/g/b","e1/g/c"],"origin":"link"}"#
            ]
        )
    }

    @Test("X-11b: a path has at most 32 entries and 2 KiB; what is delivered fits, too")
    func limits() throws {
        let chain = (1...40).map { #""n\#($0)": {"from": "\#($0 == 1 ? "a" : "n\($0 - 1)")"}"# }
        try bench.define(
            #"{"graph": "g", "nodes": {"a": {"set": "any"}, \#(chain.joined(separator: ", "))}}"#
        )
        let client = bench.connect()
        client.ask(sub("n40"))
        func path(_ count: Int, of bytes: Int = 1) -> String {
            let entry = #""s/g/\#(String(repeating: "x", count: bytes))""#
            return #""path":[\#(Array(repeating: entry, count: count).joined(separator: ","))]"#
        }
        for wrong in [path(33), path(16, of: 124), #""path":"a""#, #""path":["a/b"]"#, #""path":[1]"#] {
            let answer = client.ask(set(#""set":{"a":7},\#(wrong)"#)).joined()
            #expect(answer.contains("bad_field"), "\(wrong)")
        }
        let sent = try #require(entries(client.ask(set(#""set":{"a":7},\#(path(2))"#))).first)
        let passed = sent.split(separator: "\"").filter { $0.contains("/") }
        #expect(passed.count == 32 && passed.prefix(3) == ["s/g/x", "s/g/x", "e1/g/a"])
        #expect(passed[3] == "e1/g/n12" && passed.last == "e1/g/n40")
        let given = passed.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(client.ask(set(#""set":{"a":8},"path":[\#(given)]"#)).joined().contains(#""skipped":["a"]"#))
    }

    @Test("X-11c: what the reader may not read is opaque, and is known when it comes back")
    func opaque() throws {
        let graph = try bench.define(Self.joined)
        func access(_ grants: Principal.Grant...) -> Access { Access(Principal(name: "ann", grants: grants)) }
        let reader = Principal.Grant(nodes: ["sum"], can: .read)
        let ann = bench.connect(access(reader, Principal.Grant(nodes: ["a", "b"], can: .set)))
        let snap = ann.ask(sub("sum")).joined()
        #expect(snap.contains(path("sum", origin: "initial")))
        try bench.set(graph, [("a", "3")])
        let sent = try #require(entries(ann.take()).first)
        let seen = sent.split(separator: "\"").filter { $0.contains("/") || $0.hasPrefix("?") }
        #expect(seen.count == 3 && seen[0].hasPrefix("?") && seen[1].hasPrefix("?") && seen[2] == "e1/g/sum")
        let given = seen.map { "\"\($0)\"" }.joined(separator: ",")
        let answer = ann.ask(set(#""set":{"a":1,"b":1},"path":[\#(given)]"#)).joined()
        #expect(answer.contains(#""skipped":["a"]"#))
        // Another client gives a path with nodes that this one may not read.
        bench.connect().ask(set(#""set":{"b":2},"path":["e1/g/twice","x/y/z","e1/g/nowhere"]"#))
        let told = try #require(entries(ann.take()).last)
        #expect(!told.contains("twice") && !told.contains("nowhere") && told.contains("x/y/z"))
    }

    @Test("X-11a: a configured name of the service takes the place of the epoch")
    func named() throws {
        bench.host.service = "home"
        try bench.define(Self.joined)
        let client = bench.connect()
        #expect(client.ask(sub("a")).joined().contains(#""path":["home/g/a"]"#))
        let answer = client.ask(set(#""set":{"a":7,"b":8},"path":["e1/g/b","home/g/a"]"#)).joined()
        #expect(answer.contains(#""skipped":["a"]"#))
    }

    @Test("X-11d: nothing is kept of paths unless a subscription asks, and mod switches it")
    func cost() throws {
        let graph = try bench.define(Self.joined)
        let client = bench.connect()
        let plain = #"{"op":"sub","id":1,"graph":"g","node":"sum"}"#
        client.ask(plain)
        try bench.set(graph, [("a", "3")])
        #expect(graph.core.engine.route.keptIDs == 0 && !Provenance.isAsked(in: graph))
        client.ask(#"{"op":"mod","id":2,"sub":1,"path":true}"#)
        _ = client.take()
        try bench.set(graph, [("a", "4")])
        #expect(entries(client.take()) == [#"{"id":1,"v":10,\#(path("a", "twice", "sum"))}"#])
        #expect(graph.core.engine.route.keptIDs > 0 && Provenance.isAsked(in: graph))
        client.ask(#"{"op":"mod","id":2,"sub":1,"path":false}"#)
        _ = client.take()
        try bench.set(graph, [("a", "5")])
        #expect(entries(client.take()) == [#"{"id":1,"v":12}"#] && !Provenance.isAsked(in: graph))
        client.ask(sub("a", id: 5))
        #expect(Provenance.isAsked(in: graph))
        client.ask(#"{"op":"unsub","id":5}"#)
        #expect(!Provenance.isAsked(in: graph))
    }

    @Test("X-11a: a repeat under a key skips the same, and another path is another change")
    func repeated() throws {
        try bench.define(Self.joined)
        func ask(_ fields: String) -> String { bench.connect().ask(set(fields)).joined() }
        let fields = #""set":{"a":1,"b":2},"key":"k","path":["e1/g/a"]"#
        let first = ask(fields)
        #expect(first.contains(#""skipped":["a"]"#))
        #expect(ask(fields) == String(first.dropLast()) + #","replayed":true}"#)
        #expect(ask(#""set":{"b":2},"key":"k","path":["e1/h/a"]"#).contains("key_reused"))
    }
}
