internal import CEL
internal import Definitions
internal import Support
package import Values

/// An expression of a commit as its client wrote it (X-1).
package struct FormulaText: Sendable {
    /// The node that it updates; nil: it is the condition.
    let node: String?
    let text: String
    /// The names of `with`, then that of the node's own value.
    private let variables: [String]
    /// What differs for any two in a cache.
    let key: String

    /// The name of the node's own value.
    static let value = "value"

    /// Those that a message has: `update` in its order, then `if`.
    ///
    /// - Throws: `bad_field`.
    package static func all(in fields: Fields) throws(HostError) -> [FormulaText] {
        let condition = fields[.`if`]?.string
        guard fields[.update] != nil || condition != nil else {
            try fields.refuse(.with, because: "update, or an expression in if, is needed beside it")
            return []
        }
        let names = try names(in: fields)
        var texts: [FormulaText] = []
        if let update = fields[.update] {
            guard update.kind == .object else {
                throw HostError(.badField, "update: an object of nodes and expressions is needed")
            }
            for member in update.members {
                let node = member.key.string
                guard let text = member.value.string else {
                    var error = HostError(.badField, "update.\(node): an expression is needed", node: node)
                    error.hint = "a string such as \"value + 1\"; values go into set"
                    throw error
                }
                texts.append(FormulaText(node: node, text: text, names: names))
            }
        }
        if let condition { texts.append(FormulaText(node: nil, text: condition, names: names)) }
        return texts
    }

    package init(node: String?, text: String, names: [String]) {
        (self.node, self.text) = (node, text)
        variables = node == nil ? names : names + [Self.value]
        key = variables.joined(separator: " ") + "\n" + text
    }

    /// So many that a program still knows which of them it takes.
    private static let mostNames = 60

    private static func names(in fields: Fields) throws(HostError) -> [String] {
        guard let with = fields[.with] else { return [] }
        guard with.kind == .object else {
            throw HostError(.badField, "with: an object of names and nodes is needed")
        }
        var names: [String] = []
        for member in with.members {
            let name = member.key.string
            guard Identifier.isValid(name), name != value else {
                var error = HostError(.badField, "with: '\(name)' cannot be the name of a variable")
                error.hint = "letters, digits and _, no digit first; '\(value)' is the node's own"
                throw error
            }
            names.append(name)
        }
        guard names.count <= mostNames else {
            throw HostError(.badField, "with: at most \(mostNames) names are allowed")
        }
        return names
    }

    /// Where it stands in the message.
    private var place: [String] { node.map { ["update", $0] } ?? ["if"] }

    /// The compiled expression, or its problems; their lines and columns are counted in the text.
    func compile(_ options: Options) -> Result<Program, HostError> {
        do throws(CompileError) {
            return .success(
                try Program(text, variables: variables.map { Variable($0) }, options: options)
            )
        } catch {
            let problems = error.problems.map { problem in
                self.problem(problem.code, problem.message, (problem.line, problem.column), problem.hint)
            }
            return .failure(refusal(problems))
        }
    }

    /// The error of an evaluation, with its place.
    func refusal(_ error: EvaluationError) -> HostError {
        refusal([problem(error.code, error.message, error.place(in: text), nil)])
    }

    /// The same, about the whole expression.
    func refusal(_ code: HostError.Code, _ message: String) -> HostError {
        refusal([problem(ExpressionErrorCode(rawValue: code.rawValue), message, (1, 1), nil)])
    }

    private func problem(
        _ code: ExpressionErrorCode,
        _ message: String,
        _ place: (line: Int, column: Int),
        _ hint: String?
    ) -> DefinitionProblem {
        var problem = DefinitionProblem(
            message,
            code: HostError.Code(rawValue: code.rawValue),
            at: Position(line: place.line, column: place.column),
            hint: hint
        )
        problem.pointer = "/" + self.place.joined(separator: "/")
        return problem
    }

    private func refusal(_ problems: [DefinitionProblem]) -> HostError {
        var error = HostError(problems, node: node)
        error.message = "\(place.joined(separator: ".")): \(error.message)"
        error.hint = problems.first?.hint
        return error
    }
}
