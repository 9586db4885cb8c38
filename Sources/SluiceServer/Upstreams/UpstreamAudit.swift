/// What the audit has of upstreams: the first use of each secret by a graph, and what the server
/// refuses to do for a graph.
///
/// It has no line for each request: `/metrics` counts these.
struct UpstreamAudit {
    /// A secret that is sent to an origin for a graph.
    private struct Use: Hashable {
        let graph: String
        let secret: String
        let origin: String
    }

    /// nil: the configuration wants none.
    var audit: Audit?
    private var uses: Set<Use> = []

    /// Secrets are sent to an origin for a graph.
    mutating func used(_ secrets: [String], by graph: String, at origin: String) {
        guard let audit else { return }
        for secret in secrets
        where uses.insert(Use(graph: graph, secret: secret, origin: origin)).inserted {
            var entry = AuditEntry(action: "useSecret")
            entry.subjects = Self.subjects(graph, origin) + [AuditEntry.Field("secret", secret)]
            audit.note(entry)
        }
    }

    /// An upstream is not opened for a graph, or not asked any further, because that is not
    /// permitted; other failures are not for the audit.
    func failed(_ reason: UpstreamFailure, for graph: String, at origin: String) {
        guard let audit, [.notPermitted, .secret, .redirect].contains(reason.code) else { return }
        var entry = AuditEntry(action: "openUpstream")
        entry.subjects = Self.subjects(graph, origin) + [AuditEntry.Field("why", reason.code.rawValue)]
        entry.error = "forbidden"
        audit.note(entry)
    }

    /// A graph is gone: a new graph of that name has used nothing yet.
    mutating func forget(_ graph: String) {
        uses = uses.filter { $0.graph != graph }
    }

    private static func subjects(_ graph: String, _ origin: String) -> [AuditEntry.Field] {
        [AuditEntry.Field("graph", graph), AuditEntry.Field("upstream", origin)]
    }
}
