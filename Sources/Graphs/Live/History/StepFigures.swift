package import Values

/// The least, the mean and the greatest of the numbers in a step.
package struct StepFigures {
    package private(set) var count: UInt64
    package private(set) var min: Number
    package private(set) var max: Number
    private(set) var sum: Double
    /// What rounding has taken from `sum` so far (Neumaier's summation).
    private(set) var rest = 0.0

    init(_ number: Number) {
        (count, min, max, sum) = (1, number, number, number.double)
    }

    init(count: UInt64, min: Number, max: Number, sum: Double, rest: Double = 0) {
        (self.count, self.min, self.max, self.sum, self.rest) = (count, min, max, sum, rest)
    }

    /// Adds the numbers of a later step.
    package mutating func add(_ other: StepFigures) {
        count += other.count
        if other.min < min { min = other.min }
        if other.max > max { max = other.max }
        let total = sum + other.sum
        let lost =
            abs(sum) >= abs(other.sum) ? (sum - total) + other.sum : (other.sum - total) + sum
        (sum, rest) = (total, rest + other.rest + lost)
    }

    /// The mean, between `min` and `max`.
    package var mean: Double {
        let mean = (sum + rest) / Double(count)
        // A sum that is too large for a number.
        guard mean.isFinite else { return min.double / 2 + max.double / 2 }
        return Swift.min(Swift.max(mean, min.double), max.double)
    }
}
