/// A graph that is made from a definition and dropped, only to count what its first values cost.
///
/// When a definition is applied, the nodes that are always kept get their first values in one turn, for which all clients wait. An
/// expression may take 10,000 units, and a definition may have thousands of them.
struct TrialBirth {
    private let limits: SessionLimits
    private let options: DefinitionOptions

    /// Trials with the limits and options of the server.
    init(_ limits: SessionLimits, _ options: DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    /// Makes the graph with its initial values.
    ///
    /// A change of a running graph starts from its present values and may cost more. A set may cost as much then, so the
    /// change is no worse than a set.
    ///
    /// - Throws: `expr_cost`, where the first values cost too much.
    func check(_ definition: GraphDefinition) throws(HostError) {
        // By default some 40 ms.
        let most = limits.pipelineUnits * 2 / 5
        let units = units(of: definition, atMost: most)
        guard units > most else { return }
        var problem = Problem(
            "the first values of the nodes that are always kept cost more than \(most) units",
            code: .exprCost,
            at: .start,
            hint: "leave out 'retain: always' where it is not needed, or make the expressions cheaper"
        )
        problem.pointer = "/nodes"
        throw HostError([problem])
    }

    /// What the first values cost; somewhat more than `most` where that is too much.
    func units(of definition: GraphDefinition, atMost most: Int) -> Int {
        let host = Host(
            store: .memory(epoch: ""),
            clock: ManualHostClock(wall: 0),
            limits: limits,
            definitions: options
        )
        host.trialUnits = most
        _ = host.define(definition)
        return host.lanes.total
    }
}
