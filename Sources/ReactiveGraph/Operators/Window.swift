/// How far back a window reaches.
public enum WindowExtent: Sendable, Equatable {
    /// Over the newest values, this many at most; at least 1.
    case count(Int)
    /// Over the values not older than this; positive. The graph needs a clock.
    case time(Duration)

    /// A size that is not positive is a programming error.
    @inlinable
    func require() {
        switch self {
        case .count(let count): precondition(count > 0, "window: the number of values must be positive")
        case .time(let time): precondition(time > .zero, "window: the time must be positive")
        }
    }
}

/// A figure over the newest values.
///
/// It emits for each value, and, over a time, when values get too old.
public struct Windowed<Input, Figure: WindowFigure>: TimedOperator {
    @usableFromInline let age: Duration?
    @usableFromInline let limit: Int
    @usableFromInline let keep: (Input) -> Figure.Kept
    @usableFromInline var figure: Figure
    @usableFromInline var contents = WindowContents<Figure.Kept>()
    /// The source is empty, and emptiness travels: values get too old unseen, until the next one
    /// comes.
    @usableFromInline var isPaused = false

    /// - Parameters:
    ///   - extent: how far back the window reaches.
    ///   - limit: the most values it ever holds, also over a time; the oldest go.
    ///   - figure: the figure of no values.
    ///   - keep: what is kept of each value.
    @inlinable
    public init(
        last extent: WindowExtent,
        limit: Int = .max,
        _ figure: Figure,
        keep: @escaping (Input) -> Figure.Kept
    ) {
        precondition(limit > 0, "window: the number of values must be positive")
        extent.require()
        switch extent {
        case .count(let count):
            age = nil
            self.limit = min(count, limit)
        case .time(let time):
            age = time
            self.limit = limit
        }
        self.figure = figure
        self.keep = keep
    }

    @inlinable public var name: String { "Window" }
    /// How many values the window holds.
    @inlinable public var count: Int { contents.count }
    @inlinable public var needsClock: Bool { age != nil }

    @inlinable public var nextWake: Deadline? {
        isPaused ? nil : contents.entries.first?.end
    }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Figure.Result>? {
        let now = site.now
        isPaused = false
        expire(now)
        if contents.count == limit { dropFirst() }
        let kept = keep(value)
        contents.entries.append(.init(kept: kept, time: now, end: age.map { site.deadline(after: $0) }))
        figure.append(kept)
        return figure.result(of: contents)
    }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Figure.Result>? {
        guard travels else { return nil }
        isPaused = true
        return .empty
    }

    @inlinable
    public mutating func wake(at site: Site) -> HeldEmission<Figure.Result>? {
        // The owner of the clock may say that it is time a little before the clock does.
        expire(max(site.now, nextWake?.time ?? .zero))
        return HeldEmission(figure.result(of: contents))
    }

    @inlinable
    public mutating func detach() {
        isPaused = true
    }

    @inlinable
    mutating func expire(_ now: Duration) {
        while let end = contents.entries.first?.end, end.time <= now { dropFirst() }
    }

    @inlinable
    mutating func dropFirst() {
        guard let oldest = contents.entries.popFirst() else { return }
        figure.removeFirst(oldest.kept)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(isPaused ? 1 : 0)
        writer.write(contents.count)
        writer.write(figure.turned)
        for index in 0..<contents.count {
            let entry = contents.entries[index]
            writer.write(entry.time)
            writer.write(entry.end) { $0.write($1) }
            if Figure.Kept.self != Void.self { writer.write(value: entry.kept) }
        }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        isPaused = try reader.flag()
        let count = try reader.count()
        let turned = try reader.integer(in: 0...count)
        for index in 0..<count {
            let time = try reader.time()
            let end = try reader.optional { try $0.deadline() }
            let kept = try (() as? Figure.Kept) ?? reader.value()
            // The limit may be lower than it was: the oldest go.
            guard count - index <= limit else { continue }
            if index == turned { figure.turnOver() }
            contents.entries.append(.init(kept: kept, time: time, end: end))
            figure.append(kept)
        }
        if count > 0, turned == count { figure.turnOver() }
    }
}

