package import EventLoop
package import Outbound
package import Support
package import TLS

/// One connection to a broker (MQTT 3.1.1, a clean session).
///
/// libmosquitto speaks the protocol; names, addresses and TLS are the business of the loop, as for
/// all connections of the server (``MosquittoPort``). Belongs to its loop's thread. Dropping it
/// closes the connection at once; ``disconnect(then:)`` says goodbye.
package final class MQTTClient {
    /// What happens on it.
    package enum News {
        /// The broker has let the client in.
        case connected
        case message(topic: String, payload: [UInt8])
        /// The broker does not permit a topic to this client.
        case denied(topic: String)
        /// The connection has ended, or there was none; nothing comes after this.
        case ended(MQTTFailure)
    }

    /// What became of what was published.
    package enum Delivery {
        /// The broker has it; with quality 0: it was sent.
        case arrived
        /// The connection has ended before.
        case failed(MQTTFailure)
        /// It cannot be sent at all; the reason in libmosquitto's words.
        case impossible(String)
    }

    private let loop: Loop
    private let account: MQTTAccount
    /// In milliseconds.
    private let limit: UInt64
    private let mostBytes: Int
    private var receive: ((News) -> Void)?
    private var onGone: (() -> Void)?
    private var attempt: ServiceConnector?
    private var port: MosquittoPort?
    private var relay: Relay?
    private var watch: Watched?
    private var mosquitto: Mosquitto?
    private var deadline: LoopTimer?
    private var clock: LoopTimer?
    /// Whether the broker has let the client in.
    package private(set) var isConnected = false
    private var isPaused = false
    /// Requests for topics that are not answered, and when they were made.
    private var subscribing: [Int32: (topic: String, since: UInt64)] = [:]
    private var publishing: [Int32: (due: UInt64, answer: (Delivery) -> Void)] = [:]
    /// The packet that was not complete when it was looked at, and when that was first.
    private var incomplete: (packet: Int, since: UInt64)?

    /// What a turn reads at most.
    private static let mostPackets = 16
    private static let mostRead = 131_072
    /// After so many seconds without a packet the client asks the broker whether it is there.
    private static let keepAlive = 30
    /// How long a goodbye may take.
    private static let longestGoodbye = Duration.seconds(2)
    /// The longest topic, with its length and the packet's id.
    private static let topicBytes = 65_539

    /// Connects; `receive` is called with what comes, never before this returns.
    ///
    /// - Parameters:
    ///   - server: the broker's address; its path is not used.
    ///   - account: as whom it connects.
    ///   - loop: its loop.
    ///   - trust: what secure connections share.
    ///   - limit: how long connecting, an answer and a packet may take.
    ///   - mostBytes: the longest message.
    ///   - permits: at which addresses the broker may be reached.
    ///   - receive: called with what comes.
    package init(
        to server: ServiceURL,
        as account: MQTTAccount,
        on loop: Loop,
        trust: TLSContext?,
        limit: Duration,
        mostBytes: Int,
        permits: @escaping (IPAddress) -> Bool,
        receive: @escaping (News) -> Void
    ) {
        (self.loop, self.account, self.mostBytes, self.receive) = (loop, account, mostBytes, receive)
        self.limit = UInt64(max(0, limit / .milliseconds(1)))
        deadline = try? LoopTimer(on: loop) { [weak self] in self?.end(.connection(.timedOut)) }
        deadline?.start(after: limit)
        attempt = ServiceConnector(to: server, on: loop, trust: trust, permits: permits) {
            [weak self] result in
            self?.reached(result)
        }
    }

    // MARK: - Connecting

    private func reached(_ result: Result<Transport, ClientFailure>) {
        attempt = nil
        switch result {
        case .failure(let failure): end(.connection(failure))
        case .success(let broker):
            relay = Relay(broker, mostBytes: mostBytes + Self.topicBytes) { [weak self] in
                self?.noticed($0)
            }
            do throws(Mosquitto.Failure) {
                try begin()
            } catch {
                end(error)
            }
        }
    }

    private func begin() throws(Mosquitto.Failure) {
        let mosquitto = try Mosquitto("sluice" + RandomBytes.word(letters: 16), as: account)
        let port = try openPort()
        try mosquitto.connect(toPort: port.number, keepAlive: Self.keepAlive)
        guard let descriptor = mosquitto.descriptor, let address = SocketAddress(of: descriptor) else {
            throw .init("no connection on this machine")
        }
        port.expect(from: address.port)
        self.mosquitto = mosquitto
        do throws(UVError) {
            watch = try Watched(descriptor, on: loop, for: [.readable, .writable]) { [weak self] in
                self?.work()
            }
        } catch {
            throw .init(error.message)
        }
        watch?.onFailure = { [weak self] in self?.end(.connection(.lost)) }
    }

    private func openPort() throws(Mosquitto.Failure) -> MosquittoPort {
        do throws(UVError) {
            let port = try MosquittoPort(on: loop)
            port.onConnection = { [weak self] connection in
                self?.port = nil
                self?.relay?.begin(connection)
            }
            self.port = port
            return port
        } catch {
            throw .init(error.message)
        }
    }

    private func answered(code: Int) {
        guard code == 0 else { return end(.refused(code: code)) }
        isConnected = true
        deadline?.stop()
        clock = try? LoopTimer(on: loop) { [weak self] in self?.look() }
        clock?.start(after: .seconds(1), every: .seconds(1))
        receive?(.connected)
    }

    // MARK: - Topics

    /// Asks for the messages of a topic, with quality 1; only while it is connected.
    package func subscribe(_ topic: String) {
        guard isConnected, let mosquitto else { return }
        do throws(Mosquitto.Failure) {
            subscribing[try mosquitto.subscribe(topic)] = (topic, loop.now)
        } catch {
            // A lost connection is noticed where it is read.
            if !error.isLoss { loop.soon { [weak self] in self?.receive?(.denied(topic: topic)) } }
        }
        wait()
    }

    /// Wants no more messages of a topic.
    package func unsubscribe(_ topic: String) {
        guard isConnected, let mosquitto else { return }
        subscribing = subscribing.filter { $0.value.topic != topic }
        try? mosquitto.unsubscribe(topic)
        wait()
    }

    /// Publishes; only while it is connected.
    ///
    /// - Parameters:
    ///   - payload: the message.
    ///   - topic: without wildcards.
    ///   - quality: 0 or 1.
    ///   - isRetained: whether the broker keeps it for those that subscribe later.
    ///   - patience: how many milliseconds the broker may take; the connection ends after that.
    ///   - answer: called with what became of it, never before this returns.
    package func publish(
        _ payload: [UInt8],
        to topic: String,
        quality: Int,
        isRetained: Bool,
        patience: Int,
        answer: @escaping (Delivery) -> Void
    ) {
        guard isConnected, let mosquitto else {
            return loop.soon { answer(.failed(.connection(.lost))) }
        }
        do throws(Mosquitto.Failure) {
            let id = try mosquitto.publish(payload, to: topic, quality: quality, isRetained: isRetained)
            publishing[id] = (loop.now + UInt64(patience), answer)
            // With quality 0 it may be written already.
            loop.soon { [weak self] in self?.takeEvents() }
        } catch {
            let delivery: Delivery =
                error.isLoss ? .failed(.connection(.lost)) : .impossible(error.message)
            loop.soon { answer(delivery) }
        }
        wait()
    }

    // MARK: - What comes

    /// The socket can be read or written.
    private func work() {
        guard let mosquitto else { return }
        do throws(Mosquitto.Failure) {
            if mosquitto.wantsToWrite { try mosquitto.write() }
            var read = 0
            for _ in 0..<Self.mostPackets {
                // What is answered waits in memory; so nothing is read that would be answered, too.
                guard self.mosquitto === mosquitto, !mosquitto.wantsToWrite, !isPaused,
                    read < Self.mostRead
                else { break }
                try mosquitto.read()
                let bytes = takeEvents()
                guard bytes > 0 else { break }
                read += bytes
            }
        } catch {
            takeEvents()
            return end(error)
        }
        wait()
    }

    /// Waits until the socket can be read, or written if there is something to write.
    private func wait() {
        guard let mosquitto else { return }
        watch?.events = mosquitto.wantsToWrite ? .writable : isPaused ? [] : .readable
    }

    /// Reads nothing until it may again.
    package func pauseReading(_ paused: Bool) {
        guard isPaused != paused else { return }
        isPaused = paused
        wait()
    }

    /// - Returns: about how many bytes they have, at least one for each.
    @discardableResult
    private func takeEvents() -> Int {
        guard let mosquitto else { return 0 }
        var bytes = 0
        for event in mosquitto.takeEvents() where self.mosquitto === mosquitto {
            bytes += 1
            switch event {
            case .answered(let code): answered(code: code)
            case .message(let topic, let payload):
                bytes += payload.count
                receive?(.message(topic: topic, payload: payload))
            case .published(let id): publishing.removeValue(forKey: id)?.answer(.arrived)
            case .subscribed(let id, let isGranted):
                guard let topic = subscribing.removeValue(forKey: id)?.topic else { continue }
                if !isGranted { receive?(.denied(topic: topic)) }
            }
        }
        return bytes
    }

    private func noticed(_ news: Relay.News) {
        switch news {
        case .fault(.tooLong):
            end(.connection(.notUnderstood("the broker sends more than \(mostBytes) bytes at once")))
        case .fault(.unexpected): end(.connection(.notUnderstood("the broker does not speak MQTT")))
        case .brokerGone:
            // libmosquitto reads what was sent before, and then notices it.
            if receive == nil { finish() }
        }
    }

    // MARK: - Time

    /// Once a second.
    private func look() {
        guard let mosquitto else { return }
        do throws(Mosquitto.Failure) {
            try mosquitto.look()
        } catch {
            return end(error)
        }
        let now = loop.now
        let packet = relay?.incomplete
        if packet != incomplete?.packet { incomplete = packet.map { ($0, now) } }
        let isLate =
            incomplete.map { $0.since + limit <= now } == true
            || subscribing.values.contains { $0.since + limit <= now }
            || publishing.values.contains { $0.due <= now }
        if isLate { return end(.connection(.timedOut)) }
        wait()
    }

    // MARK: - The end

    /// Says goodbye and closes the connection; nothing is received after this.
    ///
    /// Hold it until `gone` is called, which is never before this returns.
    package func disconnect(then gone: @escaping () -> Void) {
        receive = nil
        watch = nil
        clock = nil
        (publishing, subscribing) = ([:], [:])
        guard isConnected, let mosquitto, !mosquitto.wantsToWrite else {
            finish()
            return loop.soon(gone)
        }
        onGone = gone
        mosquitto.disconnect()
        deadline?.start(after: Self.longestGoodbye)
    }

    private func end(_ failure: Mosquitto.Failure) {
        if failure.isLoss { return end(.connection(.lost)) }
        end(.connection(failure.isSilence ? .timedOut : .notUnderstood(failure.message)))
    }

    private func end(_ failure: MQTTFailure) {
        let (receive, publishing) = (self.receive, self.publishing)
        finish()
        for each in publishing.values { each.answer(.failed(failure)) }
        receive?(.ended(failure))
    }

    private func finish() {
        isConnected = false
        receive = nil
        (publishing, subscribing) = ([:], [:])
        (attempt, port, watch, deadline, clock) = (nil, nil, nil, nil, nil)
        mosquitto = nil
        relay = nil
        onGone.take()?()
    }
}
