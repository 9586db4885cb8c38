public import CEL

/// What the reading of definitions and pipelines may use, and how much of it.
public struct DefinitionOptions {
    /// How expressions are compiled; carries the regular expression engine, which `pattern` uses too.
    public var expressions: Options
    /// The operators that there are.
    var catalogue = Catalogue.standard
    /// The most values that one input of a `zip` may say wait for the others (`limits.zipBuffer`).
    public var zipBuffer = 1_024
    /// The most `case`, `default` and `otherwise` nodes of one `switch` (`limits.switchKeys`): each receives each value.
    public var switchKeys = 1_024
    /// The most values of one `window` (`limits.windowValues`).
    public var windowValues = 10_000
    /// The most nodes of one graph (`limits.nodes`).
    public var mostNodes = 100_000

    /// The hosts to which sinks may send, each `host` or `host:port` (`sinkHosts`); nil: nothing is checked, because the definition was
    /// accepted before.
    public var sinkHosts: [String]?
    /// The names of the secrets that there are; nil as above.
    public var sinkSecrets: Set<String>?
    /// Whether expressions that can only fail with what a node takes are refused; clients' pipelines and stored definitions are
    /// taken as they are.
    package var refusesMismatches = true

    /// Options; without a regular expression engine `pattern` is refused.
    public init(expressions: Options = Options()) {
        self.expressions = expressions
    }
}
