package import CEL

/// What came of an expression.
package enum Evaluation {
    case value(Value)
    case problems([ExpressionProblem])
    case failure(EvaluationError)

    /// Compiles and evaluates `source` once.
    package static func run(
        _ source: String,
        _ bindings: [(name: String, value: Value)],
        _ options: Options
    ) -> Evaluation {
        do throws(CompileError) {
            let program = try Program(source, variables: bindings.map { Variable($0.name) }, options: options)
            do throws(EvaluationError) {
                return .value(try program.evaluate(bindings.map(\.value)))
            } catch {
                return .failure(error)
            }
        } catch {
            return .problems(error.problems)
        }
    }
}
