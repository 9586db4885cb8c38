package import Support

// Families: names with placeholders, whose nodes are made when they are first asked for (F-1, F-2).

/// Names that fit one pattern, of a registry of the server: what is known of all of them.
open class RegistryFamily {
    /// Which names.
    package final let pattern: NamePattern

    package init(_ pattern: NamePattern) {
        self.pattern = pattern
    }

    /// What the registry knows of a name that fits, from now on.
    open func makeEntry(_ name: String) -> RegistryEntry {
        preconditionFailure("Registry: \(pattern.text) is declared without a way to make its entries")
    }
}

/// The families of a registry, found by a name without looking at all of them.
struct Families {
    private var byShape: [NamePattern.Shape: [RegistryFamily]] = [:]
    /// How many have a placeholder in their first segment.
    private var open = 0

    var isEmpty: Bool { byShape.isEmpty }

    mutating func insert(_ family: RegistryFamily) {
        let shape = family.pattern.shape
        byShape[shape, default: []].append(family)
        if shape.first == nil { open += 1 }
    }

    mutating func remove(_ family: RegistryFamily) {
        let shape = family.pattern.shape
        guard var families = byShape[shape], let place = families.firstIndex(where: { $0 === family }) else {
            return
        }
        families.remove(at: place)
        byShape[shape] = families.isEmpty ? nil : families
        if shape.first == nil { open -= 1 }
    }

    /// The family that the name fits: there is one at most.
    func family(of name: BorrowedBytes) -> RegistryFamily? {
        guard !isEmpty else { return nil }
        let shape = NamePattern.Shape(of: name)
        let found = byShape[shape]?.first { $0.pattern.matches(name) }
        guard found == nil, open > 0 else { return found }
        return byShape[shape.opened]?.first { $0.pattern.matches(name) }
    }

    /// The family to which all names that fit `pattern` belong.
    func family(covering pattern: NamePattern) -> RegistryFamily? {
        let shape = pattern.shape
        let found = byShape[shape]?.first { $0.pattern.covers(pattern) }
        return found ?? byShape[shape.opened]?.first { $0.pattern.covers(pattern) }
    }
}

extension Registry {
    /// Nodes whose names fit `pattern` are made by `make`, instead of empty: there is one node of
    /// each name, made when it is first asked for and released as the policy says (F-1, G-134).
    ///
    /// ```swift
    /// registry.setFactory(for: try NamePattern("user.{id}.age")) { name, values in
    ///     registry.node("user.\(values[0])", as: User.self).map(\.age)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: is compared with the canonical name.
    ///   - make: is given the canonical name, and what the placeholders stand for in it, in their
    ///     order.
    public func setFactory<Value>(
        for pattern: NamePattern,
        _ make: @escaping (_ name: String, _ values: [String]) -> Node<Value>
    ) {
        setFactory(where: { pattern.values(of: $0) != nil }) { make($0, pattern.values(of: $0) ?? []) }
    }

    /// Takes in a family, which overlaps with no other one.
    package func declare(_ family: RegistryFamily) { families.insert(family) }

    /// Takes a family out; names that are in stay.
    package func remove(_ family: RegistryFamily) { families.remove(family) }

    /// The family that a name fits.
    package func family(of name: BorrowedBytes) -> RegistryFamily? {
        families.family(of: name)
    }

    /// The family to which all names that fit `pattern` belong.
    package func family(covering pattern: NamePattern) -> RegistryFamily? {
        families.family(covering: pattern)
    }

    /// All names that are declared and that members of families have, oldest first.
    package var declaredEntries: [RegistryEntry] { listedEntries.filter(\.isDeclared) }

    /// Takes in a name of a family, without a node: it goes with its node, or by
    /// ``RegistryEntry/forgetUnused()``.
    package func enter(_ entry: RegistryEntry) {
        declare(entry)
        entry.goesWithNode = true
    }

}

extension RegistryEntry {
    /// Takes a name of a family that has no node out of its registry, if it still is in one.
    package final func forgetUnused() {
        guard let registry, isListed, goesWithNode, node == nil else { return }
        isListed = false
        registry.drop(self)
    }
}
