/// What a window keeps of its values: the oldest first, each with the time it came.
public struct WindowContents<Kept> {
    @usableFromInline
    struct Entry {
        @usableFromInline let kept: Kept
        @usableFromInline let time: Duration
        /// When it gets too old, over a time.
        @usableFromInline let end: Deadline?

        @inlinable
        init(kept: Kept, time: Duration, end: Deadline?) {
            self.kept = kept
            self.time = time
            self.end = end
        }
    }

    @usableFromInline var entries = Queue<Entry>()

    /// How many values the window holds.
    @inlinable public var count: Int { entries.count }
    /// The oldest value, and when it came.
    @inlinable public var first: (kept: Kept, time: Duration)? { entries.first.map { ($0.kept, $0.time) } }
    /// The newest value, and when it came.
    @inlinable public var last: (kept: Kept, time: Duration)? { entries.last.map { ($0.kept, $0.time) } }

    /// The values, oldest first.
    @inlinable public subscript(index: Int) -> Kept { entries[index].kept }
}

/// A figure over the values of a window, kept up to date as values come and go.
public protocol WindowFigure<Kept, Result> {
    /// What the window keeps of each value for this figure.
    associatedtype Kept
    /// What the figure is.
    associatedtype Result

    /// A value has come.
    mutating func append(_ kept: Kept)

    /// The oldest value goes.
    mutating func removeFirst(_ oldest: Kept)

    /// The figure; empty if there is none.
    func result(of window: WindowContents<Kept>) -> Emission<Result>

    /// How many of the values a fold has turned over: saved, so that sums of floating-point numbers
    /// go on to the last bit.
    var turned: Int { get }

    /// Turns over what has been appended so far.
    mutating func turnOver()
}

extension WindowFigure {
    @inlinable public mutating func append(_ kept: Kept) {}
    @inlinable public mutating func removeFirst(_ oldest: Kept) {}
    @inlinable public var turned: Int { 0 }
    @inlinable public mutating func turnOver() {}
}

/// How many values there are; it keeps none of them.
public struct WindowCount: WindowFigure {
    @inlinable public init() {}

    @inlinable
    public func result(of window: WindowContents<Void>) -> Emission<Int> {
        .value(window.count)
    }
}

/// The oldest value.
public struct WindowFirst<Value>: WindowFigure {
    @inlinable public init() {}

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        Emission(window.first?.kept)
    }
}

/// The newest value.
public struct WindowLast<Value>: WindowFigure {
    @inlinable public init() {}

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        Emission(window.last?.kept)
    }
}

/// All values, oldest first.
public struct WindowList<Value>: WindowFigure {
    @inlinable public init() {}

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<[Value]> {
        .value((0..<window.count).map { window[$0] })
    }
}

/// The increase per second from the oldest value to the newest; there is none between values of one
/// moment.
public struct WindowRate<Value: BinaryFloatingPoint>: WindowFigure {
    @inlinable public init() {}

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        guard let first = window.first, let last = window.last, last.time > first.time else { return .empty }
        let (seconds, attoseconds) = (last.time - first.time).components
        return .value((last.kept - first.kept) / (Value(seconds) + Value(attoseconds) / 1e18))
    }
}

/// The sum of floating-point numbers, exact and rounded once; zero for no values.
public struct WindowSum<Value: BinaryFloatingPoint>: WindowFigure {
    @usableFromInline var sum = ExactSum<Value>()

    @inlinable public init() {}

    @inlinable public mutating func append(_ kept: Value) { sum.add(kept) }

    @inlinable public mutating func removeFirst(_ oldest: Value) { sum.subtract(oldest) }

    @inlinable public func result(of window: WindowContents<Value>) -> Emission<Value> { .value(sum.value) }
}

/// The mean of floating-point numbers, exact and rounded once.
public struct WindowAverage<Value: BinaryFloatingPoint>: WindowFigure {
    @usableFromInline var sum = ExactSum<Value>()

    @inlinable public init() {}

    @inlinable public mutating func append(_ kept: Value) { sum.add(kept) }

    @inlinable public mutating func removeFirst(_ oldest: Value) { sum.subtract(oldest) }

