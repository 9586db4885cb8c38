/// Names of graphs and nodes: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}` (wire-protocol.md §3).
public enum Name {
    /// The longest name, in bytes.
    public static let maximumBytes = 128

    /// Whether the bytes are a name.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, bytes.count <= maximumBytes, isWord(first) else { return false }
        for byte in bytes.dropFirst()
        where !isWord(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "-") {
            return false
        }
        return true
    }

    @inline(__always)
    private static func isWord(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
    }
}
