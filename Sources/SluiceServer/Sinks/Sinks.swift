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
            }
            if isSame == true, !sink.isEnded { continue }
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
    }

    /// Why a stored sink must not start: the configuration has changed since.
    private func refusal(of sink: SinkDefinition, in graph: LiveGraph) -> String? {
        if hosts.addresses(of: sink.url) == nil {
            return "'\(sink.url.authority)' is not in sinkHosts"
        }
        guard let name = sink.secret else { return nil }
        if secret(name) == nil { return "SLUICE_SECRET_\(name) is not set" }
        let client = graph.origin == .client ? graph.name : nil
        guard configuration.usableSecrets(ofClientGraph: client).contains(name) else {
            return "the configuration key secrets does not let the graph use \(name)"
        }
        return nil
    }

    func secret(_ name: String) -> String? { configuration.secretValues[name] }

    func client(for sink: SinkDefinition) -> HTTPClient {
        guard let url = ServiceURL(sink.url.origin) else { preconditionFailure("an origin is a URL") }
        let client = HTTPClient(
            url,
            on: turns.loop,
            limit: .milliseconds(sink.timeout),
            mostBytes: Self.longestAnswer
        )
        client.trust = trust
        let addresses = hosts.addresses(of: sink.url)
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
    }

    // MARK: - Looking

    /// All sinks of a graph, or of all graphs, by name.
    func list(of graph: LiveGraph? = nil) -> [Sink] {
        all.filter { graph == nil || $0.value.graph === graph }
            .sorted { ($0.key.graph, $0.key.sink) < ($1.key.graph, $1.key.sink) }
            .map(\.value)
    }
}
