internal import Support

/// Elements stored under names and globs, found by a matching name.
///
/// A name is compared only with globs that share its beginning, so that thousands with other
/// beginnings cost little more than one.
struct GlobTable<Element> {
    private var elements: [String: [Element]] = [:]
    /// The patterns by their fixed beginning; for a name, that is the whole name.
    private var patterns: [String: [String]] = [:]
    /// How many beginnings have each length in bytes.
    private var lengths: [Int: Int] = [:]

    var isEmpty: Bool { elements.isEmpty }

    var count: Int { elements.values.reduce(0) { $0 + $1.count } }

    /// All elements, in no particular order.
    var all: [Element] { elements.values.flatMap(\.self) }

    mutating func add(_ element: Element, to pattern: String) {
        if elements[pattern] == nil {
            let beginning = Glob.prefix(of: pattern)
            if patterns[beginning] == nil { lengths[beginning.utf8.count, default: 0] += 1 }
            patterns[beginning, default: []].append(pattern)
        }
        elements[pattern, default: []].append(element)
    }

    mutating func remove(from pattern: String, where isMeant: (Element) -> Bool) {
        guard var rest = elements[pattern] else { return }
        rest.removeAll(where: isMeant)
        elements[pattern] = rest.isEmpty ? nil : rest
        guard rest.isEmpty else { return }
        let beginning = Glob.prefix(of: pattern)
        patterns[beginning]?.removeAll { $0 == pattern }
        guard patterns[beginning]?.isEmpty == true else { return }
        patterns[beginning] = nil
        let length = beginning.utf8.count
        lengths[length] = lengths[length].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// The elements whose patterns match the name, in no particular order.
    func found(by name: String) -> [Element] {
        guard !elements.isEmpty else { return [] }
        var found: [Element] = []
        for length in lengths.keys where length <= name.utf8.count {
            guard let beginning = String(name.utf8.prefix(length)), let patterns = patterns[beginning] else {
                continue
            }
            for pattern in patterns where NodeSelection.matches(pattern, name) {
                found += elements[pattern] ?? []
            }
        }
        return found
    }
}
