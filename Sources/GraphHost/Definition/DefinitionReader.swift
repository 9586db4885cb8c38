internal import CEL

/// Reads the definitions that clients send, on any thread: each with options of its own, so that nothing of it is shared.
///
/// Reading one takes as long as its text is long, tenths of a second for the largest. The loop that runs the graphs need not
/// wait for that.
public struct DefinitionReader: Sendable {
    /// A definition may take so many times the work on patterns that a pipeline may.
    private static let patternWorkFactor = 4

    private let limits: SessionLimits
    private let options: @Sendable () -> DefinitionOptions

    /// A reader of definitions with these bounds.
    ///
    /// - Parameters:
    ///   - limits: bounds literal regular expressions by ``SessionLimits/patterns`` and four times ``SessionLimits/patternWork``, first
    ///     values by two fifths of ``SessionLimits/pipelineUnits``.
    ///   - options: makes what one definition may use; called on the thread that reads.
    public init(limits: SessionLimits, options: @escaping @Sendable () -> DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    /// Reads a definition.
    ///
    /// - Parameters:
    ///   - document: what the client sent.
    ///   - name: what the graph is called; a `graph` key must say the same.
    /// - Returns: the definition, which belongs to the caller.
    /// - Throws: everything that is wrong with it, in ``HostError/problems``.
    public func read(_ document: Document, named name: String) throws(HostError) -> sending GraphDefinition {
        var options = options()
        options.expressions.literals = options.expressions.regex.map {
            LiteralPatterns($0, units: limits.patternWork * Self.patternWorkFactor, count: limits.patterns)
        }
        let (definition, problems) = GraphDefinition.read(document, file: nil, named: name, options: options)
        guard let definition else { throw HostError(problems) }
        try TrialBirth(limits, options).check(definition)
        return definition
    }
}
