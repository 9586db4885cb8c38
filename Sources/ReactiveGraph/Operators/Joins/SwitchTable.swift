/// The state of a switch: the inner node of each key.
@usableFromInline
final class SwitchTable<Key: Hashable, Mapped>: InnerTable {
    @usableFromInline typealias Pair = Switched<Key, Mapped>

    @usableFromInline var entries: [Key?: SwitchEntry<Key, Mapped>] = [:]
    /// A step that is not on its way.
    @usableFromInline var spare: SwitchStep<Key, Mapped>?
    /// The edge that this table belongs to, and lives as long as.
    private var edge: EdgeRef?

    @usableFromInline
    override init(_ limit: KeyLimit, releasesUnused: Bool) {
        super.init(limit, releasesUnused: releasesUnused)
    }

    /// The table belongs to `edge` from now on.
    @usableFromInline
    func own(_ edge: Edge) {
        let side = edge.needSide()
        side.inners = self
        side.state = self
        self.edge = .to(edge)
    }

    override func detach() -> AnyObject? {
        generation += 1
        return nil
    }

    override func reset() -> AnyObject? {
        // At once, not with the retired objects: inner nodes are nodes (G-66a).
        if let graph = edge?.with({ $0.graph }) {
            graph.engine.teardown.remains.append(leave())
        }
        return nil
    }

    override func forEachKeptNode(_ visit: (AnyNode) -> Void) {
        // An entry refers to its node twice: as a node, and as the typed node it is.
        forEachInner { node in for _ in 0..<2 { visit(node.heldNode) } }
    }

    // MARK: - Saving

    override func save(to writer: inout StateWriter, of edge: Edge) {
        var known: [SwitchEntry<Key, Mapped>] = []
        forEachEntry { unsafe known.append(unsafeDowncast($0, to: SwitchEntry<Key, Mapped>.self)) }
        writer.write(known.count)
        for entry in known {
            writer.write(entry.key) { $0.write(value: $1) }
            writer.write(entry.inner.stored)
            writer.note(entry.inner)
            writer.write(Int(entry.inner.id))
            writer.write(entry.inner.rank)
        }
        writer.write(known.firstIndex { $0 === current }.map { $0 + 1 } ?? 0)
        writer.write(closesRing ? 1 : 0)
    }

    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        guard let target = edge.target?.object else { throw StateError.malformed }
        let saved = try readEntries(from: &reader)
        let latest = try reader.integer(in: 0...saved.count)
        let isClosing = try reader.flag()
        let (former, wasClosing) = (entries, closesRing)
        let remains = leave()
        closesRing = wasClosing
        generation += 1
        for (index, inner) in saved.enumerated() {
            let entry = former[inner.key] ?? SwitchEntry(inner.key, behind: target)
            entries[inner.key] = entry
            link(entry)
            if index + 1 == latest { current = entry }
            entry.inner.typedCore.keep(inner.emission)
            try reader.order.note(entry.inner, as: inner.id, rank: inner.rank)
        }
        target.graph.engine.ranks.innersChanged()
        reader.order.tables.append((self, target, isClosing))
        withExtendedLifetime((former, remains)) {}
    }

    private typealias SavedInner = (key: Key?, emission: Emission<Mapped>, id: Int, rank: Int)

    /// The inner nodes in order of use.
    private func readEntries(from reader: inout StateReader) throws -> [SavedInner] {
        var saved: [SavedInner] = []
        var keys: Set<Key?> = []
        let count = try reader.count()
        guard count <= limit.count else { throw StateError.malformed }
        for _ in 0..<count {
            let key: Key? = try reader.optional { try $0.value() }
            guard keys.insert(key).inserted else { throw StateError.malformed }
            let emission = try reader.emission(keeping: entries[key]?.inner.stored ?? .empty)
            saved.append((key, emission, try reader.integer(), try reader.integer(in: RestoredOrder.ranks)))
        }
        return saved
    }

    // MARK: - Sending

    /// Emits the pair of `key`; the inner node gets `mapped` at the end of that pass.
    @inlinable
    func send(_ key: Key?, _ mapped: Mapped, _ edge: Edge) -> Outcome {
        guard let entry = entry(of: key, edge), let target = edge.target(as: Pair.self) else {
            return .nothing
        }
        let pair = Pair(key: entry.key, node: entry.inner)
        return target.with {
            step(entry, .value(mapped)).accept(.value(pair), in: $0, from: edge)
        }
    }

    /// The source became empty: where emptiness travels, so does the switched node, and then the
    /// inner node of the latest key.
    @inlinable
    func sendEmpty(_ edge: Edge) -> Outcome {
        guard edge.traits.contains(.propagatesEmpty), let target = edge.target(as: Pair.self) else {
            return .nothing
        }
        guard let current else { return edge.forwardEmpty(to: Pair.self) }
        let entry = unsafe unsafeDowncast(current, to: SwitchEntry<Key, Mapped>.self)
        return target.with { step(entry, .empty).accept(.empty, in: $0, from: edge) }
    }

    /// What sets the inner node of `entry` when the pass of the pair is over.
    @inlinable
    func step(_ entry: SwitchEntry<Key, Mapped>, _ emission: Emission<Mapped>) -> SwitchStep<Key, Mapped> {
        let step = spare ?? SwitchStep()
        spare = nil
        step.table = self
        step.entry = entry
        step.generation = generation
        step.emission = emission
        return step
    }

    // MARK: - Entries

    /// The entry of `key`, made if it is new and there is room.
    @inlinable
    func entry(of key: Key?, _ edge: Edge) -> SwitchEntry<Key, Mapped>? {
        if let current {
            let entry = unsafe unsafeDowncast(current, to: SwitchEntry<Key, Mapped>.self)
            if entry.isKnown, entry.key == key { return entry }
        }
        if let entry = entries[key] {
            touch(entry)
            return entry
        }
        return makeEntry(key, edge)
    }

    @usableFromInline
    func makeEntry(_ key: Key?, _ edge: Edge) -> SwitchEntry<Key, Mapped>? {
        switch limit {
        case .fail(let limit) where count >= limit:
            edge.reportOverflow(limit)
            return nil
        case .evictOldest(let limit) where count >= limit:
            if let oldest { forget(oldest.object) }
        default: break
        }
        guard let target = edge.target else { return nil }
        let entry = SwitchEntry<Key, Mapped>(key, behind: target.object)
        entries[key] = entry
        link(entry)
        return entry
    }

    @usableFromInline
    override func forget(_ entry: InnerEntry) {
        let entry = unsafe unsafeDowncast(entry, to: SwitchEntry<Key, Mapped>.self)
        guard entry.isKnown else { return }
        unlink(entry)
        if current === entry { current = nil }
        entry.node.graph.engine.ranks.innersChanged()
        entries[entry.key] = nil
    }

    override func leave() -> AnyObject {
        let remains = SwitchTable<Key, Mapped>(limit, releasesUnused: false)
        for entry in entries.values { unlink(entry) }
        swap(&remains.entries, &entries)
        swap(&remains.current, &current)
        closesRing = false
        return remains
    }
}

