internal import Definitions
internal import HTTP
internal import Values

extension OperatorRoutes: Routes {
    private static let build = Schema.object([
        .required("name", .string), .required("version", .string),
        .optional("commit", .string, "What it was built from; missing if that is unknown"),
        .required("protocol", .string),
        .required(
            "formats",
            .object(LogEngine.all.map { .required($0.name, .integer) }),
            "The formats of stored data that it reads and writes"
        ),
    ])

    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/connections",
            side: .operations,
            need: Need(.admin, over: .shownGraphs),
            handler: listConnections,
            name: "listConnections",
            summary: "Open connections",
            successes: [answer("The connections, and the upstreams of sources", .connections)]
        ),
        Operation(
            method: .delete,
            path: "/v1/connections/{c:any}",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: endConnection,
            audited: .change,
            name: "endConnection",
            summary: "Ends a connection",
            successes: [Success(status: 204, summary: "It is ended")],
            errors: ["unknown_id"]
        ),
        Operation(
            method: .post,
            path: graph + "/flush",
            side: .operations,
            need: Need(.admin, over: .graph),
            handler: flushGraph,
            audited: .change,
            name: "flushGraph",
            summary: "Releases nodes that are kept until memory is short and not in use",
            parameters: [
                Parameter(
                    "match",
                    .string.with("minLength", 1).with("maxLength", 256).with("default", "*"),
                    "A name or glob: only nodes that match"
                )
            ],
            successes: [answer("The released nodes", .flushed)],
            errors: ["bad_field", "unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: "/metrics",
            side: .operations,
            need: Need(.metrics, over: .shownGraphs),
            handler: showMetrics,
            name: "metrics",
            summary: "Counters in the text format of Prometheus",
            successes: [text("The counters")]
        ),
        Operation(
            method: .get,
            path: "/healthz",
            side: .everything,
            need: .nothing,
            handler: showHealth,
            name: "health",
            summary: "Whether the process is alive",
            successes: [text("It is")]
        ),
        Operation(
            method: .get,
            path: "/readyz",
            side: .everything,
            need: .nothing,
            handler: showReadiness,
            name: "readiness",
            summary: "Whether the server accepts requests, or also changes",
            parameters: [
                .choice("for", ["writes"], "writes: also whether changes are accepted now")
            ],
            successes: [text("It does")],
            errors: ["bad_field", .draining, "not_ready", "engine_down", "no_space"]
        ),
        Operation(
            method: .get,
            path: "/version",
            side: .everything,
            need: .nothing,
            handler: showVersion,
            name: "version",
            summary: "What server this is",
            successes: [answer("Version, commit, and the formats of stored data", build)]
        ),
        Operation(
            method: .get,
            path: "/openapi.json",
            side: .everything,
            need: .nothing,
            handler: showOpenAPI,
            name: "openAPI",
            summary: "This description",
            successes: [answer("OpenAPI 3.1", .anyObject)]
        ),
    ]
}

extension Schema {
    fileprivate static let connections = part(
        "Connections",
        .object([
            .required("connections", .objects),
            .required(
                "upstreams",
                .list(
                    of: .object(
                        upstream,
                        [
                            .required(
                                "graphs",
                                .list(
                                    of: .object([
                                        .required("graph", .string),
                                        .required("nodes", .integer, "How many nodes of the graph share it"),
                                    ])
                                )
                            )
                        ]
                    )
                ),
                "What this server has open for source nodes"
            ), .optional("upstreamCount", .integer, "How many there are, if not all are listed"),
        ])
    )

    fileprivate static let flushed = part(
        "Flushed",
        .object([
            .required("graph", .string), .required("released", .integer),
            .required("names", .names),
            .optional("more", .yes),
        ])
    )
}
