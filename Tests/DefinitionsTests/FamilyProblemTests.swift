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
            (#""h.{id}":{"from":"s.{id}.d"}"#, "there is no family 's.{id}.d'"),
            (#""h":{"from":"s.a.d"}"#, "there is no node 's.a.d'"),
            (#""h.{id}":{"from":"h.{id}"}"#, "a node cannot be made from itself: h.{id} → h.{id}"),
            (#""h.{id}":{"from":"h.a"}"#, "a node cannot be made from itself: h.{id} → h.{id}"),
        ]
    )
    func references(_ node: String, _ message: String) throws {
        let found = try problems(Self.sensor + "," + node)
        #expect(found.contains(message), "\(found)")
    }

    @Test(
        "X-6: what a family joins is one other family, which closes its groups",
        arguments: [
            (
                #""m.{r}":{"all":"s.*","reduce":"sum"}"#,
                "all of 'm.{r}' must name a family, with {r} and what is joined"
            ),
            (
                #""m.{r}":{"all":"s.{id}.c","reduce":"sum"}"#,
                "'s.{id}.c' lacks {r}, so it does not say which members 'm.{r}' joins"
            ),
            (
                #""m.{id}":{"all":"s.{id}.c","reduce":"sum"}"#,
                "'s.{id}.c' names one node for each member of 'm.{id}': nothing is joined"
            ),
            (#""m.{r}":{"all":"t.{r}.{s}","reduce":"sum"}"#, "there is no family 't.{r}.{s}'"),
            (
                #""t.{r}.{s}":{"set":"any"},"m.{r}":{"all":"t.{r}.{x}","reduce":"sum"}"#,
                "{x} is neither in 'm.{r}' nor in 't.{r}.{s}'"
            ),
            (
                #""t.{r}.x{s}":{"set":"any"},"m.{r}":{"all":"t.{r}.{s}","reduce":"sum"}"#,
                "there is no family 't.{r}.{s}'"
            ),
            (
                #""m.{r}.{s}":{"all":"m.{r}.{s}","reduce":"sum"}"#,
                "'m.{r}.{s}' names one node for each member of 'm.{r}.{s}': nothing is joined"
            ),
            (
                #""t.{r}.{s}":{"from":"m.{r}"},"m.{r}":{"all":"t.{r}.{s}","reduce":"sum"}"#,
                "'m.{r}' must have the placeholders of 't.{r}.{s}': {r} and {s}"
            ),
            (
                #""t.{r}.{s}":{"all":"m.{r}.{s}.{q}","reduce":"sum"},"m.{a}.{b}.{q}":{"from":"t.a.b"}"#,
                "a node cannot be made from itself: t.{r}.{s} → m.{a}.{b}.{q} → t.{r}.{s}"
            ),
            (
                #""m":{"all":"s.{id}.c","reduce":"sum"}"#,
                "'s.{id}.c' has placeholders, which group what a family joins"
            ),
        ]
    )
    func groups(_ node: String, _ message: String) throws {
        let found = try problems(Self.sensor + "," + node)
        #expect(found.contains(message), "\(found)")
    }

    @Test("X-6: a family joins another one, narrower ones and its groups")
    func joins() throws {
        let nodes = #"""
            "t.{r}.{s}.{q}":{"set":"any"},"a.{r}":{"all":"t.{r}.{s}.{q}","reduce":"sum"},
            "b.{r}.{q}":{"all":"t.{r}.{s}.{q}","reduce":{"top":3,"by":"value"}},
            "c.{r}":{"all":"b.{r}.{q}","reduce":"list"},"d.{q}":{"all":"t.hall.{s}.{q}","reduce":"max"}
            """#
        #expect(try problems(nodes) == [])
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
