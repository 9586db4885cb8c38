public import Support

/// The hosts that graphs may reach, and at which addresses (the configuration key `sinkHosts`).
public struct PermittedHosts: Sendable {
    /// A host with a port or without, and perhaps a network.
    private struct Entry {
        let host: String
        /// Nil: that of the scheme.
        let port: Int?
        let network: Network?

        init?(_ text: String) {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count <= 2, let place = RemoteURL.place(parts[0]) else { return nil }
            (host, port) = place
            network = parts.count == 2 ? Network(parts[1]) : IPAddress(place.host).map(Network.init)
            if parts.count == 2, network == nil || IPAddress(host) != nil { return nil }
        }

        func names(_ url: RemoteURL) -> Bool {
            guard (port ?? url.scheme.defaultPort) == url.port else { return false }
            if host == url.host { return true }
            guard let address = IPAddress(host) else { return false }
            return address == IPAddress(url.host)
        }
    }

    private let entries: [Entry]

    /// Reads the entries; invalid ones, which the configuration refuses, permit nothing.
    public init(_ entries: [String]) {
        self.entries = entries.compactMap(Entry.init)
    }

    /// Whether a text is `host`, `host:port`, or one of these with `=` and a network after it.
    ///
    /// A literal address has no network, because it permits itself.
    public static func isWellFormed(_ entry: String) -> Bool { Entry(entry) != nil }

    /// The addresses at which a URL's host may be reached; nil: it may not be reached at all.
    public func addresses(of url: RemoteURL) -> PermittedAddresses? {
        let found = entries.filter { $0.names(url) }
        return found.isEmpty ? nil : PermittedAddresses(networks: found.map(\.network))
    }
}

/// The addresses at which a host may be reached.
///
/// They are compared with what the name leads to when the connection is made, so that a name cannot
/// come to lead into a private network.
public struct PermittedAddresses: Sendable {
    /// Nil: public addresses.
    fileprivate let networks: [Network?]

    public func contains(_ address: IPAddress) -> Bool {
        networks.contains { $0?.contains(address) ?? address.isPublic }
    }
}
