@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing

/// Every row of the catalogue with an input in `fail`, and with an empty one.
@Suite("Failures and emptiness, row by row")
struct FailureTests {
    /// `f` is `x`, and fails for "bad"; `y` stands beside it.
    private static let inputs =
        #""x":{"set":"any"},"y":{"set":"any"},"f":{"from":"x","pipe":[{"map":"value == 'bad' ? [][0] : value"}]}"#

    /// What `out` holds after each step, and how many emissions it had then.
    private func play(_ example: String, _ steps: [String]) throws -> [(held: String, told: [String])] {
        let bench = Bench()
        let graph = try bench.define(OperatorExamples.graph(example, inputs: Self.inputs, x: "f", y: "y"))
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"out","mode":"all"}"#)
        return try steps.map { step in
            var told: [String] = []
            if step == "clear" {
                try bench.submit(graph, [], clear: ["x"])
            } else if step.hasPrefix("y=") {
                try bench.submit(graph, [("y", String(step.dropFirst(2)))])
            } else {
                try bench.submit(graph, [("x", step)])
            }
            bench.host.flush()
            // So long that everything that waits has come, and no window over a time has become
            // empty.
            for _ in 0..<20 {
                told += Told(client.take())[1]
                bench.pass(1)
            }
            told += Told(client.take())[1]
            return (try bench.read(graph, "out"), told)
        }
    }

    private static let failed = "fail:expr_index"

    /// Not those whose values say when they came or that have no input; a sync has no derived node
    /// as its input, and tests of its own.
    private func isComparable(_ row: OperatorRow, _ example: String) -> Bool {
        row.name != "sync" && row.onFail != "has no input" && !example.contains("time")
    }

    @Test("G-99: what an operator does with a failed input is what its row says")
    func failures() throws {
        for (row, example) in try OperatorExamples.inOrder() where isComparable(row, example) {
            let good = try play(example, ["y=1", "1", "2"])
            let bad = try play(example, ["y=1", "1", "\"bad\"", "2"])
            let context = Comment(rawValue: "\(row.name): \(example): \(bad)")
            switch row.onFail {
            case "fail", "fail, state unchanged":
                #expect(bad[2].held == Self.failed, context)
                #expect(bad[2].told == [Self.failed], context)
                #expect(bad[3].held == good[2].held, context)
            case "passes", "passes; not delivered into a mutable node":
                // A case and a flatten that look the other way see nothing of it.
                #expect(bad[2].held == Self.failed || example.contains(#""from":"y""#), context)
                #expect(bad[3].held == good[2].held, context)
            case "passes to `else`":
                #expect(bad[2].held == Self.failed, context)
            case "passes, counts":
                #expect(bad[2].held == Self.failed, context)
                let third = try play(example, ["y=1", "1", "\"bad\"", "2", "3"])[4]
                #expect(third.told == (row.name == "skip" ? ["3"] : []), context)
            case "takes a place":
                let rows = try play(example, ["y=1", "1", "\"bad\"", "y=2", "y=3", "3"])
                #expect(
                    rows[2].told.isEmpty && rows[3].told == [Self.failed] && rows[5].told.count == 1,
                    context
                )
            default:
                Issue.record("nothing is known about '\(row.onFail)' of \(row.name)")
            }
        }
    }

    @Test(
        "what an operator does with an empty input: empty as well, but for `ifEmpty` and `zip`; state stays"
    )
    func emptiness() throws {
        for (row, example) in try OperatorExamples.inOrder() where isComparable(row, example) {
            let steps = try play(example, ["y=1", "1", "2", "clear", "3"])
            let without = try play(example, ["y=1", "1", "2", "3"])
            let context = Comment(rawValue: "\(row.name): \(example): \(steps)")
            switch row.name {
            case "ifEmpty": #expect(steps[3].held == "0", context)
            case "zip": #expect(steps[3].held == steps[2].held && steps[3].told.isEmpty, context)
            default: #expect(steps[3].held == "empty", context)
            }
            // What comes then is what would have come without: emptiness takes no place and no
            // state.
            if steps[4].told.isEmpty {
                #expect(without[3].told.isEmpty, context)
            } else if !without[3].told.isEmpty {
                #expect(steps[4].held == without[3].held, context)
            }
        }
    }
}
