internal import Commits
internal import Definitions
internal import HTTP
internal import Values

extension EvaluationRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .post,
            path: graph + "/eval",
            side: .service,
            need: Need(.read, over: .namedNodes),
            handler: evaluate,
            name: "evaluate",
            summary: "A pipeline's present result, without subscribing",
            parameters: [commit],
            body: valueBody.of(Catalogue.standard.pipelineSchema),
            successes: [answer("The result", .result)],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node",
                .unsupportedType,
                "expr_syntax", "gone",
                "expr_type",
                "type_mismatch", "pipe_limit", "pattern_limit",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/explain",
            side: .service,
            need: Need(.read, over: .node),
            handler: explainNode,
            name: "explainNode",
            summary: "What made the present value, or that of a rev",
            parameters: [commit] + pastParameters,
            successes: [answer("Every node it comes from", .explanation)],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        ),
    ]
}

extension Schema {
    fileprivate static let result = part(
        "Result",
        .object(cursor, [.required("t", .integer)], held)
    )

    fileprivate static let explanation = part(
        "Explanation",
        .object(
            [.required("node", .string)],
            cursor,
            [
                .required("t", .integer),
                .required(
                    "nodes",
                    .list(
                        of: .object([
                            .required("node", .string), .required("kind", .string),
                            .required("c", .integer), .required("t", .integer),
                            .required("origin", .origin), .optional("by", .string),
                        ])
                    )
                ),
                .optional(
                    "commits",
                    .list(
                        of: .object([
                            .required("rev", .integer), .required("t", .integer),
                            .required("kind", .word(LogEntry.Word.self)),
                            .optional("by", .string), .optional("ctx", .any),
                            .optional("set", .names),
                            .optional("clear", .names), .optional("load", .names),
                        ])
                    ),
                    "With at: the commits that made what these nodes held, the newest first"
                ),
            ]
        )
    )
}
