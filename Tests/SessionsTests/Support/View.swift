import Values

@testable import Graphs
@testable import Sessions

/// What a client believes after reading everything it was sent, and what it noticed on the way.
final class View {
    /// By id: the JSON text, `empty`, or `fail:code`.
    private(set) var values: [Int: String] = [:]
    /// Emissions received per id: one per delivery and one for each folded.
    private(set) var heard: [Int: Int] = [:]
    private(set) var ended: [Int: String] = [:]
    private(set) var rev = 0
    /// Sentences about what may not happen.
    private(set) var complaints: [String] = []

    /// Reads messages in order.
    func read(_ messages: [String]) {
        for message in messages {
            guard let datum = try? Datum.parse(message) else {
                complaints.append("no JSON: \(message)")
                continue
            }
            datum.withBytes { read(JSONReader(validated: $0), message) }
        }
    }

    private func read(_ message: JSONReader, _ text: String) {
        switch message["op"]?.string {
        case "snap":
            guard let id = message["id"]?.int else { return }
            values[id] = Self.value(of: message)
            ended[id] = nil
            heard[id] = 0
        case "upd":
            let now = message["rev"]?.int ?? 0
            if now < rev { complaints.append("rev \(now) after \(rev)") }
            rev = now
            for entry in (message["d"]?.elements).map(Array.init) ?? [] { note(entry, text) }
        case "end":
            guard let id = message["id"]?.int else { return }
            values[id] = nil
            ended[id] = message["code"]?.string
        default:
            break
        }
    }

    private func note(_ entry: JSONReader, _ text: String) {
        guard let id = entry["id"]?.int, let before = values[id] else {
            complaints.append("an entry for nobody: \(text)")
            return
        }
        let after = Self.value(of: entry)
        if before == "empty", after == "empty", entry["n"] == nil {
            complaints.append("empty twice: \(text)")
        }
        values[id] = after
        heard[id, default: 0] += entry["n"]?.int ?? 1
    }

    static func value(of entry: JSONReader) -> String {
        if let value = entry["v"] { return String(decoding: value.bytes, as: UTF8.self) }
        if let fail = entry["fail"] { return "fail:" + (fail["code"]?.string ?? "?") }
        return "empty"
    }
}
