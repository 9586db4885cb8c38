internal import Definitions
internal import HTTP

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
            body: valueBody.of(reference("Pipeline")),
            successes: [answer("The result", reference("Result"))],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node", .unsupportedType,
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
            successes: [answer("Every node it comes from", reference("Explanation"))],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        ),
    ]
}
