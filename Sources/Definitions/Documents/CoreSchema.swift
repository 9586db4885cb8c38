/// The core schema of YAML 1.2.2 §10.3.2.
enum CoreSchema {
    static func value(of text: String) -> Scalar.TypedValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN",
            ".NAN":
            return .notFinite
        default:
            if let number = number(text) { return .number(number) }
            return .string(text)
        }
    }

    /// A core schema number in JSON's form; nil if the text is not a number.
    private static func number(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if bytes.starts(with: "0x".utf8) { return radix(bytes.dropFirst(2), 16) }
        if bytes.starts(with: "0o".utf8) { return radix(bytes.dropFirst(2), 8) }
        var at = 0
        var result = ""
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            at = 1
            if sign == UInt8(ascii: "-") {
                result = "-"
            }
        }
        func digits() -> [UInt8] {
            let start = at
            while at < bytes.count, bytes[at] &- UInt8(ascii: "0") <= 9 {
                at += 1
            }
            return Array(bytes[start..<at])
        }
        let whole = digits()
        var fraction: [UInt8] = []
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            fraction = digits()
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        result += significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self)
        if !fraction.isEmpty {
            result += "." + String(decoding: fraction, as: UTF8.self)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            result += "e"
            if at < bytes.count, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
                result += bytes[at] == UInt8(ascii: "-") ? "-" : ""
                at += 1
            }
            let exponent = digits()
            guard !exponent.isEmpty else { return nil }
            result += String(decoding: exponent, as: UTF8.self)
        }
        return at == bytes.count ? result : nil
    }

    /// Digits of base 16 or 8 as a decimal number; nil if there are no digits, invalid ones, or too
    /// many for 64 bits.
    private static func radix(_ digits: ArraySlice<UInt8>, _ base: Int) -> String? {
        guard !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: base).map { String($0) }
    }
}
