import CEL
import Testing

@Suite("String functions count code points")
struct TextTests {
    @Test(
        "functions",
        arguments: [
            Case("''.split('')", "[string \"\"]"),
            Case("'abc'.split('')", "[string \"a\", string \"b\", string \"c\"]"),
            Case("'abc'.split('', 2)", "[string \"a\", string \"bc\"]"),
            Case("'a,b'.split(',', 1)", "[string \"a,b\"]"),
            Case("''.split(',')", "[string \"\"]"),
            Case("'abc'.replace('', '-', 2)", "string \"-a-bc\""),
            Case("'abc'.replace('b', '', 0)", "string \"abc\""),
            Case("''.replace('', 'x')", "string \"x\""),
            Case("'abc'.indexOf('')", "int 0"),
            Case("'abc'.indexOf('', 3)", "int 3"),
            Case("'abc'.indexOf('', 4)", "error expr_index"),
            Case("'abc'.indexOf('c', -1)", "error expr_index"),
            Case("'abc'.lastIndexOf('')", "int 3"),
            Case("'abc'.lastIndexOf('', 1)", "int 1"),
            Case("'abc'.lastIndexOf('c', 1)", "int -1"),
            Case("'abcabc'.lastIndexOf('abc', 2)", "int 0"),
            Case("'abc'.charAt(3)", "string \"\""),
            Case("'abc'.charAt(4)", "error expr_index"),
            Case("'  \\u00a0x\\u2000\\u180e '.trim()", "string \"x ᠎\""),
            Case("size()", "invalid expr_type"),
            Case("size([1],[2])", "invalid expr_type"),
            Case("'a'.size(1)", "invalid expr_type"),
            Case("'a'.contains('')", "true"),
            Case("''.contains('a')", "false"),
            Case("'abc'.startsWith('')", "true"),
            Case("'abc'.endsWith('abcd')", "false"),
            Case("'日本'.size()", "int 2"),
            Case("'日本'.charAt(1)", "string \"本\""),
            Case("'日本'.reverse()", "string \"本日\""),
            Case("'日本'.substring(1)", "string \"本\""),
            Case("size(b'\\xff\\xff')", "int 2"),
            Case("size({1:2})", "int 1"),
            Case("strings.quote('a\"b\\\\c\\n\\u0001')", "string \"\"a\\\"b\\\\c\\n\u{01}\"\""),
            Case("[1,2,3].join()", "invalid expr_type"),
            Case("['a',1].join()", "error expr_type"),
            Case("[1].contains(1)", "invalid expr_type"),
            Case("{'a':1}.size()", "int 1"),
            Case("'hello'.charAt(1) + 'x'.upperAscii()", "string \"eX\""),
            Case("'a,b,c'.split(',')", "[string \"a\", string \"b\", string \"c\"]"),
            Case("'abc'.replace('', '-')", "string \"-a-b-c-\""),
            Case("['a','b'].join('-')", "string \"a-b\""),
            Case("'tacocat'.lastIndexOf('ac')", "int 1"),
            Case("size(1,2)", "invalid expr_type"),
            Case("'a'.size()", "int 1"),
            Case("size('é')", "int 1"),
            Case("'aaaaaab'.contains('aab')", "true"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }

    @Test(
        "texts that are added are put together, whatever they are made of",
        arguments: [
            Case("'it is ' + string(value) + ' degrees'", "string \"it is 21.5 degrees\""),
            Case("string(value) + 'é' + string(value) + '日本' + ''", "string \"21.5é21.5日本\""),
            Case("'a' + (string(value) + ('b' + string(value))) + 'c'", "string \"a21.5b21.5c\""),
            Case(
                "['x', 'y'].map(t, 'a' + t + string(value) + t)",
                "[string \"ax21.5x\", string \"ay21.5y\"]"
            ),
            Case("string(value) + 'a' + string(1 / 0) + string(b'\\xff')", "error expr_divide"),
            Case("(string(value) + 'a' + string(1 / 0) == 'a') || true", "true"),
            Case("string(value) + 'a' + value", "error expr_type"),
            Case("string(value) + 'a' + dyn(1) + string(1 / 0)", "error expr_type"),
        ]
    )
    func chains(_ row: Case) {
        #expect(outcome(row.source, ["value": 21.5]) == row.expected)
    }

    @Test("a variable that is no text, although it is said to be, fails as with two operands")
    func wrongVariable() throws {
        for (source, types) in [
            ("value + 'a' + 'b'", "double, string"), ("'a' + string(1) + value", "string, double"),
        ] {
            let program = try Program(source, variables: [Variable("value", type: .string)])
            let error = #expect(throws: EvaluationError.self) { try program.evaluate(21.5) }
            #expect(error?.message == "'+' does not take (\(types))")
        }
    }
}
