/// Doubles as text and back.
enum NumberText {
    /// The shortest text that reads back as the same double, in the manner of C's `%g`: `1`, `0.1`, `1e+20`.
    ///
    /// Whole numbers are written out below 10^17; strictly, as the reference runtime does it, below 10^6.
    static func text(_ number: Double, strictly isStrict: Bool) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-inf" : "inf" }
        if number == 0 { return number.sign == .minus ? "-0" : "0" }
        let (digits, exponent) = decimal(number.magnitude)
        let sign = number < 0 ? "-" : ""
        return sign
            + (exponent < -4 || exponent >= (isStrict ? 6 : 17)
                ? scientific(digits, exponent) : plain(digits, exponent))
    }

    /// The shortest digits and the power of ten of the first of them.
    static func decimal(_ number: Double) -> (digits: [UInt8], exponent: Int) {
        // The library's description has the shortest digits, in either notation.
        var digits: [UInt8] = []
        var exponent = 0
        var pointAt: Int?
        var written = number.description.utf8[...]
        if let e = written.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            exponent = Int(Substring(written[written.index(after: e)...])) ?? 0
            written = written[..<e]
        }
        for byte in written {
            if byte == UInt8(ascii: ".") {
                pointAt = digits.count
            } else {
                digits.append(byte)
            }
        }
        exponent += (pointAt ?? digits.count) - 1
        while digits.count > 1, digits.first == UInt8(ascii: "0") {
            digits.removeFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.last == UInt8(ascii: "0") {
            digits.removeLast()
        }
        return (digits, exponent)
    }

    private static func scientific(_ digits: [UInt8], _ exponent: Int) -> String {
        var text = String(UnicodeScalar(digits[0]))
        if digits.count > 1 {
            text += "." + String(decoding: digits[1...], as: UTF8.self)
        }
        let power = String(exponent.magnitude)
        return text + "e" + (exponent < 0 ? "-" : "+") + (power.utf8.count < 2 ? "0" : "") + power
    }

    private static func plain(_ digits: [UInt8], _ exponent: Int) -> String {
        let zero = UInt8(ascii: "0")
        if exponent < 0 {
            let zeros = [UInt8](repeating: zero, count: -exponent - 1)
            return "0." + String(decoding: zeros + digits, as: UTF8.self)
        }
        let padding = [UInt8](repeating: zero, count: max(0, exponent + 1 - digits.count))
        let all = digits + padding
        let whole = String(decoding: all[...exponent], as: UTF8.self)
        return all.count > exponent + 1
            ? whole + "." + String(decoding: all[(exponent + 1)...], as: UTF8.self) : whole
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
        var view = text[...]
        while let first = view.utf8.first, isBlank(first) {
            view = Substring(view.utf8.dropFirst())
        }
        while let last = view.utf8.last, isBlank(last) {
            view = Substring(view.utf8.dropLast())
        }
        return view
    }
}
