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
        let upstreams = (answer["upstreams"]?.elements).map { $0.map(Self.upstream) } ?? []
        guard answer["exists"]?.bool == true else {
            lines = ["\(node) does not exist at the moment: nothing needs it"] + upstreams
            return
        }
        var lines = (answer["ways"]?.elements).map { $0.map(Self.line) } ?? []
        if answer["more"] != nil { lines.append("… there are more") }
        self.lines = lines + upstreams
    }

    /// The upstream of a source node, such as
    /// `weather ← upstream http://127.0.0.1:9191: due in 8 s; open for c:7 (tablet), alarm (severity)`.
    private static func upstream(_ source: JSONReader) -> String {
        var text = "\(source["node"]?.string ?? "") ← upstream"
        if let origin = source["from"]?.string { text += " \(origin)" }
        text += ": \(state(of: source))"
        var reasons = (source["for"]?.elements).map { $0.map(Self.reason) } ?? []
        if source["elsewhere"] != nil { reasons.append("clients of other servers") }
        if source["more"] != nil { reasons.append("…") }
        return reasons.isEmpty ? text : "\(text); open for \(reasons.joined(separator: ", "))"
    }

    private static func state(of source: JSONReader) -> String {
        let state = source["state"]?.string ?? ""
        if let failure = source["failure"]?.string {
            let reason = source["status"]?.int.map { " with status \($0)" } ?? ": \(failure)"
            let next = source["retryIn"]?.int.map { ", asked again in \(span($0))" } ?? ""
            return (state == "refused" ? state : "failed") + reason + next
        }
        return source["dueIn"]?.int.map { "due in \(span($0))" } ?? state
    }

    /// Milliseconds as `12 s`, or `10 min`.
    private static func span(_ milliseconds: Int) -> String {
        let seconds = (milliseconds + 999) / 1_000
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }

    private static func reason(_ reason: JSONReader) -> String {
        if let node = reason["node"]?.string { return "\(node) (\(reason["because"]?.string ?? ""))" }
        let client = reason["client"]?.string ?? reason["transport"]?.string ?? ""
        return "\(reason["l"]?.string ?? "") (\(client))"
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
