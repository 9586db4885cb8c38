package import Support

/// The exact value of a JSON number: sign, significant digits, power of ten.
///
/// `1.0`, `1` and `10e-1` are the same decimal; `0.1` and the double nearest to it are not. It
/// works on the text itself, so digits and exponents may have any length.
package struct JSONDecimal {
    private let text: BorrowedBytes
    /// Offsets of the first significant digit and after the last one; both 0 for zero.
    private var first = 0
    private var last = 0
    /// Offset of the decimal point, or beyond the text.
    private var point = Int.max
    let isNegative: Bool
    /// Power of ten of the first significant digit, if `written` fits.
    package private(set) var leadingExponent = 0
    /// The leading exponent without the written one.
    private var shift = 0
    /// Offset of the written exponent's digits without leading zeros, when there are more than 17
    /// of them.
    private var hugeExponent: Int?
    private var isExponentNegative = false

    /// The decimal of a number that was validated.
    package init(_ text: BorrowedBytes) {
        self.text = text
        isNegative = text[0] == UInt8(ascii: "-")
        var at = isNegative ? 1 : 0
        var wholeDigits = 0
        var fractionDigits = 0
        var isFraction = false
        var hasDigit = false
        scan: while at < text.count {
            switch text[at] {
            case UInt8(ascii: "."):
                isFraction = true
                point = at
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if text[at] != UInt8(ascii: "0") {
                    if !hasDigit {
                        hasDigit = true
                        first = at
                        // Corrected below for the digits before the point.
                        shift = isFraction ? -(fractionDigits + 1) : wholeDigits
                    }
                    last = at + 1
                }
                if isFraction {
                    fractionDigits += 1
                } else {
                    wholeDigits += 1
                }
            default:
                break scan
            }
            at += 1
        }
        if hasDigit, shift >= 0 {
            shift = wholeDigits - 1 - shift
        }
        leadingExponent = shift
        if at < text.count, hasDigit {
            readExponent(from: at + 1)
        }
    }

    package var isZero: Bool { first == last }

    /// Digits from the first to the last that is not zero.
    package var significantDigits: Int {
        guard first < last else { return 0 }
        return text[first..<last].reduce(into: 0) { $0 += $1 == UInt8(ascii: ".") ? 0 : 1 }
    }

    /// The digit at an index counted from the first significant one; zero after the last.
    func significantDigit(_ place: Int) -> Int {
        var at = first + place
        if first <= point, point <= at {
            at += 1
        }
        return at < last ? Int(text[at] &- UInt8(ascii: "0")) : 0
    }

    private mutating func readExponent(from start: Int) {
        var at = start
        isExponentNegative = text[at] == UInt8(ascii: "-")
        if isExponentNegative || text[at] == UInt8(ascii: "+") {
            at += 1
        }
        while at < text.count, text[at] == UInt8(ascii: "0") {
            at += 1
        }
        if text.count - at > 17 {
            hugeExponent = at
            leadingExponent = isExponentNegative ? -1_000_000_000_000_000_000 : 1_000_000_000_000_000_000
            return
        }
        var written = 0
        while at < text.count {
            written = written * 10 + Int(text[at] &- UInt8(ascii: "0"))
            at += 1
        }
        leadingExponent = shift + (isExponentNegative ? -written : written)
    }

    /// Whether two numbers have exactly the same value; zero has no sign.
    static func == (a: JSONDecimal, b: JSONDecimal) -> Bool {
        if a.isZero || b.isZero { return a.isZero && b.isZero }
        guard a.isNegative == b.isNegative, a.hasSameDigits(as: b) else { return false }
        if a.hugeExponent == nil, b.hugeExponent == nil {
            return a.leadingExponent == b.leadingExponent
        }
        return a.exactExponent == b.exactExponent
    }

    /// Feeds a hasher alike for equal numbers; the exponent is left out if it does not fit an
    /// integer.
    func hash(into hasher: inout Hasher) {
        guard !isZero else { return }
        hasher.combine(isNegative)
        for byte in text[first..<last] where byte != UInt8(ascii: ".") { hasher.combine(byte) }
        if abs(leadingExponent) < 1_000_000_000_000 { hasher.combine(leadingExponent) }
    }

    private func hasSameDigits(as other: JSONDecimal) -> Bool {
        var (i, j) = (first, other.first)
        while true {
            if i < last, text[i] == UInt8(ascii: ".") {
                i += 1
            }
            if j < other.last, other.text[j] == UInt8(ascii: ".") {
                j += 1
            }
            if i == last || j == other.last { return i == last && j == other.last }
            if text[i] != other.text[j] { return false }
            i += 1
            j += 1
        }
    }

    /// The leading exponent digit by digit, lowest first, with its sign; for exponents that do not
    /// fit an integer.
    private var exactExponent: ExactExponent {
        guard let start = hugeExponent else {
            return ExactExponent(
                isNegative: leadingExponent < 0,
                digits: Self.digits(leadingExponent.magnitude)
            )
        }
        var digits = text[start...].reversed().map { $0 &- UInt8(ascii: "0") }
        // The written exponent outweighs the shift, which is at most the length of the text.
        let grows = (shift < 0) == isExponentNegative
        var carry = 0
        let change = Self.digits(shift.magnitude)
        for place in digits.indices {
            let step = place < change.count ? Int(change[place]) : 0
            let sum = Int(digits[place]) + (grows ? step : -step) + carry
            carry = sum > 9 ? 1 : sum < 0 ? -1 : 0
            digits[place] = UInt8(sum - carry * 10)
        }
        if carry > 0 {
            digits.append(1)
        }
        while digits.last == 0 {
            digits.removeLast()
        }
        return ExactExponent(isNegative: isExponentNegative, digits: digits)
    }

    private struct ExactExponent: Equatable {
        let isNegative: Bool
        let digits: [UInt8]
    }

    private static func digits(_ magnitude: UInt) -> [UInt8] {
        var digits: [UInt8] = []
        var rest = magnitude
        while rest > 0 {
            digits.append(UInt8(rest % 10))
            rest /= 10
        }
        return digits
    }
}
