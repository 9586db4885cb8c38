public import Support

/// The stable word for an error, the same over HTTP and WebSocket (docs/protocol.md, Errors).
///
/// `ErrorTable` says what each means.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }

    public static let badRequest: ErrorCode = "bad_request"
    public static let uriTooLong: ErrorCode = "uri_too_long"
    public static let headersTooLarge: ErrorCode = "headers_too_large"
    public static let tooLarge: ErrorCode = "too_large"
    public static let notFound: ErrorCode = "not_found"
    public static let methodNotAllowed: ErrorCode = "method_not_allowed"
    public static let notAcceptable: ErrorCode = "not_acceptable"
    public static let unsupportedType: ErrorCode = "unsupported_type"
    public static let misdirected: ErrorCode = "misdirected"
    public static let badOrigin: ErrorCode = "bad_origin"
    public static let readOnly: ErrorCode = "read_only"
    public static let forbidden: ErrorCode = "forbidden"
    public static let timeout: ErrorCode = "timeout"
    public static let draining: ErrorCode = "draining"
}

extension ErrorTable {
    /// The row of a code.
    public static func row(_ code: ErrorCode) -> ErrorRow { row(code.rawValue) }
}

extension ErrorRow {
    /// The status over HTTP; nil if the error does not occur there.
    public var status: Status? { statusNumber.map(Status.init(rawValue:)) }

    /// The close code, if the error closes a WebSocket.
    public var close: CloseCode? { closeNumber.map(CloseCode.init(rawValue:)) }
}
