internal import CEL

extension DefinitionOptions {
    /// The same for one request: its literal patterns are at most ``SessionLimits/patterns``, and compiling them takes at most so many
    /// units.
    func bounded(by limits: SessionLimits, units: Int) -> DefinitionOptions {
        var options = self
        options.expressions.literals = options.expressions.regex.map {
            LiteralPatterns($0, units: units, count: limits.patterns)
        }
        return options
    }
}
