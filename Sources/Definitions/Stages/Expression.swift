public import CEL

/// An expression of a definition or pipeline, compiled when it was read.
public struct Expression {
    /// As it was written.
    public let source: String
    /// The compiled program; arguments are passed in the order of `variables`.
    public let program: Program
    /// The names it may use.
    public let variables: [String]
    /// The type of its results as values of a node, as far as it is known.
    let type: StaticType

    init(program: Program, variables: [String], type: StaticType) {
        self.type = type
        source = program.source
        self.program = program
        self.variables = variables
    }

    /// Equal for expressions that differ only in formatting; part of the key for sharing chains.
    public var key: String {
        program.canonicalText
    }
}
