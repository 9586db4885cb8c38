internal import Definitions
internal import HTTP

extension CommitRoutes: Routes {
    private static let setErrors: [ErrorCode] = [
        "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", "not_mutable", "conflict",
        .unsupportedType,
        "type_mismatch", "key_reused", "precondition_required", "rate_limited", "sub_limit", "engine_down",
        "no_space",
    ]

    private static let setFields: [HeaderName] = [
        .ifMatch, .ifNoneMatch, .prefer, .idempotencyKey, .sluiceContext,
    ]

    private static func applied(_ summary: String) -> [Success] {
        [
            answer(summary, reference("Applied")),
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
                body: Body(types: ["application/merge-patch+json"], schema: "{}"),
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
                body: valueBody.of(reference("Load")),
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
                summary: "Sets and clears several nodes, all or nothing",
                fields: [.idempotencyKey, .sluiceContext],
                body: valueBody.of(reference("Batch")),
                successes: [answer("All of it is applied", reference("Applied"))],
                errors: setErrors
            ),
        ]
}
