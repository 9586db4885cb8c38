import ReactiveGraph
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "number", "initial": 1},
      "y": {"set": "number", "initial": 2},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "deep": {"from": "double", "pipe": [{"map": "value + 1"}]},
      "sum": {"combine": {"a": "deep", "b": "y"}, "map": "a + b"},
      "alone": {"set": "number"}
    }}
    """

@Suite("The surroundings of a node (I-1)")
struct SurroundingsTests {
    private let bench = Bench()
    private let graph: LiveGraph

    init() throws {
        graph = try bench.define(graphText)
    }

    private func names(_ node: String, _ depth: Int, live: Bool = false) -> [String] {
        Picture(of: graph, isLive: live, surroundings: Surroundings(of: node, depth: depth))
            .entries.map { $0.named?.name ?? $0.record?.label ?? $0.inner?.part.label ?? "?" }
    }

    @Test("I-1: what at most depth lines lead to is shown, in both directions, whether it exists or not")
    func depth() throws {
        let before = graph.statistics
        #expect(names("deep", 1) == ["double", "deep", "sum"])
        #expect(names("deep", 2) == ["x", "y", "double", "deep", "sum"])
        #expect(names("x", 1) == ["x", "double"])
        #expect(names("alone", 16) == ["alone"])
        #expect(names("x", 16) == ["x", "y", "double", "deep", "sum"])
        #expect(graph.statistics == before, "looking makes nothing")
        let client = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        #expect(names("deep", 1) == ["double", "deep", "sum"])
        #expect(names("deep", 2) == ["x", "y", "double", "deep", "sum"])
    }

    @Test(
        "I-1: a live picture counts stages and pipelines of clients as nodes, and lists who listens to what is shown"
    )
    func live() throws {
        let client = bench.connect()
        let other = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[{"map":"value + 5"}]}"#)
        _ = other.ask(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        #expect(names("x", 1, live: true) == ["x", "double", "value + 5"])
        let picture = Picture(of: graph, isLive: true, surroundings: Surroundings(of: "x", depth: 1))
        #expect(picture.links.count == 2)
        #expect(picture.listeners.map(\.holder) == [.connection(client.session.number)])
        let x = try #require(picture.entries.first)
        #expect(
            x.owners.map(\.holder) == [client, other].map { .connection($0.session.number) },
            "owners are those of the whole graph"
        )
        let wider = Picture(of: graph, isLive: true, surroundings: Surroundings(of: "y", depth: 1))
        let sum = try #require(graph.node("sum")?.living)
        #expect(wider.listeners.map(\.on) == [[sum.id]])
        _ = other.ask(#"{"op":"sub","id":2,"graph":"g","node":"alone"}"#)
        let limited = Picture(of: graph, isLive: true, surroundings: Surroundings(of: "y", depth: 1))
        #expect(limited.listeners.map(\.on) == [[sum.id]], "only what is shown")
    }

    @Test("I-1, F-7: members of families have surroundings, and what is made from them is there")
    func members() throws {
        let fleet = try bench.define(
            """
            {"graph": "f", "nodes": {
              "sensor.{id}": {"set": "number"},
              "hot.{id}": {"from": "sensor.{id}", "pipe": [{"map": "value > 30"}]}
            }}
            """
        )
        let client = bench.connect()
        _ = client.ask(#"{"op":"set","id":1,"graph":"f","set":{"sensor.7":31}}"#)
        _ = client.ask(#"{"op":"sub","id":2,"graph":"f","node":"hot.7"}"#)
        for members in [1, 300] {
            for member in 1...members {
                _ = client.ask(#"{"op":"set","id":1,"graph":"f","set":{"sensor.\#(member)":5}}"#)
            }
            let near = Surroundings(of: "sensor.7", depth: 1)
            let picture = Picture(of: fleet, isLive: true, surroundings: near)
            #expect(Set(picture.entries.compactMap(\.named?.name)) == ["sensor.7", "hot.7"])
            #expect(picture.links.count == 1 && picture.listeners.count == 1)
        }
        let why = try GraphView(fleet, for: .full).whyAlive(try #require(fleet.node("hot.7")), limit: 4)
        #expect(String(decoding: why, as: UTF8.self).contains(#""by":"listener""#))
    }

    @Test("I-1: in all three formats no line leads to what is not shown")
    func formats() {
        let near = Surroundings(of: "deep", depth: 1)
        let json = String(decoding: PictureText(of: graph, live: false, around: near).json(), as: UTF8.self)
        #expect(json.contains(#""name":"double""#) && !json.contains(#""name":"x""#))
        #expect(
            json.contains(#""inputs":["deep","y"]"#),
            "what a node is made from is a fact of its definition"
        )
        let dot = String(decoding: PictureText(of: graph, live: false, around: near).dot(), as: UTF8.self)
        #expect(dot.contains(#""deep" -> "sum""#) && !dot.contains("n1") && !dot.contains("n2"), "\(dot)")
        let mermaid = String(
            decoding: PictureText(of: graph, live: false, around: near).mermaid(),
            as: UTF8.self
        )
        #expect(mermaid.split(separator: "\n").filter { $0.contains("-.->") }.count == 2, "\(mermaid)")
    }

    @Test(
        "I-1: a caller sees no node and no way that its rights hide, and a hint names only what it may read"
    )
    func rights() throws {
        let principal = Principal(
            name: "p",
            grants: [Principal.Grant(graphs: ["g"], nodes: ["x", "deep", "sum"], can: [.read])]
        )
        let view = try GraphView(graph, for: Access(principal))
        func picture(_ node: String) throws -> String {
            String(
                decoding: try view.picture(.json, live: false, around: Surroundings(of: node, depth: 16)),
                as: UTF8.self
            )
        }
        let deep = try picture("deep")
        #expect(
            deep.contains(#""name":"sum""#) && !deep.contains(#""name":"x""#),
            "double is hidden: \(deep)"
        )
        for hidden in ["double", "doubl", "nothing"] {
            let error = #expect(throws: HostError.self) { _ = try picture(hidden) }
            #expect(error?.code == .unknownNode && error?.hint == nil)
        }
        let error = #expect(throws: HostError.self) { _ = try picture("deeq") }
        #expect(error?.hint == "did you mean 'deep'?" && error?.node == "deeq")
    }
}

@Suite("Observing the surroundings of a node (I-1)")
struct ObservingSurroundingsTests {
    private let bench = Bench()
    private let graph: LiveGraph
    private let watcher: Client

    init() throws {
        graph = try bench.define(graphText)
        watcher = bench.connect()
    }

    private func observe(_ fields: String) -> String {
        watcher.ask(#"{"op":"observe","id":7,"graph":"g","every":100,\#(fields)}"#).first ?? ""
    }

    private func next() -> String {
        bench.pass(100)
        return watcher.take().joined(separator: "\n")
    }

    @Test("I-1: topo shows what is near; a bad depth, a depth alone and an unknown node are refused")
    func first() {
        let topo = observe(#""around":"x","depth":1"#)
        #expect(topo.contains(#""name":"double""#) && !topo.contains(#""name":"deep""#), "\(topo)")
        let second = watcher.ask(#"{"op":"observe","id":8,"graph":"g","around":"x"}"#)[0]
        #expect(
            second.contains(#""name":"deep""#) && !second.contains(#""name":"sum""#),
            "two lines are customary"
        )
        for (fields, code) in [
            (#""around":"x","depth":0"#, "bad_field"), (#""around":"x","depth":17"#, "bad_field"),
            (#""depth":2"#, "bad_field"), (#""around":7"#, "bad_field"), (#""around":"zz""#, "unknown_node"),
        ] {
            let answer = watcher.ask(#"{"op":"observe","id":9,"graph":"g",\#(fields)}"#)[0]
            #expect(answer.contains(#""op":"err""#) && answer.contains("\"code\":\"\(code)\""), "\(answer)")
        }
        let hint = watcher.ask(#"{"op":"observe","id":9,"graph":"g","around":"deeb"}"#)[0]
        #expect(hint.contains(#""hint":"did you mean 'deep'?""#), "\(hint)")
    }

    @Test("I-1: what comes near is added, what goes away is taken out as away, what dies as dead")
    func comesAndGoes() throws {
        _ = observe(#""around":"y","depth":2"#)
        let client = bench.connect()
        // The pipeline ties x to y, and goes again.
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","combine":{"a":"x","b":"y"}}"#)
        let chain = try #require(graph.chains.all.first).number
        let came = next()
        #expect(
            came.contains(#""name":"x""#) && came.contains("\"n\":\(chain),\"kind\":\"chain\""),
            "\(came)"
        )
        #expect(came.contains(#""l":"c:"#), "its listener is near")
        _ = client.ask(#"{"op":"sub","id":2,"graph":"g","node":"alone"}"#)
        _ = next()
        try bench.set(graph, [("x", "4")])
        _ = client.ask(#"{"op":"unsub","id":1}"#)
        let went = next()
        let x = try #require(graph.node("x")?.living).id
        #expect(went.contains("{\"n\":\(chain),\"reason\":\"last_owner\""), "\(went)")
        #expect(
            went.contains("{\"n\":\(x),\"reason\":\"away\"},{\"name\":\"x\",\"reason\":\"away\"}"),
            "\(went)"
        )
        #expect(went.contains("{\"l\":\"c:\(client.session.number)\",\"reason\":\"away\"}"), "\(went)")
        #expect(went.contains(#""val":[]"#), "what goes away has no news")
        try bench.set(graph, [("x", "5")])
        bench.host.flush()
        #expect(next() == "", "what is far changes nothing here")
        try bench.set(graph, [("y", "6")])
        bench.host.flush()
        #expect(next().contains(#"{"v":6}"#))
    }

    @Test("I-1: a sleeping neighbour wakes and sleeps in its place; deaths far away are not reported")
    func wakes() throws {
        _ = observe(#""around":"deep","depth":1"#)
        let client = bench.connect()
        _ = client.ask(#"{"op":"sub","id":1,"graph":"g","node":"deep"}"#)
        let woken = next()
        #expect(woken.contains(#""name":"deep","op":"#) && woken.contains(#""name":"double""#), "\(woken)")
        #expect(!woken.contains(#""name":"x""#))
        _ = client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","pipe":[{"map":"value * 7"}]}"#)
        _ = client.ask(#"{"op":"unsub","id":2}"#)
        #expect(!next().contains("value * 7"))
        _ = client.ask(#"{"op":"unsub","id":1}"#)
        let slept = next()
        #expect(slept.contains(#""reason":"last_owner""#) && !slept.contains("away"), "\(slept)")
    }

    @Test("I-1: when the node in the middle is removed the observation ends with node_removed")
    func removed() throws {
        _ = observe(#""around":"alone""#)
        let without = graphText.replacing(",\n  \"alone\": {\"set\": \"number\"}", with: "")
        _ = bench.host.redefine(graph, as: try bench.definition(without))
        bench.host.flush()
        #expect(next() == #"{"op":"end","id":7,"code":"node_removed","released":0}"#)
        #expect(next() == "" && watcher.session.observers.isEmpty)
    }

    @Test("I-1: a definition that makes other neighbours is reported: they come, and the former ones go")
    func redefined() throws {
        _ = observe(#""around":"double","depth":1"#)
        let other = graphText.replacing(
            #""from": "x", "pipe": [{"map": "value * 2"}]"#,
            with: #""from": "y", "pipe": [{"map": "value * 2"}]"#
        )
        _ = bench.host.redefine(graph, as: try bench.definition(other))
        bench.host.flush()
        let told = next()
        #expect(told.contains(#""name":"y""#) && told.contains(#"{"name":"x","reason":"away"}"#), "\(told)")
        #expect(told.contains(#""name":"double","exists":false"#), "it says something else now: \(told)")
    }
}
