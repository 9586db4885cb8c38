internal import HTTP

// What operates a server.
extension Operation {
    static let operations: [Operation] = [
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
            successes: [
                Success(status: 101, summary: "WebSocket from here on"),
                Success(
                    status: 426,
                    summary: "bad_request: The request is no upgrade to WebSocket, version 13.",
                    body: Body(
                        types: ["application/problem+json"],
                        schema: ##"{"$ref":"#/components/schemas/Problem"}"##
                    )
                ),
            ],
            errors: []
        ),
        Operation(
            method: .get,
            path: "/v1/backup",
            route: .backup,
            name: "backup",
            summary: "A copy of all that is kept, as of one moment, for `sluice restore`",
            successes: [
                Success(
                    status: 200,
                    summary: "The copy, a SQLite database",
                    body: Body(
                        types: ["application/vnd.sqlite3"],
                        schema: #"{"type":"string","format":"binary"}"#
                    )
                )
            ],
            errors: [.notFound, "no_space", "engine_down"]
        ),
        Operation(
            method: .post,
            path: graph + "/flush",
            route: .flush,
            name: "flushGraph",
            summary: "Releases nodes that are kept until memory is short and not in use",
            parameters: [
                Parameter(
                    name: "match",
                    schema: #"{"type":"string","minLength":1,"maxLength":256,"default":"*"}"#,
                    summary: "A name or glob: only nodes that match"
                )
            ],
            successes: [answer("What was released", reference("Flushed"))],
            errors: ["bad_field", "unknown_graph", "not_ready"]
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
