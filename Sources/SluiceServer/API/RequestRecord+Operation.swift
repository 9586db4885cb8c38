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
        let action = operation.map { Action(name: $0.name, audited: $0.audited, path: $0.path) }
        return RequestRecord(action, captures, head, in: audit)
    }
}
