import Definitions
import Testing
import Values

@Suite("Expressions that can only fail with what a node takes are found when a definition is read")
struct KnownTypeTests {
    private func problems(_ nodes: String, also: String = "") throws -> [String] {
        let declared = #"""
            "on": {"set": "boolean"}, "n": {"set": {"type": "number"}}, "i": {"set": "integer"},
            "s": {"set": "string"}, "o": {"set": "object"}, "l": {"set": "array"}, "any": {"set": "any"}
            """#
        let text = #"{"graph": "g", "nodes": {\#(declared), \#(nodes)}\#(also)}"#
        return try GraphDefinition.read(Document.parse(json: text), file: nil).problems.map(\.message)
    }

    private func pipe(_ node: String, _ stages: String...) throws -> [String] {
        try problems(#""x": {"from": "\#(node)", "pipe": [\#(stages.joined(separator: ", "))]}"#)
    }

    private func map(_ text: String) -> String { #"{"map": "\#(text)"}"# }

    @Test(
        "the type that is declared is used",
        arguments: [
            ("on", "value > 'on'", "'>' does not take (bool, string)"),
            ("n", "value && true", "'&&' takes bools, and this is of type int"),
            ("i", "value == 'on'", "'==' does not take (int, string)"),
            ("s", "value * 2", "'*' does not take (string, int)"),
            ("o", "value + 1", "'+' does not take (map(string, dyn), int)"),
            ("l", "value.first", "a value of type list(dyn) has no fields"),
        ]
    )
    func declared(_ node: String, _ expression: String, _ message: String) throws {
        #expect(try pipe(node, map(expression)) == [message])
    }

    @Test(
        "what may be right is not refused",
        arguments: [
            ("on", "value == true"), ("on", "value ? 1 : 0"), ("on", "value == null"),
            ("on", "string(value)"),
            ("n", "{value: 'a'}"), ("n", "[1, 2][value]"), ("n", "value % 2 == 0.5"),
            ("n", "lists.range(value)"),
            ("n", "math.round(value * 9 / 5 + 32.5)"), ("n", "timestamp(value)"), ("n", "value in [1, 2.5]"),
            ("n", "math.isNaN(value)"), ("n", "math.greatest(value, 1.5)"), ("s", "int(value) + 1"),
            ("s", "size(value)"),
            ("o", "value.a > 1 || value['b']"), ("o", "has(value.a)"),
            ("l", "value[0] > 1 && value[1] == 'a'"),
            ("any", "value > 'on'"), ("any", "value && true"),
        ]
    )
    func right(_ node: String, _ expression: String) throws {
        #expect(try pipe(node, map(expression)) == [])
    }

    @Test("a type goes on to the nodes that come after it in the file")
    func nodes() throws {
        let warm = #""warm": {"from": "n", "pipe": [{"map": "value > 20"}]}"#
        let wrong = #""x": {"from": "warm", "pipe": [{"map": "value + 1"}]}"#
        #expect(try problems("\(warm), \(wrong)").count == 1)
        // Its type is not known yet.
        #expect(try problems("\(wrong), \(warm)") == [])
        // A link may bring another one.
        #expect(try problems("\(warm), \(wrong)", also: #", "links": [{"from": "s", "to": "warm"}]"#) == [])
    }

    @Test("a type continues through stages that pass values, and from one map to the next")
    func stages() throws {
        #expect(try pipe("on", #""distinct""#, #"{"debounce": "1s"}"#, map("value > 1")).count == 1)
        #expect(try pipe("n", map("value > 20"), #"{"filter": "value == 'warm'"}"#).count == 1)
        #expect(try pipe("n", map("value * 1.5"), map("{value: 1}")) == [])
        #expect(try pipe("on", #"{"scan": {"start": 0, "with": "acc + 1"}}"#, map("value + 1")) == [])
        #expect(try pipe("n", map("timestamp(value)"), map("value.startsWith('2026')")) == [])
    }

    /// Uses of every operator, with the type that is known of what they make; `dyn` if none is.
    private static let results: [(operator: String, uses: [(node: String, type: String)])] = [
        (
            "map",
            [(of("n", #"{"map": "value > 1"}"#), "bool"), (of("n", #"{"map": "[value]"}"#), "list(dyn)")]
        ),
        ("replace", [(of("n", #"{"replace": "a"}"#), "string"), (of("n", #"{"replace": null}"#), "dyn")]),
        (
            "ifEmpty",
            [
                (of("n", #"{"ifEmpty": 0}"#), "int"), (of("n", #"{"ifEmpty": "none"}"#), "dyn"),
                (of("any", #"{"ifEmpty": 0}"#), "dyn"),
            ]
        ),
        ("filter", [(of("s", #"{"filter": "value != ''"}"#), "string")]),
        ("ignore", [(of("on", #"{"ignore": false}"#), "bool")]),
        ("select", [(of("any", #"{"select": "on"}"#), "string")]),
        ("ignoreNull", [(of("l", #""ignoreNull""#), "list(dyn)")]),
        (
            "distinct",
            [(of("o", #""distinct""#), "map(string, dyn)"), (of("n", #"{"distinct": "true"}"#), "int")]
        ),
        ("delta", [(of("any", #""delta""#), "int")]),
        ("skip", [(of("n", #"{"skip": 1}"#), "int")]),
        ("take", [(of("n", #"{"take": 1}"#), "int")]),
        ("prefix", [(of("n", #"{"prefix": 1}"#), "int")]),
        (
            "scan",
            [
                (of("n", #"{"scan": {"start": null, "with": "string(acc) + 'a'"}}"#), "string"),
                (of("n", #"{"scan": {"start": 0, "with": "acc"}}"#), "dyn"),
            ]
        ),
        (
            "window",
            ["avg", "sum", "min", "max", "count", "rate", "p50", "p95", "p99"].map {
                (window("any", $0), "int")
            }
                + [(window("s", "first"), "string"), (window("s", "last"), "string")]
                + [(window("s", "list"), "list(string)"), (window("any", "list"), "list(dyn)")]
        ),
        ("debounce", [(of("n", #"{"debounce": "1s"}"#), "int"), (of("n", #"{"throttle": "1s"}"#), "int")]),
        ("sample", [(of("s", #"{"sample": "1s"}"#), "string")]),
        ("delay", [(of("s", #"{"delay": "1s"}"#), "string")]),
        ("from", [(#""from": "on""#, "bool"), (#""from": "any""#, "dyn")]),
        (
            "combine",
            [
                (#""combine": ["n", "i"]"#, "list(int)"), (#""combine": ["n", "s"]"#, "list(dyn)"),
                (#""combine": {"a": "n"}"#, "map(string, dyn)"),
                (#""combine": {"a": "n"}, "map": "a > 1""#, "bool"),
            ]
        ),
        (
            "all",
            ["sum", "avg", "min", "max", "count"].map { (#""all": "i*", "reduce": "\#($0)""#, "int") }
                + ["any", "all"].map { (#""all": "i*", "reduce": "\#($0)""#, "bool") }
                + [
                    (#""all": "i*", "reduce": "list""#, "list(dyn)"),
                    (#""all": "i*", "reduce": "object""#, "map(string, dyn)"),
                    (#""all": "i*", "reduce": "sum", "map": "string(value)""#, "string"),
                ]
        ),
        ("merge", [(#""merge": ["n", "i"]"#, "int"), (#""merge": ["n", "s"]"#, "dyn")]),
        (
            "flatten",
            [
                (#""flatten": {"from": "s", "to": {"a": "n"}, "otherwise": "i"}"#, "int"),
                (#""flatten": {"from": "s", "to": {"a": "n", "b": "s"}}"#, "dyn"),
            ]
        ),
        ("zip", [(#""zip": ["n", "i"]"#, "list(int)"), (#""zip": ["n"], "map": "value[0] > 1""#, "bool")]),
        ("switch", [(#""switch": {"from": "s", "by": "value"}"#, "map(string, dyn)")]),
        ("case", [(#""case": {"of": "o", "key": 1}"#, "dyn")]),
        ("default", [(#""default": {"of": "o"}"#, "dyn")]),
        ("otherwise", [(#""otherwise": {"of": "o", "excluding": [1]}"#, "dyn")]),
        ("if", [(#""if": {"from": "n", "when": "value > 1", "then": "t"}"#, "map(string, dyn)")]),
        ("schedule", [(#""schedule": "0 22 * * *""#, "string")]),
        ("between", [(#""between": ["22:00", "06:00"]"#, "bool")]),
    ]

    private static func of(_ node: String, _ stage: String) -> String {
        #""from": "\#(node)", "pipe": [\#(stage)]"#
    }

    private static func window(_ node: String, _ figure: String) -> String {
        of(node, #"{"window": {"count": 3, "of": "\#(figure)"}}"#)
    }

    @Test("the row of every operator says what it makes")
    func operators() throws {
        let words = Catalogue.standard.all.filter { $0.isStage || $0.isSource }.map(\.name)
        #expect(Self.results.map(\.operator).sorted() == words.sorted())
        // Nothing is a map of this kind, and the message names what the other side is.
        let probe = map("value == {1: 2}")
        for (node, type) in Self.results.flatMap(\.uses) {
            let text =
                node.hasSuffix("]") && node.contains(#""pipe": ["#)
                ? "\(node.dropLast()), \(probe)]" : #"\#(node), "pipe": [\#(probe)]"#
            let found = try problems(#""x": {\#(text)}"#)
            let expected = type == "dyn" ? [] : ["'==' does not take (\(type), map(int, int))"]
            #expect(found == expected, "\(node)")
        }
    }

    @Test("a type error is found behind a stage that makes values of its own")
    func behindStages() throws {
        let stages = [
            #""delta""#, #"{"window": {"last": "1m", "of": "avg"}}"#, #"{"ifEmpty": 0}"#, #"{"replace": 1}"#,
            #"{"sample": "1s"}"#, #"{"skip": 1}"#,
        ]
        for stage in stages {
            #expect(try pipe("n", stage, map("value.startsWith('a')")).count == 1, "\(stage)")
            #expect(try pipe("n", stage, map("value * 2 + 0.5")) == [], "\(stage)")
        }
    }

    @Test("the expression of a join sees what it joins")
    func joins() throws {
        #expect(
            try problems(#""x": {"all": "i*", "reduce": "avg", "map": "value.startsWith('a')"}"#).count == 1
        )
        #expect(try problems(#""x": {"all": "i*", "reduce": "list", "map": "value[0].a"}"#) == [])
        #expect(try problems(#""x": {"zip": ["n", "i"], "map": "value[0] + 'a'"}"#).count == 1)
        #expect(try problems(#""x": {"combine": ["n", "i"], "map": "value + ['a']"}"#) == [])
        #expect(try problems(#""x": {"combine": ["n", "s"], "map": "value[0] + 'a'"}"#) == [])
    }

    @Test(
        "what may be right is not refused of a list of known values either",
        arguments: ["value[?2].orValue(null)", "value.first().orValue('none')", "null in value"]
    )
    func listed(_ expression: String) throws {
        #expect(try pipe("n", #"{"window": {"count": 3, "of": "list"}}"#, map(expression)) == [])
        for join in ["combine", "zip"] {
            #expect(try problems(#""x": {"\#(join)": ["n", "i"], "map": "\#(expression)"}"#) == [])
        }
    }

    @Test("nothing is known of what comes over a link, whatever the one before made")
    func links() throws {
        let links =
            #", "links": [{"from": "n", "to": "any", "pipe": [{"map": "true"}]}, "#
            + #"{"from": "n", "to": "any", "pipe": [{"map": "value + 1"}]}]"#
        #expect(try problems(#""x": {"from": "n"}"#, also: links) == [])
    }

    @Test("sources with an expression know the nodes they name")
    func sources() throws {
        #expect(try problems(#""x": {"combine": {"a": "on", "b": "n"}, "map": "a > b"}"#).count == 1)
        #expect(try problems(#""x": {"combine": {"a": "on", "b": "n"}, "map": "a ? b : 0"}"#) == [])
        #expect(try problems(#""x": {"if": {"from": "s", "when": "value > 5"}}"#).count >= 1)
        #expect(try problems(#""x": {"switch": {"from": "n", "by": "value + 'a'"}}"#).count == 1)
    }

    @Test("a node that a link or a sync leads to may hold anything")
    func tied() throws {
        let nodes = #""x": {"from": "on", "pipe": [{"map": "value > 'on'"}]}"#
        #expect(try problems(nodes, also: #", "sync": [{"a": "on", "b": "any"}]"#) == [])
        #expect(try problems(nodes).count == 1)
    }

    @Test("a node without a source knows nothing of the node before it")
    func sourceless() throws {
        let nodes = #""x": {"from": "on"}, "y": {"froom": "n", "pipe": [{"map": "value + 'a'"}]}"#
        #expect(try problems(nodes).allSatisfy { !$0.contains("take") })
    }

    @Test("the hint says what is known")
    func hint() throws {
        let text =
            #"{"graph": "g", "nodes": {"on": {"set": "boolean"}, "x": {"from": "on", "pipe": [{"map": "value > 'on'"}]}}}"#
        let found = try GraphDefinition.read(Document.parse(json: text), file: nil).problems
        #expect(found.map(\.hint) == ["value is a boolean"] && found.map(\.code.rawValue) == ["expr_type"])
    }
}
