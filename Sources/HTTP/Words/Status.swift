/// A response status (RFC 9110 §15).
///
/// Unknown numbers survive.
public struct Status: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let `continue` = Status(rawValue: 100)
    public static let switchingProtocols = Status(rawValue: 101)
    public static let ok = Status(rawValue: 200)
    public static let created = Status(rawValue: 201)
    public static let accepted = Status(rawValue: 202)
    public static let noContent = Status(rawValue: 204)
    public static let found = Status(rawValue: 302)
    public static let notModified = Status(rawValue: 304)
    public static let badRequest = Status(rawValue: 400)
    public static let unauthorized = Status(rawValue: 401)
    public static let gone = Status(rawValue: 410)
    public static let upgradeRequired = Status(rawValue: 426)
    public static let internalServerError = Status(rawValue: 500)

    /// Whether an answer with this status has no body and no Content-Length (RFC 9110 §6.4.1).
    public var isBodiless: Bool {
        rawValue < 200 || rawValue == 204 || rawValue == 304
    }

    /// The reason phrase; `Unknown` for a number without a name here.
    public var phrase: StaticString {
        switch rawValue {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 424: "Failed Dependency"
        case 426: "Upgrade Required"
        case 428: "Precondition Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Unknown"
        }
    }
}
