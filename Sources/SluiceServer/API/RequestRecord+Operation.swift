internal import HTTP

extension RequestRecord {
    /// Begins the record of a request for an operation.
    static func begin(
        _ operation: Operation,
        _ captures: Captures,
        _ head: RequestHead,
        in audit: Audit
    ) -> RequestRecord {
        let action = Action(name: operation.name, audited: operation.audited, path: operation.path)
        return RequestRecord(action, captures, head, in: audit)
    }
}
