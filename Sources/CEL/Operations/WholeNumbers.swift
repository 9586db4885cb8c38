// JSON has whole numbers that a double does not hold, such as identifiers of 64 bits. Values from
// JSON are doubles, and beyond 2^53 ints and uints: where numbers mix, such a number behaves like
// the double that it would be, but to the last digit.
extension Value {
    /// The number with this value as values from JSON are: a double where that holds it, and as an
    /// int or uint otherwise.
    ///
    /// Nil if it has more than 64 bits and is not exactly a double.
    package init?(whole number: Int128) {
        if number.magnitude <= 1 << 53 {
            self = .double(Double(number))
        } else if let int = Int64(exactly: number) {
            self = .int(int)
        } else if let uint = UInt64(exactly: number) {
            self = .uint(uint)
        } else if let double = Double(exactly: number) {
            self = .double(double)
        } else {
            return nil
        }
    }

    /// The whole number that it is, if every digit of it is known: that of a double beyond 2^53 may
    /// be rounded.
    package var whole: Int128? {
        switch self {
        case .int(let number): Int128(number)
        case .uint(let number): Int128(number)
        case .double(let number): number.magnitude <= 0x1p53 ? Int64(exactly: number).map { Int128($0) } : nil
        default: nil
        }
    }

    /// Whether it is an int or uint with more digits than a double holds.
    var isLong: Bool {
        switch self {
        case .int(let number): number.magnitude > 1 << 53
        case .uint(let number): number > 1 << 53
        default: false
        }
    }
}

extension Meter {
    /// Arithmetic of whole numbers where doubles would lose digits.
    ///
    /// - Returns: nil where doubles, or the published arithmetic of ints, give the same.
    /// - Throws: `expr_overflow` if the exact result is a whole number that no value can be.
    mutating func exactly(_ operation: Operation, _ a: Value, _ b: Value) throws(Failure) -> Value? {
        guard let x = a.whole, let y = b.whole else { return nil }
        let hasLong = a.isLong || b.isLong
        guard hasLong || !a.isSameInteger(as: b) else { return nil }
        let result: Int128?
        switch operation {
        case .add: result = x + y
        case .subtract: result = x - y
        case .multiply:
            let (product, overflow) = x.multipliedReportingOverflow(by: y)
            result = overflow ? nil : product
        case .divide where hasLong && y != 0:
            try spend(2 * Price.product)
            guard x.isMultiple(of: y) else { return .double(Double(x) / Double(y)) }
            result = x / y
        case .remainder where hasLong && y != 0:
            try spend(2 * Price.product)
            result = x % y
        default: return nil
        }
        if !hasLong, let result, result.magnitude <= 1 << 53 { return nil }
        try spend(2 * Price.product)
        if let result, let value = Value(whole: result) { return value }
        throw .overflow("the exact result has more digits than a number can have")
    }
}

extension Value {
    /// Whether the published arithmetic of ints, or of uints, applies.
    fileprivate func isSameInteger(as other: Value) -> Bool {
        switch (self, other) {
        case (.int, .int), (.uint, .uint): true
        default: false
        }
    }
}
