@testable import Graphs
@testable import Sessions
import ReactiveGraph
import TestSupport
import Testing

/// Every operator of the catalogue in a graph whose definition changes (docs/definitions.md,
/// Changing a graph that runs).
@Suite("Every operator after a redefinition")
struct OperatorRedefinitionTests {
    private let bench = Bench()
    private let beside = Bench()

    private func text(_ example: String, _ more: String = "", x: String? = nil, y: String? = nil) -> String {
        func initial(_ value: String?) -> String { value.map { #","initial":\#($0)"# } ?? "" }
        let inputs = #""x":{"set":"any"\#(initial(x))},"y":{"set":"any"\#(initial(y))}\#(more)"#
        return OperatorExamples.graph(example, inputs: inputs, x: "x", y: "y")
    }

    private func listen(_ bench: Bench) -> Client {
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
        return client
    }

    @Test(
        "G-69: a node whose text is the same keeps edges, state and what waits, whatever else changes",
        arguments: OperatorExamples.nodes
    )
    func unchanged(example: String) throws {
        let graph = try bench.define(text(example, #","u":{"from":"x"}"#))
        let other = try beside.define(text(example))
        let clients = [listen(bench), listen(beside)]
        let number = try #require(graph.node("out")?.living?.id)
        var dice = SeededGenerator(seed: 2)
        for step in 0..<40 {
            let name = ["x", "x", "y"][dice.below(3)]
            let value = "\(1 + dice.below(3))"
            try bench.set(graph, [(name, value)])
            try beside.set(other, [(name, value)])
            if step % 3 == 0 {
                bench.pass(7)
                beside.pass(7)
            }
            let said = clients.map { Told($0.take())[1] }
            #expect(said[0] == said[1], "step \(step)")
            guard step % 5 == 4 else { continue }
            // Another node says something else, one comes, one goes.
            let more = [
                #","u":{"from":"x","pipe":[{"skip":\#(step)}]}"#, #","v":{"merge":["y","x"]}"#,
                #","u":{"from":"y"},"v":{"from":"out"}"#,
            ][dice.below(3)]
            let definition = try bench.definition(text(example, more))
            #expect(bench.host.redefine(graph, as: definition).isApplied)
            bench.host.flush()
            #expect(clients[0].take() == [], "step \(step): its subscribers get no frame")
            #expect(graph.node("out")?.living?.id == number)
        }
        for client in clients { client.session.close() }
        #expect(graph.isWhole)
    }

    @Test(
        "G-21, G-69: a node whose stages are others begins anew, with what its inputs hold; one frame if that is news",
        // The time of the newest commit is that of a set here, and that of the definition beside.
        arguments: OperatorExamples.nodes.filter { !$0.contains("string(time)") }
    )
    func changed(example: String) throws {
        let graph = try bench.define(text(example))
        let client = listen(bench)
        var dice = SeededGenerator(seed: 3)
        var values = ["x": "1", "y": "1"]
        func set() throws -> (name: String, value: String) {
            let change = (["x", "y"][dice.below(2)], "\(1 + dice.below(3))")
            values[change.0] = change.1
            try bench.set(graph, [change])
            return change
        }
        try bench.set(graph, [("x", "1"), ("y", "1")])
        for _ in 0..<12 {
            _ = try set()
            bench.pass(2)
        }
        _ = client.take()
        let before = try bench.read(graph, "out")
        let changed = Self.withOneMoreStage(example)
        let other = try beside.define(text(changed, x: values["x"], y: values["y"]))
        #expect(bench.host.redefine(graph, as: try bench.definition(text(changed))).isApplied)
        bench.host.flush()
        let fresh = try beside.read(other, "out")
        #expect(try bench.read(graph, "out") == fresh)
        #expect(Told(client.take())[1] == (fresh == before ? [] : [fresh]))
        let witness = listen(beside)
        for step in 0..<30 {
            try beside.set(other, [try set()])
            bench.pass(2)
            beside.pass(2)
            #expect(Told(client.take())[1] == Told(witness.take())[1], "step \(step)")
        }
        client.session.close()
        witness.session.close()
        #expect(graph.statistics.nodes == other.statistics.nodes)
        #expect(graph.statistics.edges == other.statistics.edges)
        #expect(graph.isWhole)
    }

    /// The same with a stage that changes no value.
    private static func withOneMoreStage(_ example: String) -> String {
        example.contains(#""pipe":["#)
            ? example.dropLast(2) + #",{"map":"value"}]}"#
            : example.dropLast() + #","pipe":[{"map":"value"}]}"#
    }
}

extension Submission {
    fileprivate var isApplied: Bool {
        if case .applied = self { true } else { false }
    }
}
