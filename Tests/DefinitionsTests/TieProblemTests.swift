import Definitions
import ReactiveGraph
import Testing
import Values

@Suite("Problems of sync and links")
struct TieProblemTests {
    private static let nodes =
        #""nodes": {"x": {"set": "any"}, "y": {"set": "any"}, "d": {"from": "x"}, "e": {"from": "d", "pipe": [{"delay": 5}]}}"#

    @Test(
        "sync connects pairs of mutable nodes, each once, with both expressions or without",
        arguments: [
            (#"¦{"a": "x", "b": "y"}"#, "sync must be a list, not a mapping"),
            (#"[¦"x"]"#, "a sync must be a mapping, not a string"),
            (#"[¦{"a": "x"}]"#, "a sync needs 'b'"),
            (#"[{"a": "x", "b": "y", ¦"to": "value"}]"#, "unknown key 'to' in a sync"),
            (#"[{"a": "x", "b": ¦["y"]}]"#, "b must name a node, not a list"),
            (
                #"[¦{"a": "x", "b": "y", "to_b": "value"}]"#,
                "a sync needs 'to_a' too: each expression undoes the other (for one direction only, write a link)"
            ),
            (
                #"[{"a": "x", "b": "y", "to_b": "value", "to_a": "¦valeu"}]"#,
                "the name 'valeu' is not known (did you mean 'value'?)"
            ),
            (#"[¦{"a": "x", "b": "yy"}]"#, "there is no node 'yy' (did you mean 'y'?)"),
            (
                #"[¦{"a": "d", "b": "x"}]"#,
                "'d' is derived: a sync connects mutable nodes (use a link to a derived node)"
            ),
            (#"[¦{"a": "x", "b": "x"}]"#, "'x' cannot be in sync with itself"),
            (#"[{"a": "x", "b": "y"}, ¦{"a": "y", "b": "x"}]"#, "'y' and 'x' are in sync already"),
        ]
    )
    func syncs(_ section: String, _ message: String) throws {
        let marked = Marked(#"{"graph": "g", \#(Self.nodes), "sync": \#(section)}"#)
        #expect(try marked.found() == marked.expected([message]))
    }

    @Test("Unknown names are all reported, and guessed at twenty times in one file")
    func manyUnknown() throws {
        let links = (0..<50).map { _ in #"{"from": "x", "to": "yy"}"# }.joined(separator: ",")
        let text =
            #"{"graph": "g", "nodes": {"x": {"set": "any"}, "y": {"from": "xx"}}, "links": [\#(links)]}"#
        let problems = GraphDefinition.read(try Document.parse(json: text), file: nil).problems
        #expect(problems.count == 51)
        #expect(problems.filter { $0.hint != nil }.count == 20)
    }

    @Test(
        "links are edges between nodes that exist, to others than themselves",
        arguments: [
            (#"¦{"from": "x"}"#, "links must be a list, not a mapping"),
            (#"[¦{"from": "x"}]"#, "a link needs 'to'"),
            (#"[{"from": "x", "to": "y", ¦"map": "value"}]"#, "unknown key 'map' in a link"),
            (
                #"[{"from": "x", "to": "y", "pipe": [¦"distnct"]}]"#,
                "unknown stage 'distnct' (did you mean 'distinct'?)"
            ),
            (#"[¦{"from": "xx", "to": "y"}]"#, "there is no node 'xx' (did you mean 'x'?)"),
            (#"[¦{"from": "x", "to": "dd"}]"#, "there is no node 'dd' (did you mean 'd'?)"),
            (#"[¦{"from": "x", "to": "x"}]"#, "'x' cannot be linked to itself"),
            (
                #"[¦{"from": "e", "to": "x"}]"#,
                "this link closes a cycle with a timed stage: it would never settle "
                    + "(remove delay from the cycle)"
            ),
            (
                #"[¦{"from": "x", "to": "y"}, {"from": "y", "to": "x", "pipe": [{"window": {"count": 2, "of": "avg"}}, {"sample": 5}]}]"#,
                "this link closes a cycle with a timed stage: it would never settle "
                    + "(remove sample from the cycle)"
            ),
        ]
    )
    func links(_ section: String, _ message: String) throws {
        let marked = Marked(#"{"graph": "g", \#(Self.nodes), "links": \#(section)}"#)
        #expect(try marked.found() == marked.expected([message]))
    }

    @Test("a node that a link leads to depends on earlier values, and is always held")
    func linked() throws {
        func read(_ node: String) throws -> (GraphDefinition?, [DefinitionProblem]) {
            let text =
                #"{"graph": "g", "nodes": {"x": {"set": "any"}, "d": \#(node)}, "links": [{"from": "x", "to": "d"}]}"#
            return GraphDefinition.read(try Document.parse(json: text), file: nil)
        }
        let node = try #require(try read(#"{"from": "x"}"#).0?["d"])
        #expect(node.stateClass == .history)
        #expect(node.retain == .always)
        #expect(try read(#"{"from": "x", "retain": "always"}"#).1.isEmpty)
        #expect(
            try read(#"{"from": "x", "retain": "whileInUse"}"#).1.map(\.message) == [
                "'d' cannot be retained whileInUse: a node that a link leads to is always held"
            ]
        )
    }
}
