internal import Definitions
internal import ReactiveGraph
internal import Values

/// What one stage spends and holds: a stage of a client's pipeline, for its principal, or the
/// stages of a definition whose cost is being measured (``TrialBirth``).
final class StageMeter: Meter {
    private unowned let graph: LiveGraph
    private let scheduler: PipelineScheduler
    /// The stages that have the same users; nil in a definition.
    private(set) var segment: Segment?
    private var bytes = StageBytes()
    /// The stage itself: its nodes, and its compiled expressions, which take up to sixteen times
    /// their text.
    let own: Int
    /// The units of all stages after which nothing passes any more; nil: no limit.
    private let most: Int?

    /// The meter of a client's stage; `text` is the stage's key.
    init(_ graph: LiveGraph, sized text: String, of segment: Segment) {
        self.graph = graph
        self.segment = segment
        own = 512 + 16 * text.utf8.count
        most = nil
        scheduler = graph.host.pipelines
        _ = segment.hold(own, most: .max)
    }

    /// Counts the work of all stages of a definition, and stops it at `most` units.
    init(_ graph: LiveGraph, atMost most: Int) {
        self.graph = graph
        self.most = most
        own = 0
        scheduler = graph.host.pipelines
    }

    // MARK: - Units

    /// Counts the cost of a run; false if the stages of the definition have spent more than they
    /// may.
    @discardableResult
    func spend(_ units: Int) -> Bool {
        scheduler.spend(units)
        if let payer = segment?.payer { payer.room &-= units }
        guard let most else { return true }
        return scheduler.total <= most
    }

    // MARK: - Bytes

    func admits(_ result: Emission<Datum>?, of input: Datum) -> Bool {
        if bytes.mayCount(treeOf: input), !reads([input]) { return false }
        return holds(result, of: input)
    }

    func admits(_ result: Emission<Datum>?, reading inputs: [Datum]) -> Bool {
        reads(inputs) && holds(result, of: nil)
    }

    /// Whether the stage may hold its result; `input` is what it passes on and need not hold.
    @inline(__always)
    private func holds(_ result: Emission<Datum>?, of input: Datum?) -> Bool {
        guard let result, let segment else { return true }
        var held = 0
        if let value = result.value, value !== input {
            held = value.heldBytes
            if value.isContainer { value.isTreeCounted = true }
        }
        if bytes.hold(value: held, for: segment, most: graph.host.limits.held) { return true }
        overflow()
        return false
    }

    /// Whether its principal may hold the trees of the inputs that the stage has just read; the
    /// first stage that reads one is charged.
    @inline(never)
    private func reads(_ inputs: [Datum]) -> Bool {
        guard let segment else { return true }
        if bytes.hold(treesOf: inputs, for: segment, most: graph.host.limits.held) { return true }
        overflow()
        return false
    }

    /// Updates the bytes that the operator keeps; if they are too many, the subscriptions end.
    func keeps(_ kept: Int) {
        guard let segment else { return }
        if !bytes.hold(kept: kept, for: segment, most: graph.host.limits.held) { overflow() }
    }

    func noteEmpty() { segment?.noteEmpty() }

    private func overflow() {
        guard let segment else { return }
        if let head = segment.head { head.overflow() } else { scheduler.slow.add(segment) }
    }

    /// A fork of chains has divided its segment: it has the users of this one.
    func move(to segment: Segment) {
        let held = own + bytes.sum
        _ = self.segment?.hold(-held, most: .max)
        _ = segment.hold(held, most: .max)
        self.segment = segment
    }

    /// The stage's node has been freed.
    func close() {
        bytes.forgetTrees()
        segment?.close()
        segment = nil
    }
}
