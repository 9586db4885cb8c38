internal import GraphHost
internal import HTTP
internal import Logging
internal import Support

// Graphs by HTTP: define, redefine, read the definition, remove (wire-protocol.md §3).
extension HTTPConnection {
    /// `PUT /v1/graphs/{g}`: the body is a definition, JSON or YAML.
    ///
    /// `?dry_run=1` only says what would change, `?adopt=1` takes over a graph that a file owns.
    func defineGraph(_ captures: Captures, _ head: RequestHead) {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard mayAdminister(name) else { return }
        let query = Query(head.query)
        do throws(HostError) {
            let definition = try readDefinition(named: name, head)
            let graph = try server.presentGraph(name)
            try checkDefinition(of: graph, head)
            if let file = server.fileOwners[name], !query.flag("adopt"), !query.flag("dry_run") {
                throw HostError(.inUse, "\(name) is defined by the file \(file); ?adopt=1 takes it over")
            }
            let change = graph?.change(to: definition)
            if query.flag("dry_run") {
                let rev = graph?.rev
                return answerDefined(.ok, name, definition, change, isDryRun: true) { out in
                    guard let rev else { return }
                    out.append(",\"rev\":")
                    out.append(decimal: rev)
                }
            }
            let submission =
                if let graph {
                    server.host.redefine(graph, as: definition, from: .client, by: access.name)
                } else {
                    server.host.define(definition)
                }
            settle(submission) { connection, applied in
                if connection.server.fileOwners.removeValue(forKey: name) != nil {
                    connection.server.log.notice(
                        "a graph was taken over from its file",
                        metadata: ["graph": "\(name)"]
                    )
                }
                connection.answerDefined(graph == nil ? .created : .ok, name, definition, change) { out in
                    out.append(",\"epoch\":")
                    out.append(json: applied.epoch)
                    out.append(",\"rev\":")
                    out.append(decimal: applied.rev)
                }
            }
        } catch {
            refuse(error)
        }
    }

    /// `GET …/definition`: what the graph is defined as, as JSON.
    func readDefinition(_ captures: Captures, _ head: RequestHead) {
        guard let graph = administered(captures) else { return }
        let definition = graph.definition
        if let value = head.value(.ifNoneMatch), let condition = EntityTagCondition(value) {
            if graph.withHash(condition.matchesWeakly) {
                return answerEmpty(.notModified) { $0.append(hash: definition) }
            }
        }
        var text = definition.text + "\n"
        text.withUTF8 { text in
            answer(.ok, "application/json", UnsafeRawBufferPointer(text)) { $0.append(hash: definition) }
        }
    }

    /// `DELETE /v1/graphs/{g}`.
    func removeGraph(_ captures: Captures, _ head: RequestHead) {
        guard let graph = administered(captures) else { return }
        do throws(HostError) {
            try checkDefinition(of: graph, head)
            if let file = server.fileOwners[graph.name] {
                throw HostError(.inUse, "\(graph.name) is defined by the file \(file): remove that")
            }
            settle(server.host.remove(graph)) { connection, _ in connection.answerEmpty(.noContent) }
        } catch {
            refuse(error)
        }
    }

    /// `POST /v1/reload`: the files of the configuration are read again, as by SIGHUP.
    func reloadFiles() {
        let number = wait()
        server.reload { [weak self] report in
            self?.answerLater(number) { connection in
                var body = ByteBuffer()
                report.append(to: &body)
                connection.answer(.ok, "application/json", body.bytes)
            }
        }
    }

    // MARK: - Asking and answering

    /// Whether the caller administers graphs of that name; where not, that is answered.
    func mayAdminister(_ name: String) -> Bool {
        guard !access.administers(graph: name) else { return true }
        refuse(Refusal(.forbidden, "the right 'admin' on this graph is missing"))
        return false
    }

    private func administered(_ captures: Captures) -> LiveGraph? {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard mayAdminister(name) else { return nil }
        if let graph = server.host[name] { return graph }
        refuse(server.host.noGraph)
        return nil
    }

