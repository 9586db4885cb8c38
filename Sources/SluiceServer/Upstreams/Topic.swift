internal import Definitions
internal import Graphs
internal import MQTT
internal import Outbound
internal import Values

/// A topic of a broker that source nodes share (S-2).
///
/// The broker's connection is shared by all topics (``Broker``), which also makes it again after a
/// failure. The topic is subscribed as long as a node needs it.
final class Topic: StreamUpstream {
    private let broker: BrokerKey
    /// The broker's connection, while the topic uses it.
    private var present: Broker?
    private var isOpen = false

    var topic: String { key.target }

    /// A topic for no nodes yet.
    init(_ key: UpstreamKey, at broker: BrokerKey, _ upstreams: Upstreams) {
        self.broker = broker
        // How often brokers are asked is limited for the connection.
        super.init(key, upstreams, askedAt: nil)
    }

    override var isConnected: Bool { present != nil }

    override var state: State {
        guard isConnected else { return super.state }
        return isOpen ? .open : failure != nil ? .failed : .asking
    }

    override func connect() throws(UpstreamFailure) {
        if let secret = broker.password { _ = try upstreams.text(of: .secret(secret)) }
        let broker = upstreams.brokers.broker(broker)
        present = broker
        isOpen = broker.isOpen
        broker.add(self)
    }

    override func disconnect() {
        isOpen = false
        present.take()?.remove(self)
    }

    override func askAgain() {
        present?.askAgain(self)
    }

    override func pauseReading(_ paused: Bool) { present?.pauseReading(paused, by: self) }

    override func value(
        for feed: OpenFeed,
        from message: StreamMessage
    ) throws(UpstreamFailure) -> Datum? {
        guard case .topic(let topic) = feed.feed.kind else { return nil }
        return try feed.value(of: message.datum(isText: topic.isText))
    }
}

extension Topic: TopicReader {
    func brokerOpened() {
        isOpen = true
        opened()
    }

    func brokerFailed(_ failure: MQTTFailure, retryAt: UInt64) {
        isOpen = false
        failed(UpstreamFailure(failure), retryAt: retryAt)
    }

    func received(_ payload: [UInt8]) { arrived(StreamMessage(payload, on: "")) }

    func topicDenied() {
        fail(UpstreamFailure(.forbidden, "the broker does not permit the topic"))
    }
}

extension UpstreamFailure {
    fileprivate init(_ failure: MQTTFailure) {
        switch failure {
        case .connection(.lost): self.init(.unreachable, "the connection to the broker has ended")
        case .connection(let failure): self.init(failure)
        case .refused:
            self.init(failure.isUnauthorized ? .forbidden : .refused, failure.description)
        }
    }
}
