internal import CEL

extension DefinitionOptions {
    /// The same options for one request: it has at most ``SessionLimits/patterns`` literal
    /// patterns, and compiling them takes at most `units`.
    package func bounded(by limits: SessionLimits, units: Int) -> DefinitionOptions {
        var options = self
        options.expressions.literals = options.expressions.regex.map {
            LiteralPatterns($0, units: units, count: limits.patterns)
        }
        return options
    }
}
