package import Values

/// One row of the operator catalogue: its word, its argument, its behaviour, and the operator that
/// implements it.
///
/// The operators themselves are those of `ReactiveGraph`. A row adds what a server needs: how the
/// argument is read, what happens to failures, and who is charged.
public final class OperatorRow: Sendable {
    /// What an operator's value depends on; a pipe has the strongest class of its operators.
    public enum StateClass: Hashable, Sendable, Comparable {
        /// The present inputs only.
        case none
        /// Earlier values too.
        case history
        /// The clock too.
        case timed
    }

    /// Where the operator is written.
    package enum Form: Sendable {
        /// In a `pipe`, with this argument; the function reads the argument that follows the word.
        case stage(any StageArgument.Type, read: @Sendable (StageReading) -> Stage?)
        /// A key of a node that says where its values come from; the function reads the argument
        /// under the key.
        case source(SourcePlace, any SourceArgument.Type, read: @Sendable (SourceReading) -> Source?)
        /// A key of the graph.
        case section(schema: @Sendable () -> Schema)
    }

    /// How many values an operator passes on.
    package enum Emission: Sendable {
        /// One for each value, whichever input it comes from.
        case forEachValue
        /// One per commit in settled mode, otherwise one per value.
        case onceSettled
        /// One per row, to which every input contributes one value.
        case forEachRow
    }

    /// Where a source may be used.
    package enum SourcePlace: Sendable {
        /// In definitions and in pipelines of clients.
        case anywhere
        /// In definitions only: it makes named nodes, or depends on the time of commits.
        case definitions
        /// In definitions only: it stands for an existing node, which clients write as `node`.
        case node
    }

    /// The word, the same everywhere.
    public let name: String
    /// Another word for it.
    public let alias: String?
    /// Its argument, for people.
    public let arguments: String
    /// What its value depends on.
    public let stateClass: StateClass
    /// A description of the class where one word is not enough.
    let classNote: String?
    /// Whether it counts or collects, so that clients do not share it.
    public let isPrivate: Bool
    /// How it treats a failed input, for people.
    public let onFail: String
    /// One line of documentation.
    public let summary: String
    /// One use of it, as JSON: an element of a `pipe`, or the keys of a node or of the graph.
    public let example: String
    let form: Form
    let emission: Emission

    init(
        _ name: String,
        alias: String? = nil,
        _ form: Form,
        takes arguments: String,
        _ stateClass: StateClass,
        classNote: String? = nil,
        isPrivate: Bool = false,
        emission: Emission = .forEachValue,
        onFail: String,
        _ summary: String,
        example: String
    ) {
        self.name = name
        self.alias = alias
        self.form = form
        self.arguments = arguments
        self.stateClass = stateClass
        self.classNote = classNote
        self.isPrivate = isPrivate
        self.emission = emission
        self.onFail = onFail
        self.summary = summary
        self.example = example
    }

    /// Whether it stands in a `pipe`.
    public var isStage: Bool {
        if case .stage = form { true } else { false }
    }

    /// Whether it is a key of a node that says where its values come from.
    public var isSource: Bool {
        if case .source = form { true } else { false }
    }

    /// Whether it is a key of the graph.
    var isSection: Bool {
        if case .section = form { true } else { false }
    }

    /// The class as documentation shows it.
    public var classText: String {
        classNote ?? "\(stateClass)"
    }
}
