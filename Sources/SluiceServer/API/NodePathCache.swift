internal import Graphs
internal import HTTP
internal import Support

/// Caches which node a path leads to.
///
/// Most clients set the same few nodes again and again. One look at the path's bytes then replaces
/// the way through the routes, the names of graphs and those of nodes. A path leads to a declared
/// node until a definition changes; then all paths are forgotten. Members of families come and go
/// at any time, so they are not kept.
final class NodePathCache {
    private static let most = 1_024
    /// Twice as many, and a power of two.
    private static let places = 2_048

    private final class Entry {
        let path: [UInt8]
        let node: NamedNode

        init(_ path: UnsafeRawBufferPointer, _ node: NamedNode) {
            self.path = Array(path)
            self.node = node
        }
    }

    /// A path stands at the place that its hash says, or after it.
    private var entries = NodePathCache.empty
    private var count = 0
    /// ``Host/definitionChanges`` when the first of them was kept.
    private var definitions: UInt64 = 0

    private static var empty: ContiguousArray<Entry?> { ContiguousArray(repeating: nil, count: places) }

    /// The node that a POST to this path sets; nil if the path is not cached.
    func node(at path: UnsafeRawBufferPointer, in host: Host) -> NamedNode? {
        guard definitions == host.definitionChanges, let node = find(path).entry?.node else { return nil }
        return node.isShown ? node : nil
    }

    /// A POST to this path has found its node.
    func keep(_ node: NamedNode, at path: UnsafeRawBufferPointer, in host: Host) {
        guard !node.isMember else { return }
        if definitions != host.definitionChanges || count == Self.most {
            definitions = host.definitionChanges
            entries = Self.empty
            count = 0
        }
        let (place, known) = find(path)
        guard known == nil else { return }
        entries[place] = Entry(path, node)
        count += 1
    }

    /// Where a path stands, or would stand.
    @inline(__always)
    private func find(_ path: UnsafeRawBufferPointer) -> (place: Int, entry: Entry?) {
        let ends = TextEnds(path)
        var hash = ends.first &* 31 ^ ends.last ^ UInt64(path.count)
        var middle = 8
        while middle &+ 8 < path.count {
            hash = hash &* 31 ^ path.loadUnaligned(fromByteOffset: middle, as: UInt64.self)
            middle &+= 8
        }
        var place = Int((hash &* 0x9e37_79b9_7f4a_7c15) >> 32) & (Self.places - 1)
        while let entry = entries[place] {
            if entry.path.withUnsafeBytes({ path.equals($0) }) { return (place, entry) }
            place = (place + 1) & (Self.places - 1)
        }
        return (place, nil)
    }
}
