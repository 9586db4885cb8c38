internal import Definitions
internal import HTTP
internal import ReactiveGraph
internal import Sessions
internal import Values

extension InspectionRoutes: Routes {
    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: graph + "/graph",
            side: .service,
            need: Need(.read, over: .shownNodes),
            handler: drawGraph,
            name: "drawGraph",
            summary: "A picture of the graph",
            parameters: [
                .choice("format", PictureFormat.self, "Instead of Accept"),
                .flag("live", "1: also everything that lives at the moment, and its owners"),
                .text("around", "A node: only its surroundings"),
                .integer(
                    "depth",
                    from: 1,
                    to: 16,
                    "With around: the largest distance, in lines; else 2"
                ),
                commit,
            ] + pastParameters,
            successes: [
                answer(
                    "The picture",
                    .picture,
                    as: PictureFormat.allCases.map { "\($0.mediaType)" }
                )
            ],
            errors: [
                "bad_field", "unknown_graph", "not_ready", "unknown_node", .notAcceptable, "gone",
                "busy",
            ]
        ),
        Operation(
            method: .get,
            path: node + "/why",
            side: .service,
            need: Need([.observe, .read], over: .everyNode),
            handler: explainLife,
            name: "explainLife",
            summary: "What keeps the node alive",
            parameters: [
                .integer("limit", from: 1, to: 100, default: 16, "The most paths")
            ],
            successes: [answer("The paths by which it is held", .why)],
            errors: ["bad_field", "unknown_graph", "not_ready", "unknown_node"]
        ),
        Operation(
            method: .get,
            path: graph + "/listeners",
            side: .service,
            need: Need([.observe, .read], over: .everyNode),
            handler: listListeners,
            name: "listListeners",
            summary: "The listeners and their nodes",
            successes: [answer("The listeners", .object(requiring: ["listeners"]))],
            errors: ["unknown_graph", "not_ready"]
        ),
        Operation(
            method: .get,
            path: "/v1/operators",
            side: .service,
            need: .nothing,
            handler: listOperators,
            name: "listOperators",
            summary: "The catalogue of operators",
            successes: [answer("The operators", .any)]
        ),
    ]
}

extension Schema {
    /// The upstream of a source node, and what keeps it open.
    private static let openUpstream = object(
        [.required("node", .string, "The source node")],
        upstream.filter { !["u", "from", "state"].contains($0.key) },
        [
            .optional("u", .string, "Its name; missing if none is open"),
            .optional("from", .string, "Scheme, host and port"),
            .required(
                "state",
                .oneOf(
                    words: Upstream.State.allCases.map(\.rawValue) + UpstreamAbsence.allCases.map(\.rawValue)
                )
            ),
            .required(
                "for",
                .list(
                    of: .object([
                        .optional("l", .string, "A connection"), .optional("client", .string),
                        .optional("transport", .string), .optional("subs", .list(of: .integer)),
                        .optional("node", .string, "A node that is held although nothing listens"),
                        .optional("because", .word(HoldingReason.self)),
                    ])
                ),
                "What keeps it open"
            ), .optional("elsewhere", .yes, "Clients of other servers need it"),
            .optional("more", .yes),
        ]
    )

    fileprivate static let picture = part(
        "Picture",
        .object(
            [.required("graph", .string)],
            cursor,
            [
                .required("t", .integer), .required("nodes", .objects),
                .required("edges", .objects),
                .optional(
                    "families",
                    .objects,
                    "Families of nodes, each with its number of members"
                ),
                .optional("listeners", .objects),
                .optional("upstreams", .objects, "The upstreams that are open for source nodes"),
            ]
        )
    )

    fileprivate static let why = part(
        "Why",
        .object(
            [.required("graph", .string), .required("node", .string)],
            cursor,
            [
                .required("t", .integer),
                .required("retain", .word(Retention.self)),
                .required("exists", .boolean), .optional("more", .yes),
                .required(
                    "ways",
                    .list(
                        of: .object([
                            .required("by", .oneOf(words: NodeHolder.words)),
                            .optional("l", .string), .optional("client", .string),
                            .optional("transport", .string), .optional("subs", .list(of: .integer)),
                            .optional("owners", .names),
                            .required(
                                "path",
                                .list(
                                    of: .object([
                                        .required("n", .integer), .optional("via", .string),
                                        .optional("name", .string), .optional("chain", .string),
                                        .optional("of", .string), .optional("label", .string),
                                    ])
                                )
                            ),
                        ])
                    )
                ),
                .optional(
                    "upstreams",
                    .list(of: openUpstream),
                    "The upstreams of the source nodes that it is made from"
                ),
            ]
        )
    )
}
