extension Checker {
    /// The macro this call is, or nil when it is an ordinary call.
    ///
    /// Macros are known by name and number of arguments, as in the published grammar.
    mutating func macro(
        _ target: Syntax?,
        _ name: String,
        _ arguments: [Syntax],
        at offset: Int
    ) -> Checked? {
        guard let target else {
            return name == "has" && arguments.count == 1 ? has(arguments[0], at: offset) : nil
        }
        if name == "bind", arguments.count == 3, let (space, _) = target.qualifiedName, space == "cel" {
            return bind(arguments, at: offset)
        }
        switch (name, arguments.count) {
        case ("optMap", 2), ("optFlatMap", 2):
            return optionalMap(target, arguments, isFlat: name == "optFlatMap", at: offset)
        default:
            return Macro.table[Macro.Key(name: name, count: arguments.count)]
                .map { comprehension($0, target, arguments, at: offset) }
        }
    }

    private mutating func comprehension(
        _ macro: Macro,
        _ target: Syntax,
        _ arguments: [Syntax],
        at offset: Int
    ) -> Checked {
        let range = check(target)
        guard
            let (first, second) = elementTypes(of: range, hasTwoVariables: macro.hasTwoVariables, at: offset)
        else {
            return Checked(.constant(.null), type: .dyn, at: offset)
        }
        guard let names = variableNames(arguments.prefix(macro.hasTwoVariables ? 2 : 1)) else {
            return Checked(.constant(.null), type: .dyn, at: offset)
        }
        let keyLocal = macro.hasTwoVariables ? scope.declare(names[0], type: first) : nil
        let valueLocal = scope.declare(names[names.count - 1], type: second)
        var rest = arguments.dropFirst(names.count).map { check($0) }
        scope.removeLocals(names.count)

        let condition = macro.hasCondition ? rest.removeFirst() : nil
        let body = rest[0]
        let predicate = macro.isPredicate ? body : condition
        if let predicate, predicate.type != .bool, predicate.type != .dyn {
            return report(.type, "the condition is of type \(predicate.type), not bool", at: predicate.offset)
        }
        let comprehension = Checked.Comprehension(
            kind: macro.kind,
            range: range,
            keyLocal: keyLocal,
            valueLocal: valueLocal,
            condition: condition,
            body: body
        )
        let type = resultType(macro.kind, key: first, element: second, body: body.type)
        return Checked(.comprehension(comprehension), type: type, at: offset)
    }

    /// Types of the variables: key or index, and element; with one variable over a map, the element
    /// is the key.
    private mutating func elementTypes(
        of range: Checked,
        hasTwoVariables: Bool,
        at offset: Int
    ) -> (StaticType, StaticType)? {
        switch range.type {
        case .dyn: return (.dyn, .dyn)
        case .list(let element): return (.int, element)
        case .map(let key, let value): return (key, hasTwoVariables ? value : key)
        default:
            _ = report(.type, "this macro runs over a list or a map, not \(range.type)", at: offset)
            return nil
        }
    }

    private mutating func variableNames(_ arguments: ArraySlice<Syntax>) -> [String]? {
        var names: [String] = []
        for argument in arguments {
            guard case .name(let name, isAbsolute: false) = argument.form else {
                _ = report(.syntax, "a macro's variable must be a plain name", at: argument.offset)
                return nil
            }
            guard !names.contains(name) else {
                _ = report(.syntax, "a macro's two variables need different names", at: argument.offset)
                return nil
            }
            names.append(name)
        }
        return names
    }

    private func resultType(
        _ kind: Checked.Comprehension.Kind,
        key: StaticType,
        element: StaticType,
        body: StaticType
    ) -> StaticType {
        switch kind {
        case .all, .exists, .existsOne: .bool
        case .filter, .sorted: .list(element)
        case .list: .list(body)
        case .map: .map(key, body)
        case .mapEntries: body == .dyn ? .map(.dyn, .dyn) : body
        }
    }

    private mutating func bind(_ arguments: [Syntax], at offset: Int) -> Checked {
        let initial = check(arguments[1])
        guard let names = variableNames(arguments.prefix(1)) else {
            return Checked(.constant(.null), type: .dyn, at: offset)
        }
        let local = scope.declare(names[0], type: initial.type)
        let body = check(arguments[2])
        scope.removeLocals(1)
        return Checked(.bind(local: local, initial: initial, body: body), type: body.type, at: offset)
    }

    private mutating func optionalMap(
        _ target: Syntax,
        _ arguments: [Syntax],
        isFlat: Bool,
        at offset: Int
    ) -> Checked {
        let optional = check(target)
        let wrapped: StaticType
        switch optional.type {
        case .dyn: wrapped = .dyn
        case .optional(let type): wrapped = type
        default: return report(.type, "this macro takes an optional, not \(optional.type)", at: offset)
        }
        guard let names = variableNames(arguments.prefix(1)) else {
            return Checked(.constant(.null), type: .dyn, at: offset)
        }
        let local = scope.declare(names[0], type: wrapped)
        let body = check(arguments[1])
        scope.removeLocals(1)
        let type: StaticType = isFlat ? body.type : .optional(body.type)
        return Checked(
            .optionalMap(optional, local: local, body: body, isFlat: isFlat),
            type: type,
            at: offset
        )
    }
}
