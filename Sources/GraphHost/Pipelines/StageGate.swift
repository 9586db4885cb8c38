internal import CEL
internal import ReactiveGraph
internal import Values

/// The entry of one stage of a client's pipeline: it counts what the stage spends, and holds
/// emissions back while none of its principals has units left (``PipelineLanes``).
///
/// A run for which too few are left pauses, and goes on when it is the stage's turn again.
///
/// While it waits, its edge is parked, and the emissions are in the ``Backlog`` of its input. If
/// only the newest value matters, because every stage from here on depends only on its present
/// input and every subscription is in mode `latest`, the stage handles the newest then, and the
/// client learns how many that replaces. Otherwise it handles all of them, in order. If they are
/// too many or too large, or the stage would hold more bytes than its principal may
/// (``SessionLimits/held``), the subscriptions end with `slow`.
///
/// When it has handled all of them and its principal is still over its share, it *rests*, unless
/// several clients share it: its edge stays parked, so that the next emission costs nothing for it
/// until it is its turn. That may be at the end of the commit.
final class StageGate {
    /// The cost of beginning to wait: 1.5 microseconds.
    private static let waitingUnits = 75

    /// Its place in the backlog of its input.
    private final class Wait {
        let edge: PostponingEdge
        let backlog: Backlog
        let account: PipelineAccount
        var index: Int
        /// The emission that it handles next if it needs every one.
        var stand: UInt64?
        /// The last emission that it has handled, as ``Backlog/Entry/count``.
        var seen: UInt64
        /// The emission whose run has paused.
        var present: (number: UInt64, entry: Backlog.Entry)?
        /// Its place among the stages that rest; nil: it is among those that wait for their turn.
        var rest: (among: Resting, place: UInt64)?

        init(_ gate: StageGate, _ edge: PostponingEdge, in backlog: Backlog, for account: PipelineAccount) {
            self.edge = edge
            self.backlog = backlog
            self.account = account
            index = backlog.add(gate)
            // With those that the present emission has replaced on its way.
            seen = backlog.count - 1 - gate.graph.replacedEmissions
        }

        /// Whether there is an emission that it has not handled.
        var isBehind: Bool { seen < backlog.count }
    }

    /// Called when the first value of a new pipeline, which waits here, has passed all stages, or
    /// the stage was freed.
    var opening: (() -> Void)?

    private unowned let graph: LiveGraph
    private let lanes: PipelineLanes
    private var wait: Wait?
    /// The expression that is paused.
    private var paused: PausedEvaluation?
    /// A waiting emission is being passed on.
    private(set) var isPassing = false
    /// Its subscriptions are about to end with `slow`: nothing passes any more.
    private var isOverflowing = false
    private(set) var users: StageUsers
    /// How many of them need every emission.
    private var needingAll = 0
    private(set) var bytes: StageBytes
    /// The units of all stages after which nothing passes any more; nil: no limit.
    private let most: Int?

    /// The gate of a client's stage.
    ///
    /// `text` is the stage's key, `payer` the account of the client that caused it to be built.
    init(_ graph: LiveGraph, sized text: String, for payer: PipelineAccount?) {
        self.graph = graph
        users = StageUsers(payer: payer)
        bytes = StageBytes(of: text)
        most = nil
        lanes = graph.host.lanes
    }

    /// Counts the work of all stages of a definition, and stops it at `most` units.
    init(_ graph: LiveGraph, atMost most: Int) {
        self.graph = graph
        self.most = most
        users = StageUsers(payer: nil)
        bytes = StageBytes()
        lanes = graph.host.lanes
    }

    /// Whether it waits, so that the stage's node has an old value.
    var isBehind: Bool { wait?.isBehind ?? isOverflowing }

    /// Whether emissions of its input reach it.
    @inline(__always)
    private var isInService: Bool { wait == nil && !isOverflowing }

    /// The account among whose stages it waits.
    var waitsAmong: PipelineAccount? { wait?.account }

    /// The waiting emission that it handles next, if it needs every one.
    var stand: UInt64? { wait?.stand }

    /// The newest open subscription that depends on the stage.
    var newestSubscription: Subscription? { users.newest }

    /// Counts the cost of a run.
    @inline(__always)
    func spend(_ units: Int) {
        lanes.spend(units)
        if let payer = users.payer { payer.room &-= units }
    }

    /// Whether the stage may handle an emission now; otherwise it is held back.
    @inline(__always)
    func lets<Value: Weighed>(_ emission: @autoclosure () -> Emission<Value>, at site: Site) -> Bool {
        if isPassing { return true }
        if let most { return lanes.total <= most }
        if isInService, hasRoom { return true }
        if graph.builder.running > 0, !lanes.isOpening { return true }
        return letsAnother(emission(), at: site)
    }

