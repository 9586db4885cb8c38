internal import Commits
internal import Definitions
internal import Graphs
internal import HTTP
internal import Values

extension CommitRoutes: Routes {
    private static let setErrors: [ErrorCode] = [
        "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", "not_mutable",
        "conflict",
        .unsupportedType,
        "type_mismatch", "key_reused", "precondition_required", "rate_limited", "sub_limit",
        "engine_down",
        "no_space",
    ]

    private static let expressionErrors: [ErrorCode] = [
        "expr_syntax", "expr_type", "expr_cost", "expr_overflow", "expr_divide", "expr_index",
        "expr_no_key", "expr_bad_value", "pattern_limit",
    ]

    private static let setFields: [HeaderName] = [
        .ifMatch, .ifNoneMatch, .prefer, .idempotencyKey, .sluiceContext, .sluicePath,
    ]

    private static func applied(_ summary: String) -> [Success] {
        [
            answer(summary, .applied),
            Success(status: 204, summary: "\(summary); Prefer: return=minimal"),
        ]
    }

    private static func setRow(_ method: Method, _ name: String) -> Operation {
        Operation(
            method: method,
            path: node,
            side: .service,
            need: Need(.set, over: .node),
            handler: setNode,
            audited: .set,
            name: name,
            summary: "Sets the node: the body is the value",
            fields: setFields,
            body: valueBody,
            successes: applied("It is set"),
            errors: setErrors
        )
    }

    static let rows: [Operation] =
        [setRow(.post, "setNode"), setRow(.put, "putNode")] + [
            Operation(
                method: .patch,
                path: node,
                side: .service,
                need: Need([.set, .read], over: .node),
                handler: patchNode,
                audited: .set,
                name: "patchNode",
                summary: "Changes members of an object (RFC 7396)",
                fields: setFields,
                body: Body(types: ["application/merge-patch+json"], schema: .any),
                successes: applied("It is set"),
                errors: setErrors
            ),
            Operation(
                method: .post,
                path: node + "/load",
                side: .service,
                need: Need(.set, over: .node),
                handler: loadNode,
                audited: .set,
                name: "loadNode",
                summary:
                    "Reports the node's state besides its value: loading, an error, or that it is out of date",
                fields: setFields,
                body: valueBody.of(.load),
                successes: applied("It is recorded"),
                errors: setErrors
            ),
            Operation(
                method: .delete,
                path: node + "/value",
                side: .service,
                need: Need(.set, over: .node),
                handler: clearNode,
                audited: .set,
                name: "clearNode",
                summary: "Makes the node empty",
                fields: setFields,
                successes: [Success(status: 204, summary: "It is empty")],
                errors: setErrors
            ),
            Operation(
                method: .delete,
                path: node,
                side: .service,
                need: Need([.set, .read], over: .node),
                handler: dropNode,
                audited: .set,
                name: "dropNode",
                summary: "Drops a member of a family until it is set or asked for again",
                fields: setFields,
                successes: [Success(status: 204, summary: "It is dropped")],
                errors: setErrors
            ),
            Operation(
                method: .post,
                path: graph + "/batch",
                side: .service,
                need: Need(.set, over: .namedNodes),
                handler: applyBatch,
                audited: .set,
                name: "batch",
                summary: "Sets, updates and clears several nodes, all or nothing",
                fields: [.idempotencyKey, .sluiceContext, .sluicePath],
                body: valueBody.of(.batch),
                successes: [answer("All of it is applied", .applied)],
                errors: setErrors + expressionErrors + ["too_large"]
            ),
            Operation(
                method: .post,
                path: graph + "/wipe",
                side: .service,
                need: Need([.set, .read], over: .namedNodes),
                handler: wipeGraph,
                audited: .set,
                name: "wipeGraph",
                summary: "Clears the nodes that match and that the caller may read and set",
                parameters: [
                    Parameter(
                        "match",
                        .string.with("minLength", 1).with("maxLength", 256).with("default", "*"),
                        "A name or glob: only nodes that match"
                    )
                ],
                fields: [.idempotencyKey, .sluiceContext, .sluicePath],
                successes: [answer("They are empty", .applied)],
                errors: setErrors + ["too_large"]
            ),
        ]
}

extension Schema {
    fileprivate static let applied = part(
        "Applied",
        .object([
            .optional("epoch", .string), .optional("rev", .integer), .optional("changed", .integer),
            .optional("values", .anyObject, "What the expressions have given"),
            .optional("skipped", .names),
        ]).described("without epoch and rev if every node was skipped, so that nothing has changed")
    )

    fileprivate static let load = part(
        "Load",
        .object([
            .optional("loading", .boolean),
            .optional("progress", .number.with("minimum", 0).with("maximum", 1)),
            .optional(
                "error",
                .object([
                    .required(
                        "code",
                        .string(pattern: "^[a-z][a-z0-9_]{0,\(FacetChange.longestCode - 1)}$")
                    ),
                    .optional("msg", .string),
                ])
            ), .optional("notModified", .yes), .optional("cancelled", .yes),
            .optional("invalidate", .yes),
        ]).and(
            .oneOf([
                .anyOf([.requires(["loading"]), .requires(["progress"])]), .requires(["error"]),
                .requires(["notModified"]), .requires(["cancelled"]), .requires(["invalidate"]),
            ])
        ).described("loading with progress, or one of the others")
    )

    fileprivate static let batch = part(
        "Batch",
        .object([
            .optional("set", .anyObject),
            .optional("update", .map(of: .string), "Nodes and the expressions for their next values"),
            .optional("with", .map(of: .string), "Names in expressions, and their nodes"),
            .optional("clear", .names, "Names and globs"),
            .optional("if", .oneOf([.anyObject, .string]), "Conditions, or one expression"),
            .optional("ctx", .any),
            .optional("key", .string.with("minLength", 1).with("maxLength", 128)),
            .optional("path", .names.with("maxItems", .number(ValuePath.longest))),
        ]).and(
            .anyOf([
                .requires(["set"]).and(
                    .properties([.optional("set", .any.with("minProperties", 1))])
                ),
                .requires(["update"]).and(
                    .properties([.optional("update", .any.with("minProperties", 1))])
                ),
                .requires(["clear"]).and(
                    .properties([.optional("clear", .any.with("minItems", 1))])
                ),
            ])
        )
    )
}
