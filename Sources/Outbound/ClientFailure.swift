public import EventLoop
public import Support

/// Why a request to a server failed.
public enum ClientFailure: Error, CustomStringConvertible {
    /// No connection to this address could be made.
    case unreachable(ServiceURL, UVError)
    /// The name leads to this address, at which the server must not be reached.
    case notPermitted(ServiceURL, IPAddress)
    /// No TLS connection to this address could be made, or its certificate is not trusted; the
    /// reason as one sentence.
    case untrusted(ServiceURL, String)
    /// The connection ended before the answer was complete.
    case lost
    /// The answer is not HTTP, or not in the requested protocol.
    case notUnderstood(String)
    /// The server refused to speak WebSocket, with this status and body.
    case refused(status: Int, body: [UInt8])
    /// No answer within the time given.
    case timedOut

    /// One sentence for the person at the terminal.
    public var description: String {
        switch self {
        case .unreachable(let url, let error): "no connection to \(url): \(error.message)"
        case .notPermitted(let url, let address):
            "no connection to \(url): its address \(address) is not permitted"
        case .untrusted(let url, let reason): "no secure connection to \(url): \(reason)"
        case .lost: "the connection ended before the answer came"
        case .notUnderstood(let reason): "the answer was not understood: \(reason)"
        case .refused(let status, let body):
            "refused with status \(status): \(ProblemText.sentence(in: body) ?? String(decoding: body, as: UTF8.self))"
        case .timedOut: "no answer in time"
        }
    }
}
