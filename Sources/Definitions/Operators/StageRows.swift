internal import CEL
internal import ReactiveGraph
internal import Values

// The operators of a `pipe`, one row each.
extension OperatorRow {
    static let stages: [OperatorRow] = [
        .stage(
            "map",
            Expression.self,
            takes: "an expression",
            gives: { expression, _ in expression.type },
            words: { $0.source },
            .none,
            onFail: "fail",
            "The result of the expression for `value`.",
            example: #"{"map":"value * 2"}"#
        ) { expression, site in
            let evaluation = site.evaluation(expression)
            return site.stage(Map { evaluation.datum($0.tree) }, .bypass, .none)
        },
        .stage(
            "replace",
            Datum.self,
            takes: "a JSON value",
            gives: { constant, _ in StaticType(of: constant) },
            words: { "always \($0.text)" },
            .none,
            onFail: "fail",
            "Always this value, once the upstream has one.",
            example: #"{"replace":"something"}"#
        ) { constant, site in
            site.stage(Map { _ in constant }, .bypass)
        },
        .stage(
            "ifEmpty",
            Datum.self,
            takes: "a JSON value",
            gives: { constant, input in input.joined(with: StaticType(of: constant)) },
            words: { "\($0.text) while empty" },
            .none,
            onFail: "fail",
            "This value while the upstream is empty.",
            example: #"{"ifEmpty":0}"#
        ) { constant, site in
            site.stage(IfEmpty(constant), .bypass)
        },
        .stage(
            "filter",
            Expression.self,
            takes: "an expression giving a boolean",
            gives: { _, input in input },
            words: { "filter \($0.source)" },
            .history,
            "Only values for which the expression is true.",
            example: #"{"filter":"value != 'no'"}"#
        ) { expression, site in
            let evaluation = site.evaluation(expression)
            let failure = StageFailure()
            let filter = Filter<Datum> { datum in
                do throws(EvaluationError) {
                    if case .bool(let isWanted) = try evaluation.result(datum.tree) { return isWanted }
                    failure.datum = evaluation.fail("filter needs true or false")
                } catch {
                    failure.datum = evaluation.fail(error)
                }
                return false
            }
            return site.stage(filter, .bypass, .none, failure)
        },
        .stage(
            "ignore",
            Datum.self,
            takes: "a JSON value",
            gives: { _, input in input },
            words: { "without \($0.text)" },
            .history,
            "All values but this one.",
            example: #"{"ignore":"no"}"#
        ) { unwanted, site in
            site.stage(Filter { $0 != unwanted }, .bypass, .text)
        },
        .stage(
            "select",
            Datum.self,
            takes: "a JSON value",
            gives: { wanted, _ in StaticType(of: wanted) },
            words: { "only \($0.text)" },
            .history,
            "Only this value.",
            example: #"{"select":2}"#
        ) { wanted, site in
            site.stage(Filter { $0 == wanted }, .bypass, .text)
        },
        .stage(
            "ignoreNull",
            NoArgument.self,
            takes: "nothing",
            gives: { _, input in input },
            words: { _ in "without null" },
            .history,
            "All values but null.",
            example: #""ignoreNull""#
        ) { _, site in
            site.stage(Filter { $0.kind != .null }, .bypass)
        },
        .stage(
            "distinct",
            Expression?.self,
            takes: "nothing, or an expression giving a key",
            gives: { _, input in input },
            words: { $0.map { "only changes of \($0.source)" } ?? "only changes" },
            .history,
            "Only values that differ from the node's present value, or whose keys do.",
            example: #""distinct""#
        ) { expression, site in
            guard let expression else { return site.stage(Distinct { $0 == $1 }, .count, .text) }
            let keys = StageKeys(site.evaluation(expression))
            let distinct = Distinct<Datum> { keys[$0] == keys[$1] }
            return site.stage(
                distinct,
                .count,
                .none,
                give: { datum in
                    // If no key can be computed, the failure serves as the value's key.
                    let key = keys[datum]
                    return .value(key.isFail ? key : datum)
                }
            )
        },
        .stage(
            "delta",
            NoArgument.self,
            takes: "nothing",
            gives: { _, _ in .number },
            words: { _ in "difference to the one before" },
            .history,
            onFail: "fail, state unchanged",
            "The difference from the previous number.",
            example: #""delta""#
        ) { _, site in
            site.stage(
                Delta<Number, Number?> { $1 - $0 },
                .bypass,
                give: site.number("delta needs numbers"),
                take: { .value(site.datum($0)) }
            )
        },
        .stage(
            "skip",
            Int.self,
            takes: "a number",
            gives: { _, input in input },
            words: { "without the first \($0)" },
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "All values but the first n.",
            example: #"{"skip":1}"#
        ) { count, site in
            site.stage(Skip(count), .count)
        },
        .stage(
            "take",
            Int.self,
            takes: "a number",
            gives: { _, input in input },
            words: { "only the first \($0)" },
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "The first n values and nothing after them; a clear does not restart it.",
            example: #"{"take":3}"#
        ) { count, site in
            site.stage(Take(count), .count)
        },
        .stage(
            "prefix",
            Int.self,
            takes: "a number",
            gives: { _, input in input },
            words: { "the first \($0), then the end" },
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "The first n values; then a subscription ends with `complete`.",
            example: #"{"prefix":3}"#
        ) { count, site in
            if count == 0 { site.complete() }
            return site.stage(
                Take(count),
                .count,
                afterwards: { take, _ in if take.isComplete { site.complete() } }
            )
        },
        .stage(
            "scan",
            ScanArgument.self,
            takes: "`start` and `with`, an expression of `acc`, `value`, `index`",
            gives: { argument, _ in argument.with.type },
            words: { "running \($0.with.source)" },
            .history,
            isPrivate: true,
            onFail: "fail, state unchanged",
            "A running value, computed from the previous one and the new value.",
            example: #"{"scan":{"start":0,"with":"acc + value"}}"#
        ) { argument, site in
            let evaluation = site.evaluation(argument.with, taking: 3)
            let failure = StageFailure()
            let scan = Scan<Datum, Datum>(argument.start) { running, datum, index in
                let next = evaluation.datum([running.tree, datum.tree, .int(Int64(index))])
                guard next.isFail else { return next }
                failure.datum = next
                return nil
            }
            return site.stage(scan, .bypass, .none, failure)
        },
        .stage(
            "window",
            WindowArgument.self,
            takes: "`last: duration` or `count: n`, and `of`",
            gives: { window, input in window.figure.type(of: input) },
            words: { $0.words },
            .timed,
            classNote: "timed (last) or history",
            isPrivate: true,
            onFail: "fail, state unchanged",
            "A figure over the newest values: \(WindowArgument.Figure.words).",
            example: #"{"window":{"count":3,"of":"avg"}}"#,
            classOf: { if case .count = $0.extent { .history } else { .timed } },
            make: { argument, site in site.window(argument) }
        ),
        .stage(
            "debounce",
            alias: "throttle",
            DebounceArgument.self,
            takes: "a duration, or `for` and `edge: \(DebounceEdge.words)`",
            gives: { _, input in input },
            words: { $0.words },
            .timed,
            "The last value once no value came for the interval; a steady faster stream never emits: see `sample`.",
            example: #"{"debounce":10}"#
        ) { argument, site in
            site.timed(Debounce(argument.interval.duration, edge: argument.edge))
        },
        .stage(
            "sample",
            SampleArgument.self,
            takes: "a duration, or `every` and `edge: \(DebounceEdge.words)`",
            gives: { _, input in input },
            words: { $0.words },
            .timed,
            "The newest value at a fixed rate; with `edge: leading` the first one at once, and no other for that time.",
            example: #"{"sample":15}"#
        ) { argument, site in
            site.timed(Sample(argument.interval.duration, edge: argument.edge))
        },
        .stage(
            "delay",
            Stage.Span.self,
            takes: "a duration",
            gives: { _, input in input },
            words: { "\($0.words) later" },
            .timed,
            "Every value, delayed by this duration.",
            example: #"{"delay":12}"#
        ) { interval, site in
            site.timed(
                Delay(
                    interval.duration,
                    buffer: .dropOldest(site.limits.delayed),
                    emitsEarly: true,
                    dropsWhenCleared: true
                )
            )
        },
    ]

