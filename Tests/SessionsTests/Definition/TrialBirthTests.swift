@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing
import Values

@Suite("What the first values of a definition may cost")
struct TrialBirthTests {
    /// Takes some 200 units.
    private let loop = "[1,2,3,4,5,6,7,8,9,10].all(i, i + int(value) > 0)"

    private func graph(_ count: Int, initial: Int? = 1, _ keys: String = #""retain":"always""#) -> String {
        let x = initial.map { #""x":{"set":"number","initial":\#($0)}"# } ?? #""x":{"set":"number"}"#
        let nodes = (0..<count).map { #""n\#($0)":{"from":"x",\#(keys),"pipe":[{"map":"\#(loop)"}]}"# }
        return #"{"nodes":{\#(([x] + nodes).joined(separator: ","))}}"#
    }

    private func read(_ text: String, most: Int) throws -> GraphDefinition {
        var limits = SessionLimits.ample
        limits.pipelineUnits = most * 5 / 2
        return try DefinitionReader(limits: limits) { _ in DefinitionOptions() }.read(
            try Document.parse(json: text),
            named: "g"
        )
    }

    private func units(_ text: String, atMost most: Int = .max) throws -> Int {
        let options = DefinitionOptions()
        let definition = try #require(
            GraphDefinition.read(try Document.parse(json: text), file: nil, named: "g", options: options)
                .definition
        )
        return TrialBirth(SessionLimits.ample, options).units(of: definition, atMost: most)
    }

    @Test("first values of nodes that are always kept are counted, each once; others cost nothing")
    func counted() throws {
        let one = try units(graph(1))
        #expect((50...1_000).contains(one))
        #expect(try units(graph(100)) == 100 * one)
        #expect(try units(graph(100, #""title":"t""#)) == 0)
        #expect(try units(graph(100, initial: nil)) == 0)
        // What an always kept node is made from is kept, too.
        let behind = graph(1, #""title":"t""#).dropLast(2) + #","last":{"from":"n0","retain":"always"}}}"#
        #expect(try units(String(behind)) == one)
    }

    @Test(
        "a definition by a client whose first values cost too much is refused with expr_cost; half of it is not"
    )
    func refused() throws {
        let most = 20 * (try units(graph(1)))
        #expect(try read(graph(20), most: most).nodes.count == 21)
        let error = #expect(throws: HostError.self) { _ = try read(graph(21), most: most) }
        #expect(error?.code == .exprCost && error?.problems.count == 1)
        #expect(error?.problems.first?.pointer == "/nodes" && error?.problems.first?.hint != nil)
    }

    @Test("the trial stops evaluating when it knows enough, whatever links and merges multiply")
    func bounded() throws {
        #expect(try units(graph(1_000), atMost: 10_000) < 11_000 + 1_000 * StageCost.runUnits)
        var nodes = [#""x":{"set":"number","initial":1}"#, #""m0":{"set":"number"}"#]
        for place in 1...12 { nodes.append(#""m\#(place)":{"merge":["m\#(place - 1)","m\#(place - 1)"]}"#) }
        nodes.append(#""last":{"from":"m12","retain":"always","pipe":[{"map":"\#(loop)"}]}"#)
        let text = #"{"nodes":{\#(nodes.joined(separator: ","))},"links":[{"from":"x","to":"m0"}]}"#
        let all = try units(text)
        #expect(all > 4_096 * 50, "\(all)")
        #expect(try units(text, atMost: 10_000) < 15_000)
    }

    @Test("a graph that the trial has made leaves nothing, and files have no bound")
    func dropped() throws {
        let definition = try read(graph(20), most: 1_000_000)
        let bench = Bench()
        let submission = bench.host.define(definition)
        guard case .applied(let applied) = submission else {
            Issue.record("\(submission)")
            return
        }
        #expect(applied.rev == 1 && bench.host.pipelines.total == 0, "nobody is charged for a definition")
        #expect(try bench.definition(graph(3_000), named: "f").nodes.count == 3_001)
    }
}
