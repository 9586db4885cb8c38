import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions

private let graphText = #"{"graph": "g", "nodes": {"x": {"set": "any"}}}"#

private func limits(sets: UInt64 = 0, messages: UInt64 = 0) -> SessionLimits {
    var limits = SessionLimits.ample
    limits.setsPerSecond = sets
    limits.messagesPerSecond = messages
    return limits
}

@Suite("Rates of clients")
struct RateTests {
    private func set(_ client: Client, _ id: Int) -> String {
        client.ask(#"{"op":"set","id":\#(id),"graph":"g","set":{"x":\#(id)}}"#).last ?? ""
    }

    @Test(
        "limits.sets: what comes too fast is refused with the time to wait, changes nothing, and is taken then"
    )
    func sets() throws {
        let bench = Bench(limits: limits(sets: 2))
        let graph = try bench.define(graphText)
        let client = bench.connect()
        #expect(set(client, 1).contains(#""op":"ok""#))
        #expect(set(client, 2).contains(#""op":"ok""#))
        #expect(
            set(client, 3)
                == #"{"op":"err","id":3,"code":"rate_limited","msg":"at most 2 sets per second","retry":true,"after":500}"#
        )
        #expect(graph.rev == 3)
        #expect(client.ask(#"{"op":"ping","id":4}"#) == [#"{"op":"ok","id":4}"#], "only sets are counted")
        #expect(set(bench.connect(), 1).contains("rate_limited"), "its connections share one rate")
        let other = bench.connect()
        other.sink.networkPlace = NetworkPlace(high: 0, low: 1)
        #expect(set(other, 1).contains(#""op":"ok""#), "each address for itself")
        bench.pass(500)
        #expect(set(client, 3).contains(#""op":"ok""#))
    }

    @Test("With tokens each principal has one rate, whatever its connections and addresses")
    func principals() throws {
        let bench = Bench(limits: limits(sets: 2, messages: 3))
        let graph = try bench.define(graphText)
        func connect(_ name: String, at place: UInt64) -> Client {
            let client = bench.connect(Access(Principal(name: name, grants: [Principal.Grant()])))
            client.sink.networkPlace = NetworkPlace(high: 0, low: place)
            return client
        }
        for number in 1...40 {
            let answer = set(connect("device", at: UInt64(number)), 1)
            #expect(answer.contains(number <= 2 ? #""op":"ok""# : "rate_limited"), "\(number)")
            if number > 3 { #expect(answer.contains("at most 3 messages per second"), "\(number)") }
        }
        #expect(graph.rev == 3)
        #expect(set(connect("other", at: 1), 1).contains(#""op":"ok""#))
    }

    @Test("limits.messages: every object counts, also those in a list, and invalid ones")
    func messages() throws {
        let bench = Bench(limits: limits(messages: 3))
        try bench.define(graphText)
        let client = bench.connect()
        let answers = client.ask(#"[{"op":"ping","id":1},7,{"op":"ping","id":2},{"op":"ping","id":3},8]"#)
        #expect(answers.count == 5)
        #expect(answers[0] == #"{"op":"ok","id":1}"#)
        #expect(answers[1].contains("bad_json"))
        #expect(answers[2] == #"{"op":"ok","id":2}"#)
        #expect(answers[3].contains(#""id":3,"code":"rate_limited""#) && answers[3].contains(#""after":334"#))
        #expect(answers[4].contains("rate_limited"))
        #expect(client.sink.closes.isEmpty)
    }

    @Test("A burst is one breach; the tenth within a minute ends the connection with 4429")
    func repeated() throws {
        let bench = Bench(limits: limits(messages: 1))
        try bench.define(graphText)
        let client = bench.connect()
        for _ in 0..<200 { client.send(#"{"op":"ping","id":1}"#) }
        #expect(client.sink.closes.isEmpty)
        for quarter in 2...9 {
            bench.pass(250)
            for _ in 0..<5 { client.send(#"{"op":"ping","id":1}"#) }
            #expect(client.sink.closes.isEmpty, "\(quarter)")
        }
        bench.pass(250)
        for _ in 0..<5 where !client.session.isClosed { client.send(#"{"op":"ping","id":1}"#) }
        #expect(client.sink.closes == ["4429 rate_limited"])
        #expect(client.session.isClosed)
    }

    @Test(
        "sub_limit and pipe_limit count with rate_limited: the tenth within a minute ends the connection with 4429",
        arguments: [
            (#"{"op":"sub","id":2,"graph":"g","node":"x"}"#, "sub_limit"),
            (#"{"op":"sub","id":2,"graph":"g","all":"*","reduce":"count"}"#, "pipe_limit"),
        ]
    )
    func repeatedLimits(request: String, code: String) throws {
        var limits = SessionLimits.ample
        limits.held = 1
        limits.subscriptions = code == "sub_limit" ? 1 : 2
        let bench = Bench(limits: limits)
        try bench.define(graphText)
        let client = bench.connect()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        for _ in 0..<20 { #expect(client.ask(request).last?.contains(code) == true) }
        for _ in 2...9 {
            bench.pass(250)
            client.ask(request)
        }
        #expect(client.sink.closes.isEmpty)
        bench.pass(250)
        #expect(client.ask(request).last?.contains(code) == true, "it is answered first")
        #expect(client.sink.closes == ["4429 \(code)"])
    }

    @Test(
        "So do bad_op and bad_field among themselves, with 4400",
        arguments: [(#"{"op":"dance","id":1}"#, "bad_op"), (#"{"op":"sub","id":0}"#, "bad_field")]
    )
    func repeatedMisuse(request: String, code: String) throws {
        let bench = Bench()
        try bench.define(graphText)
        let client = bench.connect()
        for _ in 1...9 {
            for _ in 0..<5 { client.ask(request) }
            bench.pass(250)
        }
        #expect(client.sink.closes.isEmpty)
        #expect(client.ask(request).last?.contains(code) == true)
        #expect(client.sink.closes == ["4400 \(code)"])
        let seldom = bench.connect()
        for _ in 0..<30 {
            seldom.ask(request)
            bench.pass(7_000)
        }
        #expect(seldom.sink.closes.isEmpty)
    }

    @Test("A client that is too fast now and then, but not ten times a minute, stays")
    func seldom() throws {
        let bench = Bench(limits: limits(messages: 1))
        try bench.define(graphText)
        let client = bench.connect()
        for _ in 0..<30 {
            for _ in 0..<3 { client.send(#"{"op":"ping","id":1}"#) }
            bench.pass(7_000)
        }
        #expect(client.sink.closes.isEmpty)
    }

    @Test("A plain stream has no other way to say it: the first value that comes too fast closes it")
    func plainStream() throws {
        let bench = Bench(limits: limits(sets: 1))
        let graph = try bench.define(graphText)
        let client = bench.connect(form: .node(try #require(graph.node("x"))))
        try client.session.stream()
        client.send("1")
        client.send("2")
        #expect(client.sink.closes == ["4429 rate_limited"])
        #expect(graph.rev == 2)
    }
}
