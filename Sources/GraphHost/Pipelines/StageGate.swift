internal import DequeModule
internal import ReactiveGraph

/// The entry of one stage of a client's pipeline: it counts what the stage spends, and holds
/// emissions back while none of its principals has units left (``PipelineLanes``).
///
/// If only the newest value matters, because every stage from here on depends only on its present
/// input and every subscription is in mode `latest`, one emission waits, with the number of those
/// it replaced. Otherwise all emissions wait, in order, up to a limit; then the subscriptions end
/// with `slow`. They also end if the stage would hold more bytes than its principal may
/// (``SessionLimits/held``).
final class StageGate {
    static let mostWaiting = 1_024
    /// The cost of holding one back, about as much as building a node.
    private static let keepingUnits = 40
    /// The cost of putting a newer one in its place.
    private static let replacingUnits = 5
    /// Bytes that one takes besides its value.
    private static let keepingBytes = 256
    /// How many can be dropped in the time of building a node.
    private static let dropsPerWork = 8

    /// A waiting emission.
    private struct Kept {
        var commit: CommitInfo
        /// The `time` that expressions see, in milliseconds since 1970.
        var time: UInt64
        /// How many emissions it replaced.
        var replaced: UInt64 = 0
        /// Bytes charged for it.
        ///
        /// Zero for a single one, because the previous stage holds the newest value anyway.
        var bytes = 0
        let emission: any Postponed
    }

    /// Called when the first value of a new pipeline, which waits here, has passed all stages, or
    /// the stage was freed.
    var opening: (() -> Void)?

    private unowned let graph: LiveGraph
    private let lanes: PipelineLanes
    private var kept: Deque<Kept> = []
    /// A waiting emission is being passed on.
    @exclusivity(unchecked) private var isPassing = false
    /// Its subscriptions are about to end with `slow`: nothing passes any more.
    private var isOverflowing = false
    private var waitsAmong: PipelineAccount?
    /// The account that is charged for the next run.
    @exclusivity(unchecked) private var payer: PipelineAccount?
    /// The subscriptions whose pipelines use the stage; each remembers its index.
    private(set) var uses: ContiguousArray<Unmanaged<PipelineUse>> = []
    private var turnToPay = 0
    /// How many of them need every emission.
    var needingAll = 0
    /// Bytes of the stage's own value, unless the previous stage has the same value, and of what
    /// its operator keeps.
    @exclusivity(unchecked) private var valueBytes = 0
    @exclusivity(unchecked) private var keptBytes = 0
    /// Bytes of the stage itself: its nodes, and its compiled expressions, which take up to sixteen
    /// times their text.
    let ownBytes: Int
    /// The account that is charged for these bytes.
    private(set) var holder: PipelineAccount?

    /// The units of all stages after which nothing passes any more; nil: no limit.
    private let most: Int?

    /// The gate of a client's stage.
    ///
    /// `text` is the stage's key, `payer` the account of the client that caused it to be built.
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

    /// Whether emissions wait here, so that the stage's node has an old value.
    var isBehind: Bool { !kept.isEmpty }

    /// The newest open subscription that depends on the stage.
    var newestSubscription: Subscription? {
        uses.lazy.map { $0._withUnsafeGuaranteedRef { $0.subscription } }.last { !$0.isEnded }
    }

    /// Counts the cost of a run.
    @inline(__always)
    func spend(_ units: Int) {
        lanes.spend(units)
        if let payer { payer.room &-= units }
    }

    /// Whether the stage may handle an emission now; otherwise it is held back.
    @inline(__always)
    func lets<Value: Weighed>(_ emission: @autoclosure () -> Emission<Value>, at site: Site) -> Bool {
        if isPassing { return true }
        if kept.isEmpty, let payer, lanes.hasRoom(for: payer, in: graph.host) { return true }
        if let most { return lanes.total <= most }
        if graph.builder.running > 0, lanes.total <= lanes.openUntil { return true }
        return letsAnother(emission(), at: site)
    }

    /// The slow path, if the present payer has no units left: the account of another user may have
    /// some.
    @inline(never)
    private func letsAnother<Value: Weighed>(_ emission: Emission<Value>, at site: Site) -> Bool {
        if kept.isEmpty, passToNext(), let payer, lanes.hasRoom(for: payer, in: graph.host) { return true }
        if isOverflowing { return false }
        if needingAll == 0, !kept.isEmpty {
            replaceNewest(with: emission, at: site)
        } else {
            let bytes = Self.keepingBytes + (emission.value?.knownByteCount ?? 0)
            keep(PostponedEmission(emission, at: site), bytes: bytes)
        }
        return false
    }

