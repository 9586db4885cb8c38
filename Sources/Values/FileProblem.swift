package import Support

/// One problem of the configuration's files, for people and for scripts.
///
/// As text it is `file:line:column: message (hint)`, in the format of compilers; as JSON an object
/// with those of `file`, `line`, `column`, `code`, `pointer`, `message` and `hint` that are known.
public struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named; nil if the problem is elsewhere, such as on the command line.
    public let file: String?
    /// The place in it; nil: the file as a whole.
    public let position: Position?
    /// The same place as a JSON Pointer (RFC 6901).
    public let pointer: String?
    /// A code of the protocol's table of errors; nil if no request could get it.
    public let code: String?
    /// A sentence that says what is wrong, without a full stop.
    public let message: String
    /// A suggestion how to fix it, if there is one.
    public let hint: String?

    /// A problem of a file as a whole, or of no file.
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

    /// A problem found while a document was read.
    public init(_ problem: DefinitionProblem) {
        file = problem.file
        position = problem.position
        pointer = problem.pointer
        code = problem.code.rawValue
        message = problem.message
        hint = problem.hint
    }

    /// The same with a remark after its message.
    package func with(remark: String) -> FileProblem {
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

    public var json: String {
        var out = ByteBuffer()
        append(to: &out)
        return String(decoding: out.bytes, as: UTF8.self)
    }

    package func append(to out: inout ByteBuffer) {
        out.append("{")
        out.member("file", file)
        out.member("code", code)
        out.member("pointer", pointer)
        out.member("hint", hint)
        out.member("line", position?.line)
        out.member("column", position?.column)
        out.member("message", message)
        out.append("}")
    }
}
