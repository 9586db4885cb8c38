internal import Graphs
internal import DequeModule
internal import Values

/// The requests of one session that cannot be answered yet, in order: sets that wait for the log,
/// pipelines that are being read or wait for their first values, and all later requests.
struct PendingRequests {
    /// One request: its answer once there is one, or the message itself before it is performed.
    final class Entry {
        let id: UInt64?
        /// What it takes, itself and its place in the list included.
        let bytes: Int
        var state: State
        let freeing: Freeing

        /// As the shortest request, with its answer, is measured.
        private static var ownBytes: Int { 160 }

        /// The entry of a request whose text, or answer, is so long.
        init(id: UInt64?, bytes: Int, state: State, freeing: Freeing = .nothing) {
            self.id = id
            self.bytes = bytes + Self.ownBytes
            self.state = state
            self.freeing = freeing
        }
    }

    /// How a request affects the ids of subscriptions.
    enum Freeing {
        case nothing
        /// An `unsub`: the id is free after it.
        case ownID
        /// A `sub`: its id becomes free if a later request removes its owners.
        case byOwners
        /// A `release`, or a `mod` that removes owners: it may end any subscription.
        case owned

        init(_ fields: Fields) {
            switch fields.operation {
            case .unsub: self = .ownID
            case .sub: self = .byOwners
            case .release: self = .owned
            case .mod where fields[.removeOwner] != nil: self = .owned
            default: self = .nothing
            }
        }
    }

    enum State {
        /// The log has the commit; later messages must not overtake it.
        case submitted
        /// Something is being read or computed. Nothing has changed yet, so a stopping server may
        /// drop the request.
        case preparing
        /// The graph does not have a commit yet that the request needs.
        case awaiting(CommitWait)
        /// Everything it waited for is there; call the closure to answer.
        case due(() -> Void)
        /// An answer to send after everything before it; nil: none was wanted.
        case answered(Outgoing?)
        /// A message to perform after everything before it has been answered; a costly one only if
        /// the turn has work left.
        case deferred([UInt8], isDear: Bool)
    }

    private(set) var entries: Deque<Entry> = []
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Whether one of them uses this id, and still uses it after the last of them.
    func contains(_ id: UInt64) -> Bool {
        guard let place = entries.lastIndex(where: { $0.id == id }) else { return false }
        switch entries[place].freeing {
        case .ownID: return false
        // Only performing the release shows which subscriptions it ends, and so whether the id is
        // free.
        case .byOwners: return !entries[place...].contains { $0.freeing == .owned }
        case .nothing, .owned: return true
        }
    }

    /// Whether only sets at the log and finished answers wait, so that another set may be appended
    /// at once.
    var allowsSet: Bool {
        entries.allSatisfy {
            switch $0.state {
            case .submitted, .answered: true
            case .preparing, .awaiting, .due, .deferred: false
            }
        }
    }

    /// Whether the next one only needs sending.
    var hasAnswer: Bool {
        if case .answered? = entries.first?.state { true } else { false }
    }

    /// Whether the next one must still be performed.
    var isDeferred: Bool {
        if case .deferred? = entries.first?.state { true } else { false }
    }

    /// Whether it is costly.
    var isDear: Bool {
        if case .deferred(_, isDear: true)? = entries.first?.state { true } else { false }
    }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.bytes
    }

    /// Puts an entry back at the front that was taken out to be performed and must wait itself.
    mutating func prepend(_ entry: Entry) {
        entries.prepend(entry)
        bytes += entry.bytes
    }

    /// Removes and returns the first entry if it does not wait for the log.
    mutating func takeReady() -> Entry? {
        guard let first = entries.first else { return nil }
        switch first.state {
        case .submitted, .preparing, .awaiting: return nil
        case .due, .answered, .deferred: break
        }
        bytes -= first.bytes
        return entries.removeFirst()
    }

    /// Removes the entries that have changed nothing yet.
    mutating func dropUnperformed() {
        entries.removeAll {
            switch $0.state {
            case .submitted, .answered: return false
            case .preparing, .awaiting, .due, .deferred: break
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
