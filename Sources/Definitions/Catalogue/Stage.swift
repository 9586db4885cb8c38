package import CEL

/// One step of a `pipe`, in a definition or in a client's pipeline: an operator of the catalogue
/// and its argument.
public final class Stage {
    public let `operator`: OperatorRow
    /// What its value depends on; `window` by time is timed, by count it has history.
    public let stateClass: OperatorRow.StateClass
    /// Canonical text: equal for stages that do the same.
    ///
    /// The keys of shared chains are made of these texts.
    public let key: String
    /// What it does, for people: the expression, or a few words.
    public let label: String
    package let make: (any StageSite) -> StageOperator
    /// The regular expressions in its expressions.
    package var patterns: [any RegexMatcher] = []

    init(
        _ operator: OperatorRow,
        _ stateClass: OperatorRow.StateClass,
        key: String,
        label: String,
        make: @escaping (any StageSite) -> StageOperator
    ) {
        self.operator = `operator`
        self.stateClass = stateClass
        self.key = key
        self.label = label
        self.make = make
    }

    public var name: String { self.operator.name }

    /// Whether clients with equal pipelines get one stage each instead of sharing one.
    public var isPrivate: Bool {
        self.operator.isPrivate || stateClass == .timed
    }

    /// A positive length of time in whole milliseconds.
    public struct Span: Hashable, Sendable {
        public let milliseconds: Int

        /// A span.
        public init(milliseconds: Int) {
            self.milliseconds = milliseconds
        }

        package var duration: Duration { .milliseconds(milliseconds) }

        /// The span for people, in its two largest units: `1 min 30 s`.
        var words: String {
            let units = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")]
            let first = units.firstIndex { milliseconds >= $0.0 } ?? units.endIndex - 1
            var rest = milliseconds
            var parts: [String] = []
            for (size, unit) in units[first...].prefix(2) {
                // A space that does not break.
                if rest >= size { parts.append("\(rest / size)\u{202F}\(unit)") }
                rest %= size
            }
            return parts.joined(separator: " ")
        }

        /// The span in the host's unit.
        package var count: UInt64 { UInt64(max(1, milliseconds)) }
    }
}
