@testable import Graphs
@testable import Sessions
import TestSupport
import Testing

/// Every operator of the catalogue as a node to which a link leads: beside it stands the same graph
/// without the link.
@Suite("Every operator at the end of a link")
struct OperatorLinkTests {
    private static let inputs = #""x":{"set":"any"},"y":{"set":"any"},"z":{"set":"any"}"#
    private let plain = Bench()
    private let linked = Bench()

    @Test(
        "G-69, G-83: what a link brings is what the node holds, and nothing that the operator remembers",
        arguments: OperatorExamples.nodes.filter { !$0.contains("distinct") }
    )
    func state(example: String) throws {
        try play(example) { expected, _ in expected }
    }

    @Test(
        "G-71: distinct compares with what the node holds, also where that came over a link",
        arguments: [#""distinct""#, #"{"distinct":"string(value)"}"#]
    )
    func distinct(stage: String) throws {
        let example = #""out":{"from":"$x","pipe":[\#(stage)]}"#
        try play(example) { _, step in
            step.isOfX && step.value != step.held ? [step.value] : []
        }
    }

    @Test("G-71: x = 1, the link brings 2, x = 1 again: the node holds 1")
    func afterTheLink() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"},"d":{"from":"x","pipe":["distinct"]}},"links":[{"from":"y","to":"d"}]}"#
        )
        try bench.set(graph, [("x", "1")])
        try bench.set(graph, [("y", "2")])
        try bench.set(graph, [("x", "1")])
        #expect(try bench.read(graph, "d") == "1")
    }

    private struct Step {
        let isOfX: Bool
        let value: String
        /// What the node at the end of the link held before.
        let held: String
    }

    /// Sets inputs at random; `expect` says what the linked node emits where the plain one emits
    /// `expected`.
    private func play(_ example: String, expect: (_ expected: [String], Step) -> [String]) throws {
        let parts = example.split(separator: "|")
        #expect(parts.count == 1, "an example with ties of its own")
        let text = OperatorExamples.graph(example, inputs: Self.inputs, x: "x", y: "y")
        let a = try plain.define(text)
        let b = try linked.define(text.dropLast() + #","links":[{"from":"z","to":"out"}]}"#)
        let clients = [plain.connect(), linked.connect()]
        // A combine that is not complete makes its node empty.
        for (bench, graph) in [(plain, a), (linked, b)] { try bench.set(graph, [("x", "1"), ("y", "1")]) }
        for client in clients { client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#) }
        var dice = SeededGenerator(seed: 1)
        for step in 0..<80 {
            let name = ["x", "x", "y", "z"][dice.below(4)]
            let value = "\(1 + dice.below(3))"
            let held = try linked.read(b, "out")
            try plain.set(a, [(name, value)])
            try linked.set(b, [(name, value)])
            let said = clients.map { Told($0.take())[1] }
            let wanted = expect(said[0], Step(isOfX: name == "x", value: value, held: held))
            #expect(said[1] == (name == "z" ? [value] : wanted), "step \(step): \(name) = \(value)")
            guard dice.below(3) == 0 else { continue }
            plain.pass(7)
            linked.pass(7)
            let late = clients.map { Told($0.take())[1] }
            #expect(late[1] == late[0], "step \(step): time passes")
        }
        for client in clients { client.session.close() }
        #expect(b.isWhole)
    }
}
