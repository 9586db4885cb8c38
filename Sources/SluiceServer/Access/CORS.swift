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
    func answer(to origin: BorrowedBytes?) -> String? {
        guard isOn, let origin, let text = String(validating: origin, as: UTF8.self) else { return nil }
        return isForAll || origins.contains(text) ? text : nil
    }

    /// Appends the fields of an answer, which a page of the origin may read.
    func append(sharedWith origin: String?, to out: inout ByteBuffer) {
        guard isOn else { return }
        out.append("Vary: Origin\r\n")
        guard let origin else { return }
        out.field("Access-Control-Allow-Origin", string: origin)
        out.field("Access-Control-Expose-Headers", Self.answerFields)
    }

    static let requestFields: StaticString =
        "Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Sluice-Context, Sluice-Path"
    private static let answerFields: StaticString =
        "Allow, ETag, Idempotent-Replayed, Last-Modified, Preference-Applied, Retry-After, Sluice-Time"
    /// Seconds for which a browser may remember the answer to a preflight.
    static let lifetime: StaticString = "600"
}
