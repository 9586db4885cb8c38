/// Mutable nodes that the definition of a graph no longer has, and whether clients have set them
/// since.
package struct RemovedInputs {
    private static var most: Int { 1_000 }

    private var isSet: [String: Bool] = [:]

    /// Those that clients still set, in alphabetical order.
    package var missed: [String] { isSet.filter(\.value).keys.sorted() }

    /// The definition has changed: `gone` were removed, and others may have been added again.
    mutating func note(_ gone: [NamedNode], in graph: LiveGraph) {
        for name in isSet.keys where graph.existing(name) != nil { isSet[name] = nil }
        for node in gone where node.isMutable && node.family == nil {
            guard isSet.count < Self.most else { return }
            isSet[node.name] = false
        }
    }

    /// A client sets a node that does not exist; true the first time after the definition removed
    /// it.
    mutating func noteMissed(_ name: String) -> Bool {
        guard isSet[name] == false else { return false }
        isSet[name] = true
        return true
    }
}
