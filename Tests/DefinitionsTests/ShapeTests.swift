import Definitions
import Testing
import Values

@Suite("What is known of the values of a node")
struct ShapeTests {
    /// The shape of the node `x`.
    private func shape(_ nodes: String, also: String = "") throws -> ValueShape? {
        let text = #"{"graph": "g", "nodes": {\#(nodes)}\#(also)}"#
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        try #require(problems.isEmpty, "\(problems)")
        let read = try #require(definition)
        return read["x"].map { read.shape(of: $0) }
    }

    @Test(
        "a type is its shape",
        arguments: [
            ("any", ValueShape.any), ("number", .number), ("integer", .integer), ("string", .string),
            ("boolean", .boolean), ("array", .array(of: .any)), ("object", .object([], others: .any)),
        ]
    )
    func types(_ word: String, _ expected: ValueShape) throws {
        #expect(try shape(#""x": {"set": "\#(word)"}"#) == expected)
    }

    @Test("of an enum the values are known, of a long one their types")
    func allowed() throws {
        let mode = try shape(#""x": {"set": {"enum": ["eco", 1, null]}}"#)
        #expect(mode == .either([.constant(.string("eco")), .constant(.number("1")), .constant(.null)]))
        #expect(try shape(#""x": {"set": {"enum": [true]}}"#) == .constant(.boolean(true)))
        let many = (0..<200).map { "\"v\($0)\"" }.joined(separator: ",")
        #expect(try shape(#""x": {"set": {"enum": [\#(many)]}}"#) == .string)
    }

    @Test("members of objects come in the order of the schema, with what they require")
    func objects() throws {
        let schema = #"""
            {"required": ["id"], "additionalProperties": false, "properties": {
                "id": {"type": "string"}, "paid": {"type": ["boolean", "null"]},
                "lines": {"type": "array", "items": {"type": "object", "required": ["n"]}}
            }}
            """#
        let line = ValueShape.object([.init(name: "n", shape: .any, isRequired: true)], others: .any)
        #expect(
            try shape(#""x": {"set": "object", "schema": \#(schema)}"#)
                == .object(
                    [
                        .init(name: "id", shape: .string, isRequired: true),
                        .init(name: "paid", shape: .either([.boolean, .null]), isRequired: false),
                        .init(name: "lines", shape: .array(of: line), isRequired: false),
                    ],
                    others: nil
                )
        )
    }

    @Test("a schema without a type says nothing about values of other types")
    func openSchemas() throws {
        #expect(try shape(#""x": {"set": "any", "schema": {"required": ["id"]}}"#) == .any)
        #expect(try shape(#""x": {"set": "any", "schema": {"minimum": 1}}"#) == .any)
        #expect(try shape(#""x": {"set": "any", "schema": {"type": "integer"}}"#) == .integer)
        let either = #"{"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "string"}]}"#
        #expect(try shape(#""x": {"set": "any", "schema": \#(either)}"#) == .either([.string, .integer]))
        #expect(try shape(#""x": {"set": "any", "schema": {"allOf": [{"type": "string"}]}}"#) == .string)
        let first = #"{"prefixItems": [{"type": "string"}], "items": {"type": "number"}}"#
        #expect(
            try shape(#""x": {"set": "array", "schema": \#(first)}"#)
                == .array(of: .either([.string, .number]))
        )
    }

    @Test(
        "the type of a derived node is that of its last stage, along all nodes before it",
        arguments: [
            (#"{"from": "n"}"#, ValueShape.number),
            (#"{"from": "n", "pipe": [{"map": "value > 1"}, "distinct"]}"#, .boolean),
            (#"{"from": "half"}"#, .number),
            (#"{"from": "half", "pipe": [{"map": "string(value)"}]}"#, .string),
            (#"{"merge": ["n", "half"]}"#, .number),
            (#"{"merge": ["n", "s"]}"#, .any),
            (#"{"combine": {"a": "n"}, "map": "{'a': a}"}"#, .object([], others: .any)),
            (#"{"from": "any", "pipe": [{"map": "value.a"}]}"#, .any),
        ]
    )
    func derived(_ node: String, _ expected: ValueShape) throws {
        let given = #"""
            "n": {"set": "number"}, "s": {"set": "string"}, "any": {"set": "any"},
            "half": {"from": "n", "pipe": [{"map": "value / 2"}]}
            """#
        #expect(try shape(#"\#(given), "x": \#(node)"#) == expected)
    }

    @Test("a link may bring a derived node any value")
    func links() throws {
        let nodes = #""n": {"set": "number"}, "s": {"set": "string"}, "x": {"from": "n"}"#
        #expect(try shape(nodes, also: #", "links": [{"from": "s", "to": "x"}]"#) == .any)
    }
}
