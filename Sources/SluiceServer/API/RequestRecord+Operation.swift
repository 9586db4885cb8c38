internal import Graphs
internal import HTTP

extension RequestRecord {
    /// Begins a record, if the server has an audit.
    static func begin(
        _ operation: Operation?,
        _ captures: Captures?,
        _ head: RequestHead,
        at hub: Hub
    ) -> RequestRecord? {
        guard let audit = hub.audit, operation != nil || audit.hasRequests else { return nil }
        return RequestRecord(operation?.action, captures, head, in: audit)
    }

    /// The same for a POST to a node whose path is known, if each change of values is written.
    static func begin(
        setting node: NamedNode,
        _ head: RequestHead,
        at hub: Hub,
        always: Bool = false
    ) -> RequestRecord? {
        guard let audit = hub.audit, always || audit.hasSets || audit.hasRequests else { return nil }
        let record = RequestRecord(CommitRoutes.setByPost.action, nil, head, in: audit)
        record.subjects = [AuditEntry.Field("graph", node.graph.name), AuditEntry.Field("node", node.name)]
        return record
    }
}

extension Operation {
    fileprivate var action: RequestRecord.Action {
        RequestRecord.Action(name: name, audited: audited, captureNames: captureNames)
    }

    /// What the captures of its path are: `graph`, `node`, `dashboard`, `connection`.
    private var captureNames: [String] {
        let words = ["g": "graph", "n": "node", "d": "dashboard", "c": "connection"]
        return path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().prefix { $0 != ":" && $0 != "}" })
            return words[name] ?? name
        }
    }
}
