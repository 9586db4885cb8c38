internal import EventLoop

extension Endpoint {
    /// Whether only programs of this machine can reach it.
    var isLoopback: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): HostName.isLoopback(host)
        }
    }
}
