/// Why bytes are not acceptable JSON text, and where (RFC 8259).
public struct JSONError: Error, Hashable, Sendable {
    /// What is wrong with the text.
    public enum Reason: UInt8, Hashable, Sendable, CaseIterable {
        /// Only white space.
        case empty
        /// The text ends inside a value.
        case unexpectedEnd
        /// A byte that is not allowed here.
        case unexpectedByte
        /// Something follows the value.
        case trailingBytes
        /// A word other than `true`, `false` and `null`.
        case badLiteral
        /// A number that RFC 8259 §6 does not allow: `01`, `+1`, `.5`, `1.`, `1e`.
        case badNumber
        /// A number too large for a double. The only reason with the code `type_mismatch` (422).
        case numberOutOfRange
        /// A control character (below U+0020) inside a string.
        case controlCharacter
        /// A backslash followed by an invalid escape.
        case badEscape
        /// Half of a surrogate pair, alone.
        case loneSurrogate
        /// Bytes that are not UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
        /// U+10FFFF).
        case badUTF8
        /// Arrays and objects nest too deeply.
        case tooDeep
        /// An object with a duplicate key, escaped or not.
        case duplicateKey
        /// The text is longer than this scanner can handle (2 GiB).
        case tooLong
        /// A value that JSON cannot represent: NaN, an infinity, a type.
        case inexpressible
    }

    /// What is wrong.
    public let reason: Reason
    /// The place, as a byte offset.
    public let offset: Int

    /// An error at a byte offset.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The code sent to clients: `type_mismatch` for a number beyond double range, otherwise
    /// `bad_json`.
    public var code: HostError.Code {
        reason == .numberOutOfRange ? .typeMismatch : .badJSON
    }

    /// A sentence without a full stop and without any part of the text.
    public var message: String {
        "\(explanation) (at byte \(offset))"
    }

    /// The message without the place.
    public var explanation: String {
        switch reason {
        case .empty: "the JSON text is empty"
        case .unexpectedEnd: "the JSON text ends too early"
        case .unexpectedByte: "unexpected character in the JSON text"
        case .trailingBytes: "unexpected text after the JSON value"
        case .badLiteral: "the only words in JSON are true, false and null; text needs double quotes"
        case .badNumber: "this is not a JSON number"
        case .numberOutOfRange: "number beyond the range of a double"
        case .controlCharacter: "a control character inside a string must be escaped"
        case .badEscape: "unknown escape in a string"
        case .loneSurrogate: "an unpaired surrogate in a string"
        case .badUTF8: "the JSON text is not UTF-8"
        case .tooDeep: "arrays and objects nest too deeply"
        case .duplicateKey: "an object has a duplicate key"
        case .tooLong: "the JSON text is too long"
        case .inexpressible: "the value cannot be written as JSON"
        }
    }
}

extension HostError {
    /// The error sent to a client for invalid JSON.
    public init(_ error: JSONError, node: String? = nil) {
        self.init(error.code, error.message, node: node)
    }
}

/// The kind of a JSON value, by its first byte.
public enum JSONKind: UInt8, Hashable, Sendable {
    case null, bool, number, string, array, object
}

/// How strictly JSON is read beyond RFC 8259.
public struct JSONLimits: Hashable, Sendable {
    /// The deepest nesting of arrays and objects, 1 … 64.
    public let depth: Int
    /// Whether an object with duplicate keys is refused.
    public let refusesDuplicateKeys: Bool

    /// Depth 64, duplicate keys refused: the rules of the wire protocol.
    public static let standard = JSONLimits()

    /// Limits; a `depth` outside 1 … 64 is a programming error.
    public init(depth: Int = 64, refusesDuplicateKeys: Bool = true) {
        precondition((1...64).contains(depth), "JSON nests 1 … 64 deep")
        self.depth = depth
        self.refusesDuplicateKeys = refusesDuplicateKeys
    }
}
