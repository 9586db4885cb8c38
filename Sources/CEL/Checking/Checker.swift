/// Resolves names, expands macros, and finds what can be known to fail before anything is
/// evaluated.
///
/// All problems are collected; a part that has one counts as of unknown type, so that it causes no
/// others.
struct Checker {
    let source: String
    let options: Options
    var scope: Scope
    private(set) var problems: [ExpressionProblem] = []

    /// The checked tree of an expression, or everything that is wrong with it.
    static func check(
        _ syntax: Syntax,
        source: String,
        variables: [Variable],
        options: Options
    ) throws(CompileError) -> Checked {
        var checker = Checker(source: source, variables: variables, options: options)
        let checked = checker.check(syntax)
        guard checker.problems.isEmpty else {
            throw CompileError(problems: checker.problems.sorted { $0.offset < $1.offset })
        }
        return checked
    }

    private init(source: String, variables: [Variable], options: Options) {
        self.source = source
        self.options = options
        scope = Scope(variables, container: options.container)
    }

    var mixesNumbers: Bool { !options.isStrict }

    mutating func check(_ syntax: Syntax) -> Checked {
        let checked = typed(syntax)
        guard !options.checksTypes, checked.type != .dyn else { return checked }
        return Checked(checked.form, type: .dyn, at: checked.offset)
    }

    private mutating func typed(_ syntax: Syntax) -> Checked {
        switch syntax.form {
        case .literal(let value):
            Checked(.constant(value), type: value.staticType, at: syntax.offset)
        case .name(let name, let isAbsolute):
            scope.resolve(name, isAbsolute: isAbsolute, at: syntax.offset) ?? unknown(name, at: syntax.offset)
        case .select(let operand, let field, let isOptional):
            select(operand, field: field, isOptional: isOptional, in: syntax)
        case .index(let operand, let index, let isOptional):
            self.index(check(operand), check(index), isOptional: isOptional, at: syntax.offset)
        case .call(let target, let function, let isAbsolute, let arguments):
            call(target, function, isAbsolute: isAbsolute, arguments, at: syntax.offset)
        case .unary(let operation, let operand):
            unary(operation, check(operand), at: syntax.offset)
        case .binary(let operation, let left, let right):
            binary(operation, check(left), check(right), at: syntax.offset)
        case .logical(let isAnd, let operands):
            logical(isAnd: isAnd, operands, at: syntax.offset)
        case .conditional(let condition, let then, let otherwise):
            conditional(check(condition), check(then), check(otherwise), at: syntax.offset)
        case .list(let elements):
            list(elements, at: syntax.offset)
        case .map(let entries):
            map(entries, at: syntax.offset)
        }
    }

    private mutating func unknown(_ name: String, at offset: Int) -> Checked {
        let variables = scope.variables
        let known = scope.locals.map(\.name) + variables.map(\.name) + Library.constantNames
        let hint =
            OtherLanguages.hint(name: name) ?? suggestion(for: name, among: known)
            ?? (variables.isEmpty
                ? nil : "known here: " + variables.prefix(8).map(\.name).joined(separator: ", "))
        return report(.type, "the name '\(name)' is not known", at: offset, hint: hint)
    }

    // MARK: Fields and elements

    private mutating func select(
        _ operand: Syntax,
        field: String,
        isOptional: Bool,
        in syntax: Syntax
    ) -> Checked {
        if !isOptional, syntax.hasAtMost(dots: scope.mostDots), let (name, isAbsolute) = syntax.qualifiedName,
            !scope.isLocal(root: name, isAbsolute)
        {
            if let resolved = scope.resolve(name, isAbsolute: isAbsolute, at: syntax.offset) {
                return resolved
            }
        }
        return select(check(operand), field: field, isOptional: isOptional, at: syntax.offset)
    }

    private mutating func select(
        _ operand: Checked,
        field: String,
        isOptional: Bool,
        at offset: Int
    ) -> Checked {
        let type: StaticType
        switch operand.type {
        case .dyn: type = isOptional ? .optional(.dyn) : .dyn
        case .map(_, let value):
            type = isOptional ? .optional(value) : value
        case .optional(.map(_, let value)): type = .optional(value)
        case .optional(.dyn): type = .optional(.dyn)
        default: return report(.type, "a value of type \(operand.type) has no fields", at: offset)
        }
        return Checked(.select(operand, field: field, isOptional: isOptional), type: type, at: offset)
    }

