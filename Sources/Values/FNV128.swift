package import Support

/// The hash FNV-1a with 128 bits (draft-eastlake-fnv).
///
/// It tells definitions apart, but does not resist an attacker who looks for two with the same
/// hash.
package struct FNV128 {
    /// The hash of the bytes added so far.
    package private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

    package init() {}

    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { add(byte) }
    }

    package mutating func add(_ bytes: BorrowedBytes) {
        for byte in bytes { add(byte) }
        add(0xff)
    }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        // 0xff never occurs in UTF-8.
        add(0xff)
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt128(byte)) &* Self.prime
    }

    /// 32 hexadecimal digits.
    package var text: String { String(value, width: 32, radix: 16) }
}
