internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support

// Upstreams in live pictures (S-10): a kind of their own, with an edge to each node that they feed.
extension Picture {
    /// An upstream that is open for nodes of the graph.
    struct Upstream: Equatable {
        /// What it is, with all its nodes.
        let open: OpenUpstream
        /// The numbers of those that are shown, at most ``Picture/mostFed``.
        let on: [UInt64]
        /// The families of those that are not.
        let families: [String]
    }

    /// The most upstreams of one picture; the others are left out.
    static let mostUpstreams = 1_000
    /// The most nodes of one upstream that are shown with an edge.
    static let mostFed = 100

    /// The open upstreams of a graph, with those of their nodes that are among `shown`.
    ///
    /// With nil all nodes are shown. If it is limited, upstreams that feed no shown node are left
    /// out.
    static func upstreams(
        of graph: LiveGraph,
        among shown: Set<UInt64>?,
        limited isLimited: Bool
    ) -> [Upstream] {
        guard graph.definition.hasSources, let sight = graph.host.handlers.upstreams else { return [] }
        let open = sight.upstreams(of: graph)
        graph.host.work += UInt64(open.count)
        return open.prefix(mostUpstreams).compactMap { open in
            var on: [UInt64] = []
            var families: Set<String> = []
            for name in open.nodes {
                guard let node = graph.existing(name), let number = node.living?.id else { continue }
                if shown?.contains(number) ?? true {
                    if on.count < mostFed { on.append(number) }
                } else if let family = node.family {
                    families.insert(family.pattern.text)
                }
            }
            if isLimited, on.isEmpty { return nil }
            return Upstream(open: open, on: on, families: isLimited ? [] : families.sorted())
        }
    }
}

extension Picture.Upstream {
    /// The identifier in diagrams, whose names have no colons.
    var identifier: String { "u\(open.number)" }

    /// Appends `{"u":"u:3","from":"http://127.0.0.1:9191","state":"waiting","dueAt":…,"nodes":2,…}`,
    /// with the shown nodes as `on`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("u", open.name)
        buffer.member("from", open.origin)
        buffer.member("state", open.state)
        buffer.member("dueAt", open.dueAt)
        if let failure = open.failure {
            buffer.member("failure", failure.message)
            buffer.member("status", failure.status)
            buffer.member("retryAt", failure.retryAt)
        }
        buffer.member("nodes", open.nodes.count)
        buffer.member("on", list: on) { $1.append(decimal: $0) }
        if !families.isEmpty { buffer.member("families", list: families) { $1.append(json: $0) } }
        buffer.append("}")
    }
}
