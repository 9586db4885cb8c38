/// A place in a file, counted from 1; the column counts characters.
public struct Position: Hashable, Sendable, Comparable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The beginning of a file.
    public static let start = Position(line: 1, column: 1)

    public static func < (a: Position, b: Position) -> Bool {
        (a.line, a.column) < (b.line, b.column)
    }
}

/// One problem of a graph file or a client's pipeline.
///
/// All problems of a file are reported at once, in the order of their places.
public struct DefinitionProblem: Error, Hashable, Sendable {
    /// Its code on the wire: `bad_field`, `expr_syntax`, `expr_type`, `unknown_node` and so on.
    public let code: HostError.Code
    /// The file's name as given to the reader; nil for definitions and pipelines sent by clients.
    public var file: String?
    /// The place in it.
    public let position: Position
    /// The same place as a JSON Pointer (RFC 6901) into the document; nil if there is none.
    public var pointer: String?
    /// A sentence that says what is wrong, without a full stop.
    public let message: String
    /// A suggestion how to fix it, if there is one.
    public let hint: String?

    /// A problem at a place.
    public init(
        _ message: String,
        code: HostError.Code = .badField,
        file: String? = nil,
        at position: Position,
        hint: String? = nil
    ) {
        self.code = code
        self.file = file
        self.position = position
        self.message = message
        self.hint = hint
    }
}

extension DefinitionProblem: CustomStringConvertible {
    /// `house.yaml:7:12: unknown key 'mapp' (did you mean 'map'?)`, in the format of compilers.
    public var description: String {
        let place = "\(file.map { "\($0):" } ?? "")\(position.line):\(position.column)"
        return "\(place): \(message)" + (hint.map { " (\($0))" } ?? "")
    }
}

extension HostError {
    /// The error that a client gets for a pipeline with these problems: the code of the first one,
    /// the messages of all.
    public init(_ problems: [DefinitionProblem], node: String? = nil) {
        let code = problems.first?.code ?? .badField
        let text = problems.map { problem in
            "\(problem.message) (at \(problem.position.line):\(problem.position.column))"
        }
        self.init(code, text.joined(separator: "; "), node: node)
        self.problems = problems
    }
}
