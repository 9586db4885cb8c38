import ReactiveGraph
import Support
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Alarms: which nodes call for attention, and who sets a node")
struct AlarmTests {
    private let bench = Bench()

    private func graph() throws -> LiveGraph {
        try bench.define(
            """
            {"graph": "g", "nodes": {
              "x": {"set": "number", "initial": 1, "fresh": "5s"},
              "hot": {"from": "x", "pipe": [{"map": "value > 50"}], "severity": "warning", "title": "Hot"},
              "mode": {"from": "x", "pipe": [{"map": "value > 90 ? 'off' : 'on'"}], "severity": "alarm", "ok": "on"},
              "broken": {"from": "x", "pipe": [{"map": "[1][int(value) - 1]"}], "severity": "info"},
              "sensor": {"set": "number", "role": "sensor"},
              "y": {"set": "number"}
            }}
            """
        )
    }

    private func alarms(_ graph: LiveGraph, for access: Access = .full) -> String {
        var buffer = ByteBuffer()
        GraphSummary(of: graph, for: access).appendAlarms(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("true, everything but `ok`, and a failure raise an alarm; the most urgent comes first")
    func raising() throws {
        let graph = try graph()
        #expect(alarms(graph) == "")
        try bench.set(graph, [("x", "60")])
        #expect(
            alarms(graph).hasPrefix(
                #","alarms":[{"node":"hot","severity":"warning","title":"Hot","v":true},{"node":"broken","severity":"info","fail":{"#
            )
        )
        try bench.set(graph, [("x", "95")])
        #expect(alarms(graph).hasPrefix(#","alarms":[{"node":"mode","severity":"alarm","v":"off"},"#))
        try bench.set(graph, [("x", "1")])
        #expect(alarms(graph) == "")
    }

    @Test("a node with an alarm is kept alive: it is raised without listeners")
    func kept() throws {
        let graph = try graph()
        #expect(graph.node("hot")?.living != nil)
        #expect(graph.node("hot")?.definition.retain == .always)
    }

    @Test("a value that was not set for too long is named as out of date, until it is set")
    func stale() throws {
        let graph = try graph()
        bench.pass(6_000)
        #expect(alarms(graph) == #","stale":["x"]"#)
        try bench.set(graph, [("x", "2")])
        #expect(!alarms(graph).contains("stale"))
    }

    @Test("callers see only the alarms that they may read")
    func reading() throws {
        let graph = try graph()
        try bench.set(graph, [("x", "95")])
        #expect(alarms(graph, for: Access(everybody: [])) == "")
    }

    @Test(
        "who follows the list hears at once which graph changes, four times a second at most, and only of what it may read"
    )
    func following() throws {
        let graph = try graph()
        let client = bench.connect()
        #expect(client.ask(#"{"op":"list","id":7,"changes":1}"#).joined().contains("bad_field"))
        _ = client.ask(#"{"op":"list","id":8,"changes":true}"#)
        let stranger = bench.connect(Access(everybody: [.observe]))
        _ = stranger.ask(#"{"op":"list","id":1,"changes":true}"#)
        bench.pass(300)
        #expect(client.take() == [])
        try bench.set(graph, [("x", "60")])
        bench.pass(1)
        #expect(client.take() == [#"{"op":"changes","id":8,"graphs":["g"]}"#])
        // The same alarms are no news, and what changes back meanwhile is none.
        for value in ["61", "1", "62"] { try bench.set(graph, [("x", value)]) }
        bench.pass(600)
        #expect(client.take() == [])
        // The next one comes a quarter of a second after the one before.
        try bench.set(graph, [("x", "63")])
        bench.pass(1)
        try bench.set(graph, [("x", "1")])
        bench.pass(200)
        #expect(client.take() == [])
        bench.pass(60)
        #expect(client.take() == [#"{"op":"changes","id":8,"graphs":["g"]}"#])
        #expect(stranger.take() == [])
        // A client that does not read gets one message when it reads again.
        client.sink.unsentBytes = 1 << 30
        bench.pass(300)
        try bench.set(graph, [("x", "60")])
        bench.pass(300)
        #expect(client.take() == [])
        client.sink.unsentBytes = 0
        bench.pass(300)
        #expect(client.take() == [#"{"op":"changes","id":8,"graphs":["g"]}"#])
    }

    @Test(
        "nothing is looked at once the last that follows has gone, and a later request takes the place of a former"
    )
    func leaving() throws {
        let graph = try graph()
        let client = bench.connect()
        _ = client.ask(#"{"op":"list","id":1,"changes":true}"#)
        _ = client.ask(#"{"op":"list","id":2,"changes":true}"#)
        bench.pass(300)
        try bench.set(graph, [("x", "60")])
        bench.pass(300)
        #expect(client.take() == [#"{"op":"changes","id":2,"graphs":["g"]}"#])
        client.session.close()
        #expect(bench.clients.alarmWatch != nil)
        try bench.set(graph, [("x", "1")])
        bench.pass(300)
        #expect(bench.clients.alarmWatch == nil)
    }

    @Test("a sensor is what the definition calls so, or what programs set often and no person does")
    func roles() throws {
        let graph = try graph()
        let y = try #require(graph.node("y"))
        #expect(graph.node("sensor")?.role == .sensor)
        #expect(y.role == .setting)
        for value in 1...5 { try bench.set(graph, [("y", "\(value)")]) }
        #expect(y.role == .sensor)
        let client = bench.connect()
        _ = client.ask(#"{"op":"set","id":2,"graph":"g","set":{"y":7},"hand":true}"#)
        #expect(y.role == .setting)
    }

    @Test("a picture says what its caller may not set")
    func readOnly() throws {
        let graph = try graph()
        let view = try GraphView(graph, for: Access(everybody: [.read, .observe]))
        let picture = String(decoding: try view.picture(.json, live: true), as: UTF8.self)
        #expect(picture.contains(#""role":"sensor","readOnly":true"#))
        #expect(picture.contains(#""severity":"alarm","ok":"on""#))
        #expect(
            !String(decoding: PictureText(of: graph, live: true).json(), as: UTF8.self).contains("readOnly")
        )
    }

    @Test("a node that clients set after it was removed is reported once, until it is there again")
    func missed() throws {
        let graph = try graph()
        var missed: [String] = []
        bench.host.handlers.onMissed = { missed.append("\($0)/\($1)") }
        let access = Access.full
        func set() { _ = try? GraphView(graph, for: access).node(graph.node("y"), named: "y", to: .set) }
        let less = #"{"graph": "g", "nodes": {"x": {"set": "number"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(less))
        bench.endTurn()
        #expect(alarms(graph) == "")
        set()
        set()
        #expect(missed == ["g/y"])
        #expect(alarms(graph) == #","missed":["y"]"#)
        let more = #"{"graph": "g", "nodes": {"x": {"set": "number"}, "y": {"set": "number"}}}"#
        _ = bench.host.redefine(graph, as: try bench.definition(more))
        bench.endTurn()
        #expect(alarms(graph) == "")
    }
}
