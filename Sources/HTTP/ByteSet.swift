/// A set of ASCII bytes as two words, so that asking costs a shift.
struct ByteSet: Sendable {
    /// Bit n: byte n.
    let low: UInt64
    /// Bit n: byte 64 + n.
    let high: UInt64

    /// What a name of a graph or node is made of: `A-Za-z0-9_.-`.
    static let name = ByteSet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_87FF_FFFE)
    /// What a host and port are made of: unreserved and sub-delims without comma, `%`, `:` and brackets (RFC 3986 §3.2).
    static let host = ByteSet(low: 0x2FFF_6FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE)
    /// What a token is made of (RFC 9110 §5.6.2).
    static let token = ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let word = byte & 64 == 0 ? low : high
        return byte < 128 && (word &>> UInt64(truncatingIfNeeded: byte & 63)) & 1 != 0
    }
}
