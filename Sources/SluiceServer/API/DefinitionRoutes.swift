internal import Commits
internal import Definitions
internal import Graphs
internal import HTTP
internal import Logging
internal import Support
internal import Values

/// Graphs over HTTP: define, redefine, read the definition, remove (docs/protocol-http.md).
enum DefinitionRoutes {
    /// `PUT /v1/graphs/{g}`: the body is a definition, JSON or YAML.
    ///
    /// `?dry_run=1` only reports the changes, `?adopt=1` takes over a graph that a file owns.
    static func defineGraph(_ request: Request) throws(HostError) {
        let (connection, name) = (request.connection, request.name)
        let need = request.need
        let (adopts, isDryRun) = (try request.query.isSet("adopt"), try request.query.isSet("dry_run"))
        let conditions = try TagConditions(request.head)
        let service = request.service
        let hint = isDryRun ? sizeHint(request.body.count, limit: service.configuration.body) : nil
        let former = request.host.held(name)?.definition.outline
        try service.definitions.read(try text(in: request), named: name, former: former) {
            [weak connection] result in
            guard let connection else { return }
            connection.answerLater(connection.waitingFor) { connection throws(HostError) in
                // The tokens may have been reloaded in the meantime.
                try need.check(connection.access, graph: name)
                let definition = try result.get()
                let graph = try connection.hub.host.presentGraph(name)
                try conditions.check(graph)
                if isDryRun {
                    answerDryRun(definition, for: graph, hint, on: connection)
                } else {
                    try define(definition, for: graph, adopting: adopts, on: connection, service)
                }
            }
        }
        _ = connection.wait()
    }

    /// Whether a request only tries a definition: its body may be long.
    ///
    /// Another thread reads it, and nothing is kept: so a file that is larger than a request may
    /// be can be tried before it is put in its folder.
    static func isDryRun(_ method: Method, _ path: BorrowedBytes, _ query: Query) -> Bool {
        let folder = "/v1/graphs/".utf8
        return method == .put && path.starts(with: folder)
            && !path.dropFirst(folder.count).contains(UInt8(ascii: "/"))
            && (try? query.isSet("dry_run")) == true
    }

    /// What stands in the way of more than a dry run.
    private static func sizeHint(_ size: Int, limit: Int) -> String? {
        guard size > limit else { return nil }
        return "over HTTP a definition may have \(limit) bytes (limits.body), this one has \(size)"
    }

    private static func answerDryRun(
        _ definition: GraphDefinition,
        for graph: LiveGraph?,
        _ hint: String?,
        on connection: HTTPConnection
    ) {
        let change = graph?.change(to: definition)
        connection.record?.subjects.append(AuditEntry.Field("dryRun", true))
        answer(.ok, definition, change, isDryRun: true, on: connection) { out in
            out.member("rev", graph?.rev)
            out.member("hint", hint)
        }
    }

    private static func define(
        _ definition: GraphDefinition,
        for graph: LiveGraph?,
        adopting adopts: Bool,
        on connection: HTTPConnection,
        _ service: Service
    ) throws(HostError) {
        let (host, name) = (connection.hub.host, definition.name)
        if let file = service.files.owners[name], !adopts {
            throw HostError(.inUse, "\(name) is defined by the file \(file); ?adopt=1 takes it over")
        }
        let change = graph?.change(to: definition)
        let submission =
            if let graph {
                host.redefine(graph, as: definition, from: .client, by: connection.access.name)
            } else {
                host.define(definition)
            }
        try connection.answer(submission) { connection, applied in
            if service.files.owners.removeValue(forKey: name) != nil {
                service.log.notice("a graph was taken over from its file", metadata: ["graph": "\(name)"])
            }
            answer(graph == nil ? .created : .ok, definition, change, on: connection) { out in
                out.member("epoch", applied.epoch)
                out.member("rev", applied.rev)
            }
        }
    }

    static func readDefinition(_ request: Request) throws(HostError) {
        let definition = try request.wholeGraph().definition
        if let value = request.head.value(.ifNoneMatch), let condition = EntityTagCondition(value),
            condition.matches(definition.hash)
        {
            return request.connection.answerEmpty(.notModified) { $0.append(entityTag: definition.hash) }
        }
        (definition.text + "\n").withBorrowedBytes { text in
            request.connection.answer(.ok, "application/json", text) {
                $0.append(entityTag: definition.hash)
            }
        }
    }

    /// `DELETE /v1/graphs/{g}`: removes a graph of a client, or an orphan.
    static func removeGraph(_ request: Request) throws(HostError) {
        let graph = try request.wholeGraph()
        try TagConditions(request.head).check(graph)
        if let file = request.service.files.owners[graph.name] {
            throw HostError(.inUse, "\(graph.name) is defined by the file \(file): remove that")
        }
        if graph.origin == .file, !graph.isOrphan, request.host.isFiledElsewhere(graph.name) {
            throw HostError(.inUse, "\(graph.name) is defined by a file of another server: remove that")
        }
        let submission = request.host.remove(graph)
        try request.connection.answer(submission) { connection, _ in connection.answerEmpty(.noContent) }
    }

    /// `POST /v1/reload`: reads the files of the configuration again, like SIGHUP.
    ///
    /// `?dry_run=1` only reports what would change.
    static func reloadFiles(_ request: Request) throws(HostError) {
        let connection = request.connection
        let isDryRun = try request.query.isSet("dry_run")
        let number = connection.wait()
        request.service.files.onRequest(isDryRun) { [weak connection] report in
            connection?.record?.subjects += report.subjects
            connection?.answerLater(number) { connection in
                connection.answerJSON { report.append(to: &$0) }
            }
        }
    }

    /// The definition in the body: JSON or YAML as its type says, otherwise as it looks.
    private static func text(in request: Request) throws(HostError) -> DefinitionText {
        guard let format = DefinitionFormat(request.head, request.body) else {
            throw .unsupportedType("application/yaml", "application/json")
        }
        return DefinitionText(bytes: Array(request.body), format: format)
    }

    private static func answer(
        _ status: Status,
        _ definition: GraphDefinition,
        _ change: DefinitionChange?,
        isDryRun: Bool = false,
        on connection: HTTPConnection,
        _ more: (inout ByteBuffer) -> Void
    ) {
        connection.answerJSON(status, fields: { $0.append(entityTag: definition.hash) }) { body in
            body.append("{")
            body.member("graph", definition.name)
            if isDryRun { body.member("dryRun", true) }
            more(&body)
            body.member("definition", definition.hash)
            body.member("diff")
            (change ?? DefinitionChange(toNew: definition)).append(to: &body)
            body.append("}\n")
        }
    }
}

extension Host {
    /// The graph with that name, restored if it is only stored.
    fileprivate func presentGraph(_ name: String) throws(HostError) -> LiveGraph? {
        do throws(StoreError) {
            return try restore(graph: name)
        } catch {
            throw fault("\(error)")
        }
    }
}

extension TagConditions {
    /// Throws `conflict` if the present definition, whose tag is its hash, does not meet them.
    fileprivate func check(_ graph: LiveGraph?) throws(HostError) {
        let tag = graph?.definition.hash
        guard allowsMatch(tag) else {
            let isForeign = tag != nil && isForeign
            var error = HostError(
                .conflict,
                isForeign ? Self.foreignTag : "the definition is not the one that If-Match asks for",
                rev: graph?.rev
            )
            error.hint = isForeign ? Self.foreignHint : nil
            throw error
        }
        guard allowsNoMatch(tag) else {
            throw HostError(
                .conflict,
                "the definition is one that If-None-Match rules out",
                rev: graph?.rev
            )
        }
    }
}
