public import CEL

/// What the reading of definitions and pipelines may use.
public struct DefinitionOptions {
    /// How expressions are compiled; carries the regular expression engine, which `pattern` uses too.
    public var expressions: Options

    /// Options; without a regular expression engine `pattern` is refused.
    public init(expressions: Options = Options()) {
        self.expressions = expressions
    }
}
