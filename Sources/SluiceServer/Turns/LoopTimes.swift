/// How long clients wait, by the clock of the loop's turns.
///
/// What begins and ends in one turn takes as long as the turn, because its bytes are sent at the
/// end. So a turn reads the clock twice, and a third time if it applies commits, however many
/// requests it answers.
struct LoopTimes {
    /// From the beginning of a turn to its end.
    private(set) var turn = TimeHistogram()
    /// From the beginning of a turn with commits until all of them are applied.
    private(set) var propagation = TimeHistogram()
    /// From then to the end of the turn.
    private(set) var delivery = TimeHistogram()
    /// From the turn in which a commit was submitted to the end of the one in which it was applied.
    private(set) var commit = TimeHistogram()
    /// From the turn in which a request was read to the end of the one in which it was answered.
    private(set) var request = TimeHistogram()

    /// The start times of earlier turns whose requests were answered in this turn.
    private var late: ContiguousArray<UInt64> = []
    /// Requests of this turn that are not answered in it.
    private var waiting: UInt64 = 0
    private var requestsBefore: UInt64 = 0
    /// The value of `commits` at the end of the last turn that applied some.
    private(set) var commitsBefore: UInt64 = 0

    /// A request of this turn will be answered in a later one.
    mutating func waits() { waiting &+= 1 }

    /// The last one that waits is not a request of this turn: it waits on, and was counted when it
    /// began to.
    mutating func waitsOn() { waiting &-= 1 }

    /// A request is answered that arrived in the turn that began at `began`.
    mutating func answered(sinceTurnAt began: UInt64) { late.append(began) }

    /// The turn is over; `delivered` is when its delivery began, 0 if no commit was applied.
    ///
    /// Requests and commits are counted since the start. `lateCommits` are the start times of
    /// earlier turns whose commits were applied in this one.
    @inline(__always)
    mutating func endTurn(
        from began: UInt64,
        delivering delivered: UInt64,
        to end: UInt64,
        requests: UInt64,
        commits: UInt64,
        lateCommits: ContiguousArray<UInt64>
    ) {
        let span = TimeHistogram.Span(end &- began)
        turn.record(span)
        if requests != requestsBefore {
            request.record(span, times: requests &- requestsBefore &- waiting)
            requestsBefore = requests
            waiting = 0
        }
        if delivered != 0 {
            propagation.record(TimeHistogram.Span(delivered &- began))
            delivery.record(TimeHistogram.Span(end &- delivered))
            commit.record(span, times: commits &- commitsBefore &- UInt64(lateCommits.count))
            // Commits of the start were submitted before the first turn.
            for began in lateCommits where began != 0 { commit.record(TimeHistogram.Span(end &- began)) }
            commitsBefore = commits
        }
        if !late.isEmpty { recordLate(end) }
    }

    @inline(never)
    private mutating func recordLate(_ end: UInt64) {
        for began in late { request.record(TimeHistogram.Span(end &- began)) }
        late.removeAll(keepingCapacity: late.count <= 1024)
    }
}
