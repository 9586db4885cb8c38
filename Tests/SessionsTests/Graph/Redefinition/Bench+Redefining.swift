import Values

@testable import Graphs
@testable import Sessions

extension Bench {
    /// Defines the graph `g` of these nodes and other keys, both as they stand in JSON.
    func define(nodes: String, _ more: String = "", mode: String = "settled") throws -> LiveGraph {
        try define(#"{"graph":"g","mode":"\#(mode)"\#(more),"nodes":{\#(nodes)}}"#)
    }

    /// Gives the graph `g` another definition, and ends the turn.
    @discardableResult
    func redefine(_ graph: LiveGraph, _ nodes: String, _ more: String = "") throws -> Applied {
        let definition = try definition(#"{"graph":"g"\#(more),"nodes":{\#(nodes)}}"#)
        let submission = host.redefine(graph, as: definition)
        host.flush()
        switch submission {
        case .applied(let applied): return applied
        case .refused(let error): throw error
        case .pending: throw HostError(.internalError, "pending")
        }
    }
}
