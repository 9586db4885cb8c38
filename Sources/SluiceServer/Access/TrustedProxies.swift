internal import EventLoop
internal import HTTP
internal import Support

/// What a trusted proxy reports about the client of a request.
struct Forwarding: Equatable {
    /// The client; nil if the proxies do not name it, or not clearly.
    var address: IPAddress?
    /// Whether the client uses TLS with the first proxy; nil: unknown.
    var isSecure: Bool?
    /// The host, with an optional port, that the client asked for; nil: as in `Host`.
    var authority: String?
}

/// The proxies that are trusted to name their clients, and the header fields they write.
///
/// Only one family of header fields is read, because proxies set one and pass the other on as the
/// client sent it. The entries are read from the right, where the nearest proxy wrote: while an
/// entry is the address of another trusted proxy, the entry before it counts as well; the first
/// other address is the client. Entries further left are not trustworthy.
struct TrustedProxies {
    private let networks: [Network]
    /// Whether peers on a Unix socket are trusted proxies.
    private let trustsUnix: Bool
    private let family: ProxyHeaders

    /// Trusts the named networks, and with `unix` the peers on Unix sockets.
    init(_ names: [String], reading family: ProxyHeaders) {
        networks = names.compactMap { Network($0) }
        trustsUnix = names.contains("unix")
        self.family = family
    }

    /// Whether `text` names proxies: a network, an address, or `unix`.
    static func isWellFormed(_ text: String) -> Bool {
        text == "unix" || Network(text) != nil
    }

    var isOn: Bool { trustsUnix || !networks.isEmpty }

    func trusts(_ peer: SocketAddress?) -> Bool {
        guard isOn, let peer else { return false }
        if peer.family == .unix { return trustsUnix }
        return IPAddress(peer.host).map(trusts) ?? false
    }

    private func trusts(_ address: IPAddress) -> Bool {
        networks.contains { $0.contains(address) }
    }

    /// The information in a request's head from a trusted proxy.
    func forwarding(_ head: RequestHead) -> Forwarding {
        switch family {
        case .xForwarded: listed(head)
        case .forwarded: elements(head)
        }
    }

    // MARK: - X-Forwarded-For, -Proto, -Host

    private func listed(_ head: RequestHead) -> Forwarding {
        var result = Forwarding()
        var hops = 0
        for entry in Self.list(head, .forwardedFor).reversed() {
            hops += 1
            guard let address = Self.address(entry) else { break }
            result.address = address
            if !trusts(address) { break }
        }
        // The entry that the same proxy wrote; a field with fewer entries applies to all.
        func sameHop(_ name: HeaderName) -> Substring? {
            let list = Self.list(head, name)
            return list.isEmpty ? nil : list[max(0, list.count - max(1, hops))]
        }
        result.isSecure = sameHop(.forwardedProto).flatMap { Self.isSecure(String($0)) }
        result.authority = sameHop(.forwardedHost).map(String.init)
        return result
    }

    /// The entries of all fields of that name, in order.
    private static func list(_ head: RequestHead, _ name: HeaderName) -> [Substring] {
        var entries: [Substring] = []
        head.forEachValue(name) { value in
            entries += String(decoding: value, as: UTF8.self)
                .split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
            return true
        }
        return entries
    }

    // MARK: - Forwarded (RFC 7239)

    private func elements(_ head: RequestHead) -> Forwarding {
        var fields: [String] = []
        head.forEachValue(.forwarded) { value in
            fields.append(String(decoding: value, as: UTF8.self))
            return true
        }
        // A list may be sent in several fields.
        guard let elements = ForwardedElement.list(fields.joined(separator: ",")) else { return Forwarding() }
        var result = Forwarding()
        for element in elements.reversed() {
            result.isSecure = element["proto"].flatMap(Self.isSecure)
            result.authority = element["host"]
            guard let address = element["for"].flatMap({ Self.address(Substring($0)) }) else { break }
            result.address = address
            if !trusts(address) { break }
        }
        return result
    }

    // MARK: - Parts

    private static func isSecure(_ scheme: String) -> Bool? {
        switch scheme.lowercased() {
        case "https", "wss": true
        case "http", "ws": false
        default: nil
        }
    }

    /// An address, optionally in brackets or with a port.
    private static func address(_ text: Substring) -> IPAddress? {
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else {
                return nil
            }
            return IPAddress(text[text.index(after: text.startIndex)..<end])
        }
        if let address = IPAddress(text) { return address }
        guard let colon = text.firstIndex(of: ":"), isPort(text[colon...]) else { return nil }
        return IPAddress(text[..<colon])
    }

    private static func isPort(_ text: Substring) -> Bool {
        let digits = text.dropFirst().utf8
        return text.isEmpty
            || (text.first == ":" && (1...5).contains(digits.count)
                && digits.allSatisfy(ASCII.isDigit))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return text
    }
}

/// Which header fields trusted proxies write.
public enum ProxyHeaders: String, Sendable, CaseIterable {
    case xForwarded = "x-forwarded"
    /// `Forwarded` (RFC 7239).
    case forwarded
}
