public import Graphs
public import Commits
public import Values

/// A question about a graph as it was right after one commit.
///
/// It is sent to another thread, where ``Past`` answers it.
public struct PastQuestion: Sendable {
    /// What the caller wants to know.
    public enum Subject: Sendable {
        /// The values of the nodes that match these names and globs
        /// (``GraphView/values(of:limit:page:facets:load:)``).
        case values(of: [String], limit: Int, page: ValuesPage? = nil, facets: Bool = false)
        /// The value of one node, with `facets` also its facets.
        case node(String, facets: Bool = false)
        /// A picture of the graph or a part of it, with values; with `live` also the steps between
        /// named nodes.
        case picture(PictureFormat, live: Bool, around: Surroundings? = nil)
        /// What made the value of a node, and which commits.
        case explanation(of: String)
        /// The emissions of a node after that commit, with `facets` also its facets; at most
        /// `limit` entries.
        case history(of: String, limit: Int, facets: Bool = false)
    }

    let graph: String
    let epochs: Epochs
    /// The graph's rev when the question was asked.
    let present: UInt64
    let rev: UInt64
    let subject: Subject
    let access: SentAccess

    /// A caller's question about the graph right after the commit `rev`.
    ///
    /// - Parameters:
    ///   - subject: what the caller wants to know.
    ///   - rev: the commit.
    ///   - epoch: the epoch of `rev`; nil: the present one.
    ///   - view: the graph as the caller sees it now.
    /// - Throws: `bad_field` for a future rev, `gone` for one that is not in the graph's history.
    public init(
        _ subject: Subject,
        at rev: UInt64,
        of epoch: String? = nil,
        in view: GraphView
    ) throws(HostError) {
        let graph = view.graph
        if let epoch, !graph.epochs.hold(rev, of: epoch) {
            throw .notInHistory(rev, of: epoch, graph)
        }
        guard rev <= graph.rev else {
            throw HostError(.badField, "rev \(rev) is in the future: \(graph.name) is at rev \(graph.rev)")
        }
        self.graph = graph.name
        epochs = graph.epochs
        present = graph.rev
        self.rev = rev
        self.subject = subject
        access = SentAccess(view.access, to: graph)
    }
}

/// The answer to a ``PastQuestion``.
public enum PastAnswer: Sendable {
    /// A body, as for the same question about the present.
    case body([UInt8])
    /// The value of a node.
    case node(PastReading)
    /// The question cannot be answered.
    case refused(HostError)
    /// The stored data is unusable; the error is for the operator of the server.
    case failed(StoreError)
    /// The caller cancelled.
    case stopped
}
