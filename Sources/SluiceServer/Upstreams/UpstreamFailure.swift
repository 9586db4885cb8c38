internal import Commits
internal import EventLoop
internal import Outbound

/// Why an upstream gave no value, as clients see it beside the last value (S-4).
struct UpstreamFailure: Error, Equatable {
    /// A stable word.
    enum Code: String, CaseIterable {
        /// The connection cannot be made, or ended too early.
        case unreachable
        /// The name leads to an address that `sourceHosts` does not permit.
        case notPermitted = "not_permitted"
        /// The certificate is not trusted.
        case untrusted
        case timeout
        /// The answer has another status than one of success.
        case status
        /// A redirect leads where the server must not go, or goes on for too long.
        case redirect
        /// The answer is no HTTP, too long, coded, or no JSON.
        case answer = "bad_answer"
        /// What was sent has nothing for this member.
        case notFound = "not_found"
        /// `pick` fails for what was sent.
        case pick
        /// The configuration has no such secret for the graph.
        case secret = "no_secret"
        /// The address or the body cannot be made for this member.
        case address = "bad_address"
        case body = "bad_body"
        /// The graph does not take the value, or the other server or the broker the request.
        case refused
        /// The other server or the broker does not let this one in, or not to the node or topic.
        case forbidden
        /// The node is made from this one.
        case cycle
    }

    let code: Code
    let message: String
    var status: Int?
    /// How long the upstream wants not to be asked, in milliseconds.
    var pause: Int?

    static let addressTooLong = UpstreamFailure(.address, "the address is too long")

    init(_ code: Code, _ message: String, status: Int? = nil, pause: Int? = nil) {
        (self.code, self.message, self.status, self.pause) = (code, message, status, pause)
    }

    /// The report for the node; `retryAt` in milliseconds since 1970.
    func report(retryAt: UInt64?) -> FacetChange {
        FacetChange(reportedCode: code.rawValue, message: message, status: status, retryAt: retryAt)
    }
}

extension UpstreamFailure {
    init(_ failure: ClientFailure) {
        switch failure {
        case .unreachable(_, let error): self.init(.unreachable, "no connection: \(error.message)")
        case .notPermitted(let url, let address):
            self.init(
                .notPermitted,
                "\(url.host) leads to \(address), which is not public: write "
                    + "'\(url.authority)=\(address)' in sourceHosts if it may"
            )
        case .untrusted(_, let reason): self.init(.untrusted, "no secure connection: \(reason)")
        case .lost: self.init(.unreachable, failure.description)
        case .notUnderstood: self.init(.answer, failure.description)
        case .refused(let status, _): self.init(.status, "status \(status)", status: status)
        case .timedOut: self.init(.timeout, failure.description)
        }
    }
}
