internal import DequeModule
internal import ReactiveGraph

/// The entry of one stage of a client's pipeline: it counts what the stage spends, and holds back what comes while none of
/// its principals has room (``PipelineLanes``).
///
/// Where only the newest value counts, because every stage from here on depends on its present input only and every
/// subscription is in mode `latest`, one emission waits, and the number of those it replaces. Otherwise all of them do, in
/// order, up to a bound; then the subscriptions end with `slow`. So they do where the stage would hold more bytes than its
/// principal may (``SessionLimits/held``).
final class StageGate {
    /// How many emissions may wait.
    static let mostWaiting = 1_024
    /// What holding one back costs, about as much as a node that is built.
    private static let keepingUnits = 40
    /// Bytes that one takes besides its value.
    private static let keepingBytes = 256
    /// So many are let go of in the time of a node that is built.
    private static let dropsPerWork = 8

    /// What waits.
    private struct Kept {
        let commit: CommitInfo
        /// What expressions see as `time`, in milliseconds since 1970.
        let time: UInt64
        /// How many emissions it has replaced.
        var replaced: UInt64 = 0
        /// Bytes that it takes, where it is not the only one; the newest value is held by the stage before anyway.
        var bytes = 0
        let deliver: () -> Void
    }

    /// Called when the first value of a new pipeline, which waits here, has come to its end, or the stage has gone.
    var opening: (() -> Void)?

    private unowned let graph: LiveGraph
    private let lanes: PipelineLanes
    private var kept: Deque<Kept> = []
    /// What waits is being let through.
    @exclusivity(unchecked) private var isPassing = false
    /// Its subscriptions are about to end with `slow`: nothing passes any more.
    private var isOverflowing = false
    /// The account in whose queue of the late lane it waits.
    private var waitsAmong: PipelineAccount?
    /// The account that pays for the next run.
    @exclusivity(unchecked) private var payer: PipelineAccount?
    /// The subscriptions whose pipelines lead through the stage, each at the place that it remembers.
    private(set) var uses: ContiguousArray<Unmanaged<PipelineUse>> = []
    private var turnToPay = 0
    /// How many of them need every emission.
    var needingAll = 0
    /// Bytes of the stage's own value, unless the stage before has the same, and of what its operator keeps.
    @exclusivity(unchecked) private var valueBytes = 0
    @exclusivity(unchecked) private var keptBytes = 0
    /// Bytes of the stage itself: its nodes, and its compiled expressions, which take up to sixteen times their text.
    let ownBytes: Int
    /// The account for which these bytes count.
    private(set) var holder: PipelineAccount?

    /// The units of all stages after which nothing passes any more; nil: no bound.
    private let most: Int?

    /// The gate of a client's stage; `text` is the stage's key, `payer` the account of the client that has it built.
    init(_ graph: LiveGraph, sized text: String, for payer: PipelineAccount?) {
        self.graph = graph
        self.payer = payer
        most = nil
        ownBytes = 512 + 16 * text.utf8.count
        lanes = graph.host.lanes
    }

    /// Counts the work of all stages of a definition, and stops it at `most` units.
    init(_ graph: LiveGraph, atMost most: Int) {
        self.graph = graph
        self.most = most
        ownBytes = 0
        lanes = graph.host.lanes
    }

    /// Whether emissions wait here, so that the stage's node still holds an old value.
    var isBehind: Bool { !kept.isEmpty }

    /// The last subscription that depends on the stage and has not ended.
    var newestSubscription: Subscription? {
        uses.lazy.map { $0._withUnsafeGuaranteedRef { $0.subscription } }.last { !$0.isEnded }
    }

    /// Counts what a run has cost.
    @inline(__always)
    func spend(_ units: Int) {
        lanes.spend(units)
        if let payer { payer.room &-= units }
    }

    /// Whether the stage may handle an emission now; otherwise it gets it later.
    @inline(__always)
    func lets<Value: Weighed>(_ emission: @autoclosure () -> Emission<Value>, at site: Site) -> Bool {
        if isPassing { return true }
        if kept.isEmpty, let payer, lanes.hasRoom(for: payer, in: graph.host) { return true }
        if let most { return lanes.total <= most }
        if graph.materialising > 0, lanes.total <= lanes.openUntil { return true }
        return letsAnother(emission(), at: site)
    }

    /// The same when the present payer has no room: the account of another user may have some.
    @inline(never)
    private func letsAnother<Value: Weighed>(_ emission: Emission<Value>, at site: Site) -> Bool {
        if kept.isEmpty, passToNext(), let payer, lanes.hasRoom(for: payer, in: graph.host) { return true }
        let postponed = PostponedEmission(emission, at: site)
        keep(bytes: Self.keepingBytes + (emission.value?.knownByteCount ?? 0)) { postponed.deliver() }
        return false
    }

    /// Lets the next of its users pay from now on.
    ///
    /// - Returns: whether the payer is a different account now.
    private func passToNext() -> Bool {
        guard uses.count > 1 else { return payer == nil && takePayer() }
        turnToPay = (turnToPay + 1) % uses.count
        return takePayer()
    }

    private func takePayer() -> Bool {
        guard turnToPay < uses.count else {
            payer = nil
            return false
        }
        let account = uses[turnToPay]._withUnsafeGuaranteedRef { $0.account }
        let isOther = account !== payer
        payer = account
        return isOther
    }

