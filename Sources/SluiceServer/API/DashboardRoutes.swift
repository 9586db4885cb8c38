internal import Graphs
internal import HTTP
internal import Logging
internal import Support
internal import Values

/// The server's dashboards over HTTP (docs/dashboards.md).
enum DashboardRoutes {
    /// `GET /v1/dashboards`: the dashboards of graphs that exist for the caller, and whether it may
    /// save any.
    static func listDashboards(_ request: Request) {
        guard let dashboards = request.service.dashboards else {
            return request.connection.answerJSON { append([], readOnly: noFolder.message, to: &$0) }
        }
        let number = request.connection.wait()
        dashboards.list { [weak connection = request.connection] rows in
            connection?.answerLater(number) { connection in
                let access = connection.access
                let rows = rows.filter { isVisible($0.graph, to: access, in: connection.hub.host) }
                let obstacle = obstacle(to: access, in: dashboards.folder)
                connection.answerJSON { append(rows, readOnly: obstacle, to: &$0) }
            }
        }
    }

    private static func append(
        _ rows: [Dashboards.Row],
        readOnly obstacle: String?,
        to out: inout ByteBuffer
    ) {
        out.append("{")
        out.member("writable", obstacle == nil)
        out.member("why", obstacle)
        out.member("dashboards", objects: rows) { row, out in
            out.member("name", row.name)
            out.member("title", row.title ?? row.name)
            out.member("graph", row.graph)
        }
        out.append("}\n")
    }

    /// Why the caller can save no dashboard; nil if it can.
    private static func obstacle(to access: Access, in folder: DashboardFolder) -> String? {
        if access.dashboardGraphs.isEmpty { return missingRight(nil).message }
        return folder.obstacle.map { unwritable(folder, $0).message }
    }

    /// `GET /v1/dashboards/{d}`.
    static func readDashboard(_ request: Request) throws(HostError) {
        let name = request.name
        guard let bytes = request.service.dashboards?.folder.read(name),
            isVisible(DashboardText(bytes).graph ?? name, to: request.access, in: request.host)
        else { throw noDashboard }
        let tag = DashboardFolder.tag(bytes)
        if let value = request.head.value(.ifNoneMatch), let condition = EntityTagCondition(value),
            condition.matches(tag)
        {
            return request.connection.answerEmpty(.notModified) { $0.append(entityTag: tag) }
        }
        request.connection.answerJSON(bytes) { $0.append(entityTag: tag) }
    }

    /// `PUT /v1/dashboards/{d}`.
    static func saveDashboard(_ request: Request) throws(HostError) {
        let name = request.name
        let body = Array(request.body)
        let graphs = request.access.dashboardGraphs
        let graph = try graph(of: body) ?? name
        guard graphs.contains(graph) else { throw missingRight(graph) }
        let condition = try TagConditions(request.head)
        try change(named: name, by: request) { folder in
            folder.save(body, as: name, if: condition, allowed: graphs)
        }
    }

    /// `DELETE /v1/dashboards/{d}`.
    static func removeDashboard(_ request: Request) throws(HostError) {
        let name = request.name
        let graphs = request.access.dashboardGraphs
        guard !graphs.isEmpty else { throw missingRight(nil) }
        let condition = try TagConditions(request.head)
        try change(named: name, by: request) { folder in
            folder.remove(name, if: condition, allowed: graphs)
        }
    }

    private static func change(
        named name: String,
        by request: Request,
        _ work: @escaping @Sendable (DashboardFolder) -> DashboardChange
    ) throws(HostError) {
        let (connection, log) = (request.connection, request.service.log)
        guard let dashboards = request.service.dashboards else {
            throw noFolder
        }
        let number = connection.wait()
        let folder = dashboards.folder
        let caller = connection.access.name
        dashboards.change(work) { [weak connection] change in
            guard let connection else { return }
            note(change, of: name, by: caller, in: log)
            connection.answerLater(number) { connection throws(HostError) in
                try answer(change, in: folder, on: connection)
            }
        }
    }

