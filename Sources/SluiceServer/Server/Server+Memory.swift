internal import Graphs
internal import Logging

// Releasing what is kept only for later use, when memory is short (G-131).
extension Server {
    /// What cares for memory, while the server serves or drains.
    var memory: MemoryCare? {
        switch phase {
        case .serving(let memory): memory
        case .draining(let memory, _): memory
        case .starting, .stopped: nil
        }
    }

    /// Releases the unused nodes retained `untilPressure`, as if memory were short; logs the
    /// reason.
    public func releaseUnused(because reason: String) {
        turns.begin()
        let released = host.flushUnused()
        memory?.noteFreed()
        log.info("memory is short", metadata: ["because": "\(reason)", "releasedNodes": .number(released)])
    }
}
