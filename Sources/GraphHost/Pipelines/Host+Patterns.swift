internal import CEL

extension Host {
    /// What a client's request may use: its literal patterns are at most ``SessionLimits/patterns``, and compiling them takes at most
    /// `patternWork` units.
    func options(patternWork: Int) -> DefinitionOptions {
        var options = definitions
        options.expressions.literals = options.expressions.regex.map {
            LiteralPatterns($0, units: patternWork, count: limits.patterns)
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

    /// Reads a definition that a client sends, whose literal patterns have bounds, as those of a pipeline have.
    ///
    /// - Parameters:
    ///   - document: what the client sent.
    ///   - name: what the graph is called; a `graph` key must say the same.
    /// - Returns: the definition.
    /// - Throws: everything that is wrong with it, in ``HostError/problems``.
    public func readDefinition(_ document: Document, named name: String) throws(HostError) -> GraphDefinition
    {
        let options = options(patternWork: limits.patternWork * Self.definitionPatternWork)
        let (definition, problems) = countingPatterns(of: options) {
            GraphDefinition.read(document, file: nil, named: name, options: options)
        }
        guard let definition else { throw HostError(problems) }
        return definition
    }

    /// The patterns of a definition may take so many times the work of those of a pipeline.
    private static let definitionPatternWork = 4
}
