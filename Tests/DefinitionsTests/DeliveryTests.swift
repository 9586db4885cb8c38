import Testing
import Values

@testable import Definitions

@Suite("How many values one commit may bring to a graph")
struct DeliveryTests {
    /// Nodes on top of each other, each made of the one before twice.
    private func stack(_ count: Int, _ source: String, mode: String, stages: Int = 0) -> String {
        var nodes = [#""n0":{"set":"any"}"#]
        let pipe = Array(repeating: #""distinct""#, count: stages).joined(separator: ",")
        for place in 1...count {
            let inputs = #"["n\#(place - 1)","n\#(place - 1)"]"#
            nodes.append(#""n\#(place)":{"\#(source)":\#(inputs),"pipe":[\#(pipe)]}"#)
        }
        return #"{"graph":"g","mode":"\#(mode)","nodes":{\#(nodes.joined(separator: ","))}}"#
    }

    private func problems(_ text: String) throws -> [DefinitionProblem] {
        GraphDefinition.read(try Document.parse(json: text), file: nil).problems
    }

    @Test(
        "G-137: stacked branches that double the values are refused where they come to a million, with cycle_limit",
        arguments: [
            ("merge", "settled", 18), ("merge", "immediate", 18), ("combine", "immediate", 18),
            ("combine", "settled", 2_000), ("zip", "settled", 2_000), ("zip", "immediate", 2_000),
        ]
    )
    func stacks(_ source: String, _ mode: String, _ most: Int) throws {
        #expect(try problems(stack(most, source, mode: mode)).isEmpty)
        guard most < 100 else { return }
        let found = try problems(stack(30, source, mode: mode))
        #expect(found.map(\.code) == [.cycleLimit])
        #expect(found.first?.message.hasPrefix("one commit could bring 'n19'") == true, "\(found)")
        // Stages take each value too.
        let staged = try problems(stack(18, source, mode: mode, stages: 3))
        #expect(staged.first?.message.hasPrefix("one commit could bring 'n17'") == true, "\(staged)")
    }

    @Test(
        "a flatten passes on what chooses and what is chosen; nodes of a large graph that depend on one another are no excess"
    )
    func others() throws {
        var nodes = [#""n0":{"set":"any"}"#]
        for place in 1...25 {
            nodes.append(#""n\#(place)":{"flatten":{"from":"n\#(place - 1)","to":{"a":"n\#(place - 1)"}}}"#)
        }
        let found = try problems(#"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#)
        #expect(found.map(\.code) == [.cycleLimit])
        let chain = (1..<20_000).map { #""n\#($0)":{"from":"n\#($0 - 1)","pipe":["distinct","distinct"]}"# }
        let large = #"{"graph":"g","nodes":{"n0":{"set":"any"},\#(chain.joined(separator: ","))}}"#
        #expect(try problems(large).isEmpty)
    }
}
