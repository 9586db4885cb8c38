internal import Definitions
internal import EventLoop
internal import MQTT
internal import Outbound

/// What uses a broker's connection.
protocol BrokerUser: AnyObject {
    /// The broker has let the server in.
    func brokerOpened()
    /// There is no connection, or it has ended; the next try is at `retryAt`, in milliseconds since
    /// 1970.
    func brokerFailed(_ failure: MQTTFailure, retryAt: UInt64)
}

/// What receives the messages of a topic.
protocol TopicReader: BrokerUser {
    var topic: String { get }
    func received(_ payload: [UInt8])
    /// The broker does not permit the topic.
    func topicDenied()
}

/// One connection to a broker, which is made again after a pause when it ends.
final class Broker {
    let key: BrokerKey
    /// When a connection was tried last, on the loop's clock.
    private(set) var triedAt: UInt64?
    private unowned let brokers: Brokers
    private var readers: [String: any TopicReader] = [:]
    /// The topics that have no time for more at present.
    private var paused: Set<String> = []
    private var users: [ObjectIdentifier: any BrokerUser] = [:]
    private var client: MQTTClient?
    private var pause: LoopTimer?
    private var pace = PollPace(every: nil)
    private var openSince: UInt64?
    /// Why there is no connection, until there is one again.
    private var failure: (reason: MQTTFailure, retryAt: UInt64)?

    /// Topics that come and go make the server connect at most so often, in milliseconds.
    static let shortestPause: UInt64 = 1_000
    /// A connection that has lasted so many milliseconds is not one of a row of failures.
    private static let lasting: UInt64 = 10_000

    /// A broker that nothing uses yet; `triedAt`: when it was connected to before.
    init(_ key: BrokerKey, in brokers: Brokers, triedAt: UInt64?) {
        (self.key, self.brokers, self.triedAt) = (key, brokers, triedAt)
    }

    private var loop: Loop { brokers.turns.loop }
    var isUsed: Bool { !readers.isEmpty || !users.isEmpty }
    /// Whether messages can be published now.
    var isOpen: Bool { client?.isConnected == true }

    // MARK: - Who uses it

    /// Receives the messages of a topic, from the last one on that the broker keeps.
    func add(_ reader: any TopicReader) {
        readers[reader.topic] = reader
        if isOpen { client?.subscribe(reader.topic) } else { connectSoon(for: reader) }
    }

    /// Asks the broker again for the last message of a topic that it keeps.
    func askAgain(_ reader: any TopicReader) {
        if isOpen { client?.subscribe(reader.topic) }
    }

    func remove(_ reader: any TopicReader) {
        guard readers[reader.topic] === reader else { return }
        readers[reader.topic] = nil
        pauseReading(false, by: reader)
        client?.unsubscribe(reader.topic)
        if !isUsed { brokers.note(idle: self) }
    }

    /// Reads nothing as long as a topic has no time for more; the broker has to wait.
    func pauseReading(_ isPaused: Bool, by reader: any TopicReader) {
        if isPaused { paused.insert(reader.topic) } else { paused.remove(reader.topic) }
        client?.pauseReading(!paused.isEmpty)
    }

    func add(_ user: any BrokerUser) {
        users[ObjectIdentifier(user)] = user
        if isOpen { user.brokerOpened() } else { connectSoon(for: user) }
    }

    func remove(_ user: any BrokerUser) {
        users[ObjectIdentifier(user)] = nil
        if !isUsed { brokers.note(idle: self) }
    }

    /// Publishes, while the broker is open.
    ///
    /// The answer comes later.
    func publish(
        _ payload: [UInt8],
        to topic: String,
        quality: Int,
        isRetained: Bool,
        patience: Int,
        answer: @escaping (MQTTClient.Delivery) -> Void
    ) {
        client?.publish(
            payload,
            to: topic,
            quality: quality,
            isRetained: isRetained,
            patience: patience
        ) { [weak self] delivery in
            self?.brokers.turns.begin()
            answer(delivery)
        }
    }

    // MARK: - The connection

    private func connectSoon(for user: any BrokerUser) {
        if let failure { return user.brokerFailed(failure.reason, retryAt: failure.retryAt) }
        guard client == nil, pause?.isActive != true else { return }
        guard let triedAt, triedAt + Self.shortestPause > loop.now else { return connect() }
        wait(Int(triedAt + Self.shortestPause - loop.now))
    }

    private func wait(_ milliseconds: Int) {
        if pause == nil {
            pause = try? LoopTimer(on: loop) { [weak self] in
                self?.brokers.turns.begin()
                self?.connect()
            }
        }
        pause?.start(after: .milliseconds(milliseconds))
    }

    private func connect() {
        guard client == nil, isUsed else { return }
        triedAt = loop.now
        let addresses = brokers.hosts.addresses(of: key.url)
        client = MQTTClient(
            to: ServiceURL(
                host: key.url.host,
                port: UInt16(clamping: key.url.port),
                isSecure: key.url.scheme.isSecure
            ),
            as: MQTTAccount(user: key.user, password: key.password.flatMap { brokers.secrets[$0] }),
            on: loop,
            trust: brokers.trust,
            limit: brokers.patience,
            mostBytes: brokers.mostBytes,
            permits: { addresses?.contains($0) == true },
            receive: { [weak self] news in
                self?.brokers.turns.begin()
                self?.received(news)
            }
        )
    }

    private func received(_ news: MQTTClient.News) {
        switch news {
        case .connected:
            (openSince, failure) = (loop.now, nil)
            for topic in readers.keys { client?.subscribe(topic) }
            for user in everybody { user.brokerOpened() }
        case .message(let topic, let payload): readers[topic]?.received(payload)
        case .denied(let topic): readers[topic]?.topicDenied()
        case .ended(let failure):
            (client, paused) = (nil, [])
            if let since = openSince.take(), since + Self.lasting <= loop.now { pace.settled() }
            let pause = pace.failed(random: Double.random(in: 0..<1))
            wait(pause)
            let retryAt = UInt64(max(0, loop.wallClock)) + UInt64(pause)
            self.failure = (failure, retryAt)
            for user in everybody { user.brokerFailed(failure, retryAt: retryAt) }
        }
    }

    private var everybody: [any BrokerUser] { Array(readers.values) + Array(users.values) }

    /// Nothing uses it any more.
    ///
    /// - Returns: the client, if there is one.
    func end() -> MQTTClient? {
        pause = nil
        (readers, users, paused) = ([:], [:], [])
        return client.take()
    }
}
