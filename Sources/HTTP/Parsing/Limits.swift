public import Support

/// How much a peer may send before the parser refuses.
///
/// Defaults are those of the configuration.
@safe public struct Limits: Sendable {
    /// The request target, in bytes; more is `uri_too_long`.
    public var targetBytes: Int
    /// All header lines together, line ends and the closing empty line included; more is
    /// `headers_too_large`.
    public var headerBytes: Int
    /// The number of header fields; more is `headers_too_large`.
    public var headerFields: Int
    /// The body, chunk framing not counted; more is `too_large`.
    public var bodyBytes: Int
    /// The body of a request that ``allowsLongBody`` accepts, if it is more than `bodyBytes`.
    public var longBodyBytes: Int
    /// Which requests may have a longer body than others, by method, path and query.
    public var allowsLongBody: @Sendable (Method, _ path: BorrowedBytes, Query) -> Bool =
        { _, _, _ in false }

    public init(
        targetBytes: Int = 8 * 1024,
        headerBytes: Int = 16 * 1024,
        headerFields: Int = 100,
        bodyBytes: Int = 64 * 1024,
        longBodyBytes: Int = 8 * 1024 * 1024
    ) {
        self.targetBytes = targetBytes
        self.headerBytes = headerBytes
        self.headerFields = headerFields
        self.bodyBytes = bodyBytes
        self.longBodyBytes = longBodyBytes
    }

    /// How long the body of the message at hand may be.
    func body(of facts: RequestFacts) -> Int {
        facts.allowsLongBody ? max(bodyBytes, longBodyBytes) : bodyBytes
    }

    /// Where reading stops for good while a head is unfinished, wherever in it the bytes pile up.
    public var headBytes: Int { targetBytes + headerBytes + 64 }
}
