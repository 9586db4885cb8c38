public import CEL

/// What definitions and pipelines may use while they are read, and the limits.
public struct DefinitionOptions {
    /// How expressions are compiled; carries the regular expression engine, which `pattern` uses
    /// too.
    public var expressions: Options
    /// The available operators.
    package var catalogue = Catalogue.standard
    /// The largest `buffer` of a `zip`: how many values of one input may wait for the others
    /// (`limits.zipBuffer`).
    public var zipBuffer: Int
    /// The most `case`, `default` and `otherwise` nodes of one `switch` (`limits.switchKeys`); each
    /// of them receives every value.
    public var switchKeys: Int
    /// The most values of one `window` (`limits.windowValues`).
    public var windowValues: Int
    /// The most nodes of one graph (`limits.nodes`).
    public var mostNodes: Int

    /// The hosts to which sinks may send (`sinkHosts`); nil: unchecked, because the definition was
    /// accepted earlier.
    public var sinkHosts: PermittedHosts?
    /// The hosts from which source nodes may take values (`sourceHosts`); nil: unchecked, as above.
    public var sourceHosts: PermittedHosts?
    /// The names of the secrets that the graph may use; nil: unchecked, as above.
    public var secrets: Set<String>?
    /// Whether to reject expressions that can only fail with the types of their inputs.
    ///
    /// Clients' pipelines and stored definitions are not checked.
    package var refusesMismatches = true
    /// In a host that only tries definitions: the limit of units for their stages; nil: none.
    package var trialUnits: Int?

    /// Options; without a regular expression engine `pattern` is refused.
    public init(expressions: Options = Options(), limits: SessionLimits = SessionLimits()) {
        self.expressions = expressions
        zipBuffer = limits.zipBuffer
        switchKeys = limits.switchKeys
        windowValues = limits.windowValues
        mostNodes = limits.nodes
    }

    /// The options with which the pipelines of clients are read.
    var ofClients: DefinitionOptions {
        var options = self
        options.refusesMismatches = false
        return options
    }
}
