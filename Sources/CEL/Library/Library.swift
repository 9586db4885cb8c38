/// The functions an expression may call.
enum Library {
    private static let functions: [String: Function] = {
        let families = [
            Standard.functions, Conversions.functions, Times.functions, Strings.functions,
            Mathematics.functions,
            Lists.functions, Encoders.functions, Optionals.functions, Additions.functions,
        ]
        return Dictionary(uniqueKeysWithValues: families.joined().map { ($0.name, $0) })
    }()

    /// The function of this name, with its namespace; strictly, only the published ones.
    static func function(named name: String, strictly isStrict: Bool) -> Function? {
        guard let function = functions[name], function.isStandard || !isStrict else { return nil }
        return function
    }

    /// The first parts of names with dots.
    static let namespaces: Set<String> = ["math", "strings", "base64", "optional", "lists", "cel"]

    /// For did-you-mean hints.
    static let functionNames = functions.keys.sorted()

    /// Names that stand for types, for did-you-mean hints.
    static let constantNames = ["int", "uint", "double", "string", "bool", "bytes", "list", "map"]
}

extension Function {
    /// Whether it can only be used where there is an engine for regular expressions.
    var needsRegexEngine: Bool {
        name == "matches"
    }

    /// Calls the body, within the budget.
    func call(_ values: UnsafeBufferPointer<Value>, _ meter: inout Meter) throws(Failure) -> Value {
        try unsafe body(Arguments(name: name, values: values), &meter)
    }
}
