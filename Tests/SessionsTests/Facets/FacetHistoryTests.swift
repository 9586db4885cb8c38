import Commits
import Testing
import TestSupport
import Values

@testable import Graphs
@testable import Sessions

private let definition = """
    {"graph": "g", "nodes": {
      "a": {"set": "number", "initial": 1}, "b": {"set": "number", "fresh": "40ms"}, "c": {"set": "number", "initial": 3, "ttl": "90ms"},
      "k": {"set": "string", "initial": "b"},
      "both": {"combine": ["a", "b"], "map": "value"}, "deep": {"from": "both", "pipe": ["distinct", {"ifEmpty": 0}]},
      "chosen": {"flatten": {"from": "k", "to": {"a": "a", "b": "deep", "c": "c"}}},
      "sign": {"if": {"from": "a", "when": "value > 2", "then": "high", "else": "low"}},
      "last": {"combine": ["chosen", "high"], "map": "value"}
    }}
    """
private let names = ["a", "b", "c", "k", "both", "deep", "chosen", "high", "low", "last"]

/// Random reports, sets and time; clients that listen in both modes, alone and in groups, with and
/// without intervals, know in the end what a model says that is written from the rules.
@Suite("Random histories of facets")
struct FacetHistoryTests {
    /// What is known of the mutable nodes, by the rules.
    private struct Model {
        struct Known: Equatable {
            var isLoading = false
            var isStale = false
            var progress: Double?
            var error: String?
        }

        var known: [String: Known] = [:]
        var values: [String: String] = ["a": "1", "c": "3", "k": "b"]
        var staleAt: UInt64?
        var emptyAt: UInt64?

        mutating func set(_ name: String, _ value: String?, at time: UInt64) {
            values[name] = value
            known[name] = nil
            if name == "b" { staleAt = value == nil ? nil : time + 40 }
            if name == "c" { emptyAt = value == nil ? nil : time + 90 }
        }

        mutating func report(_ name: String, _ change: FacetChange, at time: UInt64) {
            var each = known[name] ?? Known()
            switch change {
            case .loading(let progress): (each.isLoading, each.progress) = (true, progress ?? each.progress)
            case .failed(let code, _, _, _): (each.isLoading, each.progress, each.error) = (false, nil, code)
            case .cancelled: (each.isLoading, each.progress) = (false, nil)
            case .invalidated: each.isStale = true
            case .notModified:
                each = Known()
                if name == "b", values["b"] != nil { staleAt = time + 40 }
            }
            known[name] = each
        }

        mutating func pass(to time: UInt64) {
            if let due = staleAt, due <= time {
                known["b", default: Known()].isStale = true
                staleAt = nil
            }
            if let due = emptyAt, due <= time {
                values["c"] = nil
                known["c"]?.isStale = false
                emptyAt = nil
            }
        }

        /// What is known of a node: of a derived one what its present inputs have.
        func state(_ name: String) -> Known {
            let isHigh = values["a"].flatMap { Int($0) }.map { $0 > 2 }
            let inputs: [String] =
                switch name {
                case "both", "deep": ["a", "b"]
                case "chosen":
                    switch values["k"] {
                    case "a": ["k", "a"]
                    case "b": ["k", "a", "b"]
                    case "c": ["k", "c"]
                    default: ["k"]
                    }
                case "high": isHigh == false ? [] : ["a"]
                case "low": isHigh == true ? [] : ["a"]
                default: [name]
                }
            if name == "last" { return merged([state("chosen"), state("high")]) }
            return merged(inputs.map { known[$0] ?? Known() })
        }

        private func merged(_ inputs: [Known]) -> Known {
            let loading = inputs.filter(\.isLoading)
            let progress = loading.compactMap(\.progress)
            return Known(
                isLoading: !loading.isEmpty,
                isStale: inputs.contains(where: \.isStale),
                progress: progress.count == loading.count ? progress.min() : nil,
                error: inputs.compactMap(\.error).first
            )
        }
    }

    /// A client's state, built from the messages it received.
    private final class Believer {
        let client: Client
        var states: [String: Model.Known] = [:]
        var complaints: [String] = []
        /// Whether it has an interval between deliveries.
        let isSlow: Bool

        init(_ client: Client, isSlow: Bool) {
            self.client = client
            self.isSlow = isSlow
        }

