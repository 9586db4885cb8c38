public import Support

/// Percent-encoding (RFC 3986 §2.1) for paths and query values.
public enum PercentEncoding {
    /// Appends the decoded bytes of a path.
    ///
    /// `%2F` and `%00` stay as they are: a decoded slash would make another path of it, and a zero
    /// byte ends a C string.
    /// - Returns: false where a `%` is not followed by two hexadecimal digits; the buffer then
    ///   holds a part.
    public static func decode(path: BorrowedBytes, to buffer: inout ByteBuffer) -> Bool {
        decode(path, to: &buffer, isPath: true)
    }

    /// Appends the decoded bytes of a query name or value; `+` is a space.
    /// - Returns: false where a `%` is not followed by two hexadecimal digits; the buffer then
    ///   holds a part.
    public static func decode(query: BorrowedBytes, to buffer: inout ByteBuffer) -> Bool {
        decode(query, to: &buffer, isPath: false)
    }

    /// Appends `bytes` with everything escaped that is not an unreserved character (RFC 3986 §2.3).
    public static func encode(_ bytes: BorrowedBytes, to buffer: inout ByteBuffer) {
        for index in bytes.indices {
            let byte = bytes[index]
            if ASCII.isWord(byte) || "-.~".utf8.contains(byte) {
                buffer.append(byte)
            } else {
                buffer.append(ASCII.percent)
                buffer.append(upperDigit(byte >> 4))
                buffer.append(upperDigit(byte & 15))
            }
        }
    }

    private static func upperDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? 48 + nibble : 55 + nibble
    }

    private static func decode(
        _ bytes: BorrowedBytes,
        to buffer: inout ByteBuffer,
        isPath: Bool
    ) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == ASCII.percent {
                guard index + 2 < bytes.count, let high = ASCII.hexadecimal(bytes[index + 1]),
                    let low = ASCII.hexadecimal(bytes[index + 2])
                else { return false }
                let value = high << 4 | low
                if isPath, value == ASCII.slash || value == 0 {
                    buffer.append(bytes.part(index..<index + 3))
                } else {
                    buffer.append(value)
                }
                index += 3
            } else {
                buffer.append(!isPath && byte == UInt8(ascii: "+") ? ASCII.space : byte)
                index += 1
            }
        }
        return true
    }
}
