import CEL
import Testing

/// Whole numbers beyond 2^53, as JSON has them: values of type int or uint.
@Suite("Whole numbers that no double holds")
struct WholeNumberTests {
    /// An identifier, the first number that no double holds, a number of 64 bits, and doubles.
    private static let values: KeyValuePairs<String, Value> = [
        "id": .int(1_234_567_890_123_456_789), "odd": .int(9_007_199_254_740_993),
        "most": .uint(.max), "least": .int(.min),
        "top": .double(9_007_199_254_740_992), "one": .double(1), "half": .double(0.5),
        "far": .double(1e25),
    ]

    @Test(
        "pass unchanged, and are computed and compared to the last digit",
        arguments: [
            Case("id", "int 1234567890123456789"),
            Case("[id, {'a': id}]", "[int 1234567890123456789, {string \"a\": int 1234567890123456789}]"),
            Case("true ? id : 0", "int 1234567890123456789"),
            Case("string(id)", "string \"1234567890123456789\""),
            Case("id + 1", "int 1234567890123456790"),
            Case("id + one", "int 1234567890123456790"),
            Case("one + id", "int 1234567890123456790"),
            Case("id - id", "double 0.0"),
            Case("odd - top", "double 1.0"),
            Case("(odd - top) / 2", "double 0.5"),
            Case("top + one", "int 9007199254740993"),
            Case("top + 1", "int 9007199254740993"),
            Case("-top - one", "int -9007199254740993"),
            Case("top * top", "double 8.112963841460668e+31"),
            Case("id * 2 / 2", "int 1234567890123456789"),
            Case("odd / 2", "double 4503599627370496.0"),
            Case("odd / 3", "double 3002399751580331.0"),
            Case("id % 10", "double 9.0"),
            Case("-odd % 10", "double -3.0"),
            Case("most + 1", "double 1.8446744073709552e+19"),
            Case("most - most", "double 0.0"),
            Case("-least", "error expr_overflow"),
            Case("-most", "error expr_overflow"),
            Case("least - 1", "error expr_overflow"),
            Case("most + 2", "error expr_overflow"),
            Case("id * id", "error expr_overflow"),
            Case("[id, most].sum()", "error expr_overflow"),
            Case("[id, one, odd].sum()", "int 1243575089378197783"),
            Case("id == 1234567890123456789", "true"),
            Case("id == id + 1", "false"),
            Case("odd == top", "false"),
            Case("top == odd", "false"),
            Case("odd > top && top < odd && odd >= top", "true"),
            Case("-odd < -top", "true"),
            Case("odd in [top, one]", "false"),
            Case("math.greatest(top, odd)", "int 9007199254740993"),
            Case("math.abs(-id)", "int 1234567890123456789"),
            Case("math.round(id)", "int 1234567890123456789"),
            Case("round(id, 2)", "int 1234567890123456789"),
            Case("[odd, top].sort()", "[double 9007199254740992.0, int 9007199254740993]"),
        ]
    )
    func exact(_ row: Case) {
        #expect(outcome(row.source, Self.values) == row.expected)
    }

    @Test(
        "beside a fraction, or a double of which digits are unknown, they are doubles like others",
        arguments: [
            Case("id * half", "double 6.172839450617284e+17"),
            Case("id + half", "double 1.2345678901234568e+18"),
            Case("far + far", "double 2e+25"),
            Case("far + 1", "double 1e+25"),
            Case("10.0 / 3", "double 3.3333333333333335"),
            Case("id / 7.0", "double 1.763668414462081e+17"),
            Case("id / 0", "error expr_divide"),
            Case("avg([odd, odd])", "double 9007199254740992.0"),
        ]
    )
    func rounded(_ row: Case) {
        #expect(outcome(row.source, Self.values) == row.expected)
    }

    @Test(
        "the published language stays as it is",
        arguments: [
            Case("9007199254740993 / 2", "int 4503599627370496"),
            Case("9223372036854775807 + 1", "error expr_overflow"),
            Case("18446744073709551615u + 1u", "error expr_overflow"),
            Case("9007199254740992.0 + 1.0", "double 9007199254740992.0"),
        ]
    )
    func strict(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
