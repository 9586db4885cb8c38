internal import Support

/// Doubles as text and back.
enum NumberText {
    /// The shortest text that reads back as the same double, in the manner of C's `%g`: `1`, `0.1`,
    /// `1e+20`.
    ///
    /// Whole numbers are written out below 10^17; strictly, as the reference runtime does it, below
    /// 10^6.
    static func text(_ number: Double, strictly isStrict: Bool) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        if number == 0 { return number.sign == .minus ? "-0" : "0" }
        let (digits, exponent) = decimal(number.magnitude)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        if number < 0 { text.append(UInt8(ascii: "-")) }
        if exponent < -4 || exponent >= (isStrict ? 6 : 17) {
            scientific(digits, exponent, to: &text)
        } else {
            plain(digits, exponent, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The shortest digits and the power of ten of the first of them.
    private static func decimal(_ number: Double) -> (digits: [UInt8], exponent: Int) {
        // The library's description has the shortest digits, in either notation.
        number.description.withBytes { written in
            var digits: [UInt8] = []
            digits.reserveCapacity(20)
            var exponent = 0
            var places: Int?
            var position = 0
            while position < written.count, case let byte = written[position],
                ASCII.isDigit(byte) || byte == UInt8(ascii: ".")
            {
                if byte == UInt8(ascii: ".") {
                    places = 0
                } else {
                    places = places.map { $0 + 1 }
                    if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
                }
                position += 1
            }
            // Behind the digits there may be `e`, a sign, and the exponent.
            let isNegative = position + 1 < written.count && written[position + 1] == UInt8(ascii: "-")
            for byte in written.dropFirst(position) where ASCII.isDigit(byte) {
                exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
            }
            exponent = (isNegative ? -exponent : exponent) + digits.count - 1 - (places ?? 0)
            while digits.count > 1, digits.last == UInt8(ascii: "0") {
                digits.removeLast()
            }
            return (digits, exponent)
        }
    }

    private static func scientific(_ digits: [UInt8], _ exponent: Int, to text: inout [UInt8]) {
        text.append(digits[0])
        if digits.count > 1 {
            text.append(UInt8(ascii: "."))
            text += digits[1...]
        }
        text.append(UInt8(ascii: "e"))
        text.append(UInt8(ascii: exponent < 0 ? "-" : "+"))
        let power = UInt8(truncatingIfNeeded: exponent.magnitude % 100)
        if exponent.magnitude >= 100 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: exponent.magnitude / 100))
        }
        text.append(UInt8(ascii: "0") + power / 10)
        text.append(UInt8(ascii: "0") + power % 10)
    }

    private static func plain(_ digits: [UInt8], _ exponent: Int, to text: inout [UInt8]) {
        let zero = UInt8(ascii: "0")
        if exponent < 0 {
            text += [zero, UInt8(ascii: ".")]
            text.append(contentsOf: repeatElement(zero, count: -exponent - 1))
            text += digits
            return
        }
        let wholeCount = exponent + 1
        text += digits.prefix(wholeCount)
        text.append(contentsOf: repeatElement(zero, count: max(0, wholeCount - digits.count)))
        if digits.count > wholeCount {
            text.append(UInt8(ascii: "."))
            text += digits[wholeCount...]
        }
    }

    /// The double a text says, with blanks around it; nil when it says none.
    static func double(_ text: String) -> Double? {
        let trimmed = trimmed(text)
        // The library would also read hexadecimal.
        guard !trimmed.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") || $0 == UInt8(ascii: "(") })
        else {
            return nil
        }
        return Double(trimmed)
    }

    /// Without the ASCII blanks at both ends.
    static func trimmed(_ text: String) -> Substring {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == 0x20 || (0x09...0x0d).contains(byte)
        }
        guard let first = text.utf8.firstIndex(where: { !isBlank($0) }),
            let last = text.utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return text[first...last]
    }
}
