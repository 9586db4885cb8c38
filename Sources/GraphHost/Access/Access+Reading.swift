internal import CEL

extension Notebook {
    /// The `access` section of a graph: a list of `{ who, nodes, can }`.
    func accessRules(_ document: Document) -> [AccessRule] {
        guard let elements = document.elements else {
            add(
                "'access' must be a list, not \(document.kindName)",
                at: document.position,
                hint: #"write - { who: "role:viewer", nodes: "*", can: [read] }"#
            )
            return []
        }
        return elements.compactMap(accessRule)
    }

    private func accessRule(_ document: Document) -> AccessRule? {
        let keys = ["who", "nodes", "can"]
        guard let members = members(document, of: "a rule of 'access'") else { return nil }
        for (key, entry) in members where !keys.contains(key) {
            add(
                "unknown key '\(key)' of a rule of 'access'",
                at: entry.key.position,
                hint: Spelling.hint(for: key, among: keys)
            )
        }
        guard let who = document["who"] else {
            add("a rule of 'access' needs 'who'", at: document.position)
            return nil
        }
        guard let can = document["can"] else {
            add("a rule of 'access' needs 'can'", at: document.position)
            return nil
        }
        let subject = text(who, of: "who").map { text -> AccessRule.Subject in
            if text == "*" { return .everybody }
            return text.hasPrefix("role:") ? .role(String(text.dropFirst(5))) : .principal(text)
        }
        let nodes = document["nodes"].map { names($0, of: "nodes") } ?? ["*"]
        guard let subject, let rights = rights(can) else { return nil }
        return AccessRule(who: subject, nodes: nodes, can: rights)
    }

    /// One name or glob, or a list of them.
    func names(_ document: Document, of what: String) -> [String] {
        (document.elements ?? [document]).compactMap { text($0, of: what) }
    }

    /// A list of rights, or one.
    func rights(_ document: Document) -> Rights? {
        var rights: Rights = []
        var isGood = true
        for element in document.elements ?? [document] {
            if let word = element.scalar?.text, let right = Rights(word: word) {
                rights.insert(right)
                continue
            }
            isGood = false
            let words = Rights.words.map(\.word)
            add(
                "a right must be one of \(words.joined(separator: ", "))",
                at: element.position,
                hint: element.scalar.flatMap { Spelling.hint(for: $0.text, among: words) }
            )
        }
        return isGood ? rights : nil
    }
}
