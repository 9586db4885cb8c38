internal import Support

/// All operators in one table.
///
/// It drives the reading of definitions and pipelines, `GET /v1/operators`, and the documentation. Adding an operator
/// begins with a row here.
public enum Catalogue {
    /// Every operator, in the order of definitions.md §3.
    public static let all: [Operator] = [
        Operator(
            "from",
            .source,
            takes: "a node",
            .none,
            onFail: "fail",
            "The values of another node."
        ),
        Operator(
            "map",
            .expression { .map($0) },
            takes: "an expression",
            .none,
            onFail: "fail",
            "What the expression makes of `value`."
        ),
        Operator(
            "replace",
            .json { .replace($0) },
            takes: "a JSON value",
            .none,
            onFail: "fail",
            "Always this value, once the upstream has one."
        ),
        Operator(
            "ifEmpty",
            .json { .ifEmpty($0) },
            takes: "a JSON value",
            .none,
            onFail: "fail",
            "This value while the upstream is empty."
        ),
        Operator(
            "combine",
            .source,
            takes: "names and nodes, or a list of nodes",
            .none,
            onFail: "fail",
            "One value of several nodes, once all have one; `map` sees the names, or the list as `value`."
        ),
        Operator(
            "filter",
            .expression { .filter($0) },
            takes: "an expression giving a boolean",
            .history,
            onFail: "passes",
            "Only values for which the expression is true."
        ),
        Operator(
            "ignore",
            .json { .ignore($0) },
            takes: "a JSON value",
            .history,
            onFail: "passes",
            "All values but this one."
        ),
        Operator(
            "select",
            .json { .select($0) },
            takes: "a JSON value",
            .history,
            onFail: "passes",
            "This value and no other."
        ),
        Operator(
            "ignoreNull",
            .plain { .ignoreNull },
            takes: "nothing",
            .history,
            onFail: "passes",
            "All values but null."
        ),
        Operator(
            "distinct",
            .optionalExpression { .distinct($0) },
            takes: "nothing, or an expression giving a key",
            .history,
            onFail: "passes",
            "Only values that differ from the one before, or whose keys do."
        ),
        Operator(
            "delta",
            .plain { .delta },
            takes: "nothing",
            .history,
            onFail: "fail, state unchanged",
            "The difference to the previous number."
        ),
        Operator(
            "merge",
            .source,
            takes: "a list of nodes",
            .history,
            onFail: "passes",
            "Whichever node changed last."
        ),
        Operator(
            "flatten",
            .source,
            takes: "`from`, `to: {key: node}`, `otherwise`",
            .history,
            onFail: "passes",
            "The node that the value of `from` chooses."
        ),
        Operator(
            "switch",
            .source,
            takes: "`from`, `by`, `value`",
            .history,
            onFail: "passes",
            "Each value with its key, `{\"key\",\"value\"}`, for `case` and `default`."
        ),
        Operator(
            "case",
            .source,
            takes: "`of`, `key`",
            .history,
            onFail: "passes",
            "The values of a `switch` with one key."
        ),
        Operator(
            "default",
            .source,
            takes: "`of`",
            .history,
            onFail: "passes",
            "The values of a `switch` without a key, or with the key null."
        ),
        Operator(
            "if",
            .source,
            takes: "`from`, `when`, names for `then` and `else`",
            .history,
            onFail: "passes to `else`",
            "Each value with whether the condition holds; two more nodes, of which one gets it."
        ),
        Operator(
            "skip",
            .count { .skip($0) },
            takes: "a number",
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "All values but the first n."
        ),
        Operator(
            "take",
            .count { .take($0) },
            takes: "a number",
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "The first n values and nothing after them."
        ),
        Operator(
            "prefix",
            .count { .prefix($0) },
            takes: "a number",
            .history,
            isPrivate: true,
            onFail: "passes, counts",
            "The first n values; then a subscription ends with `complete`."
        ),
        Operator(
            "scan",
            .scan,
            takes: "`start` and `with`, an expression of `acc`, `value`, `index`",
            .history,
            isPrivate: true,
            onFail: "fail, state unchanged",
            "A running value, each made of the one before and the new value."
        ),
        Operator(
            "zip",
            .source,
            takes: "a list of nodes; `map` and `buffer`",
            .history,
            isPrivate: true,
            onFail: "takes a place",
            "The first values of several nodes together, then the second ones, and so on; `map` sees them as the list `value`."
        ),
        Operator(
            "window",
            .window,
            takes: "`last: duration` or `count: n`, and `of`",
            .timed,
            classNote: "timed (last) or history",
            isPrivate: true,
            onFail: "fail, state unchanged",
            "A figure over the newest values: avg, sum, min, max, count, first, last, rate, p50, p95, p99, list."
        ),
        Operator(
            "debounce",
            alias: "throttle",
            .debounce,
            takes: "a duration, `edge: trailing|leading|both`",
            .timed,
            onFail: "passes",
            "The last value once nothing came for the interval; a steady faster stream never emits: see `sample`."
        ),
        Operator(
            "sample",
            .span { .sample($0) },
            takes: "a duration",
            .timed,
            onFail: "passes",
            "The newest value at a fixed rate."
        ),
        Operator(
            "delay",
            .span { .delay($0) },
            takes: "a duration",
            .timed,
            onFail: "passes",
            "Every value, so much later."
        ),
        Operator(
            "sync",
            .section,
            takes: "`a`, `b`, `to_b`, `to_a`",
            .none,
            classNote: "–",
            onFail: "not delivered into a mutable node",
            "Two nodes that are set, each of which follows the other."
        ),
        Operator(
            "links",
            .section,
            takes: "`from`, `to`, `pipe`",
            .none,
            classNote: "by stages",
            onFail: "passes; not delivered into a mutable node",
            "Further edges into nodes that exist already; cycles are allowed."
        ),
    ]

    private static let index: [String: Int] = {
        var index: [String: Int] = [:]
        for (place, row) in all.enumerated() {
            index[row.name] = place
            if let alias = row.alias {
                index[alias] = place
            }
        }
        return index
    }()

    /// The row of an operator by its name or alias.
    public static subscript(name: String) -> Operator? {
        index[name].map { all[$0] }
    }

    /// The row of an operator this module names itself.
    static func row(named name: String) -> Operator {
        guard let row = self[name] else { preconditionFailure("the catalogue has no row for \(name)") }
        return row
    }

    /// Appends the answer of `GET /v1/operators`: `{"operators":[{"name",…}]}`.
    public static func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"operators":["#.utf8)
        for (place, row) in all.enumerated() {
            bytes.append(contentsOf: (place == 0 ? "{" : ",{").utf8)
            field("name", row.name, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            if let alias = row.alias {
                field("alias", alias, to: &bytes)
                bytes.append(UInt8(ascii: ","))
            }
            field("arguments", row.arguments, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            field("class", row.classText, to: &bytes)
            bytes.append(contentsOf: ",\"private\":\(row.isPrivate),\"stage\":\(row.isStage),".utf8)
            bytes.append(contentsOf: "\"supported\":true,".utf8)
            field("onFail", row.onFail, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            field("summary", row.summary, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: "]}".utf8)
    }

    private static func field(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(json: value)
    }
}
