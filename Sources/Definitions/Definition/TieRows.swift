extension OperatorRow {
    /// The operators that are keys of the graph.
    static let sections: [OperatorRow] = [
        OperatorRow(
            "sync",
            .section { SyncDefinition.schema },
            takes: "`a`, `b`, `to_b`, `to_a`",
            .none,
            classNote: "–",
            onFail: "not delivered into a mutable node",
            "Two mutable nodes, each of which follows the other.",
            example: #""sync":[{"a":"a","b":"b"}]"#
        ),
        OperatorRow(
            "links",
            .section { LinkDefinition.schema },
            takes: "`from`, `to`, `pipe`",
            .none,
            classNote: "by stages",
            onFail: "passes; not delivered into a mutable node",
            "Further edges into nodes that exist already; cycles are allowed.",
            example: #""links":[{"from":"a","to":"b"}]"#
        ),
    ]
}
