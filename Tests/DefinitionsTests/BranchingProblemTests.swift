import Definitions
import Testing

@Suite("Problems of zip, switch, case, default and if")
struct BranchingProblemTests {
    private func check(
        _ nodes: String,
        _ messages: [String],
        options: DefinitionOptions = DefinitionOptions()
    ) throws {
        let marked = Marked(#"{"graph": "g", "nodes": {"x": {"set": "any"}, \#(nodes)}}"#)
        #expect(try marked.found(options: options) == marked.expected(messages))
    }

    @Test(
        "the wrong form",
        arguments: [
            (#""a": {"zip": ¦"x"}"#, ["zip must be a list of nodes, not a string"]),
            (#""a": {"zip": ¦[]}"#, ["zip must name 1 to 1000 nodes"]),
            (#""a": {"zip": ["x"], "buffer": ¦0}"#, ["buffer must be a whole number from 1 to 1024"]),
            (#""a": {"zip": ["x"], "map": ¦[1]}"#, ["map must be an expression, not a list"]),
            (#""a": {"switch": ¦"x"}"#, ["switch must be a mapping, not a string"]),
            (#""a": {"switch": ¦{"from": "x"}}"#, ["switch needs 'by'"]),
            (
                #""a": {"switch": {"from": "x", "by": "¦valeu"}}"#,
                ["the name 'valeu' is not known (did you mean 'value'?)"]
            ),
            (
                #""a": {"switch": {"from": "x", "by": "1", ¦"valu": "1"}}"#,
                ["unknown key 'valu' in switch (did you mean 'value'?)"]
            ),
            (#""a": {"case": ¦{"of": "x"}}"#, ["case needs 'key'"]),
            (#""a": {"case": ¦{"key": 1}}"#, ["case needs 'of'"]),
            (#""a": {"default": {"of": "x", ¦"key": 1}}"#, ["unknown key 'key' in default"]),
            (#""a": {"default": ¦"x"}"#, ["default must be a mapping, not a string"]),
            (#""a": {"if": ¦{"from": "x", "then": "b"}}"#, ["if needs 'when'"]),
            (
                #""a": {"if": ¦{"from": "x", "when": "true"}}"#,
                ["if needs 'then' or 'else', the names of the nodes it makes"]
            ),
            (
                #""a": {"if": {"from": "x", "when": "true", "then": ¦["b"]}}"#,
                ["'then' must be the name of a new node, not a list"]
            ),
            (
                #""a": {"if": {"from": "x", "when": "true", "else": ¦"-b"}}"#,
                [
                    "'-b' cannot be the name of a node (1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-')"
                ]
            ),
            (#""a": {"if": {"from": "x", "when": "true", "then": ¦"x"}}"#, ["a node 'x' exists already"]),
            (
                #""a": {"if": {"from": "x", "when": "true", "then": "b", "else": ¦"b"}}"#,
                ["a node 'b' exists already"]
            ),
        ]
    )
    func forms(_ nodes: String, _ messages: [String]) throws {
        try check(nodes, messages)
    }

    @Test("the sides of a wrong `if` are not reported as unknown too")
    func noFollowUps() throws {
        try check(
            #""a": {"if": {"from": "x", "when": "¦valeu", "then": "b"}}, "c": {"from": "b"}"#,
            ["the name 'valeu' is not known (did you mean 'value'?)"]
        )
    }

    @Test("with two sources in one node, what either names is known")
    func twoSources() throws {
        try check(
            #"¦"a": {"from": "x", "if": {"from": "x", "when": "true", "then": "b"}}, "c": {"from": "b"}"#,
            ["node 'a' has from and if: only one of them is allowed"]
        )
    }

    @Test("circles over a side of an `if` are circles")
    func circles() throws {
        try check(
            #""a": {"if": {"from": ¦"b", "when": "true", "then": "b"}}"#,
            [
                "a node cannot be made from itself: a → b → a (declare an edge that closes a cycle under 'links')"
            ]
        )
    }

    @Test("a switch has at most `limits.switchKeys` cases")
    func cases() throws {
        var options = DefinitionOptions()
        options.switchKeys = 2
        let two =
            #""s": {"switch": {"from": "x", "by": "1"}}, "a": {"case": {"of": "s", "key": 1}}, "b": {"default": {"of": "s"}}"#
        try check(two, [], options: options)
        try check(
            two + #", ¦"c": {"case": {"of": "s", "key": 3}}, "d": {"case": {"of": "s", "key": 4}}"#,
            ["a switch has at most 2 cases (limits.switchKeys)"],
            options: options
        )
        let names = (0..<1_025).map {
            #", \#($0 == 1_024 ? "¦" : "")"c\#($0)": {"case": {"of": "s", "key": \#($0)}}"#
        }
        try check(
            #""s": {"switch": {"from": "x", "by": "1"}}"# + names.joined(),
            ["a switch has at most 1024 cases (limits.switchKeys)"]
        )
    }

    @Test("a `buffer` of the definition is at most the limit of the server")
    func zipBuffer() throws {
        let marked = Marked(
            #"{"graph":"g","nodes":{"a":{"set":"any"},"out":{"zip":["a","a"],"buffer":¦1025}}}"#
        )
        #expect(try marked.found() == marked.expected(["buffer must be a whole number from 1 to 1024"]))
        var options = DefinitionOptions()
        options.zipBuffer = 2_000
        #expect(try marked.found(options: options) == [])
    }
}