        func read(_ single: [Int: String]) {
            for message in client.take() {
                guard let datum = try? Datum.parse(message) else {
                    complaints.append("no JSON: \(message)")
                    continue
                }
                datum.withBytes { bytes in
                    let reader = JSONReader(validated: bytes)
                    let entries = reader["d"].map { Array($0.elements) } ?? [reader]
                    for entry in entries {
                        if let name = entry["id"]?.int.flatMap({ single[$0] }) { take(name, entry) }
                        for member in entry["m"].map({ Array($0.members) }) ?? [] {
                            take(member.key.string, member.value)
                        }
                    }
                }
            }
        }

        private func take(_ name: String, _ entry: JSONReader) {
            guard let state = entry["state"] else { return }
            states[name] = Model.Known(
                isLoading: state["loading"]?.bool ?? false,
                isStale: state["stale"]?.bool ?? false,
                progress: state["progress"]?.double,
                error: state["error"]?["code"]?.string
            )
        }
    }

    @Test(
        "L-4 every listener knows the state of each node after every step",
        arguments: 0..<60 as Range<UInt64>
    )
    func histories(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        let bench = Bench()
        let graph = try bench.define(definition)
        var model = Model()
        (model.emptyAt, model.staleAt) = (bench.clock.wall + 90, nil)
        var believers: [Believer] = []
        let single = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($0.offset + 1, $0.element) })
        func join() {
            let isSlow = dice.chance(1, in: 3)
            let believer = Believer(bench.connect(), isSlow: isSlow)
            let mode = dice.chance(1, in: 2) ? #","mode":"all""# : ""
            let every = isSlow ? #","every":7"# : ""
            let more = #""graph":"g","facets":true\#(mode)\#(every)"#
            if dice.chance(1, in: 2) {
                for (id, name) in single {
                    believer.client.send(#"{"op":"sub","id":\#(id),"node":"\#(name)",\#(more)}"#)
                }
            } else {
                believer.client.send(#"{"op":"sub","id":100,"nodes":["*"],\#(more)}"#)
            }
            believers.append(believer)
        }
        join()
        for step in 0..<60 {
            switch dice.below(8) {
            case 0, 1:
                let name = names[dice.below(4)]
                let value: String? =
                    dice.chance(1, in: 5)
                    ? nil : name == "k" ? ["a", "b", "c", "d"][dice.below(4)] : "\(dice.below(5))"
                let text = name == "k" ? value.map { "\"\($0)\"" } : value
                _ = try bench.submit(graph, text.map { [(name, $0)] } ?? [], clear: text == nil ? [name] : [])
                model.set(name, value, at: bench.clock.wall)
            case 2, 3, 4, 5:
                let name = names[dice.below(4)]
                let changes: [FacetChange] = [
                    .loading(progress: nil), .loading(progress: Double(dice.below(5)) / 4), .cancelled,
                    .notModified,
                    .failed(code: "e\(dice.below(3))", message: ""), .invalidated,
                ]
                let change = changes[dice.below(changes.count)]
                var commit = Commit(graph: graph)
                commit.report(change, of: try #require(graph.node(name)))
                _ = bench.host.submit(commit)
                model.report(name, change, at: bench.clock.wall)
            case 6:
                for _ in 0..<dice.below(30) {
                    bench.pass(1)
                    model.pass(to: bench.clock.wall)
                }
            default:
                if believers.count > 1, dice.chance(1, in: 3) {
                    believers.remove(at: dice.below(believers.count)).client.session.close()
                } else if believers.count < 5 {
                    join()
                }
            }
            guard dice.chance(1, in: 2) else { continue }
            // Intervals are over by then, unless time itself changes something meanwhile.
            let before = names.map(model.state)
            for _ in 0..<8 {
                bench.pass(1)
                model.pass(to: bench.clock.wall)
            }
            bench.endTurn()
            let isCalm = names.map(model.state) == before
            for believer in believers {
                believer.read(single)
                #expect(believer.complaints.isEmpty)
                if believer.isSlow, !isCalm { continue }
                for name in names {
                    #expect(
                        believer.states[name] == model.state(name),
                        "seed \(seed), step \(step), \(name) with \(model.values)"
                    )
                }
            }
        }
        for believer in believers { believer.client.session.close() }
        bench.endTurn()
        #expect(!graph.facets.isWatched)
        let speaking = model.known.values.filter { $0 != Model.Known() }.count
        #expect(graph.facets.speaking >= speaking)
    }
}
