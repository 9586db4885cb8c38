public import Outbound
public import Values

/// Asks a server to read its files again, for the command line.
public struct ServiceReload {
    /// The answer as it came, without the line end.
    public let text: String
    /// One line per graph that is not as before, and one for the total.
    public let lines: [String]
    public let problems: [FileProblem]

    /// Sends the request and waits for the answer.
    public static func run(at service: ServiceURL, dryRun isDryRun: Bool = false) throws -> ServiceReload {
        let path = "/v1/reload" + (isDryRun ? "?dry_run=1" : "")
        return try ServiceRequest.read(try ServiceRequest.post(to: path, at: service), ServiceReload.init)
    }

    private init(_ answer: JSONReader) {
        text = String(decoding: answer.bytes, as: UTF8.self)
        problems = (answer["problems"]?.elements).map { $0.map(FileProblem.init) } ?? []
        var lines: [String] = []
        var unchanged = 0
        for graph in (answer["graphs"]?.elements).map(Array.init) ?? [] {
            let result = graph["result"]?.string ?? ""
            if result == "unchanged" {
                unchanged += 1
                continue
            }
            var line = "\(graph["graph"]?.string ?? ""): \(result)"
            if let rev = graph["rev"]?.int { line += " at rev \(rev)" }
            if let diff = graph["diff"] { line += Self.sentence(diff) }
            lines.append(line)
        }
        lines.append("\(lines.count) changed, \(unchanged) unchanged")
        self.lines = lines
    }

    private static func sentence(_ diff: JSONReader) -> String {
        let keys: [StaticString] = ["added", "removed", "changed", "reset", "settings"]
        var parts = keys.compactMap { key -> String? in
            let names = (diff[key]?.elements).map { $0.compactMap(\.string) } ?? []
            guard !names.isEmpty else { return nil }
            let shown = names.prefix(5).joined(separator: " ")
            return "\(key) \(shown)" + (names.count > 5 ? " … (\(names.count))" : "")
        }
        let lost = ((diff["lost"]?.elements).map(Array.init) ?? []).reduce(0) {
            $0 + ($1["values"]?.int ?? 0)
        }
        if lost > 0 { parts.append("\(lost) \(lost == 1 ? "value" : "values") lost") }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
    }
}

extension FileProblem {
    /// A problem in a server's answer.
    init(_ answer: JSONReader) {
        var position: Position?
        if let line = answer["line"]?.int, let column = answer["column"]?.int {
            position = Position(line: line, column: column)
        }
        self.init(
            answer["message"]?.string ?? "",
            file: answer["file"]?.string,
            at: position,
            code: answer["code"]?.string,
            pointer: answer["pointer"]?.string,
            hint: answer["hint"]?.string
        )
    }
}
