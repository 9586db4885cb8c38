/// A request method.
///
/// The numbers are llhttp's, so that no look-up is needed between its parser and the router.
public struct Method: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let delete = Method(rawValue: 0)
    public static let get = Method(rawValue: 1)
    public static let head = Method(rawValue: 2)
    public static let post = Method(rawValue: 3)
    public static let put = Method(rawValue: 4)
    public static let connect = Method(rawValue: 5)
    public static let options = Method(rawValue: 6)
    public static let trace = Method(rawValue: 7)
    public static let patch = Method(rawValue: 28)

    /// The methods a router may be given, in the order in which `Allow` names them.
    static let routable: [Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    /// The method with that word, if the server knows it.
    public init?(word: String) {
        guard let known = Self.routable.first(where: { $0.name.description == word }) else { return nil }
        self = known
    }

    /// The word on the wire, for the methods named above; `OTHER` for those llhttp knows and Sluice
    /// has no use for.
    public var name: StaticString {
        switch self {
        case .delete: "DELETE"
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .connect: "CONNECT"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .patch: "PATCH"
        default: "OTHER"
        }
    }

    /// Whether a request with this method changes nothing (RFC 9110 §9.2.1).
    ///
    /// Others need the Origin check.
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }

    /// Whether performing a request twice has the effect of one (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}
