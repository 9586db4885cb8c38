import CEL
import Testing

@Suite("Literals are read as the published grammar says")
struct LexingTests {
    @Test(
        "numbers",
        arguments: [
            Case("0", "int 0"), Case("42", "int 42"), Case("-1", "int -1"), Case("0x1F", "int 31"),
            Case("0xffu", "uint 255"), Case("42u", "uint 42"), Case("42U", "uint 42"),
            Case("-0x10", "int -16"),
            Case("9223372036854775807", "int 9223372036854775807"),
            Case("-9223372036854775808", "int -9223372036854775808"),
            Case("-0x8000000000000000", "int -9223372036854775808"),
            Case("9223372036854775808", "invalid expr_syntax"),
            Case("-9223372036854775809", "invalid expr_syntax"),
            Case("0x8000000000000000", "invalid expr_syntax"),
            Case("18446744073709551615u", "uint 18446744073709551615"),
            Case("18446744073709551616u", "invalid expr_syntax"),
            Case("1.5", "double 1.5"), Case(".5", "double 0.5"), Case("1e3", "double 1000.0"),
            Case("1E-3", "double 0.001"), Case("-1.5e+2", "double -150.0"), Case("1e400", "double inf"),
            Case("1e-400", "double 0.0"), Case("1.", "invalid expr_syntax"),
            Case("1..2", "invalid expr_syntax"),
            Case("0x", "invalid expr_syntax"), Case("1a", "invalid expr_syntax"),
        ]
    )
    func numbers(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "strings and their escapes",
        arguments: [
            Case("''", "string \"\""), Case("\"it's\"", "string \"it's\""), Case("'\\''", "string \"'\""),
            Case("'\\n\\t\\r'", "string \"\n\t\r\""),
            Case("'\\a\\b\\f\\v'", "string \"\u{7}\u{8}\u{c}\u{b}\""),
            Case("'\\\\\\?\\`\\\"'", "string \"\\?`\"\""), Case("'\\x41\\X42'", "string \"AB\""),
            Case("'\\101\\060'", "string \"A0\""), Case("'\\u00e9'", "string \"é\""),
            Case("'\\U0001F600'", "string \"😀\""), Case("'\\377'", "string \"ÿ\""),
            Case("'\\ud800'", "invalid expr_syntax"), Case("'\\U00110000'", "invalid expr_syntax"),
            Case("'\\400'", "invalid expr_syntax"), Case("'\\z'", "invalid expr_syntax"),
            Case("'\\x4'", "invalid expr_syntax"), Case("'\\u+123'", "invalid expr_syntax"),
            Case("'abc", "invalid expr_syntax"), Case("'a\nb'", "invalid expr_syntax"),
            Case("'\\", "invalid expr_syntax"),
            Case("'''a\n'b''c'''", "string \"a\n'b''c\""), Case("\"\"\"a\"b\"\"\"", "string \"a\"b\""),
            Case("'''abc''", "invalid expr_syntax"), Case("r'\\n'", "string \"\\n\""),
            Case("R\"a\\\"", "string \"a\\\""),
            Case("r'''a\n\\'''", "string \"a\n\\\""),
        ]
    )
    func strings(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "bytes hold bytes",
        arguments: [
            Case("b'abc'", "bytes [97, 98, 99]"), Case("b'\\xff\\377'", "bytes [255, 255]"),
            Case("b'é'", "bytes [195, 169]"), Case("b'\\u00e9'", "invalid expr_syntax"),
            Case("br'\\n'", "bytes [92, 110]"), Case("rb'\\n'", "bytes [92, 110]"),
            Case("B'''a'''", "bytes [97]"),
        ]
    )
    func bytes(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "comments and blanks are skipped",
        arguments: [
            Case("1 // one", "int 1"), Case("// nothing\n1", "int 1"), Case(" \t\r\n\u{c}1\n", "int 1"),
            Case("/* a */ 1", "invalid expr_syntax"), Case("// only", "invalid expr_syntax"),
            Case("", "invalid expr_syntax"), Case("1;", "invalid expr_syntax"),
            Case("1 = 1", "invalid expr_syntax"),
            Case("1 & 1", "invalid expr_syntax"), Case("\u{a0}1", "invalid expr_syntax"),
        ]
    )
    func blanks(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test("all pieces of a text that cannot be read end in a clean error")
    func everyPrefixIsHarmless() {
        let source = "{'a': [1, -2.5e3, 0xFu, b'\\x00'], ?b: c.d[?0].`e f`(\"\"\"x\"\"\") ? !y : z in r'\\'}"
        for length in 0...source.utf8.count {
            _ = outcome(String(decoding: source.utf8.prefix(length), as: UTF8.self))
        }
    }
}
