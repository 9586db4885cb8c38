extension Checker {
    mutating func call(
        _ target: Syntax?,
        _ name: String,
        isAbsolute: Bool,
        _ arguments: [Syntax],
        at offset: Int
    ) -> Checked {
        if let macro = macro(target, name, arguments, at: offset) {
            return macro
        }
        guard let target else {
            return function(name, isAbsolute: isAbsolute, arguments, at: offset)
        }
        // `math.round(x)` looks like a method until the name is known.
        if let (space, isAbsolute) = target.qualifiedName, !scope.isLocal(root: space, isAbsolute) {
            for candidate in scope.candidates(for: space + "." + name, isAbsolute: isAbsolute) {
                if let function = Library.function(named: candidate, strictly: options.isStrict) {
                    return apply(function, arguments.map { check($0) }, isMethod: false, at: offset)
                }
            }
            if Library.namespaces.contains(space), !scope.variables.contains(where: { $0.name == space }) {
                return unknownFunction(space + "." + name, arguments, at: offset)
            }
        }
        let checked = [check(target)] + arguments.map { check($0) }
        guard let function = Library.function(named: name, strictly: options.isStrict) else {
            return unknownFunction(name, [], at: offset)
        }
        return apply(function, checked, isMethod: true, at: offset)
    }

    private mutating func function(
        _ name: String,
        isAbsolute: Bool,
        _ arguments: [Syntax],
        at offset: Int
    ) -> Checked {
        for candidate in scope.candidates(for: name, isAbsolute: isAbsolute) {
            if let function = Library.function(named: candidate, strictly: options.isStrict) {
                return apply(function, arguments.map { check($0) }, isMethod: false, at: offset)
            }
        }
        return unknownFunction(name, arguments, at: offset)
    }

    private mutating func unknownFunction(_ name: String, _ arguments: [Syntax], at offset: Int) -> Checked {
        for argument in arguments {
            _ = check(argument)
        }
        let hint =
            OtherLanguages.hint(function: name) ?? suggestion(for: name, among: Macro.callableNames)
        return report(.type, "the function '\(name)' is not known", at: offset, hint: hint)
    }

    private mutating func apply(
        _ function: Function,
        _ arguments: [Checked],
        isMethod: Bool,
        at offset: Int
    ) -> Checked {
        let styled = function.overloads.filter { $0.isMethod == isMethod }
        guard !styled.isEmpty else {
            let hint = isMethod ? "write it as \(function.name)(x)" : "write it as x.\(function.name)(…)"
            return report(
                .type,
                "'\(function.name)' is \(isMethod ? "a function, not a method" : "a method, not a function")",
                at: offset,
                hint: hint
            )
        }
        let fitting = styled.filter { $0.accepts(count: arguments.count) }
        guard !fitting.isEmpty else {
            return report(.type, arityMessage(function, styled, given: arguments.count, isMethod), at: offset)
        }
        if function.needsRegexEngine {
            guard let literals = options.literals else {
                return report(
                    .type,
                    "'\(function.name)' is not available: there is no engine for regular expressions",
                    at: offset
                )
            }
            checkPattern(arguments[1], among: literals)
        }
        // Where all types are known, the first overload that takes them without conversion is
        // meant.
        let isKnown = arguments.allSatisfy(\.type.isKnown)
        if isKnown, let exact = results(of: fitting, for: arguments, mixingNumbers: false).first {
            return Checked(.call(function, arguments), type: exact, at: offset)
        }
        let results = results(of: fitting, for: arguments, mixingNumbers: mixesNumbers)
        guard let first = results.first else {
            let types = arguments.map(\.type.description).joined(separator: ", ")
            return report(.type, "'\(function.name)' does not take (\(types))", at: offset)
        }
        let type = results.allSatisfy { $0 == first } ? first : .dyn
        return Checked(.call(function, arguments), type: type, at: offset)
    }

    /// Reports a literal that is not a valid regular expression.
    private mutating func checkPattern(_ argument: Checked, among literals: LiteralPatterns) {
        guard case .string(let pattern)? = argument.constant else { return }
        do throws(RegexProblem) {
            _ = try literals.matcher(for: pattern)
        } catch {
            // Once too many, all further patterns are: one problem says it.
            if error.code == .patternLimit, problems.contains(where: { $0.code == error.code }) { return }
            let place = source.offset(ofLiteralAt: argument.offset, plus: error.offset, in: pattern)
            _ = report(error.code, error.sentence, at: place, hint: error.hint)
        }
    }

    /// What the overloads give that take arguments of these types.
    private func results(
        of overloads: [Function.Overload],
        for arguments: [Checked],
        mixingNumbers: Bool
    ) -> [StaticType] {
        overloads.compactMap { overload in
            var bindings = TypeBindings(mixesNumbers: mixingNumbers)
            let accepted = arguments.enumerated().allSatisfy { position, argument in
                let pattern = overload.parameters[min(position, overload.parameters.count - 1)]
                return bindings.accepts(argument.type, as: pattern)
            }
            return accepted ? bindings.resolved(overload.result) : nil
        }
    }

    private func arityMessage(
        _ function: Function,
        _ overloads: [Function.Overload],
        given: Int,
        _ isMethod: Bool
    ) -> String {
        let hidden = isMethod ? 1 : 0
        let counts = Set(overloads.map { $0.parameters.count - hidden }).sorted()
        let wanted = counts.map(String.init).joined(separator: " or ")
        let more = overloads.contains(where: \.isVariadic) ? " or more" : ""
        let noun = counts == [1] && more.isEmpty ? "argument" : "arguments"
        return "'\(function.name)' takes \(wanted)\(more) \(noun), not \(given - hidden)"
    }
}
