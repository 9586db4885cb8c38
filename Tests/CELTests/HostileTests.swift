@testable import CEL
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("No expression, however built, does harm")
struct HostileTests {

    @Test("random programs end in a value or an error within the budget")
    func randomPrograms() {
        let rounds = Nightly.isOn ? 100_000 : 1_500
        let seed: UInt64 = Nightly.isOn ? UInt64.random(in: 0...UInt64.max) : 20_261_121
        var writer = ProgramWriter(random: SeededGenerator(seed: seed))
        let variables = [Variable("value"), Variable("list"), Variable("map")]
        let arguments: [Value] = [
            21.5, [1, 2.5, "a", true, .null, [1]], ["a": 1, "b": ["c": "x"], "list": [3, 1, 2]],
        ]
        for round in 0..<rounds {
            let source = writer.expression(depth: 5)
            for strict in [false, true] {
                let options = Options(strict: strict, cost: 2_000, regex: LiteralRegexEngine())
                guard let program = try? Program(source, variables: variables, options: options) else {
                    continue
                }
                if let value = try? program.evaluate(arguments),
                    value.nestingDepth > Value.maximumNestingDepth
                {
                    Issue.record("seed \(seed), round \(round): \(source)")
                }
                let canonical = program.canonicalText
                if (try? Parser.parse(canonical))?.canonicalText != canonical {
                    Issue.record("seed \(seed), round \(round), canonical text: \(source)")
                }
            }
        }
    }

