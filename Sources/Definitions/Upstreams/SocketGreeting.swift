internal import Support
internal import Values

/// What a source sends when its WebSocket is open, such as `{ subscribe: all }`.
///
/// In its strings `{id}` stands for a member's text if the family has such a placeholder; other
/// braces stand for themselves.
public struct SocketGreeting {
    private enum Part {
        case text(Substring)
        case placeholder(String)
    }

    private let parts: [Part]
    /// Whether it is JSON, and not a text as it is.
    private let isJSON: Bool

    init(_ document: Document, in family: [String]) {
        isJSON = document.scalar == nil
        var rest = Substring(document.scalar?.text ?? document.json())
        var parts: [Part] = []
        while true {
            let next = family.compactMap { name in rest.firstRange(of: "{\(name)}").map { ($0, name) } }
                .min { $0.0.lowerBound < $1.0.lowerBound }
            guard let (range, name) = next else { break }
            parts += [.text(rest[..<range.lowerBound]), .placeholder(name)]
            rest = rest[range.upperBound...]
        }
        self.parts = parts + [.text(rest)]
    }

    /// The placeholders in it.
    var placeholders: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The message for a member with these texts.
    public func text(for texts: [(placeholder: String, text: String)]) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .placeholder(let name):
                let text = texts.first { $0.placeholder == name }?.text ?? ""
                result += isJSON ? Self.escaped(text) : text
            }
        }
        return result
    }

    /// A text as it stands between the quotes of a JSON string.
    private static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(json: text)
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}
