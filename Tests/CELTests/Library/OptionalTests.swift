import CEL
import Testing

@Suite("Optional values and optional access")
struct OptionalTests {
    @Test(
        "optionals",
        arguments: [
            Case("optional.of(dyn(optional.of({'c': 1}))).c.hasValue()", "error expr_type"),
            Case("has(optional.of(dyn(optional.none())).c)", "error expr_type"),
            Case("optional.of(dyn(optional.of([1])))[?0].hasValue()", "error expr_type"),
            Case("{'a':1}.?b.orValue(2)", "int 2"),
            Case("{'a':1}[?'b'].orValue(2)", "int 2"),
            Case("[1,2][?5].orValue(9)", "int 9"),
            Case("optional.of({'a':1}).a.orValue(3)", "int 1"),
            Case("optional.of([1]).orValue([2])[0]", "int 1"),
            Case("optional.none().orValue(1)", "int 1"),
            Case("optional.none().or(optional.of(2)).value()", "int 2"),
            Case("optional.of(1).or(optional.of(1/0)).value()", "int 1"),
            Case("optional.of(1).orValue(1/0)", "int 1"),
            Case("optional.ofNonZeroValue(0).hasValue()", "false"),
            Case("optional.ofNonZeroValue('').hasValue()", "false"),
            Case("optional.of(1) == optional.of(1)", "true"),
            Case("optional.none() == optional.none()", "true"),
            Case("optional.of(5).optMap(x, x * 2).value()", "int 10"),
            Case("optional.of(5).optFlatMap(x, optional.none()).hasValue()", "false"),
            Case("optional.none().optMap(x, x / 0).hasValue()", "false"),
            Case("has({'a':1}.?a)", "invalid expr_syntax"),
            Case("optional.of(3).optMap(x, x+1)", "optional int 4"),
            Case("{'a':{'b':1}}.?a.?c.orValue(7)", "int 7"),
            Case("[1,?optional.none(),3]", "[int 1, int 3]"),
            Case("{?'a':optional.of(1), ?'b': optional.none()}", "{string \"a\": int 1}"),
            Case("optional.of(1)", "optional int 1"),
            Case("optional.none().value()", "error expr_bad_value"),
            Case("[?optional.of(1)]", "[int 1]"),
            Case("optional.none().orValue(1/0)", "error expr_divide"),
            Case("[?dyn(1)]", "error expr_type"),
            Case("optional.unwrap([optional.of(1), optional.none()])", "[int 1]"),
            Case("[optional.of(1), optional.none()].unwrapOpt()", "[int 1]"),
            Case("{'a': {'b': 1}}.?x.b.c.hasValue()", "invalid expr_type"),
            Case("{'a': {'b': 1}}.?a.b.orValue(0)", "int 1"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
