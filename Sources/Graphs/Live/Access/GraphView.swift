internal import CEL
public import Definitions
public import Values

public struct GraphView {
    public let graph: LiveGraph
    /// The caller that looks at it.
    public let access: Access

    /// The graph with that name; throws `unknown_graph` if it does not exist for the caller.
    public init(_ graph: consuming LiveGraph?, for access: consuming Access) throws(HostError) {
        guard let graph else { throw HostError(.unknownGraph, "the graph did not exist at that rev") }
        guard access.sees(graph) else { throw graph.host.noGraph(named: graph.name, for: access) }
        self.graph = graph
        self.access = access
    }

    /// The nodes that the caller may read, in the order of the definition.
    public var nodes: [NamedNode] { access.readable(graph) }

    /// Throws `forbidden` unless the caller may see everything that lives in the graph, including
    /// pipelines and clients.
    public func requireObservation() throws(HostError) {
        guard access.observes(graph) else {
            throw HostError(
                .forbidden,
                "the rights to observe and read every node of \(graph.name) are missing"
            )
        }
    }

    /// Throws `forbidden` if the caller may not run that pipeline, or `pipe_limit` if its principal
    /// already has as many as it may.
    package func requirePipe(on subject: Subject) throws(HostError) {
        let source: Source
        switch subject.origin {
        case .node(let node): return try require(.pipe, on: node)
        case .source(let origin, _): source = origin
        }
        for name in source.nodes { if let node = graph.node(name) { try require(.pipe, on: node) } }
        guard source.argument.choosesByRights else { return }
        // Nodes that match a glob, or have a computed name, but that the caller may not use are
        // treated as missing.
        guard access.has(.pipe) else { throw HostError(.forbidden, "the right to pipe is missing") }
        guard let glob = source.argument.glob else { return }
        guard graph.chains.find(ChainKey(source, for: access)) == nil else { return }
        let host = graph.host
        let bytes = graph.visibleNodes(matching: glob).count * AllMembers.memberBytes
        let held = access.name.flatMap { host.pipelines.accounts.find($0)?.held } ?? 0
        guard bytes + held <= host.limits.held else {
            let message =
                "'\(glob)' matches more nodes than the pipelines of one principal may hold (limits.held)"
            throw HostError(.pipeLimit, message)
        }
    }

    /// A node on which the caller has the right.
    ///
    /// - Throws: `forbidden` if the caller may read the node, or has a part of the right, but lacks
    ///   some of it; otherwise `unknown_node`, whether or not the node exists.
    @inline(__always)
    public func node(
        _ node: NamedNode?,
        named name: @autoclosure () -> String?,
        to right: Rights
    )
        throws(HostError) -> NamedNode
    {
        if let node, access.rights(on: node).contains(right) { return node }
        throw refusal(node, name(), right)
    }

    @inline(never)
    private func refusal(_ node: NamedNode?, _ name: String?, _ right: Rights) -> HostError {
        guard let node, !access.rights(on: node).isDisjoint(with: right.union(.read)) else {
            if node == nil, right.contains(.set) { graph.noteMissed(name) }
            var error = HostError(.unknownNode, "no such node in \(graph.name)", node: name)
            error.hint = name.flatMap(guess)
            return error
        }
        let missing = right.subtracting(access.rights(on: node)).text
        return HostError(.forbidden, "the right to \(missing) this node is missing", node: node.name)
    }

    /// The most names that one wrong name is compared with.
    static let mostGuesses = 1000

    /// A suggestion for a misspelt name: a similar name of a node that the caller may read.
    private func guess(_ name: String) -> String? {
        let names = nodes.prefix(Self.mostGuesses).map(\.name)
        graph.host.work += UInt64(names.count / 8)
        return Spelling.hint(for: name, among: names)
    }

    /// Throws if the right on a node that was already found is missing.
    ///
    /// - Throws: `forbidden`, or `unknown_node` if the caller may not read the node either.
    public func require(_ right: Rights, on node: NamedNode) throws(HostError) {
        guard !access.rights(on: node).contains(right) else { return }
        throw refusal(node, node.name, right)
    }
}
