internal import Values

extension AccessRule {
    /// The section `access`.
    static let schema = Schema.list(of: .mapping(fields))
    private static let fields: [Schema.Field] = [
        .required("who", .string.with("minLength", 1), "role:NAME, a principal's name, or *."),
        .optional("nodes", oneOrMore(.string), "Names and globs of nodes; without it, all."),
        .required("can", oneOrMore(.part("right", .oneOf(words: Rights.words.map(\.word)))), "Rights."),
    ]

    private static func oneOrMore(_ element: Schema) -> Schema { .anyOf([element, .list(of: element)]) }

    /// The `access` section of a graph: a list of `{ who, nodes, can }`.
    static func list(_ document: Document, from reader: DocumentReader) -> [AccessRule] {
        guard let elements = document.elements else {
            reader.add(
                "'access' must be a list, not \(document.kindName)",
                at: document.position,
                hint: #"write - { who: "role:viewer", nodes: "*", can: [read] }"#
            )
            return []
        }
        return elements.compactMap { AccessRule($0, from: reader) }
    }

    private init?(_ document: Document, from reader: DocumentReader) {
        let keys = Self.fields.map(\.key)
        guard let members = reader.members(document, of: "a rule of 'access'") else { return nil }
        for (key, entry) in members where !keys.contains(key) {
            reader.addUnknown("unknown key '\(key)' of a rule of 'access'", entry.key, among: keys)
        }
        guard let who = document["who"] else {
            reader.add("a rule of 'access' needs 'who'", at: document.position)
            return nil
        }
        guard let can = document["can"] else {
            reader.add("a rule of 'access' needs 'can'", at: document.position)
            return nil
        }
        let subject = reader.text(who, of: "who").map { text -> Subject in
            if text == "*" { return .everybody }
            return text.hasPrefix("role:") ? .role(String(text.dropFirst(5))) : .principal(text)
        }
        let nodes = document["nodes"].map { reader.texts($0, of: "nodes") } ?? ["*"]
        guard let subject, let rights = Rights(can, from: reader) else { return nil }
        self.init(who: subject, nodes: nodes, can: rights)
    }
}

extension Rights {
    /// A list of rights, or one.
    package init?(_ document: Document, from reader: DocumentReader) {
        self = []
        var isGood = true
        for element in document.elements ?? [document] {
            if let word = element.scalar?.text, let right = Rights(word: word) {
                insert(right)
                continue
            }
            isGood = false
            let words = Rights.words.map(\.word)
            let message = "a right must be one of \(words.joined(separator: ", "))"
            reader.addUnknown(message, element, among: words)
        }
        guard isGood else { return nil }
    }
}
