internal import CEL
internal import Definitions
internal import EventLoop
internal import Graphs
internal import MQTT
internal import Support
internal import Values

/// Publishes values at a broker, those of each node under its own topic.
///
/// The connection is there as long as the sink, and is shared with other sinks.
final class TopicLine: SinkLine {
    private let definition: SinkDefinition
    private let target: SinkDefinition.Topic
    private let graph: LiveGraph
    private let broker: Broker
    private let loop: Loop
    /// The value that waits for the connection, or for the broker's answers.
    private var attempt: Attempt?
    /// Why there is no connection, and when the next try is.
    private var failure: (reason: String, retryAt: UInt64)?
    /// Called when the broker can be reached again.
    private let onReady: () -> Void
    /// The nodes that were described to Home Assistant on this connection.
    private var announced: [String: Discovery] = [:]

    /// What is on its way.
    private final class Attempt {
        let value: SinkValue
        let answer: (SinkOutcome) -> Void
        var isSent = false
        /// How many answers of the broker are still to come.
        var awaited = 0
        var outcome = SinkOutcome.arrived

        init(_ value: SinkValue, _ answer: @escaping (SinkOutcome) -> Void) {
            (self.value, self.answer) = (value, answer)
        }
    }

    /// A message for the broker.
    private struct Message {
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool
    }

    init(
        _ definition: SinkDefinition,
        _ target: SinkDefinition.Topic,
        of graph: LiveGraph,
        at broker: Broker,
        on loop: Loop,
        onReady: @escaping () -> Void
    ) {
        (self.definition, self.target, self.graph) = (definition, target, graph)
        (self.broker, self.loop, self.onReady) = (broker, loop, onReady)
    }

    /// Begins to use the broker.
    func begin() { broker.add(self) }

    func end() {
        attempt = nil
        broker.remove(self)
    }

    func rest() {}

    func send(_ value: SinkValue, answer: @escaping (SinkOutcome) -> Void) {
        let attempt = Attempt(value, answer)
        self.attempt = attempt
        if broker.isOpen { return publish(attempt) }
        guard let failure else { return }
        let pause = Int(clamping: failure.retryAt) - Int(clamping: loop.wallClock)
        loop.soon { [weak self] in
            self?.finish(attempt, .failed(failure.reason, after: max(0, pause)))
        }
    }

    private func finish(_ attempt: Attempt, _ outcome: SinkOutcome) {
        guard attempt === self.attempt else { return }
        self.attempt = nil
        attempt.answer(outcome)
    }

    // MARK: - Publishing

    private func publish(_ attempt: Attempt) {
        attempt.isSent = true
        let messages = messages(of: attempt.value)
        attempt.awaited = messages.count
        guard !messages.isEmpty else {
            return loop.soon { [weak self] in self?.finish(attempt, .arrived) }
        }
        for message in messages {
            publish(message) { [weak self] delivery in
                attempt.awaited -= 1
                attempt.outcome = attempt.outcome.joined(with: delivery)
                if attempt.awaited == 0 { self?.finish(attempt, attempt.outcome) }
            }
        }
    }

    private func publish(_ message: Message, answer: @escaping (MQTTClient.Delivery) -> Void) {
        broker.publish(
            message.payload,
            to: message.topic,
            quality: target.quality,
            isRetained: message.isRetained,
            patience: definition.timeout,
            answer: answer
        )
    }

    private func messages(of value: SinkValue) -> [Message] {
        guard definition.isOverGlob else {
            let datum = value.body.withBorrowedBytes { try? Datum.parse($0) }
            return datum.map { messages(of: definition.from, $0.tree) } ?? []
        }
        guard let list = value.body.withBorrowedBytes({ try? Datum.parse($0) }),
            case .map(let members) = list.tree, case .list(let entries)? = members["d"]
        else { return [] }
        return entries.flatMap { entry -> [Message] in
            guard case .map(let entry) = entry, case .string(let node)? = entry["node"] else { return [] }
            if let value = entry["v"] { return messages(of: node, value) }
            return entry["gone"] == nil ? [] : messages(withoutNode: node)
        }
    }

    /// The value of a node, after what Home Assistant needs to know of it.
    private func messages(of node: String, _ value: Value) -> [Message] {
        let topic = target.topic(of: node)
        var messages: [Message] = []
        if target.announces, announced[node] == nil {
            let isOnOff = if case .bool = value { true } else { false }
            let discovery = Discovery(node, of: graph.name, isOnOff: isOnOff)
            announced[node] = discovery
            messages.append(announcement(discovery, topic))
        }
        let payload: [UInt8]
        if target.isText, case .string(let text) = value {
            payload = Array(text.utf8)
        } else {
            payload = (try? Datum(tree: value))?.withBytes { Array($0) } ?? []
        }
        messages.append(Message(topic: topic, payload: payload, isRetained: target.isRetained))
        return messages
    }

    private func announcement(_ discovery: Discovery, _ topic: String) -> Message {
        let node = graph.node(discovery.node)?.definition
        let payload = discovery.payload(
            topic: topic,
            title: node?.title,
            unit: node?.unit,
            device: graph.definition.title,
            isText: target.isText
        )
        return Message(topic: discovery.topic, payload: payload, isRetained: true)
    }

    /// A node that is gone: the broker keeps nothing of it.
    private func messages(withoutNode node: String) -> [Message] {
        var messages: [Message] = []
        if target.isRetained {
            messages.append(Message(topic: target.topic(of: node), payload: [], isRetained: true))
        }
        if let discovery = announced.removeValue(forKey: node) {
            messages.append(Message(topic: discovery.topic, payload: [], isRetained: true))
        }
        return messages
    }

    /// Home Assistant forgets the nodes.
    func retire() {
        guard broker.isOpen else { return }
        for discovery in announced.values {
            publish(Message(topic: discovery.topic, payload: [], isRetained: true)) { _ in }
        }
    }
}

extension TopicLine: BrokerUser {
    func brokerOpened() {
        failure = nil
        // A broker may have lost the descriptions.
        announced = [:]
        if let attempt, !attempt.isSent { publish(attempt) } else { onReady() }
    }

    func brokerFailed(_ failure: MQTTFailure, retryAt: UInt64) {
        self.failure = ("\(failure)", retryAt)
        guard let attempt, !attempt.isSent else { return }
        let pause = Int(clamping: retryAt) - Int(clamping: loop.wallClock)
        loop.soon { [weak self] in self?.finish(attempt, .failed("\(failure)", after: max(0, pause))) }
    }
}

extension SinkOutcome {
    /// The outcome of several messages; what failed for good counts most, then what failed.
    fileprivate func joined(with delivery: MQTTClient.Delivery) -> SinkOutcome {
        switch (self, delivery) {
        case (.refused, _), (_, .arrived): self
        case (_, .impossible(let reason)): .refused(reason)
        case (_, .failed(let failure)): .failed("\(failure)")
        }
    }
}
