import Definitions
import Testing
import Values

@Suite("Problems of passive inputs and computed names")
struct ComputedNameProblemTests {
    private static let known = """
        "key": {"set": "string"}, "x": {"set": "number"}, "s.{id}": {"set": "number"},
        """

    private static let form = "{value} stands for the value, as in \"sensor.{value}.celsius\""
    private static let ring = "the computed name must choose neither the node itself nor what is made from it"
    private static let forms =
        "'to' lists keys and their nodes; 'node' is a name such as \"sensor.{value}.celsius\""

    @Test(
        "each is reported at its place, with a hint",
        arguments: [
            (
                #""a": {"flatten": {"from": "key", "node": ¦"t.{value}"}}"#,
                "no family has members with names such as 't.{value}' "
                    + "(a computed name chooses a member of a family; 'to' lists single nodes)"
            ),
            (#""a": {"flatten": {"from": "key", "node": ¦"s.{id}"}}"#, "'s.{id}' has no {value} (\(form))"),
            (
                #""a": {"flatten": {"from": "key", "node": ¦"x"}}"#,
                "node must be a name with {value} (\(form))"
            ),
            (
                #""a": {"flatten": {"from": "key", "node": ¦"{value}.{id}"}}"#,
                "{id} in '{value}.{id}' is neither {value} nor a placeholder of this node's name (\(form))"
            ),
            (
                #""a.{r}": {"flatten": {"from": "key", "node": ¦"{value}.{id}"}}"#,
                "{id} in '{value}.{id}' is neither {value} nor a placeholder of this node's name (the name has {r})"
            ),
            (
                #""a.{value}": {"flatten": {"from": "key", "node": ¦"s.{value}"}}"#,
                "{value} in 's.{value}' could be the value or the placeholder of 'a.{value}' "
                    + "(give the placeholder of the family another name)"
            ),
            (#""a": {"flatten": ¦{"from": "key"}}"#, "flatten needs 'to' or 'node' (\(forms))"),
            (
                #""a": {"flatten": ¦{"from": "key", "to": {"a": "x"}, "node": "s.{value}"}}"#,
                "flatten takes either 'to' or 'node' (\(forms))"
            ),
            (
                #""a": {"flatten": {"from": "key", "node": ¦"d.{value}"}}, "d.{id}": {"from": "a"}"#,
                "a node cannot be made from itself: a → d.{id} → a (\(ring))"
            ),
            (
                #""s.b": {"from": "a"}, "a": {"flatten": {"from": "key", "node": ¦"s.{value}"}}"#,
                "a node cannot be made from itself: s.b → a → s.b (\(ring))"
            ),
            (
                #""a": {"combine": ¦[{"of": "x", "passive": true}]}"#,
                "all inputs of combine are passive: nothing would be a cause to emit "
                    + "(leave 'passive' out where changes are to be passed on)"
            ),
            (#""a": {"combine": {"p": "x", "q": {"of": ¦"y"}}}"#, "there is no node 'y' (did you mean 'x'?)"),
            (#""a": {"combine": {"p": "x", "q": ¦{"passive": true}}}"#, "'q' needs 'of'"),
            (
                #""a": {"combine": ["x", {"of": "x", "passive": ¦1}]}"#,
                "passive must be true or false, not a number"
            ),
        ]
    )
    func problems(_ nodes: String, _ message: String) throws {
        let marked = Marked(#"{"graph": "g", "nodes": {\#(Self.known) \#(nodes)}}"#)
        let found = try marked.found().map { $0.drop { $0 != " " } }
        #expect(found == [" \(message)"])
        // The place of a circle is where its first node names the second.
        if !message.contains("s.b → a") { #expect(try marked.found() == marked.expected([message])) }
    }

    @Test("a name may mean several families, of which it need not cover all members")
    func families() throws {
        let marked = Marked(
            #"{"graph": "g", "nodes": {"key": {"set": "string"}, "s.a{id}": {"set": "number"}, "s.b{id}": {"set": "number"}, "#
                + #""a": {"flatten": {"from": "key", "node": "s.{value}"}}, "b": {"flatten": {"from": "key", "node": "s.a{value}"}}}}"#
        )
        #expect(try marked.found() == [])
    }

    @Test("a duration without a unit is a warning in a file, and milliseconds elsewhere")
    func units() throws {
        let text = """
            {"graph": "g", "upstreams": {"u": {"url": "http://u.example"}},
             "sinks": {"s": {"from": "x", "url": "http://u.example/x", "timeout": 2000}},
             "nodes": {"x": {"set": "number", "ttl": 1000, "fresh": 500},
                       "s.{id}": {"set": "number", "expire": 60000},
                       "p": {"source": {"get": "u:/p", "every": 5000}, "fresh": 9000},
                       "a": {"from": "x", "pipe": [{"sample": {"every": 100, "edge": "leading"}}, {"delay": 5},
                             {"debounce": {"for": 7}}, {"window": {"last": 8, "of": "avg"}}]}}}
            """
        let document = try Document.parse(json: text)
        let (definition, problems) = GraphDefinition.read(document, file: "g.json")
        #expect(problems.isEmpty, "\(problems)")
        let warned = definition?.warnings.map(\.message.description) ?? []
        for number in [2000, 1000, 500, 60000, 5000, 9000, 100, 5, 7, 8] {
            #expect(
                warned.contains { $0.hasSuffix("has no unit: \(number) means milliseconds") },
                "\(number)"
            )
        }
        #expect(warned.count == 10)
        #expect(GraphDefinition.read(document, file: nil).definition?.warnings.isEmpty == true)
    }
}
