@testable import Definitions
@testable import Graphs
@testable import Sessions
import Commits
import ReactiveGraph
import Support
import TestSupport
import Testing
import Values

@Suite("Saving and restoring a graph of a host")
struct SavingTests {
    @Test(
        "G-164: what is known of the last change of a value outlives a restore: rev, time, writer, remark, deadline"
    )
    func stamps() throws {
        let bench = Bench()
        let live = try bench.define(nodes: #""x":{"set":"any","ttl":50},"y":{"set":"any"},"z":{"from":"x"}"#)
        bench.pass(3)
        try bench.submit(live, [("x", "1")], context: #"{"why":"test"}"#, by: "ann")
        bench.pass(4)
        try bench.set(live, [("y", "2")])

        let (second, restored) = try bench.cut(live)
        let x = try #require(restored.node("x"))
        #expect(x.changed == LogStamp(rev: 2, time: 5_000_003))
        #expect(x.writer?.by == "ann")
        #expect(x.writer?.context?.text == #"{"why":"test"}"#)
        #expect(restored.read(try #require(restored.node("z"))).changed == 2)
        #expect(restored.rev == 3)
        second.pass(45)
        #expect(try second.read(restored, "x") == "1")
        second.pass(1)
        #expect(try second.read(restored, "x") == "empty")
        #expect(restored.rev == 4)
    }

    @Test("G-164: a restored history says the same, and knows since when it is complete")
    func histories() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: #""x":{"set":"any","history":2},"y":{"from":"x","pipe":[{"skip":1}],"history":3}"#
        )
        for value in ["1", "2"] { try bench.set(live, [("x", value)]) }
        try bench.submit(live, [], clear: ["x"])
        try bench.set(live, [("x", "3")])

        let (second, restored) = try bench.cut(live)
        for graph in [live, restored] {
            let x = try HistoryAnswer(in: graph).json(of: try #require(graph.node("x")), limit: 9)
            #expect(String(decoding: x, as: UTF8.self).contains(#""from":3,"rev":5,"d":[{"rev":4"#))
        }
        try bench.set(live, [("x", "4")])
        try second.set(restored, [("x", "4")])
        #expect(restored.seen == live.seen)
    }

    @Test("A history that begins with emptiness keeps it when it gets another size")
    func resizedHistory() throws {
        let bench = Bench()
        let live = try bench.define(nodes: #""x":{"set":"any","history":2}"#)
        try bench.set(live, [("x", "1")])
        try bench.submit(live, [], clear: ["x"])
        try bench.set(live, [("x", "2")])
        try bench.redefine(live, #""x":{"set":"any","history":3}"#)
        let ring = try #require(live.node("x")?.ring)
        #expect((0..<ring.count).map { ring[$0].stamp.rev } == [3, 4])
    }

    private static let sources = [
        #""from":"a""#, #""combine":["a","b"]"#, #""combine":{"x":"a","y":"b"},"map":"x + y""#,
        #""merge":["a","b"]"#, #""zip":["a","b"]"#, #""zip":["a","b"],"map":"value[0]""#,
        #""flatten":{"from":"a","to":{"1":"b"},"otherwise":"a"}"#, #""all":"a*","reduce":"sum""#,
        #""all":"a*","reduce":"sum","map":"value * 2""#, #""all":"s.*","reduce":"avg","map":"value * 2""#,
        #""all":"a*","reduce":"list""#, #""all":"a*","reduce":"list","map":"size(value)""#,
        #""schedule":"0 22 * * *""#, #""between":["22:00","06:00"]"#,
    ]

    @Test(
        "G-164: a kept node of any source is restored, also after its definition has changed",
        arguments: sources.indices
    )
    func kept(number: Int) throws {
        func nodes(_ source: String) -> String {
            #""a":{"set":"number","initial":1},"b":{"set":"number","initial":2},"s.{id}":{"set":"number"},"n":{"retain":"always",\#(source)}"#
        }
        let bench = Bench()
        let live = try bench.define(nodes: nodes(Self.sources[number]))
        for _ in 0..<2 {
            let (second, restored) = try bench.cut(live)
            for change in [("a", "\(live.rev)"), ("b", "4")] {
                try bench.set(live, [change])
                try second.set(restored, [change])
                #expect(restored.seen == live.seen)
            }
            #expect(restored.isWhole)
            // So is what 0.1.0 has saved, where it could be restored at all.
            let old = try SavedGraph(graph: live, format: SavedGraph.firstVersion).save()
            let (third, former) = try bench.continued(live, from: old)
            withExtendedLifetime(third) {
                #expect(former.seen(causes: false) == live.seen(causes: false))
                #expect(former.node("a")?.cause.origin == .restore)
            }
            try bench.redefine(live, nodes(Self.sources[(number + 1) % Self.sources.count]))
        }
    }

    @Test("G-164: what 0.1.0 saved is restored, though it took a node of an all with a map for a follower")
    func firstVersion() throws {
        let text = """
            BQJn5gF7ImdyYXBoIjoiZyIsIm5vZGVzIjp7InMue2lkfSI6eyJzZXQiOiJudW1iZXIifSwibiI6eyJhbGwiOiJz\
            LioiLCJyZWR1Y2UiOiJjb3VudCIsIm1hcCI6InZhbHVlICsgMSIsImhpc3RvcnkiOjMwfX19AALMx6Kiw2gAAAAC\
            AszHoqLDaAAABAICAAACAszHoqLDaAIKInYiOjEAAszHoqLDaAAABAIEAAIAAgoidiI6MAIAAgZNYXACAgACCiJ2\
            IjoxAA==
            """
        let saved = try #require(Base64.bytes(text.utf8, isCanonical: true))
        let bench = Bench()
        let graph = try bench.host.restorer.restore(saved, epochs: Epochs("e1"))
        #expect(try bench.read(graph, "n") == "1")
        try bench.set(graph, [("s.a", "5")])
        #expect(try bench.read(graph, "n") == "2")
    }

    @Test("G-164: only what the graph itself needs is restored")
    func lives() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: """
                "x":{"set":"any","initial":1},"used":{"from":"x","retain":"whileInUse","pipe":[{"map":"value + 1"}]},
                "kept":{"from":"x","retain":"untilPressure","pipe":[{"map":"value + 2"}]},
                "always":{"from":"x","retain":"always","pipe":[{"map":"value + 3"}]}
                """
        )
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"used"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"kept","pipe":[{"map":"value * 2"}]}"#)

        let (second, restored) = try bench.continued(live, from: SavedGraph(graph: live).save())
        #expect(restored.node("used")?.living == nil)
        #expect(restored.node("kept")?.living != nil)
        #expect(restored.node("always")?.living?.value?.text == "4")
        #expect(restored.statistics.nodes == 3)
        #expect(restored.statistics.listeners == 0)
        #expect(second.host.flushUnused() == 1)
        #expect(restored.node("kept")?.living == nil)
    }

