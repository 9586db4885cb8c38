// The operators that are keys of a node, and those that are keys of the graph, a row each.
extension OperatorRow {
    static let sources: [OperatorRow] = [
        OperatorRow(
            "from",
            .source,
            takes: "a node",
            .none,
            onFail: "fail",
            "The values of another node.",
            example: #""from":"a""#
        ),
        OperatorRow(
            "combine",
            .source,
            takes: "names and nodes, or a list of nodes",
            .none,
            onFail: "fail",
            "One value of several nodes, once all have one; `map` sees the names, or the list as `value`.",
            example: #""combine":["a","b"]"#
        ),
        OperatorRow(
            "merge",
            .source,
            takes: "a list of nodes",
            .history,
            onFail: "passes",
            "Whichever node changed last.",
            example: #""merge":["a","b"]"#
        ),
        OperatorRow(
            "flatten",
            .source,
            takes: "`from`, `to: {key: node}`, `otherwise`",
            .history,
            onFail: "passes",
            "The node that the value of `from` chooses.",
            example: #""flatten":{"from":"a","to":{"1":"b"},"otherwise":"a"}"#
        ),
        OperatorRow(
            "switch",
            .source,
            takes: "`from`, `by`, `value`",
            .history,
            onFail: "passes",
            "Each value with its key, `{\"key\",\"value\"}`, for `case`, `default` and `otherwise`.",
            example: #""switch":{"from":"a","by":"string(value)"}"#
        ),
        OperatorRow(
            "case",
            .source,
            takes: "`of`, `key`",
            .history,
            onFail: "passes",
            "The values of a `switch` with one key.",
            example: #""case":{"of":"a","key":1}"#
        ),
        OperatorRow(
            "default",
            .source,
            takes: "`of`",
            .history,
            onFail: "passes",
            "The values of a `switch` without a key, or with the key null.",
            example: #""default":{"of":"a"}"#
        ),
        OperatorRow(
            "otherwise",
            .source,
            takes: "`of`, `excluding`: a list of keys",
            .history,
            onFail: "passes",
            "The values of a `switch` with any other key than these.",
            example: #""otherwise":{"of":"a","excluding":[1]}"#
        ),
        OperatorRow(
            "if",
            .source,
            takes: "`from`, `when`, names for `then` and `else`",
            .history,
            onFail: "passes to `else`",
            "Each value with whether the condition holds; two more nodes, of which one gets it.",
            example: #""if":{"from":"a","when":"value == 1","then":"t","else":"e"}"#
        ),
        OperatorRow(
            "zip",
            .source,
            takes: "a list of nodes; `map` and `buffer`",
            .history,
            isPrivate: true,
            onFail: "takes a place",
            "The first values of several nodes together, then the second ones, and so on; `map` sees them as the list `value`.",
            example: #""zip":["a","b"]"#
        ),
    ]

    static let sections: [OperatorRow] = [
        OperatorRow(
            "sync",
            .section,
            takes: "`a`, `b`, `to_b`, `to_a`",
            .none,
            classNote: "–",
            onFail: "not delivered into a mutable node",
            "Two nodes that are set, each of which follows the other.",
            example: #""sync":[{"a":"a","b":"b"}]"#
        ),
        OperatorRow(
            "links",
            .section,
            takes: "`from`, `to`, `pipe`",
            .none,
            classNote: "by stages",
            onFail: "passes; not delivered into a mutable node",
            "Further edges into nodes that exist already; cycles are allowed.",
            example: #""links":[{"from":"a","to":"b"}]"#
        ),
    ]

    /// The example as one JSON text: an element of a `pipe`, or an object of keys.
    var exampleJSON: String { isStage ? example : "{\(example)}" }
}
