@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing

private let graphText = """
    {"graph": "g", "nodes": {"x": {"set": "any", "initial": 0}, "y": {"set": "any"}}}
    """

@Suite("Slow connections")
struct SlowSinkTests {
    @Test(
        "Above the soft limit a latest subscription keeps a mark and gets the newest value when the socket drains"
    )
    func marks() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y"}"#)
        client.sink.unsentBytes = 65_537
        for number in 1...1000 { try bench.set(graph, [("x", "\(number)")]) }
        try bench.submit(graph, [], clear: ["x"])
        bench.host.flush()
        #expect(client.take() == [])
        #expect(client.ask(#"{"op":"ping","id":7}"#).count == 1, "answers pass the soft limit")

        client.sink.unsentBytes = 100
        client.session.drained()
        bench.host.flush()
        #expect(
            client.take() == [
                #"{"op":"upd","graph":"g","rev":1002,"t":5000000,"d":[{"id":1,"empty":true,"n":1001}]}"#
            ]
        )
        try bench.set(graph, [("y", "1")])
        #expect(client.take().count == 1)
    }

    @Test("Long answers of one turn do not make a client slow that reads them")
    func collected() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        try bench.set(graph, [("y", "\"" + String(repeating: "y", count: 70_000) + "\"")])
        client.sink.isCollecting = true
        client.send(#"[{"op":"get","id":2,"graph":"g","node":"y"},{"op":"set","graph":"g","set":{"x":1}}]"#)
        bench.endTurn()
        #expect(client.take().count == 2)
        try bench.set(graph, [("x", "2")])
        #expect(client.take().count == 1)
    }

    @Test("Long answers of one turn do not end a queue of mode all that is full")
    func collectedBeforeQueue() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","queue":2}"#)
        try bench.set(graph, [("y", "\"" + String(repeating: "y", count: 70_000) + "\"")])
        client.sink.isCollecting = true
        client.send(#"{"op":"get","id":2,"graph":"g","node":"y"}"#)
        for number in 1...5 { try bench.submit(graph, [("x", "\(number)")]) }
        bench.endTurn()
        #expect(client.take().count == 6)
    }

    @Test("Equal messages to many clients have one number, and other bytes another")
    func sharedNumbers() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let clients = (1...4).map { _ in bench.connect() }
        for (place, client) in clients.enumerated() {
            client.ask(#"{"op":"sub","id":\#(place == 3 ? 2 : 1),"graph":"g","node":"x"}"#)
        }
        for value in 1...3 {
            try bench.set(graph, [("x", "\(value)")])
            bench.host.flush()
        }
        var known: [UInt64: String] = [:]
        for client in clients {
            #expect(client.sink.shared.count == 3)
            for (number, message) in client.sink.shared {
                #expect(known.updateValue(message, forKey: number) ?? message == message)
            }
        }
        #expect(known.count == 6, "two forms of each of three messages")
        #expect(Set(known.values).count == 6)
        let alike = clients.prefix(3).map { $0.sink.shared.map(\.number) }
        #expect(alike.allSatisfy { $0 == alike[0] })
    }

    @Test(
        "Many that overflow at once end over several turns, and receive nothing meanwhile; so do many above the hard limit"
    )
    func crowd() throws {
        for hardBytes in [1 << 20, 3_000] {
            var limits = SessionLimits.ample
            limits.work = 20
            (limits.softBytes, limits.hardBytes) = (2_000, hardBytes)
            let bench = Bench(limits: limits)
            let graph = try bench.define(graphText)
            let client = bench.connect()
            for id in 1...100 {
                let pipe = #"[{"map":"value + \#(id)"},{"map":"value * 2"}]"#
                client.ask(
                    #"{"op":"sub","id":\#(id),"graph":"g","node":"x","mode":"all","queue":3,"pipe":\#(pipe)}"#
                )
                bench.pass(1)
            }
            try #require(client.session.subscriptionCount == 100 && client.session.subscription(77)?.id == 77)
            _ = client.take()
            client.sink.unsentBytes = 1 << 17
            if hardBytes == 3_000 { client.sink.unsentBytes = 2_500 }
            for number in 1...4 { try bench.submit(graph, [("x", "\(1_000_000 + number)")]) }
            #expect(client.session.outbox.queue.emissions.allSatisfy { !$0.subscription.isMuted })
            var turns = 0
            while bench.host.isBehind {
                try #require(turns < 1_000)
                turns += 1
                bench.endTurn()
                let released = graph.statistics.released
                bench.host.advance()
                #expect(graph.statistics.released - released <= 4, "turn \(turns)")
                if turns < 150 { try bench.submit(graph, [("x", "\(turns)")]) }
            }
            #expect(turns >= 5)
            let messages = client.take()
            let ended = messages.count { $0.contains(#""code":"slow""#) }
            #expect(hardBytes == 3_000 ? ended >= 20 : ended == 100, "\(ended)")
            #expect(hardBytes == 3_000 || messages.count == ended, "nothing else is said")
            #expect(client.session.outbox.queue.bytes <= hardBytes)
            client.session.close()
            bench.pass(50)
            #expect(graph.clients.subscriptions == 0 && graph.isWhole)
        }
    }

    @Test("Mode all queues while the socket is full, and ends with slow when the queue overflows")
    func overflow() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","queue":3}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"x","mode":"all","queue":10}"#)
        client.sink.unsentBytes = 65_537
        for number in 1...3 { try bench.set(graph, [("x", "\(number)")]) }
        #expect(client.take() == [])
        try bench.set(graph, [("x", "4")])
        #expect(client.take() == [#"{"op":"end","id":1,"code":"slow","released":0}"#])

        client.sink.unsentBytes = 0
        client.session.drained()
        bench.host.flush()
        let frames = client.take()
        #expect(frames.count == 4)
        #expect(frames.last == #"{"op":"upd","graph":"g","rev":5,"t":5000000,"d":[{"id":2,"v":4}]}"#)
        #expect(client.session.outbox.queue.bytes == 0)
    }

    @Test("A burst longer than the queue is no overflow while the socket takes it")
    func burst() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all","queue":2}"#)
        for number in 1...10 { try bench.submit(graph, [("x", "\(number)")]) }
        bench.host.flush()
        let frames = client.take()
        #expect(frames.count == 10)
        #expect(frames.allSatisfy { $0.contains(#""op":"upd""#) })
    }

    @Test("Past the hard limit the largest queue ends, and then the connection")
    func hardLimit() throws {
        var limits = SessionLimits.ample
        limits.hardBytes = 70_000
        let bench = Bench(limits: limits)
        let graph = try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","mode":"all"}"#)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y","mode":"all"}"#)
        client.sink.unsentBytes = 66_000
        try bench.set(graph, [("y", "1")])
        for _ in 1...100 where client.session.subscriptions.count == 2 {
            try bench.set(graph, [("x", "\"\(String(repeating: "a", count: 1000))\"")])
        }
        #expect(client.take() == [#"{"op":"end","id":1,"code":"slow","released":0}"#])
        #expect(!client.session.isClosed)
        client.sink.unsentBytes = 70_001
        client.ask(#"{"op":"ping","id":3}"#)
        #expect(client.sink.closes == ["4580 slow"])
        #expect(client.session.isClosed)
        #expect(graph.statistics.listeners == 0)
    }
}
