internal import CEL

/// What a window computes, kept up to date value by value.
struct WindowFigure {
    typealias Kind = Stage.Window.Figure

    private struct Entry {
        let number: Double
        let time: UInt64
        let datum: Datum
    }

    private let kind: Kind
    private var entries: [Entry] = []
    private var first = 0
    private var sum = CompensatedSum()
    private var removals = 0
    private var sorted: [Double] = []

    init(_ kind: Kind) {
        self.kind = kind
    }

    private var count: Int { entries.count - first }

    /// Takes a value in.
    ///
    /// - Returns: false, and nothing is taken, for a value that is no number where numbers are needed.
    mutating func add(_ datum: Datum, at time: UInt64) -> Bool {
        var number = 0.0
        if needsNumbers {
            guard case .double(let value) = datum.tree else { return false }
            number = value
        }
        switch kind {
        case .avg, .sum: sum.add(number)
        case .min, .max, .p50, .p95, .p99: sorted.insert(number, at: place(of: number))
        default: break
        }
        entries.append(Entry(number: number, time: time, datum: datum))
        return true
    }

    /// Lets the oldest value go.
    mutating func removeFirst() {
        let oldest = entries[first]
        first += 1
        switch kind {
        case .avg, .sum: sum.add(-oldest.number)
        case .min, .max, .p50, .p95, .p99: sorted.remove(at: place(of: oldest.number))
        default: break
        }
        if first > 64, first * 2 > entries.count {
            entries.removeFirst(first)
            first = 0
            // Rounding errors of what has gone must not stay for ever.
            sum = CompensatedSum()
            if kind == .avg || kind == .sum { for entry in entries { sum.add(entry.number) } }
        }
    }

    /// The figure; nil: there is none.
    var result: Value? {
        switch kind {
        case .count: return .double(Double(count))
        case .sum: return .double(count == 0 ? 0 : sum.value)
        case .list: return .list(ValueList(entries[first...].map(\.datum.tree)))
        default: break
        }
        guard count > 0 else { return nil }
        switch kind {
        case .avg: return .double(sum.value / Double(count))
        case .min: return .double(sorted[0])
        case .max: return .double(sorted[count - 1])
        case .first: return entries[first].datum.tree
        case .last: return entries[entries.count - 1].datum.tree
        case .rate: return rate
        case .p50: return percentile(0.5)
        case .p95: return percentile(0.95)
        case .p99: return percentile(0.99)
        default: return nil
        }
    }

    /// What the figure costs in units: a list is made anew each time, the sorted values behind a percentile are moved.
    var cost: Int {
        switch kind {
        case .list: count
        case .min, .max, .p50, .p95, .p99: 1 + count >> 6
        default: 1
        }
    }

    private var needsNumbers: Bool {
        switch kind {
        case .count, .first, .last, .list: false
        default: true
        }
    }

    /// The increase per second between the oldest and the newest value.
    private var rate: Value? {
        let (oldest, newest) = (entries[first], entries[entries.count - 1])
        guard newest.time > oldest.time else { return nil }
        return .double((newest.number - oldest.number) * 1000 / Double(newest.time - oldest.time))
    }

    /// The smallest value that at least this share of all does not exceed.
    private func percentile(_ share: Double) -> Value {
        let rank = (share * Double(count)).rounded(.up)
        return .double(sorted[Swift.max(0, Int(rank) - 1)])
    }

    private func place(of number: Double) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A running sum that keeps what rounding loses (Neumaier).
struct CompensatedSum {
    private var sum = 0.0
    private var lost = 0.0

    var value: Double { sum + lost }

    mutating func add(_ number: Double) {
        let total = sum + number
        lost += abs(sum) >= abs(number) ? (sum - total) + number : (number - total) + sum
        sum = total
    }
}
