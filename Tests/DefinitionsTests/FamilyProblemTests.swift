import Testing
import Values

@testable import Definitions

@Suite("Problems of families")
struct FamilyProblemTests {
    private func problems(_ nodes: String) throws -> [String] {
        let (_, problems) = GraphDefinition.read(
            try Document.parse(json: #"{"graph":"g","nodes":{\#(nodes)}}"#),
            file: nil
        )
        return problems.map(\.message)
    }

    private static let sensor = #""s.{id}.c":{"set":"number"}"#

    @Test(
        "F-1: what names with placeholders must be",
        arguments: [
            (#""s.{id":{"set":"any"}"#, "'s.{id' has an unmatched brace"),
            (#""s.{id}{n}":{"set":"any"}"#, "'s.{id}{n}' has two placeholders between two dots"),
            (#""s.{a}.{a}":{"set":"any"}"#, "'s.{a}.{a}' has the placeholder {a} twice"),
            (#""s.{1}":{"set":"any"}"#, "'1' cannot be the name of a placeholder"),
            (#""s.{id}.ü":{"set":"any"}"#, "'s.{id}.ü' cannot be the name of a family"),
        ]
    )
    func names(_ nodes: String, _ message: String) throws {
        #expect(try problems(nodes) == [message])
    }

    @Test(
        "F-1: references inside a family have its placeholders",
        arguments: [
            (
                #""h.{other}":{"from":"s.{id}.c"}"#,
                "'s.{id}.c' must have the placeholders of 'h.{other}': {other}"
            ),
            (
                #""h.{id}.{n}":{"from":"s.{id}.c"}"#,
                "'s.{id}.c' must have the placeholders of 'h.{id}.{n}': {id} and {n}"
            ),
            (
                #""h":{"from":"s.{id}.c"}"#,
                "'s.{id}.c' names a family: this node cannot be made from all of its members"
            ),
            (#""h.{id}":{"from":"s.{id}.d"}"#, "there is no node 's.{id}.d'"),
            (#""h":{"from":"s.a.d"}"#, "there is no node 's.a.d'"),
            (#""h.{id}":{"from":"h.{id}"}"#, "a node cannot be made from itself: h.{id} → h.{id}"),
            (#""h.{id}":{"from":"h.a"}"#, "a node cannot be made from itself: h.{id} → h.{id}"),
        ]
    )
    func references(_ node: String, _ message: String) throws {
        let found = try problems(Self.sensor + "," + node)
        #expect(found.contains(message), "\(found)")
    }

    @Test("F-2: two families that could mean the same name are a problem")
    func overlaps() throws {
        #expect(
            try problems(Self.sensor + #","s.{x}.{y}":{"set":"any"}"#)
                == ["'s.{x}.{y}' and 's.{id}.c' could match the same name"]
        )
        #expect(try problems(Self.sensor + #","s.{x}.d":{"set":"any"},"s.a.c":{"set":"any"}"#).isEmpty)
    }

    @Test(
        "F-4: which keys a family has",
        arguments: [
            (
                #""s.{id}":{"set":"any","initial":1}"#,
                "members of a family start empty: 'initial' is not allowed"
            ),
            (
                #""s.{id}":{"set":"any","ttl":"1s"}"#,
                "'ttl' is for single nodes, which become empty; members of a family are dropped"
            ),
            (#""s":{"set":"any","expire":"1s"}"#, "'expire' is for families: names with placeholders"),
            (
                #""s.{id}":{"set":"any","retain":"whileInUse"}"#,
                "a mutable node is always retained: it is the graph's state"
            ),
        ]
    )
    func keys(_ nodes: String, _ message: String) throws {
        #expect(try problems(nodes) == [message])
    }
}
