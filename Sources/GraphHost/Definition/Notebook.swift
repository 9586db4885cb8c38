internal import CEL
internal import ReactiveGraph
internal import Support

/// Collects the problems found while a document is read, so that all are reported at once.
final class Notebook {
    let file: String?
    let options: DefinitionOptions
    private(set) var problems: [DefinitionProblem] = []
    /// How many unknown names have been compared with the names of nodes.
    private var guesses = 0
    /// The remaining budget of checks of initial and allowed values.
    var checks = CheckBudget(CheckBudget.ofDefinition)
    /// The name pattern of the family that is being read; names used in its definition may have the
    /// same placeholders.
    var pattern: NamePattern?
    /// The known types of values.
    var types = KnownTypes()
    /// The globs of the node that is being read.
    var globs: [GlobReference] = []
    /// The regular expressions of the expressions read since they were last taken.
    private var patterns: [any RegexMatcher] = []

    init(file: String?, options: DefinitionOptions) {
        var options = options
        // Those of a file are unlimited, but equal ones are compiled once.
        let expressions = options.expressions
        options.expressions.literals = expressions.literals ?? expressions.regex.map { LiteralPatterns($0) }
        self.file = file
        self.options = options
    }

    func add(
        _ message: String,
        code: HostError.Code = .badField,
        at position: Position,
        hint: String? = nil
    ) {
        // Once one pattern is above the limit, all further ones are: report it once.
        if code == .patternLimit, problems.contains(where: { $0.code == code }) { return }
        problems.append(DefinitionProblem(message, code: code, file: file, at: position, hint: hint))
    }

    /// The regular expressions read since the last call, for a stage or source to hold.
    func takePatterns() -> [any RegexMatcher] {
        defer { patterns = [] }
        return patterns
    }

    /// Reports the name of a node that does not exist.
    func addUnknown(node name: String, among names: @autoclosure () -> [String], at position: Position) {
        guesses += 1
        // Each guess takes time in proportion to the number of names; a file with that many
        // mistakes gets no more of them.
        let hint = guesses <= 20 ? Spelling.hint(for: name, among: names()) : nil
        add("there is no node '\(name)'", code: .unknownNode, at: position, hint: hint)
    }

    /// The problems in the order of their places; those at one place in the order found.
    var sorted: [DefinitionProblem] {
        problems.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }

    /// The members of a mapping by key; reports other values and duplicate keys.
    func members(_ document: Document, of what: String) -> [(key: String, entry: Document.Entry)]? {
        guard let entries = document.entries else {
            add("\(what) must be a mapping, not \(document.kindName)", at: document.position)
            return nil
        }
        var seen: Set<String> = []
        var members: [(key: String, entry: Document.Entry)] = []
        for entry in entries {
            guard let scalar = entry.key.scalar else {
                add("a key must be a word, not \(entry.key.kindName)", at: entry.key.position)
                continue
            }
            guard seen.insert(scalar.text).inserted else {
                add("the key '\(scalar.text)' is given twice", at: entry.key.position)
                continue
            }
            members.append((scalar.text, entry))
        }
        return members
    }

    /// A text for people: any scalar except null, as it was written.
    func text(_ document: Document, of what: String) -> String? {
        guard let scalar = document.scalar, scalar.value != .null else {
            add("\(what) must be text, not \(document.kindName)", at: document.position)
            return nil
        }
        return scalar.text
    }

    /// The name of a node; for anything else it reports an error that begins with `demand`.
    func nodeName(_ document: Document, _ demand: String) -> String? {
        guard let scalar = document.scalar, scalar.value != .null else {
            add("\(demand), not \(document.kindName)", at: document.position)
            return nil
        }
        if NamePattern.isPattern(scalar.text) {
            guard let pattern = namePattern(scalar.text, at: document.position) else { return nil }
            return checkPlaceholders(pattern, at: document.position)
        }
        guard Name.isValid(scalar.text) else {
            add(
                "'\(scalar.text)' cannot be the name of a node",
                at: document.position,
                hint: Notebook.nameHint
            )
            return nil
        }
        return scalar.text
    }

    static let nameHint = "1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-'"

