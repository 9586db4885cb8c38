import Testing
import Values

@testable import Graphs
@testable import Sessions

@Suite("Commits as values")
struct CommitTests {
    @Test("a copy of a commit keeps what it had when the other is changed")
    func copies() throws {
        let bench = Bench()
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#)
        let x = try #require(graph.node("x"))
        let y = try #require(graph.node("y"))
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(x, try Datum.parse("1")))
        commit.by = "anna"

        let before = commit
        commit.clear.append(y)
        commit.conditions.append(Condition(x, .isEmpty))
        commit.conditions.append(Condition(y, .isEmpty))
        commit.key = "k"
        commit.set.append(Assignment(y, try Datum.parse("2")))
        commit.set.append(Assignment(y, try Datum.parse("3")))
        #expect(before.set.count == 1 && commit.set.count == 3)
        #expect(before.clear.isEmpty && before.conditions.isEmpty && before.key == nil && before.by == "anna")
        #expect(
            commit.clear.count == 1 && commit.conditions.count == 2 && commit.key == "k"
                && commit.by == "anna"
        )
        #expect(before.set.count == 1 && commit.set.count == 3 && commit.changed == 2)
        #expect(commit.setNodes.map(\.name) == ["x", "y", "y"])

        var bare = commit
        bare.key = nil
        #expect(commit.key == "k" && bare.key == nil && bare.conditions.count == 2)
    }
}
