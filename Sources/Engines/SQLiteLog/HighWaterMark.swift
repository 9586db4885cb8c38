/// How far the log was written, kept outside of SQLite's own files.
///
/// SQLite drops broken frames at the end of its journal without a word. This mark says how many
/// writes there were, on which boot of the machine, and whether the server ended in order, so that
/// the next start knows whether a tail is missing.
struct HighWaterMark: Equatable {
    /// The number of the last write that was answered.
    var sequence: UInt64 = 0
    /// The boot of the machine on which that was.
    var boot = ""
    /// Whether each write was synchronised (`durability: fsync`).
    var isSynchronised = false
    /// Whether the server ended in order, with everything synchronised.
    var isClean = false

    private static let magic = Array("sluice-hw1".utf8)

    /// The mark as bytes, always of the same length or less, with a checksum.
    var bytes: [UInt8] {
        var bytes = Self.magic
        for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: sequence >> (8 * place))) }
        bytes.append((isSynchronised ? 1 : 0) | (isClean ? 2 : 0))
        let boot = Array(boot.utf8.prefix(64))
        bytes.append(UInt8(boot.count))
        bytes += boot + [UInt8](repeating: 0, count: 64 - boot.count)
        let sum = checksum(of: bytes)
        for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: sum >> (8 * place))) }
        return bytes
    }

    init() {}

    /// Reads a mark; nil: these bytes are none, or damaged.
    init?(_ bytes: [UInt8]) {
        let head = Self.magic.count
        let count = head + 8 + 2 + 64
        guard bytes.count >= count + 4, bytes.starts(with: Self.magic) else { return nil }
        let sum = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[count + $1]) << (8 * $1) }
        guard sum == checksum(of: Array(bytes.prefix(count))) else { return nil }
        sequence = (0..<8).reduce(0) { $0 | UInt64(bytes[head + $1]) << (8 * $1) }
        isSynchronised = bytes[head + 8] & 1 != 0
        isClean = bytes[head + 8] & 2 != 0
        let length = Int(bytes[head + 9])
        guard length <= 64 else { return nil }
        boot = String(decoding: bytes[(head + 10)..<(head + 10 + length)], as: UTF8.self)
    }
}
