internal import Commits
internal import ReactiveGraph
internal import Values

/// Where a segment of a client's pipeline begins: the edge of its first stage, which is parked for
/// good, so that no commit runs that stage or the later ones.
///
/// An emission of the edge's source only marks the head, which is then *behind*. At the end of the
/// turn ``PipelineScheduler`` runs it: the recorded emission passes all stages of the segment, and
/// reaches subscriptions, and the heads of longer chains. If every stage from here on depends only
/// on its present input and every subscription is in mode `latest`, one run for the newest emission
/// is enough, and subscribers learn how many it replaces. Otherwise each emission has a run of its
/// own.
///
/// What runs in the turn of its commit belongs to that commit. What runs later is *late*: its
/// subscribers receive it with the rev of the moment, and with the author of its commit.
final class Head {
    private unowned let graph: LiveGraph
    /// The stages that a run passes, and the subscriptions that use them.
    unowned let segment: Segment
    /// Nil once its stages have gone.
    private var edge: PostponingEdge?
    private let record: EmissionRecord
    /// Its place in the record.
    var place = 0
    /// Whether there is an emission that it has not handled.
    private(set) var isBehind = false
    /// The emission that it handles next, if it needs every one.
    private(set) var stand: UInt64?
    /// The last emission that it has handled, as ``EmissionRecord/Entry/count``.
    private var seen = EmissionRecord.Count()
    /// The account among whose heads it waits, while it is behind.
    private(set) var waitsAmong: PipelineAccount?
    /// How many subscriptions need every emission.
    private var needingAll = 0
    /// Its subscriptions are about to end with `slow`.
    private var isOverflowing = false
    /// Called once it is no longer behind.
    private var waiting: [() -> Void] = []

    private var scheduler: PipelineScheduler { graph.host.pipelines }

    /// Parks the edge into `node`, the first of the segment's stages.
    init?(before node: Node<Datum>, of segment: Segment, in graph: LiveGraph) {
        guard let edge = PostponingEdge(into: node), let record = EmissionRecord.of(edge, in: graph) else {
            return nil
        }
        self.graph = graph
        self.segment = segment
        self.edge = edge
        self.record = record
        edge.park()
        record.add(self)
    }

    /// Whether its stages have gone, or are about to.
    var isClosed: Bool { edge == nil || isOverflowing }

    /// The segment's principal pays for something.
    func charge(_ units: Int) { segment.payer?.room &-= units }

    // MARK: - Falling behind

    /// There is an emission to handle; `seen` counts those before it.
    func fellBehind(since seen: EmissionRecord.Count) {
        guard let account = segment.choosePayer(in: graph.host) else { return }
        self.seen = seen
        isBehind = true
        waitsAmong = account
        if needingAll > 0 { beginStanding() }
        if graph.facets.isWatched { scheduler.touch(graph) }
        scheduler.add(self, for: account)
    }

    /// So many more subscriptions need every emission.
    func need(all change: Int) {
        needingAll += change
        guard isBehind, !isClosed, (needingAll > 0) != (stand != nil) else { return }
        if needingAll > 0 { beginStanding() } else { endStanding() }
    }

    private func beginStanding() {
        guard let account = waitsAmong else { return }
        record.stand(at: record.newest, for: account)
        stand = record.newest
    }

    private func endStanding() {
        guard let stand = stand.take(), let account = waitsAmong else { return }
        record.leave(stand, for: account)
    }

    // MARK: - Running

    /// Passes on the oldest emission that it needs.
    func run() {
        guard isBehind, !isClosed, let edge else { return }
        let number = stand ?? record.newest
        let entry = record[number]
        deliver(entry, over: edge)
        guard !isClosed else { return }
        seen = entry.count
        if let stand, stand == number, number < record.newest, let account = waitsAmong {
            record.stand(at: number + 1, for: account)
            record.leave(number, for: account)
            self.stand = number + 1
        } else if number == record.newest {
            caughtUp()
        }
    }

    private func deliver(_ entry: EmissionRecord.Entry, over edge: PostponingEdge) {
        let graph = graph
        let isLate = entry.turn != graph.host.turns
        if isLate { graph.course.lateRev = graph.rev }
        let (commit, replaced) = (commit(of: entry, isLate: isLate), replaced(by: entry))
        graph.present.during {
            ($0.commit, $0.isLate) = (commit, isLate)
            ($0.replaced, $0.time) = (replaced, entry.time)
            $0.cause = entry.cause
        } _: {
            entry.emission.deliver(over: edge, after: entry.passage)
        }
    }

    /// The commit to which clients learn that the emission belongs.
    ///
    /// If it is late, that has the author and context of its commit, but the stamp with which the
    /// turn began: clients may have received that, and never receive an older rev after a newer
    /// one.
    private func commit(of entry: EmissionRecord.Entry, isLate: Bool) -> CommitInfo {
        let (commit, late) = (entry.commit, graph.stampBeforeTurn)
        guard isLate, late != commit.stamp else { return commit }
        return CommitInfo(stamp: late, context: commit.context, by: commit.by)
    }

    /// How many emissions the run for this one stands for, besides it.
    private func replaced(by entry: EmissionRecord.Entry) -> UInt64 {
        let (now, before) = (entry.count, seen)
        let count = segment.hearsEmpty ? now.all - before.all : now.heard - before.heard
        return count > 0 ? count - 1 : 0
    }

    private func caughtUp() {
        endStanding()
        isBehind = false
        waitsAmong = nil
        record.caughtUp(self)
        tellWaiting()
    }

    /// Handles what it can while `account`, which pays for it, and the turn have units left.
    func catchUp(paying account: PipelineAccount?) {
        guard isBehind else { return }
        segment.paying(account ?? segment.payer) {
            while isBehind, !isClosed, scheduler.hasRoom, account?.hasRoom(in: graph.host) != false {
                let before = scheduler.total
                run()
                scheduler.looked(since: before)
            }
        }
    }

    /// Calls `body` when it is no longer behind, or when its stages have gone.
    func whenCaughtUp(_ body: @escaping () -> Void) { waiting.append(body) }

    private func tellWaiting() {
        let told = waiting
        waiting = []
        for tell in told { tell() }
    }

    // MARK: - The end

    /// Too much waits: its subscriptions end with `slow`.
    func overflow() {
        guard !isClosed else { return }
        leave()
        isOverflowing = true
        scheduler.slow.add(segment)
    }

    /// The stages have been freed.
    func close() {
        if !isClosed { leave() }
        edge = nil
        tellWaiting()
    }

    private func leave() {
        endStanding()
        record.remove(self)
    }

    /// The graph is being freed: lets go what it waits with, and calls no one.
    func forget() {
        waiting = []
        edge = nil
    }
}
