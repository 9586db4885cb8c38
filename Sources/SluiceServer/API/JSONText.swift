internal import GraphHost
internal import HTTP

// Writing JSON by hand: keys are literals, so only strings and values need care.
extension ByteBuffer {
    /// Appends text as a JSON string, quotes included.
    mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0..<0x20:
                append(byte < 16 ? "\\u000" : "\\u001")
                append(hexadecimal: UInt(byte & 15))
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a number.
    mutating func append(_ number: UInt64) {
        append(decimal: UInt(number))
    }

    /// Appends exactly one of `"v":…`, `"empty":true`, `"fail":{…}`.
    mutating func append(_ held: Held) {
        switch held {
        case .empty: append("\"empty\":true")
        case .value(let datum), .fail(let datum): datum.withFragment { append($0) }
        }
    }
}
