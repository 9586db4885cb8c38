internal import GraphHost
internal import HTTP
internal import Support

extension Refusal {
    /// The answer for an error of the host; `allow` has the methods of a 405, if they are not those
    /// of a node that cannot be set.
    init(_ error: HostError, allow: String? = nil) {
        var members = ByteBuffer()
        if let node = error.node {
            members.append(",\"node\":")
            members.append(json: node)
        }
        if let rev = error.rev {
            members.append(",\"rev\":")
            members.append(decimal: rev)
        }
        if error.code == .gone { members.append(kept: error.kept) }
        if error.code == .conflict, let node = error.node {
            members.append(",\"failed\":")
            let one = error.rev.map { HostError.Failed(node: node, rev: $0) }
            members.append(list: error.failed.isEmpty ? one.map { [$0] } ?? [] : error.failed) {
                failed,
                members in
                members.append("{\"node\":")
                members.append(json: failed.node)
                members.append(",\"rev\":")
                members.append(decimal: failed.rev)
                members.append("}")
            }
        }
        if let problems = error.problemsJSON {
            members.append(",\"problems\":")
            members.append(problems)
        }
        if let hint = error.hint {
            members.append(",\"hint\":")
            members.append(json: hint)
        }
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
        let key = excess.isOther ? "limits.definition" : "limits.body"
        self.init(.tooLarge, "\(size); at most \(excess.limit) are allowed (\(key))")
    }
}

extension HostError.Code {
    // Codes that only occur over HTTP.
    static let unsupportedType = Self(rawValue: "unsupported_type")
    static let readOnly = Self(rawValue: "read_only")
}
