/// The path of an emission that resumes later: a queued set, a settled join, a timer.
///
/// Membership is looked up by identity number. Long paths are looked up through a set made on first
/// use.
@usableFromInline
final class Trail {
    @safe @exclusivity(unchecked) private(set) var ids: [UInt64]
    let before: Crossing?
    /// The entries of the named nodes on it, if a listener asked for names when it was kept.
    let entries: [AnyObject]
    private var lookup: Set<UInt64>?

    init(_ path: Path, entries: [AnyObject] = []) {
        self.entries = entries
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
