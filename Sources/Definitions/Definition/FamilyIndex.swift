internal import ReactiveGraph

/// Finds the family of a definition by the name of a member, or by a pattern all of whose names are
/// members.
struct FamilyIndex {
    private let families = PatternTrie()

    /// An index of the families among `names`; `index` has the place of each.
    init(of names: [String], _ index: [String: Int]) {
        for name in names where NamePattern.isPattern(name) {
            guard let place = index[name], let pattern = try? NamePattern(name) else { continue }
            families.insert(PatternTrie.Family(pattern: pattern, place: place))
        }
    }

    /// The indices of the families that may have a member with a name of that pattern, in order.
    func places(overlapping pattern: NamePattern) -> [Int] {
        families.candidates(for: pattern.text).filter { $0.pattern.overlaps(pattern) }.map(\.place).sorted()
    }

    /// The index of the family that has this name or a member with this name.
    func place(of reference: String) -> Int? {
        let candidates = families.candidates(for: reference)
        guard !candidates.isEmpty else { return nil }
        let pattern = try? NamePattern(reference)
        let found = candidates.filter { family in
            pattern.map(family.pattern.covers) ?? (family.pattern.values(of: reference) != nil)
        }
        return found.map(\.place).min()
    }
}
