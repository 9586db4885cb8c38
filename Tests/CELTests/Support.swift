import CEL
import Testing

/// An expression and the text of what must come out: a typed value, or the code of the error.
struct Case: CustomTestStringConvertible, Sendable {
    let source: String
    let expected: String

    init(_ source: String, _ expected: String) {
        self.source = source
        self.expected = expected
    }

    var testDescription: String { source }
}

/// Evaluates without variables: `int 3`, `[string "a"]`, `error expr_divide`; `invalid expr_type`
/// when it does not compile.
func outcome(_ source: String, strict: Bool = false, cost: Int = 10_000) -> String {
    outcome(source, [:], strict: strict, cost: cost)
}

/// The same with variables.
func outcome(
    _ source: String,
    _ arguments: KeyValuePairs<String, Value>,
    strict: Bool = false,
    cost: Int = 10_000
) -> String {
    let options = Options(strict: strict, cost: cost, regex: LiteralRegexEngine())
    do throws(CompileError) {
        let program = try Program(source, variables: arguments.map { Variable($0.key) }, options: options)
        do throws(EvaluationError) {
            return describe(try program.evaluate(arguments.map(\.value)))
        } catch {
            return "error \(error.code.rawValue)"
        }
    } catch {
        return "invalid \(error.problems[0].code.rawValue)"
    }
}

/// A value with its type, unambiguously.
func describe(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .int(let number): "int \(number)"
    case .uint(let number): "uint \(number)"
    case .double(let number): number.isNaN ? "double nan" : "double \(number)"
    case .string(let text): "string \"\(text)\""
    case .bytes(let bytes): "bytes \(bytes)"
    case .list(let list): "[" + list.map(describe).joined(separator: ", ") + "]"
    case .map(let map):
        "{" + map.map { "\(describe($0.key)): \(describe($0.value))" }.joined(separator: ", ") + "}"
    case .timestamp(let moment): "timestamp \(moment)"
    case .duration(let span): "duration \(span)"
    case .type(let type): "type \(type.rawValue)"
    case .optional(let optional): optional.value.map { "optional \(describe($0))" } ?? "none"
    }
}

/// Stands in for a real engine: a pattern is found where it stands literally; brackets make it
/// invalid.
final class LiteralRegexEngine: RegexEngine {
    private final class Matcher: RegexMatcher {
        let pattern: [UInt8]

        init(_ pattern: String) {
            self.pattern = Array(pattern.utf8)
        }

        func cost(ofBytes count: Int) -> Int {
            count / 8
        }

        func isFound(in text: String) -> Bool {
            let text = Array(text.utf8)
            guard pattern.count <= text.count else { return false }
            return (0...(text.count - pattern.count)).contains { text[$0...].starts(with: pattern) }
        }
    }

    private(set) var compiled = 0

    func work(of pattern: String) -> Int { 300 + 8 * pattern.utf8.count }

    func has(_ pattern: String) -> Bool { false }

    func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        compiled += 1
        let bytes = Array(pattern.utf8)
        if let place = bytes.firstIndex(of: UInt8(ascii: "(")) {
            throw RegexProblem("a ')' is missing", at: place)
        }
        return Matcher(pattern)
    }
}
