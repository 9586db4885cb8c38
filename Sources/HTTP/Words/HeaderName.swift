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
    public static let date = HeaderName(rawValue: 37)
    public static let lastModified = HeaderName(rawValue: 38)
    public static let cacheControl = HeaderName(rawValue: 39)
    public static let sluicePath = HeaderName(rawValue: 40)

    /// One more than the highest number above.
    static var end: Int { names.count }

    /// The field's name in small letters; empty for `unknown`.
    public var name: StaticString { Self.names[Int(rawValue)] }

    fileprivate static let names: [StaticString] = [
        "", "host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade", "expect",
        "origin", "sec-fetch-site", "if-match", "if-none-match", "prefer", "accept", "accept-encoding",
        "authorization", "cookie", "idempotency-key", "sluice-context", "sec-websocket-key",
        "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
        "sec-websocket-accept", "last-event-id", "user-agent", "forwarded", "access-control-request-method",
        "access-control-request-headers", "x-forwarded-for", "x-forwarded-proto", "content-encoding", "etag",
        "location", "retry-after", "range", "x-forwarded-host", "date",
        "last-modified", "cache-control", "sluice-path",
    ]

    /// Whether a request may carry the field once at most.
    ///
    /// Where two parsers could disagree on which of two counts, the request is refused.
    var isSingle: Bool {
        switch self {
        case .host, .contentLength, .contentType, .transferEncoding, .origin, .secFetchSite, .authorization,
            .idempotencyKey, .sluiceContext, .sluicePath, .webSocketKey, .webSocketVersion, .lastEventID,
            .expect, .contentEncoding:
            true
        default: false
        }
    }
}

/// The length and the ends of a name in small letters.
///
/// Setting bit 5 folds letters; the only other byte it could confuse is CR with `-`, and no token
/// has a CR.
private struct FoldedEnds: Equatable, Sendable {
    static let fold: UInt64 = 0x2020_2020_2020_2020

    let count: Int
    let first: UInt64
    let last: UInt64

    @inline(__always)
    init(_ name: BorrowedBytes) {
        let ends = TextEnds(name)
        count = name.count
        first = ends.first | Self.fold
        last = ends.last | Self.fold
    }

    /// Where the search in a ``HeaderTable`` begins.
    @inline(__always)
    var home: Int { Int(((first &* 31 ^ last ^ UInt64(count) << 59) &* 0x9e37_79b9_7f4a_7c15) >> 57) }
}

/// The names of ``HeaderName``, for finding them by their bytes.
struct HeaderTable: Sendable {
    /// Each name at its home or after it; `unknown` marks a free place.
    private let places: [(ends: FoldedEnds, name: HeaderName)]

    /// All of them.
    static let known = HeaderTable(HeaderName.names)

    private init(_ names: [StaticString]) {
        var places = Array(
            repeating: (FoldedEnds(BorrowedBytes()), HeaderName.unknown),
            count: 128
        )
        for (number, name) in names.enumerated().dropFirst() {
            let ends = unsafe FoldedEnds(
                BorrowedBytes(start: name.utf8Start, count: name.utf8CodeUnitCount)
            )
            var place = ends.home
            while places[place].1 != .unknown { place = (place + 1) % places.count }
            places[place] = (ends, HeaderName(rawValue: UInt8(number)))
        }
        self.places = places
    }

    /// The field these bytes name, letters compared without regard to case.
    @inline(__always)
    func find(_ bytes: UnsafeRawPointer, _ length: Int) -> HeaderName {
        let ends = unsafe FoldedEnds(BorrowedBytes(start: bytes, count: length))
        var place = ends.home
        while true {
            let known = places[place]
            if known.name == .unknown { return .unknown }
            if known.ends == ends, unsafe known.name.hasMiddle(bytes, length) { return known.name }
            place = (place + 1) % places.count
        }
    }
}

extension HeaderName {

    /// Whether the bytes between the ends are those of this name.
    @inline(__always)
    fileprivate func hasMiddle(_ bytes: UnsafeRawPointer, _ length: Int) -> Bool {
        var offset = 8
        while offset < length &- 8 {
            let ours = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | FoldedEnds.fold
            let theirs = unsafe UnsafeRawPointer(name.utf8Start).loadUnaligned(
                fromByteOffset: offset,
                as: UInt64.self
            )
            if ours != theirs { return false }
            offset &+= 8
        }
        return true
    }
}
