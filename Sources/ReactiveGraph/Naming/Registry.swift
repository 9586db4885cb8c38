/// Named nodes: at most one per name, kept as long as a policy says (G-126 … G-134).
///
/// ```swift
/// let registry = Registry(graph: graph, policy: .untilPressure)
/// let user = registry.mutable("https://example.org/users/1", as: User.self)
/// print(registry.node("https://EXAMPLE.org/users/1#top", as: User.self) === user)  // prints true
/// ```
/// While anybody holds a node, its name gives that node, even if the registry has let go of it. A node that was
/// released is made anew when its name is asked for: empty, without listeners and upstream, unless there is a
/// factory for the name (G-134).
///
/// A registry belongs to the thread of its graph. It holds the graph; nodes hold neither.
public final class Registry {
    /// The graph the nodes belong to.
    public let graph: Graph
    /// What happens to nodes that are not in use, unless something else was said for one of them.
    public let policy: Retention
    let naming: Naming
    var entries: [String: RegistryEntry] = [:]
    /// The entries whose nodes the registry holds until pressure: a flush looks at no others.
    var evictable: [String: RegistryEntry] = [:]
    var factories: [NodeFactory] = []
    private var listed = 0
    private var lastNumber: UInt64 = 0
    private var making: Set<String> = []
    private var storedLimit: Int

    /// Times pressure was performed, and nodes it released: for metrics.
    public internal(set) var pressure = PressureCounts()

    /// A registry without names.
    ///
    /// - Parameters:
    ///   - graph: makes the nodes.
    ///   - policy: what happens to nodes that are not in use.
    ///   - limit: how many names are kept before those not in use are flushed; at least 1.
    ///   - naming: which names are valid, and which are the same.
    public init(
        graph: Graph,
        policy: Retention = .whileInUse,
        limit: Int = 2048,
        naming: Naming = .urls
    ) {
        precondition(limit > 0, "Registry: the limit must be positive")
        self.graph = graph
        self.policy = policy
        self.naming = naming
        storedLimit = limit
    }

    deinit {
        // The nodes go after the names: what their death runs finds no registry.
        let held = entries.values.compactMap(\.strong)
        for entry in entries.values { withdraw(entry) }
        entries = [:]
        evictable = [:]
        withExtendedLifetime(held) {}
    }

    /// How many names are kept before those not in use are flushed.
    ///
    /// Soft: nodes in use are never let go of to meet it. With limit n, making the (n+1)-th name flushes first.
    /// Lowering it to or below the present count flushes at once (G-131).
    public var limit: Int {
        get { storedLimit }
        set {
            precondition(newValue > 0, "Registry: the limit must be positive")
            let isLower = newValue < storedLimit
            storedLimit = newValue
            if isLower, newValue <= listed { flushUnused() }
        }
    }

    // MARK: - Looking up

    /// The node of that name, made if there is none.
    ///
    /// Asking for a name under another type than its node's is a programming error, and traps; ``find(_:as:)``
    /// gives `nil` instead. An invalid name gives a fresh node that belongs to no registry and always has an error.
    ///
    /// - Parameters:
    ///   - name: is made canonical.
    ///   - type: what the node holds.
    ///   - retention: overrides the registry's policy for this node, from now on.
    /// - Returns: the one node of that name.
    public func node<Value>(_ name: String, as type: Value.Type, retention: Retention? = nil) -> Node<Value> {
        guard let name = naming.canonical(name) else { return invalid(name, type) }
        // Nobody else need hold the node: this does until it is returned.
        let node = entries[name]?.node ?? make(name, type)
        guard let typed = node as? Node<Value> else {
            preconditionFailure("Registry: \(name) holds \(node.valueType), not \(type)")
        }
        guard let entry = entries[name] else { return typed }
        if let retention { entry.override = retention }
        list(entry)
        return typed
    }

    /// As ``node(_:as:retention:)``, for a node that can be set.
    ///
    /// A name whose factory makes derived nodes cannot be set: asking for it here traps.
    public func mutable<Value>(
        _ name: String,
        as type: Value.Type,
        retention: Retention? = nil
    ) -> MutableNode<Value> {
        guard let mutable = node(name, as: type, retention: retention) as? MutableNode<Value> else {
            preconditionFailure("Registry: the node of \(name) is derived from others and cannot be set")
        }
        return mutable
    }