    /// Whether the payer may spend something now.
    @inline(__always)
    private var hasRoom: Bool {
        if lanes.isOpening { return lanes.total < lanes.openUntil }
        guard let payer = users.payer else { return false }
        return lanes.hasRoom(for: payer, in: graph.host)
    }

    /// The slow path, if the present payer has no units left: the account of another user may have
    /// some.
    @inline(never)
    private func letsAnother<Value: Weighed>(_ emission: Emission<Value>, at site: Site) -> Bool {
        if isInService, users.passToNext(), hasRoom { return true }
        postpone(emission, at: site)
        return false
    }

    // MARK: - Waiting

    /// The stage handles the present emission, or goes on with it, when it is its turn.
    func postpone<Value: Weighed>(_ emission: Emission<Value>, at site: Site) {
        guard isInService else { return }
        // Every new pipeline could keep a paused evaluation: theirs begin again.
        if lanes.isOpening { paused = nil }
        let edge = PostponingEdge(at: site)
        // Without users it is being torn down.
        guard let payer = users.payer, let source = edge.source(of: Value.self) else { return }
        if let first = lanes.opening.take() {
            opening = first
        } else if graph.builder.running == 0 {
            graph.lateRev = graph.rev
        }
        spend(Self.waitingUnits)
        graph.host.work += 1
        edge.park()
        let backlog = Backlog.of(source, in: graph, emission)
        let wait = Wait(self, edge, in: backlog, for: payer)
        if hasPaused { wait.present = (backlog.newest, backlog[backlog.newest]) }
        self.wait = wait
        standIfNeeded()
        lanes.wait(self, for: payer)
    }

    /// Its index in the backlog has changed.
    func moved(to index: Int) { wait?.index = index }

    /// So many more subscriptions need every emission.
    func need(all change: Int) {
        needingAll += change
        standIfNeeded()
    }

    /// Stands at the newest emission from when on every one is needed, until none is.
    private func standIfNeeded() {
        guard let wait, (needingAll > 0) != (wait.stand != nil) else { return }
        if let stand = wait.stand {
            wait.backlog.leave(stand, for: wait.account)
            wait.stand = nil
        } else {
            let stand = wait.backlog.newest + (wait.isBehind ? 0 : 1)
            wait.backlog.stand(at: stand, for: wait.account)
            wait.stand = stand
        }
    }

    /// - Returns: the edge, if it has waited.
    @discardableResult
    private func endWaiting() -> PostponingEdge? {
        paused = nil
        guard let wait = wait.take() else { return nil }
        if let stand = wait.stand { wait.backlog.leave(stand, for: wait.account) }
        endRest(of: wait)
        wait.backlog.remove(at: wait.index)
        return wait.edge
    }

    /// Too much waits: its subscriptions end with `slow`.
    func overflow() {
        guard !isOverflowing else { return }
        isOverflowing = true
        endWaiting()
        lanes.overflow(self)
    }

    /// Passes on the oldest waiting emission that it needs.
    ///
    /// - Returns: whether more are waiting.
    func passNext() -> Bool {
        guard let wait else { return false }
        let number = wait.present?.number ?? wait.stand ?? wait.backlog.newest
        let entry = wait.present?.entry ?? wait.backlog[number]
        let isNews = opening == nil
        lanes.opening = opening.take()
        isPassing = true
        deliver(entry, over: wait.edge, replaced: entry.count - wait.seen - 1, isNews: isNews)
        isPassing = false
        let arrived = lanes.opening.take()
        if hasPaused {
            opening = arrived
            self.wait?.present = (number, entry)
            return true
        }
        if let arrived { arrived() }
        return goOn(after: number, entry.count)
    }

    private func goOn(after number: UInt64, _ count: UInt64) -> Bool {
        guard let wait else { return false }
        let (backlog, account) = (wait.backlog, wait.account)
        let isBehind = number < backlog.newest
        // Each of several users could have room at the next emission.
        guard isBehind || (users.isOne && account === users.payer && account.isOverShare(in: graph.host))
        else {
            endWaiting()?.unpark()
            return false
        }
        if let stand = wait.stand, stand <= number {
            backlog.stand(at: number + 1, for: account)
            backlog.leave(stand, for: account)
            wait.stand = number + 1
        }
        wait.present = nil
        wait.seen = count
        if !isBehind {
            let resting = backlog.resting(of: account)
            wait.rest = (resting, resting.add(self))
        }
        return isBehind
    }

