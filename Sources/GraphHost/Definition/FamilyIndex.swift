internal import ReactiveGraph

/// Finds the family of a definition by the name of a member, or by a pattern all of whose names are
/// members.
struct FamilyIndex {
    private var byCount: [Int: [(pattern: NamePattern, place: Int)]] = [:]

    /// An index of the families among `names`; `index` has the place of each.
    init(of names: [String], _ index: [String: Int]) {
        for name in names where NamePattern.isPattern(name) {
            guard let place = index[name], let pattern = try? NamePattern(name) else { continue }
            byCount[Self.count(name), default: []].append((pattern, place))
        }
    }

    /// The index of the family that has this name or a member with this name.
    func place(of reference: String) -> Int? {
        let candidates = byCount[Self.count(reference)] ?? []
        guard !candidates.isEmpty else { return nil }
        if let pattern = try? NamePattern(reference) {
            return candidates.first { $0.pattern.covers(pattern) }?.place
        }
        return candidates.first { $0.pattern.values(of: reference) != nil }?.place
    }

    private static func count(_ name: String) -> Int { name.utf8.count { $0 == UInt8(ascii: ".") } }
}
