internal import EventLoop
internal import Graphs
internal import Logging

// Stopping: gracefully, or at once.
extension Server {
    /// Whether the server is about to stop.
    var isDraining: Bool { state == .draining || state == .stopped }

    /// Stops accepting connections, asks sessions to reconnect later, lets requests finish;
    /// connections that are still open after the configured time are closed.
    public func drain() {
        guard state == .serving else { return }
        log.info("draining", metadata: ["connections": .number(connections.count)])
        state = .draining
        closeListeners()
        beginTurn()
        var random = SystemRandomNumberGenerator()
        for connection in Array(connections) {
            // Spread out, so that the clients of a big server do not all reconnect in the same
            // second.
            connection.drain(after: Int.random(in: 200...3000, using: &random))
        }
        sinks?.drain()
        guard !connections.isEmpty || sinks?.isBusy == true else { return finish() }
        drainTimer = try? LoopTimer(on: loop) { [unowned self] in stop() }
        drainTimer?.start(after: configuration.drain)
    }

    /// Stops gracefully the first time it is called, at once the second time: the effect of a
    /// signal.
    public func stopSoon() {
        if state == .draining { stop() } else { drain() }
    }

    func closeListeners() {
        for listener in listeners { listener.socket = nil }
    }

    /// Closes everything at once.
    public func stop() {
        guard state != .stopped else { return }
        closeListeners()
        state = .draining
        for connection in Array(connections) { connection.close() }
        sinks?.stop()
        finish()
    }

    /// Ends the server once the last connection is gone and sinks have sent what they had.
    func finish() {
        guard state != .stopped, connections.isEmpty, sinks?.isBusy != true else { return }
        state = .stopped
        sinks?.stop()
        ticker = nil
        pressure = nil
        graphFiles.stop()
        hostTimer = nil
        memoryReturn = nil
        leakRounds = nil
        drainTimer = nil
        // Completes the work of the turn's end now.
        endTurn()
        turnEnd = nil
        host.close()
        audit?.finish()
        log.info("stopped")
        onStop?()
    }
}
