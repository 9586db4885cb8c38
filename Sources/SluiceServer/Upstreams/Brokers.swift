internal import Definitions
internal import EventLoop
internal import MQTT
internal import Support
internal import TLS

/// Connections to MQTT brokers, one for each broker and account, which all topics share.
///
/// A broker is connected as long as something uses it, and disconnected at the end of the turn in
/// which the last one has gone.
final class Brokers {
    let turns: Turns
    let hosts: PermittedHosts
    /// The values of secrets, by name.
    let secrets: [String: String]
    /// How long connecting, an answer and a packet may take.
    let patience: Duration
    /// The longest message that is received.
    let mostBytes: Int
    /// What secure connections share.
    var trust: TLSContext?
    private var all: [BrokerKey: Broker] = [:]
    /// When brokers that are used no more were connected last.
    private var lately: [BrokerKey: UInt64] = [:]
    /// Brokers that may be used no more.
    private var idle: [Broker] = []
    /// Clients that say goodbye.
    private var leaving: [ObjectIdentifier: MQTTClient] = [:]

    /// No brokers yet.
    init(_ configuration: Configuration, _ hosts: PermittedHosts, on turns: Turns) {
        (self.turns, self.hosts, secrets) = (turns, hosts, configuration.secretValues)
        patience = .milliseconds(Int64(configuration.fixed.sources.milliseconds))
        mostBytes = configuration.fixed.sources.body
    }

    /// The broker with a key; something is to use it in the same call.
    func broker(_ key: BrokerKey) -> Broker {
        if let broker = all[key] { return broker }
        let broker = Broker(key, in: self, triedAt: lately.removeValue(forKey: key))
        all[key] = broker
        return broker
    }

    /// A broker may be used no more.
    func note(idle broker: Broker) { idle.append(broker) }

    /// The end of a turn: disconnects what is used no more.
    func settle() {
        guard !idle.isEmpty else { return }
        let brokers = idle
        idle = []
        for broker in brokers where !broker.isUsed && all[broker.key] === broker {
            all[broker.key] = nil
            if let triedAt = broker.triedAt { note(broker.key, triedAt: triedAt) }
            guard let client = broker.end() else { continue }
            leaving[ObjectIdentifier(client)] = client
            client.disconnect { [weak self] in self?.leaving[ObjectIdentifier(client)] = nil }
        }
    }

    private func note(_ key: BrokerKey, triedAt: UInt64) {
        if lately.count >= 1_000 {
            lately = lately.filter { $0.value + Broker.shortestPause > turns.loop.now }
        }
        lately[key] = triedAt
    }

    /// Drops all connections.
    func stop() {
        for broker in all.values { _ = broker.end() }
        (all, leaving, idle) = ([:], [:], [])
    }
}

/// A broker, and as whom the server connects to it.
struct BrokerKey: Hashable {
    let url: RemoteURL
    let user: String?
    /// The name of the secret that is the password.
    let password: String?

    /// Of an upstream of the graph; nil: it is no broker.
    init?(_ upstream: UpstreamDefinition) {
        guard case .broker(let user, let password) = upstream.kind else { return nil }
        (url, self.user, self.password) = (upstream.url, user, password)
    }
}
