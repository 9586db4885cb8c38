public import GraphHost
internal import HTTP
internal import Support

/// One thing that is wrong with the files of a configuration, for people and for scripts.
///
/// As text it is `file:line:column: message (hint)`, as compilers write it; as JSON an object with those of `file`, `line`, `column`,
/// `code`, `pointer`, `message` and `hint` that there are.
public struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named; nil where the problem lies elsewhere, on the command line for example.
    public let file: String?
    /// Where in it; nil: the file as a whole.
    public let position: Position?
    /// The same place as a JSON Pointer (RFC 6901).
    public let pointer: String?
    /// A code of the protocol's table of errors; nil where no request could get it.
    public let code: String?
    /// What is wrong, a sentence without a full stop.
    public let message: String
    /// What to do about it, where that can be guessed.
    public let hint: String?

    /// A problem of a file as a whole, or of none.
    public init(
        _ message: String,
        file: String? = nil,
        at position: Position? = nil,
        code: String? = nil,
        pointer: String? = nil,
        hint: String? = nil
    ) {
        self.file = file
        self.position = position
        self.code = code
        self.message = message
        self.pointer = pointer
        self.hint = hint
    }

    /// A problem that was found while a document was read.
    public init(_ problem: GraphHost.Problem) {
        file = problem.file
        position = problem.position
        pointer = problem.pointer
        code = problem.code.rawValue
        message = problem.message
        hint = problem.hint
    }

    /// The same with something behind its message.
    func with(remark: String) -> FileProblem {
        FileProblem(
            "\(message); \(remark)",
            file: file,
            at: position,
            code: code,
            pointer: pointer,
            hint: hint
        )
    }

    public var description: String {
        var text = file.map { "\($0):" } ?? ""
        if let position { text += "\(position.line):\(position.column):" }
        return (text.isEmpty ? "" : text + " ") + message + (hint.map { " (\($0))" } ?? "")
    }

    /// As one JSON object.
    public var json: String {
        var out = ByteBuffer()
        append(to: &out)
        return String(decoding: out.bytes, as: UTF8.self)
    }

    /// Appends it as a JSON object.
    func append(to out: inout ByteBuffer) {
        out.append("{")
        let texts: [(StaticString, String?)] = [
            ("file", file), ("code", code), ("pointer", pointer), ("hint", hint),
        ]
        for (name, text) in texts {
            guard let text else { continue }
            out.append("\"")
            out.append(name)
            out.append("\":")
            out.append(json: text)
            out.append(",")
        }
        if let position {
            out.append("\"line\":")
            out.append(decimal: position.line)
            out.append(",\"column\":")
            out.append(decimal: position.column)
            out.append(",")
        }
        out.append("\"message\":")
        out.append(json: message)
        out.append("}")
    }
}
