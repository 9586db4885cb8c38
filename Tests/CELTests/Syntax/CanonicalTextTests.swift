@testable import CEL
import Testing

@Suite("The canonical text normalises formatting only")
struct CanonicalTextTests {
    @Test(
        "it is formatted in one way",
        arguments: [
            ("1+2*3", "1 + 2 * 3"), ("((1+2))*3", "(1 + 2) * 3"), ("1-(2-3)", "1 - (2 - 3)"),
            ("(1-2)-3", "1 - 2 - 3"),
            ("'a'", "\"a\""), ("'\\''", "\"'\""), ("r'\\d'", "\"\\\\d\""), ("b'\\x00a'", "b\"\\x00a\""),
            ("0x10", "16"),
            ("1.0", "1.0"), ("1e3", "1000.0"), ("1e20", "1e+20"), ("1e400", "1e999"), ("-1e400", "-1e999"),
            ("5U", "5u"), ("[1,2,]", "[1, 2]"),
            ("{'a':1}", "{\"a\": 1}"), ("a . b [ 0 ]", "a.b[0]"), ("a.?b[?c]", "a.?b[?c]"),
            ("f( 1,2 )", "f(1, 2)"),
            ("a.b( 1 )", "a.b(1)"), ("a?b:c?d:e", "a ? b : c ? d : e"),
            ("(a?b:c)?d:e", "(a ? b : c) ? d : e"),
            ("a&&b||c&&d", "a && b || c && d"), ("(a||b)&&c", "(a || b) && c"),
            ("a&&(b&&c)", "a && (b && c)"),
            ("!a", "!a"), ("!(a&&b)", "!(a && b)"), ("-a", "-a"), ("-(1)", "-(1)"), ("- -1", "-(-1)"),
            ("(-1).b", "-1.b"),
            ("-(1).b", "-(1.b)"), ("a in b", "a in b"), ("(a<b)==c", "a < b == c"),
            ("a<(b==c)", "a < (b == c)"),
            ("has(a.b)", "has(a.b)"), ("a.`x-y`", "a.`x-y`"), ("a.`x_1`", "a.x_1"), ("a.`1x`", "a.`1x`"),
            ("a.`in`.b", "a.`in`.b"), ("[?a, {?'b': c}]", "[?a, {?\"b\": c}]"),
            (".a", ".a"),
            ("a // comment", "a"), ("\"\"\"x\ny\"\"\"", "\"x\\ny\""), ("null", "null"),
            ("[1].map(x,x+1)", "[1].map(x, x + 1)"),
        ]
    )
    func formatting(_ source: String, _ expected: String) throws {
        #expect(try Canonical.text(source) == expected)
    }

    @Test(
        "reading it again gives the same text",
        arguments: [
            "1 - (2 - (3 - 4)) * -(5) / (6 + 7)", "a ? (b ? c : d) : !e && (f || g) || h in [i, -j]",
            "{1: [b'\\xff'], true: '\\u0001'}",
            "-(-1)", "!(!a)", "-(a.b)", "(-a).b", "(a + b).c[d]", "(a ? b : c).d", "!a.b(c)[d].?e", "-1 - -1",
            "-(1.5).c", "a - 1e400 * -1e400", "inf - 1e400",
        ]
    )
    func fixpoint(_ source: String) throws {
        let text = try Canonical.text(source)
        #expect(try Canonical.text(text) == text)
    }
}

/// Canonical texts without the checker, so that any names may be used.
private enum Canonical {
    static func text(_ source: String) throws -> String {
        try Parser.parse(source).canonicalText
    }
}
