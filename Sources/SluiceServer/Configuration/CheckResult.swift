public import Values

/// What a check of the configuration has found.
public struct CheckResult {
    /// How many graphs can be served.
    public var graphs = 0
    /// What keeps a server from starting.
    public let problems: [FileProblem]
    /// What is valid, and may not mean what it seems to.
    public var warnings: [FileProblem] = []
}
