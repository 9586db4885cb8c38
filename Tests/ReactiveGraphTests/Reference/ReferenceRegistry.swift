/// A registry is one more holder of nodes, as its policy says (G-127 … G-134).
final class ReferenceRegistry {
    struct Entry {
        let node: ReferenceNode
        /// Rises with each name that enters; found again, a name keeps it (G-158).
        let number: Int
        var isListed = false
        var isStrong = false
        var override: Keeping?
    }

    var entries: [Int: Entry] = [:]
    var limit = 3
    private var lastNumber = 0
    private let policy: Keeping

    init(_ policy: Keeping) {
        self.policy = policy
    }

    var listed: Int { entries.values.count { $0.isListed } }

    func enter(_ name: Int, _ node: ReferenceNode) {
        lastNumber += 1
        entries[name] = Entry(node: node, number: lastNumber)
    }

    func holds(_ node: ReferenceNode) -> Bool {
        entries.values.contains { $0.node === node && $0.isStrong }
    }

    func forget(_ node: ReferenceNode) {
        for (name, entry) in entries where entry.node === node { entries[name] = nil }
    }

    func keeping(_ entry: Entry) -> Keeping { entry.override ?? policy }

    /// Changes an entry; the registry holds its node if it is listed and the policy says so.
    func change(_ name: Int, _ change: (inout Entry) -> Void) {
        guard var entry = entries[name] else { return }
        change(&entry)
        entry.isStrong = entry.isListed && keeping(entry) != .whileInUse
        entries[name] = entry
    }
}

extension ReferenceWorld {
    func performName(_ step: Step) -> Int {
        switch step {
        case .lookUp(let place, let name, let keeping):
            lookUp(place, name, keeping)
        case .find(let place, let name):
            guard let node = registry.entries[name]?.node else { return -1 }
            registry.change(name) { $0.isListed = true }
            put(node, place)
        case .removeName(let name):
            guard registry.entries[name]?.isListed == true else { return 0 }
            registry.change(name) { $0.isListed = false }
            graph.sweep()
            return 1
        case .setKeeping(let name, let keeping):
            registry.change(name) { $0.override = keeping }
            graph.sweep()
        case .flush:
            return flush()
        case .wipe(let all):
            flush()
            let chosen = registry.entries
                .filter { $0.value.isListed && (all || $0.key % 2 == 0) }
                .sorted { $0.value.number < $1.value.number }
                .map(\.value.node)
            for node in chosen { node.pins += 1 }
            for node in chosen { graph.set(node, nil, context: nil) }
            for node in chosen { node.pins -= 1 }
            graph.sweep()
        case .setLimit(let limit):
            let isLower = limit < registry.limit
            registry.limit = limit
            if isLower, limit <= registry.listed { flush() }
            return registry.listed
        default: break
        }
        return 0
    }

    private func lookUp(_ place: Int, _ name: Int, _ keeping: Keeping?) {
        if registry.entries[name] == nil {
            if registry.listed >= registry.limit { flush() }
            let node = graph.makeNode(nil)
            node.isMutable = true
            registry.enter(name, node)
        }
        guard let node = registry.entries[name]?.node else { return }
        node.pins += 1
        registry.change(name) { entry in
            if let keeping { entry.override = keeping }
            entry.isListed = true
        }
        put(node, place)
        node.pins -= 1
        graph.sweep()
    }

    /// First the listens of dead owners end, then the registry releases every node not always kept
    /// (G-130).
    @discardableResult
    private func flush() -> Int {
        let before = registry.entries.count
        graph.collect()
        for (name, entry) in registry.entries where registry.keeping(entry) != .always {
            registry.entries[name]?.isStrong = false
        }
        graph.sweep()
        return before - registry.entries.count
    }
}
