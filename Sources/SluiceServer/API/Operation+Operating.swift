internal import GraphHost
internal import HTTP

// Operations for the operator of a server.
extension Operation {
    static let operations: [Operation] = [
        Operation(
            method: .post,
            path: "/v1/session",
            side: .service,
            right: .everybody,
            handler: { connection, _, _ in connection.signIn() },
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
            side: .service,
            right: .everybody,
            handler: { connection, _, head in connection.signOut(head) },
            name: "signOut",
            summary: "The cookie is no longer valid",
            successes: [Success(status: 204, summary: "Signed out")]
        ),
        Operation(
            method: .get,
            path: "/v1/operators",
            side: .service,
            right: .everybody,
            handler: { connection, _, _ in connection.listOperators() },
            name: "listOperators",
            summary: "The catalogue of operators",
            successes: [answer("The operators", "{}")]
        ),
        Operation(
            method: .get,
            path: "/v1/ws",
            side: .service,
            right: .everybody,
            handler: { connection, _, _ in connection.requireUpgrade() },
            upgrade: .messages,
            name: "openSocket",
            summary: "WebSocket, subprotocol sluice.v1.json",
            successes: [
                Success(status: 101, summary: "The connection is a WebSocket now"),
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
            side: .operations,
            right: .needs(.admin),
            handler: { connection, _, _ in connection.sendBackup() },
            name: "backup",
            summary: "A copy of all stored data at one moment, for `sluice restore`",
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
            side: .operations,
            right: .needs(.admin),
            handler: { $0.flushGraph($1, $2) },
            name: "flushGraph",
            summary: "Releases nodes that are kept until memory is short and not in use",
            parameters: [
                Parameter(
                    name: "match",
                    schema: #"{"type":"string","minLength":1,"maxLength":256,"default":"*"}"#,
                    summary: "A name or glob: only nodes that match"
                )
            ],
            successes: [answer("The released nodes", reference("Flushed"))],
            errors: ["bad_field", "unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: "/metrics",
            side: .operations,
            right: .needs(.metrics),
            handler: { connection, _, _ in connection.showMetrics() },
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
            side: .everything,
            right: .everybody,
            handler: { connection, _, _ in connection.answerText("ok\n") },
            name: "health",
            summary: "Whether the process is alive",
            successes: [
                Success(status: 200, summary: "It is", body: Body(types: text, schema: #"{"type":"string"}"#))
            ]
        ),
        Operation(
            method: .get,
            path: "/readyz",
            side: .everything,
            right: .everybody,
            handler: { connection, _, _ in connection.showReadiness() },
            name: "readiness",
            summary: "Whether the server accepts requests",
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
            side: .everything,
            right: .everybody,
            handler: { connection, _, _ in connection.showVersion() },
            name: "version",
            summary: "What server this is",
            successes: [answer("Name and version", #"{"type":"object","required":["name","version"]}"#)]
        ),
        Operation(
            method: .get,
            path: "/openapi.json",
            side: .everything,
            right: .everybody,
            handler: { connection, _, _ in connection.showOpenAPI() },
            name: "openAPI",
            summary: "This description",
            successes: [answer("OpenAPI 3.1", #"{"type":"object"}"#)]
        ),
        Operation(
            method: .get,
            path: "/v1/diagnostics/echo",
            side: .service,
            right: .everybody,
            handler: { connection, _, _ in connection.requireUpgrade() },
            upgrade: .echo,
            isDiagnostic: true,
            name: "echo",
            summary: "A WebSocket that returns every message",
            successes: []
        ),
    ]
}
