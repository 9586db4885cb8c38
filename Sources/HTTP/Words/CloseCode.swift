/// Why a WebSocket is closed (RFC 6455 §7.4; docs/protocol.md, Errors).
///
/// Unknown numbers survive.
///
/// 4000–4499 mean that the client should not reconnect, 4500–4999 that it should, with a jittered
/// back-off.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static let normal = CloseCode(rawValue: 1000)
    public static let goingAway = CloseCode(rawValue: 1001)
    public static let protocolError = CloseCode(rawValue: 1002)
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// Never on the wire: a close frame without a code.
    public static let noneGiven = CloseCode(rawValue: 1005)
    public static let invalidPayload = CloseCode(rawValue: 1007)
    public static let messageTooBig = CloseCode(rawValue: 1009)
    public static let internalError = CloseCode(rawValue: 1011)
    public static let badMessages = CloseCode(rawValue: 4400)
    public static let unauthenticated = CloseCode(rawValue: 4401)
    public static let forbidden = CloseCode(rawValue: 4403)
    public static let helloTimeout = CloseCode(rawValue: 4408)
    public static let rateLimited = CloseCode(rawValue: 4429)
    public static let unavailable = CloseCode(rawValue: 4503)
    public static let heartbeatTimeout = CloseCode(rawValue: 4508)
    public static let epochLost = CloseCode(rawValue: 4510)
    public static let tooManyConnections = CloseCode(rawValue: 4529)
    public static let slow = CloseCode(rawValue: 4580)

    /// Whether a peer may send it (RFC 6455 §7.4.1 and the IANA registry): 1000–1003, 1007–1014,
    /// 3000–4999.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
