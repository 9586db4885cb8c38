internal import EventLoop
internal import Graphs
internal import Logging

// Stopping: gracefully, or at once.
extension Server {
    /// Stops accepting connections, asks sessions to reconnect later, lets requests finish;
    /// connections that are still open after the configured time are closed.
    public func drain() {
        guard case .serving(let memory) = phase else { return }
        log.info("draining", metadata: ["connections": .number(hub.connections.count)])
        beginToDrain(.draining(memory, nil))
        turns.begin()
        var random = SystemRandomNumberGenerator()
        for connection in Array(hub.connections) {
            // Spread out, so that the clients of a big server do not all reconnect in the same
            // second.
            connection.drain(after: Int.random(in: 200...3000, using: &random))
        }
        service.sinks.drain()
        guard !hub.connections.isEmpty || service.sinks.isBusy else { return finish() }
        let limit = try? LoopTimer(on: loop) { [unowned self] in stop() }
        limit?.start(after: configuration.drain)
        phase = .draining(memory, limit)
    }

    /// Stops gracefully the first time it is called, at once the second time: the effect of a
    /// signal.
    public func stopSoon() {
        if case .draining = phase { stop() } else { drain() }
    }

    /// Closes everything at once.
    public func stop() {
        if case .stopped = phase { return }
        beginToDrain(.draining(memory, nil))
        for connection in Array(hub.connections) { connection.close() }
        service.sinks.stop()
        service.upstreams.stop()
        finish()
    }

    private func beginToDrain(_ phase: Phase) {
        acceptor.close()
        self.phase = phase
        hub.isDraining = true
    }

    /// A connection or a sink of a server has ended, which may have been the last of a draining
    /// one.
    func finishIfDrained() {
        if case .draining = phase { finish() }
    }

    /// Ends the server once the last connection is gone and sinks have sent what they had.
    private func finish() {
        guard state != .stopped, hub.connections.isEmpty, !service.sinks.isBusy else { return }
        phase = .stopped
        service.sinks.stop()
        service.upstreams.stop()
        hub.credentials.authenticator?.issued?.stop()
        hub.stop()
        service.files.stop()
        turns.stop()
        host.close()
        hub.audit?.finish()
        log.info("stopped")
        onStop?()
    }
}
