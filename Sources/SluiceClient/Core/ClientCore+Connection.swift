/// A connection that is lost for so long is no short interruption.
private let longInterruption = Duration.seconds(30)
/// Seconds until a connection must be open and the server must have answered `hello`.
private let patience = 10

extension ClientCore {
    /// Connects at once; where there is a connection, makes sure that it works.
    func retry() {
        if runner != nil { return ping(within: 2) }
        isWanted = true
        open()
    }

    func close() {
        for subscription in subscriptions.values { finish(subscription) }
        subscriptions = [:]
        claims = [:]
        isWanted = false
        drop(ConnectionEnd(code: 1000))
    }

    private func open() {
        timer?.cancel()
        attempt += 1
        runner = Task.detached { [number = attempt, token, settings, loop] in
            let end: ConnectionEnd
            do {
                let shown = try await token.token()
                // A token may take its time, for example until a person has signed in.
                loop.send { $0.beginTicking(number) }
                end = try await settings.transport.run(settings.url) { connection in
                    await loop.perform { $0.opened(connection, shown, on: number) }
                } received: { text in
                    await loop.perform { $0.received(text, on: number) }
                }
            } catch let error as SluiceError where error.code == "bad-address" {
                end = ConnectionEnd(code: 4400, reason: error.message)
            } catch {
                end = ConnectionEnd(reason: "\(error)")
            }
            loop.send { core in
                if core.attempt == number, core.runner != nil { core.drop(end) }
            }
        }
        report()
    }

    private func opened(_ connection: any TransportConnection, _ token: String?, on number: Int) {
        guard number == attempt, runner != nil else { return }
        self.connection = connection
        var hello: JSONObject = ["op": "hello"]
        hello["client"] = settings.name.map(JSONValue.string)
        hello["token"] = token.map(JSONValue.string)
        _ = try? send(hello, path: nil)
    }

    // Heartbeat

    private func beginTicking(_ number: Int) {
        guard number == attempt, runner != nil else { return }
        ticksLeft = patience
        awaitTick()
    }

    private func awaitTick() {
        timer = loop.after(.seconds(1)) { [number = attempt] core in
            if core.attempt == number, core.runner != nil { core.tick() }
        }
    }

    /// Ticks are counted, not time: a computer that slept has not waited for an answer.
    private func tick() {
        ticksLeft -= 1
        if ticksLeft <= 0 { return drop(ConnectionEnd(code: 4508, reason: "no answer")) }
        if isReady, ticksLeft == heartbeat { ping(within: heartbeat) }
        awaitTick()
    }

    /// Asks for an answer: without one within so many seconds, the connection counts as lost.
    func ping(within seconds: Int) {
        guard hurry(within: seconds) else { return }
        request(Request(fields: ["op": "ping"], path: nil) { _ in })
    }

    /// Gives a silent connection so many seconds at most.
    ///
    /// - Returns: whether there is a connection.
    @discardableResult
    func hurry(within seconds: Int) -> Bool {
        if isReady { ticksLeft = min(ticksLeft, seconds + 1) }
        return isReady
    }

    // Beginning and end

    /// The server knows the client: what it held is asked for again.
    func welcome(_ message: JSONObject) {
        let now = loop.time.now()
        let gap = since.map { now - $0 }
        heartbeat = max(1, message["hb"]?.int ?? heartbeat)
        longestMessage = message["limits"]?["msg"]?.int ?? longestMessage
        state.session = message["session"]?.string
        state.server = message["server"]?.string
        isReady = true
        since = now
        renew(message)
        report { $0.gap = gap }
        claimAgain()
        for subscription in subscriptions.values {
            subscription.cut = subscription.cut ?? Subscription.Cut()
            subscription.cut?.gap = gap
            if subscription.ended != "complete" { ask(subscription) }
        }
    }

    /// Ends the connection, and arranges for the next one unless the client is not welcome.
    func drop(_ end: ConnectionEnd) {
        let now = loop.time.now()
        let abandoned = waiting.sorted { $0.key < $1.key }
        timer?.cancel()
        renewal?.cancel()
        runner?.cancel()
        (runner, connection, waiting) = (nil, nil, [:])
        for subscription in subscriptions.values { subscription.id = nil }
        if isReady, let since { backoff.ended(after: now - since) }
        if isReady { since = now }
        // Below 4500 the client is at fault, but its next token may be accepted.
        let isRefused = (4000..<4500).contains(end.code)
        if isRefused, !(isReady && end.reason.contains("expired")) { isWanted = false }
        isReady = false
        var pause: Duration?
        if isWanted {
            let next = backoff.next(end.reason, random: settings.random())
            pause = next
            timer = loop.after(next) { [number = attempt] core in
                if core.attempt == number, core.runner == nil, core.isWanted { core.open() }
            }
        }
        report {
            $0.pause = pause
            $0.closeCode = end.code
            $0.reason = end.reason.isEmpty ? nil : end.reason
        }
        for case (_, .request(let request)) in abandoned { abandon(request) }
    }

    /// Reports a change of the state to those who listen to it.
    private func report(_ change: (inout ConnectionState) -> Void = { _ in }) {
        var next = ConnectionState()
        (next.session, next.server) = (state.session, state.server)
        next.phase = phase
        next.tries = isReady ? 0 : backoff.tries
        change(&next)
        if next != state {
            state = next
            emit(.state(next))
        }
        if next.phase != .connecting { sendReads() }
    }

    private var phase: ConnectionState.Phase {
        if isReady { return .live }
        if !isWanted { return .closed }
        guard let since else { return backoff.tries == 0 ? .connecting : .reconnecting }
        return loop.time.now() - since > longInterruption ? .offline : .reconnecting
    }

    // Tokens

    /// Shows the next token when nine tenths of the present one's time are over.
    func renew(_ answer: JSONObject) {
        renewal?.cancel()
        guard case .provider(let provide) = token, let lifetime = answer["expires"]?.double else { return }
        renewal = Task.detached { [loop, number = attempt] in
            do {
                try await loop.time.sleep(.seconds(max(1, lifetime * 0.9)))
                let next = try await provide()
                loop.send { core in
                    if core.attempt == number, core.isReady { core.show(next) }
                }
            } catch is CancellationError {
                // The connection has ended; the next one has its own token.
            } catch {
                loop.send { $0.emit(.problem(error)) }
            }
        }
    }

    private func show(_ token: String) {
        let fields: JSONObject = ["op": "auth", "token": .string(token)]
        request(
            Request(fields: fields, path: nil) { [loop] result in
                loop.send { core in
                    switch result {
                    case .success(let answer): core.renew(answer)
                    case .failure(let error): core.complain(error)
                    }
                }
            }
        )
    }

    /// Reports an error that no call reports.
    ///
    /// That of a lost connection is no news.
    func complain(_ error: any Error) {
        let code = (error as? SluiceError)?.code
        if code != "unknown-outcome", code != "not-connected" { emit(.problem(error)) }
    }
}
