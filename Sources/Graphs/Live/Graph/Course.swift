public import Commits

/// How far a graph's history has come.
struct Course {
    let epochs: Epochs
    /// Rev and time of the last commit.
    var stamp: LogStamp
    /// The stamp when the present turn of the loop began, if that had a commit.
    var before: LogStamp
    /// The turn of the loop in which the newest commit was applied.
    var turn: UInt64 = 0
    /// Commits applied by this process.
    var commits: UInt64 = 0
    /// Cursors before this rev are invalid: the graph was read from the log again, and clients may
    /// have received other values.
    var resumesFrom: UInt64 = 0
    /// The last rev at which a glob came to match fewer nodes, as far as this process knows.
    var narrowedAt: UInt64 = 0
    /// The newest rev at which an emission of a client's pipeline was late.
    var lateRev: UInt64 = 0
    /// The histories by time that have ended, by the names of their nodes, with the rev at which
    /// each did: what is stored of them is to be deleted.
    var endedHistories: [String: UInt64] = [:]
    /// The requests that wait for a commit; nil before the first one.
    var awaited: AwaitedCommits?

    init(at position: LogPosition) {
        epochs = position.epochs
        stamp = LogStamp(rev: position.rev, time: position.time)
        before = stamp
    }

    /// A commit is being applied in that turn of the loop.
    @inline(__always)
    mutating func advance(to stamp: LogStamp, in turn: UInt64) {
        if self.turn != turn { before = self.stamp }
        self.stamp = stamp
        self.turn = turn
        commits &+= 1
    }
}

extension LiveGraph {
    /// The epochs of its history.
    public var epochs: Epochs { course.epochs }
    /// Rev and time of the last commit.
    package var stamp: LogStamp { course.stamp }
    /// The number of the last commit.
    public var rev: UInt64 { course.stamp.rev }
    /// Milliseconds since 1970 of the last commit.
    public var time: UInt64 { course.stamp.time }
    /// The present epoch, to which `rev` belongs.
    public var epoch: String { epochs.present }
    /// The turn of the loop in which the newest commit was applied.
    package var turn: UInt64 { course.turn }
    /// Cursors before this rev are invalid.
    package var resumesFrom: UInt64 { course.resumesFrom }
    /// The last rev at which a glob came to match fewer nodes, as far as this process knows.
    package var narrowedAt: UInt64 { course.narrowedAt }
    /// The newest rev at which an emission of a client's pipeline was late.
    package var lateRev: UInt64 { course.lateRev }
    /// The position in its history.
    package var position: LogPosition { LogPosition(epochs, rev: rev, time: time) }
    /// The stamp when the present turn of the loop began.
    var stampBeforeTurn: LogStamp { course.turn == host.turns ? course.before : stamp }

    /// The rev and time of the next commit made at `wall`, if no log assigns them.
    func nextStamp(at wall: UInt64) -> LogStamp {
        LogStamp(rev: rev &+ 1, time: max(time, wall))
    }
}
