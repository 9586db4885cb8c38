internal import Definitions
internal import Values

/// Builds a graph from a definition and drops it, only to measure the cost of its first values.
///
/// When a definition is applied, the nodes that are always kept get their first values in one turn,
/// and all clients wait for it. An expression may take 10,000 units, and a definition may have
/// thousands of expressions.
struct TrialBirth {
    private let limits: SessionLimits
    private let options: DefinitionOptions

    init(_ limits: SessionLimits, _ options: DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    /// Builds the graph with its initial values.
    ///
    /// A change of a running graph starts from its present values and may cost more. A set may cost
    /// that much too, so the change is no worse than a set.
    ///
    /// - Throws: `expr_cost` if the first values cost too much.
    func check(_ definition: GraphDefinition) throws(HostError) {
        // About 40 ms by default.
        let most = limits.pipelineUnits * 2 / 5
        let units = units(of: definition, atMost: most)
        guard units > most else { return }
        var problem = DefinitionProblem(
            "the first values of the nodes that are always kept cost more than \(most) units",
            code: .exprCost,
            at: .start,
            hint: "leave out 'retain: always' where it is not needed, or make the expressions cheaper"
        )
        problem.pointer = "/nodes"
        throw HostError([problem])
    }

    /// The cost of the first values; a number above `most` if they cost too much.
    func units(of definition: GraphDefinition, atMost most: Int) -> Int {
        var options = options
        options.trialUnits = most
        let clock = ManualHostClock(wall: 0)
        let host = Host(store: .memory(epoch: ""), clock: clock, limits: limits, definitions: options)
        _ = host.define(definition)
        return host.pipelines.total
    }
}
