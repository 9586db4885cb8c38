/// What a window keeps of its values: the oldest first, each with the time it came.
public struct WindowContents<Kept> {
    struct Entry {
        let kept: Kept
        let time: Duration
        /// When it gets too old, over a time.
        let end: Deadline?
    }

    var entries = Queue<Entry>()

    /// How many values the window holds.
    public var count: Int { entries.count }
    /// The oldest value, and when it came.
    public var first: (kept: Kept, time: Duration)? { entries.first.map { ($0.kept, $0.time) } }
    /// The newest value, and when it came.
    public var last: (kept: Kept, time: Duration)? { entries.last.map { ($0.kept, $0.time) } }

    /// The values, oldest first.
    public subscript(index: Int) -> Kept { entries[index].kept }
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

    /// The figure; empty where there is none.
    func result(of window: WindowContents<Kept>) -> Emission<Result>

    /// How many of the values a fold has turned over: saved, so that sums of floating-point numbers go on to the last bit.
    var turned: Int { get }

    /// Turns over what has been appended so far.
    mutating func turnOver()
}

extension WindowFigure {
    public mutating func append(_ kept: Kept) {}
    public mutating func removeFirst(_ oldest: Kept) {}
    public var turned: Int { 0 }
    public mutating func turnOver() {}
}

/// How many values there are; it keeps none of them.
public struct WindowCount: WindowFigure {
    public init() {}

    public func result(of window: WindowContents<Void>) -> Emission<Int> {
        .value(window.count)
    }
}

/// The oldest value.
public struct WindowFirst<Value>: WindowFigure {
    public init() {}

    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        Emission(window.first?.kept)
    }
}

/// The newest value.
public struct WindowLast<Value>: WindowFigure {
    public init() {}

    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        Emission(window.last?.kept)
    }
}

/// All values, oldest first.
public struct WindowList<Value>: WindowFigure {
    public init() {}

    public func result(of window: WindowContents<Value>) -> Emission<[Value]> {
        .value((0..<window.count).map { window[$0] })
    }
}

/// The increase per second from the oldest value to the newest; there is none between values of one moment.
public struct WindowRate<Value: BinaryFloatingPoint>: WindowFigure {
    public init() {}

    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        guard let first = window.first, let last = window.last, last.time > first.time else { return .empty }
        let (seconds, attoseconds) = (last.time - first.time).components
        return .value((last.kept - first.kept) / (Value(seconds) + Value(attoseconds) / 1e18))
    }
}

/// The least value that at least a given share of all values does not exceed.
///
/// Finding the place of a value takes logarithmic time; values after it are moved in one piece.
public struct WindowPercentile<Value: Comparable>: WindowFigure {
    private let share: Double
    private var sorted: [Value] = []

    /// - Parameter share: from 0 to 1; 0.5 is the median.
    public init(_ share: Double) {
        precondition((0...1).contains(share), "window: a percentile is a share from 0 to 1")
        self.share = share
    }

    public mutating func append(_ kept: Value) {
        sorted.insert(kept, at: place(of: kept))
    }

    public mutating func removeFirst(_ oldest: Value) {
        // A value that is not equal to itself, such as NaN, may stand anywhere.
        sorted.remove(at: min(place(of: oldest), sorted.count - 1))
    }

    public func result(of window: WindowContents<Value>) -> Emission<Value> {
        guard !sorted.isEmpty else { return .empty }
        let rank = (share * Double(sorted.count)).rounded(.up)
        return .value(sorted[max(0, Int(rank) - 1)])
    }

    private func place(of value: Value) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// All values put together by an associative function.
public struct WindowFold<Value, Element, Result>: WindowFigure {
    private let element: (Value) -> Element
    private let finish: (Element?) -> Emission<Result>
    private var fold: SlidingFold<Element>

    /// - Parameters:
    ///   - element: what is put together of each value.
    ///   - combine: puts two together, the older one first.
    ///   - finish: makes the figure of everything put together; `nil`: there is no value.
    public init(
        of element: @escaping (Value) -> Element,
        _ combine: @escaping (Element, Element) -> Element,
        _ finish: @escaping (Element?) -> Emission<Result>
    ) {
        self.element = element
        self.finish = finish
        fold = SlidingFold(combine)
    }

    public var turned: Int { fold.turned }
    public mutating func append(_ kept: Value) { fold.append(element(kept)) }
    public mutating func removeFirst(_ oldest: Value) { fold.removeFirst() }
    public mutating func turnOver() { fold.turnOver() }
    public func result(of window: WindowContents<Value>) -> Emission<Result> { finish(fold.total) }
}

extension WindowFold where Value: BinaryFloatingPoint, Result == Value, Element == CompensatedSum<Value> {
    /// The sum, without what rounding would lose; zero for no values.
    public static var sum: WindowFold {
        WindowFold(of: { CompensatedSum($0) }, { $0.adding($1) }) { .value($0?.value ?? 0) }
    }

    /// The mean.
    public static var average: WindowFold {
        WindowFold(of: { CompensatedSum($0) }, { $0.adding($1) }) { sum in
            Emission(sum.map { $0.value / Value($0.count) })
        }
    }
}

extension WindowFold where Value: Comparable, Result == Value, Element == Value {
    /// The least value; of equal ones the oldest.
    public static var min: WindowFold {
        WindowFold(of: { $0 }, { $1 < $0 ? $1 : $0 }) { Emission($0) }
    }

    /// The greatest value; of equal ones the oldest.
    public static var max: WindowFold {
        WindowFold(of: { $0 }, { $1 > $0 ? $1 : $0 }) { Emission($0) }
    }
}

/// A sum of numbers that keeps what rounding loses (Neumaier's form of Kahan's), and how many they are.
public struct CompensatedSum<Number: BinaryFloatingPoint> {
    private var sum: Number
    private var lost: Number = 0
    /// How many numbers were added.
    public private(set) var count = 1

    init(_ number: Number) {
        sum = number
    }

    /// The sum, rounded once.
    ///
    /// An infinite sum has lost nothing that is a number.
    public var value: Number { sum.isFinite ? sum + lost : sum }

    func adding(_ other: CompensatedSum) -> CompensatedSum {
        let (a, b) = (sum, other.sum)
        var result = self
        result.sum = a + b
        result.lost += other.lost + (abs(a) >= abs(b) ? (a - result.sum) + b : (b - result.sum) + a)
        result.count += other.count
        return result
    }
}