    @Test("random bytes and cut programs end in a clean error")
    func randomTexts() {
        var random = SeededGenerator(seed: 42)
        var writer = ProgramWriter(random: SeededGenerator(seed: 43))
        for _ in 0..<3_000 {
            var bytes = Array(writer.expression(depth: 3).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let position = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: position)
                case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
                default: bytes.insert(UInt8.random(in: 32...126, using: &random), at: position)
                }
            }
            _ = outcome(String(decoding: bytes, as: UTF8.self), cost: 1_000)
        }
    }

    @Test(
        "small sources that want much memory are stopped by the budget",
        arguments: [
            "lists.range(9223372036854775807)",
            "'x'.replace('', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy').replace('', 'zzzzzzzzzzzzzz')",
            "cel.bind(a, 'xxxxxxxxxxxxxxxx', cel.bind(b, a+a+a+a+a+a+a+a, cel.bind(c, b+b+b+b+b+b+b+b, cel.bind(d, c+c+c+c+c+c+c+c, d+d+d+d+d+d+d+d+d+d))))",
            "[0,1,2,3,4,5,6,7,8,9].map(a, [0,1,2,3,4,5,6,7,8,9].map(b, [0,1,2,3,4,5,6,7,8,9].map(c, [0,1,2,3,4,5,6,7,8,9])))",
            "cel.bind(a, lists.range(1000), [a,a,a,a,a,a,a,a,a,a].flatten())", "'%1000f'.format([1])",
            "'%.1000f%.1000f%.1000f'.format([1e308,1e308,1e308]).split('').map(x, x + x).join('-----------------')",
            "lists.range(90).map(x, lists.range(90)).flatten().map(y, string(y)).join(', ')",
        ]
    )
    func memory(_ source: String) {
        let result = outcome(source)
        #expect(result.hasPrefix("error") || result.utf8.count < 300_000, "\(result.utf8.count)")
    }

    /// `inner` of the one before, fifty times, then `end` of the last: each step doubles.
    private static func doubling(_ first: String, _ step: (String) -> String, _ end: String) -> String {
        var text = "cel.bind(a0, \(first), "
        for number in 1..<50 {
            text += "cel.bind(a\(number), \(step("a\(number - 1)")), "
        }
        return text + end.replacing("$", with: "a49") + String(repeating: ")", count: 50)
    }

    static let bombs: [(String, String)] = [
        ("strings", doubling("'xxxxxxxxxxxxxxxx'", { "\($0) + \($0)" }, "$.size()")),
        ("lists", doubling("[1, 2]", { "\($0) + \($0)" }, "$.size()")),
        ("shared lists compared", doubling("[1]", { "[\($0), \($0)]" }, "[$] == [$]")),
        ("shared lists searched", doubling("[1]", { "[\($0), \($0)]" }, "$ in [$]")),
        ("shared lists as text", doubling("[1]", { "[\($0), \($0)]" }, "'%s'.format([$])")),
        ("shared lists flattened", doubling("[1]", { "[\($0), \($0)]" }, "$.flatten(60)")),
        ("shared lists made distinct", doubling("[1]", { "[\($0), \($0)]" }, "[$, [$], $].distinct()")),
        ("shared maps as text", doubling("[1]", { "{'k': \($0), 'l': \($0)}" }, "'%s'.format([$])")),
        ("shared maps returned", doubling("[1]", { "{'k': \($0), 'l': \($0)}" }, "$")),
        ("a range", "lists.range(1000000000)"),
        ("ranges in ranges", "lists.range(200).map(x, lists.range(200).map(y, lists.range(200)))"),
        ("joined by itself", "cel.bind(a, lists.range(900).map(x, 'a').join(), a.split('').join(a))"),
        ("replaced by itself", "cel.bind(a, lists.range(900).map(x, 'a').join(), a.replace('a', a))"),
        ("replaced nowhere", "cel.bind(a, lists.range(900).map(x, 'a').join(), a.replace('', a))"),
        (
            "searched for itself",
            "cel.bind(a, lists.range(900).map(x, 'a').join(), (a + a).lastIndexOf(a + 'b'))"
        ),
        ("sorted", "lists.range(9000).reverse().sort()"),
        ("distinct", "lists.range(9000).distinct()"),
        (
            "quoted",
            "cel.bind(a, lists.range(900).map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').join(), strings.quote(a + a + a))"
        ),
        ("patterns", "lists.range(100).exists(i, 'x'.matches(string(i) + 'y'))"),
    ]

    @Test("small sources that grow without bound end at the budget", arguments: bombs)
    func growth(_ name: String, _ source: String) throws {
        let options = Options(regex: LiteralRegexEngine())
        let before = residentBytes()
        for strict in [false, true] {
            var options = options
            options.isStrict = strict
            do {
                _ = try Program(source, options: options).evaluate()
                Issue.record("\(name) gave a value")
            } catch let error as EvaluationError {
                #expect([.cost, .badValue].contains(error.code), "\(name): \(error)")
            }
        }
        // Other tests run beside this one; a bomb that went off would take gigabytes.
        #expect(residentBytes() < before + 512 << 20, "\(name)")
    }

    @Test(
        "100,000 of anything are refused, whatever they are",
        arguments: [
            ("(", "1", ")"), ("[", "", "]"), ("{1:", "1", "}"), ("-", "1", ""), ("!", "true", ""),
            ("", "a", ".b"), ("", "a", ".?b"),
            ("", "a", "[0]"), ("true?1:", "0", ""), ("true?", "0", ":1"), ("size(", "''", ")"),
            ("", "''", ".size()"),
            ("", "1", "+1"), ("", "true", "&&true"), ("", "[1]", ".map(x,x)"), ("has(a", "", ".b"),
            ("", "1", "\n"), ("", "1", "//"),
            ("", "'x", "\\u0041"), ("optional.of(", "1", ")"), ("[1].map(x,", "x", ")"), ("", "9", "9"),
            ("", "1e", "9"),
        ]
    )
    func repeated(_ left: String, _ middle: String, _ right: String) {
        let count = 100_000
        let source = String(repeating: left, count: count) + middle + String(repeating: right, count: count)
        let result = outcome(source, ["a": ["b": 1]])
        #expect(result.hasPrefix("invalid ") || result == "int 1" || result == "double inf", "\(result)")
    }

    @Test("the worst source of a given length is checked in time")
    func checkingTime() {
        // Did-you-mean, qualified names and folding must not make checking slower than linear by
        // much.
        _ = outcome(String(repeating: "x", count: 200_000))
        _ = outcome((0..<200).map { "name\($0)" }.joined(separator: "."))
        _ = outcome("[" + String(repeating: "1+1,", count: 20_000) + "1]", cost: 100_000)
        _ = outcome(String(repeating: "'a'+", count: 200) + "'a'")
        _ = outcome(
            (0..<60).map { "[\($0)].map(x\($0), " }.joined() + "1" + String(repeating: ")", count: 60)
        )
    }
}

