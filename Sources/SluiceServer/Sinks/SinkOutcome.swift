internal import Definitions
internal import EventLoop
internal import HTTP
internal import Outbound
internal import Support

/// What became of a try.
enum SinkOutcome: Equatable {
    case arrived
    /// It makes no sense to try again.
    case refused(String)
    /// It may arrive later: not before `after` milliseconds have passed, where the receiver has
    /// said so.
    case failed(String, after: Int? = nil)

    /// What an answer of `url`, or none, means; `now` in milliseconds since 1970.
    init(_ result: Result<HTTPClient.Answer, ClientFailure>, of url: RemoteURL, at now: Int64) {
        switch result {
        case .success(let answer):
            self.init(
                status: answer.status,
                retryAfter: answer.retryAfter,
                date: answer.date,
                location: answer.location.map { Self.shown($0, hiding: url.target) },
                at: now
            )
        case .failure(let failure):
            switch failure {
            case .notUnderstood: self = .refused(failure.description)
            default: self = .failed(failure.reason)
            }
        }
    }

    /// A date in `retryAfter` counts from the answer's own date: the receiver's clock may differ.
    init(
        status: Int,
        retryAfter: String? = nil,
        date: String? = nil,
        location: String? = nil,
        at now: Int64
    ) {
        switch status {
        case 200..<300: self = .arrived
        case 429, 503:
            let sent = date.flatMap { HTTPDate.unixSeconds(of: $0) }.map { $0 * 1_000 }
            let wait = retryAfter.flatMap { RetryAfter.milliseconds($0, from: sent ?? now) }
            self = .failed("status \(status)", after: wait)
        case 408, 425, 500...: self = .failed("status \(status)")
        // Redirects are not followed: they could lead anywhere.
        case 300..<400:
            let place = location.map { ", Location: \($0)" } ?? ""
            self = .refused("status \(status)\(place)")
        default: self = .refused("status \(status)")
        }
    }

    /// A `Location` for people: at most 200 characters, and without path and query of the sink,
    /// which may be secrets and mostly come back in it.
    static func shown(_ location: String, hiding target: String) -> String {
        let bytes = location.utf8.map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
        var text = String(decoding: bytes, as: UTF8.self)
        for part in target.split(separator: "?", maxSplits: 1) where part != "/" {
            text = text.replacing(part, with: part.hasPrefix("/") ? "/..." : "...")
        }
        return text.utf8.count <= 200 ? text : "\(text.prefix(200))..."
    }
}

extension ClientFailure {
    /// The description without the path, which may be a secret.
    fileprivate var reason: String {
        switch self {
        case .unreachable(_, let error): "no connection: \(error.message)"
        case .notPermitted(let url, let address):
            "\(url.host) leads to \(address), which is not public: "
                + "write '\(url.authority)=\(address)' in sinkHosts if it may"
        case .untrusted(_, let reason): "no secure connection: \(reason)"
        default: description
        }
    }
}
