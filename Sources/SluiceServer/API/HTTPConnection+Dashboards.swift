internal import GraphHost
internal import HTTP
internal import Logging
internal import Support

// The server's dashboards over HTTP (docs/dashboards.md).
extension HTTPConnection {
    /// `GET /v1/dashboards`: the dashboards of graphs that exist for the caller, and whether it may
    /// save any.
    func listDashboards() {
        let graphs = access.dashboardGraphs
        let dashboards = server.dashboards
        answerJSON { out in
            out.append("{\"writable\":")
            out.append(!graphs.isEmpty && dashboards?.folder.isWritable == true ? "true" : "false")
            out.append(",\"dashboards\":[")
            let rows = dashboards?.rows().filter { isVisible($0.graph) } ?? []
            out.append(separated: rows) { row, out in
                out.append("{\"name\":")
                out.append(json: row.name)
                out.append(",\"title\":")
                out.append(json: row.title ?? row.name)
                out.append(",\"graph\":")
                out.append(json: row.graph)
                out.append("}")
            }
            out.append("]}\n")
        }
    }

    /// `GET /v1/dashboards/{d}`.
    func readDashboard(_ captures: Captures, _ head: RequestHead) {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard let bytes = server.dashboards?.folder.read(name), isVisible(DashboardText(bytes).graph ?? name)
        else { return refuse(Self.noDashboard) }
        var tag = DashboardFolder.tag(bytes)
        if let value = head.value(.ifNoneMatch), let condition = EntityTagCondition(value) {
            let isKnown = tag.withUTF8 { condition.matchesWeakly(UnsafeRawBufferPointer($0)) }
            if isKnown { return answerEmpty(.notModified) { $0.append(tag: tag) } }
        }
        bytes.withUnsafeBytes { answer(.ok, "application/json", $0) { $0.append(tag: tag) } }
    }

    /// `PUT /v1/dashboards/{d}`.
    func saveDashboard(_ captures: Captures, _ head: RequestHead) {
        let name = String(decoding: captures[0], as: UTF8.self)
        let body = Array(parser.body)
        let graphs = access.dashboardGraphs
        do throws(HostError) {
            let graph = try Self.graph(of: body) ?? name
            guard graphs.contains(graph) else { throw Self.missingRight(graph) }
            let condition = try DashboardCondition(head)
            change(named: name) { folder in
                folder.save(body, as: name, if: condition, allowed: graphs)
            }
        } catch {
            refuse(error)
        }
    }

    /// `DELETE /v1/dashboards/{d}`.
    func removeDashboard(_ captures: Captures, _ head: RequestHead) {
        let name = String(decoding: captures[0], as: UTF8.self)
        let graphs = access.dashboardGraphs
        do throws(HostError) {
            guard !graphs.isEmpty else { throw Self.missingRight(nil) }
            let condition = try DashboardCondition(head)
            change(named: name) { folder in folder.remove(name, if: condition, allowed: graphs) }
        } catch {
            refuse(error)
        }
    }

    private func change(
        named name: String,
        _ work: @escaping @Sendable (DashboardFolder) -> DashboardChange
    ) {
        guard let dashboards = server.dashboards else {
            return refuse(
                Refusal(.notFound, "the configuration names no folder for dashboards ('dashboards')")
            )
        }
        let number = wait()
        let folder = dashboards.folder
        let caller = access.name
        dashboards.change(work) { [weak self] change in
            self?.server.noteChange(change, of: name, by: caller)
            self?.answerLater(number) { $0.answer(change, in: folder) }
        }
    }

    private func answer(_ change: DashboardChange, in folder: DashboardFolder) {
        switch change {
        case .saved(let tag, let isNew):
            answerEmpty(isNew ? .created : .noContent) { $0.append(tag: tag) }
        case .removed: answerEmpty(.noContent)
        case .missing: refuse(Self.noDashboard)
        case .conflict(let tag): refuse(Self.conflict(tag))
        case .forbidden(let graph): refuse(Self.missingRight(graph))
        case .full:
            refuse(
                Refusal(
                    .tooLarge,
                    "there are \(folder.most) dashboards, the most this server keeps (limits.dashboards)"
                )
            )
        case .unwritable(let reason):
            refuse(
                Refusal(
                    .readOnly,
                    "the folder of dashboards, '\(folder.path)', cannot be written: \(reason)",
                    members: Self.hint("create the folder, and let the server's user write to it")
                )
            )
        }
    }

    /// Whether dashboards of a graph exist for the caller: the graph does, or the caller may save
    /// them.
    private func isVisible(_ graph: String) -> Bool {
        if let live = server.host[graph], access.sees(live) { return true }
        return access.dashboardGraphs.contains(graph)
    }

    /// The graph that a dashboard in a body names; checks the form of the body.
    private static func graph(of body: [UInt8]) throws(HostError) -> String? {
        let read: Result<String?, HostError> = body.withUnsafeBytes { bytes in
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

    private static func conflict(_ tag: String?) -> Refusal {
        var members = ByteBuffer()
        members.append(",\"etag\":")
        if let tag { members.append(json: "\"\(tag)\"") } else { members.append("null") }
        return Refusal(
            "conflict",
            tag == nil
                ? "this dashboard does not exist any more" : "this dashboard was changed by another client",
            members: Array(members.bytes)
        )
    }

    private static func hint(_ text: String) -> [UInt8] {
        var members = ByteBuffer()
        members.append(",\"hint\":")
        members.append(json: text)
        return Array(members.bytes)
    }

    private static var noDashboard: Refusal { Refusal(.notFound, "there is no dashboard of this name") }
}

extension Server {
    fileprivate func noteChange(_ change: DashboardChange, of name: String, by caller: String?) {
        let metadata: Logger.Metadata = ["dashboard": "\(name)", "by": "\(caller ?? "")"]
        switch change {
        case .saved: log.notice("a dashboard was saved", metadata: metadata)
        case .removed: log.notice("a dashboard was removed", metadata: metadata)
        case .unwritable(let reason):
            log.warning("a dashboard could not be saved: \(reason)", metadata: metadata)
        case .missing, .conflict, .forbidden, .full: break
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(tag: String) {
        append("ETag: \"")
        append(utf8: tag)
        append("\"\r\n")
    }
}
