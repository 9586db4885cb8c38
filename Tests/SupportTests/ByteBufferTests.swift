import Support
import Testing

@Suite("ByteBuffer collects bytes")
struct ByteBufferTests {
    @Test("numbers, texts and bytes follow each other")
    func appending() {
        var buffer = ByteBuffer()
        for number in [0, 7, 10, 99, 100, -1, Int64.max, Int64.min] {
            buffer.append(decimal: number)
            buffer.append(UInt8(ascii: " "))
        }
        buffer.append(hexadecimal: 0)
        buffer.append(" ")
        buffer.append(hexadecimal: 0xDEAD_BEEF)
        buffer.append(hexadecimal: UInt64.max)
        buffer.append(decimal: UInt64.max)
        #expect(
            String(decoding: buffer.bytes, as: UTF8.self)
                == "0 7 10 99 100 -1 9223372036854775807 -9223372036854775808 0 deadbeefffffffffffffffff18446744073709551615"
        )
    }

    @Test("numbers of every length are written as Swift writes them")
    func lengths() {
        var power: UInt64 = 1
        while true {
            for number in [power - 1, power, power + 1, power &* 9] {
                var buffer = ByteBuffer()
                buffer.append(decimal: number)
                #expect(String(decoding: buffer.bytes, as: UTF8.self) == String(number))
            }
            guard power < 10_000_000_000_000_000_000 else { return }
            power *= 10
        }
    }

    @Test("what is removed from the front leaves the rest")
    func removing() {
        var buffer = ByteBuffer()
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        buffer.append(bytes)
        buffer.removeFirst(10)
        #expect(Array(buffer.bytes) == Array(bytes[10...]))
        buffer.truncate(to: 5)
        #expect(Array(buffer.bytes) == Array(bytes[10..<15]))
        buffer.removeFirst(5)
        let isEmpty = buffer.isEmpty
        #expect(isEmpty)
    }
}
