internal import DequeModule

/// The requests of one session that cannot be answered yet, in order: sets that wait for the log, pipelines that are being read or
/// wait for their first values, and all that came after them.
struct PendingRequests {
    /// One request: its answer once there is one, or the message itself while its turn has not come.
    final class Entry {
        let id: UInt64?
        let bytes: Int
        var state: State
        /// Whether it is an `unsub`: what has the id ends with it, and the id is free behind it.
        let frees: Bool

        init(id: UInt64?, bytes: Int, state: State, frees: Bool = false) {
            self.id = id
            self.bytes = bytes
            self.state = state
            self.frees = frees
        }
    }

    enum State {
        /// The log has the commit, or something is being read or computed; messages behind it may not overtake.
        case submitted
        /// What was missing is there, and this answers.
        case due(() -> Void)
        /// What to send when everything before has been sent.
        case answered([UInt8])
        /// To be performed when everything before has been answered; a dear one not in a turn that has had enough of those.
        case deferred([UInt8], isDear: Bool)
    }

    private(set) var entries: Deque<Entry> = []
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Whether one of them has this id, and will still have it behind the last of them.
    func contains(_ id: UInt64) -> Bool { entries.last { $0.id == id }.map { !$0.frees } ?? false }

    /// Whether nothing but sets at the log, and finished answers, wait: another set may be appended at once.
    var allowsSet: Bool {
        entries.allSatisfy {
            if case .deferred = $0.state { false } else { true }
        }
    }

    /// Whether the next one only has to be sent.
    var hasAnswer: Bool {
        if case .answered? = entries.first?.state { true } else { false }
    }

    /// Whether the next one has still to be performed.
    var isDeferred: Bool {
        if case .deferred? = entries.first?.state { true } else { false }
    }

    /// Whether it is a dear one.
    var isDear: Bool {
        if case .deferred(_, isDear: true)? = entries.first?.state { true } else { false }
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.bytes
    }

    /// Puts back in front what was taken out to be performed and has to wait itself.
    mutating func prepend(_ entry: Entry) {
        entries.prepend(entry)
        bytes += entry.bytes
    }

    /// The first one that is not waiting for the log, taken out.
    mutating func takeReady() -> Entry? {
        guard let first = entries.first else { return nil }
        if case .submitted = first.state { return nil }
        bytes -= first.bytes
        return entries.removeFirst()
    }

    /// Takes out what has not been begun.
    mutating func dropDeferred() {
        entries.removeAll {
            guard case .deferred = $0.state else { return false }
            bytes -= $0.bytes
            return true
        }
    }

    mutating func clear() {
        entries = []
        bytes = 0
    }
}
