internal import Definitions
internal import HTTP
internal import Values

extension HistoryRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: node + "/history",
            side: .service,
            need: Need(.read, over: .node),
            handler: readHistory,
            name: "readHistory",
            summary: "A node's emissions: from its history, and further back from the log",
            parameters: [
                .integer("since", from: 0, "Only what is newer than this rev, oldest first"),
                .text("epoch", "The epoch of since"),
                .integer("limit", from: 1, to: 100000, default: 1000, "The most emissions"),
                facets, commit,
            ],
            successes: [answer("The emissions", .history)],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node", "gone", "busy"]
        )
    ]
}

extension Schema {
    fileprivate static let history = part(
        "History",
        .object(
            cursor,
            [
                .required("from", .integer), .optional("more", .yes),
                .optional(
                    "to",
                    .integer,
                    "With more, where nothing was left out: as far as the log was looked at"
                ),
                .required(
                    "d",
                    .list(
                        of: .object(
                            [
                                .required("rev", .integer), .required("t", .integer),
                                .optional("by", .string), .optional("origin", .origin),
                                .optional(
                                    "state",
                                    .anyObject,
                                    "With facets: what was known besides, where that has changed"
                                ),
                            ],
                            held
                        )
                    )
                ),
            ]
        )
    )
}
