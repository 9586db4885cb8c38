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
        if number.magnitude < 1e6,
            let text = number.withFewDigits({ String(decoding: $0, as: UTF8.self) })
        {
            return text
        }
        // The library's description has the shortest digits: between these bounds written out,
        // beyond them in either notation.
        let description = number.description
        if number.magnitude >= 1e-4, number.magnitude < (isStrict ? 1e6 : 0x1p53) {
            return description.hasSuffix(".0") ? String(description.dropLast(2)) : description
        }
        let (digits, exponent) = decimal(description)
        var text: [UInt8] = []
        text.reserveCapacity(32)
        if number < 0 { text.append(UInt8(ascii: "-")) }
        if !isStrict, 0..<17 ~= exponent {
            text += digits
            text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent + 1 - digits.count))
        } else {
            scientific(digits, exponent, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The digits of a description without sign and outer zeros, and the power of ten of the first
    /// of them.
    private static func decimal(_ description: String) -> (digits: [UInt8], exponent: Int) {
        description.withBytes { written in
            var digits: [UInt8] = []
            digits.reserveCapacity(20)
            var exponent = 0
            var places: Int?
            var position = written[0] == UInt8(ascii: "-") ? 1 : 0
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
            for index in position..<written.count where ASCII.isDigit(written[index]) {
                exponent = exponent * 10 + Int(written[index] - UInt8(ascii: "0"))
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
