import Values

@testable import Graphs
@testable import Sessions

/// What a client of `observe` knows after applying every difference to what it was shown first, as
/// the page does.
final class Watched {
    /// Living nodes by number: their entries when they appeared, and what has changed since.
    private var nodes: [Int: Node] = [:]
    private var declared: Set<String> = []
    private var edges: [Int: String] = [:]
    private var listeners: [String: String] = [:]
    private var sequence = 0
    /// Sentences about what may not happen.
    private(set) var complaints: [String] = []

    private struct Node {
        let name: String?
        let facts: String
        var value: String
        var count: Int
        var owners: [String]
    }

    /// Reads messages in order.
    func read(_ messages: [String]) {
        for message in messages {
            guard let datum = try? Datum.parse(message) else {
                complaints.append("no JSON: \(message)")
                continue
            }
            datum.withBytes { read(JSONReader(validated: $0)) }
        }
    }

    /// Everything it knows, one line each, in an order that does not depend on how it came to know
    /// it.
    var lines: [String] {
        nodes.map { number, node in
            "n\(number) \(node.facts) = \(node.value) ×\(node.count) for \(node.owners.sorted())"
        }
        .sorted() + declared.sorted() + edges.map { "e\($0) \($1)" }.sorted()
            + listeners.map { "\($0) on \($1)" }.sorted()
    }

    private func read(_ message: JSONReader) {
        let number = message["seq"]?.int ?? 0
        switch message["op"]?.string {
        case "topo":
            (nodes, declared, edges, listeners) = ([:], [], [:], [:])
            add(message)
        case "topod":
            if number != sequence + 1 { complaints.append("seq \(number) after \(sequence)") }
            if let added = message["add"] { add(added) }
            change(message)
            if let gone = message["del"] { remove(gone) }
        default:
            return
        }
        sequence = number
    }

    private func add(_ part: JSONReader) {
        for entry in list(part["nodes"]) {
            let name = entry["name"]?.string
            if let name { declared.insert(name) }
            guard let number = entry["n"]?.int else { continue }
            let facts: [StaticString] = [
                "kind", "name", "op", "label", "of", "chain", "type", "retain", "history", "inputs", "title",
            ]
            nodes[number] = Node(
                name: name,
                facts: facts.compactMap { entry[$0].map(text) }.joined(separator: " "),
                value: View.value(of: entry),
                count: entry["count"]?.int ?? -1,
                owners: list(entry["owners"]).compactMap(\.string)
            )
        }
        for entry in list(part["edges"]) {
            let facts: [StaticString] = ["from", "to", "inner", "feedback"]
            edges[entry["e"]?.int ?? -1] = facts.compactMap { entry[$0].map(text) }.joined(separator: " ")
        }
        for entry in list(part["listeners"]) {
            listeners[entry["l"]?.string ?? ""] = entry["on"].map(text)
        }
    }

    private func change(_ message: JSONReader) {
        for entry in list(message["val"]) {
            let parts = list(entry)
            guard let number = parts[0].int, nodes[number] != nil else {
                complaints.append("a value of nobody: \(text(entry))")
                continue
            }
            nodes[number]?.value = View.value(of: parts[1])
            nodes[number]?.count = parts[2].int ?? -1
        }
        for entry in list(message["own"]) {
            let parts = list(entry)
            guard let number = parts[0].int, nodes[number] != nil else {
                complaints.append("owners of nobody: \(text(entry))")
                continue
            }
            nodes[number]?.owners = list(parts[1]).compactMap(\.string)
        }
    }

    private func remove(_ part: JSONReader) {
        for entry in list(part["nodes"]) {
            if let number = entry["n"]?.int {
                if nodes.removeValue(forKey: number) == nil { complaints.append("\(number) dies twice") }
            } else if let name = entry["name"]?.string {
                declared.remove(name)
            }
        }
        for entry in list(part["edges"]) where edges.removeValue(forKey: entry.int ?? -1) == nil {
            complaints.append("edge \(text(entry)) ends twice")
        }
        for entry in list(part["listeners"]) {
            let name = entry["l"]?.string ?? ""
            if listeners.removeValue(forKey: name) == nil { complaints.append("\(name) leaves twice") }
        }
    }

    private func list(_ reader: JSONReader?) -> [JSONReader] {
        reader.map { Array($0.elements) } ?? []
    }

    private func text(_ reader: JSONReader) -> String {
        String(decoding: reader.bytes, as: UTF8.self)
    }
}
