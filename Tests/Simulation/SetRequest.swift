import Commits
import Support
import Values

/// A change that a client asks for.
struct SetRequest {
    let graph: String
    var values: [(node: String, text: String)] = []
    /// Whether it clears the linked nodes, by a glob (X-3).
    var clears = false
    var transfer: Transfer?
    var key: String?
    /// What a plain node must hold.
    var condition: (node: String, text: String)?
    var isPresence = false

    /// Moves an amount from one account to another, by expressions (X-1).
    struct Transfer {
        let from: String
        let to: String
        let amount: Int
        /// Whether the account must have as much.
        let isCovered: Bool
    }

    /// The fields of the message.
    var fields: String {
        var fields = [#""graph":"\#(graph)""#]
        if !values.isEmpty {
            let set = values.map { #""\#($0.node)":\#($0.text)"# }.joined(separator: ",")
            fields.append(#""set":{\#(set)}"#)
        }
        if clears { fields.append(#""clear":["l*"]"#) }
        if let move = transfer {
            fields.append(
                #""update":{"\#(move.from)":"value - \#(move.amount)","\#(move.to)":"value + \#(move.amount)"}"#
            )
            if move.isCovered { fields.append(#""with":{"a":"\#(move.from)"},"if":"a >= \#(move.amount)""#) }
        }
        if let key { fields.append(#""key":"\#(key)""#) }
        if let condition { fields.append(#""if":{"\#(condition.node)":{"v":\#(condition.text)}}"#) }
        if isPresence { fields.append(#""presence":true"#) }
        return fields.joined(separator: ",")
    }

    /// What is wrong with the commit that is said to have made this change.
    func fault(at rev: UInt64, in history: Ledger.History, _ answer: JSONReader) -> String? {
        guard let entry = history.record(at: rev)?.entry else { return "not in the log" }
        let results = results(in: history, before: rev)
        let stored = entry.set.map { "\($0.node)=\(String(decoding: $0.value, as: UTF8.self))" }
        let asked = (values + results).map { "\($0.node)=\($0.text)" }
        let cleared = clears ? Shape.linked : []
        if stored.sorted() != asked.sorted() || entry.clear.sorted() != cleared || entry.key?.text != key {
            return "rev \(rev) is another commit, not \(asked)"
        }
        let values = results.map { #""\#($0.node)":\#($0.text)"# }.joined(separator: ",")
        let told = answer["values"].map { String(decoding: $0.bytes, as: UTF8.self) } ?? "{}"
        if told != "{\(values)}" { return "the results are \(values)" }
        if let condition, history.value(of: condition.node, at: rev - 1) != condition.text {
            return "the condition does not hold at rev \(rev)"
        }
        if let transfer, transfer.isCovered, transfer.balance(in: history, at: rev - 1) < transfer.amount {
            return "rev \(rev) takes more than there is"
        }
        return nil
    }

    private func results(in history: Ledger.History, before rev: UInt64) -> [(node: String, text: String)] {
        guard let transfer else { return [] }
        return [(transfer.from, -transfer.amount), (transfer.to, transfer.amount)].map { node, change in
            (node, "\((Int(history.value(of: node, at: rev - 1)) ?? 0) + change)")
        }
    }

    /// Whether a server may refuse it so.
    func allows(_ refusal: JSONReader) -> Bool {
        switch refusal["code"]?.string {
        case "conflict":
            if refusal["retry"]?.bool == true || condition != nil { return true }
            // It names the account, which has too little.
            guard let transfer, transfer.isCovered,
                let failed = refusal["failed"].map({ Array($0.elements) }),
                failed.count == 1, failed[0]["node"]?.string == transfer.from, let held = failed[0]["v"]?.int
            else { return false }
            return held < transfer.amount
        case "engine_down", "no_space", "unknown_graph", "unknown_node": return true
        default: return false
        }
    }
}

extension SetRequest.Transfer {
    fileprivate func balance(in history: Ledger.History, at rev: UInt64) -> Int {
        Int(history.value(of: from, at: rev)) ?? 0
    }
}
