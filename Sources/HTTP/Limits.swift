/// How much a peer may send before the parser refuses.
///
/// Defaults are those of the configuration.
public struct Limits: Sendable {
    /// The request target, in bytes; more is `uri_too_long`.
    public var targetBytes: Int
    /// All header lines together, line ends and the closing empty line included; more is
    /// `headers_too_large`.
    public var headerBytes: Int
    /// The number of header fields; more is `headers_too_large`.
    public var headerFields: Int
    /// The body, chunk framing not counted; more is `too_large`.
    public var bodyBytes: Int
    /// Requests whose bodies have a bound of their own.
    public var otherBody: OtherBody?

    /// The requests of one method for what lies directly in a folder, and the bound of their
    /// bodies.
    ///
    /// Where it is larger than the customary one, the caller of the parser is asked before the body
    /// is read (``RequestParser/Step/roomNeeded``): who is asking is not known before the head is
    /// complete.
    public struct OtherBody: Sendable {
        public let method: Method
        /// The decoded path up to the last segment: `/v1/graphs/`.
        public let folder: StaticString
        /// The body, chunk framing not counted.
        public let bytes: Int

        public init(method: Method, folder: StaticString, bytes: Int) {
            self.method = method
            self.folder = folder
            self.bytes = bytes
        }
    }

    public init(
        targetBytes: Int = 8 * 1024,
        headerBytes: Int = 16 * 1024,
        headerFields: Int = 100,
        bodyBytes: Int = 64 * 1024,
        otherBody: OtherBody? = nil
    ) {
        self.targetBytes = targetBytes
        self.headerBytes = headerBytes
        self.headerFields = headerFields
        self.bodyBytes = bodyBytes
        self.otherBody = otherBody
    }

    /// Where reading stops for good while a head is unfinished, wherever in it the bytes pile up.
    var headBytes: Int { targetBytes + headerBytes + 64 }
}
