/// One element of a `Forwarded` field (RFC 7239 §4), written by one proxy: pairs of a name and a
/// token or a quoted string.
struct ForwardedElement {
    private var pairs: [String: String] = [:]

    /// The value of a parameter, by its name in lower case.
    subscript(name: String) -> String? { pairs[name] }

    /// Parses a whole field; nil if its grammar is invalid anywhere, or an element repeats a
    /// parameter: then the author of each part is uncertain.
    static func list(_ text: String) -> [ForwardedElement]? {
        var rest = Array(text.utf8)[...]
        var elements: [ForwardedElement] = []
        var element = ForwardedElement()
        while true {
            skipBlanks(&rest)
            if let name = token(&rest) {
                guard rest.popFirst() == UInt8(ascii: "="), let value = value(&rest) else { return nil }
                guard element.pairs.updateValue(value, forKey: name.lowercased()) == nil else { return nil }
                skipBlanks(&rest)
            }
            switch rest.popFirst() {
            case UInt8(ascii: ";"): continue
            case UInt8(ascii: ","), nil:
                if !element.pairs.isEmpty { elements.append(element) }
                element = ForwardedElement()
                if rest.isEmpty { return elements }
            default: return nil
            }
        }
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return token(&rest) }
        rest.removeFirst()
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    /// A token (RFC 9110 §5.6.2); nil where there is none.
    private static func token(_ rest: inout ArraySlice<UInt8>) -> String? {
        let separators = Array(#"()<>@,;:\"/[]?={}"#.utf8)
        let token = rest.prefix { $0 > 32 && $0 < 127 && !separators.contains($0) }
        guard !token.isEmpty else { return nil }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 32 || $0 == 9 }
    }
}
