internal import Support

/// Reads `Sec-WebSocket-Extensions` (RFC 6455 §9.1): extensions in order of preference, each with
/// parameters.
///
/// ```
/// extension = token *( ";" token [ "=" ( token / quoted-string ) ] )
/// ```
/// The content of a quoted string must be a token too.
struct ExtensionOffers: ~Copyable {
    /// One parameter: its name in small letters, and its value where it has one.
    struct Parameter {
        let name: String
        let value: [UInt8]?
    }

    private let bytes: [UInt8]
    private var place = 0

    init(_ value: BorrowedBytes) {
        bytes = Array(value)
    }

    /// Calls `body` with each extension's name, in small letters, and its parameters.
    /// - Returns: false if the bytes break the grammar; what came before was reported.
    mutating func forEach(_ body: (String, [Parameter]) -> Void) -> Bool {
        var count = 0
        while true {
            skipBlanks()
            // Empty elements of a list mean nothing (RFC 9110 §5.6.1.2).
            if take(ASCII.comma) { continue }
            if place == bytes.count { return count > 0 }
            guard let name = name() else { return false }
            var parameters: [Parameter] = []
            skipBlanks()
            while take(UInt8(ascii: ";")) {
                skipBlanks()
                guard let parameter = parameter() else { return false }
                parameters.append(parameter)
                skipBlanks()
            }
            guard place == bytes.count || take(ASCII.comma) else { return false }
            body(name, parameters)
            count += 1
        }
    }

    private mutating func parameter() -> Parameter? {
        guard let name = name() else { return nil }
        skipBlanks()
        guard take(UInt8(ascii: "=")) else { return Parameter(name: name, value: nil) }
        skipBlanks()
        if take(ASCII.quote) {
            guard let value = quoted() else { return nil }
            return Parameter(name: name, value: value)
        }
        guard let value = token() else { return nil }
        return Parameter(name: name, value: Array(value))
    }

    /// The rest of a quoted string, its opening quote taken, with escapes resolved.
    private mutating func quoted() -> [UInt8]? {
        var value: [UInt8] = []
        while place < bytes.count {
            var byte = bytes[place]
            place += 1
            if byte == ASCII.quote { return value.isEmpty ? nil : value }
            if byte == UInt8(ascii: "\\") {
                guard place < bytes.count else { return nil }
                byte = bytes[place]
                place += 1
            }
            guard ASCII.isToken(byte) else { return nil }
            value.append(byte)
        }
        return nil
    }

    private mutating func name() -> String? {
        token().map { String(decoding: $0.map(ASCII.lowercased), as: UTF8.self) }
    }

    private mutating func token() -> ArraySlice<UInt8>? {
        let start = place
        while place < bytes.count, ASCII.isToken(bytes[place]) { place += 1 }
        return place > start ? bytes[start..<place] : nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] == ASCII.space || bytes[place] == ASCII.tab {
            place += 1
        }
    }
}
