internal import Definitions
internal import DequeModule
public import Support

/// What the requests of all clients have used of the present loop turn, and what waits for its end
/// or for later turns.
struct LoopTurn {
    let activity = Activity()
    /// The number of finished turns.
    private(set) var turns: UInt64 = 0
    /// Nodes built and values read for requests since the start: the unit of a turn's budget.
    var work: UInt64 = 0
    /// The same when this turn began.
    private var workBefore: UInt64 = 0
    /// The graphs with `demand` requests of producers (D-1), settled when the turn ends.
    var demanded: [LiveGraph] = []
    /// Whether some server has ever said how values go on from here, and whether the ways have
    /// changed since they were followed last (S-9).
    var ways = (areKnown: false, areNew: false)
    /// The graphs' members with entries to look at when it ends (``Members/forgetLeftovers()``).
    var leftovers: [Members] = []
    /// What continues in later turns, longest wait first.
    var postponed: Deque<() -> Void> = []
    /// What the last ``Host/advance()`` went on with.
    private var kind = 0

    mutating func noteWays() { ways = (true, true) }

    /// What this turn's requests have used.
    var used: UInt64 { work - workBefore }

    mutating func end() {
        turns &+= 1
        workBefore = work
    }

    /// The next of the kinds of work that wait, each of which is a bit of `waiting`.
    mutating func next(of waiting: Int) -> Int {
        // The kinds after the last one come first.
        let later = (waiting >> (kind + 1)) << (kind + 1)
        kind = (later != 0 ? later : waiting).trailingZeroBitCount
        return kind
    }
}

extension Host {
    /// The loop's current activity, for a watchdog.
    public var activity: Activity { turn.activity }

    /// A subscription with a way has begun, ended, or got another one.
    package func noteWays() { turn.noteWays() }

    /// Whether ways have changed since this was called last.
    public func takeNewWays() -> Bool {
        defer { turn.ways.areNew = false }
        return turn.ways.areNew
    }

    /// The number of finished loop turns.
    public var turns: UInt64 { turn.turns }

    /// Nodes built and values read for requests since the start: the unit of a turn's budget.
    public package(set) var work: UInt64 {
        get { turn.work }
        set { turn.work = newValue }
    }

    /// Whether the requests of all clients have used so much of this turn that costly ones must
    /// wait for another: as much as the share of one client.
    public var isCrowded: Bool { turn.used >= limits.work }

    /// Performs a costly request in a later turn, after those that wait already.
    public func later(_ perform: @escaping () -> Void) { turn.postponed.append(perform) }

    /// Performs what was postponed, until the turn is crowded.
    func performPostponed() {
        // What is postponed again goes to the end of the queue.
        var count = turn.postponed.count
        while count > 0, !isCrowded, let next = turn.postponed.popFirst() {
            count -= 1
            next()
        }
    }
}
