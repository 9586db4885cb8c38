internal import EventLoop
internal import HTTP
internal import Support

/// Checks that a request is meant for this server: protects against pages whose own name resolves
/// to this address.
final class HostCheck {
    private let names: Set<String>
    /// The authority that was accepted last; the next one is almost always the same.
    private var accepted: [UInt8] = []

    /// Accepts loopback names and addresses, the address listened on, and `names` (any letter case,
    /// no port).
    init(listening endpoint: Endpoint, names: [String]) {
        var all = Set(names.map { $0.lowercased() })
        if case .tcp(let host, _) = endpoint { all.insert(host.lowercased()) }
        self.names = all
    }

    /// Whether `authority`, a host with an optional port, names this server.
    func accepts(_ authority: BorrowedBytes) -> Bool {
        if authority.count > 0, accepted.withBorrowedBytes({ authority.equals($0) }) {
            return true
        }
        guard let host = Self.host(authority), HostName.isLoopback(host) || names.contains(host) else {
            return false
        }
        accepted = Array(authority)
        return true
    }

    /// The host in lower case, without brackets and port; nil if the bytes are not an authority.
    private static func host(_ authority: BorrowedBytes) -> String? {
        String(validating: authority, as: UTF8.self).flatMap { host(of: $0) }
    }

    /// The same for text.
    static func host(of authority: String) -> String? {
        let text = authority.lowercased()
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else {
                return nil
            }
            return String(text[text.index(after: text.startIndex)..<end])
        }
        let colon = text.firstIndex(of: ":") ?? text.endIndex
        guard isPort(text[colon...]) else { return nil }
        var host = text[..<colon]
        // `localhost.` is the absolute form of the same name.
        if host.last == ".", host.count > 1 { host = host.dropLast() }
        return String(host)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty
            || (text.first == ":" && text.dropFirst().utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
                && text.count <= 6)
    }
}

/// Whether the page that sends a request is allowed to.
///
/// Programs other than browsers send no `Origin`.
final class OriginCheck {
    private let allowed: Set<String>
    private let isSecure: Bool

    /// Allows the server's own origin, with `https` if it uses TLS, and `allowed`.
    init(isSecure: Bool, allowed: [String]) {
        self.allowed = Set(allowed)
        self.isSecure = isSecure
    }

    /// Whether the request may change something, or open a WebSocket; `forwarding` has the header
    /// fields of a trusted proxy.
    func accepts(_ head: RequestHead, _ forwarding: @autoclosure () -> Forwarding?) -> Bool {
        if let origin = head.value(.origin) { return accepts(origin, head, forwarding()) }
        guard let site = head.value(.secFetchSite) else { return true }
        return !site.equals("cross-site")
    }

    private func accepts(
        _ origin: BorrowedBytes,
        _ head: RequestHead,
        _ forwarding: Forwarding?
    ) -> Bool {
        guard let origin = String(validating: origin, as: UTF8.self) else { return false }
        if allowed.contains(origin) { return true }
        let isSecure = forwarding?.isSecure ?? isSecure
        let (scheme, port) = isSecure ? ("https://", ":443") : ("http://", ":80")
        guard origin.hasPrefix(scheme),
            let host = (forwarding?.authority ?? String(validating: head.authority, as: UTF8.self))?
                .lowercased()
        else {
            return false
        }
        let authority = origin.dropFirst(scheme.count)
        return authority == host || authority + port == host || authority == host + port
    }
}
