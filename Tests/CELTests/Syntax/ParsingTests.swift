import CEL
import Testing

@Suite("Expressions are read as the published grammar says")
struct ParsingTests {
    @Test(
        "operators bind in the published order",
        arguments: [
            Case("1 + 2 * 3", "int 7"), Case("(1 + 2) * 3", "int 9"), Case("10 - 4 - 3", "int 3"),
            Case("100 / 5 / 2", "int 10"), Case("7 % 4 * 2", "int 6"), Case("-2 * -3", "int 6"),
            Case("--5", "int 5"),
            Case("- -5", "int 5"), Case("!!true", "true"), Case("-(3)", "int -3"), Case("2 - -2", "int 4"),
            Case("1 < 2 == true", "true"), Case("1 + 1 == 2 && 2 * 2 == 4", "true"),
            Case("true || false && false", "true"), Case("(true || false) && false", "false"),
            Case("1 in [1] in [true]", "true"), Case("true ? 1 : false ? 2 : 3", "int 1"),
            Case("false ? 1 : false ? 2 : 3", "int 3"),
            Case("true ? false ? 1 : 2 : 3", "invalid expr_syntax"),
            Case("true ? (false ? 1 : 2) : 3", "int 2"), Case("-1.5.isNaN", "invalid expr_type"),
            Case("!true == false", "true"),
        ]
    )
    func precedence(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "lists and maps",
        arguments: [
            Case("[]", "[]"), Case("[1, 2,]", "[int 1, int 2]"), Case("[,]", "[]"),
            Case("[1,,2]", "invalid expr_syntax"),
            Case("{}", "{}"), Case("{,}", "{}"), Case("{'a': 1,}", "{string \"a\": int 1}"),
            Case("{'a'}", "invalid expr_syntax"),
            Case(
                "{1: 'x', true: 'y', 2u: 'z'}",
                "{int 1: string \"x\", true: string \"y\", uint 2: string \"z\"}"
            ),
            Case("{'a': 1, 'a': 2}", "error expr_bad_value"), Case("{1: 1, 1u: 2}", "error expr_bad_value"),
            Case("{1.5: 1}", "invalid expr_type"), Case("{null: 1}", "invalid expr_type"),
            Case("{dyn(1.5): 1}", "error expr_type"), Case("f(1,)", "invalid expr_syntax"),
        ]
    )
    func containers(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "names",
        arguments: [
            Case("as", "invalid expr_syntax"), Case("in", "invalid expr_syntax"),
            Case("package", "invalid expr_syntax"),
            Case("{'for': 1}.for", "int 1"), Case("{'as': 1}.as", "int 1"),
            Case("{'in': 1}.in", "invalid expr_syntax"),
            Case("{'null': 1}.null", "invalid expr_syntax"), Case("{'a-b': 1}.`a-b`", "int 1"),
            Case("{'a': 1}.``", "invalid expr_syntax"), Case("`a`", "invalid expr_syntax"),
            Case("int", "type int"),
            Case(".int", "type int"), Case("google.protobuf.Timestamp", "type google.protobuf.Timestamp"),
            Case("a.B{}", "invalid expr_syntax"), Case("a.", "invalid expr_syntax"),
            Case("a.1", "invalid expr_syntax"),
        ]
    )
    func names(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test("brackets of every kind nest 64 deep and no deeper", arguments: ["()", "[]", "{}", "f", "i"])
    func nesting(_ kind: String) {
        func nested(_ depth: Int) -> String {
            switch kind {
            case "()": String(repeating: "(", count: depth) + "1" + String(repeating: ")", count: depth)
            case "[]": String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            case "{}": String(repeating: "{1:", count: depth) + "1" + String(repeating: "}", count: depth)
            case "f": String(repeating: "dyn(", count: depth) + "1" + String(repeating: ")", count: depth)
            default: String(repeating: "[1][", count: depth) + "0" + String(repeating: "]", count: depth)
            }
        }
        #expect(!outcome(nested(63)).hasPrefix("invalid expr_syntax"))
        #expect(outcome(nested(65)) == "invalid expr_syntax")
        #expect(outcome(nested(100_000)) == "invalid expr_syntax")
    }

    @Test(
        "chains of 100,000 of anything are a clean error or a value",
        arguments: [
            "1+", "-", "!", "1.", "a.", "x[0].", "true?1:", "true&&", "1==1||", "1,", "[", "{", "(", "a(",
            "?", ":", "'",
        ]
    )
    func chains(_ piece: String) {
        let source = String(repeating: piece, count: 50_000)
        let result = outcome(source + "1")
        #expect(
            result.hasPrefix("invalid") || result == "true" || result.hasPrefix("int")
                || result.hasPrefix("error")
        )
    }

    @Test("a thousand operands of one && are no nesting")
    func wideLogic() {
        #expect(outcome(String(repeating: "true && ", count: 1_000) + "false") == "false")
    }

    @Test("a problem has its place, line, column and a caret")
    func places() throws {
        let source = "1 +\n  foo(2)"
        let error = #expect(throws: CompileError.self) { try Program(source) }
        let problem = try #require(error?.problems.first)
        #expect(problem.offset == 6)
        #expect((problem.line, problem.column) == (2, 3))
        #expect(problem.rendered(in: source) == "2:3: the function 'foo' is not known\n    foo(2)\n    ^")
    }

    @Test("columns count characters, offsets bytes")
    func columns() throws {
        let error = #expect(throws: CompileError.self) { try Program("'äöü' + ?") }
        #expect(error?.problems.first?.offset == 11)
        #expect(error?.problems.first?.column == 9)
    }
}
