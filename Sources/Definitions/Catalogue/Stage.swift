package import CEL
internal import ReactiveGraph
internal import Values

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
    /// A short text for pictures of the graph: the expression, or name and argument.
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

        /// The span in the host's unit.
        package var count: UInt64 { UInt64(max(1, milliseconds)) }
    }
}
