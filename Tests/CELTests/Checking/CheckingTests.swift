import CEL
import Testing

@Suite("What can be known to fail is found before anything is evaluated")
struct CheckingTests {
    private func problems(_ source: String, _ names: [String] = ["value", "outside"]) -> [ExpressionProblem] {
        do throws(CompileError) {
            _ = try Program(source, variables: names.map { Variable($0) })
            return []
        } catch {
            return error.problems
        }
    }

    @Test("all problems are reported at once, in the order of their places")
    func all() {
        let found = problems("foo + siz('a') + 'x' * 2 + bar")
        #expect(found.map(\.offset) == [0, 6, 21, 27])
        #expect(found.map(\.code.rawValue) == ["expr_type", "expr_type", "expr_type", "expr_type"])
    }

    @Test(
        "near names are suggested",
        arguments: [
            ("valeu + 1", "did you mean 'value'?"), ("ouside", "did you mean 'outside'?"),
            ("siez(value)", "did you mean 'size'?"), ("math.rond(value)", "did you mean 'math.round'?"),
            ("value.startWith('a')", "did you mean 'startsWith'?"), ("xyz", "known here: value, outside"),
        ]
    )
    func suggestions(_ source: String, _ hint: String) {
        #expect(problems(source).first?.hint == hint)
    }

    @Test(
        "what is written otherwise in other languages is named",
        arguments: [
            ("mean(value)", "'mean' is written 'avg' here"),
            ("math.max(value, 1)", "'math.max' is written 'math.greatest' here"),
            ("value.length()", "'length' is written 'size' here"),
            ("value > 1 and value < 2", "for 'and' write '&&'"),
            ("value > 1 OR value < 0", "for 'or' write '||'"),
            ("not value", "for 'not' write '!'"),
            ("value not in [1]", "for 'not' write '!', as in !(a in b)"),
            ("'a' if value else 'b'", "a choice is written: CONDITION ? A : B"),
            ("if value then 1 else 2", "a choice is written: CONDITION ? A : B"),
            ("if(value, 1, 2)", "a choice is written: CONDITION ? A : B"),
            ("value = 1", "for equality write '=='"),
            ("value <> 1", "for 'is not equal' write '!='"), ("value === 1", "for equality write '=='"),
            ("value & 1", "for 'and' write '&&'"), ("True", "'True' is written 'true' here"),
            ("value == None", "'None' is written 'null' here"),
        ]
    )
    func otherLanguages(_ source: String, _ hint: String) {
        #expect(problems(source).first?.hint?.hasPrefix(hint) == true, "\(problems(source))")
    }

    @Test(
        "the number of arguments is checked",
        arguments: [
            ("size()", "'size' takes 1 argument, not 0"),
            ("size(value, value)", "'size' takes 1 argument, not 2"),
            ("value.contains()", "'contains' takes 1 argument, not 0"),
            ("clamp(1)", "'clamp' takes 3 arguments, not 1"),
            ("value.substring()", "'substring' takes 1 or 2 arguments, not 0"),
            ("math.greatest()", "'math.greatest' takes 1 or more arguments, not 0"),
            ("contains('a', 'b')", "'contains' is a method, not a function"),
            ("value.timestamp()", "'timestamp' is a function, not a method"),
        ]
    )
    func arity(_ source: String, _ message: String) {
        #expect(problems(source).first?.message == message)
    }

    @Test(
        "types that do not go together",
        arguments: [
            "'a' + 1", "1 == 'a'", "true < 1", "[1] < [2]", "!1", "-'a'", "1 ? 2 : 3", "1 && true",
            "'a' || true",
            "{'a': 1} + {'b': 2}", "'abc'[0]", "1.a", "1 in 1", "null in {'a': 1}", "size(1)",
            "'a'.contains(1)",
            "1.all(x, true)",
            "[1].all(x, x)", "[1].filter(x, 'a')", "duration('1s') * 2", "timestamp(0) + timestamp(0)",
            "timestamp(0) == duration('1s')", "int([])", "string([])", "[1]['a']", "{'a': 1}[1]",
            "optional.of(1) + 1",
            "[?1]", "1.optMap(x, x)", "lists.range('a')", "base64.encode('a')",
        ]
    )
    func mismatches(_ source: String) {
        #expect(problems(source).first?.code == .type, "\(source)")
    }

    @Test(
        "macros need plain names",
        arguments: [
            "[1].all(1, true)", "[1].all(x.y, true)", "[1].map(.x, 1)", "has(1)", "has(value)",
            "has(value['a'])",
            "cel.bind(1, 2, 3)", "[1].transformList(a, a, a)",
        ]
    )
    func macroShapes(_ source: String) {
        #expect(problems(source).first?.code == .syntax, "\(source)")
    }

