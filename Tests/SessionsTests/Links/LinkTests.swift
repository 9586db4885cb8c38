import LogTestSupport
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A chain of forty nodes that are set.
private let longText =
    "{\"graph\":\"g\",\"nodes\":{\((0..<40).map { "\"n\($0)\":{\"set\":\"any\"}" }.joined(separator: ","))}}"

private let graphText = """
    {"graph": "g", "nodes": {
      "a": {"set": "any"}, "b": {"set": "number", "max": 100, "history": 10}, "c": {"set": "any"},
      "twice": {"from": "a", "pipe": [{"map": "value * 2"}]},
      "both": {"combine": {"x": "a", "y": "c"}, "map": "x + y"},
      "late": {"from": "a", "retain": "whileInUse", "pipe": [{"delay": 10}]}
    }}
    """

@Suite("Links of clients")
struct LinkTests {
    private func prepared(
        _ text: String = graphText,
        log: FaultyLog? = nil,
        limits: SessionLimits = .ample
    ) throws -> (Bench, LiveGraph, Client) {
        let bench = Bench(log: log, limits: limits)
        let graph = try bench.define(text)
        return (bench, graph, bench.connect())
    }

    private func link(_ client: Client, _ id: Int, _ from: String, _ to: String, _ more: String = "") {
        let answers = client.ask(
            #"{"op":"link","id":\#(id),"graph":"g","from":"\#(from)","to":"\#(to)"\#(more)}"#
        )
        let start = #"{"op":"linked","id":\#(id),"epoch":"e1","rev":"#
        #expect(answers.count == 1 && answers[0].hasPrefix(start))
    }

    private func read(_ bench: Bench, _ graph: LiveGraph, _ names: String...) throws -> [String] {
        try names.map { try bench.read(graph, $0) }
    }

    // MARK: - Where values stop

    @Test("X-10: a ring over a derived node stops at the node that was set, and each effect is a commit")
    func derivedRing() throws {
        let (bench, graph, client) = try prepared()
        link(client, 1, "twice", "c")
        link(client, 2, "c", "a")
        let rev = graph.rev
        try bench.set(graph, [("a", "3")])
        #expect(try read(bench, graph, "a", "twice", "c") == ["3", "6", "6"] && graph.rev == rev + 2)
        try bench.set(graph, [("c", "5")])
        // c → a → twice, which leads back to c.
        #expect(try read(bench, graph, "a", "twice", "c") == ["5", "10", "5"] && graph.rev == rev + 4)
    }

