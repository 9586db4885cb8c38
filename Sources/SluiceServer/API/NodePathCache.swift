internal import GraphHost
internal import HTTP
internal import ReactiveGraph

/// Caches which node a path leads to.
///
/// Most clients set the same few nodes again and again. One look at the path's bytes then replaces
/// the way through the routes, the names of graphs and those of nodes. A path leads to a declared
/// node until a definition changes; then all paths are forgotten. Members of families come and go
/// at any time, so they are not kept.
final class NodePathCache {
    private static let most = 1_024

    private final class Entry {
        let path: String
        let node: NamedNode

        init(_ path: UnsafeRawBufferPointer, _ node: NamedNode) {
            self.path = String(decoding: path, as: UTF8.self)
            self.node = node
        }
    }

    @exclusivity(unchecked) private var table = NodePathCache.empty
    @exclusivity(unchecked) private var count = 0
    /// ``Host/definitionChanges`` when the first of them was kept.
    @exclusivity(unchecked) private var definitions: UInt64 = 0

    private static var empty: NameTable { NameTable { unsafeDowncast($0, to: Entry.self).path } }

    /// The node that a POST to this path sets; nil if the path is not cached.
    func node(at path: UnsafeRawBufferPointer, in host: Host) -> NamedNode? {
        guard definitions == host.definitionChanges, let known = table[path] else { return nil }
        let node = unsafeDowncast(known, to: Entry.self).node
        return node.isShown ? node : nil
    }

    /// A POST to this path has found its node.
    func keep(_ node: NamedNode, at path: UnsafeRawBufferPointer, in host: Host) {
        guard !node.isMember else { return }
        if definitions != host.definitionChanges || count == Self.most {
            definitions = host.definitionChanges
            table = Self.empty
            count = 0
        }
        guard table[path] == nil else { return }
        let entry = Entry(path, node)
        table.insert(entry, named: entry.path)
        count += 1
    }
}
