internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Outbound
internal import TLS

/// Sends each value by POST.
final class PostLine: SinkLine {
    private let definition: SinkDefinition
    private let graph: String
    private let url: RemoteURL
    private let secret: String?
    private unowned let sinks: Sinks
    private var client: HTTPClient?

    /// Where there is no `secret`, requests are not signed.
    init(
        _ definition: SinkDefinition,
        of graph: LiveGraph,
        to url: RemoteURL,
        secret: String?,
        in sinks: Sinks
    ) {
        (self.definition, self.graph, self.url) = (definition, graph.name, url)
        (self.secret, self.sinks) = (secret, sinks)
    }

    func send(_ value: SinkValue, answer: @escaping (SinkOutcome) -> Void) {
        let client = client ?? sinks.client(of: url, timeout: definition.timeout)
        self.client = client
        var fields: [(name: StaticString, value: String)] = [
            ("Sluice-Graph", graph), ("Sluice-Node", definition.from), ("Sluice-Sink", definition.name),
            ("Sluice-Rev", "\(value.rev)"), ("Idempotency-Key", value.key),
        ]
        if let secret {
            fields.append(("Sluice-Signature", "sha256=\(SHA256.signature(of: value.body, by: secret))"))
        }
        client.send(.post, url.target, body: value.body, fields: fields) { [url, loop = sinks.turns.loop] in
            answer(SinkOutcome($0, of: url, at: loop.wallClock))
        }
    }

    /// A connection is kept only while there is something to send.
    func rest() { client = nil }

    func end() { client = nil }

    func retire() {}
}
