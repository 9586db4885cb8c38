import CEL
import Testing

@Suite("Logic absorbs failures in any order")
struct LogicTests {
    @Test(
        "operators",
        arguments: [
            Case("!!true", "true"),
            Case("!-1", "invalid expr_type"),
            Case("true ? false ? 1 : 2 : 3", "invalid expr_syntax"),
            Case("true ? 1 : false ? 2 : 3", "int 1"),
            Case("(true ? 1 : 2)", "int 1"),
            Case("true ? 1", "invalid expr_syntax"),
            Case("1 && true", "invalid expr_type"),
            Case("'a' || false", "invalid expr_type"),
            Case("true && 'a'", "invalid expr_type"),
            Case("dyn('a') && false", "false"),
            Case("false && dyn('a')", "false"),
            Case("dyn('a') || true", "true"),
            Case("dyn('a') && true", "error expr_type"),
            Case("dyn(1) ? 1 : 2", "error expr_type"),
            Case("!dyn(1)", "error expr_type"),
            Case(
                "\"\\\"\\\\\\n\\t\\r\\a\\b\\f\\v\\?\\`\\'\"",
                "string \"\"\\\n\t\r\u{07}\u{08}\u{0C}\u{0B}?`\'\""
            ),
            Case("true || 1/0 > 1", "true"),
            Case("1/0 > 1 || true", "true"),
            Case("false || 1/0 > 1", "error expr_divide"),
            Case("1/0>1 && false", "false"),
            Case("!true", "false"),
            Case("!1", "invalid expr_type"),
            Case("1 ? 2 : 3", "invalid expr_type"),
            Case("true ? 1 : 'a'", "invalid expr_type"),
            Case("1/0 == 1 && true && false", "false"),
            Case("true && 1/0 == 1 && false && true", "false"),
            Case("1/0 == 1 || false || true", "true"),
            Case("(1/0 == 1 || true) && true", "true"),
            Case("1/0 == 1 && 1 % 0 == 1", "error expr_divide"),
            Case("dyn('a') && dyn('b')", "error expr_type"),
            Case("dyn(1) || 1/0 == 1", "error expr_type"),
            Case("true ? 1 : 1/0", "int 1"),
            Case("false ? 1/0 : 2", "int 2"),
            Case("1/0 == 1 ? 1 : 2", "error expr_divide"),
            Case("!(1/0 == 1)", "error expr_divide"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