    @Test("G-164: a kept node that memory took from the registry is not held again by a restore")
    func released() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: """
                "x":{"set":"any","initial":1},"kept":{"from":"x","retain":"untilPressure"},
                "sum":{"from":"kept","retain":"always","pipe":[{"scan":{"start":0,"with":"acc + value"}}]}
                """
        )
        bench.host.flushUnused()
        #expect(live.node("kept")?.isHeld == false)
        let (second, restored) = try bench.cut(live)
        // A graph does not hold its host.
        withExtendedLifetime(second) { #expect(restored.node("kept")?.isHeld == false) }
    }

    @Test("G-164: what is on its way when a graph is saved arrives when it would have")
    func timers() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: """
                "x":{"set":"any"},"late":{"from":"x","pipe":[{"delay":20}]},
                "calm":{"from":"x","pipe":[{"debounce":30}]},"rate":{"from":"x","pipe":[{"sample":12}]},
                "sum":{"from":"x","pipe":[{"window":{"last":25,"of":"sum"}}]}
                """,
            #","links":[{"from":"x","to":"late","pipe":[{"delay":7},{"map":"value * 10"}]}]"#
        )
        for value in 1...4 {
            try bench.set(live, [("x", "\(value)")])
            bench.pass(3)
        }
        let (second, restored) = try bench.cut(live)
        for _ in 0..<40 {
            for side in [bench, second] { side.pass(1) }
            #expect(restored.seen == live.seen)
        }
        #expect(try second.read(restored, "late") == "4")
        #expect(restored.nextTick == nil)
    }

    @Test("G-164: of what is due at one time, what was asked for before the restore comes first")
    func equalDeadlines() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: """
                "x":{"set":"any","ttl":20},"y":{"set":"any","ttl":10},
                "a":{"from":"x","pipe":[{"ifEmpty":"x"}]},"b":{"from":"y","pipe":[{"ifEmpty":"y"}]},
                "newest":{"merge":["a","b"]}
                """
        )
        for value in ["1", "2", "3"] { try bench.set(live, [("x", value)]) }
        bench.pass(10)
        let (second, restored) = try bench.cut(live)
        for (side, graph) in [(bench, live), (second, restored)] {
            try side.set(graph, [("y", "7")])
            side.pass(10)
            #expect(try side.read(graph, "newest") == #""y""#)
        }
        #expect(restored.seen == live.seen)
    }

    @Test(
        "G-164: messages before the next commit name the last one, its author and its remark"
    )
    func lastCommit() throws {
        let bench = Bench()
        let live = try bench.define(nodes: #""x":{"set":"any"}"#)
        try bench.submit(live, [("x", "1")], context: #"{"why":"test"}"#, by: "ann")
        let (second, restored) = try bench.cut(live)
        var heard: [[String]] = []
        for side in [bench, second] {
            let client = side.connect()
            client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","pipe":[{"delay":5}]}"#)
            side.pass(5)
            heard.append(client.take())
        }
        #expect(heard[1].last?.hasSuffix(#""ctx":{"why":"test"},"by":"ann"}"#) == true)
        #expect(heard[0] == heard[1])
        #expect(restored.rev == 2)
    }

    @Test("G-164: the failures of a link that has changed its number call it as before")
    func placesOfTies() throws {
        let bench = Bench()
        let nodes = #""x":{"set":"any"},"y":{"set":"any"},"z":{"set":"any"}"#
        let second = #"{"from":"x","to":"z","pipe":["delta"]}"#
        let live = try bench.define(nodes: nodes, #","links":[{"from":"x","to":"y"},\#(second)]"#)
        try bench.redefine(live, nodes, #","links":[\#(second)]"#)
        let (other, restored) = try bench.cut(live)
        for (side, graph) in [(bench, live), (other, restored)] { try side.set(graph, [("x", "true")]) }
        #expect(restored.seen == live.seen)
    }

    @Test("G-164: nodes that have outlived a change of their definition continue as they were")
    func followers() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: #""a":{"set":"any"},"b":{"set":"any"},"c":{"from":"a","retain":"always"}"#
        )
        try bench.set(live, [("a", "1"), ("b", "2")])
        try bench.redefine(
            live,
            #""a":{"set":"any"},"b":{"from":"a","retain":"always"},"c":{"merge":["a","b"],"retain":"always"}"#
        )
        try bench.redefine(
            live,
            #""a":{"set":"any"},"b":{"set":"any"},"c":{"zip":["a","b"],"retain":"always"}"#
        )
        try bench.set(live, [("a", "3")])
        let (second, restored) = try bench.cut(live)
        for value in ["4", "5"] {
            for (side, graph) in [(bench, live), (second, restored)] {
                try side.set(graph, [("b", value)])
            }
            #expect(restored.seen == live.seen)
        }
    }

    @Test(
        "G-164: a restored graph gets another definition as any graph does: by a commit, and only what differs is built anew"
    )
    func changedDefinition() throws {
        let bench = Bench()
        let counts = #""n":{"from":"x","pipe":[{"scan":{"start":0,"with":"acc + 1"}}]}"#
        let live = try bench.define(
            nodes: #""x":{"set":"any"},\#(counts),"y":{"from":"x","retain":"always"}"#
        )
        for value in ["1", "2", "3"] { try bench.set(live, [("x", value)]) }
        let (second, restored) = try bench.cut(live)
        try second.redefine(
            restored,
            #""x":{"set":"any"},\#(counts),"y":{"from":"x","retain":"always","pipe":[{"map":"value * 10"}]}"#
        )
        #expect(restored.rev == 5)
        #expect(try second.read(restored, "n") == "3")
        #expect(try second.read(restored, "y") == "30")
    }

    @Test("G-164: values and failures of every kind come back as they were")
    func values() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: """
                "x":{"set":"any"},"fails":{"from":"x","retain":"always","pipe":[{"map":"value.missing"}]},
                "deep":{"combine":["x"],"retain":"always"}
                """
        )
        let nested = String(repeating: "[", count: 64) + "-0.1e-7" + String(repeating: "]", count: 64)
        for value in [nested, #"{"ä\u0000\"":[null,true,1e300]}"#, #""""#, "null", "9007199254740993"] {
            try bench.set(live, [("x", value)])
            let (second, restored) = try bench.cut(live)
            defer { withExtendedLifetime(second) {} }
            let fail = try #require(restored.node("fails")?.living?.value?.fail)
            #expect(fail == live.node("fails")?.living?.value?.fail)
        }
    }

    // MARK: - Bytes that cannot be used

    @Test(
        "G-164: bytes of another version, of a graph that exists, or with a definition that is refused, are refused"
    )
    func refusals() throws {
        let bench = Bench()
        let live = try bench.define(
            nodes: #""x":{"set":"any"},"y":{"from":"x","pipe":[{"window":{"count":9,"of":"sum"}}]}"#
        )
        let saved = try SavedGraph(graph: live).save()
        func refusal(_ bytes: [UInt8], _ bench: Bench = Bench()) -> String? {
            do throws(StoreError) {
                _ = try bench.host.restorer.restore(bytes, epochs: Epochs("e1"))
                return nil
            } catch {
                return error.message
            }
        }
        var other = saved
        other[0] += 1
        #expect(refusal(other) == "a snapshot has format 8; this server reads formats 5 to 7")
        #expect(refusal([]) == "a snapshot is empty; this server reads formats 5 to 7")
        #expect(refusal(saved + [0]) == "a snapshot is damaged: malformed")
        #expect(refusal(saved, bench) == "graph g: a graph named g exists")
        var options = DefinitionOptions()
        options.windowValues = 5
        let strict = Bench(definitions: options)
        #expect(
            refusal(saved, strict)?.hasPrefix("the stored definition of graph g cannot be used: ") == true
        )
        #expect(strict.host.graphs.isEmpty)
    }

    @Test(
        "G-164: bytes that were cut off or changed are refused and leave nothing, or make a graph that runs"
    )
    func damage() throws {
        var refused = 0
        for seed in 0..<UInt64(Nightly.isOn ? 4_000 : 150) {
            var maker = Maker(seed)
            let shape = maker.shape()
            let bench = Bench()
            let live = try bench.define(shape.json)
            for _ in 0..<8 {
                let name = maker.pick(shape.nodes.filter(\.isSet)).name
                _ = try? bench.submit(live, [(name, maker.value().json)])
                bench.pass(UInt64(maker.dice.below(4)))
            }
            var saved = try SavedGraph(graph: live).save()
            let text = live.definition.text.utf8.count
            if maker.dice.below(3) == 0 {
                saved.removeLast(1 + maker.dice.below(saved.count - 1))
            } else {
                // The definition's text has tests of its own.
                for _ in 0...maker.dice.below(3) {
                    saved[text + 3 + maker.dice.below(saved.count - text - 3)] ^= 1 << maker.dice.below(8)
                }
            }
            let second = Bench()
            do {
                let restored = try second.host.restorer.restore(saved, epochs: Epochs("e1"))
                #expect(restored.isWhole, "seed \(seed)")
                second.pass(9)
                _ = second.host.remove(restored)
                #expect(restored.statistics.nodes == 0, "seed \(seed)")
            } catch {
                refused += 1
                #expect(second.host.graphs.isEmpty, "seed \(seed)")
                try second.define(shape.json)
            }
        }
        #expect(refused > 50)
    }
}
