internal import CEL

/// Reads the definitions that clients send, on any thread.
///
/// Each definition is read with options of its own, so that it can be handed over whole. Reading takes time in proportion to
/// the text, tenths of a second for the largest. The loop that runs the graphs need not wait for it.
public struct DefinitionReader: Sendable {
    /// How many times the pattern work of a pipeline a definition may take.
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
        let options = options().bounded(by: limits, units: limits.patternWork * Self.patternWorkFactor)
        let (definition, problems) = GraphDefinition.read(document, file: nil, named: name, options: options)
        guard let definition else { throw HostError(problems) }
        try TrialBirth(limits, options).check(definition)
        return definition
    }
}
