internal import Support

/// Looks at the headers of the packets that a broker sends, before anything acts upon them (MQTT
/// 3.1.1 section 2.2).
///
/// libmosquitto allocates as much as a header announces, up to 256 MiB, and keeps messages of
/// quality 2 until the broker releases them. So what is longer than allowed, and what a broker has
/// no reason to send to this client, is noticed here.
struct PacketScanner {
    /// Why the connection has to end.
    enum Fault: Error, Equatable {
        /// A packet is longer than it may be.
        case tooLong
        /// It is not what a broker sends.
        case unexpected
    }

    /// The longest packet, in bytes after its header.
    private let mostBytes: Int
    /// The control byte of the packet whose length is being read; nil between packets.
    private var control: UInt8?
    private var length = 0
    private var shift = 0
    /// How many bytes of the present packet are still to come.
    private var rest = 0
    /// How many packets have begun.
    private(set) var begun = 0

    /// - Parameter mostBytes: the longest packet, in bytes after its header.
    init(mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    /// The number of the packet that has begun and is not complete; nil: none is.
    var incomplete: Int? { control != nil || rest > 0 ? begun : nil }

    /// Looks at bytes that have come; of a chunk with a fault, nothing must be acted upon.
    mutating func scan(_ bytes: BorrowedBytes) throws(Fault) {
        var place = 0
        while place < bytes.count {
            if rest > 0 {
                let part = min(rest, bytes.count - place)
                rest -= part
                place += part
                continue
            }
            let byte = bytes[place]
            place += 1
            if let control {
                length |= Int(byte & 0x7F) << shift
                shift += 7
                guard length <= mostBytes else { throw .tooLong }
                if byte & 0x80 != 0 {
                    guard shift < 28 else { throw .unexpected }
                    continue
                }
                guard Self.isLength(length, of: control) else { throw .unexpected }
                self.control = nil
                rest = length
            } else {
                guard begun == 0 ? byte == Self.connectionAnswer : Self.isExpected(byte) else {
                    throw .unexpected
                }
                begun += 1
                (control, length, shift) = (byte, 0, 0)
            }
        }
    }

    /// CONNACK.
    private static let connectionAnswer: UInt8 = 0x20
    /// PUBACK, SUBACK, UNSUBACK and PINGRESP.
    private static let answers: Set<UInt8> = [0x40, 0x90, 0xB0, 0xD0]

    /// Whether a broker sends a packet that begins so, once the client is connected.
    private static func isExpected(_ control: UInt8) -> Bool {
        // PUBLISH of the qualities 0 and 1; nothing is subscribed with 2.
        if control & 0xF0 == 0x30 { return control & 0x04 == 0 }
        return answers.contains(control)
    }

    private static func isLength(_ length: Int, of control: UInt8) -> Bool {
        switch control & 0xF0 {
        case 0x30: length >= 3
        case 0x90: length == 3
        case 0xD0: length == 0
        default: length == 2
        }
    }
}
