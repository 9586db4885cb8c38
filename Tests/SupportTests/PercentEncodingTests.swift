import Support
import TestSupport
import Testing

@Suite("Percent-encoding (RFC 3986)")
struct PercentEncodingTests {
    @Test("encoding, then decoding is identity for every byte")
    func roundTrip() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        var encoded = ByteBuffer()
        all.withBorrowedBytes { PercentEncoding.encode($0, to: &encoded) }
        var decoded = ByteBuffer()
        #expect(PercentEncoding.decode(query: encoded.bytes, to: &decoded))
        #expect(Array(decoded.bytes) == all && PercentEncoding.decoded(Array(encoded.bytes)) == all)
    }

    @Test(
        "a normal form",
        arguments: [
            ("%7euser/%c3%a9%2f", "~user/%C3%A9%2F"), ("é", "%C3%A9"), ("a b|c", "a%20b%7Cc"),
            ("a=1&b=[2]", "a=1&b=%5B2%5D"), ("%3D=", "%3D="), ("%FC", "%FC"), ("", ""),
        ]
    )
    func normal(text: String, expected: String) {
        #expect(PercentEncoding.normal(text.utf8) == expected)
        #expect(PercentEncoding.normal(expected.utf8) == expected)
    }

    @Test("broken escapes have no normal form and stand for nothing", arguments: ["%", "%4", "a%zz", "%%41"])
    func broken(text: String) {
        #expect(PercentEncoding.normal(text.utf8) == nil && PercentEncoding.decoded(text.utf8) == nil)
    }

    @Test("equal bytes have equal normal forms, and the normal form stands for the same bytes")
    func sameBytes() {
        var random = SeededGenerator(seed: 49)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                // Characters that are reserved mean something else when they are escaped.
                UInt8.random(in: 0...255, using: &random)
            }.filter { !"!$&'()*+,;=:@/?%".utf8.contains($0) }
            let escaped = bytes.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let normal = PercentEncoding.normal(bytes)
            #expect(normal == PercentEncoding.normal(escaped.utf8))
            #expect(normal.flatMap { PercentEncoding.decoded($0.utf8) } == bytes)
        }
    }
}
