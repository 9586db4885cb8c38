internal import Definitions
internal import HTTP

extension EventRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: graph + "/events",
            side: .service,
            need: Need(.read, over: .namedNodes),
            handler: streamEvents,
            name: "streamEvents",
            summary: "Snapshots and updates of nodes as server-sent events",
            parameters: [
                .text(
                    "node",
                    "A node or a glob; its place is the id in the events",
                    isRequired: true,
                    repeats: true
                ),
                .flag("path", "Deliveries also say where their values have been, and what made them"),
            ] + streamParameters + [commit],
            fields: [.lastEventID],
            successes: [text("The stream, until either side ends it", as: "text/event-stream")],
            errors: [
                "bad_json", "bad_field", "unknown_graph", "not_ready", "unknown_node",
                "expr_syntax",
                "expr_type",
                "sub_limit",
                "too_large", "pipe_limit", "pattern_limit", "gone",
            ]
        )
    ]
}