    @inlinable public func result(of window: WindowContents<Value>) -> Emission<Value> { Emission(sum.mean) }
}

/// The least value that at least a given share of all values does not exceed.
///
/// Finding the place of a value takes logarithmic time; values after it are moved in one piece.
public struct WindowPercentile<Value: Comparable>: WindowFigure {
    @usableFromInline let share: Double
    @usableFromInline var sorted: [Value] = []

    /// - Parameter share: from 0 to 1; 0.5 is the median.
    @inlinable
    public init(_ share: Double) {
        precondition((0...1).contains(share), "window: a percentile is a share from 0 to 1")
        self.share = share
    }

    @inlinable
    public mutating func append(_ kept: Value) {
        sorted.insert(kept, at: place(of: kept))
    }

    @inlinable
    public mutating func removeFirst(_ oldest: Value) {
        // A value that is not equal to itself, such as NaN, may stand anywhere.
        sorted.remove(at: min(place(of: oldest), sorted.count - 1))
    }

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        guard !sorted.isEmpty else { return .empty }
        let rank = (share * Double(sorted.count)).rounded(.up)
        return .value(sorted[max(0, Int(rank) - 1)])
    }

    @inlinable
    func place(of value: Value) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// All values put together by an associative function: a fixed number of calls of it per value, on
/// average.
///
/// The values are two stacks. The older ones stand in `front`, the oldest last, each with
/// everything after it in that stack already put together; the newer ones in `back`, with one
/// total. When `front` is empty, `back` is turned over. Nothing is ever subtracted, so it serves
/// for least and greatest as well.
public struct WindowFold<Value, Element, Result>: WindowFigure {
    /// In an object, so that a copy of the operator copies one reference.
    @usableFromInline
    final class Functions {
        @usableFromInline let element: (Value) -> Element
        @usableFromInline let combine: (Element, Element) -> Element
        @usableFromInline let finish: (Element?) -> Emission<Result>

        @inlinable
        init(
            _ element: @escaping (Value) -> Element,
            _ combine: @escaping (Element, Element) -> Element,
            _ finish: @escaping (Element?) -> Emission<Result>
        ) {
            self.element = element
            self.combine = combine
            self.finish = finish
        }
    }

    @usableFromInline let functions: Functions
    @usableFromInline var front: [Element] = []
    @usableFromInline var back: [Element] = []
    @usableFromInline var backTotal: Element?

    /// - Parameters:
    ///   - element: what is put together of each value.
    ///   - combine: puts two together, the older one first.
    ///   - finish: makes the figure of everything put together; `nil`: there is no value.
    @inlinable
    public init(
        of element: @escaping (Value) -> Element,
        _ combine: @escaping (Element, Element) -> Element,
        _ finish: @escaping (Element?) -> Emission<Result>
    ) {
        functions = Functions(element, combine, finish)
    }

    @inlinable public var turned: Int { front.count }

    @inlinable
    public mutating func append(_ kept: Value) {
        let element = functions.element(kept)
        backTotal = backTotal.map { functions.combine($0, element) } ?? element
        back.append(element)
    }

    @inlinable
    public mutating func removeFirst(_ oldest: Value) {
        if front.isEmpty { turnOver() }
        front.removeLast()
    }

    /// Moves the newer elements to the older ones, of which there are none.
    @inlinable
    public mutating func turnOver() {
        while let element = back.popLast() {
            front.append(front.last.map { functions.combine(element, $0) } ?? element)
        }
        backTotal = nil
    }

    @inlinable
    public func result(of window: WindowContents<Value>) -> Emission<Result> {
        guard let older = front.last else { return functions.finish(backTotal) }
        return functions.finish(backTotal.map { functions.combine(older, $0) } ?? older)
    }
}

extension WindowFold where Value: Comparable, Result == Value, Element == Value {
    /// The least value; of equal ones the oldest.
    @inlinable public static var min: WindowFold {
        WindowFold(of: { $0 }, { $1 < $0 ? $1 : $0 }) { Emission($0) }
    }

    /// The greatest value; of equal ones the oldest.
    @inlinable public static var max: WindowFold {
        WindowFold(of: { $0 }, { $1 > $0 ? $1 : $0 }) { Emission($0) }
    }
}
