public import Definitions
internal import CEL

extension DefinitionOptions {
    /// What definitions and pipelines may use by a configuration, and what their expressions take
    /// from `system`.
    public init(_ configuration: Configuration, _ system: ExpressionSystem = ExpressionSystem()) {
        self.init(expressions: system.options(), limits: configuration.fixed.session)
        expressions.cost = configuration.fixed.expression
    }

    /// The same for definitions that are about to be accepted: their sinks and sources may reach
    /// only the hosts that the configuration lists, with the secrets that it lets them use; `graph`
    /// is the name of one that comes over HTTP.
    public func accepting(
        _ configuration: Configuration,
        ofClient graph: String? = nil
    ) -> DefinitionOptions {
        var options = self
        options.sinkHosts = PermittedHosts(configuration.sinkHosts)
        options.sourceHosts = PermittedHosts(configuration.sourceHosts)
        options.secrets = configuration.usableSecrets(ofClientGraph: graph)
        return options
    }
}
