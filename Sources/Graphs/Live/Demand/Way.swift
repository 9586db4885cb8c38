internal import Support
package import Values

/// How the values of a node go on from here over other services: the longest way of nodes, each of
/// which is fed by the next, that ends at a listener that is no server (S-9).
///
/// A server that subscribes at another one for a source node says the way below that node. So a
/// ring of services is noticed when it closes, and no listener of it keeps the others.
public struct Way: Equatable, Sendable {
    /// One source node of a service.
    public struct Step: Equatable, Sendable {
        /// The epoch of the graph, which no other service has.
        public let epoch: String
        public let graph: String
        public let node: String
    }

    /// The nearest step first.
    public let steps: [Step]

    /// The most services over which a value goes.
    public static let longest = 16

    /// Reads the option `via`: a list of steps.
    ///
    /// - Throws: `bad_field`.
    package init(_ field: JSONReader) throws(HostError) {
        guard field.kind == .array else { throw Self.problem }
        var steps: [Step] = []
        for element in field.elements {
            guard let epoch = element["epoch"]?.string, let graph = element["graph"]?.string,
                let node = element["node"]?.string
            else { throw Self.problem }
            steps.append(Step(epoch: epoch, graph: graph, node: node))
        }
        self.steps = steps
    }

    private static let problem = HostError(
        .badField,
        "via: a list of objects with epoch, graph and node is needed"
    )

    init(_ steps: [Step]) { self.steps = steps }

    /// Values go nowhere.
    public static let none = Way([])
}

extension Host {
    /// Refuses a listener whose values would come back to this service, or go on for too long.
    ///
    /// - Throws: `cycle`.
    package func check(_ way: Way) throws(HostError) {
        guard way.steps.count <= Way.longest else {
            throw HostError(.cycle, "values go on over \(Way.longest) services already")
        }
        for step in way.steps
        where step.graph.withBorrowedBytes({ graph(named: $0) })?.epoch == step.epoch {
            throw HostError(
                .cycle,
                "'\(step.graph)/\(step.node)' of this service is made from what is asked for",
                node: step.node
            )
        }
    }
}
