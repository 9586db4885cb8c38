internal import ReactiveGraph
internal import Support

// Families in definitions: names with placeholders (F-1, F-2).
extension Notebook {
    /// Reads a name with placeholders.
    func namePattern(_ text: String, at position: Position) -> NamePattern? {
        let problem: (message: String, hint: String?)
        do throws(NamePatternError) {
            let pattern = try NamePattern(text)
            if text.utf8.count <= Name.maximumBytes { return pattern }
            problem = ("'\(text)' is longer than \(Name.maximumBytes) bytes", nil)
        } catch {
            problem = error.explanation(of: text)
        }
        add(problem.message, at: position, hint: problem.hint)
        return nil
    }

    /// Checks a family's name used within another family: it must have all placeholders of that
    /// family (F-1), so that each member is made from exactly one member.
    func checkPlaceholders(_ named: NamePattern, at position: Position) -> String? {
        guard let pattern else {
            add(
                "'\(named.text)' names a family: this node cannot be made from all of its members",
                at: position,
                hint:
                    "name one member, join them with `all: \(named.glob)`, or give this node placeholders too"
            )
            return nil
        }
        guard Set(named.placeholders) == Set(pattern.placeholders) else {
            let placeholders = pattern.placeholders.map { "{\($0)}" }.joined(separator: " and ")
            add(
                "'\(named.text)' must have the placeholders of '\(pattern.text)': \(placeholders)",
                at: position
            )
            return nil
        }
        return named.text
    }

    /// The variables of an expression in a family: the given ones and `key`, which has the texts of
    /// the placeholders.
    func withKey(_ variables: [String]) -> [String] {
        pattern == nil || variables.contains(Self.keyName) ? variables : variables + [Self.keyName]
    }

    /// `key.id` is the text of the placeholder `{id}`.
    static var keyName: String { "key" }

    /// Reports families that could have a member with the same name (F-2).
    func checkOverlaps(_ nodes: [NodeDefinition]) {
        var byShape: [Int: [(node: NodeDefinition, pattern: NamePattern)]] = [:]
        var compared = 0
        for node in nodes {
            guard let pattern = node.pattern else { continue }
            let count = pattern.text.utf8.count { $0 == UInt8(ascii: ".") }
            for other in byShape[count] ?? [] {
                compared += 1
                // Only as many pairs of families are compared as take no noticeable time.
                guard compared <= 4_000_000 else {
                    return add("a graph can have about 2,000 families", at: node.position)
                }
                guard pattern.overlaps(other.pattern) else { continue }
                add(
                    "'\(node.name)' and '\(other.node.name)' could match the same name",
                    at: node.position,
                    hint: "the other one is in line \(other.node.position.line)"
                )
            }
            byShape[count, default: []].append((node, pattern))
        }
    }

    /// An index of the families among `names`, by the names of their members.
    func familyIndex(of names: [String], _ index: [String: Int]) -> FamilyIndex {
        var families = FamilyIndex()
        for name in names where NamePattern.isPattern(name) {
            guard let place = index[name], let pattern = try? NamePattern(name) else { continue }
            families.insert(pattern, place)
        }
        return families
    }
}

/// Finds the family of a definition by the name of a member, or by a pattern all of whose names are
/// members.
struct FamilyIndex {
    private var byCount: [Int: [(pattern: NamePattern, place: Int)]] = [:]

    fileprivate mutating func insert(_ pattern: NamePattern, _ place: Int) {
        byCount[Self.count(pattern.text), default: []].append((pattern, place))
    }

    /// The index of the family that has this name or a member with this name.
    func place(of reference: String) -> Int? {
        let candidates = byCount[Self.count(reference)] ?? []
        guard !candidates.isEmpty else { return nil }
        if let pattern = try? NamePattern(reference) {
            return candidates.first { $0.pattern.covers(pattern) }?.place
        }
        return candidates.first { $0.pattern.values(of: reference) != nil }?.place
    }

    private static func count(_ name: String) -> Int { name.utf8.count { $0 == UInt8(ascii: ".") } }
}

extension NamePatternError {
    fileprivate func explanation(of text: String) -> (message: String, hint: String?) {
        switch self {
        case .brace: ("'\(text)' has an unmatched brace", "a placeholder is written {id}")
        case .character, .none: ("'\(text)' cannot be the name of a family", Notebook.nameHint)
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
