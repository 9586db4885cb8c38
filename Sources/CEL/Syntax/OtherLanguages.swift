/// What people write who come from other languages, and how it is written here.
enum OtherLanguages {
    /// Functions of spreadsheets, Python and JavaScript, with the one of the library that does the
    /// same.
    static let functions: [String: String] = [
        "mean": "avg", "average": "avg", "math.max": "math.greatest", "math.min": "math.least",
        "abs": "math.abs",
        "floor": "math.floor", "ceil": "math.ceil", "ceiling": "math.ceil", "trunc": "math.trunc",
        "sqrt": "math.sqrt", "sign": "math.sign", "len": "size", "length": "size", "count": "size",
        "isnan": "math.isNaN", "isNaN": "math.isNaN", "str": "string", "toString": "string",
        "float": "double",
        "parseFloat": "double", "number": "double", "parseInt": "int", "lower": "lowerAscii",
        "toLowerCase": "lowerAscii", "upper": "upperAscii", "toUpperCase": "upperAscii",
        "includes": "contains", "strip": "trim", "sorted": "sort", "some": "exists", "any": "exists",
        "every": "all", "substr": "substring", "startswith": "startsWith", "endswith": "endsWith",
    ]

    private static let constants = ["True": "true", "TRUE": "true", "False": "false", "FALSE": "false"]
        .merging(["None": "null", "nil": "null", "NULL": "null", "undefined": "null"]) { $1 }

    static let conditional = "a choice is written: CONDITION ? A : B"

    /// What to do about a function that is not known.
    static func hint(function name: String) -> String? {
        let word = name.split(separator: ".").last.map(String.init) ?? name
        return (functions[name] ?? functions[word]).map { "'\(name)' is written '\($0)' here" }
    }

    /// What to do about a name that is not known.
    static func hint(name: String) -> String? {
        constants[name].map { "'\(name)' is written '\($0)' here" }
    }

    /// What to do about a token that stands where it cannot, after `previous`.
    static func hint(_ token: Token, after previous: Token?) -> String? {
        if let previous, previous.kind == .identifier, previous.text.lowercased() == "not" {
            return "for 'not' write '!'"
        }
        if token.isSymbol(">"), previous?.isSymbol("<") == true { return "for 'is not equal' write '!='" }
        guard token.kind == .identifier else { return nil }
        return switch token.text.lowercased() {
        case "and": "for 'and' write '&&'"
        case "or": "for 'or' write '||'"
        case "not": "for 'not' write '!', as in !(a in b)"
        case "is": "for equality write '=='"
        case "if", "then", "else": conditional
        case "mod": "for the remainder write '%'"
        default: nil
        }
    }
}
