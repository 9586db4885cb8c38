internal import ReactiveGraph

/// `debounce`: the newest value once the upstream has been silent for the interval (G-75, G-141).
///
/// A steady stream faster than the interval never emits on the trailing edge; `sample` does.
final class DebounceStage: TimedStage {
    private let interval: UInt64
    private let edge: Stage.Edge
    private var held: Emission<Datum>?
    /// When the silence will have lasted long enough; there is an alarm then only if something is held, so that no tick
    /// is logged for nothing.
    private var end: UInt64 = 0

    init(_ interval: Stage.Span, _ edge: Stage.Edge, _ time: StageTime, _ graph: LiveGraph) {
        self.interval = interval.count
        self.edge = edge
        super.init(time, graph)
    }

    override func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        if emission.isEmpty {
            held = nil
            end = 0
            stop()
            return emission
        }
        let isFirst = held == nil && now >= end
        end = now + interval
        if isFirst, edge != .trailing { return emission }
        guard edge != .leading else { return nil }
        held = emission
        wake(at: end)
        return nil
    }

    override var waiting: Int { held == nil ? 0 : 1 }

    override func alarm(at now: UInt64) {
        guard let emission = held else { return }
        held = nil
        emit(emission)
    }
}
