internal import Support

/// A set of ASCII bytes as a table in the program's constants, so that asking costs one load.
struct ByteSet: Sendable {
    /// 128 characters, `1` where the byte belongs to the set.
    private let table: StaticString

    /// What a host is made of: unreserved and sub-delims without comma, and `%` (RFC 3986 §3.2.2).
    static let host = ByteSet(
        table: """
            0000000000000000000000000000000001001111111101101111111111010100\
            0111111111111111111111111110000101111111111111111111111111100010
            """
    )

    /// What a token is made of (RFC 9110 §5.6.2).
    static let token = ByteSet(
        table: """
            0000000000000000000000000000000001011111001101101111111111000000\
            0111111111111111111111111110001111111111111111111111111111101010
            """
    )

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        unsafe byte < 128 && table.utf8Start[Int(byte)] == UInt8(ascii: "1")
    }

    /// How many bytes from the first on belong to the set.
    @inline(__always)
    func prefix(of bytes: BorrowedBytes) -> Int {
        let table = unsafe table.utf8Start
        var place = 0
        while place < bytes.count, bytes[place] < 128,
            unsafe table[Int(bytes[place])] == UInt8(ascii: "1")
        {
            place &+= 1
        }
        return place
    }
}
