internal import Graphs
public import Values

/// What a client did over its session, or was refused, for the server's audit.
public struct SessionAct {
    /// The `op`; `value` on a bare stream.
    public let operation: String
    /// The graph that the request names.
    public let graph: String?
    /// The rev of its commit; nil if it made none.
    public let rev: UInt64?
    /// Why it was refused.
    public let error: HostError?

    init(_ operation: String, graph: String?, rev: UInt64? = nil, error: HostError? = nil) {
        (self.operation, self.graph, self.rev, self.error) = (operation, graph, rev, error)
    }

    init(_ operation: String, on graph: LiveGraph, _ result: Result<Applied, HostError>) {
        switch result {
        case .success(let applied):
            self.init(operation, graph: graph.name, rev: applied.isChange ? applied.rev : nil)
        case .failure(let error): self.init(operation, graph: graph.name, error: error)
        }
    }
}
