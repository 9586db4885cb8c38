public import Outbound
internal import Values

/// Asks a server what keeps a node alive, for the command line.
public struct ServiceWhy {
    /// The answer as it came, without the line end.
    public let text: String
    public let lines: [String]

    /// Sends the request for at most `limit` paths, and waits for the answer.
    public static func run(_ path: String, limit: Int, at service: ServiceURL) throws -> ServiceWhy {
        let answer = try ServiceRequest.get("\(path)/why?limit=\(limit)", from: service)
        return try ServiceRequest.read(answer, ServiceWhy.init)
    }

    private init(_ answer: JSONReader) {
        text = String(decoding: answer.bytes, as: UTF8.self)
        let node = answer["node"]?.string ?? ""
        guard answer["exists"]?.bool == true else {
            lines = ["\(node) does not exist at the moment: nothing needs it"]
            return
        }
        var lines = (answer["ways"]?.elements).map { $0.map(Self.line) } ?? []
        if answer["more"] != nil { lines.append("… there are more") }
        self.lines = lines
    }

    /// A path such as `c:7/panel (tablet/2.1) → deep ─map→ double`.
    private static func line(_ way: JSONReader) -> String {
        var text = way["by"]?.string ?? ""
        if let listener = way["l"]?.string {
            let owners = (way["owners"]?.elements).map { $0.compactMap(\.string) } ?? []
            text = owners.isEmpty ? listener : owners.joined(separator: ", ")
            text += " (\(way["client"]?.string ?? way["transport"]?.string ?? ""))"
        }
        for step in (way["path"]?.elements).map(Array.init) ?? [] {
            text += step["via"]?.string.map { " ─\($0)→ " } ?? " → "
            text +=
                step["name"]?.string ?? step["chain"]?.string ?? step["label"]?.string
                ?? "n\(step["n"]?.int ?? 0)"
        }
        return text
    }
}
