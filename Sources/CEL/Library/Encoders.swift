/// The published encoders extension: base64.
enum Encoders {
    static let functions: [Function] = [
        Function("base64.encode", [.global(.bytes, gives: .string)]) { arguments, meter throws(Failure) in
            let bytes = try arguments.bytes(0)
            try meter.spend(bytes: bytes.count * 2)
            return .string(Base64.text(bytes))
        },
        Function("base64.decode", [.global(.string, gives: .bytes)]) { arguments, meter throws(Failure) in
            let text = try arguments.string(0)
            try meter.spend(bytes: text.utf8.count)
            guard let bytes = Base64.bytes(text) else { throw .badValue("the string is not base64") }
            return .bytes(bytes)
        },
    ]
}

/// RFC 4648 §4: the standard alphabet; padding is written, and need not be there when read;
/// spare bits at the end are not looked at.
public enum Base64 {
    /// The text for `bytes`.
    public static func text(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let rest = bytes.count - position
            let group =
                UInt32(bytes[position]) << 16
                | (rest > 1 ? UInt32(bytes[position + 1]) << 8 : 0)
                | (rest > 2 ? UInt32(bytes[position + 2]) : 0)
            text.append(alphabet[Int(group >> 18)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(rest > 1 ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            text.append(rest > 2 ? alphabet[Int(group & 63)] : UInt8(ascii: "="))
            position += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes a text stands for, nil when it is not base64.
    public static func bytes(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") {
                digits.removeLast()
            }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
            bits &= (1 << count) - 1
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