    /// The node of that name if there is one, and it holds that type; makes nothing.
    public func find<Value>(_ name: String, as type: Value.Type) -> Node<Value>? {
        guard let name = naming.canonical(name), let entry = entries[name] else { return nil }
        guard let node = entry.node as? Node<Value> else { return nil }
        list(entry)
        return node
    }

    /// The number of names; names taken out with ``remove(_:)`` do not count.
    public var count: Int { listed }

    /// The canonical names, oldest first.
    ///
    /// Does not count as a look-up.
    public var names: [String] { listedEntries.map(\.name) }

    /// The nodes, oldest name first.
    ///
    /// This is a look-up of each (G-130).
    public var nodes: [AnyNode] {
        listedEntries.map { entry in
            list(entry)
            return entry.node
        }
    }

    // MARK: - Changing

    /// Overrides the policy for the node of that name; `nil` takes the override back.
    ///
    /// No effect if there is no such node.
    public func setRetention(_ retention: Retention?, of name: String) {
        guard let name = naming.canonical(name), let entry = entries[name] else { return }
        entry.override = retention
        entry.hold()
    }

    /// What happens to the node of that name when it is not in use; `nil` if there is none.
    public func retention(of name: String) -> Retention? {
        naming.canonical(name).flatMap { entries[$0]?.retention }
    }

    /// Takes the name out, whatever the policy, and says whether it was in.
    ///
    /// A node still in use lives on, and is found again when its name is looked up while somebody holds it (G-133a).
    @discardableResult
    public func remove(_ name: String) -> Bool {
        guard let name = naming.canonical(name), let entry = entries[name], entry.isListed else {
            return false
        }
        entry.isListed = false
        listed -= 1
        entry.hold()
        return true
    }

    /// Removes `owner` from the listens on every node of this registry, in order of creation (G-120).
    public func removeListeners(ownedBy owner: AnyObject?) {
        let nodes = entries.values.map(\.node).sorted { $0.id < $1.id }
        for node in nodes { node.removeListeners(ownedBy: owner) }
    }

    // MARK: - Entries

    var listedEntries: [RegistryEntry] {
        entries.values.filter(\.isListed).sorted { $0.number < $1.number }
    }

    private func list(_ entry: RegistryEntry) {
        if !entry.isListed {
            entry.isListed = true
            listed += 1
        }
        entry.hold()
    }

    private func make<Value>(_ name: String, _ type: Value.Type) -> AnyNode {
        precondition(making.insert(name).inserted, "Registry: the factory of \(name) asks for \(name)")
        defer { making.remove(name) }
        if listed >= storedLimit { flushUnused() }
        let node = made(name, type)
        if node.name == nil { node.name = name }
        lastNumber += 1
        let entry = RegistryEntry(name, number: lastNumber, node: node, in: self)
        entries[name] = entry
        graph.registered[node.id, default: []].append(entry)
        node.isRegistered = true
        return node
    }

    private func withdraw(_ entry: RegistryEntry) {
        let id = entry.node.id
        graph.registered[id]?.removeAll { $0 === entry }
        if graph.registered[id]?.isEmpty == true { graph.registered[id] = nil }
    }

    /// The node has died.
    func forget(_ entry: RegistryEntry) {
        if entry.isListed { listed -= 1 }
        entry.isListed = false
        evictable[entry.name] = nil
        if entries[entry.name] === entry { entries[entry.name] = nil }
    }

    /// What an invalid name gives: a node of its own that reports an error whatever happens to it.
    private func invalid<Value>(_ name: String, _ type: Value.Type) -> Node<Value> {
        let node = MutableNode<Value>(graph: graph, .empty)
        node.needFacets().lastingError = InvalidName(name: name)
        graph.onError?(.invalidName(name))
        return node
    }
}

/// The lasting error of a node whose name is invalid.
public struct InvalidName: Error, Equatable, Sendable {
    /// The name as it was asked for.
    public let name: String
}

/// What pressure has done.
public struct PressureCounts: Equatable, Sendable {
    /// Times nodes not in use were flushed, for whatever reason.
    public internal(set) var flushes = 0
    /// Named nodes that were released by it.
    public internal(set) var releasedNodes = 0
}
