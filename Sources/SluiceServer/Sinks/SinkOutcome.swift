internal import EventLoop
internal import HTTP
internal import Support

/// What became of a try.
enum SinkOutcome: Equatable {
    case arrived
    /// It makes no sense to try again.
    case refused(String)
    /// It may arrive later: not before `after` milliseconds have passed, where the receiver has
    /// said so.
    case failed(String, after: Int? = nil)

    /// What an answer, or none, means; `now` in milliseconds since 1970.
    init(_ result: Result<HTTPClient.Answer, ClientFailure>, at now: Int64) {
        switch result {
        case .success(let answer):
            self.init(status: answer.status, retryAfter: answer.retryAfter, date: answer.date, at: now)
        case .failure(let failure):
            switch failure {
            case .notUnderstood: self = .refused(failure.description)
            default: self = .failed(failure.reason)
            }
        }
    }

    /// A date in `retryAfter` counts from the answer's own date: the receiver's clock may differ.
    init(status: Int, retryAfter: String? = nil, date: String? = nil, at now: Int64) {
        switch status {
        case 200..<300: self = .arrived
        case 429, 503:
            let sent = date.flatMap { HTTPDate.unixSeconds(of: $0) }.map { $0 * 1_000 }
            let wait = retryAfter.flatMap { Self.milliseconds($0, from: sent ?? now) }
            self = .failed("status \(status)", after: wait)
        case 408, 425, 500...: self = .failed("status \(status)")
        // Redirects are not followed: they could lead anywhere.
        default: self = .refused("status \(status)")
        }
    }

    /// What `Retry-After` says (RFC 9110 §10.2.3): seconds, or a date; nil where it says neither.
    private static func milliseconds(_ text: String, from now: Int64) -> Int? {
        // More digits than that are too long a time.
        if !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy(ASCII.isDigit) {
            return Int(text).map { $0 * 1_000 }
        }
        return HTTPDate.unixSeconds(of: text).map { max(0, Int($0 * 1_000 - now)) }
    }
}

extension ClientFailure {
    /// The description without the path, which may be a secret.
    fileprivate var reason: String {
        switch self {
        case .unreachable(_, let error): "no connection: \(error.message)"
        case .untrusted(_, let reason): "no secure connection: \(reason)"
        default: description
        }
    }
}
