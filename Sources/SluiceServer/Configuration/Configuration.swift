internal import EventLoop
internal import Graphs
public import Outbound

/// The settings of a server: a property for each row of ``Keys``.
@dynamicMemberLookup
public struct Configuration: Sendable {
    /// The values of the keys; a key that is not set has its default.
    private var values: [String: any Sendable] = [:]
    /// Whether an address other than loopback may be listened on without authentication.
    public var insecure = false
    /// Whether a graph file with problems keeps the server from starting.
    public var isStrict = false
    /// The secrets of sinks by their names, from the environment only.
    public var secretValues: [String: String] = [:]
    var fixed = FixedLimits()

    private static let keys = Keys()

    /// The defaults.
    public init() {}

    public subscript<Value>(dynamicMember row: KeyPath<Keys, Key<Value>>) -> Value {
        get { self[Self.keys[keyPath: row]] }
        set { self[Self.keys[keyPath: row]] = newValue }
    }

    subscript<Value>(key: Key<Value>) -> Value {
        get {
            guard let value = values[key.name] else { return key.standard }
            return value as? Value ?? key.standard
        }
        set { values[key.name] = newValue }
    }

    /// The address of the operations side; nil also if that and `listen` are one address.
    var separateAdmin: Endpoint? {
        guard let adminListen = self.adminListen else { return nil }
        if case .tcp(_, port: 0) = adminListen { return adminListen }
        return adminListen == self.listen ? nil : adminListen
    }

    /// Where a server of this configuration takes `reload`; nil if the system chooses the port.
    public var operations: ServiceURL? {
        let endpoint = separateAdmin ?? self.listen
        if case .tcp(_, port: 0) = endpoint { return nil }
        return ServiceURL(endpoint, isSecure: usesTLS)
    }

    /// The names of the secrets that a graph's sinks may sign with; nil: a graph of a file.
    func usableSecrets(ofClientGraph name: String?) -> Set<String> {
        Set(secretValues.keys.filter { secret in name.map { allows(secret, $0) } ?? true })
    }

    private func allows(_ secret: String, _ graph: String) -> Bool {
        self.secrets.contains { grant in
            let parts = grant.split(separator: "=", maxSplits: 1)
            return parts[0] == secret && NodeSelection.matches(String(parts[1]), graph)
        }
    }

    /// Whether clients need a token.
    var needsTokens: Bool { !self.auth.isEmpty || !self.issuers.isEmpty }

    /// Whether the server speaks https and wss.
    var usesTLS: Bool { !self.certificate.isEmpty && !self.certificateKey.isEmpty }
}

/// How important a log entry must be.
public enum LogLevel: String, Sendable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// What log entries look like.
public enum LogFormat: String, Sendable, CaseIterable {
    case text, json
}
