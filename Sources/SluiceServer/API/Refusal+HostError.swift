internal import Sessions
internal import HTTP
internal import Support
internal import Values

extension Refusal {
    /// The answer for an error of the host; `allow` has the methods of a 405, if they are not those
    /// of a node that cannot be set.
    init(_ error: HostError, allow: String? = nil) {
        var members = ByteBuffer()
        members.member("node", error.node)
        members.member("rev", error.rev)
        if error.code == .gone { members.append(kept: error.kept) }
        members.append(failedOf: error)
        if let problems = error.problemsJSON {
            members.member("problems")
            members.append(problems)
        }
        members.member("hint", error.hint)
        self.init(
            ErrorCode(rawValue: error.code.rawValue),
            error.message,
            retry: error.retry,
            retryAfterSeconds: error.after.map { ($0 + 999) / 1000 },
            allow: error.code == .notMutable ? allow ?? "GET, HEAD, OPTIONS" : nil,
            members: Array(members.bytes)
        )
    }

    /// The answer for a request that the parser refuses.
    init(refusing failure: ParseFailure) {
        if let excess = failure.excess { self.init(excess) } else { self.init(failure) }
    }

    /// The answer for a body that is too large, with its size, the limit and the limit's key.
    init(_ excess: BodyExcess) {
        let size = excess.bytes.map { "the body has \($0) bytes" } ?? "the chunked body has more"
        let key = Self.bodyLimit(excess.isLong)
        self.init(.tooLarge, "\(size); at most \(excess.limit) are allowed (\(key))")
    }

    /// The name of the limit of a request's body.
    static func bodyLimit(_ isLong: Bool) -> String { isLong ? "limits.dryRun" : "limits.body" }
}

extension HostError.Code {
    // Codes that only occur over HTTP.
    static let unsupportedType = Self(rawValue: "unsupported_type")
    static let readOnly = Self(rawValue: "read_only")
}
