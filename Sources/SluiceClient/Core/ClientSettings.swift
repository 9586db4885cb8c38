#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// What a client was made with.
struct ClientSettings: Sendable {
    let url: URL
    let transport: any Transport
    let time: Timekeeper
    /// The client's name in the server's lists.
    var name: String?
    var token = TokenSource.none
    /// The least time between two values of a subscription that does not say otherwise.
    var every: Duration?
    /// 0 to 1.
    var random: @Sendable () -> Double = { .random(in: 0..<1) }
}

/// Where the token for a connection comes from.
enum TokenSource: Sendable {
    case none
    case fixed(String)
    /// Asked at every connection, and before its last token ends.
    case provider(@Sendable () async throws -> String)

    func token() async throws -> String? {
        switch self {
        case .none: nil
        case .fixed(let token): token
        case .provider(let provide): try await provide()
        }
    }
}

/// The server's address as that of its WebSocket.
func socketURL(_ address: String) throws -> URL {
    guard var parts = URLComponents(string: address), let host = parts.host, !host.isEmpty else {
        throw SluiceError("bad-address", "'\(address)' is no address such as http://127.0.0.1:8080")
    }
    let schemes = ["http": "ws", "ws": "ws", "https": "wss", "wss": "wss"]
    guard let scheme = parts.scheme.flatMap({ schemes[$0.lowercased()] }) else {
        throw SluiceError("bad-address", "'\(address)' begins with none of http, https, ws and wss")
    }
    parts.scheme = scheme
    if parts.path.isEmpty || parts.path == "/" { parts.path = "/v1/ws" }
    parts.fragment = nil
    guard let url = parts.url else { throw SluiceError("bad-address", "'\(address)' is no address") }
    return url
}
