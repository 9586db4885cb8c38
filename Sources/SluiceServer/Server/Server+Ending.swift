internal import EventLoop
internal import GraphHost
internal import Logging

// The end: politely, or at once.
extension Server {
    /// Whether the server is about to stop.
    var isDraining: Bool { state == .draining || state == .stopped }

    /// Stops taking connections, tells sessions to come back later, lets requests finish; what is still open
    /// after the configured time is closed.
    public func drain() {
        guard state == .serving else { return }
        log.info("draining", metadata: ["connections": "\(connections.count)"])
        state = .draining
        listener = nil
        adminListener = nil
        beginTurn()
        var random = SystemRandomNumberGenerator()
        for connection in Array(connections) {
            // Spread out, so that all clients of a big server do not come back in the same second.
            connection.drain(after: Int.random(in: 200...3000, using: &random))
        }
        sinks.drain()
        guard !connections.isEmpty || sinks.isBusy else { return finish() }
        drainTimer = try? Timer(on: loop) { [unowned self] in stop() }
        drainTimer?.start(after: configuration.drain)
    }

    /// Ends politely the first time it is called, at once the second time: what a signal does.
    public func stopSoon() {
        if state == .draining { stop() } else { drain() }
    }

    /// Closes everything at once.
    public func stop() {
        guard state != .stopped else { return }
        listener = nil
        adminListener = nil
        state = .draining
        for connection in Array(connections) { connection.close() }
        sinks.stop()
        finish()
    }

    /// Is over once the last connection is gone, and sinks have sent what they had.
    func finish() {
        guard state != .stopped, connections.isEmpty, !sinks.isBusy else { return }
        state = .stopped
        sinks.stop()
        ticker = nil
        pressure = nil
        watch = nil
        reloading = nil
        reloadRequests = []
        hostTimer = nil
        memoryReturn = nil
        leakRounds = nil
        drainTimer = nil
        // What the end of the turn still has to do, it does now.
        endTurn()
        turnEnd = nil
        host.close()
        log.info("stopped")
        onStop?()
    }
}
