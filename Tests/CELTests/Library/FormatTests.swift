import CEL
import Testing

@Suite("format writes as the published extension says")
struct FormatTests {
    @Test(
        "clauses",
        arguments: [
            Case("'%e'.format([1.5e300])", "string \"1.500000e+300\""),
            Case("'%s'.format([1.0/0.0])", "string \"Infinity\""),
            Case(
                "'%s'.format([{'b':1,'a':[1.5, null, true, b'x', type(1)]}])",
                "string \"{a: [1.5, null, true, x, int], b: 1}\""
            ),
            Case("'%s'.format([1e20])", "string \"1e+20\""),
            Case("'%d'.format([1.5])", "error expr_type"),
            Case("'%f'.format([1])", "string \"1.000000\""),
            Case("'%f'.format([1u])", "string \"1.000000\""),
            Case("'%e'.format([12])", "string \"1.200000e+01\""),
            Case("'%x'.format(['é'])", "string \"c3a9\""),
            Case("'%X'.format([-255])", "string \"-FF\""),
            Case("'%b'.format([-5])", "string \"-101\""),
            Case("'%.3s'.format(['abc'])", "string \"abc\""),
            Case("'%.2d'.format([5])", "string \"5\""),
            Case("'%5d'.format([5])", "error expr_bad_value"),
            Case("'%'.format([])", "error expr_bad_value"),
            Case("'%z'.format([1])", "error expr_bad_value"),
            Case("'%s'.format([])", "error expr_index"),
            Case("'%s'.format([1,2])", "string \"1\""),
            Case("'%s'.format([timestamp(0)])", "string \"1970-01-01T00:00:00Z\""),
            Case("'%s'.format([duration('1.5s')])", "string \"1.5s\""),
            Case("'%s'.format(['a'])", "string \"a\""),
            Case("'%.1001f'.format([1.0])", "error expr_bad_value"),
            Case("'%.f'.format([1.0])", "error expr_bad_value"),
            Case(
                "'%.3f %e %s %d %x'.format([3.14159, 1234.5, [1,'a'], 42, 255])",
                "string \"3.142 1.234500e+03 [1, a] 42 ff\""
            ),
            Case("'%f'.format([1e21])", "string \"1000000000000000000000.000000\""),
            Case("'%.1f %.0f %.2f'.format([0.25, 0.5, 1.005])", "string \"0.2 0 1.00\""),
            Case("'%d %s'.format([1,'a'])", "string \"1 a\""),
            Case("'%.25f'.format([0.1])", "string \"0.1000000000000000055511151\""),
            Case("'%f'.format([5e-324])", "string \"0.000000\""),
            Case("'%.2e'.format([-0.000123456])", "string \"-1.23e-04\""),
            Case("'%.3e'.format([9999.9])", "string \"1.000e+04\""),
            Case("'%e'.format([0.0])", "string \"0.000000e+00\""),
            Case("'%.2f'.format([2.675])", "string \"2.67\""),
            Case("'%.1f'.format([-0.25])", "string \"-0.2\""),
            Case("'%.0f'.format([1.5])", "string \"2\""),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
