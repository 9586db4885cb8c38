// Which nodes the current emission has been through: it sets none of them again (G-41).
extension Engine {
    @inline(__always)
    func setPath(_ trail: Ref<Trail>?) {
        route.restored = trail
        route.careful = route.extras.count + turnState.batches + (trail == nil ? 0 : 1)
    }

    /// Whether `target` is on the path of the current emission, or set by a running batch itself.
    @inline(never)
    func mustSkip(_ target: NodeRef) -> Bool {
        if Int(target.pass) >= stack.base { return true }
        if route.careful == 0 { return false }
        if turnState.batches > 0, target.marks.contains(.isBatched) { return true }
        if route.extras.mayContain(target), route.extras.contains(target, from: stack.base) { return true }
        return isRestored(target.id)
    }

    /// Whether the emission was sent as a continuation of a path with that number.
    func isRestored(_ id: UInt64) -> Bool {
        route.restored?.with { $0.contains(id) } ?? false
    }

    /// Whether the current emission leaves `node` alone.
    @usableFromInline
    func skips(_ node: NodeRef) -> Bool {
        (node.pass >= 0 || route.careful != 0) && mustSkip(node)
    }

    /// Puts a node without a frame on the path, in front of the frame pushed next.
    func addExtra(_ id: UInt64, _ node: NodeRef?) {
        route.extras.append(id, node, frame: stack.depth)
        route.careful += 1
    }

    /// The nodes in front of a frame are on the path no longer.
    @inline(__always)
    func removeExtras(of frame: UnsafeMutablePointer<Frame>) {
        let count = unsafe frame.pointee.extras
        guard count > 0 else { return }
        route.extras.removeLast(count)
        route.careful &-= Int(count)
        unsafe frame.pointee.extras = 0
    }

    /// Whether paths must be kept for emissions that resume later.
    var keepsPaths: Bool { !ranks.rings.isEmpty || route.wishes > 0 }

    /// The current path as a value.
    @usableFromInline
    func currentPath() -> Path {
        var ids = route.restored?.with { $0.ids } ?? []
        forEachPassed { id, _ in ids.append(id) }
        if route.inner != 0 { ids.append(route.inner) }
        return Path(ids: ids, before: route.restored?.with { $0.before })
    }

    /// Visits the nodes passed in this turn, oldest first; of one that has died the number is left.
    private func forEachPassed(_ visit: (UInt64, NodeRef?) -> Void) {
        var upcoming = route.extras.all.drop { $0.frame < stack.base }
        for index in stack.base..<max(stack.base, stack.depth) {
            while let extra = upcoming.first, extra.frame == index {
                visit(extra.id, extra.node)
                upcoming = upcoming.dropFirst()
            }
            if let node = unsafe stack.frames[index].node {
                visit(node.id, node)
            } else if unsafe stack.frames[index].limit != 0 {
                unsafe visit(stack.frames[index].limit, nil)
            }
        }
    }

    /// The entries of the named nodes on the current path, oldest first.
    var passedEntries: [AnyObject] {
        var entries = route.restored?.with { $0.entries } ?? []
        forEachPassed { _, node in
            if let entry = node?.with({ $0.firstEntry }) { entries.append(entry) }
        }
        return entries
    }

    /// What the current emission needs of its path, if it has to wait: nothing unless there are
    /// rings, or paths are asked for.
    @usableFromInline
    func captureTrail() -> Trail? {
        guard keepsPaths else { return nil }
        guard route.wishes == 0, ranks.knowsRings() else {
            let trail = Trail(currentPath(), entries: route.namers > 0 ? passedEntries : [])
            ranks.kept(trail.ids.count)
            route.keptIDs += trail.ids.count
            return trail
        }
        let before = route.restored?.with { $0.before }
        var ids = route.restored?.with { $0.ids } ?? []
        for index in stack.base..<max(stack.base, stack.depth) {
            if let node = unsafe stack.frames[index].node, ranks.marks.isOnRing(node) { ids.append(node.id) }
        }
        for extra in route.extras.all.reversed() {
            guard extra.frame >= stack.base else { break }
            if extra.node.map(ranks.marks.isOnRing) ?? true { ids.append(extra.id) }
        }
        if route.inner != 0 { ids.append(route.inner) }
        route.keptIDs += ids.count
        return ids.isEmpty && before == nil ? nil : Trail(Path(ids: ids, before: before))
    }
}

/// The nodes on the paths of running emissions that have no frame of their own.
struct Extras {
    struct Entry {
        /// The frame in front of which it stands.
        let frame: Int
        let id: UInt64
        /// The node, while it lives: it is marked, so that others are known not to be among these.
        var node: NodeRef?
        /// The mark goes with this entry.
        let isFirst: Bool
    }

    private(set) var all: ContiguousArray<Entry> = []
    /// How many of them do not know their node.
    private(set) var loose = 0

    var count: Int { all.count }

    @inline(__always)
    func mayContain(_ node: NodeRef) -> Bool { loose > 0 || node.marks.contains(.isExtra) }

    /// Whether a node is among those in front of this frame and later ones.
    func contains(_ node: NodeRef, from frame: Int) -> Bool {
        let id = node.id
        var index = all.count - 1
        while index >= 0, all[index].frame >= frame {
            if all[index].id == id { return true }
            index -= 1
        }
        return false
    }

    mutating func append(_ id: UInt64, _ node: NodeRef?, frame: Int) {
        let isFirst = node?.marks.contains(.isExtra) == false
        all.append(Entry(frame: frame, id: id, node: node, isFirst: isFirst))
        if let node { node.marks.insert(.isExtra) } else { loose += 1 }
    }

    mutating func removeLast(_ count: Int32) {
        for _ in 0..<count {
            let extra = all.removeLast()
            guard let node = extra.node else {
                loose -= 1
                continue
            }
            if extra.isFirst { node.marks.remove(.isExtra) }
        }
    }

    /// A node dies: its number stays on the path.
    mutating func forget(_ node: NodeCore) {
        let dead = NodeRef.to(node)
        for index in all.indices where dead.isSame(as: all[index].node) {
            all[index].node = nil
            loose += 1
        }
    }
}