    /// A row of an operator of a `pipe`.
    ///
    /// `gives` is the type of its values, for those it gets; unknown (`dyn`) unless it is certain.
    /// `words` says what it does, for people: pictures, explanations and the page show it.
    /// `classOf` gives the class if it depends on the argument. `make` makes the library's operator
    /// with the host's policy.
    static func stage<Argument: StageArgument>(
        _ name: String,
        alias: String? = nil,
        _ argument: Argument.Type,
        takes arguments: String,
        gives: @escaping @Sendable (Argument, StaticType) -> StaticType,
        words: @escaping @Sendable (Argument) -> String,
        _ stateClass: StateClass,
        classNote: String? = nil,
        isPrivate: Bool = false,
        onFail: String = "passes",
        _ summary: String,
        example: String,
        classOf: (@Sendable (Argument) -> StateClass)? = nil,
        make: @escaping @Sendable (Argument, StageMaker) -> StageOperator
    ) -> OperatorRow {
        let form = Form.stage(argument) { reading in
            Argument.read(reading).map { argument in
                reading.reader.types.value = gives(argument, reading.reader.types.value)
                return Stage(
                    reading.row,
                    classOf?(argument) ?? stateClass,
                    key: argument.canonical.map { "\(name)(\($0))" } ?? name,
                    label: words(argument)
                ) { make(argument, StageMaker(at: $0)) }
            }
        }
        return OperatorRow(
            name,
            alias: alias,
            form,
            takes: arguments,
            stateClass,
            classNote: classNote,
            isPrivate: isPrivate,
            onFail: onFail,
            summary,
            example: example
        )
    }
}

