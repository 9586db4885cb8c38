internal import CEL
internal import Values

extension Expression {
    /// What an expression of a stage with one input sees.
    static let valueNames = ["value", timeName]
    static let timeName = "time"
    /// In a family, `key.id` is the text of the placeholder `{id}`.
    static let keyName = "key"
}

extension DocumentReader {
    /// An expression over these names, compiled; its problems are placed in the file.
    package func expression(_ document: Document, of what: String, variables: [String]) -> Expression? {
        guard let scalar = document.scalar, scalar.value != .null else {
            return refuse(
                "\(what) must be an expression, not \(document.kindName)",
                at: document.position,
                hint: document.entries == nil ? nil : "expressions with braces need quotes in YAML"
            )
        }
        do throws(CompileError) {
            let variables =
                family == nil || variables.contains(Expression.keyName)
                ? variables : variables + [Expression.keyName]
            let program = try Program(
                scalar.text,
                variables: variables.map { Variable($0) },
                options: options.expressions
            )
            patterns += program.matchers
            var type = program.resultType
            let typed = types.variables(variables)
            if let typed, options.refusesMismatches, !options.expressions.isStrict {
                do throws(CompileError) {
                    type = try program.check(variables: typed, options: options.expressions)
                } catch {
                    type = .dyn
                    add(error, in: scalar, hint: types.sentence)
                }
            }
            return Expression(program: program, variables: variables, type: type.asJSON)
        } catch {
            add(error, in: scalar)
            return nil
        }
    }

    /// Reports a problem of an expression at its place in the file.
    private func add(_ error: CompileError, in scalar: Scalar, hint: String? = nil) {
        for problem in error.problems {
            add(
                problem.message,
                code: HostError.Code(rawValue: problem.code.rawValue),
                at: scalar.position(line: problem.line, column: problem.column),
                hint: problem.hint ?? hint
            )
        }
    }

    /// The regular expressions read since the last call, for a stage or source to hold.
    func takePatterns() -> [any RegexMatcher] {
        defer { patterns = [] }
        return patterns
    }

    /// A regular expression and its compiled form.
    func matcher(_ document: Document) -> (text: String, matcher: any RegexMatcher)? {
        guard let text = text(document, of: "pattern") else { return nil }
        guard let literals = options.expressions.literals else {
            return refuse(
                "'pattern' needs a regular expression engine, which this server does not have",
                at: document.position
            )
        }
        do throws(RegexProblem) {
            return (text, try literals.matcher(for: text))
        } catch {
            let isLimit = error.code == .patternLimit
            return refuse(
                isLimit ? error.message : "pattern cannot be used: \(error.message)",
                code: isLimit ? .patternLimit : .badField,
                at: place(of: error, in: text, document),
                hint: error.hint
            )
        }
    }

    private func place(of problem: RegexProblem, in pattern: String, _ document: Document) -> Position {
        let before = String(decoding: pattern.utf8.prefix(problem.offset), as: UTF8.self)
        guard let scalar = document.scalar, !before.contains("\n") else { return document.position }
        return scalar.position(line: 1, column: before.unicodeScalars.count + 1)
    }
}
