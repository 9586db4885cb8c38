/// One step of a `pipe`, in a definition or in a client's pipeline (definitions.md §3).
public enum Stage {
    /// The expression's value for `value`.
    case map(Expression)
    /// Always this value, whatever comes.
    case replace(Datum)
    /// This value while the upstream is empty.
    case ifEmpty(Datum)
    /// Passes what the expression is true for.
    case filter(Expression)
    /// Drops what equals this value.
    case ignore(Datum)
    /// Passes only what equals this value.
    case select(Datum)
    /// Drops JSON null.
    case ignoreNull
    /// Drops what equals the value before it; with an expression, what has the same key.
    case distinct(Expression?)
    /// The difference to the number before.
    case delta
    /// Drops the first n.
    case skip(Int)
    /// Passes the first n and nothing after them.
    case take(Int)
    /// Passes the first n; a subscription then ends with `complete`.
    case prefix(Int)
    /// A running value: `acc`, `value` and `index` give the next one.
    case scan(start: Datum, with: Expression)
    /// A figure over the newest values.
    case window(Window)
    /// Waits for calm: what came last, once nothing came for the interval.
    case debounce(Span, edge: Edge)
    /// The newest value at a fixed rate.
    case sample(Span)
    /// Every value, later.
    case delay(Span)

    /// A length of time in whole milliseconds, more than none.
    public struct Span: Hashable, Sendable {
        public let milliseconds: Int

        /// A span.
        public init(milliseconds: Int) {
            self.milliseconds = milliseconds
        }
    }

    /// Which end of a burst `debounce` emits at.
    public enum Edge: String, Hashable, Sendable, CaseIterable {
        case trailing, leading, both
    }

    /// What `window` looks at and what it makes of it.
    public struct Window: Hashable, Sendable {
        /// How far back it looks.
        public enum Extent: Hashable, Sendable {
            /// The values of the last span of time.
            case last(Span)
            /// The last so many values.
            case count(Int)
        }

        /// What it makes of the values.
        public enum Figure: String, Hashable, Sendable, CaseIterable {
            case avg, sum, min, max, count, first, last, rate, p50, p95, p99, list
        }

        public let extent: Extent
        public let figure: Figure
    }
}

extension Stage {
    /// The stage's row in the catalogue.
    public var `operator`: Operator {
        Catalogue.row(named: name)
    }

    /// The stage's name on the wire.
    public var name: String {
        switch self {
        case .map: "map"
        case .replace: "replace"
        case .ifEmpty: "ifEmpty"
        case .filter: "filter"
        case .ignore: "ignore"
        case .select: "select"
        case .ignoreNull: "ignoreNull"
        case .distinct: "distinct"
        case .delta: "delta"
        case .skip: "skip"
        case .take: "take"
        case .prefix: "prefix"
        case .scan: "scan"
        case .window: "window"
        case .debounce: "debounce"
        case .sample: "sample"
        case .delay: "delay"
        }
    }

    /// What its value depends on; `window` by time is timed, by count it has history.
    public var stateClass: Operator.StateClass {
        if case .window(let window) = self, case .count = window.extent { return .history }
        return self.operator.stateClass
    }

    /// Whether clients with equal pipelines get one each instead of sharing (design.md §4.8).
    public var isPrivate: Bool {
        self.operator.isPrivate || stateClass == .timed
    }

    /// Canonical text: equal for stages that do the same.
    ///
    /// The key of a shared chain is made of these.
    public var key: String {
        switch self {
        case .map(let expression), .filter(let expression): "\(name)(\(expression.key))"
        case .replace(let datum), .ifEmpty(let datum), .ignore(let datum), .select(let datum):
            "\(name)(\(datum.text))"
        case .ignoreNull, .delta: name
        case .distinct(let expression): expression.map { "distinct(\($0.key))" } ?? "distinct"
        case .skip(let count), .take(let count), .prefix(let count): "\(name)(\(count))"
        case .scan(let start, let expression): "scan(\(start.text);\(expression.key))"
        case .window(let window): "window(\(window.key))"
        case .debounce(let span, let edge): "debounce(\(span.milliseconds);\(edge.rawValue))"
        case .sample(let span), .delay(let span): "\(name)(\(span.milliseconds))"
        }
    }

    /// A short text for pictures of the graph: the expression, or name and argument.
    public var label: String {
        switch self {
        case .map(let expression): expression.source
        case .filter(let expression): "filter \(expression.source)"
        default: key
        }
    }
}

extension Stage.Window {
    fileprivate var key: String {
        switch extent {
        case .last(let span): "last \(span.milliseconds);\(figure.rawValue)"
        case .count(let count): "count \(count);\(figure.rawValue)"
        }
    }
}
