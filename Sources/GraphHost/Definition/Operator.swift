/// One row of the operator catalogue (definitions.md §3).
public struct Operator: Sendable {
    /// What an operator's value depends on (design.md §4.7); a pipe is of the strongest class in it.
    public enum StateClass: String, Hashable, Sendable, Comparable {
        /// The present inputs only.
        case none
        /// Earlier values too.
        case history
        /// The clock too.
        case timed

        public static func < (a: StateClass, b: StateClass) -> Bool {
            a.strength < b.strength
        }

        private var strength: Int {
            switch self {
            case .none: 0
            case .history: 1
            case .timed: 2
            }
        }
    }

    /// Where the operator is written, and what is made of its argument.
    enum Form: Sendable {
        /// A stage of a `pipe`, by the shape of its argument.
        case plain(@Sendable () -> Stage)
        case expression(@Sendable (Expression) -> Stage)
        case optionalExpression(@Sendable (Expression?) -> Stage)
        case json(@Sendable (Datum) -> Stage)
        case count(@Sendable (Int) -> Stage)
        case span(@Sendable (Stage.Span) -> Stage)
        case scan, window, debounce
        /// A key of a node, which says where its values come from.
        case source
        /// A key of the graph.
        case section
    }

    /// The word, the same everywhere.
    public let name: String
    /// Another word for it.
    public let alias: String?
    /// What it takes, for people.
    public let arguments: String
    /// What its value depends on.
    public let stateClass: StateClass
    /// The class where one word does not say it.
    let classNote: String?
    /// Whether it counts or collects, so that clients do not share it.
    public let isPrivate: Bool
    /// What it does with an input in `fail`.
    public let onFail: String
    /// One line of documentation.
    public let summary: String
    let form: Form

    init(
        _ name: String,
        alias: String? = nil,
        _ form: Form,
        takes arguments: String,
        _ stateClass: StateClass,
        classNote: String? = nil,
        isPrivate: Bool = false,
        onFail: String,
        _ summary: String
    ) {
        self.name = name
        self.alias = alias
        self.form = form
        self.arguments = arguments
        self.stateClass = stateClass
        self.classNote = classNote
        self.isPrivate = isPrivate
        self.onFail = onFail
        self.summary = summary
    }

    /// Whether it stands in a `pipe`.
    public var isStage: Bool {
        switch form {
        case .source, .section: false
        default: true
        }
    }

    /// Whether it is a key of a node, which says where its values come from.
    public var isSource: Bool {
        if case .source = form { true } else { false }
    }

    /// The class as documentation shows it.
    public var classText: String {
        classNote ?? stateClass.rawValue
    }
}
