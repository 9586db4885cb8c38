internal import Graphs
internal import HTTP
internal import Values

/// Requests for a state that includes a commit, which another server may have answered:
/// `?after=EPOCH:REV`.
enum CommitQuery {
    /// Puts the request off if it needs a commit that the graph does not have yet.
    ///
    /// It is then performed again from the start, because the caller's rights and the graph may
    /// have changed by then.
    ///
    /// - Throws: `bad_field`, `gone`; `not_ready` if it has waited.
    static func isPutOff(_ request: Request, _ operation: Operation) throws(HostError) -> Bool {
        guard request.query.raw("after") != nil, operation.takesCommit else { return false }
        let stamp = try stamp(in: request.query, operation)
        let (connection, graph) = (request.connection, try request.graph().graph)
        if case .commit = connection.held {
            try stamp.require(in: graph)
            return false
        }
        var number: UInt64 = 0
        let wait = try stamp.wait(in: graph) { [weak connection] in
            connection?.answerLater(number) { connection in
                connection.respond()
                if case .commit = connection.held { connection.held = nil }
            }
        }
        guard let wait else { return false }
        connection.held = .commit(wait)
        connection.parser.hold()
        number = connection.waitAsAsked()
        return true
    }

    private static func stamp(in query: Query, _ operation: Operation) throws(HostError) -> CommitStamp {
        guard let stamp = query.string("after").flatMap({ CommitStamp($0) }) else {
            var error = HostError(
                .badField,
                "after: the epoch and the rev of an answer are needed, as EPOCH:REV"
            )
            if operation.parameters.contains(where: { $0.name == "next" }) {
                error.hint = "the next page is asked for with next=NAME"
            }
            throw error
        }
        guard query.raw("at") == nil else {
            throw HostError(.badField, "after: not together with at, which names a state of the past")
        }
        return stamp
    }
}
