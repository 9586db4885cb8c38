import CEL
import Testing

@Suite("Where numbers mix, the doubles of JSON go everywhere")
struct MixedNumberTests {
    @Test(
        "arithmetic promotes to double",
        arguments: [
            Case("[2, 1.5, 1u].sort()", "[uint 1, double 1.5, int 2]"),
            Case("dyn(21.5) * 9 / 5 + 32", "double 70.7"),
            Case("9 / 5", "int 1"),
            Case("9 / 5.0", "double 1.8"),
            Case("max([1, 2.5])", "double 2.5"), Case("[3, 2u].min()", "uint 2"),
            Case("max(1, 2.5, 2)", "double 2.5"), Case("min([])", "error expr_bad_value"),
            Case("1 + 1u", "double 2.0"),
            Case("1u - 2", "double -1.0"),
            Case("2 * 1.5", "double 3.0"),
            Case("7.5 % 2", "double 1.5"),
            Case("5 % 2.0", "double 1.0"),
            Case("1 == 1.0", "true"),
            Case("1 < 1.5", "true"),
            Case("1 in [1.0, 2.0]", "true"),
            Case("-5 / 2.0", "double -2.5"),
            Case("5 % 0.0", "double nan"),
            Case("9223372036854775807 + 1.0", "uint 9223372036854775808"),
            Case("9223372036854775807 + 1u", "uint 9223372036854775808"),
            Case("1 / 0", "error expr_divide"),
            Case("1.0 / 0", "double inf"),
            Case("1 / 0.0", "double inf"),
        ]
    )
    func promotion(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "whole doubles count as ints",
        arguments: [
            Case("'hello'.charAt(1.0)", "string \"e\""),
            Case("'hello'.charAt(1.5)", "error expr_bad_value"),
            Case("[1, 2, 3][1.0]", "int 2"),
            Case("[1, 2, 3][1.5]", "error expr_index"),
            Case("lists.range(3.0)", "[int 0, int 1, int 2]"),
            Case("'abc'.substring(1.0, 2.0)", "string \"b\""),
            Case("'%d'.format([42.0])", "string \"42\""),
            Case("'%d'.format([42.5])", "error expr_bad_value"),
            Case("math.round(1)", "double 1.0"),
            Case("string(1234567.0)", "string \"1234567\""),
            Case("string(123456789012.5)", "string \"123456789012.5\""),
            Case("string(1e17)", "string \"1e+17\""),
        ]
    )
    func positions(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "additions",
        arguments: [
            Case("round(2.567, 2)", "double 2.57"),
            Case("round(2.5)", "double 3.0"),
            Case("round(-2.5)", "double -3.0"),
            Case("round(1234.5, -2)", "double 1200.0"),
            Case("round(1e300, 5)", "double 1e+300"),
            Case("round(0.1, 400)", "double 0.1"),
            Case("round(5, 0)", "double 5.0"),
            Case("round(5e-324, 308)", "double 0.0"),
            Case("round(123.0, -400)", "double 0.0"),
            Case("round(0.0/0.0, 2)", "double nan"),
            Case("round(1.5, 0.5)", "error expr_bad_value"),
            Case("round('a', 1)", "invalid expr_type"),
            Case("clamp(5, 1, 3)", "int 3"),
            Case("clamp(-5, 1, 3)", "int 1"),
            Case("clamp(2.5, 1, 3)", "double 2.5"),
            Case("clamp(2, 3, 1)", "error expr_bad_value"),
            Case("clamp('b', 'a', 'c')", "error expr_type"),
            Case("sum([1, 2, 3])", "int 6"),
            Case("sum([1.5, 2])", "double 3.5"),
            Case("sum([])", "int 0"),
            Case("sum([9223372036854775807, 1])", "uint 9223372036854775808"),
            Case("sum(['a'])", "error expr_type"),
            Case("[1, 2].sum()", "int 3"),
            Case("avg([1, 2, 4])", "double 2.3333333333333335"),
            Case("avg([])", "error expr_bad_value"),
            Case("[1.5, 2.5].avg()", "double 2.0"),
            Case("sum(dyn(1))", "error expr_type"),
        ]
    )
    func additions(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }

    @Test(
        "anything may be compared with null, and lists joined",
        arguments: [
            Case("1 == null", "false"),
            Case("null == 'a'", "false"),
            Case("'a' != null", "true"),
            Case("[1] + ['a']", "[int 1, string \"a\"]"),
            Case("true ? 1 : 'a'", "int 1"),
        ]
    )
    func comparisons(_ row: Case) {
        #expect(outcome(row.source) == row.expected)
    }
}
