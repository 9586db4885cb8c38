public import Outbound
internal import Values

/// What people call the values of a node, as its definition says (`words`).
public struct ValueWords {
    private var words: [String: String] = [:]

    /// Asks the server for them; there are none where it does not say.
    public init(of node: String, in graph: String, from service: ServiceURL) {
        let around = "graph?format=json&around=\(ServiceRequest.escaped(node))&depth=1"
        let path = "/v1/graphs/\(ServiceRequest.escaped(graph))/\(around)"
        guard let answer = try? ServiceRequest.getJSON(path, from: service) else { return }
        let found = try? ServiceRequest.read(answer) { picture -> [String: String] in
            var words: [String: String] = [:]
            guard let nodes = picture["nodes"]?.elements else { return [:] }
            for entry in nodes where entry["name"]?.string == node {
                guard let members = entry["words"]?.members else { continue }
                for member in members { words[member.key.string] = member.value.string }
            }
            return words
        }
        words = found ?? [:]
    }

    /// The word for a value, which is JSON text; without one, the text.
    public func text(for value: String) -> String {
        guard !words.isEmpty, let datum = try? Datum.parse(value) else { return value }
        return words[datum.canonicalText] ?? value
    }
}
