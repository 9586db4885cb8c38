internal import CEL

extension Host {
    /// What a client's request may use: its literal patterns are at most ``SessionLimits/patterns``, and compiling them takes at most
    /// ``SessionLimits/patternWork`` units.
    func requestOptions() -> DefinitionOptions {
        var options = definitions
        options.expressions.literals = options.expressions.regex.map {
            LiteralPatterns($0, units: limits.patternWork, count: limits.patterns)
        }
        return options
    }

    /// Counts what `read` spends on compiling patterns as work of this turn.
    func countingPatterns<Result>(of options: DefinitionOptions, _ read: () -> Result) -> Result {
        let literals = options.expressions.literals
        let before = literals?.spent ?? 0
        defer { work += UInt64(((literals?.spent ?? 0) - before) / LiveGraph.unitsPerNode) }
        return read()
    }
}
