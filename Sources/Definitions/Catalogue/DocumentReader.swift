internal import CEL
internal import ReactiveGraph
package import Values

/// Reads the parts of a document, and collects the problems so that all are reported at once.
///
/// A function that reads a part returns nil after it has recorded what is wrong with it.
package final class DocumentReader {
    /// The file's name for messages.
    let file: String?
    let options: DefinitionOptions
    private(set) var problems: [DefinitionProblem] = []
    private(set) var warnings: [DefinitionProblem] = []
    /// How many unknown names have been compared with the names of nodes.
    private var guesses = 0
    /// The remaining budget of checks of initial and allowed values.
    var checks = CheckBudget(CheckBudget.ofDefinition)
    /// The name pattern of the family that is being read; names used in its definition may have the
    /// same placeholders.
    var family: NamePattern?
    var types = KnownTypes()
    /// The words of the graph's upstreams, by name: what kind each is.
    var upstreams: [String: String] = [:]
    /// The regular expressions of the expressions read since they were last taken.
    var patterns: [any RegexMatcher] = []

    package init(file: String?, options: DefinitionOptions) {
        var options = options
        // Those of a file are unlimited, but equal ones are compiled once.
        let expressions = options.expressions
        options.expressions.literals = expressions.literals ?? expressions.regex.map { LiteralPatterns($0) }
        self.file = file
        self.options = options
    }

    /// Records a problem.
    package func add(
        _ message: String,
        code: HostError.Code = .badField,
        at position: Position,
        hint: String? = nil
    ) {
        // Once one pattern is above the limit, all further ones are: report it once.
        if code == .patternLimit, problems.contains(where: { $0.code == code }) { return }
        problems.append(DefinitionProblem(message, code: code, file: file, at: position, hint: hint))
    }

    /// Records what is valid, and may not mean what it seems to; only of files, which people write.
    func warn(_ message: String, at position: Position, hint: String) {
        guard let file else { return }
        warnings.append(DefinitionProblem(message, file: file, at: position, hint: hint))
    }

    /// Records a problem, and returns the nil of a part that cannot be read.
    package func refuse<Part>(
        _ message: String,
        code: HostError.Code = .badField,
        at position: Position,
        hint: String? = nil
    ) -> Part? {
        add(message, code: code, at: position, hint: hint)
        return nil
    }

    package func addUnknown(_ message: String, _ word: Document, among known: [String]) {
        let hint = word.scalar.flatMap {
            Spelling.hint(for: $0.text, among: known) ?? OtherWords.space(in: $0.text)
        }
        add(message, at: word.position, hint: hint)
    }

    package func addUnknown(
        node name: String,
        among names: @autoclosure () -> [String],
        at position: Position
    ) {
        guesses += 1
        // Each guess takes time in proportion to the number of names; a file with that many
        // mistakes gets no more of them.
        let hint = guesses <= 20 ? Spelling.hint(for: name, among: names()) : nil
        let kind = NamePattern.isPattern(name) ? "family" : "node"
        add("there is no \(kind) '\(name)'", code: .unknownNode, at: position, hint: hint)
    }

    func addUnknown(upstream name: String, at position: Position) {
        let hint =
            Spelling.hint(for: name, among: upstreams.keys.sorted())
            ?? "declare it: upstreams: { \(name): { url: … } }"
        add("there is no upstream '\(name)'", at: position, hint: hint)
    }

    /// The problems in the order of their places; those at one place in the order found.
    package var sortedProblems: [DefinitionProblem] {
        problems.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}

extension [String] {
    /// `a, b and c`.
    package var enumeration: String {
        let start = dropLast().joined(separator: ", ")
        return start.isEmpty ? joined() : "\(start) and \(self[count - 1])"
    }
}
