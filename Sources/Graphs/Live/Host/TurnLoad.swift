internal import Definitions
internal import DequeModule

/// How much the requests of all clients have used of the present loop turn.
struct TurnLoad {
    /// The number of finished turns.
    private(set) var turns: UInt64 = 0
    /// Nodes built and values read for requests since the start: the unit of a turn's budget.
    var work: UInt64 = 0
    /// The same when this turn began.
    private var workBefore: UInt64 = 0

    /// What this turn's requests have used.
    var used: UInt64 { work - workBefore }

    mutating func endTurn() {
        turns &+= 1
        workBefore = work
    }
}

extension Host {
    /// The number of finished loop turns.
    public var turns: UInt64 { load.turns }

    /// Nodes built and values read for requests since the start: the unit of a turn's budget.
    public package(set) var work: UInt64 {
        get { load.work }
        set { load.work = newValue }
    }

    /// Whether the requests of all clients have used so much of this turn that costly ones must
    /// wait for another: as much as the share of one client.
    public var isCrowded: Bool { load.used >= limits.work }

    /// Performs a costly request in a later turn, after those that wait already.
    public func later(_ perform: @escaping () -> Void) { postponed.append(perform) }

    /// Performs what was postponed, until the turn is crowded.
    func performPostponed() {
        // What is postponed again goes to the end of the queue.
        var count = postponed.count
        while count > 0, !isCrowded, let next = postponed.popFirst() {
            count -= 1
            next()
        }
    }
}
