internal import Support

/// A text with the placeholders of a family in it, such as `/stations?ids={id*}`.
///
/// A placeholder stands for the text of one member; `{id*}` stands for those of all members that
/// are asked for together, joined by commas.
public struct Template: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case placeholder(String)
        case list(String)
    }

    /// A brace is without its other.
    struct Unpaired: Error {}

    let parts: [Part]

    /// Reads a template.
    init(_ text: Substring) throws(Unpaired) {
        var parts: [Part] = []
        var rest = text
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { throw Unpaired() }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            let name = rest[rest.index(after: open)..<close]
            guard !name.contains("{") else { throw Unpaired() }
            parts.append(
                name.hasSuffix("*") ? .list(String(name.dropLast())) : .placeholder(String(name))
            )
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The placeholder whose texts are joined; nil: each member has a request of its own.
    public var list: String? {
        for case .list(let name) in parts { return name }
        return nil
    }

    var lists: [String] {
        parts.compactMap { if case .list(let name) = $0 { name } else { nil } }
    }

    var placeholders: [String] {
        parts.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// The text for a member with these texts, each of them encoded.
    public func text(
        for texts: [(placeholder: String, text: String)],
        encoding encode: (String) -> String
    ) -> String {
        let (before, text, after) = pieces(for: texts, encoding: encode)
        return before + text + (after ?? "")
    }

    /// The text for a member with these texts, each of them encoded: what is before the place where
    /// members are joined, the member's text there, and what is after it (nil: members are not
    /// joined).
    public func pieces(
        for texts: [(placeholder: String, text: String)],
        encoding encode: (String) -> String
    ) -> (before: String, text: String, after: String?) {
        func encoded(_ name: String) -> String {
            encode(texts.first { $0.placeholder == name }?.text ?? "")
        }
        var (before, text, after) = ("", "", String?.none)
        for part in parts {
            switch part {
            case .text(let piece): if after == nil { before += piece } else { after?.append(piece) }
            case .placeholder(let name):
                if after == nil { before += encoded(name) } else { after?.append(encoded(name)) }
            case .list(let name): (text, after) = (encoded(name), "")
            }
        }
        return (before, text, after)
    }
}