/// What the process takes of memory at present, in bytes; 0 where that is not known.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 200)
    let count = fread(&text, 1, text.count, file)
    let fields = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
}

/// Writes random expressions, most of them sensible.
struct ProgramWriter {
    var random: SeededGenerator

    mutating func expression(depth: Int) -> String {
        guard depth > 0 else { return pick(ProgramWriter.leaves) }
        func sub(_ writer: inout ProgramWriter) -> String { writer.expression(depth: depth - 1) }
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1, 2: return "(\(sub(&self)) \(pick(ProgramWriter.operators)) \(sub(&self)))"
        case 3: return "\(pick(["!", "-"]))(\(sub(&self)))"
        case 4: return "(\(sub(&self)) ? \(sub(&self)) : \(sub(&self)))"
        case 5: return "\(pick(ProgramWriter.functions))(\(sub(&self)))"
        case 6: return "(\(sub(&self))).\(pick(ProgramWriter.methods))()"
        case 7: return "(\(sub(&self))).\(pick(ProgramWriter.methods))(\(sub(&self)))"
        case 8: return "(\(sub(&self))).\(pick(ProgramWriter.methods))(\(sub(&self)), \(sub(&self)))"
        case 9: return "(\(sub(&self))).\(pick(ProgramWriter.macros))(x, \(sub(&self)))"
        case 10: return "(\(sub(&self))).\(pick(ProgramWriter.pairMacros))(i, x, \(sub(&self)))"
        case 11: return "[\(sub(&self)), \(pick(["", "?"]))\(sub(&self))]"
        case 12: return "{\(pick(["", "?"]))\(sub(&self)): \(sub(&self)), 'k': \(sub(&self))}"
        case 13: return "(\(sub(&self)))[\(pick(["", "?"]))\(sub(&self))]"
        case 14: return "cel.bind(x, \(sub(&self)), \(sub(&self)))"
        default: return "(\(sub(&self))).\(pick(["", "?"]))\(pick(["a", "b", "list"]))"
        }
    }

    private mutating func pick(_ choices: [String]) -> String {
        choices.randomElement(using: &random) ?? ""
    }

    private static let leaves = [
        "0", "1", "-1", "9223372036854775807", "-9223372036854775808", "2u", "18446744073709551615u", "1.5",
        "-0.0", "1e308",
        "0.0/0.0", "''", "'a'", "'héllo 😀'", "'12'", "'2009-02-13T23:31:30Z'", "'1h'", "b'\\xff'", "true",
        "false", "null",
        "[]", "{}", "[1, 2, 3]", "{'a': 1}", "int", "value", "list", "map", "map.list", "x", "i",
        "timestamp(0)",
        "timestamp('9999-12-31T23:59:59Z')", "duration('1h')", "duration('-9223372036s')", "optional.none()",
        "optional.of(1)",
        "'%s %d %.3f %x'", "lists.range(5)",
    ]
    private static let operators = [
        "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "in", "&&", "||",
    ]
    private static let functions = [
        "int", "uint", "double", "string", "bytes", "bool", "dyn", "type", "size", "timestamp", "duration",
        "math.abs",
        "math.round", "math.sqrt", "math.greatest", "math.bitNot", "math.sign", "round", "sum", "avg",
        "base64.encode",
        "base64.decode", "strings.quote", "lists.range", "optional.of", "optional.ofNonZeroValue", "has",
    ]
    private static let methods = [
        "size", "contains", "startsWith", "endsWith", "matches", "charAt", "indexOf", "lastIndexOf",
        "substring", "replace",
        "split", "join", "trim", "reverse", "format", "lowerAscii", "upperAscii", "sort", "flatten",
        "distinct", "slice",
        "first", "last", "getFullYear", "getHours", "getMilliseconds", "value", "hasValue", "or", "orValue",
        "unwrapOpt", "sum",
    ]
    private static let macros = [
        "all", "exists", "exists_one", "map", "filter", "sortBy", "optMap", "optFlatMap",
    ]
    private static let pairMacros = [
        "all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry", "map",
    ]
}
