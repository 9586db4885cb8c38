import LogTestSupport
import Testing

@testable import Graphs
@testable import Sessions
@testable import RedisLog
import Support

/// Demand of two servers that share a Redis, step by step.
@Suite("Demand of servers that share a Redis")
struct DemandServerTests {
    private let redis: RedisServer
    private let one: SharedServer
    private let other: SharedServer
    private let producer = Ear()
    private let client = Ear()

    /// A client that keeps the messages it gets.
    private final class Ear: MessageTransport {
        var session: Session?
        private(set) var messages: [String] = []
        let unsentBytes = 0

        func send(_ message: Outgoing) {
            messages.append(message.withBytes { String(decoding: $0, as: UTF8.self) })
        }
        func close(code: UInt16, reason: String) { session?.close() }
        func pauseReading(_ paused: Bool) {}

        func ask(_ message: String) {
            message.withBorrowedBytes { session?.receive(message: $0) }
        }

        func take() -> [String] {
            defer { messages = [] }
            return messages.filter { $0.contains(#""op":"wanted""#) }
        }
    }

    init() throws {
        redis = try RedisServer()
        var words = 0
        func word() -> String {
            words += 1
            return "word\(words)"
        }
        let clock = ManualHostClock(now: 1_000, wall: 1_000_000)
        one = try SharedServer(redis, clock: clock, word: word)
        let text = #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#
        _ = one.host.define(try one.definition(text))
        one.host.settle()
        let clock2 = ManualHostClock(now: 1_000, wall: 9_000_000)
        other = try SharedServer(redis, namesAll: false, clock: clock2, word: word)
        producer.session = Session(of: other.clients, transport: producer)
        client.session = Session(of: one.clients, transport: client)
    }

    private func pass(_ milliseconds: UInt64) {
        for _ in 0..<milliseconds / 50 {
            for server in [one, other] {
                server.pass(50)
                for _ in 0..<3 {
                    server.step(server.writer)
                    server.step(server.listener)
                }
            }
        }
    }

    private static func wanted(_ entries: String) -> String { #"{"op":"wanted","id":1,"m":{\#(entries)}}"# }

    private func demand() {
        producer.ask(#"{"op":"demand","id":1,"graph":"g","nodes":["*"]}"#)
        pass(200)
        #expect(producer.take().first == Self.wanted(""))
    }

    @Test("D-4: it takes no sign of life until a listener counts, also for a server that has just begun")
    func atOnce() {
        demand()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        pass(200)
        #expect(producer.take() == [Self.wanted(#""x":{"wanted":true}"#)])
        client.session?.close(.reset)
        pass(200)
        #expect(producer.take() == [Self.wanted(#""x":{"wanted":false}"#)])
    }

    @Test(
        "D-4: what did not arrive, or may not have, is said again",
        arguments: [StreamFault.unreachable, .lostAnswer]
    )
    func failed(_ fault: StreamFault) {
        producer.ask(#"{"op":"demand","id":1,"graph":"g","nodes":["*"]}"#)
        other.store.fault = fault
        pass(3_000)
        #expect(producer.take() == [Self.wanted("")])
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        one.store.fault = fault
        pass(3_000)
        #expect(producer.take() == [Self.wanted(#""x":{"wanted":true}"#)])
    }

    @Test("D-4: demand that Redis has lost is there again after a sign of life, and stays meanwhile")
    func lost() throws {
        demand()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        pass(200)
        _ = producer.take()
        let keys = try ["world:*demand*", "world:*wanted*"].flatMap { try redis.ask("KEYS", $0).members }
        #expect(keys.count == 3)
        for key in keys { try redis.ask("DEL", try #require(key.text)) }
        pass(200)
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y"}"#)
        pass(5_000)
        #expect(producer.take() == [Self.wanted(#""y":{"wanted":true}"#)])
        for key in keys { try redis.ask("DEL", try #require(key.text)) }
        pass(2_500)
        #expect(producer.take().isEmpty)
        let set = try #require(try redis.ask("KEYS", "world:*wanted*").members.first?.text)
        #expect(try redis.ask("SMEMBERS", set).members.compactMap(\.text).sorted() == ["", "x", "y"])
    }

    @Test("D-4: while Redis is out of reach the own demand is right, and that of others stays; later all is")
    func unreachable() {
        demand()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        pass(200)
        _ = producer.take()
        for server in [one, other] { server.store.isCutOff = true }
        pass(20_000)
        client.session?.close(.reset)
        producer.ask(#"{"op":"sub","id":2,"graph":"g","node":"y"}"#)
        pass(1_000)
        #expect(producer.take() == [Self.wanted(#""y":{"wanted":true}"#)])
        for server in [one, other] { server.store.isCutOff = false }
        pass(5_000)
        #expect(producer.take() == [Self.wanted(#""x":{"wanted":false}"#)])
    }

    @Test("D-4: a server that is silent for ten seconds wants nothing; when it is back, what it wants then")
    func silent() {
        demand()
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        pass(200)
        _ = producer.take()
        one.store.isCutOff = true
        pass(8_000)
        #expect(producer.take().isEmpty)
        pass(6_000)
        #expect(producer.take() == [Self.wanted(#""x":{"wanted":false}"#)])
        client.ask(#"{"op":"sub","id":2,"graph":"g","node":"y"}"#)
        one.store.isCutOff = false
        pass(5_000)
        let all = producer.take().joined()
        #expect(all.contains(#""x":{"wanted":true}"#) && all.contains(#""y":{"wanted":true}"#))
    }

    @Test("D-4: what is told ends when the last follower has gone, two signs of life later")
    func unfollowed() throws {
        client.ask(#"{"op":"sub","id":1,"graph":"g","node":"x"}"#)
        demand()
        #expect(try redis.ask("KEYS", "world:*wanted*").members.count == 1)
        producer.ask(#"{"op":"unsub","id":1}"#)
        pass(7_000)
        #expect(try redis.ask("KEYS", "world:*wanted*").members.isEmpty)
        #expect(try redis.ask("KEYS", "world:demand:*").members.isEmpty)
        #expect(one.host["g"]?.demand == nil)
    }
}
