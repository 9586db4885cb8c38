internal import EventLoop
internal import Graphs
internal import HTTP
internal import Support

/// What the audit has to know of a request when it is answered.
final class RequestRecord {
    /// The row of its route; nil for files and unknown paths.
    private let operation: Operation?
    /// The names in its path.
    private let names: [String]
    /// Method, path and the time of its arrival, if all requests are written.
    private let request: (method: String, path: String, began: UInt64)?
    /// What the route adds.
    var subjects: [AuditEntry.Field] = []

    private init(_ operation: Operation?, _ captures: Captures?, _ head: RequestHead, isWhole: Bool) {
        self.operation = operation
        names = (0..<(captures?.count ?? 0)).compactMap { place in
            captures.map { String(decoding: $0[place], as: UTF8.self) }
        }
        guard isWhole else {
            request = nil
            return
        }
        let path = String(decoding: head.path, as: UTF8.self)
        request = (head.method.name.description, path, OwnProcess.nanoseconds)
    }

    /// Begins a record, if the server has an audit.
    static func begin(
        _ operation: Operation?,
        _ captures: Captures?,
        _ head: RequestHead,
        at server: Server
    ) -> RequestRecord? {
        guard let audit = server.audit, operation != nil || audit.hasRequests else { return nil }
        return RequestRecord(operation, captures, head, isWhole: audit.hasRequests)
    }

    /// The same for a POST to a node whose path is known, if each change of values is written.
    static func begin(
        setting node: NamedNode,
        _ head: RequestHead,
        at server: Server,
        always: Bool = false
    ) -> RequestRecord? {
        guard let audit = server.audit, always || audit.hasSets || audit.hasRequests else { return nil }
        let record = RequestRecord(CommitRoutes.setByPost, nil, head, isWhole: audit.hasRequests)
        record.subjects = [AuditEntry.Field("graph", node.graph.name), AuditEntry.Field("node", node.name)]
        return record
    }

    /// The commit that the request made.
    func note(_ applied: Applied) { subjects.append(AuditEntry.Field("rev", applied.rev)) }

    /// The request was answered with that status, or its connection was lost: its line is written,
    /// if it gets one.
    func end(_ status: Status?, _ code: ErrorCode? = nil, on connection: HTTPConnection) {
        guard let audit = connection.server.audit else { return }
        let isAudited =
            switch operation?.audited {
            case .change?: true
            case .set?: audit.hasSets
            case nil: false
            }
        guard isAudited || code == .forbidden || audit.hasRequests else { return }
        var entry = AuditEntry(action: operation?.name ?? "request")
        entry.by = connection.access.name
        entry.address = connection.address?.description
        // A name in a path may be as long as the path, and true names are short.
        let captured = zip(operation?.captureNames ?? [], names).map {
            AuditEntry.Field($0, String($1.prefix(200)))
        }
        entry.subjects = captured + subjects
        if let request {
            entry.subjects += [
                AuditEntry.Field("method", request.method),
                AuditEntry.Field("path", String(request.path.prefix(200))),
                AuditEntry.Field("status", status?.rawValue ?? 0),
                AuditEntry.Field("ms", (OwnProcess.nanoseconds - request.began) / 1_000_000),
            ]
        }
        entry.error = status == nil ? "unanswered" : code?.rawValue
        audit.note(entry)
    }
}

extension HTTPConnection {
    /// Counts an answer of the current request, and writes its line of the audit.
    @inline(__always)
    func answered(_ status: Status, _ code: ErrorCode? = nil) {
        server.count(status)
        record.take()?.end(status, code, on: self)
    }
}

extension Operation {
    /// What the captures of its path are: `graph`, `node`, `dashboard`, `connection`.
    fileprivate var captureNames: [String] {
        let words = ["g": "graph", "n": "node", "d": "dashboard", "c": "connection"]
        return path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().prefix { $0 != ":" && $0 != "}" })
            return words[name] ?? name
        }
    }
}
