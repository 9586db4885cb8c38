internal import Definitions
internal import HTTP

extension DefinitionRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .put,
            path: graph,
            side: .operations,
            need: Need(.admin, over: .graph),
            handler: defineGraph,
            audited: .change,
            name: "defineGraph",
            summary: "Defines a graph, or redefines one as a structural difference",
            parameters: [
                .flag("dry_run", "1: only report the changes"),
                .flag("adopt", "1: also if a file owns the graph; from then on the API owns it"),
            ],
            fields: [.ifMatch, .ifNoneMatch],
            body: Body(types: ["application/json", "application/yaml"], schema: reference("Definition")),
            successes: [
                answer("It is changed, or would be", reference("Defined")),
                answer("It was created", reference("Defined"), 201),
            ],
            errors: [
                "bad_json", "bad_field", "unknown_node", "expr_syntax", "expr_type", "type_mismatch",
                "in_use", "conflict", .unsupportedType, "engine_down", "no_space",
            ]
        ),
        Operation(
            method: .get,
            path: graph + "/definition",
            side: .operations,
            need: Need(.admin, over: .graph),
            handler: readDefinition,
            name: "readDefinition",
            summary: "The graph's definition; its entity tag is the definition's hash",
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
            side: .operations,
            need: Need(.admin, over: .graph),
            handler: removeGraph,
            audited: .change,
            name: "removeGraph",
            summary: "Removes a graph that no file owns; its subscriptions end",
            fields: [.ifMatch],
            successes: [Success(status: 204, summary: "It is gone")],
            errors: definitionErrors
        ),
        Operation(
            method: .post,
            path: "/v1/reload",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: reloadFiles,
            audited: .change,
            name: "reload",
            summary: "Reads graphs, tokens and certificate again, as SIGHUP does",
            parameters: [.flag("dry_run", "1: only report what would change")],
            successes: [answer("What has changed, and all problems", reference("Reloaded"))],
            errors: ["bad_field"]
        ),
    ]

    private static let definitionErrors: [ErrorCode] = [
        "unknown_graph", "not_ready", "conflict", "in_use", "engine_down", "no_space",
    ]
}