    private static func answer(
        _ change: DashboardChange,
        in folder: DashboardFolder,
        on connection: HTTPConnection
    ) throws(HostError) {
        switch change {
        case .saved(let tag, let isNew):
            connection.answerEmpty(isNew ? .created : .noContent) { $0.append(entityTag: tag) }
        case .removed: connection.answerEmpty(.noContent)
        case .missing: throw noDashboard
        case .conflict(let tag?):
            connection.refuse(conflict("this dashboard was changed by another client", tag))
        case .conflict(nil):
            connection.refuse(conflict("this dashboard does not exist any more", nil))
        case .foreign(let tag):
            connection.refuse(conflict(TagConditions.foreignTag, tag, TagConditions.foreignHint))
        case .exists(let tag):
            connection.refuse(conflict("a dashboard of this name exists", tag))
        case .forbidden(let graph, let removes):
            if isVisible(graph, to: connection.access, in: connection.hub.host) { throw missingRight(graph) }
            // A dashboard that the caller may not see does not exist, but its name is in use.
            throw removes
                ? noDashboard
                : HostError(.forbidden, "a dashboard of this name belongs to a graph that you may not see")
        case .full:
            throw HostError(
                .tooLarge,
                "there are \(folder.most) dashboards, the most this server keeps (limits.dashboards)"
            )
        case .unwritable(let reason):
            throw unwritable(folder, reason)
        }
    }

    private static func note(
        _ change: DashboardChange,
        of name: String,
        by caller: String?,
        in log: Logger
    ) {
        let metadata: Logger.Metadata = ["dashboard": "\(name)", "by": "\(caller ?? "")"]
        switch change {
        case .saved: log.notice("a dashboard was saved", metadata: metadata)
        case .removed: log.notice("a dashboard was removed", metadata: metadata)
        case .unwritable(let reason):
            log.warning("a dashboard could not be saved: \(reason)", metadata: metadata)
        case .missing, .conflict, .foreign, .exists, .forbidden, .full: break
        }
    }

    /// Whether dashboards of a graph exist for the caller: the graph does, or the caller may save
    /// them.
    private static func isVisible(_ graph: String, to access: Access, in host: Host) -> Bool {
        if let live = host[graph], access.sees(live) { return true }
        return access.dashboardGraphs.contains(graph)
    }

    /// The graph that a dashboard in a body names; checks the form of the body.
    private static func graph(of body: [UInt8]) throws(HostError) -> String? {
        let read: Result<String?, HostError> = body.withBorrowedBytes { bytes in
            do throws(JSONError) {
                let read = try JSONReader(checking: bytes)
                guard read.kind == .object, read["v"]?.int != nil, read["widgets"]?.kind == .array else {
                    return .failure(bad("a dashboard is an object with a number 'v' and a list 'widgets'"))
                }
                if let title = read["title"], title.string == nil {
                    return .failure(bad("title: a string is needed"))
                }
                guard let graph = read["graph"] else { return .success(nil) }
                guard let name = graph.string else {
                    return .failure(bad("graph: the name of a graph is needed"))
                }
                return .success(name)
            } catch {
                return .failure(HostError(error))
            }
        }
        return try read.get()
    }

    private static func bad(_ sentence: String) -> HostError { HostError(.badField, sentence) }

    private static func missingRight(_ graph: String?) -> HostError {
        let place = graph.map { " for graph \($0)" } ?? ""
        return HostError(.forbidden, "the right 'dashboards' is missing\(place)")
    }

    /// A conflict with the dashboard that has `tag` now; nil: there is none.
    private static func conflict(_ sentence: String, _ tag: String?, _ hint: String? = nil) -> Refusal {
        var members = ByteBuffer()
        members.append(",\"etag\":")
        if let tag { members.append(json: "\"\(tag)\"") } else { members.append("null") }
        members.member("hint", hint)
        return Refusal("conflict", sentence, members: Array(members.bytes))
    }

    private static var noFolder: HostError {
        HostError(.notFound, "the configuration names no folder for dashboards ('dashboards')")
    }

    private static func unwritable(_ folder: DashboardFolder, _ reason: String) -> HostError {
        var error = HostError(
            .readOnly,
            "the folder of dashboards, '\(folder.path)', cannot be written: \(reason)"
        )
        error.hint = "create the folder, and let the server's user write to it"
        return error
    }

    private static var noDashboard: HostError { HostError(.notFound, "there is no dashboard of this name") }
}
