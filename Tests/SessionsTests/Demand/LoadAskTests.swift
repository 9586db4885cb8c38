import LogTestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let text = #"""
    {"graph": "g", "nodes": {
      "sensor.{id}.celsius": {"set": "number"},
      "sensor.{id}.hot": {"from": "sensor.{id}.celsius", "pipe": [{"map": "value > 30"}]},
      "x": {"set": "number", "fresh": "30s"},
      "y": {"set": "number", "initial": 1},
      "sum": {"combine": {"x": "x", "y": "y"}, "map": "x + y"}
    }}
    """#

@Suite("Demand: values that producers are asked for")
struct LoadAskTests {
    let bench: Bench
    let graph: LiveGraph
    let producer: Client
    let client: Client

    init() throws {
        bench = Bench()
        graph = try bench.define(text)
        producer = bench.connect()
        client = bench.connect()
    }

    private func demand(_ nodes: String = #"["*"]"#) {
        producer.ask(#"{"op":"demand","id":5,"graph":"g","nodes":\#(nodes)}"#)
    }

    private func listen(_ node: String, id: Int = 1) {
        client.ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)","load":true}"#)
    }

    private func report(_ fields: String, of node: String = "x") {
        producer.send(#"{"op":"load","graph":"g","node":"\#(node)",\#(fields)}"#)
        bench.endTurn()
    }

    private func told() -> [String] {
        bench.endTurn()
        return producer.take()
    }

    private static let ask = #"{"op":"wanted","id":5,"m":{"x":{"wanted":true,"load":true}}}"#

    @Test("D-2: a subscription asks for what is empty, once, with what is wanted")
    func empty() {
        demand()
        listen("sum")
        let message = #"{"op":"wanted","id":5,"m":{"x":{"wanted":true,"load":true},"y":{"wanted":true}}}"#
        #expect(told() == [message], "y has a value")
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","load":true}"#)
        #expect(told().isEmpty, "one ask is outstanding")
    }

    @Test("D-2: without an answer it asks again after times.load; a report that it loads is one")
    func repeats() throws {
        demand()
        listen("x")
        #expect(told() == [Self.ask])
        bench.leap(9_999)
        #expect(told().isEmpty)
        bench.leap(1)
        #expect(told() == [Self.ask])
        report(#""loading":true,"progress":0.5"#)
        bench.leap(60_000)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"sum","load":true}"#)
        #expect(told() == [#"{"op":"wanted","id":5,"m":{"y":{"wanted":true}}}"#], "x is being loaded")
        try bench.set(graph, [("x", "3")])
        bench.leap(20_000)
        #expect(told().isEmpty)
    }

    @Test("D-2: an error is an answer; the next ask comes when the value becomes stale")
    func errors() throws {
        demand()
        listen("x")
        #expect(told() == [Self.ask])
        report(#""error":{"code":"offline","msg":"no"}"#)
        bench.leap(60_000)
        #expect(told().isEmpty)
        try bench.set(graph, [("x", "1")])
        bench.leap(29_999)
        #expect(told().isEmpty)
        bench.leap(1)
        #expect(told() == [Self.ask], "fresh: 30s is over")
        report(#""notModified":true"#)
        report(#""invalidate":true"#)
        #expect(told() == [Self.ask])
    }

    @Test("D-2: no producer is asked when the subscription has ended, or never asked for it")
    func ends() throws {
        demand()
        listen("x")
        #expect(told() == [Self.ask])
        client.ask(#"{"op":"unsub","id":1}"#)
        #expect(told().count == 1)
        bench.leap(20_000)
        #expect(told().isEmpty)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        #expect(told() == [#"{"op":"wanted","id":5,"m":{"x":{"wanted":true}}}"#])
        report(#""invalidate":true"#)
        #expect(told().isEmpty)
        #expect(graph.clients.loaders == 0)
    }

    @Test("D-2: get asks once, and makes no member")
    func get() {
        demand()
        client.ask(#"{"op":"get","id":1,"graph":"g","nodes":["sensor.7.hot","y"],"load":true}"#)
        let asked = #"{"op":"wanted","id":5,"m":{"sensor.7.celsius":{"wanted":false,"load":true}}}"#
        #expect(told() == [asked])
        #expect(graph.members.livingCount == 0)
        client.ask(#"{"op":"get","id":1,"graph":"g","nodes":["sensor.7.celsius"],"load":true}"#)
        #expect(told().isEmpty, "it was asked for just now")
        bench.leap(10_000)
        #expect(told().isEmpty, "no client waits any more")
        client.ask(#"{"op":"get","id":1,"graph":"g","nodes":["sensor.7.celsius"],"load":true}"#)
        #expect(told() == [asked])
    }

    @Test("D-2: a producer that comes later receives what is waited for")
    func lateProducer() {
        listen("x")
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y","load":true}"#)
        let answer = producer.ask(#"{"op":"demand","id":5,"graph":"g","nodes":["x","y"]}"#)
        #expect(
            answer == [#"{"op":"wanted","id":5,"m":{"x":{"wanted":true,"load":true},"y":{"wanted":true}}}"#]
        )
        bench.leap(10_000)
        #expect(told() == [Self.ask], "it has not answered")
    }

    @Test("D-2: a group asks for each of its nodes; a stream of events and a plain stream ask, too")
    func forms() throws {
        demand(#"["x","sensor.*"]"#)
        client.ask(#"{"op":"sub","id":1,"graph":"g","nodes":["x","sensor.3.celsius"],"load":true}"#)
        let message =
            #"{"op":"wanted","id":5,"m":{"sensor.3.celsius":{"wanted":true,"load":true},"x":{"wanted":true,"load":true}}}"#
        #expect(told() == [message])
        let view = try GraphView(graph, for: .full)
        let events = bench.connect(form: .events)
        let options = StreamOptions(loads: true)
        events.session.start(try EventStream(of: view, nodes: ["sensor.4.celsius"], options))
        #expect(told() == [#"{"op":"wanted","id":5,"m":{"sensor.4.celsius":{"wanted":true,"load":true}}}"#])
        let plain = bench.connect(form: .node(try #require(graph.node("sensor.5.celsius"))))
        try plain.session.stream(options)
        #expect(told() == [#"{"op":"wanted","id":5,"m":{"sensor.5.celsius":{"wanted":true,"load":true}}}"#])
        #expect(graph.clients.loaders == 3)
    }

    @Test("D-2: load is only allowed in 'sub'")
    func modification() {
        listen("x")
        let answer = client.ask(#"{"op":"mod","id":2,"sub":1,"load":false}"#)
        #expect(answer.first?.contains(#""code":"bad_field""#) == true)
    }
}
