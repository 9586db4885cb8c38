import Definitions
import Testing
import Values

@Suite("Nodes that do not exist, inputs without a name, and circles")
struct ReferenceProblemTests {
    private func check(_ nodes: String, _ messages: [String]) throws {
        let marked = Marked(#"{"graph": "g", "nodes": {\#(nodes)}}"#)
        #expect(try marked.found() == marked.expected(messages))
    }

    @Test(
        "an unknown node is reported where it is named, with the name that was meant",
        arguments: [
            #""a": {"from": ¦"indor_c"}"#,
            #""a": {"combine": {"t": ¦"indor_c"}}"#,
            #""a": {"combine": ["indoor_c", ¦"indor_c"]}"#,
            #""a": {"merge": [¦"indor_c"]}"#,
            #""a": {"flatten": {"from": ¦"indor_c", "to": {"k": "indoor_c"}}}"#,
            #""a": {"flatten": {"from": "indoor_c", "to": {"k": ¦"indor_c"}}}"#,
            #""a": {"flatten": {"from": "indoor_c", "to": {"k": "indoor_c"}, "otherwise": ¦"indor_c"}}"#,
        ]
    )
    func unknown(_ nodes: String) throws {
        let known = #""indoor_c": {"set": "number"}, "#
        try check(known + nodes, ["there is no node 'indor_c' (did you mean 'indoor_c'?)"])
        let marked = Marked(#"{"graph": "g", "nodes": {\#(known + nodes)}}"#)
        let problems = GraphDefinition.read(try Document.parse(json: marked.text), file: nil).problems
        #expect(problems.map(\.code) == [.unknownNode])
    }

    @Test("nothing is guessed where nothing is near")
    func noGuess() throws {
        try check(#""a": {"from": ¦"zebra"}"#, ["there is no node 'zebra'"])
    }

    @Test(
        "names that an expression cannot use",
        arguments: [
            ("in", "'in' is a reserved word; choose another name"),
            ("while", "'while' is a reserved word; choose another name"),
            ("true", "'true' is a reserved word; choose another name"),
            ("room.c", "letters, digits and '_' only"), ("a-b", "letters, digits and '_' only"),
            ("", "letters, digits and '_' only"), ("1a", "letters, digits and '_' only"),
        ]
    )
    func identifiers(_ name: String, _ hint: String) throws {
        try check(
            #""x": {"set": "any"}, "a": {"combine": {¦"\#(name)": "x"}, "map": "1"}"#,
            ["'\(name)' cannot be used as a name in an expression (\(hint))"]
        )
    }

    @Test(
        "inputs of the wrong form",
        arguments: [
            (#""a": {"from": ¦["x"]}"#, ["from must name a node, not a list"]),
            (#""a": {"from": ¦null}"#, ["from must name a node, not null"]),
            (#""a": {"combine": ¦7}"#, ["combine must be a list of nodes, not a number"]),
            (#""a": {"combine": ¦[]}"#, ["combine must name 1 to 1000 nodes"]),
            (#""a": {"combine": ¦{}}"#, ["combine must name 1 to 1000 nodes"]),
            (#""a": {"merge": ¦"x"}"#, ["merge must be a list of nodes, not a string"]),
            (#""a": {"merge": [¦{}]}"#, ["an element of merge must name a node, not a mapping"]),
            (#""a": {"flatten": ¦"x"}"#, ["flatten must be a mapping, not a string"]),

            (#""a": {"flatten": ¦{"to": {"k": "x"}}}"#, ["flatten needs 'from'"]),
            (#""a": {"flatten": {"from": "x", "to": ¦{}}}"#, ["'to' must name at least one node"]),
            (#""a": {"flatten": {"from": "x", "to": {"k": ¦1.5e3}}}"#, []),
            (
                #""a": {"flatten": {"from": "x", "to": {"k": "x"}, ¦"else": "x"}}"#,
                ["unknown key 'else' in flatten"]
            ),
        ]
    )
    func forms(_ nodes: String, _ messages: [String]) throws {
        // A number is read as the name it spells, and there is no such node.
        let messages = messages.isEmpty ? ["there is no node '1.5e3'"] : messages
        try check(#""x": {"set": "any"}, \#(nodes)"#, messages)
    }

    @Test(
        "a circle is reported once, at the reference that begins it",
        arguments: [
            (#""a": {"from": ¦"a"}"#, "a → a"),
            (#""a": {"from": ¦"b"}, "b": {"from": "a"}"#, "a → b → a"),
            (#""a": {"combine": {"n": "x", "m": ¦"b"}}, "b": {"from": "a"}"#, "a → b → a"),
            (#""a": {"combine": ["x", ¦"b"]}, "b": {"from": "c"}, "c": {"from": "a"}"#, "a → b → c → a"),
            (#""a": {"merge": ["x", ¦"b"]}, "b": {"merge": ["a", "x"]}"#, "a → b → a"),
            (#""a": {"flatten": {"from": ¦"b", "to": {"k": "x"}}}, "b": {"from": "a"}"#, "a → b → a"),
            (#""a": {"flatten": {"from": "x", "to": {"k": ¦"b"}}}, "b": {"from": "a"}"#, "a → b → a"),
            (
                #""a": {"flatten": {"from": "x", "to": {"k": "x"}, "otherwise": ¦"b"}}, "b": {"from": "a"}"#,
                "a → b → a"
            ),
            (
                #""d": {"from": "b"}, "b": {"from": ¦"c"}, "c": {"from": "b"}, "e": {"from": "d"}"#,
                "b → c → b"
            ),
        ]
    )
    func circles(_ nodes: String, _ names: String) throws {
        let hint = "declare an edge that closes a cycle under 'links'"
        try check(
            #""x": {"set": "any"}, \#(nodes)"#,
            ["a node cannot be made from itself: \(names) (\(hint))"]
        )
    }

    @Test("two circles are two problems")
    func twoCircles() throws {
        let hint = "(declare an edge that closes a cycle under 'links')"
        try check(
            #""a": {"from": ¦"b"}, "b": {"from": "a"}, "c": {"from": ¦"c"}"#,
            [
                "a node cannot be made from itself: a → b → a \(hint)",
                "a node cannot be made from itself: c → c \(hint)",
            ]
        )
    }

    @Test("nodes may be in any order, and `order` puts each after its inputs")
    func order() throws {
        let text = #"""
            {"graph": "g", "nodes": {
              "c": {"combine": {"a": "a", "b": "b"}}, "b": {"from": "a"}, "a": {"set": "any"}
            }}
            """#
        let graph = try #require(GraphDefinition.read(try Document.parse(json: text), file: nil).definition)
        #expect(graph.order.map { graph.nodes[$0].name } == ["a", "b", "c"])
    }
}
