import LogTestSupport
import ReactiveGraph
import Testing

@testable import Graphs
@testable import Sessions

private let fleet = #"""
    {"graph": "g", "nodes": {
      "s.{id}.c": {"set": "number", "unit": "°C", "min": -60, "expire": "10m"},
      "s.{id}.hot": {"from": "s.{id}.c", "pipe": [{"map": "value > 30"}]},
      "mean": {"all": "s.*.c", "reduce": "avg", "map": "round(value)", "retain": "always"},
      "hot": {"all": "s.*.hot", "reduce": "count"},
      "hall": {"from": "s.hall.c"},
      "x": {"set": "number"}
    }}
    """#

@Suite("Families in pictures")
struct FamilyPictureTests {
    private let bench = Bench()
    private let graph: LiveGraph
    private let watcher: Client
    private let client: Client

    init() throws {
        graph = try bench.define(fleet)
        watcher = bench.connect()
        client = bench.connect()
    }

    private func set(_ members: ClosedRange<Int>, _ value: Int = 20) throws {
        try bench.set(graph, members.map { ("s.\($0).c", "\(value)") })
    }

    private func picture(members: [String]? = nil) -> Picture {
        Picture(of: graph, isLive: true, members: members)
    }

    private func names(_ picture: Picture) -> Set<String> { Set(picture.entries.compactMap(\.named?.name)) }

    private func families(_ picture: Picture, of name: String) -> [String] {
        picture.entries.first { $0.named?.name == name }?.families.map(\.pattern.text) ?? []
    }

    /// Starts to look; returns the first message.
    private func observe(_ more: String = #","members":[]"#) -> String {
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100\#(more)}"#).first ?? ""
    }

    private func next() -> String {
        bench.pass(100)
        return watcher.take().joined()
    }

    @Test(
        "F-8: of more than two hundred members none is shown; families stand for them, wherever they are used"
    )
    func many() throws {
        try set(1...200)
        #expect(names(picture()).count == 4 + 200 && !picture().hidesMembers)
        try set(201...201)
        let lone = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s.7.hot","pipe":[{"map":"!value"}]}"#)
        #expect(lone.count == 1)
        client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["s.*","x"]}"#)
        let shown = picture()
        #expect(names(shown) == ["mean", "hot", "hall", "x"])
        #expect(families(shown, of: "mean").isEmpty, "the step before it has them")
        #expect(families(shown, of: "hot") == ["s.{id}.hot"])
        #expect(families(shown, of: "hall") == ["s.{id}.c"], "also while it does not exist")
        #expect(families(shown, of: "x").isEmpty)
        let step = try #require(shown.entries.first { $0.inner != nil })
        #expect(step.families.map(\.pattern.text) == ["s.{id}.c"] && step.inner?.part.label == "avg")
        let chain = try #require(shown.entries.first { $0.record != nil })
        #expect(chain.families.map(\.pattern.text) == ["s.{id}.hot"])
        let listener = try #require(shown.listeners.first)
        #expect(listener.families.map(\.pattern.text) == ["s.{id}.c", "s.{id}.hot"])
        #expect(listener.on.count == 2, "the pipeline, and x")
        let json = String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self)
        #expect(
            json.contains(
                #"{"name":"s.{id}.c","kind":"mutable","unit":"°C","type":"number","min":-60,"expire":600000,"retain":"always","members":201,"alive":201}"#
            ),
            "\(json)"
        )
        #expect(json.contains(#""inputs":["s.{id}.c"],"retain":"whileInUse","members":201,"alive":201}"#))
    }

    @Test("F-8: of the members only those that are named are shown, with those made from them")
    func named() throws {
        try set(1...30)
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s.7.hot"}"#)
        #expect(names(picture(members: [])) == ["mean", "hot", "hall", "x"])
        let near = picture(members: ["s.7.c", "s.8.c", "s.99.c", "x", "nothing"])
        #expect(names(near) == ["mean", "hot", "hall", "x", "s.7.c", "s.7.hot", "s.8.c"])
        #expect(near.links.filter { !$0.isInner }.count == 2, "to s.7.hot, and within mean")
        #expect(near.listeners.map(\.families.count) == [0])
        #expect(near.entries.allSatisfy { $0.named?.family == nil || $0.families.isEmpty })
    }

    @Test("F-8: the owners of what joins many members are not said to keep each of them")
    func owners() throws {
        try set(1...300)
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"hot"}"#)
        let near = picture(members: ["s.7.c"])
        let member = try #require(near.entries.first { $0.named?.name == "s.7.c" })
        let joined = try #require(near.entries.first { $0.named?.name == "hot" })
        #expect(member.owners.isEmpty && joined.owners.count == 1)
    }

    @Test(
        "F-8: an observer receives how many members there are, and births and deaths only of those it has named"
    )
    func observed() throws {
        try set(1...3)
        let topo = observe(#","members":["s.2.c"]"#)
        #expect(topo.contains(#""name":"s.2.c","family":"s.{id}.c""#) && !topo.contains(#""name":"s.1.c""#))
        #expect(topo.contains(#""members":3,"alive":3}"#))
        try set(4...5)
        let births = next()
        #expect(
            births.contains(#""add":{"nodes":[],"#) && births.contains(#""members":5,"alive":5}"#),
            "\(births)"
        )
        try bench.set(graph, [("s.2.c", "31")])
        let value = next()
        #expect(value.contains(#"{"v":31}"#) && !value.contains(#""families""#), "\(value)")
        client.ask(#"{"op":"drop","id":3,"graph":"g","nodes":["s.1.c"]}"#)
        let hidden = next()
        #expect(
            hidden.contains(#""del":{"nodes":[],"#) && hidden.contains(#""members":4,"alive":4}"#),
            "\(hidden)"
        )
        client.ask(#"{"op":"drop","id":4,"graph":"g","nodes":["s.2.c"]}"#)
        #expect(next().contains(#""reason":"dropped""#))
        try set(2...2)
        #expect(next().contains(#""name":"s.2.c""#), "born again")
    }

    @Test(
        "F-8: an observer that has named none sees few members one by one, and learns when they are too many"
    )
    func crossing() throws {
        try set(1...200)
        #expect(observe("").contains(#""name":"s.200.c""#))
        try set(201...201)
        let message = next()
        #expect(message.split(separator: #""reason":"away""#).count == 201, "all of them are away")
        #expect(message.contains(#""members":201,"alive":201}"#))
    }

    @Test("F-8: a derived member counts also while it is not alive")
    func asleep() throws {
        try set(1...2)
        #expect(observe().contains(#""inputs":["s.{id}.c"],"retain":"whileInUse","members":2,"alive":0}"#))
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"s.1.hot"}"#)
        #expect(next().contains(#""retain":"whileInUse","members":2,"alive":1}"#))
        client.ask(#"{"op":"drop","id":3,"graph":"g","nodes":["s.2.c"]}"#)
        #expect(next().contains(#""retain":"whileInUse","members":1,"alive":1}"#))
    }

    @Test(
        "F-8: freed steps of members are reported, or not, as the members are",
        arguments: [false, true]
    )
    func steps(isHidden: Bool) throws {
        _ = try bench.redefine(
            graph,
            #""s.{id}":{"set":"number"},"t.{id}":{"from":"s.{id}","pipe":[{"map":"value + 1"},"distinct",{"map":"value * 2"}]}"#
        )
        let topo = observe(isHidden ? #","members":[]"# : "")
        #expect(topo.hasPrefix(#"{"op":"topo""#))
        let names = (1...50).map { "s.\($0)" }
        try bench.set(graph, names.map { ($0, "1") })
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["t.*"]}"#)
        let births = next()
        #expect(births.contains(#""of":"t.7","op":"distinct""#) == !isHidden)
        client.ask(#"{"op":"unsub","id":1}"#)
        let deaths = next()
        #expect(deaths.contains(#""reason":"last_owner""#) == !isHidden, "\(deaths)")
        // Also of those that it never saw.
        client.ask(#"{"op":"sub","id":2,"graph":"g","nodes":["t.*"]}"#)
        client.ask(#"{"op":"unsub","id":2}"#)
        #expect(next().contains(#""of":"t.7","op":"distinct""#) == !isHidden)
    }

    @Test("F-8: another definition counts the members anew")
    func redefined() throws {
        try set(1...2)
        _ = observe()
        _ = try bench.redefine(graph, #""s.{id}.c":{"set":"number"},"t.{id}":{"from":"s.{id}.c"}"#)
        let message = next()
        #expect(message.contains(#"{"name":"s.{id}.c","kind":"mutable","type":"number""#), "\(message)")
        #expect(message.contains(#"{"name":"t.{id}","#) && !message.contains("s.{id}.hot"))
        #expect(message.split(separator: #""members":2"#).count == 3)
    }

    @Test(
        "members to be shown are a list of names",
        arguments: [
            (#","members":"s.1.c""#, "members: a list of at most 100 names is needed"),
            (#","members":[1]"#, "members: a list of at most 100 names is needed"),
            (
                #","members":[\#(Array(repeating: "\"a\"", count: 101).joined(separator: ","))]"#,
                "at most 100"
            ),
            (#","members":[],"around":"x""#, "around: not together with 'members'"),
        ]
    )
    func refused(more: String, expected: String) {
        let answer = observe(more)
        #expect(answer.contains(#""code":"bad_field""#) && answer.contains(expected), "\(answer)")
    }
}
