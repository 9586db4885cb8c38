internal import GraphHost
internal import HTTP

// Operations that read.
extension Operation {
    static let reading: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/graphs",
            side: .service,
            right: .ofNodes,
            handler: { connection, _, _ in connection.listGraphs() },
            name: "listGraphs",
            summary: "All graphs, with title, cursor and counts",
            successes: [answer("The graphs", reference("Graphs"))],
            errors: ["not_ready"]
        ),
        Operation(
            method: .get,
            path: graph,
            side: .service,
            right: .ofNodes,
            handler: { connection, captures, _ in connection.describeGraph(captures) },
            name: "describeGraph",
            summary: "One graph: cursor, counts, and the revs that are kept",
            successes: [answer("The graph", reference("Graph"))],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: graph + "/values",
            side: .service,
            right: .ofNodes,
            handler: { $0.readValues($1, $2) },
            name: "readValues",
            summary: "Several values of one revision",
            parameters: [
                Parameter(
                    name: "nodes",
                    schema: #"{"type":"string"}"#,
                    summary: "Names and globs, separated by commas; all by default",
                    repeats: true
                ),
                facets, load,
            ] + pastParameters,
            successes: [answer("The values", reference("Values"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "sub_limit", "gone", "busy"]
        ),
        Operation(
            method: .get,
            path: graph + "/nodes",
            side: .service,
            right: .ofNodes,
            handler: { $0.pageNodes($1, $2) },
            name: "listNodes",
            summary: "Nodes and members of families by name, page by page",
            parameters: [
                Parameter(
                    name: "match",
                    schema: #"{"type":"string"}"#,
                    summary: "A glob; all by default"
                ),
                Parameter(
                    name: "limit",
                    schema: #"{"type":"integer","minimum":1,"maximum":\#(GraphView.longestPage)}"#,
                    summary: "The most nodes; 100 by default"
                ),
                Parameter(
                    name: "after",
                    schema: #"{"type":"string"}"#,
                    summary: "Only names after this one: `next` of the page before"
                ),
            ],
            successes: [answer("A page", reference("Nodes"))],
            errors: ["bad_field", "unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: node,
            side: .service,
            right: .ofNodes,
            handler: { $0.readNode($1, $2) },
            upgrade: .node,
            name: "readNode",
            summary: "The bare value; with If-None-Match and Prefer: wait=n the next one",
            parameters: streamParameters + pastParameters,
            fields: [.ifNoneMatch, .prefer],
            successes: [
                Success(status: 200, summary: "The value; with facets an object", body: anyValue),
                Success(status: 204, summary: "The node is empty"),
                Success(status: 304, summary: "The client has this state"),
            ],
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", "node_failed", "gone", "busy",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/history",
            side: .service,
            right: .ofNodes,
            handler: { $0.readHistory($1, $2) },
            name: "readHistory",
            summary: "A node's emissions: from its history, and further back from the log",
            parameters: [
                Parameter(
                    name: "since",
                    schema: #"{"type":"integer","minimum":0}"#,
                    summary: "Only what is newer than this rev, oldest first"
                ),
                Parameter(
                    name: "epoch",
                    schema: #"{"type":"string"}"#,
                    summary: "The epoch of since"
                ),
                Parameter(
                    name: "limit",
                    schema: #"{"type":"integer","minimum":1,"maximum":100000,"default":1000}"#,
                    summary: "The most emissions"
                ),
                facets,
            ],
            successes: [answer("The emissions", reference("History"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        ),
        Operation(
            method: .get,
            path: graph + "/events",
            side: .service,
            right: .ofNodes,
            handler: { $0.streamEvents($1, $2) },
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
                "pipe_limit", "pattern_limit",
            ]
        ),
    ]

    private static let streamParameters = [
        Parameter(
            name: "every",
            schema: #"{"type":"integer","minimum":0,"maximum":86400000,"default":0}"#,
            summary: "The shortest time between deliveries, in milliseconds"
        ),
        Parameter(
            name: "mode",
            schema: #"{"type":"string","enum":["latest","all"],"default":"latest"}"#,
            summary: "Whether values may be folded"
        ),
        facets, load,
        Parameter(name: "pipe", schema: #"{"type":"string"}"#, summary: "Stages, as a JSON list"),
    ]

    private static let facets = Parameter(
        name: "facets",
        schema: #"{"type":"string","enum":["","0","1","true"]}"#,
        summary: "1: also facets, the state besides the value"
    )

    private static let load = Parameter(
        name: "load",
        schema: #"{"type":"string","enum":["","0","1","true"]}"#,
        summary: "1: ask producers for missing and stale values"
    )

    private static let pastParameters = [
        Parameter(
            name: "at",
            schema: #"{"type":"integer","minimum":0}"#,
            summary: "The rev to read, instead of the present one"
        ),
        Parameter(
            name: "epoch",
            schema: #"{"type":"string"}"#,
            summary: "The epoch of at"
        ),
    ]

    static let asking: [Operation] = [
        Operation(
            method: .post,
            path: graph + "/eval",
            side: .service,
            right: .ofNodes,
            handler: { $0.evaluate($1, $2) },
            name: "evaluate",
            summary: "A pipeline's present result, without subscribing",
            body: Body(types: valueBody.types, schema: reference("Pipeline")),
            successes: [answer("The result", reference("Result"))],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", .unsupportedType,
                "expr_syntax",
                "expr_type",
                "type_mismatch", "pipe_limit", "pattern_limit", "pattern_limit",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/explain",
            side: .service,
            right: .ofNodes,
            handler: { $0.explainNode($1, $2) },
            name: "explainNode",
            summary: "What made the present value, or that of a rev",
            parameters: pastParameters,
            successes: [answer("Every node it comes from", reference("Explanation"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        ),
    ]

    static let pictures: [Operation] = [
        Operation(
            method: .get,
            path: graph + "/graph",
            side: .service,
            right: .ofNodes,
            handler: { $0.drawGraph($1, $2) },
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
                    summary: "1: also everything that lives at the moment, and its owners"
                ),
                Parameter(
                    name: "around",
                    schema: #"{"type":"string"}"#,
                    summary: "A node: only its surroundings"
                ),
                Parameter(
                    name: "depth",
                    schema: #"{"type":"integer","minimum":1,"maximum":16,"default":2}"#,
                    summary: "With around: the largest distance, in lines"
                ),
            ] + pastParameters,
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
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", .notAcceptable, "gone", "busy",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/why",
            side: .service,
            right: .needs(.observe),
            handler: { $0.explainLife($1, $2) },
            name: "explainLife",
            summary: "What keeps the node alive",
            parameters: [
                Parameter(
                    name: "limit",
                    schema: #"{"type":"integer","minimum":1,"maximum":100,"default":16}"#,
                    summary: "The most paths"
                )
            ],
            successes: [answer("The paths by which it is held", reference("Why"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node"]
        ),
        Operation(
            method: .get,
            path: graph + "/listeners",
            side: .service,
            right: .needs(.observe),
            handler: { connection, captures, _ in connection.listListeners(captures) },
            name: "listListeners",
            summary: "The listeners and their nodes",
            successes: [answer("The listeners", #"{"type":"object","required":["listeners"]}"#)],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: "/v1/connections",
            side: .operations,
            right: .needs(.admin),
            handler: { connection, _, _ in connection.listConnections() },
            name: "listConnections",
            summary: "Open connections",
            successes: [answer("The connections", #"{"type":"object","required":["connections"]}"#)]
        ),
        Operation(
            method: .delete,
            path: "/v1/connections/{c:any}",
            side: .operations,
            right: .needs(.admin),
            handler: { connection, captures, _ in connection.endConnection(captures) },
            name: "endConnection",
            summary: "Ends a connection",
            successes: [Success(status: 204, summary: "It is ended")],
            errors: ["unknown_id"]
        ),
    ]
}
