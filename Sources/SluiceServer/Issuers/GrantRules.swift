internal import CEL
internal import Definitions
internal import Graphs
internal import Support

/// What the claims of a token grant: by rules, or as a claim says itself.
enum GrantRules {
    case rules([Rule])
    /// Gives a list of objects with the keys of a rule, other than `if`.
    case claim(Expression)

    /// One rule; the rights of all that hold are added up.
    struct Rule {
        /// nil: it always holds.
        let condition: Expression?
        let can: Rights
        /// nil: all.
        let graphs: [NameTemplate]?
        let nodes: [NameTemplate]?

        func grant(_ claims: Claims) -> Principal.Grant? {
            if let condition, !claims.holds(condition) { return nil }
            let graphs = graphs?.flatMap { $0.names(claims) } ?? ["*"]
            let nodes = nodes?.flatMap { $0.names(claims) } ?? ["*"]
            guard !graphs.isEmpty, !nodes.isEmpty else { return nil }
            return Principal.Grant(graphs: graphs, nodes: nodes, can: can)
        }
    }

    func grants(_ claims: Claims) -> [Principal.Grant] {
        switch self {
        case .rules(let rules): return rules.compactMap { $0.grant(claims) }
        case .claim(let expression):
            guard case .list(let list)? = claims.value(expression) else { return [] }
            return list.prefix(IssuerFile.mostRules).compactMap { Principal.Grant($0) }
        }
    }
}

extension Principal.Grant {
    /// A grant as a claim has it; nil where it is malformed: then nothing is granted.
    fileprivate init?(_ value: Value) {
        guard case .map(let map) = value else { return nil }
        var members: [String: [String]] = [:]
        for entry in map {
            guard case .string(let key) = entry.key, ["can", "graphs", "nodes"].contains(key) else {
                return nil
            }
            members[key] = Claims.texts(entry.value)
        }
        var can: Rights = []
        for word in members["can"] ?? [] {
            guard let right = Rights(word: word) else { return nil }
            can.insert(right)
        }
        self.init(graphs: members["graphs"] ?? ["*"], nodes: members["nodes"] ?? ["*"], can: can)
    }
}
