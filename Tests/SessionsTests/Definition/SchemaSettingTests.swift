import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Setting nodes that have a schema")
struct SchemaSettingTests {
    @Test("a schema stands beside the other checks")
    func beside() throws {
        let bench = Bench()
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"string","maxLength":2,"schema":{"enum":["a","abc"]}}}}"#
        )
        try bench.set(graph, [("x", #""a""#)])
        #expect(throws: HostError.self) { try bench.set(graph, [("x", #""abc""#)]) }
        #expect(throws: HostError.self) { try bench.set(graph, [("x", #""b""#)]) }
    }

    @Test("the sets of one commit share a budget; what they take counts as work of the turn")
    func sharedBudget() throws {
        let bench = Bench()
        let schema = #"{"anyOf":[\#(String(repeating: #"{"minLength":60001},"#, count: 50))true]}"#
        let nodes = (0..<2).map { #""n\#($0)":{"set":"any","schema":\#(schema)}"# }
        let graph = try bench.define(#"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#)
        let value = #""\#(String(repeating: "x", count: 60_000))""#
        let before = bench.host.work
        let error = #expect(throws: HostError.self) {
            try bench.set(graph, [("n0", value), ("n1", value)])
        }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message == CheckBudget.complaint)
        #expect(error?.node == "n1")
        #expect(bench.host.work - before >= 1_000_000 / 50 - 1)
    }
}
