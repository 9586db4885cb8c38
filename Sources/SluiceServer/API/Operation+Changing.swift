internal import GraphHost
internal import HTTP

// Operations that change values and definitions.
extension Operation {
    private static let setErrors: [ErrorCode] = [
        "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", "not_mutable", "conflict",
        .unsupportedType,
        "type_mismatch", "key_reused", "precondition_required", "rate_limited", "engine_down", "no_space",
    ]

    private static let setFields: [HeaderName] = [
        .ifMatch, .ifNoneMatch, .prefer, .idempotencyKey, .sluiceContext,
    ]

    static let setting: [Operation] =
        [Method.post, .put].map { method in
            Operation(
                method: method,
                path: node,
                side: .service,
                right: .ofNodes,
                handler: { $0.setNode($1, $2) },
                name: method == .post ? "setNode" : "putNode",
                summary: "Sets the node: the body is the value",
                fields: setFields,
                body: valueBody,
                successes: [
                    answer("It is set", reference("Applied")),
                    Success(status: 204, summary: "It is set; Prefer: return=minimal"),
                ],
                errors: setErrors
            )
        } + [
            Operation(
                method: .patch,
                path: node,
                side: .service,
                right: .ofNodes,
                handler: { $0.patchNode($1, $2) },
                name: "patchNode",
                summary: "Changes members of an object (RFC 7396)",
                fields: setFields,
                body: Body(types: ["application/merge-patch+json"], schema: "{}"),
                successes: [
                    answer("It is set", reference("Applied")),
                    Success(status: 204, summary: "It is set; Prefer: return=minimal"),
                ],
                errors: setErrors
            ),
            Operation(
                method: .post,
                path: node + "/load",
                side: .service,
                right: .ofNodes,
                handler: { $0.loadNode($1, $2) },
                name: "loadNode",
                summary:
                    "Reports the node's state besides its value: loading, an error, or that it is out of date",
                fields: setFields,
                body: Body(types: valueBody.types, schema: reference("Load")),
                successes: [
                    answer("It is recorded", reference("Applied")),
                    Success(status: 204, summary: "It is recorded; Prefer: return=minimal"),
                ],
                errors: setErrors
            ),
            Operation(
                method: .delete,
                path: node + "/value",
                side: .service,
                right: .ofNodes,
                handler: { $0.clearNode($1, $2) },
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
                right: .ofNodes,
                handler: { $0.dropNode($1, $2) },
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
                right: .ofNodes,
                handler: { $0.applyBatch($1, $2) },
                name: "batch",
                summary: "Sets and clears several nodes, all or nothing",
                fields: [.idempotencyKey, .sluiceContext],
                body: Body(types: valueBody.types, schema: reference("Batch")),
                successes: [answer("All of it is applied", reference("Applied"))],
                errors: setErrors
            ),
        ]

    private static let definitionErrors: [ErrorCode] = [
        "unknown_graph", "not_ready", "conflict", "in_use", "engine_down", "no_space",
    ]

    static let defining: [Operation] = [
        Operation(
            method: .put,
            path: graph,
            side: .operations,
            right: .needs(.admin),
            handler: { $0.defineGraph($1, $2) },
            takesDefinition: true,
            name: "defineGraph",
            summary: "Defines a graph, or redefines one as a structural difference",
            parameters: [
                Parameter(
                    name: "dry_run",
                    schema: #"{"type":"string","enum":["","0","1","true"]}"#,
                    summary: "1: only report the changes"
                ),
                Parameter(
                    name: "adopt",
                    schema: #"{"type":"string","enum":["","0","1","true"]}"#,
                    summary: "1: also if a file owns the graph; from then on the API owns it"
                ),
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
            right: .needs(.admin),
            handler: { $0.readDefinition($1, $2) },
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
            right: .needs(.admin),
            handler: { $0.removeGraph($1, $2) },
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
            right: .needs(.admin),
            handler: { connection, _, _ in connection.reloadFiles() },
            name: "reload",
            summary: "Reads graphs, tokens and certificate again, as SIGHUP does",
            successes: [answer("What has changed, and all problems", reference("Reloaded"))]
        ),
    ]
}
