internal import Commits
internal import Definitions

/// The entries of a graph's nodes in paths.
struct PathNames {
    /// What an entry begins with that stands for a node which the reader may not read.
    static let opaque = UInt8(ascii: "?")

    private let graph: LiveGraph

    init(of graph: LiveGraph) { self.graph = graph }

    private var host: Host { graph.host }

    /// The first part of the entries: the configured name of the service, or the epoch, which no
    /// other service has.
    private var service: String { host.service.isEmpty ? graph.epoch : host.service }

    private func isService(_ text: Substring) -> Bool {
        host.service.isEmpty ? graph.epochs.lastRev(of: text) != nil : text == host.service
    }

    /// The name of the graph's node that an entry names; nil: it is another's.
    private func node(in entry: String) -> Substring? {
        let parts = entry.split(separator: "/", maxSplits: 2)
        guard parts.count == 3, parts[1] == graph.name, isService(parts[0]) else { return nil }
        return parts[2]
    }

    /// Finds out whether a path has passed one of the graph's nodes: for many nodes and one path.
    func passed(by path: ValuePath) -> (NamedNode) -> Bool {
        let opaque = Set(path.entries.filter { $0.utf8.first == Self.opaque })
        let names = Set(path.entries.compactMap { opaque.contains($0) ? nil : node(in: $0) })
        return { node in
            names.contains(node.name[...])
                || !opaque.isEmpty && opaque.contains(opaqueEntry(of: node.name))
        }
    }

    /// The entry of a node, as a caller may see it.
    func entry(of node: NamedNode, for access: Access) -> String {
        guard access.rights(on: node).contains(.read) else { return opaqueEntry(of: node.name) }
        return "\(service)/\(graph.name)/\(node.name)"
    }

    /// An entry that a client has given, as a caller may see it: one of this service only if it is
    /// of a node that the caller may read.
    func shown(_ entry: String, to access: Access) -> String {
        let parts = entry.split(separator: "/", maxSplits: 2)
        guard parts.count == 3, let other = host[String(parts[1])] else { return entry }
        let names = PathNames(of: other)
        guard let name = names.node(in: entry).map(String.init) else { return entry }
        if let node = other.existing(name), access.rights(on: node).contains(.read) { return entry }
        return names.opaqueEntry(of: name)
    }

    /// A number that only this process can compute: the standard library's hash has a secret key
    /// for each process.
    private func opaqueEntry(of name: String) -> String {
        var hasher = Hasher()
        hasher.combine(graph.name)
        hasher.combine(name)
        return "?" + String(UInt(bitPattern: hasher.finalize()), radix: 36)
    }
}
