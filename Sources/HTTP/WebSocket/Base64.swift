/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    /// Appends the encoding of `bytes`.
    public static func encode(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        var index = 0
        while index < bytes.count {
            let left = bytes.count - index
            let first = UInt32(bytes[index]) << 16
            let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
            let third = left > 2 ? UInt32(bytes[index + 2]) : 0
            let group = first | second | third
            buffer.append(digit(group >> 18))
            buffer.append(digit(group >> 12))
            buffer.append(left > 1 ? digit(group >> 6) : UInt8(ascii: "="))
            buffer.append(left > 2 ? digit(group) : UInt8(ascii: "="))
            index += 3
        }
    }

    /// The encoding of `bytes` as text.
    ///
    /// Not for the hot path.
    public static func encode(_ bytes: [UInt8]) -> String {
        var buffer = ByteBuffer()
        bytes.withUnsafeBytes { encode($0, to: &buffer) }
        return buffer.bytes.text
    }

    /// The decoded bytes; nil where anything but the canonical form is given (padding required, unused bits
    /// zero).
    public static func decode(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count % 4 == 0 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 4 * 3)
        var index = 0
        while index < bytes.count {
            let isLast = index + 4 == bytes.count
            let padding =
                !isLast || bytes[index + 3] != UInt8(ascii: "=")
                ? 0 : bytes[index + 2] == UInt8(ascii: "=") ? 2 : 1
            var group: UInt32 = 0
            for offset in 0..<4 {
                var sextet: UInt32 = 0
                if offset < 4 - padding {
                    guard let value = value(bytes[index + offset]) else { return nil }
                    sextet = value
                }
                group = group << 6 | sextet
            }
            result.append(UInt8(truncatingIfNeeded: group >> 16))
            if padding < 2 { result.append(UInt8(truncatingIfNeeded: group >> 8)) }
            if padding < 1 { result.append(UInt8(truncatingIfNeeded: group)) }
            if padding == 2, group & 0xFFFF != 0 { return nil }
            if padding == 1, group & 0xFF != 0 { return nil }
            index += 4
        }
        return result
    }

    private static func digit(_ bits: UInt32) -> UInt8 {
        let sextet = UInt8(truncatingIfNeeded: bits & 63)
        return switch sextet {
        case 0..<26: sextet + 65
        case 26..<52: sextet + 71
        case 52..<62: sextet - 4
        case 62: UInt8(ascii: "+")
        default: ASCII.slash
        }
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) + 4
        case UInt8(ascii: "+"): 62
        case ASCII.slash: 63
        default: nil
        }
    }
}
