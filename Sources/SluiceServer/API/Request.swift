internal import CEL
internal import Commits
internal import Graphs
internal import HTTP
internal import Support
internal import Values

/// The request that a connection answers at present, as its route sees it.
///
/// `captures` and `head` are slices of the parser's buffer, so nothing that happens after the
/// route's function has returned may use them.
struct Request {
    let connection: HTTPConnection
    /// The names in the path.
    let captures: Captures
    let head: RequestHead
    /// The rights that its route needs.
    let need: Operation.Need

    /// What answers the requests of its listener.
    let dispatcher: RequestDispatcher

    var service: Service { dispatcher.service }
    var host: Host { connection.hub.host }
    /// The caller's rights.
    var access: Access { connection.access }
    var body: BorrowedBytes { connection.parser.body }
    var query: Query { Query(head.query) }
    /// Whether the client wants no body with a success (RFC 7240 §4.2).
    var returnsMinimal: Bool { head.has(.prefer) && Preferences(head).returnsMinimal }

    /// The first capture: the name of a graph or of a dashboard.
    var name: String { String(decoding: captures[0], as: UTF8.self) }
    /// The second capture.
    var nodeName: String { String(decoding: captures[1], as: UTF8.self) }

    /// The graph that the path names, as the caller may see it.
    ///
    /// - Throws: `unknown_graph` if it does not exist for this caller, `forbidden` if the route
    ///   needs rights on all its nodes.
    func graph() throws(HostError) -> GraphView {
        let graph = host.graph(named: captures[0])
        guard let graph else { throw host.noGraph(named: name, for: access) }
        let view = try GraphView(graph, for: access)
        if case .everyNode = need.extent { try view.requireObservation() }
        return view
    }

    /// The graph that the path names, also an orphan, for a route that needs a right over all of
    /// it.
    func wholeGraph() throws(HostError) -> LiveGraph {
        let name = name
        try need.check(access, graph: name)
        guard let graph = host.held(name) else {
            throw host.noGraph(named: name, for: access)
        }
        return graph
    }

    /// The node that the path names, with the rights that the route needs.
    ///
    /// - Throws: `unknown_node` if it does not exist for this caller, `forbidden` without the
    ///   rights.
    func node() throws(HostError) -> NamedNode {
        let view = try graph()
        return try view.node(view.graph.node(named: captures[1]), named: nodeName, to: need.rights)
    }

    /// A number in the query; nil if it is absent.
    func number(_ name: StaticString, _ range: ClosedRange<Int>) throws(HostError) -> Int? {
        let query = query
        guard query.raw(name) != nil else { return nil }
        if let number = query.integer(name), range.contains(number) { return number }
        throw HostError(
            .badField,
            "\(name): a number from \(range.lowerBound) to \(range.upperBound) is needed"
        )
    }

    /// A time in the query, as milliseconds since 1970; nil if it is absent.
    func moment(_ name: StaticString) throws(HostError) -> UInt64? {
        guard let text = query.string(name) else { return nil }
        let seconds = CEL.Timestamp(rfc3339: text)?.seconds
        let milliseconds = UInt64(text) ?? seconds.map { UInt64(max(0, $0)) * 1_000 }
        guard let milliseconds, LogStamp.times.contains(milliseconds) else {
            throw HostError(
                .badField,
                "\(name): milliseconds since 1970 or a time such as 2026-01-31T12:00:00Z are needed"
            )
        }
        return milliseconds
    }

    /// A name or glob; every name unless it is given.
    ///
    /// - Throws: `bad_field`, also for a body, which could only mean to say the same.
    func pattern(_ name: StaticString) throws(HostError) -> String {
        guard body.isEmpty else {
            throw HostError(.badField, "no body is expected: \(name) is a parameter in the URL")
        }
        let longest = 256
        let pattern = query.raw(name) == nil ? "*" : query.string(name) ?? ""
        guard (1...longest).contains(pattern.utf8.count) else {
            throw HostError(.badField, "\(name): a name or glob of 1 to \(longest) characters is needed")
        }
        return pattern
    }

    func requireJSON() throws(HostError) {
        guard MediaType.carriesJSON(head.value(.contentType)) else {
            throw .unsupportedType("application/json")
        }
    }
}

extension Query {
    /// Whether a flag is set: given with no value, `1` or `true`.
    ///
    /// - Throws: `bad_field` for another value than these, `0` and `false`.
    func isSet(_ name: StaticString) throws(HostError) -> Bool {
        guard let value = raw(name), !value.equals("0"), !value.equals("false") else { return false }
        if value.isEmpty || value.equals("1") || value.equals("true") { return true }
        throw HostError(.badField, "\(name): 1 or 0 is needed")
    }
}

extension HostError {
    static let draining = HostError(.draining, "the server is about to stop", after: 1000)

    static func unsupportedType(_ wanted: String...) -> HostError {
        let types = wanted.joined(separator: " or ")
        var error = HostError(.unsupportedType, "the body must be \(types), in UTF-8")
        error.hint = "with curl: -H 'Content-Type: \(wanted[0])'"
        return error
    }
}
