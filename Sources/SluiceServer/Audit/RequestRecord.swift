internal import EventLoop
internal import Graphs
internal import HTTP
internal import Support

/// What the audit has to know of a request when it is answered.
final class RequestRecord {
    /// What a route does, as the audit has to know it.
    struct Action {
        let name: String
        /// nil: the audit has only those requests that lacked a right.
        let audited: Audited?
        /// The pattern of its path.
        let path: String

        /// What the names in its path are: `graph`, `node`, `dashboard`, `connection`.
        fileprivate var captureNames: [String] {
            let words = ["g": "graph", "n": "node", "d": "dashboard", "c": "connection"]
            return path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
                let name = String(part.dropFirst().prefix { $0 != ":" && $0 != "}" })
                return words[name] ?? name
            }
        }
    }

    /// How the audit sees a route (docs/operations.md, Audit).
    enum Audited {
        /// It has a line for each request: it changes what the server serves, or sees all of it.
        case change
        /// It changes values, and has a line on request.
        case set
    }

    private let audit: Audit
    /// Nil for files and unknown paths.
    private let action: Action?
    /// The names in its path.
    private let names: [String]
    /// Method, path and the time of its arrival, if all requests are written.
    private let request: (method: String, path: String, began: UInt64)?
    /// What the route adds.
    var subjects: [AuditEntry.Field] = []

    /// Begins the record of a request.
    init(_ action: Action?, _ captures: Captures?, _ head: RequestHead, in audit: Audit) {
        (self.action, self.audit) = (action, audit)
        names = (0..<(captures?.count ?? 0)).compactMap { place in
            captures.map { String(decoding: $0[place], as: UTF8.self) }
        }
        guard audit.hasRequests else {
            request = nil
            return
        }
        let path = String(decoding: head.path, as: UTF8.self)
        request = (head.method.name.description, path, OwnProcess.nanoseconds)
    }

    /// The commit that the request made.
    func note(_ applied: Applied) {
        if applied.isChange { subjects.append(AuditEntry.Field("rev", applied.rev)) }
    }

    /// The request was answered with that status, or its connection was lost: its line is written,
    /// if it gets one.
    func end(
        _ status: Status?,
        _ code: ErrorCode? = nil,
        by name: String?,
        at address: @autoclosure () -> IPAddress?
    ) {
        guard code == .forbidden || audit.takes(action?.audited) else { return }
        var entry = AuditEntry(action: action?.name ?? "request")
        entry.by = name
        entry.address = address()?.description
        // A name in a path may be as long as the path, and true names are short.
        let captured = zip(action?.captureNames ?? [], names).map {
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
