internal import ReactiveGraph

/// `debounce`: the newest value once the upstream has been silent for the interval (G-75, G-141).
///
/// A steady stream faster than the interval never emits on the trailing edge; `sample` does.
final class DebounceStage: TimedStage {
    private let interval: UInt64
    private let edge: Stage.Edge
    private var held: Emission<Datum>?
    private var isRunning = false

    init(_ interval: Stage.Span, _ edge: Stage.Edge, _ time: StageTime, _ graph: LiveGraph) {
        self.interval = interval.count
        self.edge = edge
        super.init(time, graph)
    }

    override func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        if emission.isEmpty {
            held = nil
            isRunning = false
            stop()
            return emission
        }
        let isFirst = !isRunning
        isRunning = true
        wake(at: now + interval)
        if isFirst, edge != .trailing { return emission }
        if edge != .leading { held = emission }
        return nil
    }

    override var waiting: Int { held == nil ? 0 : 1 }

    override func alarm(at now: UInt64) {
        isRunning = false
        guard let emission = held else { return }
        held = nil
        emit(emission)
    }
}
