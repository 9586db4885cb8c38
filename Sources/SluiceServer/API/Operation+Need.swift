internal import Definitions
internal import Graphs
internal import HTTP
internal import Values

extension Operation {
    /// The rights that a route needs, and over what (docs/access.md).
    struct Need: Sendable {
        /// What the rights must be over.
        enum Extent: CaseIterable {
            /// No token is needed: the route says nothing about graphs or clients, or lets people
            /// in.
            case nothing
            /// The nodes or graphs in the answer; it leaves out all others.
            case shownNodes, shownGraphs
            /// The nodes that the request names.
            case namedNodes
            /// The node in the path.
            case node
            /// Every node that the graph in the path has.
            case everyNode
            /// The graph in the path, with nodes that do not exist yet.
            case graph
            /// The graph that a dashboard belongs to.
            case dashboardGraph
            /// All graphs and nodes: the token has neither `graphs` nor `nodes`.
            case everything
        }

        /// Empty: any right.
        let rights: Rights
        let extent: Extent

        init(_ rights: Rights = [], over extent: Extent) {
            (self.rights, self.extent) = (rights, extent)
        }

        static let nothing = Need(over: .nothing)

        /// Checks what can be known before the route looks for graphs and nodes.
        ///
        /// - Throws: `forbidden`.
        func check(_ access: Access, _ captures: Captures) throws(HostError) {
            switch extent {
            case .nothing, .shownNodes, .namedNodes, .node, .dashboardGraph: return
            case .shownGraphs, .everyNode:
                guard !access.has(rights) else { return }
                throw HostError(.forbidden, "the right '\(rights.text)' is missing")
            case .graph:
                try check(access, graph: String(decoding: captures[0], as: UTF8.self))
            case .everything:
                guard !access.has(rights, over: .everything) else { return }
                throw HostError(
                    .forbidden,
                    "the right '\(rights.text)' over everything is missing, "
                        + "from a token without 'graphs' and 'nodes'"
                )
            }
        }

        /// Checks the right over a whole graph of that name, whether or not there is one.
        ///
        /// - Throws: `forbidden`.
        func check(_ access: Access, graph name: String) throws(HostError) {
            guard !access.has(rights, over: .graph(name)) else { return }
            throw HostError(.forbidden, "the right '\(rights.text)' on this graph is missing")
        }

        /// The rights as documentation names them.
        var text: String {
            if case .nothing = extent { return "–" }
            return rights.isEmpty ? "any" : rights.words.map { "`\($0)`" }.joined(separator: ", ")
        }

        /// What they must be over, as documentation says it.
        var extentText: String {
            switch extent {
            case .nothing: "–"
            case .shownNodes: "the nodes that the answer shows"
            case .shownGraphs: "the graphs that the answer shows"
            case .namedNodes: "the nodes that the request names"
            case .node: "the node"
            case .everyNode: "every node of the graph"
            case .graph: "the whole graph"
            case .dashboardGraph: "the dashboard's graph"
            case .everything: "everything"
            }
        }
    }
}