/// `scan: { start: 0, with: "acc + value" }`.
struct ScanArgument: StageArgument {
    let start: Datum
    let with: Expression

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("start", .any, "The value of `acc` before the first value."),
        .required("with", .expression, "The next value, computed from `acc`, `value` and `index`."),
    ]

    var canonical: String? { "\(start.text);\(with.key)" }

    static func read(_ reading: StageReading) -> ScanArgument? {
        guard let argument = reading.argument else { return nil }
        let reader = reading.reader
        let fields = reader.fields(argument, of: "scan", Self.fields)
        let start = fields["start"].flatMap(reader.datum)
        let names = ["acc", "value", "index", "time"]
        let with = fields["with"].flatMap { reader.expression($0, of: "with", variables: names) }
        guard let start, let with else { return nil }
        return ScanArgument(start: start, with: with)
    }
}

/// `debounce: 500ms` or `debounce: { for: 500ms, edge: both }`.
struct DebounceArgument: EdgeArgument {
    let interval: Stage.Span
    let edge: DebounceEdge

    static let fields = makeFields(
        "for",
        "How long no value must come.",
        "Which end of a burst is passed on."
    )

    var canonical: String? { "\(interval.milliseconds);\(edge.rawValue)" }
    var words: String {
        switch edge {
        case .trailing: "waits \(interval.words)"
        case .leading: "at once, then rests \(interval.words)"
        case .both: "at once, and after \(interval.words)"
        }
    }
}

/// `sample: 1s` or `sample: { every: 1s, edge: leading }`.
struct SampleArgument: EdgeArgument {
    let interval: Stage.Span
    let edge: DebounceEdge

    static let fields = makeFields("every", "The interval.", "Which value of an interval is passed on.")

    var canonical: String? {
        edge == .trailing ? interval.canonical : "\(interval.milliseconds);\(edge.rawValue)"
    }
    var words: String {
        switch edge {
        case .trailing: "every \(interval.words)"
        case .leading: "the first of \(interval.words)"
        case .both: "at once, then every \(interval.words)"
        }
    }
}

/// A duration, or a mapping of it and of the edge that is passed on.
protocol EdgeArgument: StageArgument {
    /// The duration, and `edge`.
    static var fields: [Schema.Field] { get }
    init(interval: Stage.Span, edge: DebounceEdge)
}

extension EdgeArgument {
    static func makeFields(_ interval: String, _ description: String, _ edge: String) -> [Schema.Field] {
        [
            .required(interval, .duration, description),
            .optional("edge", .word(DebounceEdge.self, default: .trailing), edge),
        ]
    }

    package static var schema: Schema { .either(.duration, .mapping(fields)) }

    package static func read(_ reading: StageReading) -> Self? {
        guard let argument = reading.argument else { return nil }
        let (reader, key) = (reading.reader, fields[0].key)
        guard argument.entries != nil else {
            return reader.span(argument, of: reading.word).map { Self(interval: $0, edge: .trailing) }
        }
        let found = reader.fields(argument, of: reading.word, fields)
        var edge: DebounceEdge? = .trailing
        if let stated = found["edge"] { edge = reader.word(stated, of: "edge") }
        let interval = found[key].flatMap { reader.span($0, of: key) }
        guard let interval, let edge else { return nil }
        return Self(interval: interval, edge: edge)
    }
}

/// The keys of values, computed by an expression.
///
/// Each value is asked for twice in a row, so the last two results are kept.
private final class StageKeys {
    private let evaluation: Evaluation
    private var known: [(datum: Datum, key: Datum)] = []

    init(_ evaluation: Evaluation) {
        self.evaluation = evaluation
    }

    subscript(datum: Datum) -> Datum {
        // The key of a failure is the failure.
        if datum.isFail { return datum }
        if let place = known.firstIndex(where: { $0.datum === datum }) { return known[place].key }
        let key = evaluation.datum(datum.tree)
        if known.count == 2 { known.removeFirst() }
        known.append((datum, key))
        return key
    }
}
