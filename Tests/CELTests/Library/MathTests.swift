import CEL
import Testing

@Suite("The math extension")
struct MathTests {
    @Test(
        "functions",
        arguments: [
            Case("math.greatest(1)", "int 1"),
            Case("math.greatest([])", "error expr_bad_value"),
            Case("math.greatest([1,2.5])", "double 2.5"),
            Case("math.greatest('a')", "error expr_type"),
            Case("math.greatest(1, 'a')", "error expr_type"),
            Case("math.greatest()", "invalid expr_type"),
            Case("math.least(1, 1.0)", "int 1"),
            Case("math.greatest(1, 1.0)", "int 1"),
            Case("math.greatest(0.0/0.0, 1.0)", "double nan"),
            Case("math.greatest(1.0, 0.0/0.0)", "double 1.0"),
            Case("math.round(-2.5)", "double -3.0"),
            Case("math.sign(-0.0)", "double 0.0"),
            Case("math.abs(-9223372036854775808)", "error expr_overflow"),
            Case("math.bitShiftLeft(1, 64)", "int 0"),
            Case("math.bitShiftLeft(1, -1)", "error expr_bad_value"),
            Case("math.bitShiftRight(-8, 1)", "int 9223372036854775804"),
            Case("math.bitShiftRight(-8, 64)", "int 0"),
            Case("math.isNaN(1)", "invalid expr_type"),
            Case("math.foo(1)", "invalid expr_type"),
            Case("math.greatest(1, 2.5, 3u)", "uint 3"),
            Case("math.sqrt(-1)", "double nan"),
            Case("math.round(1)", "invalid expr_type"),
            Case("math.round(1.5)", "double 2.0"),
            Case("math.round(0.49999999999999994)", "double 0.0"),
            Case("math.bitShiftLeft(1, 63)", "int -9223372036854775808"),
            Case("math.bitShiftLeft(1, 9223372036854775807)", "int 0"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
