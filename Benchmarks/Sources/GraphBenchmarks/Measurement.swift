import CAllocations

/// What was found about one contestant.
struct Measurement {
    let name: String
    /// Median nanoseconds for one operation.
    let nanoseconds: Double
    /// The fastest run: the time without disturbances.
    let best: Double
    let allocations: Double?
}

/// Measures the contestants of one case side by side: one run of each, then the next run of each.
///
/// The time is CPU time of this thread. The median says what to expect, the ratio of two
/// contestants is taken per round, so a slow moment of the machine strikes both.
struct Measuring {
    let runs: Int
    /// How long one run takes, about.
    let milliseconds: Int

    struct Result {
        let measurements: [Measurement]
        /// Median, over the rounds, of each contestant's time divided by the first one's.
        let ratios: [Double]
        let failures: [String]
    }

    func measure(_ item: Case) -> Result {
        let before = allocations_total()
        let prepared = item.contestants.map { $0.prepare() }
        // Making a graph allocates: if that is not noticed, a count of zero means nothing.
        precondition(!allocations_counted() || allocations_total() > before, "allocations are not noticed")
        var failures: [String] = []
        let counts = zip(item.contestants, prepared).map { contestant, work -> Int in
            if work(1) != contestant.deliveries {
                failures.append(
                    "\(item.name), \(contestant.name): delivered \(work(1)), not \(contestant.deliveries)"
                )
            }
            return operations(work)
        }
        var times = prepared.map { _ in [Double]() }
        for _ in 0..<runs {
            for (index, work) in prepared.enumerated() {
                let start = thread_nanoseconds()
                keep(work(counts[index]))
                times[index].append(Double(thread_nanoseconds() - start) / Double(counts[index]))
            }
        }
        var measurements: [Measurement] = []
        for (index, contestant) in item.contestants.enumerated() {
            let allocations = allocationsPerOperation(prepared[index])
            if let allowed = contestant.allocations, let allocations, allocations > allowed {
                failures.append(
                    "\(item.name), \(contestant.name): \(allocations) allocations, allowed \(allowed)"
                )
            }
            measurements.append(
                Measurement(
                    name: contestant.name,
                    nanoseconds: median(times[index]),
                    best: times[index].min() ?? 0,
                    allocations: allocations
                )
            )
        }
        let ratios = times.map { list in median(zip(list, times[0]).map { $0 / $1 }) }
        return Result(measurements: measurements, ratios: ratios, failures: failures)
    }

    /// How many operations fill one run.
    private func operations(_ work: (Int) -> Int) -> Int {
        var count = 1
        while true {
            let start = thread_nanoseconds()
            keep(work(count))
            let passed = thread_nanoseconds() - start
            if passed > UInt64(milliseconds) * 500_000 {
                return max(1, count * milliseconds * 1_000_000 / Int(passed))
            }
            count *= 2
        }
    }

    private func allocationsPerOperation(_ work: (Int) -> Int) -> Double? {
        guard allocations_counted() else { return nil }
        keep(work(10))
        let before = allocations_total()
        keep(work(100))
        return Double(allocations_total() - before) / 100
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Uses a value, so that the work that made it cannot be left out.
@inline(never)
@_optimize(none)
func keep(_ value: Int) {}
