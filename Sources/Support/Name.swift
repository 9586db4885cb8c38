/// Names of graphs and nodes: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`.
public enum Name {
    /// The longest name, in bytes.
    @inlinable public static var maximumBytes: Int { 128 }

    /// The rule as a regular expression of JSON Schema.
    public static let pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$"

    public static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= maximumBytes, mayBegin(first) else { return false }
        return bytes.allSatisfy(mayContain)
    }

    public static func isValid(_ text: some StringProtocol) -> Bool {
        isValid(text.utf8)
    }

    @inlinable
    @inline(__always)
    public static func mayContain(_ byte: UInt8) -> Bool {
        // A bit for each byte: the router asks this for every byte of a name.
        let bits: UInt64 = byte < 64 ? 0x03ff_6000_0000_0000 : 0x07ff_fffe_87ff_fffe
        return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether a name may begin with this byte, which may stand in one.
    @inlinable
    @inline(__always)
    public static func mayBegin(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: ".") && byte != UInt8(ascii: "-")
    }
}
