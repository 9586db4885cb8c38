internal import Commits

/// Commits of one graph on their way to the stream.
struct Batch: Sendable {
    /// Commits that stand or fall together.
    struct Item: Sendable {
        enum Kind: String, Sendable {
            case values = "v"
            /// Only a question: whether a commit under conditions would be taken.
            case question = "q"
            case tick = "t"
            case define = "d"
            case redefine = "r"
            case remove = "x"
        }

        let kind: Kind
        /// How many commits `bytes` has.
        var count: Int
        var bytes: [UInt8]
        /// The idempotency key with its principal.
        var key: String?
        /// What is remembered of a commit with a key; where a definition comes from; the earliest
        /// time of a tick.
        var note = ""
        /// What conditions were checked against; nil: there are none.
        var premise: Premise?

        /// Whether it is a tick, or an expiry, of a later time.
        func isTooEarly(at time: UInt64) -> Bool { kind == .tick && UInt64(note).map { $0 > time } ?? false }
    }

    /// Where an instance stood when it checked conditions.
    struct Premise: Hashable, Sendable {
        /// The last rev that it knew: no other instance may have written since.
        let rev: UInt64
        /// The last batch of its own whose outcome it knew: what was on its way must have been
        /// taken.
        let batch: UInt64
    }

    let graph: String
    /// Counts the batches of this instance and graph: one that comes again is noticed by it.
    let number: UInt64
    /// The entry's id.
    let id: String
    /// The instance that writes it.
    let writer: String
    /// Where that stood.
    let base: StreamPosition
    let items: [Item]
}

/// What became of a batch.
enum Outcome: Hashable, Sendable {
    /// What became of one item.
    enum Item: Hashable, Sendable {
        case taken
        /// The answer to a question: nothing has come in between.
        case confirmed
        /// Something else has come in between.
        case moved
        /// The idempotency key, without its text, was used before, for the commit at that stamp.
        case known(LogStamp, changed: Int, LogEntry.Key)
    }

    /// Each item has its answer; the stream ended with this rev.
    case answered([Item], rev: UInt64)
    /// The batch was answered before, and the answer was lost; the stream ended with this rev.
    case seen(rev: UInt64)
    /// The graph has a new epoch, now at this rev.
    case otherEpoch(rev: UInt64)
}
