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

    /// Which state of the graph is wanted.
    public enum Moment: Hashable, Sendable {
        /// The one right after this commit.
        case rev(UInt64)
        /// The one after the last commit that was made at or before this time, in milliseconds
        /// since 1970.
        case time(UInt64)
    }

    let graph: String
    let epochs: Epochs
    /// The graph's rev when the question was asked.
    let present: UInt64
    /// The commit; of a time that has to be looked up in the log, one after it.
    var rev: UInt64
    /// The time whose commit the log has to say; nil: `rev` is the commit.
    let time: UInt64?
    let subject: Subject
    let access: SentAccess

    /// Whether it is about the present state.
    public var isPresent: Bool { rev == present && time == nil }

    /// A caller's question about the graph at a moment.
    ///
    /// A time in the future is that of the present state.
    ///
    /// - Parameters:
    ///   - subject: what the caller wants to know.
    ///   - moment: the commit, or the time.
    ///   - epoch: the epoch of the commit; nil: the present one.
    ///   - view: the graph as the caller sees it now.
    /// - Throws: `bad_field` for a future rev, and for a time with an epoch; `gone` for a rev that
    ///   is not in the graph's history.
    public init(
        _ subject: Subject,
        at moment: Moment,
        of epoch: String? = nil,
        in view: GraphView
    ) throws(HostError) {
        let graph = view.graph
        switch moment {
        case .rev(let rev):
            if let epoch, !graph.epochs.hold(rev, of: epoch) {
                throw .notInHistory(rev, of: epoch, graph)
            }
            guard rev <= graph.rev else {
                throw HostError(
                    .badField,
                    "rev \(rev) is in the future: \(graph.name) is at rev \(graph.rev)"
                )
            }
            (self.rev, time) = (rev, nil)
        case .time(let moment):
            guard epoch == nil else {
                throw HostError(.badField, "epoch: it belongs to a rev, and 'at' has a time")
            }
            (rev, time) = (graph.rev, moment < graph.time ? moment : nil)
        }
        self.graph = graph.name
        epochs = graph.epochs
        present = graph.rev
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
