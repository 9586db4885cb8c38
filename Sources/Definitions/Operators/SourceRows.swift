internal import CEL
internal import ReactiveGraph
internal import Values

// The operators that are keys of a node, one row each.
extension OperatorRow {
    static let sources: [OperatorRow] = [
        .from,
        .source(
            "combine",
            CombineArgument.self,
            takes: "names and nodes, or a list of nodes; `{ of: node, passive: true }` for a passive one",
            gives: { $0.type(in: $1) },
            .none,
            classNote: "none, or history with `passive`",
            emission: .onceSettled,
            onFail: "fail",
            "One value of several nodes, once all have one; `map` sees the names, or the list as `value`.",
            example: #""combine":["a","b"]"#
        ) { combine, site, inputs in site.combined(combine, inputs) },
        .source(
            "all",
            AllArgument.self,
            takes: "a glob, or in a family the members to join; `reduce`, and perhaps `map`",
            gives: { all, _ in all.map?.type ?? all.reduce.type },
            .none,
            emission: .onceSettled,
            onFail: "fail",
            "One value of all nodes whose names match, as they come and go: `reduce` is one of \(AllArgument.Reduce.words).",
            example: #""all":"a*","reduce":"sum""#
        ) { all, site, _ in site.gathered(all) },
        .source(
            "merge",
            NodeListArgument.self,
            takes: "a list of nodes",
            gives: { merge, types in types.joined(merge.inputs) },
            .history,
            "The value of the node that changed last.",
            example: #""merge":["a","b"]"#
        ) { _, _, inputs in .merge(inputs) },
        .source(
            "flatten",
            FlattenArgument.self,
            takes: "`from`, `to: {key: node}` or `node` with `{value}`, `otherwise`",
            gives: { flatten, types in
                flatten.computedName == nil ? types.joined(flatten.choices) : .dyn
            },
            .history,
            "The node that the value of `from` chooses: from a list, or by its name.",
            example: #""flatten":{"from":"a","to":{"1":"b"},"otherwise":"a"}"#
        ) { flatten, site, inputs in site.flattened(flatten, from: inputs[0]) },
        .source(
            "zip",
            ZipArgument.self,
            takes: "a list of nodes; `map` and `buffer`",
            gives: { zip, types in zip.map?.type ?? .list(types.joined(zip.inputs)) },
            .history,
            isPrivate: true,
            emission: .forEachRow,
            onFail: "takes a place",
            "The first values of several nodes together, then the second ones, and so on; `map` sees them as the list `value`.",
            example: #""zip":["a","b"]"#
        ) { zip, site, inputs in site.zipped(zip, inputs) },
        .source(
            "switch",
            SwitchArgument.self,
            takes: "`from`, `by`, `value`",
            gives: { _, _ in .object },
            .history,
            "Each value with its key, `{\"key\",\"value\"}`, for `case`, `default` and `otherwise`.",
            example: #""switch":{"from":"a","by":"string(value)"}"#
        ) { keyed, site, inputs in site.keyed(keyed).derive(inputs[0]) },
        .case,
        .source(
            "default",
            DefaultArgument.self,
            takes: "`of`",
            gives: { _, _ in .dyn },
            .history,
            "The values of a `switch` without a key, or with the key null.",
            example: #""default":{"of":"a"}"#
        ) { _, site, inputs in site.chosen(.null, true, from: inputs[0]) },
        .source(
            "otherwise",
            OtherwiseArgument.self,
            takes: "`of`, `excluding`: a list of keys",
            gives: { _, _ in .dyn },
            .history,
            "The values of a `switch` with any other key than these.",
            example: #""otherwise":{"of":"a","excluding":[1]}"#
        ) { rest, site, inputs in site.remaining(rest).derive(inputs[0]) },
        .source(
            "if",
            IfArgument.self,
            .definitions,
            takes: "`from`, `when`, names for `then` and `else`",
            gives: { _, _ in .object },
            .history,
            onFail: "passes to `else`",
            "Each value with whether the condition holds; two more nodes, of which one gets it.",
            example: #""if":{"from":"a","when":"value == 1","then":"t","else":"e"}"#
        ) { condition, site, inputs in site.judged(condition).derive(inputs[0]) },
        .source(
            "schedule",
            ScheduleArgument.self,
            .definitions,
            takes: "five fields of cron; `zone`",
            gives: { _, _ in .string },
            .timed,
            onFail: "has no input",
            "The planned time, each time one of these times is reached; empty before the first.",
            example: #""schedule":"0 22 * * *""#
        ) { schedule, site, _ in site.schedule(schedule) },
        .source(
            "between",
            BetweenArgument.self,
            .definitions,
            takes: "two times of the day; `zone` and `days`",
            gives: { _, _ in .bool },
            .timed,
            onFail: "has no input",
            "Whether it is between these times of the day.",
            example: #""between":["22:00","06:00"]"#
        ) { between, site, _ in site.between(between) },
    ]

    /// A row of an operator that says where a node's values come from; `gives` is the type of its
    /// values, unknown (`dyn`) unless it is certain; `make` makes the node from the living inputs.
    static func source<Argument: SourceArgument>(
        _ name: String,
        _ argument: Argument.Type,
        _ place: SourcePlace = .anywhere,
        takes arguments: String,
        gives: @escaping @Sendable (Argument, KnownTypes) -> StaticType,
        _ stateClass: StateClass,
        classNote: String? = nil,
        isPrivate: Bool = false,
        emission: Emission = .forEachValue,
        onFail: String = "passes",
        _ summary: String,
        example: String,
        make: @escaping @Sendable (Argument, StageMaker, [Node<Datum>]) -> Node<Datum>
    ) -> OperatorRow {
        let form = Form.source(place, argument) { reading in
            let before = reading.reader.problems.count
            let argument = Argument.read(reading)
            reading.reader.types.value = argument.map { gives($0, reading.reader.types) } ?? .dyn
            guard let argument, reading.reader.problems.count == before else { return nil }
            return Source(reading.row, argument, make: make)
        }
        return OperatorRow(
            name,
            form,
            takes: arguments,
            stateClass,
            classNote: classNote,
            isPrivate: isPrivate,
            emission: emission,
            onFail: onFail,
            summary,
            example: example
        )
    }

    /// Also what clients write as `node`.
    static let from: OperatorRow = .source(
        "from",
        NodeArgument.self,
        .node,
        takes: "a node",
        gives: { from, types in types[node: from.node] },
        .none,
        onFail: "fail",
        "The values of another node.",
        example: #""from":"a""#
    ) { _, _, inputs in inputs[0] }

    /// Also makes the two sides of an `if`.
    static let `case`: OperatorRow = .source(
        "case",
        CaseArgument.self,
        takes: "`of`, `key`",
        gives: { _, _ in .dyn },
        .history,
        "The values of a `switch` with one key.",
        example: #""case":{"of":"a","key":1}"#,
        make: CaseArgument.make
    )
}
