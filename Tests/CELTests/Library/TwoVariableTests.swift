import CEL
import Testing

@Suite("Macros with two variables, and lists")
struct TwoVariableTests {
    @Test(
        "transformations and list functions",
        arguments: [
            Case("{'a':1,'b':2}.transformMap(k, v, v+1)", "{string \"a\": int 2, string \"b\": int 3}"),
            Case("[1,2].transformList(i, v, i*v)", "[int 0, int 2]"),
            Case("[3,1,2].sort()", "[int 1, int 2, int 3]"),
            Case("lists.range(5)", "[int 0, int 1, int 2, int 3, int 4]"),
            Case("[[1],[2,[3]]].flatten()", "[int 1, int 2, [int 3]]"),
            Case("[1,1.0,2u].distinct()", "[int 1, uint 2]"),
            Case("[1, 2].all(i, v, i < v)", "true"),
            Case("{'a': 1, 'b': 2}.all(k, v, v > 1)", "false"),
            Case("[5, 6].exists(i, v, i == 1 && v == 6)", "true"),
            Case("[5, 5].exists_one(i, v, v == 5)", "false"),
            Case("[5, 6].existsOne(i, v, v == 5)", "true"),
            Case("[0, 1].all(i, v, 1 / v == 2)", "false"),
            Case("[1, 2, 3].transformList(i, v, i * v)", "[int 0, int 2, int 6]"),
            Case("[1, 2, 3].transformList(i, v, i > 0, v)", "[int 2, int 3]"),
            Case("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1)", "{string \"b\": int 3}"),
            Case(
                "{'a': 1, 'b': 2}.transformMapEntry(k, v, {v: k})",
                "{int 1: string \"a\", int 2: string \"b\"}"
            ),
            Case("[1, 1].transformMapEntry(i, v, {v: i})", "error expr_bad_value"),
            Case("[1].transformMapEntry(i, v, dyn(v))", "error expr_type"),
            Case("lists.range(0)", "[]"),
            Case("lists.range(-1)", "error expr_bad_value"),
            Case("lists.range(100000)", "error expr_cost"),
            Case("[1, 2, 3, 4].slice(1, 3)", "[int 2, int 3]"),
            Case("[1, 2].slice(1, 3)", "error expr_index"),
            Case("[1, [2, [3, [4]]]].flatten()", "[int 1, int 2, [int 3, [int 4]]]"),
            Case("[1, [2, [3, [4]]]].flatten(2)", "[int 1, int 2, int 3, [int 4]]"),
            Case("[1].flatten(-1)", "error expr_bad_value"),
            Case("['b', 'a', 'é'].sort()", "[string \"a\", string \"b\", string \"é\"]"),
            Case("[2, 1.5, 1u].sort()", "error expr_type"),
            Case("[1, 'a'].sort()", "error expr_type"),
            Case("[[1]].sort()", "error expr_type"),
            Case("['aaa', 'b', 'cc'].sortBy(s, size(s))", "[string \"b\", string \"cc\", string \"aaa\"]"),
            Case("[{'n': 2}, {'n': 1}].sortBy(e, e.n)", "[{string \"n\": int 1}, {string \"n\": int 2}]"),
            Case("[3, 1, 2].sortBy(x, -x).map(x, x * 10)", "[int 30, int 20, int 10]"),
            Case("[].sortBy(x, 1 / 0)", "[]"),
            Case("[1, 2].first().value()", "int 1"),
            Case("[1, 2].last().value()", "int 2"),
            Case("[].first()", "none"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