    /// Its place among those that rest has changed.
    func rests(at place: UInt64) { wait?.rest?.place = place }

    /// It has been taken from those that rest.
    func wake() { wait?.rest = nil }

    private func endRest(of wait: Wait) {
        guard let rest = wait.rest else { return }
        wait.rest = nil
        rest.among.remove(at: rest.place)
        wait.backlog.restEnded(of: wait.account)
    }

    /// It has another user, who may be within its share.
    private func endRest() {
        guard let wait, wait.rest != nil else { return }
        guard wait.isBehind else {
            endWaiting()?.unpark()
            return
        }
        endRest(of: wait)
        lanes.wait(self, for: wait.account)
    }

    /// Passes an emission on; subscribers receive the result with the present rev.
    ///
    /// For a subscriber that has received nothing yet, a first value is not an update.
    private func deliver(_ late: Backlog.Entry, over edge: PostponingEdge, replaced: UInt64, isNews: Bool) {
        let graph = graph
        let outerTime = graph.evaluationTime
        graph.evaluationTime = late.time
        if isNews { graph.lateRev = graph.rev }
        graph.replacedEmissions = replaced
        graph.envelope.deliver(late: late.commit) { late.emission.deliver(over: edge) }
        graph.replacedEmissions = 0
        graph.evaluationTime = outerTime
    }

    // MARK: - Pauses

    /// Whether the stage's last run has paused.
    var hasPaused: Bool { paused != nil }

    /// Whether its runs may pause; those of definitions are part of a commit.
    var mayPause: Bool { most == nil }

    /// Evaluates a program as far as the payer has units, or goes on with the paused evaluation of
    /// the same emission.
    ///
    /// If it pauses, it throws an error that means nothing.
    func evaluate(
        _ program: Program,
        _ arguments: UnsafeBufferPointer<Value>,
        spent: inout Int
    ) throws(EvaluationError) -> Value {
        // Without a payer it could not wait.
        let units = if let payer = users.payer { lanes.unitsLeft(for: payer) } else { Int.max }
        let state =
            if let paused = paused.take() {
                try paused.resume(pausingAfter: units, spent: &spent)
            } else {
                try program.evaluate(arguments, pausingAfter: units, spent: &spent)
            }
        switch state {
        case .finished(let value): return value
        case .paused(let evaluation):
            paused = evaluation
            throw EvaluationError(code: .cost, message: "", offset: 0)
        }
    }

    // MARK: - Bytes

    /// Whether the stage may hold its result; false if its principal would hold too much.
    ///
    /// `input` is the stage's input; a stage that passes its input on holds nothing of its own.
    @inline(__always)
    func holds(_ result: Emission<Datum>?, of input: Datum?) -> Bool {
        guard let result else { return true }
        var held = 0
        if let value = result.value, value !== input {
            held = value.heldBytes
            if value.isContainer { value.isTreeCounted = true }
        }
        if bytes.hold(value: held, most: graph.host.limits.held) { return true }
        overflow()
        return false
    }

    /// Whether its principal may hold the tree of the input that the stage has just read; the first
    /// stage that reads it is charged.
    @inline(__always)
    func reads(_ input: Datum) -> Bool { !bytes.mayCount(treeOf: input) || reads([input]) }

    /// The same for several inputs.
    @inline(never)
    func reads(_ inputs: [Datum]) -> Bool {
        if most != nil || bytes.hold(treesOf: inputs, most: graph.host.limits.held) { return true }
        overflow()
        return false
    }

    /// Updates the bytes that the operator keeps; if they are too many, the subscriptions end.
    func keeps(_ kept: Int) {
        if !bytes.hold(kept: kept, most: graph.host.limits.held) { overflow() }
    }

    /// The stage's node has been freed.
    func close() {
        bytes.hand(to: nil)
        endWaiting()
        // There will be no first value.
        if let opening = opening.take() { opening() }
    }

    /// The graph is being freed: lets go what the stage waits with, and calls no one.
    func forget() {
        opening = nil
        paused = nil
        _ = wait.take()
    }

    // MARK: - Users

    /// A subscription's pipeline uses the stage.
    ///
    /// - Returns: the index to remember.
    func add(_ use: PipelineUse) -> Int {
        let place = users.add(use)
        if bytes.holder == nil { bytes.hand(to: use.account) }
        endRest()
        return place
    }

    /// The pipeline no longer uses the stage.
    func remove(at place: Int, level: Int) {
        let account = users.remove(at: place, level: level)
        if account === bytes.holder { bytes.hand(to: users.payer) }
    }
}
