import Support
import Testing

@testable import MQTT

@Suite("What a broker sends is looked at before anything acts upon it (MQTT 3.1.1 section 2.2)")
struct PacketScannerTests {
    /// Scans pieces; the number of the packet that is not complete after them.
    private func scan(_ pieces: [[UInt8]], most: Int = 1_000) throws -> (begun: Int, incomplete: Int?) {
        var scanner = PacketScanner(mostBytes: most)
        for piece in pieces {
            try piece.withBorrowedBytes { (bytes) throws(PacketScanner.Fault) in try scanner.scan(bytes) }
        }
        return (scanner.begun, scanner.incomplete)
    }

    private static let answer: [UInt8] = [0x20, 2, 0, 0]

    /// A PUBLISH packet of `length` bytes after its header.
    private static func message(_ length: Int, control: UInt8 = 0x30) -> [UInt8] {
        var header = [control]
        var rest = length
        repeat {
            header.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return header + Array(repeating: 0, count: length)
    }

    @Test(
        "whole packets pass, however they are cut",
        arguments: [
            ([], 1), ([0xD0, 0], 2), ([0x40, 2, 0, 1], 2), ([0x90, 3, 0, 1, 0x80], 2),
            ([0xB0, 2, 0, 1, 0xD0, 0], 3), (message(3), 2), (message(127), 2), (message(128), 2),
            (message(1_000, control: 0x3B), 2), (message(5) + message(300, control: 0x32), 3),
        ]
    )
    func passes(bytes: [UInt8], packets: Int) throws {
        let all = Self.answer + bytes
        for pieces in [[all], all.map { [$0] }] {
            let found = try scan(pieces)
            #expect(found.begun == packets && found.incomplete == nil)
        }
        #expect(try scan([Array(all.dropLast())]).incomplete == packets)
    }

    @Test("a packet has a longest length, which its header is enough to tell")
    func length() throws {
        #expect(throws: PacketScanner.Fault.tooLong) {
            try scan([Self.answer, Array(Self.message(1_001).prefix(3))])
        }
        // 256 MiB less one byte is the most that a header can announce.
        #expect(throws: PacketScanner.Fault.tooLong) {
            try scan([Self.answer, [0x30, 0xFF, 0xFF, 0xFF, 0x7F]], most: 1 << 20)
        }
        #expect(throws: PacketScanner.Fault.unexpected) {
            try scan([Self.answer, [0x30, 0x80, 0x80, 0x80, 0x80]])
        }
    }

    @Test(
        "what a broker does not send to this client ends the connection",
        arguments: [
            [0x30, 3, 0, 1, 97], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0x20, 3, 0, 0, 0],
            [0x21, 2, 0, 0], answer + answer, answer + [0x34, 5, 0, 1, 97, 0, 1],
            answer + [0x62, 2, 0, 1], answer + [0x50, 2, 0, 1], answer + [0x82, 5, 0, 1, 0, 0, 0],
            answer + [0xC0, 0], answer + [0xE0, 0], answer + [0x41, 2, 0, 1], answer + [0x40, 3, 0, 1, 0],
            answer + [0x90, 2, 0, 1], answer + [0xD0, 1, 0], answer + [0x30, 2, 0, 0], answer + [0, 0],
        ] as [[UInt8]]
    )
    func unexpected(bytes: [UInt8]) {
        #expect(throws: PacketScanner.Fault.unexpected) { try scan([bytes]) }
    }
}
