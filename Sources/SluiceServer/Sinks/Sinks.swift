internal import Sessions
internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Logging
internal import Outbound
internal import TLS

/// The sinks of all graphs (docs/sinks.md), running on the server that makes the ticks.
final class Sinks {
    let clients: Clients
    let configuration: Configuration
    let turns: Turns
    let log: Logger
    /// Where they may send.
    private let hosts: PermittedHosts
    private lazy var brokers = Brokers(configuration, hosts, on: turns)
    /// Called when none has anything to send any more.
    var onIdle: () -> Void = {}
    private var all: [Name: Sink] = [:]
    private var isStopped = false
    /// What they followed last.
    private var followed: (definitions: UInt64, isLeading: Bool)?
    /// The TLS context of all secure connections; made before the server serves, because reading
    /// the authorities takes a while.
    private var trust: TLSContext?

    private struct Name: Hashable {
        let graph: String
        let sink: String
    }

    var host: Host { clients.host }

    init(_ configuration: Configuration, _ clients: Clients, _ turns: Turns, _ log: Logger) {
        (self.configuration, self.clients, self.turns, self.log) = (configuration, clients, turns, log)
        hosts = PermittedHosts(configuration.sinkHosts)
    }

    /// Reads the trusted authorities, if a sink may need them.
    func prepare() {
        guard !configuration.sinkHosts.isEmpty else { return }
        do throws(TLSFailure) {
            trust = try TLSContext.client(authorities: nil)
            brokers.trust = trust
        } catch {
            log.warning("sinks cannot use https", metadata: ["reason": "\(error)"])
        }
    }

    /// Follows changes of the definitions, and of which server makes the ticks.
    @inline(__always)
    func followChanges() {
        let present = (definitions: host.definitionChanges, isLeading: host.isLeading)
        if let followed, followed == present { return }
        followed = present
        follow()
    }

    /// Starts and ends sinks as the definitions say, on the server that makes the ticks; unchanged
    /// ones continue.
    private func follow() {
        var wanted: [Name: (sink: SinkDefinition, graph: LiveGraph)] = [:]
        if host.isLeading, !isStopped {
            for graph in host.graphs {
                for sink in graph.definition.sinks {
                    wanted[Name(graph: graph.name, sink: sink.name)] = (sink, graph)
                }
            }
        }
        for (name, sink) in all {
            let isSame = wanted[name].map {
                $0.graph === sink.graph && $0.sink.canonical == sink.definition.canonical
                    && $0.graph.definition.upstream(of: $0.sink) == sink.upstream
            }
            if isSame == true, !sink.isEnded { continue }
            // Not where another server goes on with it.
            if wanted[name] == nil, host.isLeading, !isStopped { sink.retire() }
            sink.end()
            all[name] = nil
        }
        for (name, (definition, graph)) in wanted where all[name] == nil {
            if let reason = refusal(of: definition, in: graph) {
                log.error(
                    "a sink was not started",
                    metadata: ["graph": "\(name.graph)", "sink": "\(name.sink)", "reason": "\(reason)"]
                )
                continue
            }
            let sink = Sink(definition, of: graph, in: self)
            all[name] = sink
            sink.begin()
        }
        brokers.settle()
    }

    /// Why a stored sink must not start: the configuration has changed since.
    private func refusal(of sink: SinkDefinition, in graph: LiveGraph) -> String? {
        guard let url = graph.definition.place(of: sink), hosts.addresses(of: url) != nil else {
            return "'\(graph.definition.place(of: sink)?.authority ?? "")' is not in sinkHosts"
        }
        let client = graph.origin == .client ? graph.name : nil
        for name in graph.definition.secrets(of: sink) {
            if secret(name) == nil { return "SLUICE_SECRET_\(name) is not set" }
            guard configuration.usableSecrets(ofClientGraph: client).contains(name) else {
                return "the configuration key secrets does not let the graph use \(name)"
            }
        }
        return nil
    }

    func secret(_ name: String) -> String? { configuration.secretValues[name] }

    /// Scheme, host and port of where a sink sends.
    func origin(of sink: Sink) -> String { sink.place?.origin ?? "" }

    /// The way of a sink's values.
    func line(for sink: Sink) -> (any SinkLine)? {
        let definition = sink.definition
        switch definition.target {
        case .web(let url, let name):
            let secret = name.flatMap { self.secret($0) }
            return PostLine(definition, of: sink.graph, to: url, secret: secret, in: self)
        case .topic(let topic):
            guard let key = sink.graph.definition.upstream(topic.upstream).flatMap(BrokerKey.init) else {
                return nil
            }
            let line = TopicLine(
                definition,
                topic,
                of: sink.graph,
                at: brokers.broker(key),
                on: turns.loop,
                onReady: { [weak sink] in sink?.receiverIsBack() }
            )
            line.begin()
            return line
        }
    }

    func client(of place: RemoteURL, timeout: Int) -> HTTPClient {
        guard let url = ServiceURL(place.origin) else { preconditionFailure("an origin is a URL") }
        let client = HTTPClient(
            url,
            on: turns.loop,
            limit: .milliseconds(timeout),
            mostBytes: Self.longestAnswer
        )
        client.trust = trust
        let addresses = hosts.addresses(of: place)
        client.permits = { addresses?.contains($0) == true }
        return client
    }

    /// The longest body of an answer that is read, in bytes.
    static let longestAnswer = 64 * 1024

    /// The files are read again: receivers may take by now what they refused.
    func tryRefused() {
        for sink in all.values { sink.tryRefused() }
    }

    // MARK: - The end

    var isBusy: Bool { all.values.contains { $0.isBusy } }

    func drain() {
        for sink in all.values { sink.drain() }
    }

    func stop() {
        isStopped = true
        for sink in all.values { sink.end() }
        all = [:]
        brokers.stop()
    }

    // MARK: - Looking

    /// All sinks of a graph, or of all graphs, by name.
    func list(of graph: LiveGraph? = nil) -> [Sink] {
        all.filter { graph == nil || $0.value.graph === graph }
            .sorted { ($0.key.graph, $0.key.sink) < ($1.key.graph, $1.key.sink) }
            .map(\.value)
    }
}
