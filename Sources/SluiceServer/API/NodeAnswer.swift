internal import Commits
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// How the state of a node is answered, present or past.
enum NodeAnswer {
    /// Answers that the client has this state already.
    static func sendUnchanged(_ reading: Reading, of node: NamedNode, on connection: HTTPConnection) {
        connection.answerEmpty(.notModified) { $0.append(validators: node.graph, reading) }
    }

    /// Answers with a node's state: the bare value, or an object with its facets.
    static func send(
        _ reading: Reading,
        of node: NamedNode,
        facets hasFacets: Bool,
        on connection: HTTPConnection
    ) {
        let graph = node.graph
        guard !hasFacets else {
            let state = node.facetsJSON
            return sendObject(reading.held.member, state, on: connection) {
                $0.append(validators: graph, reading)
            }
        }
        switch reading.held {
        case .empty:
            connection.answerEmpty(.noContent) { $0.append(validators: graph, reading) }
        case .fail(let fail):
            fail.withFragment { refuse($0, on: connection) { $0.append(validators: graph, reading) } }
        case .value(let datum):
            datum.withBytes { bytes in
                connection.answer(.ok, "application/json", bytes) {
                    $0.append(validators: graph, reading)
                }
            }
        }
    }

    /// Answers with a node's past state.
    static func send(_ reading: PastReading, on connection: HTTPConnection) {
        let validators = { (out: inout ByteBuffer) in out.append(validators: reading) }
        if let state = reading.state {
            return sendObject(reading.held.member, state, on: connection, fields: validators)
        }
        switch reading.held {
        case .empty: connection.answerEmpty(.noContent, fields: validators)
        case .fail(let fail): fail.withBorrowedBytes { refuse($0, on: connection, fields: validators) }
        case .value(let text):
            text.withBorrowedBytes { connection.answer(.ok, "application/json", $0, fields: validators) }
        }
    }

    /// Answers with a node's past state, unless the client has it already.
    static func send(
        _ reading: PastReading,
        unlessKnown known: [UInt8],
        on connection: HTTPConnection
    ) throws(HostError) {
        let isKnown = known.withBorrowedBytes { known in
            Result { () throws(HostError) in try Preconditions.isKnown(known, reading) }
        }
        guard try isKnown.get() else { return send(reading, on: connection) }
        connection.answerEmpty(.notModified) { $0.append(validators: reading) }
    }

    /// `?facets=1`: answers with an object of the value and the facets.
    private static func sendObject(
        _ held: [UInt8],
        _ state: [UInt8],
        on connection: HTTPConnection,
        fields: (inout ByteBuffer) -> Void
    ) {
        var body = ByteBuffer()
        body.append("{")
        body.append(held)
        body.append(",\"state\":")
        body.append(state)
        body.append("}\n")
        connection.answer(.ok, "application/json", body.bytes, fields: fields)
    }

    /// Answers that the node's operator failed; `fail` is the member with the reason.
    private static func refuse(
        _ fail: BorrowedBytes,
        on connection: HTTPConnection,
        fields: (inout ByteBuffer) -> Void
    ) {
        var members = ByteBuffer()
        members.append(",")
        members.append(fail)
        connection.refuse(
            Refusal(
                "node_failed",
                "the node's operator failed on its current input",
                members: Array(members.bytes)
            ),
            fields: fields
        )
    }
}

extension ByteBuffer {
    /// Appends the validators of a node's state.
    fileprivate mutating func append(validators graph: LiveGraph, _ reading: Reading) {
        append(validators: graph.epochs.epoch(of: reading.changed), reading.changed, at: reading.changedAt)
    }

    fileprivate mutating func append(validators reading: PastReading) {
        append(validators: reading.epoch, reading.changed, at: reading.changedAt)
    }

    /// The same for a state whose last change was at `rev`, at `time` in milliseconds since 1970.
    private mutating func append(validators epoch: String, _ rev: UInt64, at time: UInt64) {
        append(tagField: epoch, rev)
        append("Last-Modified: ")
        HTTPDate(unixSeconds: Int64(time / 1000)).append(to: &self)
        append("\r\nSluice-Time: ")
        append(decimal: time)
        append("\r\n")
    }
}
