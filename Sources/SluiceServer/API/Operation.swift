internal import HTTP

/// One row of the HTTP API (wire-protocol.md §3): the router, `/openapi.json` and so the documentation are made from it.
struct Operation {
    /// A parameter in the query.
    struct Parameter {
        let name: String
        /// Its JSON Schema.
        let schema: String
        let summary: String
        var isRequired = false
        /// Whether it may be given more than once.
        var repeats = false
    }

    /// A body, of a request or an answer.
    struct Body {
        let types: [String]
        /// Its JSON Schema, for those types that are JSON.
        let schema: String
    }

    /// A way in which it succeeds.
    struct Success {
        let status: Int
        let summary: String
        var body: Body?
    }

    let method: Method
    /// As the router takes it.
    let path: String
    let route: Route
    /// What it is called by programs that are made from the description.
    let name: String
    let summary: String
    var parameters: [Parameter] = []
    /// Header fields of the request that it minds.
    var fields: [HeaderName] = []
    var body: Body?
    let successes: [Success]
    /// Errors besides those that every request can meet.
    var errors: [ErrorCode] = []

    /// Errors that any request can meet before it is looked at.
    static let everywhere: [ErrorCode] = [
        .badRequest, .badOrigin, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge, "internal",
        .draining,
        "too_many_connections", "unauthenticated", "token_expired", .forbidden,
    ]
}

extension Operation {
    private static let json = ["application/json"]
    private static let text = ["text/plain"]
    private static let anyValue = Body(types: json, schema: "{}")
    private static let setErrors: [ErrorCode] = [
        "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", "not_mutable", "conflict",
        .unsupportedType,
        "type_mismatch", "key_reused", "precondition_required", "rate_limited", "engine_down", "no_space",
    ]
    private static let setFields: [HeaderName] = [
        .ifMatch, .ifNoneMatch, .prefer, .idempotencyKey, .sluiceContext,
    ]
    /// What a set takes: every one of these as JSON, so that `curl -d 21.5 URL` works.
    private static let valueBody = Body(
        types: ["application/json", "text/plain", "application/x-www-form-urlencoded"],
        schema: "{}"
    )

    private static func answer(_ summary: String, _ schema: String, _ status: Int = 200) -> Success {
        Success(status: status, summary: summary, body: Body(types: json, schema: schema))
    }

    private static func reference(_ name: String) -> String { "{\"$ref\":\"#/components/schemas/\(name)\"}" }

    /// All of them, in the order of the specification.
    static let all: [Operation] = reading + setting + asking + defining + pictures + operations

    private static let node = "/v1/graphs/{g}/nodes/{n}"
    private static let graph = "/v1/graphs/{g}"

