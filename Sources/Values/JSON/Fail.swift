internal import Support

/// Why a derived node has no value for its present input: the operator's error, as data.
public struct Fail: Hashable, Sendable {
    /// One of the codes in docs/definitions.md, Empty and failed, such as `expr_type` or
    /// `not_a_key`.
    public let code: String
    /// The place: the node or stage, and the position in its expression.
    public let at: String
    /// A sentence for a person that never contains values of nodes.
    public let message: String

    /// A failure with a stable code, a place, and a sentence.
    public init(code: String, at: String, message: String) {
        self.code = code
        self.at = at
        self.message = message
    }

    /// Appends `{"code":…,"at":…,"msg":…}`.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"code":"#.utf8)
        bytes.append(json: code)
        bytes.append(contentsOf: #","at":"#.utf8)
        bytes.append(json: at)
        bytes.append(contentsOf: #","msg":"#.utf8)
        bytes.append(json: message)
        bytes.append(UInt8(ascii: "}"))
    }
}
