internal import Definitions
internal import HTTP
internal import Values

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
            body: Body(types: ["application/json", "application/yaml"], schema: .definition),
            successes: [
                answer("It is changed, or would be", .defined),
                answer("It was created", .defined, 201),
            ],
            errors: [
                "bad_json", "bad_field", "unknown_node", "expr_syntax", "expr_type",
                "type_mismatch",
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
                answer("The definition", .definition),
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
            successes: [answer("What has changed, and all problems", .reloaded)],
            errors: ["bad_field"]
        ),
    ]

    private static let definitionErrors: [ErrorCode] = [
        "unknown_graph", "not_ready", "conflict", "in_use", "engine_down", "no_space",
    ]
}

extension Schema {
    fileprivate static let definition = part(
        "Definition",
        .object(GraphDefinition.fields(in: .standard).map(\.outline))
    )

    fileprivate static let defined = part(
        "Defined",
        .object(
            [.required("graph", .string)],
            optionalCursor,
            [
                .optional("dryRun", .yes), .required("definition", .string),
                .required("diff", .difference),
            ]
        )
    )

    fileprivate static let reloaded = part(
        "Reloaded",
        .object([
            .optional("dryRun", .boolean),
            .required(
                "graphs",
                .list(
                    of: .object([
                        .required("graph", .string), .required("file", .string),
                        .required("result", .word(ReloadReport.Result.self)),
                        .optional("rev", .integer), .optional("diff", .difference),
                    ])
                )
            ), .required("problems", .list(of: .fileProblem)),
        ])
    )

    fileprivate static let difference = part(
        "Difference",
        .object([
            .required("added", .names), .required("removed", .names), .required("changed", .names),
            .required("rebuilt", .names), .required("reset", .names), .required("settings", .names),
            .required(
                "lost",
                .list(of: .object([.required("name", .string), .required("values", .integer)])),
                "Nodes and families whose values go, with the number of their values"
            ), .required("unchanged", .integer),
        ])
    )
}
