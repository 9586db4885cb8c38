internal import ReactiveGraph

/// What stands under names and globs, found by a name that they mean.
///
/// Only globs with the fixed beginning of the name are compared with it, so that thousands that begin differently cost little more
/// than one.
struct GlobTable<Element> {
    private var elements: [String: [Element]] = [:]
    /// The patterns by what their names begin with; that of a name is all of it.
    private var patterns: [String: [String]] = [:]
    /// How many beginnings have so many bytes.
    private var lengths: [Int: Int] = [:]

    /// Whether there is nothing in it.
    var isEmpty: Bool { elements.isEmpty }

    /// How many elements there are.
    var count: Int { elements.values.reduce(0) { $0 + $1.count } }

    /// Every element, in no order.
    var all: [Element] { elements.values.flatMap(\.self) }

    /// Puts an element under a name or glob.
    mutating func add(_ element: Element, to pattern: String) {
        if elements[pattern] == nil {
            let beginning = Glob.prefix(of: pattern)
            if patterns[beginning] == nil { lengths[beginning.utf8.count, default: 0] += 1 }
            patterns[beginning, default: []].append(pattern)
        }
        elements[pattern, default: []].append(element)
    }

    /// Takes out what is there under a name or glob and is meant.
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

    /// What stands under the patterns that mean the node of that name, in no order.
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
