/// Percent-encoding (RFC 3986 §2.1).
public enum PercentEncoding {
    private static let percent = UInt8(ascii: "%")
    /// Characters that may stand in a path or a query as they are, besides the unreserved ones
    /// (RFC 3986 §3.3, §3.4).
    private static let permitted = Array("!$&'()*+,;=:@/?".utf8)

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
        for index in bytes.indices { encode(bytes[index]) { buffer.append($0) } }
    }

    /// Text with everything escaped that is neither an unreserved character nor one of `kept`.
    public static func encoded(_ text: String, keeping kept: [UInt8] = []) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 { encode(byte, keeping: kept) { result.append($0) } }
        return String(decoding: result, as: UTF8.self)
    }

    /// A path or a query in normal form (RFC 3986 §6.2.2): escapes of unreserved characters are
    /// resolved, the others have upper-case digits, and what may not stand there is escaped.
    ///
    /// - Returns: `nil` if an escape is broken.
    public static func normal(_ text: some Sequence<UInt8>) -> String? {
        var result: [UInt8] = []
        let isSound = forEach(in: text) { byte, isEscaped in
            encode(byte, keeping: isEscaped ? [] : permitted) { result.append($0) }
        }
        return isSound ? String(decoding: result, as: UTF8.self) : nil
    }

    /// The bytes that a text stands for, all escapes resolved; `nil` if one is broken.
    public static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        return forEach(in: text) { byte, _ in result.append(byte) } ? result : nil
    }

    /// Visits the bytes that a text stands for, with whether each was escaped.
    ///
    /// - Returns: whether no escape is broken.
    private static func forEach(
        in text: some Sequence<UInt8>,
        _ visit: (_ byte: UInt8, _ isEscaped: Bool) -> Void
    ) -> Bool {
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == percent else {
                visit(byte, false)
                continue
            }
            guard let high = rest.next().flatMap(ASCII.hexadecimal),
                let low = rest.next().flatMap(ASCII.hexadecimal)
            else { return false }
            visit(high << 4 | low, true)
        }
        return true
    }

    private static func encode(_ byte: UInt8, keeping kept: [UInt8] = [], _ append: (UInt8) -> Void) {
        guard !ASCII.isWord(byte), !"-.~".utf8.contains(byte), !kept.contains(byte) else {
            return append(byte)
        }
        append(percent)
        append(upperDigit(byte >> 4))
        append(upperDigit(byte & 15))
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
            if byte == percent {
                guard index + 2 < bytes.count, let high = ASCII.hexadecimal(bytes[index + 1]),
                    let low = ASCII.hexadecimal(bytes[index + 2])
                else { return false }
                let value = high << 4 | low
                if isPath, value == UInt8(ascii: "/") || value == 0 {
                    buffer.append(bytes.part(index..<index + 3))
                } else {
                    buffer.append(value)
                }
                index += 3
            } else {
                buffer.append(!isPath && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return true
    }
}
