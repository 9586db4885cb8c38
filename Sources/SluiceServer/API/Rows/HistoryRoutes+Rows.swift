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
            summary: "A node's emissions: from its history, and further back from the log; or steps of time",
            parameters: [
                .integer("since", from: 0, "Only what is newer than this rev, oldest first"),
                .text("epoch", "The epoch of since"),
                .integer("limit", from: 1, to: 100000, default: 1000, "The most emissions"),
                .text("begin", "With end or points: steps of time from here on; milliseconds or RFC 3339"),
                .text("end", "Where these steps end; without it, now"),
                .integer("points", from: 1, to: 2000, "The most steps; 500 if begin or end are given"),
                facets, commit,
            ],
            successes: [answer("The emissions, or the steps", .oneOf([.history, .steps]))],
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

extension Schema {
    fileprivate static let steps = part(
        "HistoryByTime",
        .object(
            cursor,
            [
                .required("since", .integer, "The history is complete from here on"),
                .required("begin", .integer), .required("end", .integer),
                .required("step", .integer, "The length of a step in milliseconds"),
                .required(
                    "d",
                    .list(
                        of: .object(
                            [
                                .required("t", .integer, "When the step begins"),
                                .required("n", .integer, "How many emissions it has"),
                                .optional("min", .number, "Of the numbers among them"),
                                .optional("mean", .number), .optional("max", .number),
                            ],
                            held
                        )
                    )
                ),
            ]
        )
    )
}
