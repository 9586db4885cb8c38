internal import DequeModule

/// The requests of one session that cannot be answered yet, in order: sets that wait for the log, pipelines that are being read or
/// wait for their first values, and all that came after them.
struct PendingRequests {
    /// One request: its answer once there is one, or the message itself while its turn has not come.
    final class Entry {
        let id: UInt64?
        let bytes: Int
        var state: State
        let freeing: Freeing

        init(id: UInt64?, bytes: Int, state: State, freeing: Freeing = .nothing) {
            self.id = id
            self.bytes = bytes
            self.state = state
            self.freeing = freeing
        }
    }

    /// What a request does to ids that subscriptions have.
    enum Freeing {
        case nothing
        /// An `unsub`: the id is free after it.
        case ownID
        /// A `sub`: its id is free after a request that takes away its owners.
        case byOwners
        /// A `release`, or a `mod` that removes owners: any subscription may end with it.
        case owned

        init(_ fields: Fields) {
            switch fields.operation {
            case .unsub: self = .ownID
            case .sub: self = .byOwners
            case .release: self = .owned
            case .mod where fields["removeOwner"] != nil: self = .owned
            default: self = .nothing
            }
        }
    }

    enum State {
        /// The log has the commit; messages behind it may not overtake.
        case submitted
        /// Something is being read or computed; nothing has changed yet, so a server that stops drops it.
        case preparing
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

    /// Whether one of them has this id, and still has it after the last of them.
    func contains(_ id: UInt64) -> Bool {
        guard let place = entries.lastIndex(where: { $0.id == id }) else { return false }
        switch entries[place].freeing {
        case .ownID: return false
        // Which subscriptions a release ends is known when its turn comes; so is whether the id is free.
        case .byOwners: return !entries[place...].contains { $0.freeing == .owned }
        case .nothing, .owned: return true
        }
    }

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
        switch first.state {
        case .submitted, .preparing: return nil
        case .due, .answered, .deferred: break
        }
        bytes -= first.bytes
        return entries.removeFirst()
    }

    /// Takes out what has changed nothing yet.
    mutating func dropUnperformed() {
        entries.removeAll {
            switch $0.state {
            case .submitted, .answered: return false
            case .preparing, .due, .deferred: break
            }
            bytes -= $0.bytes
            return true
        }
    }

    mutating func clear() {
        entries = []
        bytes = 0
    }
}
