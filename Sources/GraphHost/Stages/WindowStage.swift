internal import CEL
internal import ReactiveGraph

/// `window`: one figure over the newest values, by age or by number (definitions.md §3).
///
/// A window by age also emits when a value has become too old, so that an average does not stand still when its
/// source does; when nothing is left in it, `count` and `sum` are 0, `list` is empty, and the others are empty.
/// Failures pass and leave the window as it is. Emptiness travels; what the window holds stays.
final class WindowStage: TimedStage {
    private let extent: Stage.Window.Extent
    private let place: String
    private let limit: Int
    private var figure: WindowFigure
    private var times: [UInt64] = []
    private var first = 0

    init(_ window: Stage.Window, limit: Int, at place: String, _ time: StageTime, _ graph: LiveGraph) {
        extent = window.extent
        figure = WindowFigure(window.figure)
        self.limit = limit
        self.place = place
        super.init(time, graph)
    }

    override func receive(_ emission: Emission<Datum>) -> Emission<Datum>? {
        guard case .value(let datum) = emission, !datum.isFail else {
            if emission.isEmpty { stop() }
            return emission
        }
        guard figure.add(datum, at: now) else {
            return .value(.fail("expr_type", at: place, "this window needs numbers"))
        }
        times.append(now)
        let room = if case .count(let count) = extent { min(count, limit) } else { limit }
        while times.count - first > room { dropFirst() }
        if case .last = extent { expire(now) }
        return result()
    }

    override func alarm(at now: UInt64) {
        expire(now)
        emit(result())
    }

    private func result() -> Emission<Datum> {
        meter?.spend(figure.cost)
        return Evaluation.optional(figure.result, at: place)
    }

    private func expire(_ now: UInt64) {
        guard case .last(let age) = extent else { return }
        while first < times.count, times[first] + age.count <= now { dropFirst() }
        if first < times.count { wake(at: times[first] + age.count) } else { stop() }
    }

    private func dropFirst() {
        figure.removeFirst()
        first += 1
        if first > 64, first * 2 > times.count {
            times.removeFirst(first)
            first = 0
        }
    }
}

extension Evaluation {
    /// A figure that may be missing: then the node is empty.
    static func optional(_ tree: Value?, at place: String) -> Emission<Datum> {
        guard let tree else { return .empty }
        return emission(tree, at: place)
    }
}
