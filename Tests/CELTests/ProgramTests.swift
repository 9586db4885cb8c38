import CEL
import Testing

@Suite("A program is evaluated with arguments, within bounds")
struct ProgramTests {
    @Test("the published example gives what it must on a double from JSON")
    func fahrenheit() throws {
        let program = try Program("math.round(value * 9 / 5 + 32)", variables: [Variable("value")])
        #expect(describe(try program.evaluate(20.4)) == "double 69.0")
    }

    @Test("arguments go to the variables in order, in every form")
    func arguments() throws {
        let program = try Program("a - b * c", variables: ["a", "b", "c"].map { Variable($0) })
        let values: [Value] = [10.0, 2.0, 3.0]
        #expect(try program.evaluate(values) == 4.0)
        #expect(try values.withUnsafeBufferPointer { try program.evaluate($0) } == 4.0)
        let (first, second) = (try Program("a", variables: [Variable("a")]), try Program("1 + 1"))
        #expect(try first.evaluate("x") == "x")
        #expect(try second.evaluate() == 2)
    }

    @Test("an error has the place of the operation that failed")
    func places() throws {
        let program = try Program("value.a + 10 / value.b", variables: [Variable("value")])
        let error = #expect(throws: EvaluationError.self) { try program.evaluate(["a": 1, "b": 0]) }
        #expect(error?.code == .divide)
        #expect(error?.offset == 13)
        #expect(
            error?.rendered(in: program.source)
                == "1:14: division by zero\n  value.a + 10 / value.b\n               ^"
        )
    }

    @Test(
        "the cost budget stops every loop",
        arguments: [
            "lists.range(9000).all(x, x >= 0)",
            "lists.range(100).map(x, lists.range(100).map(y, lists.range(100)))",
            "lists.range(3000).exists(x, lists.range(3000).exists(y, x + y < 0))",
            "lists.range(5000) + lists.range(5000)", "lists.range(200).distinct()",
            "lists.range(9000).sort()",
        ]
    )
    func budget(_ source: String) {
        #expect(outcome(source) == "error expr_cost")
        #expect(outcome(source, cost: 10) == "error expr_cost")
    }

    @Test(
        "nothing absorbs the end of the budget",
        arguments: [
            "lists.range(value) == [] || value > 0", "[1].all(x, lists.range(value) == [])",
            "[1].exists(x, lists.range(value) == [] || value > 0)", "cel.bind(x, lists.range(value), 1)",
            "optional.of(lists.range(value)).optMap(x, 1).hasValue() || value > 0",
        ]
    )
    func budgetIsFinal(_ source: String) {
        #expect(outcome(source, ["value": 100_000]) == "error expr_cost")
    }

    @Test("long strings cost their length")
    func stringCost() throws {
        let long = Value.string(String(repeating: "x", count: 200_000))
        for source in [
            "value + value", "value.contains('y')", "value == value + 'x'", "size(value) > 0",
            "value.split('')",
        ] {
            let program = try Program(source, variables: [Variable("value")])
            let error = #expect(throws: EvaluationError.self) { try program.evaluate(long) }
            #expect(error?.code == .cost, "\(source)")
        }
    }

    @Test("searching for what nearly stands everywhere costs what is compared")
    func searchCost() {
        let text = String(repeating: "a", count: 4_000)
        let part = String(repeating: "a", count: 2_000) + "b"
        #expect(outcome("t.contains(p)", ["t": .string(text), "p": .string(part)]) == "error expr_cost")
        #expect(outcome("t.indexOf(p)", ["t": .string(text), "p": .string(part)]) == "error expr_cost")
        #expect(outcome("t.lastIndexOf(p)", ["t": .string(text), "p": .string(part)]) == "error expr_cost")
        #expect(outcome("t.replace(p, '')", ["t": .string(text), "p": .string(part)]) == "error expr_cost")
    }

    @Test("results above the output bound do not leave")
    func output() throws {
        let options = Options(outputBytes: 100)
        let program = try Program("value", variables: [Variable("value")], options: options)
        #expect(try program.evaluate("short") == "short")
        let error = #expect(throws: EvaluationError.self) {
            try program.evaluate(.string(String(repeating: "x", count: 101)))
        }
        #expect(error?.code == .badValue)
        let many = Value.list(ValueList((0..<101).map { .int($0) }))
        #expect(throws: EvaluationError.self) { try program.evaluate(many) }
    }

    @Test("values nest at most 64 deep, however they are made")
    func depth() throws {
        let wrap = try Program("[acc]", variables: [Variable("acc")])
        var value: Value = 1
        for _ in 0..<64 {
            value = try wrap.evaluate(value)
        }
        #expect(value.nestingDepth == 64)
        let error = #expect(throws: EvaluationError.self) { try wrap.evaluate(value) }
        #expect(error?.code == .badValue)
        for source in [
            "{'a': acc}", "optional.of(acc)", "[1].map(x, acc)", "[?optional.of(acc)]",
            "[0].transformMap(i, v, acc)",
        ] {
            let program = try Program(source, variables: [Variable("acc")])
            #expect(throws: EvaluationError.self, "\(source)") { try program.evaluate(value) }
        }
        let deeper = Value.list(ValueList([value]))
        #expect(throws: EvaluationError.self) {
            try Program("acc == 1", variables: [Variable("acc")]).evaluate(deeper)
        }
    }

    @Test("constant regular expressions are compiled once, and bad ones refused at once")
    func regex() throws {
        let engine = LiteralRegexEngine()
        let options = Options(regex: engine)
        let program = try Program(
            "value.matches('bc') || matches(value, 'x' + 'y')",
            variables: [Variable("value")],
            options: options
        )
        #expect(engine.compiled == 2)
        let before = engine.compiled
        #expect(try program.evaluate("abcd") == true)
        #expect(try program.evaluate("xy") == true)
        #expect(try program.evaluate("b") == false)
        #expect(engine.compiled == before)
        #expect(throws: CompileError.self) {
            try Program("value.matches('(')", variables: [Variable("value")], options: options)
        }
        let dynamic = try Program("'abc'.matches(value)", variables: [Variable("value")], options: options)
        #expect(try dynamic.evaluate("b") == true)
        #expect(throws: EvaluationError.self) { try dynamic.evaluate("(") }
        #expect(throws: EvaluationError.self) { try program.evaluate(1) }
        #expect(throws: CompileError.self) { try Program("'a'.matches('a')") }
        #expect(throws: CompileError.self) {
            try Program("value.matches('a')", variables: [Variable("value")])
        }
    }

    @Test("literal patterns that are read together have bounds, and equal ones are compiled once")
    func literalBounds() throws {
        let engine = LiteralRegexEngine()
        var options = Options(regex: engine)
        func program(_ source: String) throws(CompileError) -> Program {
            try Program(source, variables: [Variable("value")], options: options)
        }
        // One of one letter takes 308 units.
        options.literals = LiteralPatterns(engine, units: 1_000)
        let first = try program("value.matches('a') || value.matches('a') || value.matches('b')")
        #expect(first.matchers.count == 3 && engine.compiled == 2)
        _ = try program("value.matches('b') && value.matches('c')")
        #expect(options.literals?.spent == 924)
        let error = #expect(throws: CompileError.self) {
            try program("value.matches('a') && value.matches('d')")
        }
        #expect(error?.problems.map(\.code) == [.patternLimit] && error?.problems.first?.offset == 37)
        #expect(error?.problems.first?.hint != nil)
        #expect(
            error?.problems.first?.message
                == "compiling regular expressions may take 1000 units together: 924 are used, this one takes 308"
        )
        #expect(throws: CompileError.self, "also one that folding makes") {
            try program("value.matches('d' + 'e')")
        }
        #expect(engine.compiled == 3, "what is too much is not compiled")

        options.literals = LiteralPatterns(engine, count: 1)
        _ = try program("value.matches('a') || value.matches('a')")
        let many = #expect(throws: CompileError.self) { try program("value.matches('b')") }
        #expect(many?.problems.first?.message == "at most 1 different regular expressions")
        #expect(many?.problems.map(\.code) == [.patternLimit])
    }

    @Test("a pattern that is refused is given to the engine once")
    func refusedOnce() {
        let engine = LiteralRegexEngine()
        let source = Array(repeating: "value.matches('(')", count: 50).joined(separator: " || ")
        let error = #expect(throws: CompileError.self) {
            try Program(source, variables: [Variable("value")], options: Options(regex: engine))
        }
        #expect(error?.problems.count == 50 && engine.compiled == 1)
    }

    @Test(
        "an invalid constant regular expression is reported at its place",
        arguments: [
            ("value.matches('ab(c')", 17), ("value.matches(r'ab(c')", 18),
            ("matches(value, \"\"\"ab(c\"\"\")", 20),
            // Escapes move what follows them: then the literal is pointed at.
            ("value.matches('\\tab(c')", 14), ("value.matches('ab' + '(c')", 19),
            ("value.matches('a') && value.matches('(')", 37),
        ]
    )
    func patternPlaces(_ source: String, _ offset: Int) throws {
        let error = #expect(throws: CompileError.self) {
            try Program(source, variables: [Variable("value")], options: Options(regex: LiteralRegexEngine()))
        }
        #expect(error?.problems.map(\.code) == [.syntax])
        #expect(error?.problems.map(\.offset) == [offset])
    }

    @Test("a pattern known only at run time costs as much each time, and a search what its matcher says")
    func patternCosts() throws {
        let engine = LiteralRegexEngine()
        let text = Value.string(String(repeating: "a", count: 8_000))
        func outcome(_ source: String, cost: Int) throws -> String {
            let program = try Program(
                source,
                variables: [Variable("value")],
                options: Options(cost: cost, regex: engine)
            )
            do throws(EvaluationError) { return describe(try program.evaluate(text)) } catch {
                return error.code.rawValue
            }
        }
        #expect(try outcome("value.matches('b')", cost: 990) == "expr_cost")
        #expect(try outcome("value.matches('b')", cost: 1_010) == "false")
        #expect(try outcome("'x'.matches(value.substring(0, 2))", cost: 300) == "expr_cost")
        #expect(try outcome("['x', 'x'].exists(x, x.matches(value.substring(0, 2)))", cost: 3_000) == "false")
        #expect(try outcome("['x', 'x'].exists(x, x.matches(value))", cost: 60_000) == "expr_cost")
    }

    @Test("what is too costly or too large to be folded has its value all the same")
    func foldingInVain() {
        #expect(outcome("lists.range(100).map(x, 'aaaaaaaaaa').join().size()") == "int 1000")
        #expect(outcome("lists.range(600).map(x, x * 2).size()") == "int 600")
        #expect(outcome("cel.bind(a, lists.range(300), a + a + a + a).size()") == "int 1200")
        #expect(outcome("[1 / 0]") == "error expr_divide")
        #expect(outcome("[1 / 0].size()") == "error expr_divide")
    }

    @Test("what is folded saves its units; what comes out is not much larger than the text")
    func foldingWithinBounds() throws {
        func units(_ text: String) throws -> Int {
            var spent = 0
            _ = try Program(text, variables: [Variable("value")]).evaluate(1, spent: &spent)
            return spent
        }
        #expect(try units("lists.range(50).size() + value") == units("50 + value"))
        #expect(try units("lists.range(500)[value]") > 500)
        let list = Array(repeating: "1", count: 200).joined(separator: ",")
        let listUnits = try units("[\(list)][value]")
        #expect(listUnits < 20, "\(listUnits)")
        let dear = "value + lists.range(80).size() + "
        let many = try units(String(repeating: dear, count: 120) + "value")
        #expect(many > 120 && many < 120 * 80 / 2, "the first 10,000 units are spent beforehand: \(many)")
    }

    @Test("folding changes no result")
    func folding() throws {
        let table = [
            ("value || 1/0 == 1", "true", "error expr_divide"), ("false && value", "false", "false"),
            ("true ? value : 1/0 == 1", "true", "false"), ("1/0 == 1 || value", "true", "error expr_divide"),
            ("[1, 2].map(x, x + 1).exists(y, y > 2) && value", "true", "false"),
            ("cel.bind(x, 2 * 3, x == 6 && value)", "true", "false"),
            ("{'a': 1 + 1}.a == 2 ? value : !value", "true", "false"),
            ("[value, 1/0 == 1].exists(x, x)", "error expr_divide", "error expr_divide"),
        ]
        for (source, whenTrue, whenFalse) in table {
            #expect(outcome(source, ["value": true]) == whenTrue, "\(source)")
            #expect(outcome(source, ["value": false]) == whenFalse, "\(source)")
        }
    }
}
