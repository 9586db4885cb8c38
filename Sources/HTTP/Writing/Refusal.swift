public import Support

/// An error answer over HTTP: `application/problem+json` (RFC 9457) with the code of `ErrorTable`.
///
/// ```
/// {"type":"about:blank","title":"Precondition Failed","status":412,"detail":"…","code":"conflict","retry":false,…}
/// ```
public struct Refusal: Sendable {
    public var code: ErrorCode
    /// What the client can do about it.
    ///
    /// Never holds values of nodes.
    public var message: String
    /// Whether the same request may succeed later; the table's word where nil.
    public var retry: Bool?
    /// Seconds for `Retry-After`; where nil is given, 1 if the table asks for the field and the
    /// request may succeed later.
    public var retryAfterSeconds: Int?
    /// The value of `Allow`, for 405.
    public var allow: String?
    /// The value of `Accept-Encoding`, for 415 because of a content coding (RFC 9110 §12.5.3).
    public var acceptEncoding: StaticString?
    /// Further members, written as they stand: each begins with a comma, as `,"node":"x","rev":7`.
    ///
    /// JSON by the caller.
    public var members: [UInt8]

    public init(
        _ code: ErrorCode,
        _ message: String,
        retry: Bool? = nil,
        retryAfterSeconds: Int? = nil,
        allow: String? = nil,
        members: [UInt8] = []
    ) {
        self.code = code
        self.message = message
        self.retry = retry
        self.retryAfterSeconds = retryAfterSeconds
        self.allow = allow
        self.members = members
    }

    /// What the parser refused.
    public init(_ failure: ParseFailure) {
        self.init(failure.code, failure.reason.description)
    }

    /// The status it is answered with; 500 for a code that has none over HTTP.
    public var status: Status {
        ErrorTable.row(code).status ?? .internalServerError
    }

    /// Writes the whole answer.
    /// - Parameters:
    ///   - encoder: brings the date.
    ///   - framing: how the request wants it framed.
    ///   - buffer: what it is appended to.
    ///   - fields: writes further header lines, such as those of CORS.
    public func append(
        _ encoder: ResponseEncoder,
        _ framing: ResponseFraming,
        to buffer: inout ByteBuffer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        let row = ErrorTable.row(code)
        encoder.begin(status, framing, in: &buffer)
        buffer.field("Content-Type", "application/problem+json")
        buffer.field("X-Content-Type-Options", "nosniff")
        if let allow {
            buffer.field("Allow", string: allow)
        }
        if let acceptEncoding { buffer.field("Accept-Encoding", acceptEncoding) }
        if row.sendsRetryAfter && retry != false || retryAfterSeconds != nil {
            buffer.field("Retry-After", retryAfterSeconds ?? 1)
        }
        if status == .unauthorized {
            buffer.field("WWW-Authenticate", "Bearer")
        }
        fields(&buffer)
        var body = ByteBuffer()
        appendBody(status, to: &body)
        encoder.finish(body.bytes, framing, in: &buffer)
    }

    private func appendBody(_ status: Status, to buffer: inout ByteBuffer) {
        buffer.append("{\"type\":\"about:blank\",\"title\":\"")
        buffer.append(status.phrase)
        buffer.append("\"")
        buffer.member("status", status.rawValue)
        buffer.member("code", code.rawValue)
        buffer.member("detail", message)
        buffer.member("retry", retry ?? ErrorTable.row(code).retry)
        buffer.append(members)
        buffer.append("}\n")
    }

    /// Writes the answer 426, which belongs to no code of its own.
    func appendUpgradeRequired(
        _ encoder: ResponseEncoder,
        _ framing: ResponseFraming,
        to buffer: inout ByteBuffer
    ) {
        encoder.begin(.upgradeRequired, framing, in: &buffer)
        buffer.field("Content-Type", "application/problem+json")
        buffer.field("X-Content-Type-Options", "nosniff")
        buffer.field("Upgrade", "websocket")
        // `Upgrade` is named in Connection wherever it is sent (RFC 9110 §7.8), besides `close`
        // where that is said too.
        buffer.field("Connection", "Upgrade")
        buffer.field("Sec-WebSocket-Version", "13")
        var body = ByteBuffer()
        appendBody(.upgradeRequired, to: &body)
        encoder.finish(body.bytes, framing, in: &buffer)
    }
}
