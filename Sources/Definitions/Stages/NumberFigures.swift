internal import CEL
internal import ReactiveGraph
internal import Values

/// The sum of numbers, from which they can be taken away again: of whole numbers to the last digit,
/// otherwise exact and rounded once.
struct NumberSum {
    private var all = ExactSum<Double>()
    private var wholes: Int128 = 0
    /// How many have a fraction, or are too large for every digit to be known.
    private var others = 0

    mutating func add(_ number: Number) {
        forEachPart(of: number) { $0.add($1) }
        if let whole = number.value.whole { wholes += whole } else { others += 1 }
    }

    mutating func subtract(_ number: Number) {
        forEachPart(of: number) { $0.subtract($1) }
        if let whole = number.value.whole { wholes -= whole } else { others -= 1 }
    }

    /// The number as one or two doubles that hold it.
    private mutating func forEachPart(of number: Number, _ change: (inout ExactSum<Double>, Double) -> Void) {
        guard case .double(let double) = number.value else {
            let whole = number.value.whole ?? 0
            change(&all, Double(whole >> 32) * 0x1p32)
            return change(&all, Double(whole & 0xFFFF_FFFF))
        }
        change(&all, double)
    }

    /// Nil if the sum is a whole number with more digits than a number can have.
    var value: Number? {
        others == 0 ? Value(whole: wholes).flatMap { Number($0) } : Number(all.value)
    }
}

/// The sum of a graph's values; see ``NumberSum``.
struct GatherNumberSum: Reduction {
    private var sum = NumberSum()

    mutating func insert(_ value: Number, at place: Int) { sum.add(value) }
    mutating func remove(_ old: Number, at place: Int) { sum.subtract(old) }
    func result(of members: GatheredMembers<Number>) -> Emission<Number?> { .value(sum.value) }
}

/// The sum of a window; see ``NumberSum``.
struct WindowNumberSum: WindowFigure {
    private var sum = NumberSum()

    mutating func append(_ kept: Number) { sum.add(kept) }
    mutating func removeFirst(_ oldest: Number) { sum.subtract(oldest) }
    func result(of window: WindowContents<Number>) -> Emission<Number?> { .value(sum.value) }
}

/// The increase per second of a window, from its oldest value to its newest; there is none between
/// values of one moment.
struct WindowNumberRate: WindowFigure {
    func result(of window: WindowContents<Number>) -> Emission<Double> {
        guard let first = window.first, let last = window.last, last.time > first.time else { return .empty }
        let increase = (last.kept - first.kept)?.double ?? (last.kept.double - first.kept.double)
        let (seconds, attoseconds) = (last.time - first.time).components
        return .value(increase / (Double(seconds) + Double(attoseconds) / 1e18))
    }
}
