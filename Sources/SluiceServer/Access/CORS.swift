internal import HTTP
internal import Support

/// Which other sites' pages may read this server's answers (CORS, WHATWG Fetch §3.2).
///
/// Whether pages may change something is decided by `origins` instead.
struct CORS {
    private let origins: Set<String>
    private let isForAll: Bool

    /// Allows `origins`; `*` stands for all.
    init(_ origins: [String]) {
        self.origins = Set(origins)
        isForAll = origins.contains("*")
    }

    /// Whether any origin is allowed: then answers vary by `Origin`.
    var isOn: Bool { !origins.isEmpty }

    /// The value of `Access-Control-Allow-Origin` for a page of this origin; nil: no such field.
    func answer(to origin: UnsafeRawBufferPointer?) -> String? {
        guard isOn, let origin, let text = String(validating: origin, as: UTF8.self) else { return nil }
        return isForAll || origins.contains(text) ? text : nil
    }

    /// Request fields that pages may send.
    static let requestFields: StaticString =
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Sluice-Context"
    /// Answer fields that pages may read.
    static let answerFields: StaticString =
        "Allow, ETag, Idempotent-Replayed, Last-Modified, Preference-Applied, Retry-After, Sluice-Time"
    /// Seconds for which a browser may remember the answer to a preflight.
    static let lifetime: StaticString = "600"
}

extension HTTPConnection {
    /// Begins an answer with the fields of CORS.
    @inline(__always)
    func begin(_ status: Status, in out: inout ByteBuffer) {
        server.count(status)
        server.encoder.begin(status, framing, in: &out)
        if server.cors.isOn { appendSharing(to: &out) }
    }

    func appendSharing(to out: inout ByteBuffer) {
        guard server.cors.isOn else { return }
        out.append("Vary: Origin\r\n")
        guard let sharedWith else { return }
        out.field("Access-Control-Allow-Origin", string: sharedWith)
        out.field("Access-Control-Expose-Headers", CORS.answerFields)
    }

    /// Answers OPTIONS on a known path: the methods, and for a browser's preflight the fields that
    /// a page may send.
    func answerOptions(_ head: RequestHead, allow: String) {
        let isPreflight = head.has(.accessControlRequestMethod) && sharedWith != nil
        let mayChange = server.originCheck.accepts(head, forwarding)
        answerEmpty(.noContent) { out in
            out.field("Allow", string: allow)
            guard isPreflight else { return }
            out.field("Access-Control-Allow-Methods", string: mayChange ? allow : "GET, HEAD, OPTIONS")
            out.field("Access-Control-Allow-Headers", CORS.requestFields)
            out.field("Access-Control-Max-Age", CORS.lifetime)
        }
    }
}