    /// `has(operand.field)`.
    mutating func has(_ argument: Syntax, at offset: Int) -> Checked {
        guard case .select(let operand, let field, isOptional: false) = argument.form else {
            return report(.syntax, "'has' takes a field, as in has(a.b)", at: argument.offset)
        }
        let checked = check(operand)
        // The select itself is checked only for its problems.
        let before = problems.count
        _ = select(checked, field: field, isOptional: false, at: argument.offset)
        guard problems.count == before else { return Checked(.constant(.null), type: .dyn, at: offset) }
        return Checked(.has(checked, field: field), type: .bool, at: offset)
    }

    private mutating func index(
        _ operand: Checked,
        _ index: Checked,
        isOptional: Bool,
        at offset: Int
    ) -> Checked {
        var container = operand.type
        var givesOptional = isOptional
        if case .optional(let wrapped) = container {
            container = wrapped
            givesOptional = true
        }
        let (expected, element): (StaticType, StaticType)
        switch container {
        case .dyn: (expected, element) = (.dyn, .dyn)
        case .list(let type): (expected, element) = (.int, type)
        case .map(let key, let type): (expected, element) = (key, type)
        default: return report(.type, "a value of type \(operand.type) has no elements", at: offset)
        }
        guard index.type.mayBe(expected, mixingNumbers: mixesNumbers) else {
            return report(
                .type,
                "the index is of type \(index.type) where \(expected) is needed",
                at: index.offset
            )
        }
        return Checked(
            .index(operand, index, isOptional: isOptional),
            type: givesOptional ? .optional(element) : element,
            at: offset
        )
    }

    // MARK: Literals

    private mutating func list(_ elements: [Syntax.Element], at offset: Int) -> Checked {
        var type: StaticType?
        var checked: [(value: Checked, isOptional: Bool)] = []
        for element in elements {
            let value = check(element.value)
            guard let wrapped = unwrapped(value, element.isOptional) else { continue }
            type = type.map { $0.joined(with: wrapped) } ?? wrapped
            checked.append((value, element.isOptional))
        }
        return Checked(.list(checked), type: .list(type ?? .dyn), at: offset)
    }

    private mutating func map(_ entries: [Syntax.Entry], at offset: Int) -> Checked {
        var keyType: StaticType?
        var valueType: StaticType?
        var checked: [(key: Checked, value: Checked, isOptional: Bool)] = []
        for entry in entries {
            let (key, value) = (check(entry.key), check(entry.value))
            switch key.type {
            case .dyn, .bool, .int, .uint, .string: break
            default: _ = report(.type, "a map key may not be of type \(key.type)", at: entry.key.offset)
            }
            guard let wrapped = unwrapped(value, entry.isOptional) else { continue }
            keyType = keyType.map { $0.joined(with: key.type) } ?? key.type
            valueType = valueType.map { $0.joined(with: wrapped) } ?? wrapped
            checked.append((key, value, entry.isOptional))
        }
        return Checked(.map(checked), type: .map(keyType ?? .dyn, valueType ?? .dyn), at: offset)
    }

    private mutating func unwrapped(_ value: Checked, _ isOptional: Bool) -> StaticType? {
        guard isOptional else { return value.type }
        switch value.type {
        case .optional(let wrapped): return wrapped
        case .dyn: return .dyn
        default:
            _ = report(.type, "after '?' an optional is needed, not \(value.type)", at: value.offset)
            return nil
        }
    }

    // MARK: Problems

    func suggestion(for name: String, among known: [String]) -> String? {
        problems.count < Checker.mostProblems ? Spelling.hint(for: name, among: known) : nil
    }

    /// More problems than these are not worth finding, and hints take time.
    private static let mostProblems = 100

    /// Notes a problem and answers a stand-in of unknown type.
    mutating func report(
        _ code: ExpressionErrorCode,
        _ message: String,
        at offset: Int,
        hint: String? = nil
    ) -> Checked {
        guard options.checksTypes || code != .type else {
            return Checked(.failure(message), type: .dyn, at: offset)
        }
        if problems.count < Checker.mostProblems {
            problems.append(ExpressionProblem(code, message, at: offset, in: source, hint: hint))
        }
        return Checked(.constant(.null), type: .dyn, at: offset)
    }
}

extension Value {
    /// The static type of a scalar literal.
    var staticType: StaticType {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .timestamp: .timestamp
        case .duration: .duration
        case .type: .type
        case .list: .list(.dyn)
        case .map: .map(.dyn, .dyn)
        case .optional: .optional(.dyn)
        }
    }
}
