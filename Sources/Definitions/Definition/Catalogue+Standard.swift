extension Catalogue {
    /// The server's operators: sources of nodes, stages of a `pipe`, and ties between nodes.
    public static let standard = Catalogue(OperatorRow.sources + OperatorRow.stages + OperatorRow.sections)
}