/// The newest values of a node, over which a figure is kept up to date.
///
/// Made by ``Node/window(last:)``. A figure costs a fixed amount of work per value, on average,
/// whatever the size of the window (``percentile(_:)``: logarithmic, and a move of memory;
/// ``values()``: one array), and is computed from the values in it alone: what has left leaves no
/// rounding error behind.
public struct Window<Value> {
    @usableFromInline let node: Node<Value>
    @usableFromInline let extent: WindowExtent
}

extension Node {
    /// The newest values, to take a figure of.
    ///
    /// The figure is emitted for each value, and, over a time, when values get too old; those that
    /// get too old at the same time leave at once. When no value is left, count and sum are zero,
    /// the list of values is empty, and there are no other figures. A clear changes nothing, unless
    /// emptiness travels: then the figure is empty until the next value.
    ///
    /// Example: 1, 2, 6 with `window(last: .count(2)).sum()` emits 1, 3, 8.
    public func window(last extent: WindowExtent) -> Window<Value> {
        extent.require()
        return Window(node: self, extent: extent)
    }
}

extension Window {
    /// How many values the window holds.
    @inlinable
    public func count() -> Node<Int> {
        node.apply(Windowed(last: extent, WindowCount()) { _ in () })
    }

    /// The oldest value in the window.
    @inlinable public func first() -> Node<Value> { figure(WindowFirst()) }

    /// The newest value in the window.
    @inlinable public func last() -> Node<Value> { figure(WindowLast()) }

    /// All values in the window, oldest first.
    @inlinable public func values() -> Node<[Value]> { figure(WindowList()) }

    /// The values of the window put together, oldest first, by a function that must be associative.
    ///
    /// Example: `window(last: .count(3)).fold(+)` of strings joins the last three.
    @inlinable
    public func fold(_ combine: @escaping (Value, Value) -> Value) -> Node<Value> {
        figure(WindowFold(of: { $0 }, combine) { Emission($0) })
    }

    /// A figure of one's own.
    @inlinable
    public func figure<Figure: WindowFigure>(_ figure: Figure) -> Node<Figure.Result>
    where Figure.Kept == Value {
        node.apply(Windowed(last: extent, figure) { $0 })
    }
}

extension Window where Value: AdditiveArithmetic {
    /// The sum of the values in the window.
    @inlinable
    public func sum() -> Node<Value> {
        figure(WindowFold(of: { $0 }, +) { .value($0 ?? .zero) })
    }
}

extension Window where Value: BinaryFloatingPoint {
    /// The sum of the values in the window, exact and rounded once.
    @inlinable public func sum() -> Node<Value> { figure(WindowSum()) }

    /// The mean of the values in the window, exact and rounded once.
    @inlinable public func average() -> Node<Value> { figure(WindowAverage()) }

    /// The increase per second from the oldest value to the newest; empty between values of one
    /// moment.
    ///
    /// The graph needs a clock.
    @inlinable
    public func rate() -> Node<Value> {
        _ = node.graph.timers(for: "rate")
        return figure(WindowRate())
    }
}

extension Window where Value: BinaryInteger {
    /// The mean of the values in the window.
    @inlinable
    public func average() -> Node<Double> {
        node.apply(Windowed(last: extent, WindowAverage<Double>()) { Double($0) })
    }
}

extension Window where Value: Comparable {
    /// The least value in the window; of equal ones the oldest.
    @inlinable public func min() -> Node<Value> { figure(WindowFold<Value, Value, Value>.min) }

    /// The greatest value in the window; of equal ones the oldest.
    @inlinable public func max() -> Node<Value> { figure(WindowFold<Value, Value, Value>.max) }

    /// The least value that at least this share of all does not exceed: 0.5 is the median.
    ///
    /// - Parameter share: from 0 to 1.
    /// - Returns: the node of the figure.
    @inlinable public func percentile(_ share: Double) -> Node<Value> { figure(WindowPercentile(share)) }
}