    @Test(
        "strictly, numbers do not mix and additions do not exist",
        arguments: [
            "1 + 1.0", "1u + 1", "1 == 1.0", "1 < 1.0", "1 in [1.0]", "5.0 % 2.0", "true ? 1 : 'a'",
            "math.round(1)",
            "round(1.5)", "clamp(1, 2, 3)", "sum([1])", "avg([1.0])", "1 == null", "[1] + ['a']",
            "'abc'.charAt(1.0)", "[1][?2].orValue(null)", "[1].first().orValue('none')",
            "[1].first().or(optional.of('a'))", "null in [1]", "1 in [null]",
        ]
    )
    func strictness(_ source: String) {
        #expect(outcome(source, strict: true) == "invalid expr_type", "\(source)")
        #expect(!outcome(source).hasPrefix("invalid"), "\(source)")
    }

    @Test(
        "the result's type is known as far as it can be",
        arguments: [
            ("1 + 2", "int"), ("value + 1.5", "double"), ("value + 1", "dyn"), ("value > 1", "bool"),
            ("[1, 2]", "list(int)"),
            ("[1, 'a']", "list(dyn)"), ("{'a': 1.0}", "map(string, double)"), ("value.a", "dyn"),
            ("size(value)", "int"),
            ("[1].map(x, string(x))", "list(string)"), ("true ? 1 : 'a'", "dyn"),
            ("optional.of('a')", "optional(string)"),
            ("{'a': 1}.?a.orValue('b')", "dyn"),
            ("{'a': 1}.?a.orValue(2)", "int"), ("[1, 2][0]", "int"), ("math.greatest(1, 2)", "int"),
            ("duration('1s') + timestamp(0)", "timestamp"), ("[[1]].map(x, x[0] > 1)", "list(bool)"),
        ]
    )
    func types(_ source: String, _ type: String) throws {
        #expect(try Program(source, variables: [Variable("value")]).resultType.description == type)
    }

    @Test("declared types are used")
    func declared() throws {
        let variables = [Variable("n", type: .double), Variable("s", type: .string)]
        #expect(try Program("n * 2", variables: variables).resultType == .double)
        #expect(throws: CompileError.self) { try Program("n + s", variables: variables) }
    }

    @Test("names are looked up within the container, then outwards")
    func container() throws {
        let variables = [Variable("a.b.x"), Variable("a.y"), Variable("x"), Variable("y")]
        func value(_ source: String) throws -> String {
            let program = try Program(source, variables: variables, options: Options(container: "a.b"))
            return describe(try program.evaluate(["abx", "ay", "x", "y"]))
        }
        #expect(try value("x") == "string \"abx\"")
        #expect(try value("y") == "string \"ay\"")
        #expect(try value(".x") == "string \"x\"")
        #expect(try value("a.y") == "string \"ay\"")
        #expect(try value("[1].map(x, x)[0]") == "int 1")
    }

    @Test(
        "messages never contain the values that were computed with",
        arguments: [
            "{'k': 1}[value]", "int(value)", "timestamp(value)", "value + 1", "[1][size(value)]", "-value",
            "value.a",
        ]
    )
    func messages(_ source: String) throws {
        let program = try Program(source, variables: [Variable("value")])
        let error = #expect(throws: EvaluationError.self) { try program.evaluate("secret") }
        #expect(error?.message.contains("secret") == false)
    }
}

@Suite("Unchecked, what does not go together fails when it is met")
struct UncheckedTests {
    @Test(
        "failures at run time",
        arguments: [
            ("1 == 1.0", "true"), ("x || true", "true"), ("f(1) || true", "true"), ("'a' && false", "false"),
            ("true ? 'a' : 1", "\"a\""), ("[1] == ['a']", "false"), ("x", "expr_type"), ("f(1)", "expr_type"),
            ("1 + 'a'", "expr_type"), ("'a'.size(1, 2)", "expr_type"), ("[1].all(v, v)", "expr_type"),
            ("has(1.a)", "expr_type"), ("1 +", "expr_syntax"), ("[1].all(1, true)", "expr_syntax"),
        ]
    )
    func outcomes(_ source: String, _ expected: String) {
        var options = Options(strict: true)
        options.checksTypes = false
        let found: String
        do throws(CompileError) {
            let program = try Program(source, options: options)
            do throws(EvaluationError) {
                let value = try program.evaluate()
                if case .string(let text) = value { found = "\"\(text)\"" } else { found = describe(value) }
            } catch {
                found = error.code.rawValue
            }
        } catch {
            found = error.problems[0].code.rawValue
        }
        #expect(found == expected, "\(source)")
    }
}
