internal import Definitions
internal import HTTP
internal import Support
internal import Values

/// The description of the HTTP API as OpenAPI 3.1, made from ``Operation/all`` and the error table.
///
/// Each listener describes the operations that it serves.
enum OpenAPI {
    static func document(of side: HTTPListener.Side) -> ByteBuffer {
        let operations = Operation.all.filter { side.has($0.side) && !$0.isDiagnostic }
        var out = ByteBuffer()
        out.append("{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Sluice\",\"version\":")
        out.append(json: Version.text)
        out.append(
            ",\"summary\":\"Named reactive graphs over HTTP, WebSocket and server-sent events\"},"
        )
        // Without `auth` in the configuration no token is needed: the empty scheme.
        out.append("\"servers\":[{\"url\":\"/\"}],\"security\":[")
        for source in CredentialSource.all {
            out.append("{")
            out.append(json: source.name)
            out.append(":[]},")
        }
        out.append("{}],\"paths\":{")
        var paths: [String] = []
        for operation in operations where !paths.contains(operation.path) {
            paths.append(operation.path)
        }
        out.append(separated: paths) { path, out in
            out.append(json: shown(path))
            out.append(":{")
            appendPathParameters(path, to: &out)
            out.append(separated: operations.filter { $0.path == path }) { operation, out in
                append(operation, to: &out)
            }
            out.append("}")
        }
        out.append("},\"components\":{\"schemas\":{")
        out.append(separated: Schema.parts(of: operations.flatMap(\.schemas) + [.problem])) {
            part,
            out in
            out.append(json: part.name)
            out.append(":")
            append(part.schema, to: &out)
        }
        out.append("},\"securitySchemes\":{")
        out.append(separated: CredentialSource.all) { source, out in
            out.append(json: source.name)
            out.append(":")
            append(source.scheme, to: &out)
        }
        out.append("}}}\n")
        return out
    }

    private static func append(_ schema: Schema, to out: inout ByteBuffer) {
        schema.append(to: &out, references: "#/components/schemas/")
    }

    /// The pattern without the router's remarks: `{c:any}` is `{c}`.
    static func shown(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            segment.hasPrefix("{") ? segment.prefix { $0 != ":" && $0 != "}" } + "}" : segment
        }.joined(separator: "/")
    }

    private static func appendPathParameters(_ path: String, to out: inout ByteBuffer) {
        let names = path.split(separator: "/").filter { $0.hasPrefix("{") }
        guard !names.isEmpty else { return }
        out.append("\"parameters\":[")
        out.append(separated: Array(names)) { segment, out in
            let isName = !segment.contains(":")
            out.append("{")
            out.member("name", String(segment.dropFirst().prefix { $0 != ":" && $0 != "}" }))
            out.append(",\"in\":\"path\",\"required\":true,\"schema\":")
            append(isName ? .string(pattern: Name.pattern) : .string, to: &out)
            out.append("}")
        }
        out.append("],")
    }

    private static func append(_ operation: Operation, to out: inout ByteBuffer) {
        out.append(json: operation.method.name.description.lowercased())
        out.append(":{\"operationId\":")
        out.append(json: operation.name)
        out.member("summary", operation.summary)
        let need = operation.need
        if case .nothing = need.extent {
            out.append(",\"security\":[]")
        } else if !need.rights.isEmpty {
            out.member("description", "Needs '\(need.rights.text)' over \(need.extentText).")
        }
        if !operation.parameters.isEmpty || !operation.fields.isEmpty {
            out.append(",\"parameters\":[")
            let fields = operation.fields.map { field in
                Operation.Parameter(field.name.description, .string, "")
            }
            out.append(
                separated: operation.parameters.map { ($0, false) } + fields.map { ($0, true) }
            ) {
                each,
                out in
                append(each.0, isField: each.1, to: &out)
            }
            out.append("]")
        }
        if let body = operation.body {
            out.append(",\"requestBody\":{\"required\":true")
            if !body.remark.isEmpty { out.member("description", body.remark) }
            out.append(",\"content\":{")
            append(body, to: &out)
            out.append("}}")
        }
        out.append(",\"responses\":{")
        out.append(separated: operation.successes) { success, out in
            out.append("\"")
            out.append(decimal: success.status)
            out.append("\":{\"description\":")
            out.append(json: success.summary)
            if let body = success.body {
                out.append(",\"content\":{")
                append(body, to: &out)
                out.append("}")
            }
            out.append("}")
        }
        appendErrors(of: operation, to: &out)
        out.append("}}")
    }

    private static func append(
        _ parameter: Operation.Parameter,
        isField: Bool,
        to out: inout ByteBuffer
    ) {
        out.append("{")
        out.member("name", parameter.name)
        out.append(isField ? ",\"in\":\"header\"" : ",\"in\":\"query\"")
        if parameter.isRequired { out.append(",\"required\":true") }
        if !parameter.summary.isEmpty {
            out.member("description", parameter.summary)
        }
        out.append(",\"schema\":")
        append(parameter.repeats ? .list(of: parameter.schema) : parameter.schema, to: &out)
        out.append("}")
    }

    private static func append(_ body: Operation.Body, to out: inout ByteBuffer) {
        out.append(separated: body.types) { type, out in
            out.append(json: type)
            out.append(":{\"schema\":")
            append(
                type.hasSuffix("json") || body.types.count == 1 ? body.schema : .string,
                to: &out
            )
            out.append("}")
        }
    }

    /// One response per status, with all codes that it can have.
    private static func appendErrors(of operation: Operation, to out: inout ByteBuffer) {
        var byStatus: [UInt16: [ErrorRow]] = [:]
        for code in operation.errors + Operation.everywhere {
            let row = ErrorTable.row(code)
            guard let status = row.status?.rawValue else { continue }
            if byStatus[status]?.contains(where: { $0.code == code.rawValue }) == true { continue }
            byStatus[status, default: []].append(row)
        }
        for status in byStatus.keys.sorted() {
            out.append(",\"")
            out.append(decimal: Int(status))
            out.append("\":{\"description\":")
            let text = (byStatus[status] ?? []).map { "\($0.code): \($0.sentence)" }.joined(
                separator: " "
            )
            out.append(json: text)
            out.append(",\"content\":{\"application/problem+json\":{\"schema\":")
            append(.problem, to: &out)
            out.append("}}}")
        }
    }
}

extension Operation {
    /// The schemas of its bodies.
    var schemas: [Schema] { ([body] + successes.map(\.body)).compactMap { $0?.schema } }
}
