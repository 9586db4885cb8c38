/// What a server knows of the clock of Redis, which stamps commits, by its own monotonic clock.
///
/// An answer of Redis with its time says how much that clock is ahead, except for the time that the
/// answer took. Of what is possible, the least is assumed, so Redis' clock shows at least
/// ``time(at:)`` as long as it is not set back. All in milliseconds.
struct StampClock {
    /// How far Redis' clock is ahead, at least; nil: Redis has not answered yet.
    private var lead: Int64?

    /// Redis has answered that it was `time`.
    ///
    /// It was asked after `asked`, and the answer was read before `now`.
    mutating func note(_ time: UInt64, asked: UInt64, now: UInt64) {
        // All of these are rounded down.
        let least = Int64(clamping: time) - Int64(clamping: now) - 1
        let most = Int64(clamping: time) - Int64(clamping: asked) + 1
        // What earlier answers have shown remains unless the clock has been set, or has drifted.
        lead = lead.map { $0 > most ? least : max($0, least) } ?? least
    }

    /// The same, where it was asked to take these batches.
    ///
    /// If a tick was too early, more was assumed than there is.
    mutating func note(_ time: UInt64, asked: UInt64, now: UInt64, _ batches: [Batch]) {
        if batches.contains(where: { $0.items.contains { $0.isTooEarly(at: time) } }) { lead = nil }
        note(time, asked: asked, now: now)
    }

    /// What Redis' clock shows at least, in milliseconds since 1970; nil: it is not known.
    func time(at now: UInt64) -> UInt64? {
        lead.map { UInt64(max(0, Int64(clamping: now) + $0)) }
    }
}
