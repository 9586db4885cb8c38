internal import Definitions
internal import Graphs
internal import Sessions
internal import HTTP

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
            successes: [answer("The graphs", reference("Graphs"))],
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
            successes: [answer("The graph", reference("Graph"))],
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
                .text("nodes", "Names and globs, separated by commas; all by default", repeats: true),
                .integer("limit", from: 1, to: 1_000_000, "The most nodes of a page"),
                next, facets, load, commit,
            ] + pastParameters,
            successes: [answer("The values", reference("Values"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "sub_limit", "gone", "busy"]
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
                .integer("limit", from: 1, to: GraphView.longestPage, "The most nodes; 100 by default"),
                next, commit,
            ],
            successes: [answer("A page", reference("Nodes"))],
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
                answer("The value; with facets an object", "{}"),
                Success(status: 204, summary: "The node is empty"),
                Success(status: 304, summary: "The client has this state"),
            ],
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", "node_failed", "gone", "busy",
            ]
        ),
    ]
}
