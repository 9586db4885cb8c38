import LogTestSupport
import ReactiveGraph
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

@Suite("Demand of several servers")
struct SharedDemandTests {
    /// Producers are at the first one, clients at all.
    private let servers: [Bench]
    private let links: [LinkedDemand]
    private let producer: Client
    private let client: Client

    init() throws {
        final class Box { var links: [LinkedDemand] = [] }
        let box = Box()
        let names = ["one", "two", "three"]
        let links = names.map { name in
            LinkedDemand(name) { [unowned box] in box.links.filter { $0.name != name } }
        }
        box.links = links
        self.links = links
        keeper = box
        servers = links.map { link in
            let log = FaultyLog()
            log.instance = link.name
            log.demand = link
            return Bench(log: log)
        }
        for server in servers { try server.define(text) }
        producer = servers[0].connect()
        client = servers[1].connect()
    }

    private let keeper: AnyObject

    @discardableResult
    private func demand(_ nodes: String = #"["*"]"#) -> [String] {
        producer.ask(#"{"op":"demand","id":5,"graph":"g","nodes":\#(nodes)}"#) + told()
    }

    /// All turns end, and what they say arrives.
    private func told() -> [String] {
        for _ in 0..<3 {
            for server in servers { server.settle() }
            for server in servers { server.endTurn() }
            for link in links { link.deliver() }
        }
        for server in servers { server.endTurn() }
        return producer.take()
    }

    private func wanted(_ entries: String) -> String { #"{"op":"wanted","id":5,"m":{\#(entries)}}"# }

    @Test("D-4: the first listener of all servers makes a node wanted, the last one ends that")
    func union() {
        #expect(demand(#"["x","y"]"#) == [wanted(#""x":{"wanted":false},"y":{"wanted":false}"#)])
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sum"}"#)
        #expect(told() == [wanted(#""x":{"wanted":true},"y":{"wanted":true}"#)])
        let others = [servers[0].connect(), servers[2].connect()]
        for other in others { other.send(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#) }
        #expect(told().isEmpty)
        client.send(#"{"op":"unsub","id":1}"#)
        #expect(told() == [wanted(#""y":{"wanted":false}"#)])
        others[0].session.close(.reset)
        #expect(told().isEmpty, "one is left at the third server")
        others[1].session.close(.reset)
        #expect(told() == [wanted(#""x":{"wanted":false}"#)])
    }

    @Test("D-4: a producer that comes later receives what is wanted everywhere; another one here at once")
    func late() {
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"sensor.7.hot"}"#)
        #expect(told().isEmpty)
        #expect(demand() == [wanted(""), wanted(#""sensor.7.celsius":{"wanted":true}"#)])
        let other = servers[0].connect()
        let answer = other.ask(#"{"op":"demand","id":5,"graph":"g","nodes":["sensor.*"]}"#)
        #expect(answer == [wanted(#""sensor.7.celsius":{"wanted":true}"#)])
        #expect(servers[0].host["g"]?.members.livingCount == 0)
    }

    @Test("D-4: what a lost server's listeners wanted is not wanted any more")
    func lost() {
        demand()
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        #expect(told() == [wanted(#""y":{"wanted":true}"#)])
        links[0].lose("two")
        servers[0].endTurn()
        #expect(producer.take() == [wanted(#""y":{"wanted":false}"#)])
    }

    @Test("D-4: where no producer asks, at no server, nothing is looked at, and nothing after the last")
    func idle() throws {
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        _ = told()
        let graphs = try servers.map { try #require($0.host["g"]) }
        #expect(graphs.allSatisfy { $0.demand == nil && $0.core.demands.isEmpty })
        demand()
        #expect(graphs.allSatisfy { $0.demand != nil })
        producer.send(#"{"op":"unsub","id":5}"#)
        _ = told()
        #expect(graphs.allSatisfy { $0.demand == nil && $0.core.demands.isEmpty })
        #expect(servers.allSatisfy { $0.host.turn.demanded.isEmpty })
    }

    @Test("D-4: load asks the producers at all servers, once at a time, and again after times.load")
    func load() {
        demand()
        let ask = wanted(#""x":{"wanted":true,"load":true}"#)
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"x","load":true}"#)
        #expect(told() == [ask])
        let third = servers[2].connect()
        third.send(#"{"op":"sub","id":1,"graph":"g","node":"x","load":true}"#)
        #expect(told().isEmpty, "it has been asked for just now")
        third.session.close(.reset)
        for _ in 0..<3 {
            // What the producers' server was asked is almost as old.
            servers[0].leap(9_990)
            servers[1].leap(10_000)
            #expect(told() == [ask])
        }
        client.send(#"{"op":"get","id":2,"graph":"g","nodes":["sensor.7.hot"],"load":true}"#)
        #expect(told() == [wanted(#""sensor.7.celsius":{"wanted":false,"load":true}"#)])
    }

    @Test("D-4: a producer that comes later is asked for what is awaited at other servers")
    func lateLoad() {
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"x","load":true}"#)
        #expect(told().isEmpty)
        demand(#"["y"]"#)
        let other = servers[2].connect()
        other.send(#"{"op":"demand","id":6,"graph":"g","nodes":["x"]}"#)
        _ = told()
        let ask = #"{"op":"wanted","id":6,"m":{"x":{"wanted":true,"load":true}}}"#
        #expect(other.take().last == ask)
        for server in servers { server.leap(10_000) }
        _ = told()
        #expect(other.take() == [ask], "it has not answered")
    }

    @Test("D-4: a graph that ends is wanted nowhere; one that begins again tells what is wanted of it")
    func graphs() throws {
        demand()
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"y"}"#)
        #expect(told() == [wanted(#""y":{"wanted":true}"#)])
        _ = servers[1].host.remove(try #require(servers[1].host["g"]))
        servers[1].host.settle()
        #expect(told() == [wanted(#""y":{"wanted":false}"#)])
        try servers[1].define(text)
        client.send(#"{"op":"sub","id":2,"graph":"g","node":"x"}"#)
        #expect(told() == [wanted(#""x":{"wanted":true}"#)])
    }

    @Test("D-4: a node that another server has as mutable, and this one not yet, is wanted once it is")
    func redefinition() throws {
        demand()
        let new = text.replacing(#""nodes": {"#, with: #""nodes": {"z": {"set": "number"},"#)
        func redefine(_ server: Bench) throws {
            _ = server.host.redefine(try #require(server.host["g"]), as: try server.definition(new))
            server.host.settle()
        }
        try redefine(servers[1])
        client.send(#"{"op":"sub","id":1,"graph":"g","node":"z"}"#)
        #expect(told().isEmpty)
        try redefine(servers[0])
        #expect(told() == [wanted(#""z":{"wanted":true}"#)])
    }
}