    private static let reading: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/graphs",
            route: .graphs,
            name: "listGraphs",
            summary: "All graphs, with title, cursor and counts",
            successes: [answer("The graphs", reference("Graphs"))],
            errors: ["not_ready"]
        ),
        Operation(
            method: .get,
            path: graph,
            route: .graph,
            name: "describeGraph",
            summary: "One graph: cursor and counts",
            successes: [answer("The graph", reference("Graph"))],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: graph + "/values",
            route: .values,
            name: "readValues",
            summary: "Several values of one revision",
            parameters: [
                Parameter(
                    name: "nodes",
                    schema: #"{"type":"string"}"#,
                    summary: "Names and globs, separated by commas; all without it",
                    repeats: true
                )
            ],
            successes: [answer("The values", reference("Values"))],
            errors: ["unknown_graph", "not_ready", "unknown_node", "sub_limit"]
        ),
        Operation(
            method: .get,
            path: node,
            route: .readNode,
            name: "readNode",
            summary: "The bare value; with If-None-Match and Prefer: wait=n the next one",
            parameters: streamParameters,
            fields: [.ifNoneMatch, .prefer],
            successes: [
                Success(status: 200, summary: "The value", body: anyValue),
                Success(status: 204, summary: "The node is empty"),
                Success(status: 304, summary: "The client has this state"),
            ],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "node_failed"]
        ),
        Operation(
            method: .get,
            path: node + "/history",
            route: .history,
            name: "readHistory",
            summary: "What a node emitted, where its definition says history",
            parameters: [
                Parameter(
                    name: "since",
                    schema: #"{"type":"integer","minimum":0}"#,
                    summary: "Only what is newer than this rev, oldest first"
                ),
                Parameter(
                    name: "epoch",
                    schema: #"{"type":"string"}"#,
                    summary: "The history that since belongs to"
                ),
                Parameter(
                    name: "limit",
                    schema: #"{"type":"integer","minimum":1,"maximum":100000,"default":1000}"#,
                    summary: "How many emissions at most"
                ),
            ],
            successes: [answer("The emissions", reference("History"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone"]
        ),
        Operation(
            method: .get,
            path: graph + "/events",
            route: .events,
            name: "streamEvents",
            summary: "Snapshots and updates of nodes as server-sent events",
            parameters: [
                Parameter(
                    name: "node",
                    schema: #"{"type":"string"}"#,
                    summary: "A node; its place is the id in the events",
                    isRequired: true,
                    repeats: true
                )
            ] + streamParameters,
            fields: [.lastEventID],
            successes: [
                Success(
                    status: 200,
                    summary: "The stream, until either side ends it",
                    body: Body(types: ["text/event-stream"], schema: #"{"type":"string"}"#)
                )
            ],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", "expr_syntax",
                "expr_type",
                "sub_limit",
                "pipe_limit",
            ]
        ),
    ]

    private static let streamParameters = [
        Parameter(
            name: "every",
            schema: #"{"type":"integer","minimum":0,"maximum":86400000,"default":0}"#,
            summary: "Milliseconds between deliveries at most"
        ),
        Parameter(
            name: "mode",
            schema: #"{"type":"string","enum":["latest","all"],"default":"latest"}"#,
            summary: "Whether values may be folded"
        ),
        Parameter(name: "pipe", schema: #"{"type":"string"}"#, summary: "Stages, as a JSON list"),
    ]

    private static let setting: [Operation] =
        [Method.post, .put].map { method in
            Operation(
                method: method,
                path: node,
                route: .setNode,
                name: method == .post ? "setNode" : "putNode",
                summary: "Sets the node: the body is the value",
                fields: setFields,
                body: valueBody,
                successes: [
                    answer("It is set", reference("Applied")),
                    Success(status: 204, summary: "It is set; Prefer: return=minimal"),
                ],
                errors: setErrors
            )
        } + [
            Operation(
                method: .patch,
                path: node,
                route: .patchNode,
                name: "patchNode",
                summary: "Changes members of an object (RFC 7396)",
                fields: setFields,
                body: Body(types: ["application/merge-patch+json"], schema: "{}"),
                successes: [
                    answer("It is set", reference("Applied")),
                    Success(status: 204, summary: "It is set; Prefer: return=minimal"),
                ],
                errors: setErrors
            ),
            Operation(
                method: .delete,
                path: node + "/value",
                route: .clearNode,
                name: "clearNode",
                summary: "Makes the node empty",
                fields: setFields,
                successes: [Success(status: 204, summary: "It is empty")],
                errors: setErrors
            ),
            Operation(
                method: .post,
                path: graph + "/batch",
                route: .batch,
                name: "batch",
                summary: "Sets and clears several nodes, all or nothing",
                fields: [.idempotencyKey, .sluiceContext],
                body: Body(types: valueBody.types, schema: reference("Batch")),
                successes: [answer("All of it is applied", reference("Applied"))],
                errors: setErrors
            ),
        ]

    private static let asking: [Operation] = [
        Operation(
            method: .post,
            path: graph + "/eval",
            route: .eval,
            name: "evaluate",
            summary: "A pipeline's present result, without subscribing",
            body: Body(types: valueBody.types, schema: reference("Pipeline")),
            successes: [answer("The result", reference("Result"))],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", .unsupportedType,
                "expr_syntax",
                "expr_type",
                "type_mismatch", "pipe_limit",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/explain",
            route: .explain,
            name: "explainNode",
            summary: "What made the present value",
            successes: [answer("Every node it comes from", reference("Explanation"))],
            errors: ["unknown_graph", "not_ready", "unknown_node"]
        ),
    ]

    private static let definitionErrors: [ErrorCode] = [
        "unknown_graph", "not_ready", "conflict", "in_use", "engine_down", "no_space",
    ]

    private static let defining: [Operation] = [
        Operation(
            method: .put,
            path: graph,
            route: .defineGraph,
            name: "defineGraph",
            summary: "Defines a graph, or redefines one as a structural difference",
            parameters: [
                Parameter(
                    name: "dry_run",
                    schema: #"{"type":"string","enum":["","0","1","true"]}"#,
                    summary: "1: only say what would change"
                ),
                Parameter(
                    name: "adopt",
                    schema: #"{"type":"string","enum":["","0","1","true"]}"#,
                    summary: "1: also where a file owns the graph; from then on it belongs to the API"
                ),
            ],
            fields: [.ifMatch, .ifNoneMatch],
            body: Body(types: ["application/json", "application/yaml"], schema: reference("Definition")),
            successes: [
                answer("It is changed, or would be", reference("Defined")),
                answer("It has come into being", reference("Defined"), 201),
            ],
            errors: [
                "bad_json", "bad_field", "unknown_node", "expr_syntax", "expr_type", "type_mismatch",
                "in_use", "conflict", .unsupportedType, "engine_down", "no_space",
            ]
        ),
        Operation(
            method: .get,
            path: graph + "/definition",
            route: .readDefinition,
            name: "readDefinition",
            summary: "What the graph is defined as; its entity tag is the definition's hash",
            fields: [.ifNoneMatch],
            successes: [
                answer("The definition", reference("Definition")),
                Success(status: 304, summary: "The client has this definition"),
            ],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .delete,
            path: graph,
            route: .removeGraph,
            name: "removeGraph",
            summary: "Removes a graph that no file owns; its subscriptions end",
            fields: [.ifMatch],
            successes: [Success(status: 204, summary: "It is gone")],
            errors: definitionErrors
        ),
        Operation(
            method: .post,
            path: "/v1/reload",
            route: .reload,
            name: "reload",
            summary: "Reads graphs, tokens and certificate again, as SIGHUP does",
            successes: [answer("What has changed, and all problems", reference("Reloaded"))]
        ),
    ]

    private static let pictures: [Operation] = [
        Operation(
            method: .get,
            path: graph + "/graph",
            route: .picture,
            name: "drawGraph",
            summary: "A picture of the graph",
            parameters: [
                Parameter(
                    name: "format",
                    schema: #"{"type":"string","enum":["json","dot","mermaid"]}"#,
                    summary: "Instead of Accept"
                ),
                Parameter(
                    name: "live",
                    schema: #"{"type":"string","enum":["","0","1","true"]}"#,
                    summary: "1: also what exists at the moment, and who owns it"
                ),
            ],
            successes: [
                Success(
                    status: 200,
                    summary: "The picture",
                    body: Body(
                        types: ["application/json", "text/vnd.graphviz", "text/vnd.mermaid"],
                        schema: reference("Picture")
                    )
                )
            ],
            errors: ["unknown_graph", "not_ready", .notAcceptable]
        ),
        Operation(
            method: .get,
            path: graph + "/listeners",
            route: .listeners,
            name: "listListeners",
            summary: "Who listens to what",
            successes: [answer("The listeners", #"{"type":"object","required":["listeners"]}"#)],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: "/v1/connections",
            route: .connections,
            name: "listConnections",
            summary: "Open connections",
            successes: [answer("The connections", #"{"type":"object","required":["connections"]}"#)]
        ),
        Operation(
            method: .delete,
            path: "/v1/connections/{c:any}",
            route: .endConnection,
            name: "endConnection",
            summary: "Ends a connection",
            successes: [Success(status: 204, summary: "It is ended")],
            errors: ["unknown_id"]
        ),
    ]

    private static let operations: [Operation] = [
        Operation(
            method: .post,
            path: "/v1/session",
            route: .signIn,
            name: "signIn",
            summary: "A cookie for a token, for pages of browsers",
            body: Body(
                types: json,
                schema: #"{"type":"object","required":["token"],"properties":{"token":{"type":"string"}}}"#
            ),
            successes: [Success(status: 204, summary: "Signed in")],
            errors: ["bad_json", "bad_field", .notFound]
        ),
        Operation(
            method: .delete,
            path: "/v1/session",
            route: .signOut,
            name: "signOut",
            summary: "The cookie is good for nothing any more",
            successes: [Success(status: 204, summary: "Signed out")]
        ),
        Operation(
            method: .get,
            path: "/v1/operators",
            route: .operators,
            name: "listOperators",
            summary: "The catalogue of operators",
            successes: [answer("The operators", "{}")]
        ),
        Operation(
            method: .get,
            path: "/v1/ws",
            route: .socket,
            name: "openSocket",
            summary: "WebSocket, subprotocol sluice.v1.json",
            successes: [Success(status: 101, summary: "WebSocket from here on")],
            errors: []
        ),
        Operation(
            method: .get,
            path: "/metrics",
            route: .metrics,
            name: "metrics",
            summary: "Counters in the text format of Prometheus",
            successes: [
                Success(
                    status: 200,
                    summary: "The counters",
                    body: Body(types: text, schema: #"{"type":"string"}"#)
                )
            ]
        ),
        Operation(
            method: .get,
            path: "/healthz",
            route: .health,
            name: "health",
            summary: "Whether the process is alive",
            successes: [
                Success(status: 200, summary: "It is", body: Body(types: text, schema: #"{"type":"string"}"#))
            ]
        ),
        Operation(
            method: .get,
            path: "/readyz",
            route: .ready,
            name: "readiness",
            summary: "Whether requests are welcome",
            successes: [
                Success(
                    status: 200,
                    summary: "They are",
                    body: Body(types: text, schema: #"{"type":"string"}"#)
                )
            ],
            errors: [.draining, "not_ready", "engine_down", "no_space"]
        ),
        Operation(
            method: .get,
            path: "/version",
            route: .version,
            name: "version",
            summary: "What this is",
            successes: [answer("Name and version", #"{"type":"object","required":["name","version"]}"#)]
        ),
        Operation(
            method: .get,
            path: "/openapi.json",
            route: .openAPI,
            name: "openAPI",
            summary: "This description",
            successes: [answer("OpenAPI 3.1", #"{"type":"object"}"#)]
        ),
    ]
}
