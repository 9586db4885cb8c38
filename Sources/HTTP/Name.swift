/// Names of graphs and nodes: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}` (wire-protocol.md §3).
public enum Name {
    /// The longest name, in bytes.
    public static let maximumBytes = 128

    /// Whether the bytes are a name.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first, bytes.count <= maximumBytes, mayBegin(first) else { return false }
        for byte in bytes where !ByteSet.name.contains(byte) {
            return false
        }
        return true
    }

    /// Whether a name may begin with this byte, which belongs to names.
    @inline(__always)
    static func mayBegin(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: ".") && byte != UInt8(ascii: "-")
    }
}
