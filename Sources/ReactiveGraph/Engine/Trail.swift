/// The path of an emission that resumes later: a queued set, a settled join, a timer.
///
/// Membership is looked up by identity number. Long paths are looked up through a set made on first
/// use.
@usableFromInline
final class Trail {
    @exclusivity(unchecked) private(set) var ids: [UInt64]
    let before: Crossing?
    private var lookup: Set<UInt64>?

    init(_ path: Path) {
        ids = path.ids
        before = path.before
    }

    /// The nodes have other numbers than when it was saved; those that were not saved are left out.
    func translate(_ number: (UInt64) -> UInt64?) {
        ids = ids.compactMap(number)
    }

    func contains(_ id: UInt64) -> Bool {
        if ids.count <= 16 { return ids.contains(id) }
        if lookup == nil { lookup = Set(ids) }
        return lookup?.contains(id) ?? false
    }
}

extension Graph {
    /// What the current emission needs of its path, if it has to wait: nothing unless there are
    /// rings, or paths are asked for.
    @usableFromInline
    func captureTrail() -> Trail? {
        guard keepsPaths else { return nil }
        guard pathWishes == 0, ranks.knowsRings() else {
            let trail = Trail(currentPath())
            ranks.kept(trail.ids.count)
            keptPathIDs += trail.ids.count
            return trail
        }
        var ids: [UInt64] = []
        var before: Crossing?
        if let restored {
            restored._withUnsafeGuaranteedRef {
                ids = $0.ids
                before = $0.before
            }
        }
        var index = base
        while index < depth {
            if let node = frames[index].node, ranks.marks.isOnRing(node) { ids.append(node.id) }
            index += 1
        }
        for extra in extras.reversed() {
            guard extra.frame >= base else { break }
            if extra.node.map(ranks.marks.isOnRing) ?? true { ids.append(extra.id) }
        }
        if inner != 0 { ids.append(inner) }
        keptPathIDs += ids.count
        return ids.isEmpty && before == nil ? nil : Trail(Path(ids: ids, before: before))
    }
}