/// The inner node of one key.
@usableFromInline
final class SwitchEntry<Key: Hashable, Mapped>: InnerEntry {
    @usableFromInline let key: Key?
    @usableFromInline let inner: Node<Mapped>

    @usableFromInline
    init(_ key: Key?, behind switched: NodeCore) {
        self.key = key
        let core = InnerCore<Mapped>(behind: switched)
        inner = Node(core)
        super.init(inner)
        core.entry = self
    }
}

/// Sets an inner node at the end of the pass of its pair.
@usableFromInline
final class SwitchStep<Key: Hashable, Mapped>: LastStep {
    @usableFromInline var table: SwitchTable<Key, Mapped>?
    @usableFromInline var entry: SwitchEntry<Key, Mapped>?
    @usableFromInline var generation = 0
    @usableFromInline var emission: Emission<Mapped> = .empty

    @inlinable
    init() {
        super.init { step, engine in
            unsafe unsafeDowncast(step, to: SwitchStep<Key, Mapped>.self).perform(engine)
        }
    }

    deinit {
        entry?.node.core.marks.remove(.isDue)
    }

    /// From now on a case that begins to follow the inner node waits for the value on its way
    /// (G-92).
    @usableFromInline
    override func begin() {
        guard let entry, let table, generation == table.generation else { return }
        entry.node.core.marks.insert(.isDue)
        table.makeCurrent(entry)
    }

    @inlinable
    func perform(_ engine: Engine) -> NodeRef? {
        guard let table, let entry else { return nil }
        let isValid = generation == table.generation
        let emission = exchange(&emission, with: .empty)
        self.entry = nil
        self.table = nil
        table.spare = self
        let inner = entry.inner.typedCore
        inner.marks.remove(.isDue)
        // The inner node is treated as the target of an edge (G-34).
        guard isValid, !engine.skips(entry.inner.ref), inner.accept(emission: emission) == .enter else {
            return nil
        }
        return inner.hasEdges ? entry.inner.ref : nil
    }
}

extension InnerEntry {
    /// Whether it stands in its table.
    @usableFromInline final var isKnown: Bool { table != nil }
}
