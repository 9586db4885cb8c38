internal import ReactiveGraph

/// `sample`: the newest value at a fixed rate (G-141a).
///
/// The first value starts an interval; at its end the newest value is emitted and the next interval begins. An
/// interval without a value is the last one until a value comes.
final class SampleStage: TimedStage {
    private let interval: UInt64
    private var held: Emission<Datum>?
    /// The end of the interval that is running, or that ran last.
    private var end: UInt64 = 0

    init(_ interval: Stage.Span, _ time: StageTime, _ graph: LiveGraph) {
        self.interval = interval.count
        super.init(time, graph)
    }

    override func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        if emission.isEmpty {
            held = nil
            stop()
            return emission
        }
        let isSet = held != nil
        held = emission
        if isSet { return nil }
        if end <= now { end = now + interval }
        wake(at: end)
        return nil
    }

    override var waiting: Int { held == nil ? 0 : 1 }

    override func alarm(at now: UInt64) {
        guard let emission = held else { return }
        held = nil
        end = now + interval
        emit(emission)
    }
}
