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