    /// Makes the next user the payer.
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

    private func keep(_ emission: any Postponed, bytes: Int) {
        noteDelay(Self.keepingUnits)
        var entry = Kept(commit: graph.envelope.info, time: graph.evaluationTime, emission: emission)
        if let waitsAmong, !kept.isEmpty {
            guard kept.count < Self.mostWaiting, waitsAmong.held + bytes <= graph.host.limits.held
            else { return overflow() }
            entry.bytes = bytes
            waitsAmong.held += bytes
        } else {
            // Without users it is being torn down.
            guard let payer else { return }
            waitsAmong = payer
            lanes.wait(self, for: payer)
        }
        kept.append(entry)
    }

    /// Puts an emission in the place of the newest one that waits, whose bytes are charged already.
    private func replaceNewest<Value>(with emission: Emission<Value>, at site: Site) {
        noteDelay(Self.replacingUnits)
        let newest = kept.count - 1
        kept[newest].commit = graph.envelope.info
        kept[newest].time = graph.evaluationTime
        kept[newest].replaced += 1
        // All emissions of a stage are of one type.
        unsafeDowncast(kept[newest].emission, to: PostponedEmission<Value>.self)
            .replace(with: emission, at: site)
    }

    private func noteDelay(_ units: Int) {
        if let first = lanes.opening.take() {
            opening = first
        } else if graph.builder.running == 0 {
            graph.lateRev = graph.rev
        }
        spend(units)
        graph.host.work += 1
    }

    private func overflow() {
        guard !isOverflowing else { return }
        isOverflowing = true
        lanes.overflow(self)
    }

    /// Passes on the oldest waiting emission.
    ///
    /// - Returns: whether more are waiting.
    func passNext() -> Bool {
        guard !isOverflowing, let next = kept.popFirst() else { return false }
        waitsAmong?.held -= next.bytes
        let isNews = opening == nil
        lanes.opening = opening.take()
        isPassing = true
        deliver(next, isNews: isNews)
        isPassing = false
        if let arrived = lanes.opening.take() { arrived() }
        return !kept.isEmpty
    }

    /// Passes an emission on; subscribers receive the result with the present rev.
    ///
    /// For a subscriber that has received nothing yet, a first value is not an update.
    private func deliver(_ late: Kept, isNews: Bool) {
        let outerTime = graph.evaluationTime
        graph.evaluationTime = late.time
        if isNews { graph.lateRev = graph.rev }
        graph.replacedEmissions = late.replaced
        graph.envelope.deliver(late: late.commit, late.emission.deliver)
        graph.replacedEmissions = 0
        graph.evaluationTime = outerTime
    }

    // MARK: - Bytes

    /// Whether the stage may hold its result; false if its principal would hold too much.
    ///
    /// `input` is the stage's input; a stage that passes its input on holds nothing of its own.
    @inline(__always)
    func holds(_ result: Emission<Datum>?, of input: Datum?) -> Bool {
        guard let result else { return true }
        let bytes = result.value.map { $0 === input ? 0 : $0.heldBytes } ?? 0
        // Small changes are not worth counting.
        if (bytes ^ valueBytes) < 64 { return true }
        guard hold(bytes - valueBytes) else { return false }
        valueBytes = bytes
        return true
    }

    /// Updates the bytes that the operator keeps; if they are too many, the subscriptions end.
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

    /// A subscription's pipeline uses the stage.
    ///
    /// - Returns: the index to remember.
    func add(_ use: PipelineUse) -> Int {
        uses.append(.passUnretained(use))
        if payer == nil { payer = use.account }
        if holder == nil { hand(to: use.account) }
        return uses.count - 1
    }

    /// The pipeline no longer uses the stage.
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

/// The input of a stage: a value, or one value of each input of a join.
protocol Weighed {
    /// The size of its JSON text in bytes, as far as it is known.
    var knownByteCount: Int { get }
}

extension Datum: Weighed {}

extension [Datum]: Weighed {
    var knownByteCount: Int { reduce(0) { $0 + $1.knownByteCount } }
}
