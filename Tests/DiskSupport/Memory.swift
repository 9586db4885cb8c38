#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Bytes that grow and shrink, at the speed of `memcpy` also where nothing is optimised.
struct Memory: ~Copyable {
    private(set) var count = 0
    private var room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)

    init() {}

    init(_ bytes: UnsafeRawBufferPointer) {
        resize(to: bytes.count)
        room.copyMemory(from: bytes)
    }

    deinit { room.deallocate() }

    /// Lends what there is, until the next change of the size.
    var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: room[..<count]) }

    /// What is added is zero.
    mutating func resize(to size: Int) {
        if size > room.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
            room.deallocate()
            room = larger
        }
        if size > count {
            memset(room.baseAddress! + count, 0, size - count)
        }
        count = size
    }

    /// Takes over a part of other bytes, and grows for it.
    mutating func copy(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard !source.isEmpty else { return }
        if count < offset + source.count { resize(to: offset + source.count) }
        UnsafeMutableRawBufferPointer(rebasing: room[offset...]).copyMemory(from: source)
    }
}
