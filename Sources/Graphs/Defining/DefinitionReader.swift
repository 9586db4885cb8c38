public import Definitions
public import Values

/// Reads the definitions that clients send, on any thread.
///
/// Each definition is read with options of its own, so that it can be sent to another thread as a
/// whole. Reading takes time in proportion to the text, tenths of a second for the largest, and the
/// loop that runs the graphs need not wait for it.
public struct DefinitionReader: Sendable {
    /// A definition may have this many times the pattern work of a pipeline.
    private static let patternWorkFactor = 4

    private let limits: SessionLimits
    private let options: @Sendable (_ graph: String) -> DefinitionOptions

    /// A reader with these bounds; `options` is called on the thread that reads, with
    /// the graph's name.
    ///
    /// ``SessionLimits/patterns`` and four times ``SessionLimits/patternWork`` bound literal
    /// regular expressions; two fifths of ``SessionLimits/pipelineUnits`` bound first values.
    public init(limits: SessionLimits, options: @escaping @Sendable (_ graph: String) -> DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    /// Reads a definition, which the caller then owns; a `graph` key must be equal to `name`.
    ///
    /// It is compared with the present one of the graph, `former`.
    ///
    /// - Throws: all problems, in ``HostError/problems``.
    public func read(
        _ document: Document,
        named name: String,
        former: DefinitionOutline? = nil
    ) throws(HostError) -> sending GraphDefinition {
        let options = options(name).bounded(by: limits, units: limits.patternWork * Self.patternWorkFactor)
        let (definition, problems) = GraphDefinition.read(document, file: nil, named: name, options: options)
        guard var definition else { throw HostError(problems) }
        try TrialBirth(limits, options).check(definition)
        if let former { definition.compare(with: former) }
        return definition
    }
}