    /// The definition in the body, JSON or YAML as its type says, or as it looks where there is none.
    private func readDefinition(named name: String, _ head: RequestHead) throws(HostError) -> GraphDefinition
    {
        let body = parser.body
        let document: Document?
        var problems: [GraphHost.Problem] = []
        switch DefinitionFormat(head, body) {
        case .json?:
            do throws(GraphHost.Problem) {
                document = try Document.parse(json: body)
            } catch {
                document = nil
                problems = [error]
            }
        case .yaml?: (document, problems) = YAMLReader.read(Array(body), file: nil)
        case nil:
            throw HostError(
                HostError.Code(rawValue: "unsupported_type"),
                "the body must be application/json or application/yaml, in UTF-8"
            )
        }
        guard let document else {
            if problems.isEmpty { throw HostError(.badField, "nothing is defined here") }
            throw HostError(problems)
        }
        return try server.host.readDefinition(document, named: name)
    }

    /// `If-Match` and `If-None-Match` on the definition, whose entity tag is its hash.
    private func checkDefinition(of graph: LiveGraph?, _ head: RequestHead) throws(HostError) {
        if let value = head.value(.ifMatch) {
            guard let condition = EntityTagCondition(value) else {
                throw HostError(.badRequest, "If-Match must be * or a list of quoted entity tags")
            }
            guard let graph, graph.withHash(condition.matchesStrongly) else {
                throw HostError(
                    .conflict,
                    "the definition is not the one that If-Match asks for",
                    rev: graph?.rev
                )
            }
        }
        if let value = head.value(.ifNoneMatch) {
            guard let condition = EntityTagCondition(value) else {
                throw HostError(.badRequest, "If-None-Match must be * or a list of quoted entity tags")
            }
            if let graph, graph.withHash(condition.matchesWeakly) {
                throw HostError(
                    .conflict,
                    "the definition is one that If-None-Match rules out",
                    rev: graph.rev
                )
            }
        }
    }

    /// Answers when the log has.
    private func settle(_ submission: Submission, _ respond: @escaping (HTTPConnection, Applied) -> Void) {
        switch submission {
        case .applied(let applied): respond(self, applied)
        case .refused(let error): refuse(error)
        case .pending(let pending): answer(pending, respond)
        }
    }

    private func answerDefined(
        _ status: Status,
        _ name: String,
        _ definition: GraphDefinition,
        _ change: DefinitionChange?,
        isDryRun: Bool = false,
        _ more: (inout ByteBuffer) -> Void
    ) {
        var body = ByteBuffer()
        body.append("{\"graph\":")
        body.append(json: name)
        if isDryRun { body.append(",\"dryRun\":true") }
        more(&body)
        body.append(",\"definition\":")
        body.append(json: definition.hash)
        body.append(",\"diff\":")
        body.append(change: change ?? DefinitionChange(toNew: definition))
        body.append("}\n")
        answer(status, "application/json", body.bytes) { $0.append(hash: definition) }
    }
}

extension Server {
    /// The graph of that name, brought back where it is only stored.
    fileprivate func presentGraph(_ name: String) throws(HostError) -> LiveGraph? {
        do throws(StoreError) {
            return try host.restore(graph: name)
        } catch {
            throw host.fault("\(error)")
        }
    }
}

/// How a definition in a body is written.
private enum DefinitionFormat {
    case json, yaml

    /// What the head says; where it says nothing, JSON is what begins with a brace.
    init?(_ head: RequestHead, _ body: UnsafeRawBufferPointer) {
        guard let value = head.value(.contentType), !value.isEmpty else {
            let first = body.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
            self = first == UInt8(ascii: "{") ? .json : .yaml
            return
        }
        guard let type = MediaType(value), type.isUTF8 else { return nil }
        if type.isType("application/json") {
            self = .json
        } else if type.isType("application/yaml") || type.isType("application/x-yaml")
            || type.isType("text/yaml") || type.isType("text/x-yaml")
        {
            self = .yaml
        } else {
            return nil
        }
    }
}

extension LiveGraph {
    /// Lends the hash of the definition, which is its entity tag.
    fileprivate func withHash(_ judge: (UnsafeRawBufferPointer?) -> Bool) -> Bool {
        var hash = definition.hash
        return hash.withUTF8 { judge(UnsafeRawBufferPointer($0)) }
    }
}

extension ByteBuffer {
    /// Appends the header line `ETag` with a definition's hash.
    mutating func append(hash definition: GraphDefinition) {
        append("ETag: \"")
        append(utf8: definition.hash)
        append("\"\r\n")
    }
}
