package import Support

/// Named nodes: at most one per name, kept as long as a policy says (G-126 … G-134).
///
/// ```swift
/// let registry = Registry(graph: graph, policy: .untilPressure)
/// let user = registry.mutable("https://example.org/users/1", as: User.self)
/// print(registry.node("https://EXAMPLE.org/users/1#top", as: User.self) === user)  // prints true
/// ```
/// While a node is held, its name gives that node, even if the registry has released it. A node
/// that was released is made anew when its name is asked for: empty, without listeners and
/// upstream, unless there is a factory for the name (G-134).
///
/// A registry belongs to the thread of its graph. It holds the graph; nodes hold neither.
public final class Registry {
    /// The graph the nodes belong to.
    public let graph: Graph
    /// What happens to nodes that are not in use, unless something else was said for one of them.
    public let policy: Retention
    let naming: Naming
    let table = NameTable { unsafe unsafeDowncast($0, to: RegistryEntry.self).key }
    /// The entries whose nodes the registry holds until pressure: a flush looks at no others.
    var evictable: ContiguousArray<RegistryEntry> = []
    var factories: [NodeFactory] = []
    var families = Families()
    /// The number of names.
    ///
    /// Names taken out with ``remove(_:)`` do not count.
    public private(set) var count = 0
    /// How many named nodes have died.
    private(set) var deaths = 0
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
        graph.checkThread("the end of a registry")
        removeAll()
    }

    /// Takes all names out, and lets their nodes go.
    package func removeAll() {
        // The nodes go after the names: what their death runs finds no registry.
        var held: [(node: AnyNode, name: String)] = []
        for entry in entries {
            if let node = entry.hand() { held.append((node, entry.key)) }
            entry.isListed = false
            drop(entry)
        }
        evictable = []
        count = 0
        // One that lives on keeps its name for descriptions.
        for place in held.indices where !isKnownUniquelyReferenced(&held[place].node) {
            let (node, name) = held[place]
            if node.name == nil { node.name = name }
        }
    }

    /// How many names are kept before those not in use are flushed.
    ///
    /// Soft: nodes in use are never released to meet it. With limit n, making the (n+1)-th name
    /// flushes first. Lowering it to or below the present count flushes at once (G-131).
    public var limit: Int {
        get { storedLimit }
        set {
            precondition(newValue > 0, "Registry: the limit must be positive")
            let isLower = newValue < storedLimit
            storedLimit = newValue
            if isLower, isFull { flushUnused() }
        }
    }

    // MARK: - Looking up

    /// The node of that name, made if there is none.
    ///
    /// Asking for a name under another type than its node's is a programming error, and traps;
    /// ``find(_:as:)`` gives `nil` instead. An invalid name gives a fresh node that belongs to no
    /// registry and always has an error.
    ///
    /// - Parameters:
    ///   - name: is made canonical.
    ///   - type: what the node holds.
    ///   - retention: overrides the registry's policy for this node, from now on.
    /// - Returns: the one node of that name.
    public func node<Value>(_ name: String, as type: Value.Type, retention: Retention? = nil) -> Node<Value> {
        guard let name = naming.canonical(name) else { return graph.invalid(name, type) }
        // Nothing else need hold the node: this does until it is returned.
        let (entry, node) = known(name).map { ($0, self.node(of: $0)) } ?? make(name, type)
        guard let typed = node as? Node<Value> else {
            preconditionFailure("Registry: \(name) holds \(node.valueType), not \(type)")
        }
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
        guard let name = naming.canonical(name), let entry = known(name) else { return nil }
        guard let node = entry.node as? Node<Value> else { return nil }
        list(entry)
        return node
    }

    /// The canonical names, oldest first.
    ///
    /// Does not count as a look-up.
    public var names: [String] { listedEntries.map(\.key) }

    /// The nodes, oldest name first.
    ///
    /// This is a look-up of each (G-130).
    public var nodes: [AnyNode] {
        listedEntries.compactMap { entry in
            entry.hold()
            return entry.node
        }
    }

    // MARK: - Changing

    /// Overrides the policy for the node of that name; `nil` takes the override back.
    ///
    /// No effect if there is no such node.
    public func setRetention(_ retention: Retention?, of name: String) {
        guard let name = naming.canonical(name), let entry = known(name) else { return }
        entry.override = retention
        entry.hold()
    }

    /// What happens to the node of that name when it is not in use; `nil` if there is none.
    public func retention(of name: String) -> Retention? {
        naming.canonical(name).flatMap { known($0)?.retention }
    }

    /// Takes the name out, whatever the policy, and says whether it was in.
    ///
    /// A node still in use lives on, and is found again when its name is looked up while it is held
    /// (G-133a).
    @discardableResult
    public func remove(_ name: String) -> Bool {
        guard let name = naming.canonical(name), let entry = known(name), entry.isListed else {
            return false
        }
        remove(entry)
        return true
    }

    /// Removes `owner` from the listens on every node of this registry, in order of creation
    /// (G-120).
    public func removeListeners(ownedBy owner: AnyObject?) {
        let nodes = entries.compactMap(\.node).sorted { $0.id < $1.id }
        for node in nodes { node.removeListeners(ownedBy: owner) }
    }

    // MARK: - Entries

    /// In the order in which they entered; a name that was removed and found again keeps its first
    /// place (G-158).
    var listedEntries: [RegistryEntry] { entries.filter(\.isListed) }

    private var entries: [RegistryEntry] { table.map { unsafe unsafeDowncast($0, to: RegistryEntry.self) } }

    /// The entry of a name, also of one that was removed and is in use.
    func known(_ name: String) -> RegistryEntry? {
        guard let object = table[name] else { return nil }
        let entry = unsafe unsafeDowncast(object, to: RegistryEntry.self)
        entry.forgetGone()
        return entry.registry == nil ? nil : entry
    }

    /// The entry of that name, given as bytes, if it is in; makes no `String`, and does not count
    /// as a look-up.
    package func entry(named name: BorrowedBytes) -> RegistryEntry? {
        guard let object = table[name] else { return nil }
        let entry = unsafe unsafeDowncast(object, to: RegistryEntry.self)
        return entry.isListed ? entry : nil
    }

    /// Whether the soft limit is reached (G-131).
    package var isFull: Bool { count >= storedLimit }

    private func list(_ entry: RegistryEntry) {
        entry.isListed = true
        entry.hold()
    }

    private func make<Value>(_ name: String, _ type: Value.Type) -> (RegistryEntry, AnyNode) {
        precondition(making.insert(name).inserted, "Registry: the factory of \(name) asks for \(name)")
        // What a factory looks up is in use by the time of the flush.
        let derived = makeByFactory(name)
        making.remove(name)
        if isFull { flushUnused() }
        // A listener that ended in the flush may have asked for the name.
        if let entry = known(name) { return (entry, node(of: entry)) }
        let node = derived ?? MutableNode<Value>(graph: graph, .empty)
        let entry = RegistryEntry(name)
        insert(entry)
        entry.adopt(node)
        return (entry, node)
    }

    func insert(_ entry: RegistryEntry) {
        entry.registry = self
        table.insert(entry, named: entry.key)
    }

    /// The name is out.
    func drop(_ entry: RegistryEntry) {
        entry.detach()
        table.remove(named: entry.key)
        entry.registry = nil
    }

    /// The node has died.
    func forget(_ entry: RegistryEntry) {
        deaths += 1
        if !entry.isDeclared || entry.goesWithNode {
            entry.isListed = false
            drop(entry)
        }
        account(for: entry, isEvictable: false)
    }

    /// Brings up to date what the registry counts, and what it would release.
    func account(for entry: RegistryEntry, isEvictable: Bool) {
        if isEvictable != (entry.place >= 0) {
            if isEvictable {
                entry.place = Int32(evictable.count)
                evictable.append(entry)
            } else if let last = evictable.popLast(), last !== entry {
                last.place = entry.place
                evictable[Int(entry.place)] = last
            }
            if !isEvictable { entry.place = -1 }
        }
        let isCounted = entry.isListed && (isEvictable || !entry.isDeclared)
        guard isCounted != entry.isCounted else { return }
        entry.isCounted = isCounted
        count += isCounted ? 1 : -1
    }
}

extension Graph {
    /// What an invalid name gives: a node of its own that reports an error whatever happens to it.
    func invalid<Value>(_ name: String, _ type: Value.Type) -> Node<Value> {
        let node = MutableNode<Value>(graph: self, .empty)
        Facets.of(node.typedCore).lastingError = InvalidName(name: name)
        engine.report(.invalidName(name))
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
