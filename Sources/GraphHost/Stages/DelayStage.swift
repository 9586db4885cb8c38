internal import ReactiveGraph

/// `delay`: every value, in order, each its own delay after it came (G-74).
///
/// It holds at most `limit` values; when one more comes, the oldest leaves early, so that none is lost.
final class DelayStage: TimedStage {
    private let delay: UInt64
    private let limit: Int
    private var held: [(due: UInt64, emission: Emission<Datum>)] = []
    private var first = 0

    init(_ delay: Stage.Span, limit: Int, _ time: StageTime, _ graph: LiveGraph) {
        self.delay = delay.count
        self.limit = limit
        super.init(time, graph)
    }

    override func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        if emission.isEmpty {
            held = []
            first = 0
            stop()
            return emission
        }
        held.append((now + delay, emission))
        guard held.count - first > limit else {
            if held.count - first == 1 { wake(at: now + delay) }
            return nil
        }
        let early = takeFirst()
        wake(at: held[first].due)
        return early
    }

    override func alarm(at now: UInt64) {
        while first < held.count, held[first].due <= now { emit(takeFirst()) }
        if first < held.count { wake(at: held[first].due) }
    }

    override var waiting: Int { held.count - first }

    private func takeFirst() -> Emission<Datum> {
        let emission = held[first].emission
        first += 1
        if first > 64, first * 2 > held.count {
            held.removeFirst(first)
            first = 0
        }
        return emission
    }
}
