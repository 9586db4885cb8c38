/// A checked and compiled expression: immutable, evaluated as often as wanted, safe on any input.
///
/// Evaluation never traps, never recurses on data, stops when its cost budget is used up, and
/// allocates nothing as long as only scalars are involved.
public struct Program {
    /// The expression as it was written.
    public let source: String
    /// The same expression with formatting normalised: equal texts mean equal expressions.
    public let canonicalText: String
    /// What is known of the result's type.
    public let resultType: StaticType

    /// The compiled regular expressions that it searches for, without those made while it is
    /// evaluated.
    public var matchers: [any RegexMatcher] { code.matchers }

    private let arguments: UInt64
    private let code: Code
    private let cost: Int
    private let outputBytes: Int

    /// Parses, checks and compiles `source`; arguments are given in the order of `variables`.
    ///
    /// - Throws: every problem found, with its place.
    public init(
        _ source: String,
        variables: [Variable] = [],
        options: Options = Options()
    ) throws(CompileError) {
        let syntax: Syntax
        do {
            syntax = try Parser.parse(source)
        } catch {
            throw CompileError(problems: [error])
        }
        var options = options
        options.literals = options.literals ?? options.regex.map { LiteralPatterns($0) }
        let checked = try Checker.check(syntax, source: source, variables: variables, options: options)
        var folding = Folding(source, options: options)
        let folded = folding.fold(checked)
        do {
            code = try Compiler.compile(folded, options: options, argumentCount: variables.count)
        } catch {
            let problem = error.problem
            throw CompileError(problems: [
                ExpressionProblem(
                    problem.code,
                    problem.sentence,
                    at: error.offset,
                    in: source,
                    hint: problem.hint
                )
            ])
        }
        self.source = source
        canonicalText = syntax.canonicalText
        resultType = checked.type
        arguments = checked.needs.arguments
        cost = options.cost
        outputBytes = options.outputBytes
    }

    /// Whether the value may depend on the variable at that position.
    ///
    /// The variables from the 64th on count as one.
    public func takes(_ position: Int) -> Bool { arguments & Needs.bit(of: position) != 0 }

    /// The value with `arguments` for the variables, in the order they were declared.
    ///
    /// There must be as many arguments as variables.
    public func evaluate(_ arguments: [Value] = []) throws(EvaluationError) -> Value {
        var spent = 0
        return try evaluate(arguments, spent: &spent)
    }

    /// The same; adds the units of cost that it took to `spent`, also when it fails.
    public func evaluate(_ arguments: [Value], spent: inout Int) throws(EvaluationError) -> Value {
        try unsafe arguments.withUnsafeBufferPointer { arguments throws(EvaluationError) in
            try unsafe evaluate(arguments, spent: &spent)
        }
    }

    /// The value with one argument for the only variable; no array is made.
    public func evaluate(_ argument: Value) throws(EvaluationError) -> Value {
        var spent = 0
        return try evaluate(argument, spent: &spent)
    }

    /// The same; adds the units of cost that it took to `spent`, also when it fails.
    public func evaluate(_ argument: Value, spent: inout Int) throws(EvaluationError) -> Value {
        precondition(code.argumentCount <= 1, "pass one argument for each variable")
        let result = unsafe withUnsafePointer(to: argument) { pointer in
            Result<Value, EvaluationError> { () throws(EvaluationError) in
                try unsafe evaluate(pointer, spent: &spent)
            }
        }
        return try result.get()
    }

    /// The value with two arguments, without an array; adds the units of cost that it took to
    /// `spent`, also when it fails.
    public func evaluate(
        _ first: Value,
        _ second: Value,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        try unsafe withUnsafeTemporaryAllocation(of: Value.self, capacity: 2) {
            arguments throws(EvaluationError) in
            unsafe arguments.initializeElement(at: 0, to: first)
            unsafe arguments.initializeElement(at: 1, to: second)
            defer { unsafe arguments.deinitialize() }
            return try unsafe evaluate(UnsafeBufferPointer(arguments), spent: &spent)
        }
    }

    /// The value with arguments that stay where they are: as many as there are variables.
    public func evaluate(_ arguments: UnsafeBufferPointer<Value>) throws(EvaluationError) -> Value {
        var spent = 0
        return try unsafe evaluate(arguments, spent: &spent)
    }

    /// The same; adds the units of cost that it took to `spent`, also when it fails.
    public func evaluate(
        _ arguments: UnsafeBufferPointer<Value>,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        precondition(arguments.count >= code.argumentCount, "pass one argument for each variable")
        return try unsafe evaluate(arguments.baseAddress ?? noArguments, spent: &spent)
    }

    /// Stands for the address of no arguments.
    private var noArguments: UnsafePointer<Value> {
        unsafe UnsafePointer(code.constants.baseAddress!)
    }

    @inline(__always)
    private func evaluate(
        _ arguments: UnsafePointer<Value>,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        try unsafe checkDepth(of: arguments)
        return try unsafe code.evaluate(arguments, cost: cost, outputBytes: outputBytes, spent: &spent)
    }

    @inline(__always)
    private func checkDepth(of arguments: UnsafePointer<Value>) throws(EvaluationError) {
        for position in 0..<code.argumentCount {
            guard unsafe arguments[position].nestingDepth <= Value.maximumNestingDepth else {
                throw EvaluationError(code: .badValue, message: "an argument nests too deeply", offset: 0)
            }
        }
    }
}

extension Program {
    /// The type of the result where more is known of the variables than when the program was made.
    ///
    /// - Throws: every operation that can only fail with values of these types.
    public func check(variables: [Variable], options: Options) throws(CompileError) -> StaticType {
        let syntax: Syntax
        do {
            syntax = try Parser.parse(source)
        } catch {
            throw CompileError(problems: [error])
        }
        return try Checker.check(syntax, source: source, variables: variables, options: options).type
    }
}
