internal import Definitions
internal import Graphs
internal import Sessions
internal import HTTP
internal import Values

extension ReadingRoutes: Routes {
    private static var next: Parameter {
        .text("next", "Only names after this one: `next` of the page before")
    }

    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/graphs",
            side: .service,
            need: Need(over: .shownGraphs),
            handler: listGraphs,
            name: "listGraphs",
            summary: "All graphs, with title, cursor and counts",
            successes: [answer("The graphs", .graphs)],
            errors: ["not_ready"]
        ),
        Operation(
            method: .get,
            path: graph,
            side: .service,
            need: Need(over: .shownNodes),
            handler: describeGraph,
            name: "describeGraph",
            summary: "One graph: cursor, counts, and the revs that are kept",
            successes: [answer("The graph", .graph)],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: graph + "/values",
            side: .service,
            need: Need(.read, over: .shownNodes),
            handler: readValues,
            name: "readValues",
            summary: "Several values of one revision",
            parameters: [
                .text(
                    "nodes",
                    "Names and globs, separated by commas; all by default",
                    repeats: true
                ),
                .integer("limit", from: 1, to: 1_000_000, "The most nodes of a page"),
                next, facets, load, commit,
            ] + pastParameters,
            successes: [answer("The values", .values)],
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", "sub_limit", "gone",
                "busy",
            ]
        ),
        Operation(
            method: .get,
            path: graph + "/nodes",
            side: .service,
            need: Need(.read, over: .shownNodes),
            handler: pageNodes,
            name: "listNodes",
            summary: "Nodes and members of families by name, page by page",
            parameters: [
                .text("match", "A glob; all by default"),
                .integer(
                    "limit",
                    from: 1,
                    to: GraphView.longestPage,
                    "The most nodes; 100 by default"
                ),
                next, commit,
            ],
            successes: [answer("A page", .nodes)],
            errors: ["bad_field", "unknown_graph", "not_ready", "gone"]
        ),
        Operation(
            method: .get,
            path: node,
            side: .service,
            need: Need(.read, over: .node),
            handler: readNode,
            upgrade: .node,
            name: "readNode",
            summary: "The bare value; with If-None-Match and Prefer: wait=n the next one",
            parameters: streamParameters + [commit] + pastParameters,
            fields: [.ifNoneMatch, .prefer],
            successes: [
                answer("The value; with facets an object", .any),
                Success(status: 204, summary: "The node is empty"),
                Success(status: 304, summary: "The client has this state"),
            ],
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", "node_failed", "gone",
                "busy",
            ]
        ),
    ]
}

extension Schema {
    fileprivate static let graph = part(
        "Graph",
        .object(
            [.required("graph", .string), .optional("title", .string)],
            cursor,
            [
                .required("nodes", .integer), .required("listeners", .integer),
                .optional("definition", .string, "The hash of the definition"),
                .optional(
                    "alarms",
                    .list(
                        of: .object([
                            .required("node", .string),
                            .required("severity", .word(Alarm.Severity.self)),
                            .optional("title", .string),
                        ])
                    ),
                    "What calls for attention, the most urgent first"
                ), .optional("alarmCount", .integer),
                .optional("stale", .names, "Nodes whose values are out of date"),
                .optional("staleCount", .integer),
                .optional("missed", .names, "Nodes that the definition lost and clients still set"),
                .optional("owner", .word(GraphOwner.self)),
                .optional(
                    "kept",
                    .type("object", "null").and(
                        .requires(["from", "to"]).and(
                            .properties([.required("from", .integer), .required("to", .integer)])
                        )
                    ),
                    "The revs at which the graph can be looked at; null: there is only the present"
                ),
                .optional(
                    "sinks",
                    .list(
                        of: .object([
                            .required("name", .string), .required("from", .string),
                            .required("to", .string),
                            .required("sent", .integer), .required("failed", .integer),
                            .required("retried", .integer), .required("dropped", .integer),
                            .required("waiting", .integer),
                            .optional(
                                "more",
                                .integer,
                                "Nodes that match the glob and that the graph has no room for"
                            ),
                            .optional(
                                "arrivedAt",
                                .integer,
                                "Milliseconds since 1970 of the last value that arrived"
                            ),
                            .optional(
                                "failingSince",
                                .integer,
                                "Milliseconds since 1970 of the first of the tries that have failed in a row"
                            ), .optional("failure", .string, "Why the last try failed"),
                        ])
                    ),
                    "What the graph's sinks have done on this server, for those who may see the whole graph"
                ),
                .optional(
                    "upstreams",
                    .list(
                        of: .object(
                            upstream,
                            [.required("nodes", .integer, "How many nodes of the graph share it")]
                        )
                    ),
                    "What this server asks of upstreams for the graph now, for those who may see the whole graph"
                ),
            ]
        )
    )

    fileprivate static let graphs = part(
        "Graphs",
        .object([
            .required("graphs", .list(of: .graph)),
            .optional(
                "orphans",
                .list(
                    of: .object([
                        .required("graph", .string), .required("values", .integer),
                        .required("rev", .integer),
                    ])
                ),
                "Graphs whose files are gone"
            ),
            .optional(
                "failed",
                .list(
                    of: .object([
                        .required("graph", .string), .required("file", .string),
                        .required("problems", .list(of: .fileProblem)),
                    ])
                ),
                "Graph files with problems, for those who may administer their graphs"
            ),
        ])
    )

    fileprivate static let values = part(
        "Values",
        .object(
            cursor,
            [
                .required("t", .integer), .required("m", .map(of: .heldEntry)),
                .optional("next", .string, "Where the next page begins: `after`"),
            ]
        )
    )

    fileprivate static let nodes = part(
        "Nodes",
        .object(
            cursor,
            [
                .required("t", .integer),
                .required(
                    "nodes",
                    .list(
                        of: .object(
                            [
                                .required("name", .string),
                                .required("kind", .word(NodeDefinition.KindName.self)),
                                .optional("family", .string, "The family of which it is a member"),
                            ],
                            held
                        )
                    )
                ),
                .optional(
                    "next",
                    .string,
                    "Where the next page begins: `after`. Without it, this is the last"
                ),
            ]
        )
    )

    fileprivate static let heldEntry = part(
        "Held",
        .object(
            held,
            [
                .optional(
                    "state",
                    .object([
                        .optional("t", .integer), .optional("loading", .yes),
                        .optional("progress", .number.with("minimum", 0).with("maximum", 1)),
                        .optional("stale", .yes),
                        .optional("error", .object(requiring: ["code", "msg", "at"])),
                    ])
                )
            ]
        ).and(.oneOf([.requires(["v"]), .requires(["empty"]), .requires(["fail"])])).described(
            "Exactly one of v, empty and fail"
        )
    )
}
