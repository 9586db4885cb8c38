internal import GraphHost
internal import HTTP
internal import Logging
internal import Support

// Graphs over HTTP: define, redefine, read the definition, remove (docs/protocol.md, HTTP).
extension HTTPConnection {
    /// `PUT /v1/graphs/{g}`: the body is a definition, JSON or YAML.
    ///
    /// `?dry_run=1` only reports the changes, `?adopt=1` takes over a graph that a file owns.
    func defineGraph(_ captures: Captures, _ head: RequestHead) {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard mayAdminister(name) else { return }
        let query = Query(head.query)
        let (adopts, isDryRun) = (query.flag("adopt"), query.flag("dry_run"))
        do throws(HostError) {
            let conditions = try DefinitionConditions(head)
            let text = try definitionText(head)
            try server.definitions.read(text, named: name) { [weak self] result in
                guard let self else { return }
                server.beginTurn()
                answerLater(waitingFor) { connection in
                    do throws(HostError) {
                        // The tokens may have been reloaded in the meantime.
                        guard connection.mayAdminister(name) else { return }
                        let definition = try result.get()
                        let graph = try connection.server.presentGraph(name)
                        try conditions.check(graph)
                        if isDryRun {
                            connection.answerDryRun(definition, for: graph)
                        } else {
                            try connection.define(definition, for: graph, adopting: adopts)
                        }
                    } catch {
                        connection.refuse(error)
                    }
                }
            }
            _ = wait()
        } catch {
            refuse(error)
        }
    }

    private func answerDryRun(_ definition: GraphDefinition, for graph: LiveGraph?) {
        answerDefined(.ok, definition, graph?.change(to: definition), isDryRun: true) { out in
            guard let rev = graph?.rev else { return }
            out.append(",\"rev\":")
            out.append(decimal: rev)
        }
    }

    private func define(
        _ definition: GraphDefinition,
        for graph: LiveGraph?,
        adopting adopts: Bool
    ) throws(HostError) {
        let name = definition.name
        if let file = server.fileOwners[name], !adopts {
            throw HostError(.inUse, "\(name) is defined by the file \(file); ?adopt=1 takes it over")
        }
        let change = graph?.change(to: definition)
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
            connection.answerDefined(graph == nil ? .created : .ok, definition, change) { out in
                out.append(",\"epoch\":")
                out.append(json: applied.epoch)
                out.append(",\"rev\":")
                out.append(decimal: applied.rev)
            }
        }
    }

    /// `GET …/definition`: the graph's definition as JSON.
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
            try DefinitionConditions(head).check(graph)
            if let file = server.fileOwners[graph.name] {
                throw HostError(.inUse, "\(graph.name) is defined by the file \(file): remove that")
            }
            settle(server.host.remove(graph)) { connection, _ in connection.answerEmpty(.noContent) }
        } catch {
            refuse(error)
        }
    }

    /// `POST /v1/reload`: reads the files of the configuration again, like SIGHUP.
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

    /// Whether the caller may administer graphs with that name; if not, that has been answered.
    func mayAdminister(_ name: String) -> Bool {
        guard !access.administers(graph: name) else { return true }
        refuse(Refusal(.forbidden, "the right 'admin' on this graph is missing"))
        return false
    }

    /// The graph of the captures, if the caller may administer it; otherwise nil, and the error has
    /// been answered.
    func administered(_ captures: Captures) -> LiveGraph? {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard mayAdminister(name) else { return nil }
        if let graph = server.host[name] { return graph }
        refuse(server.host.noGraph)
        return nil
    }

    /// The definition in the body: JSON or YAML as its type says, otherwise as it looks.
    private func definitionText(_ head: RequestHead) throws(HostError) -> DefinitionText {
        let body = parser.body
        guard let format = DefinitionFormat(head, body) else {
            throw HostError(
                HostError.Code(rawValue: "unsupported_type"),
                "the body must be application/json or application/yaml, in UTF-8"
            )
        }
        return DefinitionText(bytes: Array(body), format: format)
    }

    /// Answers once the log has answered.
    private func settle(_ submission: Submission, _ respond: @escaping (HTTPConnection, Applied) -> Void) {
        switch submission {
        case .applied(let applied): respond(self, applied)
        case .refused(let error): refuse(error)
        case .pending(let pending): answer(pending, respond)
        }
    }

    private func answerDefined(
        _ status: Status,
        _ definition: GraphDefinition,
        _ change: DefinitionChange?,
        isDryRun: Bool = false,
        _ more: (inout ByteBuffer) -> Void
    ) {
        var body = ByteBuffer()
        body.append("{\"graph\":")
        body.append(json: definition.name)
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
    /// The graph with that name, restored if it is only stored.
    fileprivate func presentGraph(_ name: String) throws(HostError) -> LiveGraph? {
        do throws(StoreError) {
            return try host.restore(graph: name)
        } catch {
            throw host.fault("\(error)")
        }
    }
}

/// `If-Match` and `If-None-Match` on a definition, whose entity tag is its hash.
private struct DefinitionConditions {
    private let ifMatch: [UInt8]?
    private let ifNoneMatch: [UInt8]?

    /// Keeps the conditions of the head, which it outlives.
    ///
    /// - Throws: `bad_request` if they are invalid.
    init(_ head: RequestHead) throws(HostError) {
        func read(_ value: UnsafeRawBufferPointer?, _ name: String) throws(HostError) -> [UInt8]? {
            guard let value else { return nil }
            if EntityTagCondition(value) != nil { return Array(value) }
            throw HostError(.badRequest, "\(name) must be * or a list of quoted entity tags")
        }
        ifMatch = try read(head.value(.ifMatch), "If-Match")
        ifNoneMatch = try read(head.value(.ifNoneMatch), "If-None-Match")
    }

    /// Throws `conflict` if the present definition does not meet the conditions.
    func check(_ graph: LiveGraph?) throws(HostError) {
        if let ifMatch, !holds(ifMatch, graph, { $0.matchesStrongly($1) }) {
            throw HostError(
                .conflict,
                "the definition is not the one that If-Match asks for",
                rev: graph?.rev
            )
        }
        if let ifNoneMatch, holds(ifNoneMatch, graph, { $0.matchesWeakly($1) }) {
            throw HostError(
                .conflict,
                "the definition is one that If-None-Match rules out",
                rev: graph?.rev
            )
        }
    }

    private func holds(
        _ value: [UInt8],
        _ graph: LiveGraph?,
        _ matches: (EntityTagCondition, UnsafeRawBufferPointer?) -> Bool
    ) -> Bool {
        value.withUnsafeBytes { value in
            guard let graph, let condition = EntityTagCondition(value) else { return false }
            return graph.withHash { matches(condition, $0) }
        }
    }
}

/// The format of a definition in a body.
enum DefinitionFormat {
    case json, yaml

    /// The format by the head; without a type, text that begins with a brace is JSON.
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
    /// Calls `judge` with the hash of the definition, which is its entity tag.
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
