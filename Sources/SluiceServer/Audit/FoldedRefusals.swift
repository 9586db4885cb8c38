/// Refusals of the present minute: the first of a kind has a line of its own, and the others are
/// counted, so that a client that asks again and again does not fill a disk.
struct FoldedRefusals {
    /// Above this, kinds of refusals are counted together: addresses and names cost an attacker
    /// nothing.
    static let mostKinds = 1_000

    private struct Kind: Hashable {
        let action: String
        let by: String?
        let address: String?
        let graph: String?
    }

    private var kinds: [Kind: AuditEntry] = [:]
    private var others = 0

    var isEmpty: Bool { kinds.isEmpty }

    /// Whether the refusal is the first of its kind, and gets a line; counts it otherwise.
    mutating func isFirst(_ entry: AuditEntry) -> Bool {
        let kind = Kind(
            action: entry.action,
            by: entry.by,
            address: entry.address,
            graph: entry.subjects.first { $0.name == "graph" }?.text
        )
        if kinds[kind] != nil {
            kinds[kind]?.repeated += 1
            return false
        }
        guard kinds.count < Self.mostKinds else {
            others += 1
            return false
        }
        kinds[kind] = entry
        return true
    }

    /// The lines for what was counted; the next refusal of each kind is a first one again.
    mutating func take() -> [AuditEntry] {
        var entries = kinds.values.filter { $0.repeated > 0 }.sorted { $0.repeated > $1.repeated }
        if others > 0 {
            var rest = AuditEntry(action: "others")
            (rest.error, rest.repeated) = ("forbidden", others)
            entries.append(rest)
        }
        (kinds, others) = ([:], 0)
        return entries
    }
}
