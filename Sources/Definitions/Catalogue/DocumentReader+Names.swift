internal import ReactiveGraph
internal import Support
internal import Values

extension DocumentReader {
    static let nameHint = "1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-'"

    /// The name of a node; for anything else it reports an error that begins with `demand`.
    func nodeName(_ document: Document, _ demand: String) -> String? {
        guard let scalar = document.scalar, scalar.value != .null else {
            let hint = OtherWords.hint(nodes: document)
            return refuse("\(demand), not \(document.kindName)", at: document.position, hint: hint)
        }
        if NamePattern.isPattern(scalar.text) {
            guard let pattern = namePattern(scalar.text, at: document.position) else { return nil }
            return checkPlaceholders(pattern, at: document.position)
        }
        guard Name.isValid(scalar.text) else {
            return refuse(
                "'\(scalar.text)' cannot be the name of a node",
                at: document.position,
                hint: DocumentReader.nameHint
            )
        }
        return scalar.text
    }

    /// Whether a glob can match the name of a node; if not, it reports an error.
    func checkGlob(_ glob: String, at position: Position) -> Bool {
        if Name.isValid(glob.replacing("*", with: "x").replacing("?", with: "x")) { return true }
        add("'\(glob)' matches no name of a node", at: position, hint: Self.nameHint)
        return false
    }

    func namePattern(_ text: String, at position: Position) -> NamePattern? {
        let problem: (message: String, hint: String?)
        do throws(NamePatternError) {
            let pattern = try NamePattern(text)
            if text.utf8.count <= Name.maximumBytes { return pattern }
            problem = ("'\(text)' is longer than \(Name.maximumBytes) bytes", nil)
        } catch {
            problem = error.explanation(of: text)
        }
        return refuse(problem.message, at: position, hint: problem.hint)
    }

    /// Checks a family's name used within another family: it must have all placeholders of that
    /// family (F-1), so that each member is made from exactly one member.
    private func checkPlaceholders(_ named: NamePattern, at position: Position) -> String? {
        guard let family else {
            return refuse(
                "'\(named.text)' names a family: this node cannot be made from all of its members",
                at: position,
                hint:
                    "name one member, join them with `all: \(named.glob)`, or give this node placeholders too"
            )
        }
        guard Set(named.placeholders) == Set(family.placeholders) else {
            let placeholders = family.placeholders.map { "{\($0)}" }.joined(separator: " and ")
            return refuse(
                "'\(named.text)' must have the placeholders of '\(family.text)': \(placeholders)",
                at: position
            )
        }
        return named.text
    }
}

extension NamePatternError {
    fileprivate func explanation(of text: String) -> (message: String, hint: String?) {
        switch self {
        case .brace: ("'\(text)' has an unmatched brace", "a placeholder is written {id}")
        case .character, .none: ("'\(text)' cannot be the name of a family", DocumentReader.nameHint)
        case .placeholder(let name):
            (
                "'\(name)' cannot be the name of a placeholder",
                "letters, digits and '_', not beginning with a digit"
            )
        case .repeated(let name): ("'\(text)' has the placeholder {\(name)} twice", nil)
        case .twoInSegment:
            (
                "'\(text)' has two placeholders between two dots",
                "put a dot between them: then it is clear where one ends"
            )
        }
    }
}
