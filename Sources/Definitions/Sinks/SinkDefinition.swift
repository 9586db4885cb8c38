internal import Support
internal import Values

/// A listener of the server's own that sends the values of a node, or of all nodes that match a
/// glob, to a URL or to a topic of a broker (docs/sinks.md).
public struct SinkDefinition: Sendable {
    /// Which values are sent.
    public enum Mode: String, CaseIterable, Sendable {
        /// The newest one; it replaces a value that is still waiting to be sent.
        case latest
        /// Every one, in order.
        case all
    }

    /// The destination.
    public enum Target: Sendable {
        /// Values go there by POST; `secret` is the name of the secret that signs requests.
        case web(RemoteURL, secret: String?)
        /// Values are published.
        case topic(Topic)
    }

    /// A topic of a broker.
    public struct Topic: Sendable {
        /// The broker's name among the graph's upstreams.
        public let upstream: String
        let template: Template
        /// Whether the broker keeps the last value for those that subscribe later.
        public let isRetained: Bool
        /// 0 or 1 (MQTT 3.1.1 section 4.3).
        public let quality: Int
        /// Whether a string is sent without quotation marks.
        public let isText: Bool
        /// Whether Home Assistant receives a description of the nodes.
        public let announces: Bool
        /// The place of the upstream's name in the file.
        let position: Position

        /// The topic for a node's values.
        public func topic(of node: String) -> String {
            template.text(for: [("node", node.replacing(".", with: "/"))]) { $0 }
        }
    }

    /// Its name, unique in its graph.
    public let name: String
    /// The node whose values are sent, or a glob.
    public let from: String
    public let target: Target
    public let mode: Mode
    /// In mode `all`: how many values may wait; then the oldest is dropped.
    public let queue: Int
    /// In mode `latest`: whether a value equal to the one that arrived last is sent, too.
    public let repeats: Bool
    /// How long connecting and the answer may take together, in milliseconds.
    public let timeout: Int
    /// The whole definition as JSON with sorted keys: equal if nothing has changed.
    public let canonical: String
    /// The place of `from` in the file.
    let fromPosition: Position

    /// Whether it sends lists of the values of all nodes that match ``from``.
    public var isOverGlob: Bool { Glob.isGlob(from) }

    static let most = 1_000
    /// Each of them may listen to as many nodes as the graph has.
    static let mostOverGlobs = 16
    static let mostQueued = 10_000
    static let mostQueuedOfGlob = 100_000
    static let longestTimeout = 60_000
}
