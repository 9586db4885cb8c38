/// The one buffer in which the host builds messages: it grows, is reused, and is lent to the sink.
final class FrameBuffer {
    @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private(set) var count = 0

    init(capacity: Int = 4096) {
        base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit {
        base.deallocate()
    }

    /// What has been written, valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Forgets all content and keeps the memory.
    func clear() {
        count = 0
    }

    /// Forgets what was written after `count` bytes.
    func truncate(to count: Int) {
        self.count = count
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Text that needs no escaping.
    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Text as it is, without quotes and escapes.
    func append(raw text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    func append(byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// A decimal number.
    func append(_ number: UInt64) {
        reserve(20)
        var rest = number
        var digits = 1
        var limit = number
        while limit >= 10 {
            limit /= 10
            digits += 1
        }
        var place = count + digits
        count = place
        repeat {
            place -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            base.storeBytes(of: UInt8(truncatingIfNeeded: digit) + 48, toByteOffset: place, as: UInt8.self)
            rest = quotient
        } while rest != 0
    }

    /// A JSON string with its quotes.
    func append(string: String) {
        var string = string
        string.withUTF8 { append(quoting: UnsafeRawBufferPointer($0)) }
    }

    private func append(quoting text: UnsafeRawBufferPointer) {
        append(byte: UInt8(ascii: "\""))
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x0A: append("\\n")
            case 0x0D: append("\\r")
            case 0x09: append("\\t")
            case 0..<0x20:
                append("\\u00")
                append(byte: Self.hex(byte >> 4))
                append(byte: Self.hex(byte & 15))
            default: append(byte: byte)
            }
        }
        append(byte: UInt8(ascii: "\""))
    }

    private static func hex(_ digit: UInt8) -> UInt8 {
        digit < 10 ? digit + 48 : digit + 87
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if count + more > capacity { grow(more) }
    }

    private func grow(_ more: Int) {
        let larger = max(capacity * 2, count + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
        capacity = larger
    }
}
