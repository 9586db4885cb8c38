extension String {
    /// `number`, which is not negative, in digits of `radix`, with leading zeros up to `width`
    /// digits.
    public init(_ number: some BinaryInteger, width: Int, radix: Int = 10) {
        let digits = String(number, radix: radix)
        self.init(repeating: "0", count: Swift.max(0, width - digits.utf8.count))
        append(digits)
    }
}

extension Double {
    /// Calls `body` with the shortest decimal text that reads back as the same number, if that has
    /// at most three digits after the point and 15 in all, as most readings do; nil otherwise.
    ///
    /// Two different texts of at most 15 digits never name the same double, so a text found is the
    /// shortest one.
    @inlinable
    public func withFewDigits<Result>(_ body: (BorrowedBytes) -> Result) -> Result? {
        let thousandths = (magnitude * 1_000).rounded()
        guard thousandths < 1e15, thousandths / 1_000 == magnitude else { return nil }
        var rest = UInt64(thousandths)
        var places = 3
        while places > 0, rest % 10 == 0 {
            rest /= 10
            places -= 1
        }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var start = text.count
            var digits = 0
            repeat {
                if digits == places, places > 0 {
                    start -= 1
                    unsafe text[start] = UInt8(ascii: ".")
                }
                start -= 1
                unsafe text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                digits += 1
            } while rest > 0 || digits <= places
            if sign == .minus {
                start -= 1
                unsafe text[start] = UInt8(ascii: "-")
            }
            return unsafe body(BorrowedBytes(UnsafeBufferPointer(rebasing: text[start...])))
        }
    }
}