    /// The most inputs of one node.
    static let mostInputs = 1_000

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable & CaseIterable>(_ document: Document, of what: String) -> Word?
    where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        guard let text = document.scalar?.text else {
            add(
                "\(what) must be one of \(words.joined(separator: ", ")), not \(document.kindName)",
                at: document.position
            )
            return nil
        }
        if let word = Word(rawValue: text) { return word }
        add(
            "\(what) must be one of \(words.joined(separator: ", "))",
            at: document.position,
            hint: Spelling.hint(for: text, among: words)
        )
        return nil
    }

    /// A whole number within bounds.
    func count(_ document: Document, of what: String, in range: ClosedRange<Int>) -> Int? {
        if case .number(let text)? = document.scalar?.value, let number = whole(text), range.contains(number)
        {
            return number
        }
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        add("\(what) must be a whole number \(bounds)", at: document.position)
        return nil
    }

    private func whole(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { JSONReader(validated: UnsafeRawBufferPointer($0)).int }
    }

    /// A number that is finite as a double.
    func number(_ document: Document, of what: String) -> Double? {
        if case .number(var text)? = document.scalar?.value {
            let number = text.withUTF8 { JSONNumber.double(UnsafeRawBufferPointer($0)) }
            if number.isFinite { return number }
        }
        add("\(what) must be a number", at: document.position)
        return nil
    }

    /// `true` or `false`.
    func flag(_ document: Document, of what: String) -> Bool? {
        if case .bool(let flag)? = document.scalar?.value { return flag }
        add("\(what) must be true or false, not \(document.kindName)", at: document.position)
        return nil
    }

    /// A duration.
    func span(_ document: Document, of what: String) -> Stage.Span? {
        if let scalar = document.scalar, let span = Stage.Span(scalar.text) { return span }
        add(
            "\(what) must be a duration",
            at: document.position,
            hint: "write 250ms, 5s, 2m, 1h, or whole milliseconds; more than zero and at most a year"
        )
        return nil
    }

    /// Any JSON value.
    func datum(_ document: Document) -> Datum? {
        let before = problems.count
        var bytes: [UInt8] = []
        append(document, to: &bytes, depth: 0)
        guard problems.count == before else { return nil }
        do throws(JSONError) {
            return try Datum.parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            add("\(error.explanation)", code: error.code, at: document.position)
            return nil
        }
    }

    private func append(_ document: Document, to bytes: inout [UInt8], depth: Int) {
        guard depth <= 64 else {
            add("lists and mappings nest too deeply", at: document.position)
            return
        }
        switch document.content {
        case .scalar(let scalar):
            switch scalar.value {
            case .null: bytes.append(contentsOf: "null".utf8)
            case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
            case .number(let text): bytes.append(contentsOf: text.utf8)
            case .string(let text): bytes.append(json: text)
            case .notFinite: add("JSON has no infinities and no NaN", at: document.position)
            }
        case .sequence(let elements):
            bytes.append(list: elements) { append($0, to: &$1, depth: depth + 1) }
        case .mapping:
            bytes.append(UInt8(ascii: "{"))
            bytes.append(separated: members(document, of: "a value") ?? []) { member, bytes in
                bytes.append(json: member.key)
                bytes.append(UInt8(ascii: ":"))
                append(member.entry.value, to: &bytes, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// An expression over these names, compiled; its problems are placed in the file.
    func expression(_ document: Document, of what: String, variables: [String]) -> Expression? {
        guard let scalar = document.scalar, scalar.value != .null else {
            add(
                "\(what) must be an expression, not \(document.kindName)",
                at: document.position,
                hint: document.entries == nil ? nil : "expressions with braces need quotes in YAML"
            )
            return nil
        }
        do throws(CompileError) {
            let variables = withKey(variables)
            let program = try Program(
                scalar.text,
                variables: variables.map { Variable($0) },
                options: options.expressions
            )
            patterns += program.matchers
            types.result = program.resultType
            let typed = types.variables(variables)
            if let typed, options.refusesMismatches, !options.expressions.isStrict {
                do throws(CompileError) {
                    types.result = try program.check(variables: typed, options: options.expressions)
                } catch {
                    types.result = .dyn
                    add(error, in: scalar, hint: types.sentence)
                }
            }
            return Expression(program: program, variables: variables)
        } catch {
            types.result = .dyn
            add(error, in: scalar)
            return nil
        }
    }

    /// Reports a problem of an expression at its place in the file.
    private func add(_ error: CompileError, in scalar: Scalar, hint: String? = nil) {
        for problem in error.problems {
            add(
                problem.message,
                code: HostError.Code(rawValue: problem.code.rawValue),
                at: scalar.position(line: problem.line, column: problem.column),
                hint: problem.hint ?? hint
            )
        }
    }
}