    // MARK: - Waiting

    private func keep(bytes: Int, _ deliver: @escaping () -> Void) {
        if isOverflowing { return }
        if let first = lanes.opening.take() {
            opening = first
        } else if graph.materialising == 0 {
            graph.lateRev = graph.rev
        }
        spend(Self.keepingUnits)
        graph.host.work += 1
        var entry = Kept(commit: graph.frames.info, time: graph.evaluationTime, deliver: deliver)
        guard let waitsAmong, !kept.isEmpty else {
            // Without users it is being torn down.
            guard let payer else { return }
            waitsAmong = payer
            lanes.wait(self, for: payer)
            kept.append(entry)
            return
        }
        if needingAll == 0, let last = kept.popLast() {
            entry.replaced = last.replaced + 1
            entry.bytes = last.bytes
        } else {
            entry.bytes = bytes
            guard kept.count < Self.mostWaiting, waitsAmong.held + bytes <= graph.host.limits.held
            else { return overflow() }
            waitsAmong.held += bytes
        }
        kept.append(entry)
    }

    private func overflow() {
        guard !isOverflowing else { return }
        isOverflowing = true
        lanes.overflow(self)
    }

    /// Lets through what has waited longest.
    ///
    /// - Returns: whether more waits.
    func passNext() -> Bool {
        guard !isOverflowing, let next = kept.popFirst() else { return false }
        waitsAmong?.held -= next.bytes
        let isNews = opening == nil
        lanes.opening = opening.take()
        isPassing = true
        graph.deliverLate(
            next.commit,
            at: next.time,
            replacing: next.replaced,
            isNews: isNews,
            next.deliver
        )
        isPassing = false
        if let arrived = lanes.opening.take() { arrived() }
        return !kept.isEmpty
    }

    // MARK: - Bytes

    /// Whether the stage may hold its result: not where its principal would hold too much.
    ///
    /// `input` is what the result was made of; a stage that passes it on holds nothing of its own.
    @inline(__always)
    func holds(_ result: Emission<Datum>?, of input: Datum?) -> Bool {
        guard let result else { return true }
        let bytes = result.value.map { $0 === input ? 0 : $0.heldBytes } ?? 0
        // Short ones are not worth the counting.
        if (bytes ^ valueBytes) < 64 { return true }
        guard hold(bytes - valueBytes) else { return false }
        valueBytes = bytes
        return true
    }

    /// Notes how many bytes the operator keeps; where they are too many the subscriptions end.
    func keeps(_ bytes: Int) {
        guard bytes != keptBytes, hold(bytes - keptBytes) else { return }
        keptBytes = bytes
    }

    private func hold(_ more: Int) -> Bool {
        guard let holder else { return true }
        if more > 0, holder.held + more > graph.host.limits.held {
            overflow()
            return false
        }
        holder.held += more
        return true
    }

    private func hand(to account: PipelineAccount?) {
        let held = ownBytes + valueBytes + keptBytes
        holder?.held -= held
        account?.held += held
        holder = account
    }

    /// The stage's node has been freed.
    func close() {
        hand(to: nil)
        graph.host.work += UInt64(kept.count / Self.dropsPerWork)
        for entry in kept { waitsAmong?.held -= entry.bytes }
        kept = []
        // There will be no first value.
        if let opening = opening.take() { opening() }
    }

    // MARK: - Users

    /// A subscription's pipeline leads through the stage.
    ///
    /// - Returns: the place to remember.
    func add(_ use: PipelineUse) -> Int {
        uses.append(.passUnretained(use))
        if payer == nil { payer = use.account }
        if holder == nil { hand(to: use.account) }
        return uses.count - 1
    }

    /// The pipeline no longer leads through the stage.
    func remove(at place: Int, level: Int) {
        let account = uses[place]._withUnsafeGuaranteedRef { $0.account }
        let last = uses.removeLast()
        if place < uses.count {
            uses[place] = last
            last._withUnsafeGuaranteedRef { $0.moved(to: place, level: level) }
        }
        if account === payer {
            payer = nil
            turnToPay = 0
            _ = takePayer()
        }
        if account === holder { hand(to: payer) }
    }
}

extension LiveGraph {
    /// Lets a stage handle what has waited since `commit`; subscribers receive the result with the present rev.
    ///
    /// A first value is no news: its subscriber has received nothing yet.
    fileprivate func deliverLate(
        _ commit: CommitInfo,
        at time: UInt64,
        replacing replaced: UInt64,
        isNews: Bool,
        _ deliver: () -> Void
    ) {
        let outerTime = evaluationTime
        evaluationTime = time
        if isNews { lateRev = rev }
        replacedEmissions = replaced
        frames.deliver(late: commit, deliver)
        replacedEmissions = 0
        evaluationTime = outerTime
    }
}

/// What a stage may receive: a value, or one of each input of a join.
protocol Weighed {
    /// Bytes of its JSON text, as far as they are known.
    var knownByteCount: Int { get }
}

extension Datum: Weighed {}

extension [Datum]: Weighed {
    var knownByteCount: Int { reduce(0) { $0 + $1.knownByteCount } }
}
