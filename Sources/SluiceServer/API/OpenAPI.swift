internal import Commits
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
        out.append(",\"summary\":\"Named reactive graphs over HTTP, WebSocket and server-sent events\"},")
        // Without `auth` in the configuration no token is needed: the empty scheme.
        out.append(
            "\"servers\":[{\"url\":\"/\"}],\"security\":[{\"token\":[]},{\"session\":[]},{}],\"paths\":{"
        )
        var paths: [String] = []
        for operation in operations where !paths.contains(operation.path) { paths.append(operation.path) }
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
        appendProblem(to: &out)
        for (name, schema) in schemas + Catalogue.standard.pipelineSchemas {
            out.append(",")
            out.append(json: name)
            out.append(":")
            out.append(utf8: schema.replacing("#/$defs/", with: "#/components/schemas/"))
        }
        out.append("},\"securitySchemes\":")
        out.append(utf8: securitySchemes)
        out.append("}}\n")
        return out
    }

    private static let securitySchemes =
        #"{"token":{"type":"http","scheme":"bearer","description":"A token of the file that `auth` names (docs/access.md)"},"#
        + #""session":{"type":"apiKey","in":"cookie","name":"sluice_session","description":"Set by POST /v1/session"}}"#

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
            out.append(",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"")
            if isName { out.append(utf8: ",\"pattern\":\"\(Name.pattern)\"") }
            out.append("}}")
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
                Operation.Parameter(field.name.description, #"{"type":"string"}"#, "")
            }
            out.append(separated: operation.parameters.map { ($0, false) } + fields.map { ($0, true) }) {
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

    private static func append(_ parameter: Operation.Parameter, isField: Bool, to out: inout ByteBuffer) {
        out.append("{")
        out.member("name", parameter.name)
        out.append(isField ? ",\"in\":\"header\"" : ",\"in\":\"query\"")
        if parameter.isRequired { out.append(",\"required\":true") }
        if !parameter.summary.isEmpty {
            out.member("description", parameter.summary)
        }
        out.append(",\"schema\":")
        if parameter.repeats { out.append("{\"type\":\"array\",\"items\":") }
        out.append(utf8: parameter.schema)
        if parameter.repeats { out.append("}") }
        out.append("}")
    }

    private static func append(_ body: Operation.Body, to out: inout ByteBuffer) {
        out.append(separated: body.types) { type, out in
            out.append(json: type)
            out.append(":{\"schema\":")
            out.append(
                utf8: type.hasSuffix("json") || body.types.count == 1 ? body.schema : #"{"type":"string"}"#
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
            out.append(
                ",\"content\":{\"application/problem+json\":{\"schema\":{\"$ref\":\"#/components/schemas/Problem\"}}}}"
            )
        }
    }

    private static func appendProblem(to out: inout ByteBuffer) {
        out.append("\"Problem\":{\"type\":\"object\",\"required\":[\"type\",\"title\",\"status\",\"detail\",")
        out.append(
            "\"code\",\"retry\"],\"properties\":{\"type\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
        )
        out.append(
            "\"status\":{\"type\":\"integer\"},\"detail\":{\"type\":\"string\"},\"retry\":{\"type\":\"boolean\"},"
        )
        out.append("\"code\":{\"type\":\"string\",\"enum\":[")
        out.append(separated: ErrorTable.rows.filter { $0.status != nil }) { row, out in
            out.append(json: row.code)
        }
        out.append("]}}}")
    }

    /// Only `true`: an `enum`, since generators of clients take a `const` for the name of a type.
    private static let yes = #"{"type":"boolean","enum":[true]}"#

    private static let state =
        #""state":{"type":"object","properties":{"t":{"type":"integer"},"loading":\#(yes),"progress":{"type":"number","minimum":0,"maximum":1},"stale":\#(yes),"error":{"type":"object","required":["code","msg","at"]}}}"#

    private static let held =
        #""v":{},"empty":\#(yes),"fail":{"type":"object","required":["code","at","msg"]}"#

    private static let cursor =
        #""epoch":{"type":"string","maxLength":32},"rev":{"type":"integer","minimum":0}"#

    private static let names = #"{"type":"array","items":{"type":"string"}}"#

    private static let objects = #"{"type":"array","items":{"type":"object"}}"#

    /// The shapes of bodies.
    private static let schemas: [(String, String)] = [
        (
            "Held",
            ##"{"description":"Exactly one of v, empty and fail","type":"object","oneOf":[{"required":["v"]},{"required":["empty"]},{"required":["fail"]}],"properties":{\##(held),\##(state)}}"##
        ),
        (
            "Load",
            ##"{"description":"loading with progress, or one of the others","type":"object","oneOf":[{"anyOf":[{"required":["loading"]},{"required":["progress"]}]},{"required":["error"]},{"required":["notModified"]},{"required":["cancelled"]},{"required":["invalidate"]}],"properties":{"loading":{"type":"boolean"},"progress":{"type":"number","minimum":0,"maximum":1},"error":{"type":"object","required":["code"],"properties":{"code":{"type":"string","pattern":"^[a-z][a-z0-9_]{0,\##(FacetChange.longestCode - 1)}$"},"msg":{"type":"string"}}},"notModified":\##(yes),"cancelled":\##(yes),"invalidate":\##(yes)}}"##
        ),
        (
            "Applied",
            ##"{"type":"object","required":["epoch","rev"],"properties":{\##(cursor),"changed":{"type":"integer"}}}"##
        ),
        (
            "Graph",
            ##"{"type":"object","required":["graph","epoch","rev","nodes","listeners"],"properties":{"graph":{"type":"string"},"title":{"type":"string"},\##(cursor),"nodes":{"type":"integer"},"listeners":{"type":"integer"},"definition":{"type":"string","description":"The hash of the definition"},"alarms":{"type":"array","description":"What calls for attention, the most urgent first","items":{"type":"object","required":["node","severity"],"properties":{"node":{"type":"string"},"severity":{"enum":["info","warning","alarm"]},"title":{"type":"string"}}}},"alarmCount":{"type":"integer"},"stale":{"type":"array","description":"Nodes whose values are out of date","items":{"type":"string"}},"staleCount":{"type":"integer"},"missed":{"type":"array","description":"Nodes that the definition lost and clients still set","items":{"type":"string"}},"owner":{"enum":["file","api"]},"kept":{"description":"The revs at which the graph can be looked at; null: there is only the present","type":["object","null"],"required":["from","to"],"properties":{"from":{"type":"integer"},"to":{"type":"integer"}}},"sinks":{"description":"What the graph's sinks have done on this server, for those who may see the whole graph","type":"array","items":{"type":"object","required":["name","from","to","sent","failed","retried","dropped","waiting"],"properties":{"name":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},"sent":{"type":"integer"},"failed":{"type":"integer"},"retried":{"type":"integer"},"dropped":{"type":"integer"},"waiting":{"type":"integer"},"more":{"type":"integer","description":"Nodes that match the glob and that the graph has no room for"},"arrivedAt":{"type":"integer","description":"Milliseconds since 1970 of the last value that arrived"},"failingSince":{"type":"integer","description":"Milliseconds since 1970 of the first of the tries that have failed in a row"},"failure":{"type":"string","description":"Why the last try failed"}}}}}}"##
        ),
        (
            "Definition",
            ##"{"type":"object","required":["nodes"],"properties":{"graph":{"type":"string","pattern":"\##(Name.pattern)"},"title":{"type":"string"},"mode":{"enum":["settled","immediate"]},"nodes":{"type":"object"},"sinks":{"type":"object"},"access":{"type":"array","items":{"type":"object"}}}}"##
        ),
        (
            "Difference",
            ##"{"type":"object","required":["added","removed","changed","rebuilt","reset","settings","lost","unchanged"],"properties":{"added":\##(names),"removed":\##(names),"changed":\##(names),"rebuilt":\##(names),"reset":\##(names),"settings":\##(names),"lost":{"type":"array","description":"Nodes and families whose values go, with the number of their values","items":{"type":"object","required":["name","values"],"properties":{"name":{"type":"string"},"values":{"type":"integer"}}}},"unchanged":{"type":"integer"}}}"##
        ),
        (
            "Defined",
            ##"{"type":"object","required":["graph","definition","diff"],"properties":{"graph":{"type":"string"},\##(cursor),"dryRun":\##(yes),"definition":{"type":"string"},"diff":{"$ref":"#/components/schemas/Difference"}}}"##
        ),
        (
            "Reloaded",
            ##"{"type":"object","required":["graphs","problems"],"properties":{"dryRun":{"type":"boolean"},"graphs":{"type":"array","items":{"type":"object","required":["graph","file","result"],"properties":{"graph":{"type":"string"},"file":{"type":"string"},"result":{"enum":["added","changed","unchanged","orphaned","returned"]},"rev":{"type":"integer"},"diff":{"$ref":"#/components/schemas/Difference"}}}},"problems":{"type":"array","items":{"$ref":"#/components/schemas/FileProblem"}}}}"##
        ),
        (
            "FileProblem",
            ##"{"type":"object","required":["message"],"properties":{"file":{"type":"string"},"line":{"type":"integer"},"column":{"type":"integer"},"code":{"type":"string"},"pointer":{"type":"string"},"message":{"type":"string"},"hint":{"type":"string"}}}"##
        ),
        (
            "Graphs",
            ##"{"type":"object","required":["graphs"],"properties":{"graphs":{"type":"array","items":{"$ref":"#/components/schemas/Graph"}},"orphans":{"type":"array","description":"Graphs whose files are gone","items":{"type":"object","required":["graph","values","rev"],"properties":{"graph":{"type":"string"},"values":{"type":"integer"},"rev":{"type":"integer"}}}},"failed":{"type":"array","description":"Graph files with problems, for those who may administer their graphs","items":{"type":"object","required":["graph","file","problems"],"properties":{"graph":{"type":"string"},"file":{"type":"string"},"problems":{"type":"array","items":{"$ref":"#/components/schemas/FileProblem"}}}}}}}"##
        ),
        (
            "Values",
            ##"{"type":"object","required":["epoch","rev","t","m"],"properties":{\##(cursor),"t":{"type":"integer"},"m":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Held"}},"next":{"type":"string","description":"Where the next page begins: `after`"}}}"##
        ),
        (
            "Nodes",
            ##"{"type":"object","required":["epoch","rev","t","nodes"],"properties":{\##(cursor),"t":{"type":"integer"},"nodes":{"type":"array","items":{"type":"object","required":["name","kind"],"properties":{"name":{"type":"string"},"kind":{"enum":["mutable","derived"]},"family":{"type":"string","description":"The family of which it is a member"},\##(held)}}},"next":{"type":"string","description":"Where the next page begins: `after`. Without it, this is the last"}}}"##
        ),
        (
            "History",
            ##"{"type":"object","required":["epoch","from","rev","d"],"properties":{\##(cursor),"from":{"type":"integer"},"more":\##(yes),"to":{"type":"integer","description":"With more, where nothing was left out: as far as the log was looked at"},"d":{"type":"array","items":{"type":"object","required":["rev","t"],"properties":{"rev":{"type":"integer"},"t":{"type":"integer"},"state":{"type":"object","description":"With facets: what was known besides, where that has changed"},\##(held)}}}}}"##
        ),
        (
            "Batch",
            ##"{"type":"object","anyOf":[{"required":["set"],"properties":{"set":{"minProperties":1}}},{"required":["clear"],"properties":{"clear":{"minItems":1}}}],"properties":{"set":{"type":"object"},"clear":{"type":"array","items":{"type":"string"}},"if":{"type":"object"},"ctx":{},"key":{"type":"string","minLength":1,"maxLength":128}}}"##
        ),
        (
            "Result",
            ##"{"type":"object","required":["epoch","rev","t"],"properties":{\##(cursor),"t":{"type":"integer"},\##(held)}}"##
        ),
        (
            "Explanation",
            ##"{"type":"object","required":["node","epoch","rev","t","nodes"],"properties":{"node":{"type":"string"},\##(cursor),"t":{"type":"integer"},"nodes":{"type":"array","items":{"type":"object","required":["node","kind","c","t"]}},"commits":{"description":"With at: the commits that made what these nodes held, the newest first","type":"array","items":{"type":"object","required":["rev","t","kind"],"properties":{"rev":{"type":"integer"},"t":{"type":"integer"},"kind":{"enum":["set","load","define","redefine","tick","drop","expire"]},"by":{"type":"string"},"ctx":{},"set":\##(names),"clear":\##(names),"load":\##(names)}}}}}"##
        ),
        (
            "Why",
            ##"{"type":"object","required":["graph","node","epoch","rev","t","retain","exists","ways"],"properties":{"graph":{"type":"string"},"node":{"type":"string"},\##(cursor),"t":{"type":"integer"},"retain":{"enum":["whileInUse","untilPressure","always"]},"exists":{"type":"boolean"},"more":\##(yes),"ways":{"type":"array","items":{"type":"object","required":["by","path"],"properties":{"by":{"enum":["listener","always","untilPressure","edge","reference","ring"]},"l":{"type":"string"},"client":{"type":"string"},"transport":{"type":"string"},"subs":{"type":"array","items":{"type":"integer"}},"owners":\##(names),"path":{"type":"array","items":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"},"via":{"type":"string"},"name":{"type":"string"},"chain":{"type":"string"},"of":{"type":"string"},"label":{"type":"string"}}}}}}}}}"##
        ),
        (
            "Flushed",
            ##"{"type":"object","required":["graph","released","names"],"properties":{"graph":{"type":"string"},"released":{"type":"integer"},"names":\##(names),"more":\##(yes)}}"##
        ),
        (
            "Picture",
            ##"{"type":"object","required":["graph","epoch","rev","t","nodes","edges"],"properties":{"graph":{"type":"string"},\##(cursor),"t":{"type":"integer"},"nodes":\##(objects),"edges":\##(objects),"families":{"type":"array","items":{"type":"object"},"description":"Families of nodes, each with its number of members"},"listeners":\##(objects)}}"##
        ),
    ]
}
