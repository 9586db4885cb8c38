/// Writes JSON as RFC 8259 has it.
struct JSONWriter {
    /// JSON has no infinities, and nothing for what is not a number.
    struct NotFinite: Error, CustomStringConvertible {
        let number: Double

        var description: String { "\(number) cannot be sent as JSON" }
    }

    private var bytes: [UInt8] = []

    private init() {}

    /// The text of a value.
    static func text(of value: JSONValue) throws(NotFinite) -> String {
        var writer = JSONWriter()
        try writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private mutating func write(_ value: JSONValue) throws(NotFinite) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += "\(value)".utf8
        case .unsigned(let value): bytes += "\(value)".utf8
        case .number(let value): try write(value)
        case .string(let value): write(value)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.key)
                bytes.append(UInt8(ascii: ":"))
                try write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private mutating func write(_ number: Double) throws(NotFinite) {
        guard number.isFinite else { throw NotFinite(number: number) }
        // The shortest text that is read as the same number; without the fraction of whole ones.
        let whole = Int64(exactly: number)
        bytes += (whole.map { "\($0)" } ?? "\(number)").utf8
    }

    private mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0..<0x20:
                bytes += (byte < 0x10 ? #"\u000"# : #"\u00"#).utf8
                bytes += String(byte, radix: 16).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
