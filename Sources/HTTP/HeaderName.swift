internal import Support

/// A header field that Sluice looks at.
///
/// The parser sorts fields into these while reading, so that asking for one later is an index, not
/// a search.
public struct HeaderName: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let unknown = HeaderName(rawValue: 0)
    public static let host = HeaderName(rawValue: 1)
    public static let contentLength = HeaderName(rawValue: 2)
    public static let contentType = HeaderName(rawValue: 3)
    public static let transferEncoding = HeaderName(rawValue: 4)
    public static let connection = HeaderName(rawValue: 5)
    public static let upgrade = HeaderName(rawValue: 6)
    public static let expect = HeaderName(rawValue: 7)
    public static let origin = HeaderName(rawValue: 8)
    public static let secFetchSite = HeaderName(rawValue: 9)
    public static let ifMatch = HeaderName(rawValue: 10)
    public static let ifNoneMatch = HeaderName(rawValue: 11)
    public static let prefer = HeaderName(rawValue: 12)
    public static let accept = HeaderName(rawValue: 13)
    public static let acceptEncoding = HeaderName(rawValue: 14)
    public static let authorization = HeaderName(rawValue: 15)
    public static let cookie = HeaderName(rawValue: 16)
    public static let idempotencyKey = HeaderName(rawValue: 17)
    public static let sluiceContext = HeaderName(rawValue: 18)
    public static let webSocketKey = HeaderName(rawValue: 19)
    public static let webSocketVersion = HeaderName(rawValue: 20)
    public static let webSocketProtocol = HeaderName(rawValue: 21)
    public static let webSocketExtensions = HeaderName(rawValue: 22)
    public static let webSocketAccept = HeaderName(rawValue: 23)
    public static let lastEventID = HeaderName(rawValue: 24)
    public static let userAgent = HeaderName(rawValue: 25)
    public static let forwarded = HeaderName(rawValue: 26)
    public static let accessControlRequestMethod = HeaderName(rawValue: 27)
    public static let accessControlRequestHeaders = HeaderName(rawValue: 28)
    public static let forwardedFor = HeaderName(rawValue: 29)
    public static let forwardedProto = HeaderName(rawValue: 30)
    public static let contentEncoding = HeaderName(rawValue: 31)
    public static let entityTag = HeaderName(rawValue: 32)
    public static let location = HeaderName(rawValue: 33)
    public static let retryAfter = HeaderName(rawValue: 34)
    public static let range = HeaderName(rawValue: 35)
    public static let forwardedHost = HeaderName(rawValue: 36)

    /// One more than the highest number above.
    static let end = 37

    /// The field's name in small letters; empty for `unknown`.
    public var name: StaticString {
        switch rawValue {
        case 1: "host"
        case 2: "content-length"
        case 3: "content-type"
        case 4: "transfer-encoding"
        case 5: "connection"
        case 6: "upgrade"
        case 7: "expect"
        case 8: "origin"
        case 9: "sec-fetch-site"
        case 10: "if-match"
        case 11: "if-none-match"
        case 12: "prefer"
        case 13: "accept"
        case 14: "accept-encoding"
        case 15: "authorization"
        case 16: "cookie"
        case 17: "idempotency-key"
        case 18: "sluice-context"
        case 19: "sec-websocket-key"
        case 20: "sec-websocket-version"
        case 21: "sec-websocket-protocol"
        case 22: "sec-websocket-extensions"
        case 23: "sec-websocket-accept"
        case 24: "last-event-id"
        case 25: "user-agent"
        case 26: "forwarded"
        case 27: "access-control-request-method"
        case 28: "access-control-request-headers"
        case 29: "x-forwarded-for"
        case 30: "x-forwarded-proto"
        case 31: "content-encoding"
        case 32: "etag"
        case 33: "location"
        case 34: "retry-after"
        case 35: "range"
        case 36: "x-forwarded-host"
        default: ""
        }
    }

    /// Whether a request may carry the field once at most.
    ///
    /// Where two parsers could disagree on which of two counts, the request is refused.
    var isSingle: Bool {
        switch self {
        case .host, .contentLength, .contentType, .transferEncoding, .origin, .secFetchSite, .authorization,
            .idempotencyKey, .sluiceContext, .webSocketKey, .webSocketVersion, .lastEventID, .expect,
            .contentEncoding:
            true
        default: false
        }
    }

    /// The field these bytes name, letters compared without regard to case.
    static func find(_ bytes: UnsafeRawPointer, _ length: Int) -> HeaderName {
        guard length > 0 else { return .unknown }
        // Length, then first letter; `HeaderNameTests` asks for every name. Two switches become two
        // jumps.
        let letter = ASCII.lowercased(bytes.load(as: UInt8.self))
        let candidate: HeaderName
        switch length {
        case 4:
            switch letter {
            case UInt8(ascii: "h"): candidate = .host
            default: candidate = .entityTag
            }
        case 5:
            candidate = .range
        case 6:
            switch letter {
            case UInt8(ascii: "a"): candidate = .accept
            case UInt8(ascii: "c"): candidate = .cookie
            case UInt8(ascii: "e"): candidate = .expect
            case UInt8(ascii: "o"): candidate = .origin
            default: candidate = .prefer
            }
        case 7:
            candidate = .upgrade
        case 8:
            switch letter {
            case UInt8(ascii: "i"): candidate = .ifMatch
            default: candidate = .location
            }
        case 9:
            candidate = .forwarded
        case 10:
            switch letter {
            case UInt8(ascii: "c"): candidate = .connection
            default: candidate = .userAgent
            }
        case 11:
            candidate = .retryAfter
        case 12:
            candidate = .contentType
        case 13:
            switch letter {
            case UInt8(ascii: "a"): candidate = .authorization
            case UInt8(ascii: "i"): candidate = .ifNoneMatch
            default: candidate = .lastEventID
            }
        case 14:
            if letter == UInt8(ascii: "c") {
                candidate = .contentLength
            } else {
                let second = ASCII.lowercased(bytes.load(fromByteOffset: 1, as: UInt8.self))
                candidate = second == UInt8(ascii: "e") ? .secFetchSite : .sluiceContext
            }
        case 15:
            switch letter {
            case UInt8(ascii: "a"): candidate = .acceptEncoding
            case UInt8(ascii: "i"): candidate = .idempotencyKey
            default: candidate = .forwardedFor
            }
        case 16:
            candidate = letter == UInt8(ascii: "c") ? .contentEncoding : .forwardedHost
        case 17:
            switch letter {
            case UInt8(ascii: "s"): candidate = .webSocketKey
            case UInt8(ascii: "t"): candidate = .transferEncoding
            default: candidate = .forwardedProto
            }
        case 20:
            candidate = .webSocketAccept
        case 21:
            candidate = .webSocketVersion
        case 22:
            candidate = .webSocketProtocol
        case 24:
            candidate = .webSocketExtensions
        case 29:
            candidate = .accessControlRequestMethod
        case 30:
            candidate = .accessControlRequestHeaders
        default: return .unknown
        }
        return matches(bytes, candidate.name.utf8Start, length) ? candidate : .unknown
    }

    /// Compares a token with a name in small letters, eight bytes at a time.
    ///
    /// Setting bit 5 folds letters; the only other byte it could confuse is CR with `-`, and no
    /// token has a CR.
    @inline(__always)
    private static func matches(_ bytes: UnsafeRawPointer, _ name: UnsafeRawPointer, _ length: Int) -> Bool {
        let fold: UInt64 = 0x2020_2020_2020_2020
        if length >= 8 {
            var offset = 0
            while true {
                let ours = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | fold
                if ours != name.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
                if offset == length &- 8 { return true }
                offset = min(offset &+ 8, length &- 8)
            }
        }
        for offset in 0..<length
        where bytes.load(fromByteOffset: offset, as: UInt8.self) | 0x20
            != name.load(fromByteOffset: offset, as: UInt8.self)
        {
            return false
        }
        return true
    }
}
