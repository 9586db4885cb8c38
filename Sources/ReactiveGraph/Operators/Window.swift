/// How far back a window reaches.
public enum WindowExtent: Sendable, Equatable {
    /// Over the newest values, this many at most; at least 1.
    case count(Int)
    /// Over the values not older than this; positive. The graph needs a clock.
    case time(Duration)
}

/// The newest values of a node, over which a figure is kept up to date.
///
/// Made by ``Node/window(last:)``. Each figure costs a fixed amount of work per value, on average, whatever the size of the
/// window, and is computed from the values in it alone: what has left leaves no rounding error behind.
public struct Window<Value> {
    let node: Node<Value>
    let extent: WindowExtent
}

extension Node {
    /// The newest values, to take a figure of.
    ///
    /// The figure is emitted for each value, and, over a time, when values get too old; those that get too old at
    /// the same time leave at once. When no value is left, count and sum are zero, and the other figures are
    /// empty. A clear changes nothing, unless emptiness travels: then the figure is empty until the next value.
    ///
    /// Example: 1, 2, 6 with `window(last: .count(2)).sum()` emits 1, 3, 8.
    public func window(last extent: WindowExtent) -> Window<Value> {
        switch extent {
        case .count(let count): precondition(count > 0, "window: the number of values must be positive")
        case .time(let time): precondition(time > .zero, "window: the time must be positive")
        }
        return Window(node: self, extent: extent)
    }
}

extension Window {
    /// How many values the window holds.
    public func count() -> Node<Int> {
        figure(of: { _ in 1 }, +) { .value($0 ?? 0) }
    }

    /// The oldest value in the window.
    public func first() -> Node<Value> {
        figure(of: { $0 }, { first, _ in first }) { Emission($0) }
    }

    /// The newest value in the window.
    public func last() -> Node<Value> {
        figure(of: { $0 }, { _, last in last }) { Emission($0) }
    }

    /// The values of the window put together, oldest first, by a function that must be associative.
    ///
    /// Example: `window(last: .count(3)).fold(+)` of strings joins the last three.
    public func fold(_ combine: @escaping (Value, Value) -> Value) -> Node<Value> {
        figure(of: { $0 }, combine) { Emission($0) }
    }

    /// The figure of what `element` makes of each value, all put together by `combine`.
    fileprivate func figure<Element, Out>(
        of element: @escaping (Value) -> Element,
        _ combine: @escaping (Element, Element) -> Element,
        _ finish: @escaping (Element?) -> Emission<Out>
    ) -> Node<Out> {
        let graph = node.graph
        let target = Node<Out>(graph: graph, .empty)
        let clock: (any LoopClock)? = if case .time = extent { graph.requireClock("window") } else { nil }
        let state = WindowState(extent, clock, graph.timers, SlidingFold(combine), element, finish)
        let edge = Edge("Window") { edge in state.receive(edge) }
        state.edge = .passUnretained(edge)
        edge.needSide().onDetach = { state.stop() }
        edge.needSide().reset = { state.reset() }
        graph.derive(target, from: node, edge)
        return target
    }
}

extension Window where Value: AdditiveArithmetic {
    /// The sum of the values in the window.
    public func sum() -> Node<Value> {
        figure(of: { $0 }, +) { .value($0 ?? .zero) }
    }
}

extension Window where Value: BinaryFloatingPoint {
    /// The mean of the values in the window.
    public func average() -> Node<Value> {
        figure(of: { Share(sum: $0, count: 1) }, { Share.add($0, $1) }) { share in
            Emission(share.map { $0.sum / Value($0.count) })
        }
    }
}

extension Window where Value: BinaryInteger {
    /// The mean of the values in the window.
    public func average() -> Node<Double> {
        figure(of: { Share(sum: Double($0), count: 1) }, { Share.add($0, $1) }) { share in
            Emission(share.map { $0.sum / Double($0.count) })
        }
    }
}

extension Window where Value: Comparable {
    /// The least value in the window; of equal ones the oldest.
    public func min() -> Node<Value> {
        figure(of: { $0 }, { $1 < $0 ? $1 : $0 }) { Emission($0) }
    }

    /// The greatest value in the window; of equal ones the oldest.
    public func max() -> Node<Value> {
        figure(of: { $0 }, { $1 > $0 ? $1 : $0 }) { Emission($0) }
    }
}

/// What a mean is made of.
private struct Share<Number: FloatingPoint> {
    let sum: Number
    let count: Int

    static func add(_ left: Share, _ right: Share) -> Share {
        Share(sum: left.sum + right.sum, count: left.count + right.count)
    }
}

/// The values of a window, and the timer of those that get too old.
private final class WindowState<Value, Element, Out> {
    private let extent: WindowExtent
    private let clock: (any LoopClock)?
    private let timers: TimerQueue
    private let element: (Value) -> Element
    private let finish: (Element?) -> Emission<Out>
    @exclusivity(unchecked) private var fold: SlidingFold<Element>
    /// When each value gets too old.
    @exclusivity(unchecked) private var ends = Queue<Duration>()
    private lazy var timer = Timer { [unowned self] in fire() }
    var edge: EdgeRef?

    init(
        _ extent: WindowExtent,
        _ clock: (any LoopClock)?,
        _ timers: TimerQueue,
        _ fold: SlidingFold<Element>,
        _ element: @escaping (Value) -> Element,
        _ finish: @escaping (Element?) -> Emission<Out>
    ) {
        self.extent = extent
        self.clock = clock
        self.timers = timers
        self.fold = fold
        self.element = element
        self.finish = finish
    }

    func receive(_ edge: Edge) -> Outcome {
        guard case .value(let value) = edge.input(Value.self) else {
            if edge.traits.contains(.propagatesEmpty) { _ = stop() }
            return edge.forwardEmpty(to: Out.self)
        }
        switch extent {
        case .count(let count):
            if fold.count == count { fold.removeFirst() }
        case .time(let time):
            guard let clock else { return .nothing }
            expire(clock.now)
            // The death of a value may have cut the edge: then no timer must run.
            guard edge.traits.contains(.complete) else { return .nothing }
            ends.append(clock.now + time)
            startTimer()
        }
        fold.append(element(value))
        return edge.store(emission: finish(fold.total))
    }

    func stop() -> AnyObject? {
        timers.cancel(timer)
        return nil
    }

    /// Another source: the values of the one before are not its own.
    func reset() -> AnyObject? {
        let remains = Remains(fold)
        fold.removeAll()
        ends.removeAll()
        return remains
    }

    private func expire(_ now: Duration) {
        while let end = ends.first, end <= now {
            _ = ends.popFirst()
            fold.removeFirst()
        }
    }

    private func startTimer() {
        guard let clock, let end = ends.first else { return }
        if timer.isRunning, timer.deadline == end { return }
        timers.start(timer, at: end, on: clock)
    }

    private func fire() {
        guard let edge else { return }
        let graph = edge._withUnsafeGuaranteedRef { $0.graph }
        // The death of a value, and a function of the user's, may cut the edge: in a turn it lives on until the end.
        graph?.resume(edge, trail: nil, context: nil) { [self] edge in
            if let clock { expire(clock.now) }
            guard edge.traits.contains(.complete) else { return .nothing }
            startTimer()
            return edge.store(emission: finish(fold.total))
        }
    }
}