    @Test("X-10: a value that came through a join knows the input that it came from")
    func join() throws {
        let (bench, graph, client) = try prepared()
        link(client, 1, "both", "b")
        link(client, 2, "b", "a", #","pipe":[{"map":"value + 1"}]"#)
        try bench.set(graph, [("a", "1"), ("c", "2")])
        bench.settle()
        let rev = graph.rev
        try bench.set(graph, [("a", "5")])
        bench.settle()
        #expect(try read(bench, graph, "a", "b") == ["5", "7"] && graph.rev == rev + 2)
        try bench.set(graph, [("c", "3")])
        bench.settle()
        // c → both → b → a → both, which leads back to b.
        #expect(try read(bench, graph, "a", "b") == ["9", "8"] && graph.rev == rev + 5)
    }

    @Test("X-10: a ring that is longer than a path is given up, and said so")
    func longRing() throws {
        let (bench, graph, client) = try prepared(longText)
        for place in 0..<40 { link(client, place + 1, "n\(place)", "n\((place + 1) % 40)") }
        try bench.set(graph, [("n0", "1")])
        bench.settle()
        let news = client.take()
        let fail = #"{"id":33,"fail":{"code":"cycle_limit","at":"link""#
        #expect(news.count == 1 && news[0].contains(fail), "\(news)")
        #expect(try read(bench, graph, "n32", "n33") == ["1", "empty"])
    }

    @Test("X-10: where everything is linked with everything, one value causes a bounded number of commits")
    func everyPath() throws {
        let (bench, graph, client) = try prepared(longText)
        var id = 0
        for from in 0..<9 {
            for to in 0..<9 where from != to {
                id += 1
                link(client, id, "n\(from)", "n\(to)")
            }
        }
        let rev = graph.rev
        try bench.set(graph, [("n0", "1")])
        bench.settle()
        #expect(graph.rev - rev > 1_000 && graph.rev - rev <= 8_100)
        #expect(client.take().contains { $0.contains("cycle_limit") })
    }

    @Test("X-10: what another link costs does not depend on how many there are")
    func price() throws {
        let nodes = (0..<400).map { "\"n\($0)\":{\"set\":\"any\"}" }.joined(separator: ",")
        var limits = SessionLimits.ample
        limits.work = 1_000_000
        let (bench, graph, _) = try prepared("{\"graph\":\"g\",\"nodes\":{\(nodes)}}", limits: limits)
        let times = (0..<10).map { _ -> Double in
            let client = bench.connect()
            return processorSeconds {
                for place in 0..<200 { link(client, place + 1, "n\(place)", "n\(place + 200)") }
            }
        }
        #expect(graph.clients.links.count == 2_000)
        // Ten times as much, if each of them looks at all others.
        let first: Double = times.prefix(3).reduce(0, +)
        let last: Double = times.suffix(3).reduce(0, +)
        #expect(last < first * 3, "\(times)")
    }

    // MARK: - Ends

    @Test("X-10: a sync ends under its own id, whichever direction is slow, and when the server stops")
    func endsOfSync() throws {
        let sync = #"{"op":"sync","id":1,"graph":"g","a":"a","b":"c","queue":4}"#
        func end(_ code: String) -> [String] { [#"{"op":"end","id":1,"code":"\#(code)","released":0}"#] }
        for changed in ["a", "c"] {
            let (bench, graph, client) = try prepared(log: FaultyLog())
            client.ask(sync)
            client.ask(#"{"op":"mod","id":2,"sub":1,"queue":2}"#)
            for value in 0..<4 { try bench.submit(graph, [(changed, "\(value)")]) }
            bench.endTurn()
            bench.settle()
            #expect(client.take() == end("slow") && graph.clients.links.isEmpty)
        }
        let (_, _, client) = try prepared()
        client.ask(sync)
        client.session.shutDown(after: 10)
        #expect(client.take() == end("shutdown"))
    }

    @Test("X-10: a link through `prefix` ends when its last value is set, or needs not be")
    func prefix() throws {
        let (bench, graph, client) = try prepared()
        link(client, 1, "a", "c", #","pipe":[{"prefix":2}]"#)
        link(client, 2, "c", "a", #","pipe":[{"prefix":1}]"#)
        for value in 1...3 { try bench.set(graph, [("a", "\(value)")]) }
        bench.settle()
        let ends = [2, 1].map { #"{"op":"end","id":\#($0),"code":"complete","released":1}"# }
        #expect(client.take() == ends && graph.clients.links.isEmpty)
        #expect(try read(bench, graph, "a", "c") == ["3", "2"])
    }

    // MARK: - Values

    @Test("X-10: every value is set, in order, also through a pipeline, and emptiness too")
    func everyValue() throws {
        let (bench, graph, client) = try prepared()
        link(client, 1, "a", "b", #","pipe":[{"map":"value + 1"}]"#)
        link(client, 2, "a", "c")
        for value in 1...3 { try bench.submit(graph, [("a", "\(value)")]) }
        try bench.submit(graph, [], clear: ["a"])
        bench.endTurn()
        bench.settle()
        let ring = try #require(graph.node("b")?.ring)
        #expect((0..<ring.count).map { ring[$0].value?.text } == ["2", "3", "4", nil])
        #expect(try read(bench, graph, "b", "c") == ["empty", "empty"])
    }

    @Test("X-10: the present value is set at once, unless initial is false; emptiness is not (G-22)")
    func firstValue() throws {
        let (bench, graph, client) = try prepared()
        try bench.set(graph, [("c", "7")])
        link(client, 1, "a", "c")
        #expect(try bench.read(graph, "c") == "7")
        link(client, 2, "c", "b", #","initial":false"#)
        #expect(try bench.read(graph, "b") == "empty")
        link(client, 3, "c", "a", #","pipe":[{"map":"value + 1"}]"#)
        bench.settle()
        #expect(try bench.read(graph, "a") == "8")
    }

    @Test("X-10: in a sync the newest change wins, and what one commit sets to both stays")
    func newest() throws {
        let (bench, graph, client) = try prepared()
        let answers = client.ask(#"{"op":"sync","id":1,"graph":"g","a":"a","b":"c"}"#)
        #expect(answers.first?.contains("linked") == true)
        try bench.set(graph, [("a", "1"), ("c", "2")])
        #expect(try read(bench, graph, "a", "c") == ["1", "2"])
        // Two commits in one turn: the effect of the first comes after the second.
        try bench.submit(graph, [("a", "3")])
        try bench.submit(graph, [("c", "4")])
        bench.endTurn()
        bench.settle()
        #expect(try read(bench, graph, "a", "c") == ["4", "4"])
        // Two values of one node in one turn: what the link has set itself is older.
        try bench.submit(graph, [("a", "5")])
        try bench.submit(graph, [("a", "6")])
        bench.endTurn()
        bench.settle()
        #expect(try read(bench, graph, "a", "c") == ["6", "6"])
        try bench.submit(graph, [], clear: ["c"])
        bench.endTurn()
        #expect(try read(bench, graph, "a", "c") == ["empty", "empty"])
        #expect(client.take() == [], "nothing was refused")
    }

    @Test("X-10: a sync keeps nodes in step over a slow log, also what is on its way when it is made")
    func slowSync() throws {
        let log = FaultyLog()
        let (bench, graph, client) = try prepared(log: log)
        try bench.set(graph, [("c", "1")])
        log.isSlow = true
        func settle() {
            repeat {
                log.confirm()
                bench.host.flush()
            } while log.pending > 0
        }
        func expectStep(_ text: String) throws {
            settle()
            #expect(try read(bench, graph, "a", "c") == [text, text])
        }
        try bench.submit(graph, [("a", "2")])
        bench.host.flush()
        _ = client.ask(#"{"op":"sync","id":1,"graph":"g","a":"a","b":"c"}"#)
        try expectStep("2")
        // Each turn, a value comes before the effect of the former one is answered.
        for value in 3...6 {
            try bench.submit(graph, [("c", "\(value)")])
            bench.host.flush()
            log.confirm()
        }
        try expectStep("6")
        // The other node is changed while an effect is on its way to it.
        try bench.submit(graph, [("c", "7")])
        bench.host.flush()
        log.confirm()
        bench.host.flush()
        try bench.submit(graph, [("a", "8")])
        try expectStep("8")
        // The other node has a newer change on its way when the effect of the former is made.
        try bench.submit(graph, [("a", "11")])
        bench.host.flush()
        try bench.submit(graph, [("c", "12")])
        bench.host.flush()
        log.confirm(1)
        bench.host.flush()
        try expectStep("12")
        // The other node was to be changed, but the log refuses it.
        try bench.submit(graph, [("a", "9")])
        bench.host.flush()
        try bench.submit(graph, [("c", "10")])
        bench.host.flush()
        log.confirm(1)
        bench.host.flush()
        log.lose(HostError(.noSpace, "full"))
        try expectStep("9")
        #expect(client.take().allSatisfy { !$0.contains("fail") })
    }

    @Test("X-10: what a sync begins with wins over what came to its other node just before")
    func beganAfterBoth() throws {
        let log = FaultyLog()
        let (bench, graph, client) = try prepared(log: log)
        for (first, second) in [("a", "c"), ("c", "a")] {
            log.isSlow = true
            // Both are on their way when it is made, and one effect is made before the sync begins.
            try bench.submit(graph, [(first, "1")])
            try bench.submit(graph, [(second, "2")])
            bench.host.flush()
            _ = client.ask(#"{"op":"sync","id":1,"graph":"g","a":"\#(second)","b":"\#(first)"}"#)
            repeat {
                log.confirm()
                bench.host.flush()
            } while log.pending > 0
            let values = try read(bench, graph, "a", "c")
            #expect(values[0] == values[1], "\(values)")
            _ = client.ask(#"{"op":"unsub","id":1}"#)
        }
    }

    @Test("X-10: the newest change wins also over what another sync, which has ended, has on its way")
    func endedSync() throws {
        let log = FaultyLog()
        let (bench, graph, client) = try prepared(log: log)
        let other = bench.connect()
        try bench.set(graph, [("a", "0"), ("c", "0")])
        log.isSlow = true
        func turn() {
            bench.host.flush()
            log.confirm()
        }
        func expectStep(_ text: String) throws {
            repeat { turn() } while log.pending > 0
            bench.host.flush()
            #expect(try read(bench, graph, "a", "c") == [text, text])
        }
        let sync = #"{"op":"sync","id":1,"graph":"g","a":"a","b":"c"}"#
        _ = client.ask(sync)
        try expectStep("0")
        // Made again while the effect of the former one is on its way.
        try bench.submit(graph, [("a", "1")])
        turn()
        bench.host.flush()
        #expect(log.pending == 1)
        _ = client.ask(#"{"op":"unsub","id":1}"#)
        _ = client.ask(sync)
        try expectStep("1")
        // The same nodes in step twice; one ends between two values.
        _ = other.ask(sync)
        try expectStep("1")
        try bench.submit(graph, [("a", "2")])
        turn()
        bench.host.flush()
        #expect(log.pending == 1, "what both lead to the other node is set once")
        try expectStep("2")
        for value in 3...5 {
            try bench.submit(graph, [("a", "\(value)")])
            turn()
            if value == 4 { _ = other.ask(#"{"op":"unsub","id":1}"#) }
        }
        try expectStep("5")
    }

    // MARK: - The log, rates and limits

    @Test("X-10: a slow log gets the effects in order; what waits too long ends the link with slow")
    func slowLog() throws {
        let log = FaultyLog()
        let (bench, graph, client) = try prepared(log: log)
        link(client, 1, "a", "b", #","queue":3"#)
        log.isSlow = true
        for value in 1...3 { try bench.submit(graph, [("a", "\(value)")]) }
        bench.host.flush()
        log.confirm()
        bench.host.flush()
        #expect(log.pending == 3, "the effects of three values")
        log.confirm()
        bench.host.flush()
        let ring = try #require(graph.node("b")?.ring)
        #expect((0..<ring.count).map { ring[$0].value?.text } == ["1", "2", "3"])
        #expect(client.take() == [])
        for value in 4...9 { try bench.submit(graph, [("a", "\(value)")]) }
        bench.host.flush()
        log.confirm()
        bench.host.flush()
        #expect(client.take() == [#"{"op":"end","id":1,"code":"slow","released":0}"#])
        log.confirm()
        bench.host.flush()
        #expect(graph.clients.links.isEmpty && graph.clients.subscriptions == 0 && graph.isWhole)
    }

    @Test("X-10: what is at the log when its client leaves is committed, and nothing after it")
    func leavingWithEffects() throws {
        let log = FaultyLog()
        let (bench, graph, _) = try prepared(log: log)
        var client: Client? = bench.connect()
        if let client { link(client, 1, "a", "b") }
        if let client { link(client, 2, "b", "c") }
        log.isSlow = true
        try bench.submit(graph, [("a", "1")])
        bench.host.flush()
        log.confirm()
        bench.host.flush()
        client?.session.close()
        client = nil
        bench.host.flush()
        #expect(log.pending == 1)
        log.confirm()
        bench.host.flush()
        #expect(try read(bench, graph, "a", "b", "c") == ["1", "1", "empty"])
    }

    @Test("X-10: above limits.sets of their client the values wait, and none is lost")
    func rates() throws {
        var limits = SessionLimits.ample
        limits.setsPerSecond = 2
        let (bench, graph, client) = try prepared(limits: limits)
        link(client, 1, "a", "b")
        for value in 1...5 { try bench.submit(graph, [("a", "\(value)")]) }
        bench.endTurn()
        bench.settle()
        #expect(try bench.read(graph, "b") == "2")
        bench.pass(500)
        #expect(try bench.read(graph, "b") == "3")
        bench.pass(1_000)
        #expect(try bench.read(graph, "b") == "5")
        #expect(client.take() == [])
        client.session.close()
        bench.endTurn()
        #expect(bench.host.nextDeadline == nil)
    }

    @Test("X-10: the same refusal is sent once, and the value that is set after it")
    func refusals() throws {
        let (bench, graph, client) = try prepared()
        link(client, 1, "a", "b")
        for value in ["101", "102", #""text""#, "103"] { try bench.set(graph, [("a", value)]) }
        let codes = client.take().map { $0.contains("type_mismatch") }
        #expect(codes == [true, true, true], "too great twice, no number, too great again")
        try bench.set(graph, [("a", "5")])
        try bench.set(graph, [("a", "6")])
        let news = client.take()
        #expect(news.count == 1 && news[0].contains(#""d":[{"id":1,"v":5}]"#), "\(news)")
        #expect(try bench.read(graph, "b") == "6")
    }

    @Test("X-10: the commits of a link are its principal's, of origin link, and go on with the path")
    func provenance() throws {
        let (bench, graph, _) = try prepared()
        let grant = Principal.Grant(can: [.read, .pipe, .set, .link])
        let client = bench.connect(Access(Principal(name: "linker", grants: [grant])))
        link(client, 1, "twice", "c")
        let watcher = bench.connect()
        watcher.ask(#"{"op":"sub","id":1,"graph":"g","node":"c","mode":"all","path":true}"#)
        try bench.set(graph, [("a", "2")])
        let news = watcher.take()
        let origin = #""path":["e1/g/a","e1/g/twice","e1/g/c"],"by":"linker","origin":"link""#
        #expect(news.count == 1 && news[0].contains(origin), "\(news)")
    }

    // MARK: - The end

    @Test("X-10: unsub, mod, release and the end of the connection end a sync as one, and free what it held")
    func ends() throws {
        let (bench, graph, client) = try prepared()
        let start = graph.statistics
        func sync() {
            let answers = client.ask(
                #"{"op":"sync","id":1,"graph":"g","a":"a","b":"c","to_b":"value + 1","to_a":"value - 1","owner":"p"}"#
            )
            #expect(answers.count == 1 && answers[0].hasPrefix(#"{"op":"linked","id":1,"#))
            #expect(graph.statistics.listeners == start.listeners + 2)
        }
        let end = #"{"op":"end","id":1,"code":"done","released":2}"#
        for (request, answer) in [
            (#"{"op":"unsub","id":1}"#, []),
            (#"{"op":"release","id":2,"owner":"p"}"#, [#"{"op":"ok","id":2,"ended":[1],"released":2}"#]),
            (#"{"op":"mod","id":2,"sub":1,"removeOwner":"p"}"#, [#"{"op":"ok","id":2}"#]),
        ] {
            sync()
            #expect(client.ask(request) == [end] + answer)
            #expect(graph.statistics.nodes == start.nodes && graph.clients.links.isEmpty)
        }
        sync()
        let refusal = client.ask(#"{"op":"mod","id":2,"sub":1,"mode":"latest"}"#)
        #expect(refusal.first?.contains("bad_field") == true)
        try bench.submit(graph, [("a", "1")])
        client.session.close()
        bench.endTurn()
        #expect(try bench.read(graph, "c") == "empty")
        #expect(graph.statistics.nodes == start.nodes && graph.clients.subscriptions == 0 && graph.isWhole)
    }

    @Test("X-10: a stage that waits may lie on no ring, also over all and members of families")
    func waiting() throws {
        let (_, _, client) = try prepared(
            """
            {"graph":"g","nodes":{
              "a":{"set":"any"}, "b":{"set":"any"}, "late":{"from":"a","pipe":[{"debounce":5}]},
              "s.{i}":{"set":"any"}, "w.{i}":{"from":"s.{i}","pipe":[{"sample":5}]},
              "all":{"all":"w.*","reduce":"count"},
              "free.{i}":{"from":"s.{i}","pipe":[{"map":"value"}]}
            }}
            """
        )
        let cycle = ["late→a", "w.1→s.1", "all→s.7"]
        // The last one closes a ring over an earlier link: late → s.1 → w.1 → all → a.
        let over = ["all→a"]
        for (id, way) in (cycle + ["late→s.1", "w.1→s.2", "free.1→s.1", "all→b"] + over).enumerated() {
            let ends = way.split(separator: "→")
            let answers = client.ask(
                #"{"op":"link","id":\#(id + 1),"graph":"g","from":"\#(ends[0])","to":"\#(ends[1])"}"#
            )
            let isRefused = (cycle + over).contains(way)
            let answer = answers.first ?? ""
            #expect(answer.contains("cycle_limit") == isRefused, "\(way): \(answer)")
        }
    }
}
