import Testing
import Values

@testable import Definitions

@Suite("A schema on a node that is set")
struct JSONSchemaTests {
    /// The complaints about some values by one schema; an empty text where it passes.
    private func complaints(_ schema: String, _ values: [String]) throws -> [String] {
        let text = #"{"graph":"g","nodes":{"x":{"set":"any","schema":\#(schema)}}}"#
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        try #require(problems.isEmpty, "\(problems)")
        guard case .mutable(let rules)? = definition?["x"]?.kind else { return ["no node"] }
        return try values.map { rules.check.complaint(about: try Datum.parse($0)) ?? "" }
    }

    struct Case: CustomTestStringConvertible {
        let schema: String
        let values: [(value: String, complaint: String)]

        init(_ schema: String, _ values: [(String, String)]) {
            self.schema = schema
            self.values = values.map { (value: $0.0, complaint: $0.1) }
        }

        var testDescription: String { schema }
    }

    static let cases: [Case] = [
        Case("true", [("1", "")]), Case("false", [("1", "is not allowed")]), Case("{}", [("null", "")]),
        Case(
            #"{"type":"integer"}"#,
            [
                ("1", ""), ("1.0", ""), ("1e2", ""), ("1.5", "must be a whole number"),
                (#""1""#, "must be a whole number"),
            ]
        ),
        Case(
            #"{"type":["null","string"]}"#,
            [
                ("null", ""), (#""a""#, ""), ("1", "must be null or a string"),
                ("[]", "must be null or a string"),
            ]
        ),
        Case(#"{"type":"number"}"#, [("1.5", ""), ("true", "must be a number")]),
        Case(#"{"type":"boolean"}"#, [("false", ""), ("0", "must be a boolean")]),
        Case(#"{"type":"object"}"#, [("{}", ""), ("[]", "must be an object")]),
        Case(#"{"type":"array"}"#, [("[]", ""), ("{}", "must be an array")]),
        Case(
            #"{"enum":[1,"a",{"b":[2]}]}"#,
            [("1.0", ""), (#"{"b":[2e0]}"#, ""), ("2", #"must be one of 1, "a", {"b":[2]}"#)]
        ),
        Case(#"{"const":[1]}"#, [("[1]", ""), ("1", "must be one of [1]")]),
        Case(
            #"{"minimum":1,"maximum":3}"#,
            [
                ("1", ""), ("3", ""), ("0.9", "must be at least 1"), ("3.1", "must be at most 3"),
                (#""a""#, ""),
            ]
        ),
        Case(
            #"{"exclusiveMinimum":1,"exclusiveMaximum":3}"#,
            [("2", ""), ("1", "must be above 1"), ("3", "must be below 3")]
        ),
        Case(
            #"{"minLength":1,"maxLength":2}"#,
            [
                (#""🙂🙂""#, ""), (#""""#, "must have at least 1 characters"),
                (#""abc""#, "must have at most 2 characters"), ("7", ""),
            ]
        ),
        Case(
            #"{"items":{"type":"number"},"minItems":1,"maxItems":2}"#,
            [
                ("[1]", ""), (#"[1,"a"]"#, "must be a number at /1"), ("[]", "must have at least 1 elements"),
                ("[1,2,3]", "must have at most 2 elements"),
            ]
        ),
        Case(
            #"{"prefixItems":[{"const":1}],"items":{"const":2}}"#,
            [
                ("[1,2,2]", ""), ("[]", ""), ("[2]", "must be one of 1 at /0"),
                ("[1,1]", "must be one of 2 at /1"),
            ]
        ),
        Case(
            #"{"properties":{"a":{"type":"number"},"b/c":{"minimum":0}},"required":["a"]}"#,
            [
                (#"{"a":1,"z":2}"#, ""), (#"{"\u0061":1}"#, ""), (#"{"a":"x"}"#, "must be a number at /a"),
                ("{}", "must have 'a'"),
                (#"{"a":1,"b/c":-1}"#, "must be at least 0 at /b~1c"), ("7", ""),
            ]
        ),
        Case(
            #"{"properties":{"a":true},"additionalProperties":false}"#,
            [(#"{"a":1}"#, ""), (#"{"secret":1}"#, "must not have members other than those of the schema")]
        ),
        Case(
            #"{"additionalProperties":{"type":"number"}}"#,
            [(#"{"a":1}"#, ""), (#"{"secret":"x"}"#, "must be a number at /*")]
        ),
        Case(
            #"{"minProperties":1,"maxProperties":1}"#,
            [
                (#"{"a":1}"#, ""), ("{}", "must have at least 1 members"),
                (#"{"a":1,"b":1}"#, "must have at most 1 members"),
            ]
        ),
        Case(
            #"{"allOf":[{"minimum":1},{"maximum":2}]}"#,
            [("1", ""), ("0", "must be at least 1"), ("3", "must be at most 2")]
        ),
        Case(
            #"{"anyOf":[{"type":"string"},{"minimum":2}]}"#,
            [("2", ""), (#""a""#, ""), ("1", "must match one of the 2 schemas of anyOf")]
        ),
        Case(
            #"{"oneOf":[{"minimum":1},{"minimum":2}]}"#,
            [
                ("1", ""), ("2", "must match exactly one of the 2 schemas of oneOf"),
                ("0", "must match exactly one of the 2 schemas of oneOf"),
            ]
        ),
        Case(#"{"not":{"type":"string"}}"#, [("1", ""), (#""a""#, "must not match the schema of 'not'")]),
        Case(
            #"{"items":{"properties":{"n":{"items":{"maximum":1}}}}}"#,
            [(#"[{"n":[0,1]},{"n":[1,2]}]"#, "must be at most 1 at /1/n/1")]
        ),
        Case(
            #"{"title":"t","description":"d","default":1,"examples":[1],"$comment":"c","type":"number"}"#,
            [("1", "")]
        ),
    ]

    @Test("each keyword", arguments: cases)
    func keywords(_ test: Case) throws {
        #expect(try complaints(test.schema, test.values.map(\.value)) == test.values.map(\.complaint))
    }

    @Test(
        "problems of a schema are reported at their places, all at once",
        arguments: [
            (#"¦7"#, ["a schema must be a mapping, not a number"]),
            (
                #"{¦"tpye": 1, ¦"$ref": "x", "items": {¦"format": "a"}}"#,
                [
                    "'tpye' is not a supported keyword of JSON Schema (did you mean 'type'?)",
                    "'$ref' is not a supported keyword of JSON Schema",
                    "'format' is not a supported keyword of JSON Schema",
                ]
            ),
            (
                #"{"type": ¦"int"}"#,
                ["type must be one of null, boolean, object, array, number, string, integer"]
            ),
            (
                #"{"minimum": ¦"a", "minLength": ¦-1}"#,
                ["minimum must be a number", "minLength must be a whole number of at least 0"]
            ),
            (#"{"minItems": 2, "maxItems": ¦1}"#, ["maxItems is below minItems: no value could be set"]),
            (
                #"{"enum": ¦[], "anyOf": ¦[], "required": ¦"a"}"#,
                [
                    "enum must be a list of values", "anyOf must be a list of schemas",
                    "required must be a list of names, not a string",
                ]
            ),
            (
                #"{"pattern": ¦"a"}"#,
                ["'pattern' needs a regular expression engine, which this server does not have"]
            ),
            (#"{"properties": ¦[1]}"#, ["properties must be a mapping, not a list"]),
        ]
    )
    func problems(_ schema: String, _ messages: [String]) throws {
        let marked = Marked(#"{"graph":"g","nodes":{"x":{"set":"any","schema":\#(schema)}}}"#)
        let found = try marked.found()
        let expected = marked.expected(messages)
        #expect(
            found.count == expected.count && zip(found, expected).allSatisfy { $0.hasPrefix($1) },
            "\(found)"
        )
    }

    @Test("a schema judges initial values, and is for nodes that are set")
    func beside() throws {
        let initial = Marked(
            #"{"graph":"g","nodes":{"x":{"set":"any","schema":{"type":"null"},"initial":¦1}}}"#
        )
        #expect(try initial.found() == initial.expected(["the initial value must be null"]))
        let derived = Marked(#"{"graph":"g","nodes":{"x":{"set":"any"},"d":{"from":"x",¦"schema":{}}}}"#)
        #expect(try derived.found() == derived.expected(["'schema' is for nodes that are set"]))
    }

    @Test("a schema as deep as documents may be, on a value as deep, needs little stack")
    func deep() throws {
        let schema = String(repeating: #"{"items":"#, count: 50) + "true" + String(repeating: "}", count: 50)
        let value = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        #expect(try complaints(schema, [value]) == [""])
    }

    /// A schema of many parts, the last of which lets numbers pass, and a value of many: each part
    /// looks at each.
    private static let dear = (
        schema:
            #"{"items":{"anyOf":[\#(String(repeating: #"{"type":"null"},"#, count: 500)){"type":"number"}]}}"#,
        value: "[\(Array(repeating: "1", count: 10_000).joined(separator: ","))]"
    )

    @Test(
        "what takes too long is refused before it does, whatever the schema says: a walk that is broken off has found nothing",
        arguments: [
            "%", #"{"not":%}"#, #"{"oneOf":[%,true]}"#, #"{"anyOf":[%,true]}"#, #"{"allOf":[%,true]}"#,
            #"{"items":{"type":"number"}}"#,
        ]
    )
    func budget(_ form: String) throws {
        let schema = form.replacing("%", with: Self.dear.schema)
        let text = #"{"graph":"g","nodes":{"x":{"set":"any","schema":\#(schema)}}}"#
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        guard case .mutable(let rules)? = definition?["x"]?.kind else {
            Issue.record("\(problems)")
            return
        }
        var budget = CheckBudget(10_000)
        let complaint = rules.check.complaint(about: try Datum.parse(Self.dear.value), within: &budget)
        #expect(complaint == CheckBudget.complaint)
        // What goes beyond it is one look at the whole value.
        #expect(budget.spent < 10_000 + 3_000)
    }

    @Test("branches that do not match make no texts, and an ordinary choice of kinds costs little")
    func branches() throws {
        func spent(_ schema: String, _ value: String) throws -> (complaint: String?, units: Int) {
            let text = #"{"graph":"g","nodes":{"x":{"set":"any","schema":\#(schema)}}}"#
            let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
            guard case .mutable(let rules)? = definition?["x"]?.kind else {
                Issue.record("\(problems)")
                return (nil, 0)
            }
            var budget = CheckBudget()
            return (rules.check.complaint(about: try Datum.parse(value), within: &budget), budget.spent)
        }
        let kinds = ["a", "b", "c", "d"].map {
            #"{"required":["kind","v"],"properties":{"kind":{"const":"\#($0)"},"v":{"type":"number"}}}"#
        }
        let schema = #"{"items":{"oneOf":[\#(kinds.joined(separator: ","))]}}"#
        let objects = (0..<4_000).map { #"{"kind":"\#(["a", "b", "c", "d"][$0 % 4])","v":\#($0)}"# }
        let all = try spent(schema, "[\(objects.joined(separator: ","))]")
        #expect(all.complaint == nil && all.units < 1_000_000)
        #expect(
            try spent(schema, #"[{"kind":"a","v":1},{"kind":"e","v":1}]"#).complaint
                == "must match exactly one of the 4 schemas of oneOf at /1"
        )
        // A flaw outside of the branches is explained.
        let mixed = #"{"allOf":[{"anyOf":[{"const":1},true]},{"items":{"minimum":3}}]}"#
        #expect(try spent(mixed, "[2]").complaint == "must be at least 3 at /0")
    }

    @Test("the allowed values of a definition share a budget")
    func allowedBudget() throws {
        let values = (0..<10_000).map { "\($0)" }.joined(separator: ",")
        let schema = #"{"anyOf":[\#(String(repeating: #"{"type":"null"},"#, count: 2_000))false]}"#
        let text = #"{"graph":"g","nodes":{"x":{"set":{"enum":[\#(values)]},"schema":\#(schema)}}}"#
        let (_, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        let others = problems.last.flatMap { Int($0.message.prefix { $0.isNumber }) }
        #expect(try #require(others) < 1_400, "the last of them says that the budget is used up")
    }
}
