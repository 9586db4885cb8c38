import Testing

@testable import CEL

@Suite("Macros run over lists and maps")
struct MacroTests {
    @Test(
        "macros",
        arguments: [
            Case("has({'a':null}.a)", "true"),
            Case("[1,2,3].exists(x, x > 2) && [].all(x, false)", "true"),
            Case("[].exists_one(x, true)", "false"),
            Case("[1,'a'].all(x, x == 1)", "false"),
            Case("[1,'a'].exists(x, x == 'a')", "true"),
            Case("[1, 2].exists_one(x, x / 0 == 1)", "error expr_divide"),
            Case("[1,2,3].map(x, x > 1, x * 2)", "[int 4, int 6]"),
            Case("{'a':1,'b':2}.filter(k, k == 'a')", "[string \"a\"]"),
            Case("{'a':1}.exists(k, k == 'a')", "true"),
            Case("has(1)", "invalid expr_syntax"),
            Case("has(a)", "invalid expr_syntax"),
            Case("has({'a':1}['a'])", "invalid expr_syntax"),
            Case("[1].all(1, true)", "invalid expr_syntax"),
            Case("[1].all(x.y, true)", "invalid expr_syntax"),
            Case("[1].all(x)", "invalid expr_type"),
            Case("[1].map(x, x, x, x)", "invalid expr_type"),
            Case("1.all(x, true)", "invalid expr_type"),
            Case("'abc'.all(x, true)", "invalid expr_type"),
            Case("dyn('abc').all(x, true)", "error expr_type"),
            Case("dyn(1).map(x, x)", "error expr_type"),
            Case("[1,2].all(x, x)", "invalid expr_type"),
            Case("[1,2].filter(x, x)", "invalid expr_type"),
            Case("dyn([1]).filter(x, dyn(x))", "error expr_type"),
            Case("[[1,2],[3]].all(l, l.all(e, e > 0))", "true"),
            Case("[1].map(x, [2].map(x, x))", "[[int 2]]"),
            Case("[1].map(int, int)", "[int 1]"),
            Case("cel.bind(x, 1, cel.bind(x, 2, x) + x)", "int 3"),
            Case("cel.bind(x, 1)", "invalid expr_type"),
            Case("[1,2,3].map(x, x*2)", "[int 2, int 4, int 6]"),
            Case("[1,2,3].filter(x, x>1)", "[int 2, int 3]"),
            Case("{'a':1,'b':2}.map(k, k)", "[string \"a\", string \"b\"]"),
            Case("[1,2,3].exists_one(x, x==2)", "true"),
            Case("[0,1].exists(x, 1/x == 1)", "true"),
            Case("[0,1].all(x, 1/x == 2)", "false"),
            Case("cel.bind(x, 3, x*x)", "int 9"),
            Case("[[1,2],[3]].map(l, l.map(x, x+1))", "[[int 2, int 3], [int 4]]"),
            Case("[1,2,3].all(x, x < 3) ? 'a' : 'b'", "string \"b\""),
            Case("has({'a':1}.b)", "false"),
            Case("[1,2,3].all(x, x>0)", "true"),
            Case("[1, 2, 3].all(x, 6 / (x - 2) > -100)", "error expr_divide"),
            Case("[1, 2, 3].all(x, 6 / (x - 2) > 100)", "false"),
            Case("[0, 2].exists(x, 1 / x == 1)", "error expr_divide"),
            Case("[1, 0].map(x, 1 / x)", "error expr_divide"),
            Case("[0].filter(x, 1 / x == 1)", "error expr_divide"),
            Case("[1, 2].map(x, [10, 20].map(y, x * y))", "[[int 10, int 20], [int 20, int 40]]"),
            Case("[1, 2].all(x, [1, 2].exists(y, x == y))", "true"),
            Case(
                "[1, 2, 3].filter(x, [2, 3].exists(y, y == x)).map(x, {'n': x, 'l': [x].map(z, z + x)})",
                "[{string \"n\": int 2, string \"l\": [int 4]}, {string \"n\": int 3, string \"l\": [int 6]}]"
            ),
            Case("cel.bind(x, 1/0, 5)", "int 5"),
            Case("cel.bind(x, 1/0, x)", "error expr_divide"),
            Case("cel.bind(x, 1/0, true || x == 1)", "true"),
            Case("[1, 2].map(y, cel.bind(x, y * 10, x + y))", "[int 11, int 22]"),
            Case("has({'a': {'b': 1}}.b.a)", "error expr_no_key"),
            Case("has(dyn(1).a)", "error expr_type"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }

    @Test(
        "Elements stay their list's, and are freed with it, wherever a macro fails",
        arguments: [
            Case("v.filter(r, r.n == 1).map(r, r.list)", "[[string \"a text of more than 15 bytes\"]]"),
            Case("v.map(r, r.list.map(x, x + r.name))", "error expr_no_key"),
            Case("v.all(r, r.list.exists(x, x.size() == r.name))", "error expr_no_key"),
            Case("v.exists(r, r.list.all(x, r.name == x || x.startsWith('a')) && r.n == 2)", "true"),
            Case("v.exists(r, r.name == 'b' || r.n == 2) ? v[0].list.size() : 0", "int 1"),
            Case("v.map(r, v.filter(q, q.n > r.n).map(q, q.list + r.list).size())", "[int 1, int 0]"),
            Case("v[0].filter(k, k != 'n')", "[string \"a key of more than 15 bytes\", string \"list\"]"),
            Case("v[0].map(k, v[k])", "error expr_type"),
            Case("true || v.map(r, r.name).size() == 1", "true"),
        ]
    )
    func borrowed(_ row: Case) {
        weak var kept: ValueList.Storage?
        do {
            let text = Value.string("a text of more than 15 bytes")
            let list = ValueList([text])
            kept = list.storage
            let first = ValueMap([("n", 1), ("a key of more than 15 bytes", 0), ("list", .list(list))])
            let second = ValueMap([("n", 2), ("list", .list(ValueList([text, text])))])
            let rows = Value.list(ValueList([.map(first), .map(second)]))
            for _ in 0..<3 {
                #expect(outcome(row.source, ["v": rows]) == row.expected)
                #expect(outcome("v[0].list[0]", ["v": rows]) == "string \"a text of more than 15 bytes\"")
            }
        }
        #expect(kept == nil)
    }
}
