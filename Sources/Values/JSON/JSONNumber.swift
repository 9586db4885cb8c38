package import Support

/// Conversion of numbers between text and `Double`, without the C library and its locale.
package enum JSONNumber {
    /// The double nearest to a JSON number; infinite beyond the range.
    ///
    /// Up to 15 digits with a small power of ten are converted exactly in one operation on doubles
    /// (Clinger 1990); the standard library converts the rest.
    package static func double(_ text: BorrowedBytes) -> Double {
        var at = 0
        let isNegative = text[0] == UInt8(ascii: "-")
        if isNegative {
            at = 1
        }
        var digits: UInt64 = 0
        var digitCount = 0
        var exponent = 0
        var isFraction = false
        while at < text.count {
            let byte = text[at]
            let digit = byte &- UInt8(ascii: "0")
            if digit <= 9 {
                digits = digits &* 10 &+ UInt64(digit)
                digitCount += 1
                exponent -= isFraction ? 1 : 0
            } else if byte == UInt8(ascii: ".") {
                isFraction = true
            } else {
                break
            }
            at += 1
        }
        guard digitCount <= 15 else { return slow(text) }
        if at < text.count {
            guard let written = smallExponent(text, from: at + 1) else { return slow(text) }
            exponent += written
        }
        guard exponent >= -22, exponent <= 22 else { return slow(text) }
        let whole = Double(digits)
        let power = powersOfTen(exponent < 0 ? -exponent : exponent)
        let magnitude = exponent < 0 ? whole / power : whole * power
        return isNegative ? -magnitude : magnitude
    }

    private static func smallExponent(_ text: BorrowedBytes, from start: Int) -> Int? {
        var at = start
        let isNegative = text[at] == UInt8(ascii: "-")
        if isNegative || text[at] == UInt8(ascii: "+") {
            at += 1
        }
        guard text.count - at <= 4 else { return nil }
        var value = 0
        while at < text.count {
            value = value * 10 + Int(text[at] &- UInt8(ascii: "0"))
            at += 1
        }
        return isNegative ? -value : value
    }

    @inline(never)
    private static func slow(_ text: BorrowedBytes) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? .nan
    }

    @inline(__always)
    private static func powersOfTen(_ exponent: Int) -> Double {
        var power = 1.0
        var base = 10.0
        var rest = exponent
        while rest > 0 {
            if rest & 1 != 0 {
                power *= base
            }
            base *= base
            rest >>= 1
        }
        return power
    }

    /// Appends a double in its shortest form that reads back the same; whole ones without a
    /// fraction, and beyond 2^53 with an exponent: without, they would be read as ints.
    package static func append(_ value: Double, to bytes: inout [UInt8]) {
        let start = bytes.count
        appendShortest(value, to: &bytes)
        guard value.magnitude > 0x1p53, bytes[start...].withBorrowedBytes(hasDigitsOnly) else { return }
        let first = start + (bytes[start] == UInt8(ascii: "-") ? 1 : 0)
        let exponent = bytes.count - first - 1
        while bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
        if bytes.count > first + 1 { bytes.insert(UInt8(ascii: "."), at: first + 1) }
        bytes.append(contentsOf: "e+\(exponent)".utf8)
    }

    /// Whether a number is written as a whole number, without a fraction and an exponent.
    package static func hasDigitsOnly(_ text: BorrowedBytes) -> Bool {
        text.allSatisfy { $0 == UInt8(ascii: "-") || $0 &- UInt8(ascii: "0") <= 9 }
    }

    private static func appendShortest(_ value: Double, to bytes: inout [UInt8]) {
        if value == value.rounded(.towardZero), value.magnitude <= 0x1p53 {
            if value == 0, value.sign == .minus {
                bytes.append(UInt8(ascii: "-"))
            }
            append(Int64(value), to: &bytes)
            return
        }
        if value.withFewDigits({ bytes.append(contentsOf: $0) }) != nil { return }
        bytes.append(contentsOf: value.description.utf8)
        if bytes.count >= 2, bytes[bytes.count - 1] == UInt8(ascii: "0"),
            bytes[bytes.count - 2] == UInt8(ascii: ".")
        {
            bytes.removeLast(2)
        }
    }

    package static func append(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 {
            bytes.append(UInt8(ascii: "-"))
        }
        append(value.magnitude, to: &bytes)
    }

    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        if value < 10 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value))
            return
        }
        let start = bytes.count
        var rest = value
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        }
        bytes[start...].reverse()
    }
}

extension JSONNumber {
    /// The value of a whole number that fits an `Int`, however it is written; nil otherwise.
    package static func exactInteger(_ text: BorrowedBytes) -> Int? {
        whole(text).flatMap { Int(exactly: $0) }
    }

    /// The value of a whole number of at most twenty digits, however it is written; nil otherwise.
    package static func whole(_ text: BorrowedBytes) -> Int128? {
        let decimal = JSONDecimal(text)
        if decimal.isZero { return 0 }
        guard (0...19).contains(decimal.leadingExponent),
            decimal.significantDigits <= decimal.leadingExponent + 1
        else { return nil }
        var value: Int128 = 0
        for place in 0...decimal.leadingExponent {
            value = value * 10 + Int128(decimal.significantDigit(place))
        }
        return decimal.isNegative ? -value : value
    }
}
