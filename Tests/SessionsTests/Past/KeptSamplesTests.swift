import CEL
import ReactiveGraph
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("The past of derived nodes, from the samples of what they are made from")
struct KeptSamplesTests {
    private static func body(
        _ graph: LiveGraph,
        _ name: String,
        since: UInt64? = nil,
        epoch: String? = nil,
        limit: Int = 1000
    ) throws -> String? {
        let node = try #require(graph.node(name))
        guard let samples = KeptSamples(of: node, since: since, epoch: epoch, limit: limit) else {
            return nil
        }
        let answer = samples.answer(limits: SessionLimits.ample, definitions: DefinitionOptions()) { true }
        guard case .body(let bytes) = answer else {
            Issue.record("\(answer)")
            return nil
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
            .replacing(#/,"origin":"(set|initial)"/#, with: "")
    }

    @Test("A derived node's past is computed from the rings, from where the last of its inputs is known")
    func computed() throws {
        let bench = Bench()
        let graph = try bench.define(
            """
            {"graph": "g", "nodes": {
              "t": {"set": "number", "history": 3}, "wanted": {"set": "number", "initial": 20},
              "gap": {"combine": {"t": "t", "w": "wanted"}, "map": "w - t"},
              "cold": {"from": "gap", "pipe": [{"map": "value > 1.0"}]}}}
            """
        )
        for value in [17, 18, 19, 21] {
            bench.pass(10)
            try bench.set(graph, [("t", "\(value)")])
        }
        #expect(
            try Self.body(graph, "gap")
                == #"{"epoch":"e1","from":2,"rev":5,"d":[{"rev":3,"t":5000020,"v":2},{"rev":4,"t":5000030,"v":1},{"rev":5,"t":5000040,"v":-1}]}"#
        )
        #expect(
            try Self.body(graph, "cold", since: 3)
                == #"{"epoch":"e1","from":3,"rev":5,"d":[{"rev":4,"t":5000030,"v":false},{"rev":5,"t":5000040,"v":false}]}"#
        )
        #expect(
            try Self.body(graph, "cold", since: 2, limit: 1)
                == #"{"epoch":"e1","from":2,"rev":5,"more":true,"d":[{"rev":3,"t":5000020,"v":true}]}"#
        )
        // The ring does not reach further back, and what is wanted is known since it was set only.
        #expect(try Self.body(graph, "gap", since: 1) == nil)
        try bench.set(graph, [("wanted", "22")])
        #expect(
            try Self.body(graph, "gap")
                == #"{"epoch":"e1","from":5,"rev":6,"d":[{"rev":6,"t":5000040,"v":1}]}"#
        )
        #expect(try Self.body(graph, "gap", since: 5, epoch: "other") == nil)
        #expect(try Self.body(graph, "gap", since: 7) == nil)
        #expect(try Self.body(graph, "t") == nil)
    }

    @Test(
        "What depends on earlier values, on time, on links or on names that come and go is not computed",
        arguments: [
            #""d": {"from": "t", "pipe": ["distinct"]}"#,
            #""e": {"from": "t", "pipe": ["distinct"]}, "d": {"from": "e", "pipe": [{"map": "value"}]}"#,
            #""d": {"from": "t", "pipe": [{"window": {"last": "1m", "of": "avg"}}]}"#,
            #""d": {"from": "t", "pipe": [{"delay": 10}]}"#,
            #""d": {"merge": ["t", "u"]}"#,
            #""d": {"all": "t*", "reduce": "max"}"#,
        ]
    )
    func notComputed(nodes: String) throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph": "g", "nodes": {"t": {"set": "number", "history": 9}, "u": {"set": "number", "history": 9}, \#(nodes)}}"#
        )
        try bench.set(graph, [("t", "1"), ("u", "2")])
        #expect(try Self.body(graph, "d") == nil)
    }

    @Test("A node with another formula has a past since it has that, and failures are part of it")
    func redefined() throws {
        func text(_ formula: String) -> String {
            #"{"graph": "g", "nodes": {"t": {"set": "any", "history": 9}, "d": {"from": "t", "pipe": [{"map": "\#(formula)"}]}}}"#
        }
        let bench = Bench()
        let graph = try bench.define(text("value + 1.0"))
        try bench.set(graph, [("t", "1")])
        try bench.set(graph, [("t", #""x""#)])
        #expect(
            try Self.body(graph, "d")?.contains(#"{"rev":2,"t":5000000,"v":2},{"rev":3,"t":5000000,"fail":{"#)
                == true
        )
        _ = bench.host.redefine(graph, as: try bench.definition(text("value == 7.0")))
        bench.endTurn()
        try bench.set(graph, [("t", "7")])
        #expect(
            try Self.body(graph, "d")
                == #"{"epoch":"e1","from":3,"rev":5,"d":[{"rev":4,"t":5000000,"v":false},{"rev":5,"t":5000000,"v":true}]}"#
        )
    }

    @Test("A client that goes ends the work, and work that costs too much stops and says how far it came")
    func bounded() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph": "g", "nodes": {"t": {"set": "any", "history": 20}, "d": {"from": "t", "pipe": [{"map": "value"}]}}}"#
        )
        for value in 0..<20 { try bench.set(graph, [("t", "\(value)")]) }
        let node = try #require(graph.node("d"))
        let samples = try #require(KeptSamples(of: node, since: nil, epoch: nil, limit: 1000))
        #expect(samples.samples.count == 20)
        let answer = samples.answer(limits: SessionLimits.ample, definitions: DefinitionOptions()) { false }
        guard case .stopped = answer else { throw HostError(.internalError, "\(answer)") }
        // Of large values as many as fit are taken, and a client goes on from there.
        let large = "\"" + String(repeating: "x", count: KeptSamples.mostBytes / 8) + "\""
        for _ in 0..<20 { try bench.set(graph, [("t", large)]) }
        let newest = try #require(KeptSamples(of: node, since: nil, epoch: nil, limit: 1000))
        #expect(newest.bytes.count <= KeptSamples.mostBytes && newest.end == graph.rev && newest.start >= 33)
        let oldest = try #require(KeptSamples(of: node, since: 21, epoch: nil, limit: 1000))
        #expect(oldest.start == 21 && (22..<30).contains(oldest.end))
    }

    /// Sets random values in a random graph without listeners, and compares with what a listener
    /// noted in a graph that is the same.
    @Test("What is computed is what was there")
    func agrees() throws {
        for seed in Nightly.isOn ? 0..<20_000 : 0..<200 as Range<UInt64> { try agrees(seed) }
    }

    private func agrees(_ seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let sources = (0..<3).map { "s\($0)" } + ["m.a.x", "m.b.x"]
        let made = ["d0", "d1", "d2", "d3", "m.a.y", "m.b.y"]
        func definition() -> String {
            var nodes = (0..<3).map { number in
                let history = dice.below(3) == 0 ? "" : #", "history": \#(1 + dice.below(12))"#
                let initial = dice.below(2) == 0 ? "" : #", "initial": \#(dice.below(5))"#
                return #""s\#(number)": {"set": "any"\#(history)\#(initial)}"#
            }
            nodes.append(#""m.{id}.x": {"set": "any", "history": \#(1 + dice.below(9))}"#)
            nodes.append(#""m.{id}.y": {"combine": {"a": "m.{id}.x", "b": "s0"}, "map": "[a, b, key.id]"}"#)
            for number in 0..<4 {
                let from = sources.prefix(3) + (0..<number).map { "d\($0)" } + ["m.a.x"]
                func any() -> String { from[dice.below(from.count)] }
                nodes.append(
                    #""d\#(number)": "#
                        + [
                            #"{"from": "\#(any())"}"#,
                            #"{"from": "\#(any())", "pipe": [{"map": "[value, time]"}]}"#,
                            #"{"from": "\#(any())", "pipe": [{"map": "value + 1.0"}, {"map": "value * 2.0"}]}"#,
                            #"{"combine": {"a": "\#(any())", "b": "\#(any())"}, "map": "[a, b]"}"#,
                            #"{"from": "\#(any())", "pipe": [{"ifEmpty": 9}]}"#,
                        ][dice.below(5)]
                )
            }
            return #"{"graph": "g", "nodes": {"# + nodes.joined(separator: ", ") + "}}"
        }
        let (bench, observed) = (Bench(), Bench())
        let text = definition()
        let graph = try bench.define(text)
        let witness = try Witness(of: observed.define(text), made)
        for _ in 0..<(20 + dice.below(40)) {
            let pause = UInt64(dice.below(3))
            bench.pass(pause)
            observed.pass(pause)
            switch dice.below(25) {
            case 0:
                let text = definition()
                for each in [bench, observed] {
                    let graph = try #require(each.host["g"])
                    _ = each.host.redefine(graph, as: try each.definition(text))
                    each.endTurn()
                }
            case 1...4:
                let source = sources[dice.below(3)]
                // Clearing what is empty is a change of the node, but no emission.
                guard try bench.read(graph, source) != "empty" else { continue }
                for each in [bench, observed] {
                    try each.submit(try #require(each.host["g"]), [], clear: [source])
                    each.endTurn()
                }
            default:
                let names = sources.filter { _ in dice.below(3) == 0 }
                guard !names.isEmpty else { continue }
                let values = ["0", "1", "2", #""a""#, "null"]
                let sets = names.map { ($0, values[dice.below(values.count)]) }
                for each in [bench, observed] { try each.set(try #require(each.host["g"]), sets) }
            }
            witness.look()
        }
        for name in made {
            let since = dice.below(2) == 0 ? nil : graph.rev - UInt64(dice.below(min(20, Int(graph.rev))))
            guard let text = try Self.body(graph, name, since: since, limit: 1 + dice.below(30)) else {
                continue
            }
            let page = try Page(text)
            var expected = (witness.noted[name] ?? [:]).filter {
                $0.key > page.from && $0.key <= page.last ?? graph.rev
            }
            var entries = page.entries
            let oldest = page.from + 1
            // A past may begin with what the node held, even if it emitted nothing then.
            if let held = witness.held[oldest]?[name], let entry = entries[oldest], expected[oldest] == nil {
                #expect(entry == held)
                entries[oldest] = nil
            }
            // Of the oldest rev it may not be known whether it made the node empty.
            if [entries[oldest], expected[oldest]].contains(where: { $0?.hasSuffix(" empty") == true }) {
                (expected[oldest], entries[oldest]) = (nil, nil)
            }
            #expect(entries == expected, "seed \(seed), \(name) since \(since ?? 0): \(text)")
        }
    }

    /// Listens to nodes, and notes what they emit.
    private final class Witness {
        /// By name and rev, the time and what was emitted.
        private(set) var noted: [String: [UInt64: String]] = [:]
        private let bag = CancellableBag()

        /// By rev and name, the time and what was held.
        private(set) var held: [UInt64: [String: String]] = [:]
        private let graph: LiveGraph
        private var nodes: [String: Node<Datum>] = [:]

        init(of graph: LiveGraph, _ names: [String]) throws {
            self.graph = graph
            for name in names {
                let node = graph.builder.materialise(try #require(graph.node(name)))
                nodes[name] = node
                node.listenEmissions(in: bag) { [unowned self] emission, _ in
                    let entry = entry(emission.value)
                    // From empty to empty is no emission.
                    let last = noted[name]?.max { $0.key < $1.key }?.value
                    if emission.value == nil, last?.hasSuffix(" empty") ?? true { return }
                    noted[name, default: [:]][graph.rev] = entry
                }
            }
        }

        func look() {
            held[graph.rev] = nodes.mapValues { entry($0.value) }
        }

        private func entry(_ datum: Datum?) -> String {
            let held = datum?.fail.map { "fail:\($0.code)" } ?? datum?.text ?? "empty"
            return "\(graph.time) \(held)"
        }
    }

    /// What an answer says.
    private struct Page {
        let from: UInt64
        /// The last rev of which it says something, where it is cut.
        let last: UInt64?
        /// By rev, the time and what was held.
        var entries: [UInt64: String] = [:]

        init(_ text: String) throws {
            let tree = try Datum.parse(text).tree
            func number(_ value: Value?) -> UInt64 {
                if case .double(let number) = value { UInt64(number) } else { 0 }
            }
            guard case .map(let fields) = tree, case .list(let list)? = fields["d"] else {
                throw HostError(.internalError, text)
            }
            from = number(fields["from"])
            for case .map(let entry) in list {
                let held: String
                if let value = entry["v"] {
                    held = try Datum(tree: value).text
                } else if case .map(let fail)? = entry["fail"], case .string(let code)? = fail["code"] {
                    held = "fail:\(code)"
                } else {
                    held = "empty"
                }
                entries[number(entry["rev"])] = "\(number(entry["t"])) \(held)"
            }
            // A page that is full ends with its last entry, one that took too long where it says.
            last = fields["to"].map(number) ?? (fields["more"] == nil ? nil : entries.keys.max())
        }
    }
}
