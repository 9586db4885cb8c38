extension Stage.Span {
    /// The longest span: a year of 366 days.
    public static let longest = 366 * 24 * 3_600_000

    /// Parses `250ms`, `5s`, `2m`, `1h`, `7d` or whole milliseconds; nil for anything else, for
    /// zero, and above a year.
    public init?(_ text: String) {
        let digits = text.prefix { "0"..."9" ~= $0 }
        let factors = ["": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let number = Int(digits), let factor = factors[String(text.dropFirst(digits.count))] else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow, (1...Stage.Span.longest).contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// The shortest text that parses as this span.
    package var text: String {
        let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000)]
        for (unit, factor) in units where milliseconds % factor == 0 {
            return "\(milliseconds / factor)\(unit)"
        }
        return "\(milliseconds)ms"
    }
}
