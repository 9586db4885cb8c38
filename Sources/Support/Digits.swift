extension String {
    /// `number`, which is not negative, in digits of `radix`, with leading zeros up to `width`
    /// digits.
    public init(_ number: some BinaryInteger, width: Int, radix: Int = 10) {
        let digits = String(number, radix: radix)
        self.init(repeating: "0", count: Swift.max(0, width - digits.utf8.count))
        append(digits)
    }
}
