@testable import GraphHost
import TestSupport
import Testing

/// Random sets and clears of a graph with the operators that sort, pair and tie, against a naive model of each.
@Suite("Random histories of zip, switch, case, default, if, merge, sync and links")
struct BranchingHistoryTests {
    private static let definition = #"""
        {"graph":"g","nodes":{"x":{"set":"number"},"y":{"set":"number"},"p":{"set":"number"},"q":{"set":"number","max":15},
         "rows":{"zip":["x","y"]},"any":{"merge":["x","y"]},
         "s":{"switch":{"from":"x","by":"value > 7 ? null : value > 3 ? 'hi' : 'lo'"}},
         "hi":{"case":{"of":"s","key":"hi"}},"lo":{"case":{"of":"s","key":"lo"}},"none":{"default":{"of":"s"}},
         "split":{"if":{"from":"x","when":"value > 5","then":"big","else":"small"}},
         "linked":{"from":"y"}},
         "sync":[{"a":"p","b":"q","to_b":"value + 10","to_a":"value - 10"}],
         "links":[{"from":"x","to":"linked","pipe":[{"filter":"value > 4"}]}]}
        """#

    /// What every node holds, by the rules alone.
    private struct Model {
        var held: [String: Int] = [:]
        var row = "empty"
        var waiting: [String: [Int]] = ["x": [], "y": []]

        mutating func set(_ name: String, _ value: Int, alone: Bool) {
            held[name] = value
            switch name {
            case "p": if alone, value + 10 <= 15 { held["q"] = value + 10 }
            case "q": if alone { held["p"] = value - 10 }
            default: pair(name, value)
            }
            if name == "y" { held["linked"] = value }
            guard name == "x" else { return }
            held[value > 7 ? "none" : value > 3 ? "hi" : "lo"] = value
            held[value > 5 ? "big" : "small"] = value
            if value > 4 { held["linked"] = value }
        }

        private mutating func pair(_ name: String, _ value: Int) {
            held["any"] = value
            waiting[name, default: []].append(value)
            guard let x = waiting["x"]?.first, let y = waiting["y"]?.first else { return }
            waiting["x"]?.removeFirst()
            waiting["y"]?.removeFirst()
            row = "[\(x),\(y)]"
        }

        mutating func clear(_ name: String) {
            let empty: [String] =
                switch name {
                case "x": ["x", "any", "hi", "lo", "none", "big", "small", "linked"]
                case "y": ["y", "any", "linked"]
                default: ["p", "q"]
                }
            for name in empty { held[name] = nil }
        }

        func text(_ name: String) -> String {
            name == "rows" ? row : held[name].map { "\($0)" } ?? "empty"
        }
    }

    @Test("every node holds what the model says, after every step")
    func histories() throws {
        for seed in 0..<(Nightly.isOn ? UInt64(5_000) : 60) {
            var dice = SeededGenerator(seed: seed)
            let bench = Bench()
            let graph = try bench.define(Self.definition)
            var model = Model()
            for step in 0..<40 {
                let name = ["x", "x", "y", "y", "p", "q"][dice.below(6)]
                let (a, b) = (dice.below(12), dice.below(12))
                switch dice.below(8) {
                case 0:
                    try bench.submit(graph, [], clear: [name])
                    model.clear(name)
                case 1:
                    try bench.submit(graph, [("x", "\(a)"), ("y", "\(b)")])
                    model.set("x", a, alone: true)
                    model.set("y", b, alone: true)
                case 2:
                    try bench.submit(graph, [("p", "\(a)"), ("q", "\(b)")])
                    model.set("p", a, alone: false)
                    model.set("q", b, alone: false)
                default:
                    try bench.submit(graph, [(name, "\(a)")])
                    model.set(name, a, alone: true)
                }
                bench.host.flush()
                for node in graph.nodes where node.name != "s" && node.name != "split" {
                    let read = try bench.read(graph, node.name)
                    let expected = model.text(node.name)
                    #expect(read == expected, "seed \(seed), step \(step): \(node.name)")
                    guard read == expected else { return }
                }
            }
            #expect(graph.isWhole)
        }
    }
}
