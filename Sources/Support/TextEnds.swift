/// The first and the last bytes of a text, up to eight each: all of a text of at most sixteen
/// bytes.
///
/// Texts of the same length have equal ends exactly if these bytes are equal.
public struct TextEnds: Equatable, Sendable {
    public let first: UInt64
    public let last: UInt64

    @inlinable
    @inline(__always)
    public init(_ text: BorrowedBytes) {
        let size = text.count
        guard let base = unsafe text.baseAddress, size > 0 else {
            first = 0
            last = 0
            return
        }
        if size >= 8 {
            first = unsafe base.loadUnaligned(as: UInt64.self)
            last = unsafe base.loadUnaligned(fromByteOffset: size - 8, as: UInt64.self)
        } else if size >= 4 {
            first = unsafe UInt64(base.loadUnaligned(as: UInt32.self))
            last = unsafe UInt64(base.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self))
        } else {
            let middle = unsafe UInt64(base.load(fromByteOffset: size / 2, as: UInt8.self))
            first = unsafe UInt64(base.load(as: UInt8.self))
            last = unsafe middle << 8 | UInt64(base.load(fromByteOffset: size - 1, as: UInt8.self))
        }
    }

    @inlinable
    @inline(__always)
    public static func == (a: TextEnds, b: TextEnds) -> Bool { a.first == b.first && a.last == b.last }
}
