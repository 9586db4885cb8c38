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

    @Test("a type continues through stages that pass values, and from one map to the next")
    func stages() throws {
        #expect(try pipe("on", #""distinct""#, #"{"debounce": "1s"}"#, map("value > 1")).count == 1)
        #expect(try pipe("n", map("value > 20"), #"{"filter": "value == 'warm'"}"#).count == 1)
        #expect(try pipe("n", map("value * 1.5"), map("{value: 1}")) == [])
        #expect(try pipe("on", #"{"scan": {"start": 0, "with": "acc + 1"}}"#, map("value + 1")) == [])
        #expect(try pipe("n", map("timestamp(value)"), map("value.startsWith('2026')")) == [])
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

    @Test("the hint says what is known")
    func hint() throws {
        let text =
            #"{"graph": "g", "nodes": {"on": {"set": "boolean"}, "x": {"from": "on", "pipe": [{"map": "value > 'on'"}]}}}"#
        let found = try GraphDefinition.read(Document.parse(json: text), file: nil).problems
        #expect(found.map(\.hint) == ["value is a boolean"] && found.map(\.code.rawValue) == ["expr_type"])
    }
}
