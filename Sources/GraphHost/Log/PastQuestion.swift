/// What is asked of a graph as it was right after one commit.
///
/// It goes to another thread, where ``Past`` answers it.
public struct PastQuestion: Sendable {
    /// What the caller wants to know.
    public enum Subject: Sendable {
        /// What the nodes of these names and globs held (``GraphView/values(of:limit:)``).
        case values(of: [String], limit: Int, facets: Bool = false)
        /// What one node held, and with `facets` what was known besides.
        case node(String, facets: Bool = false)
        /// What the graph looked like, or a part of it, with what its nodes held; with `live` also the steps between them.
        case picture(PictureFormat, live: Bool, around: Surroundings? = nil)
        /// What made the value that a node held, and the commits that did.
        case explanation(of: String)
        /// What a node emitted after that commit, until now, and with `facets` what was known besides; `limit` entries at most.
        case history(of: String, limit: Int, facets: Bool = false)
    }

    let graph: String
    let epoch: String
    /// The graph's rev when it was asked.
    let present: UInt64
    let rev: UInt64
    let subject: Subject
    let access: SentAccess

    /// A question of a caller about the graph that it sees, right after the commit `rev`.
    ///
    /// - Parameters:
    ///   - subject: what the caller wants to know.
    ///   - rev: the commit.
    ///   - epoch: the history that `rev` belongs to; nil: the present one.
    ///   - view: the graph as the caller sees it now.
    /// - Throws: `bad_field` for a rev that has not come yet, `gone` for another history.
    public init(
        _ subject: Subject,
        at rev: UInt64,
        of epoch: String? = nil,
        in view: GraphView
    ) throws(HostError) {
        let graph = view.graph
        guard epoch == nil || epoch == graph.epoch else {
            throw HostError(.gone, "\(graph.name) goes on in another epoch: \(graph.epoch)")
        }
        guard rev <= graph.rev else {
            throw HostError(.badField, "rev \(rev) has not come yet: \(graph.name) is at \(graph.rev)")
        }
        self.graph = graph.name
        self.epoch = graph.epoch
        present = graph.rev
        self.rev = rev
        self.subject = subject
        access = SentAccess(view.access, to: graph)
    }
}

/// The answer to a ``PastQuestion``.
public enum PastAnswer: Sendable {
    /// A body as the same question about the present has it.
    case body([UInt8])
    /// What a node held.
    case node(PastReading)
    /// The question cannot be answered.
    case refused(HostError)
    /// What is stored cannot be used, which is for the person who runs the server.
    case failed(StoreError)
    /// The caller wanted it no longer.
    case stopped
}

/// A ``Reading`` of a node as it was.
public struct PastReading: Sendable {
    /// What it held.
    public enum Held: Sendable {
        /// Nothing.
        case empty
        /// A value, as JSON text.
        case value([UInt8])
        /// The operator failed: the member `"fail":{…}`.
        case fail([UInt8])

        /// The member that says it in an object.
        public var member: [UInt8] {
            switch self {
            case .empty: Array("\"empty\":true".utf8)
            case .value(let text): Array("\"v\":".utf8) + text
            case .fail(let member): member
            }
        }
    }

    /// What it held.
    public let held: Held
    /// The history that `changed` belongs to.
    public let epoch: String
    /// The rev of its last change until then.
    public let changed: UInt64
    /// Milliseconds since 1970 of that change.
    public let changedAt: UInt64
    /// What was known besides the value, as JSON; nil where that was not asked.
    public let state: [UInt8]?

    init(_ node: NamedNode, facets hasFacets: Bool) {
        let reading = node.graph.read(node)
        held =
            switch reading.held {
            case .empty: .empty
            case .value(let datum): .value(datum.withBytes { Array($0) })
            case .fail(let datum): .fail(datum.withFragment { Array($0) })
            }
        epoch = node.graph.epoch
        changed = reading.changed
        changedAt = reading.changedAt
        state = hasFacets ? node.graph.stateJSON(of: node) : nil
    }
}
