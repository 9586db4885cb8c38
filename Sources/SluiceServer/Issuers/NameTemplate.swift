internal import CEL
internal import Definitions
internal import Support

/// A name or glob with expressions over claims in braces, such as `user.{sub}.*`.
struct NameTemplate {
    private enum Part {
        case text(String)
        case claim(Expression)
    }

    /// The most names that lists of claims make of one template.
    private static var most: Int { 100 }

    private let parts: [Part]

    /// Reads a template; nil after a problem has been reported.
    init?(_ document: Document, of what: String, from reader: DocumentReader) {
        guard let text = reader.text(document, of: what) else { return nil }
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                reader.add("a brace is without its other", at: document.position)
                return nil
            }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            let source = Document.scalar(
                String(rest[rest.index(after: open)..<close]),
                style: .doubleQuoted,
                at: document.position
            )
            guard let claim = Claims.expression(source, of: what, from: reader) else { return nil }
            parts.append(.claim(claim))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// The names for a token's claims; none where a claim is missing, or cannot stand there.
    ///
    /// A claim that is all of a name may be any name. Otherwise it is one part of it, without dots:
    /// with `a.b` for `{sub}` in `user.{sub}.*`, a client called `a` would have what is meant for
    /// another. What means several names in a glob, such as `*`, never comes from a claim.
    func names(_ claims: Claims) -> [String] {
        var names = [""]
        for part in parts {
            switch part {
            case .text(let text): names = names.map { $0 + text }
            case .claim(let claim):
                let found = claims.texts(claim).filter { text in
                    Name.isValid(text) && (parts.count == 1 || !text.utf8.contains(UInt8(ascii: ".")))
                }
                guard names.count * found.count <= Self.most else { return [] }
                names = names.flatMap { name in found.map { name + $0 } }
            }
        }
        return names
    }
}
