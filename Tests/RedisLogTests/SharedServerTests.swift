import Commits
import DiskSupport
import LogTestSupport
import Testing
import Values

@testable import Graphs
@testable import RedisLog

/// What one server does when Redis does not answer, step by step.
@Suite("A server whose Redis fails")
struct SharedServerTests {
    private let redis: RedisServer
    private let clock = ManualHostClock(now: 1_000, wall: 1_000_000)
    private let server: SharedServer
    private static let definition = #"{"graph":"g","nodes":{"x":{"set":"any","initial":0}}}"#

    init() throws {
        redis = try RedisServer()
        server = try SharedServer(redis, clock: clock, word: RandomWords().next)
        let definition = try server.definition(Self.definition)
        _ = server.host.define(definition)
        server.host.settle()
    }

    private final class Answer {
        var result: Result<Applied, HostError>?
    }

    private func set(_ value: String, holding expected: String? = nil) throws -> Answer {
        let graph = try #require(server.host["g"])
        let node = try #require(graph.node("x"))
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(node, try Datum.parse(value)))
        if let expected { commit.conditions = [Condition(node, .holds(try Datum.parse(expected)))] }
        let answer = Answer()
        guard case .pending(let pending) = server.host.submit(commit) else { throw StoreError("not pending") }
        pending.onAnswer { answer.result = $0 }
        server.host.flush()
        return answer
    }

    /// Lets time go by, in which the threads work, or only the one that writes.
    private func pass(_ milliseconds: UInt64, hearing: Bool = true) {
        for _ in 0..<milliseconds / 50 {
            clock.advance(by: 50)
            for executor in [server.writer, server.listener] {
                executor.advance(by: 50)
                guard hearing || executor === server.writer else { continue }
                for _ in 0..<3 { server.step(executor) }
            }
        }
    }

    @Test(
        "A commit that did not arrive, or whose answer was lost, is sent again, and taken once",
        arguments: [false, true]
    )
    func sentAgain(isTaken: Bool) throws {
        server.store.fault = isTaken ? .lostAnswer : .unreachable
        let answer = try set("1")
        server.step(server.writer)
        #expect(server.log.health == .outOfReach && answer.result == nil)
        pass(1_500)
        #expect(try answer.result?.get().rev == 2)
        #expect(server.log.health == .ready)
        #expect(try server.log.reader.revs(of: "g") == 1...2)
    }

    @Test(
        "After five seconds the wait ends; a commit that was accepted all the same counts as another server's"
    )
    func givenUp() throws {
        server.store.fault = .lostAnswer
        let lost = try set("1")
        server.step(server.writer)
        server.store.isCutOff = true
        pass(6_000, hearing: false)
        #expect(throws: HostError.self) { try lost.result?.get() }
        server.store.isCutOff = false
        pass(600, hearing: false)
        #expect(server.log.health == .ready)
        // It does not know yet that its own commit was accepted.
        let answer = try set("2", holding: "0")
        pass(100, hearing: false)
        pass(500)
        let error = #expect(throws: HostError.self) { try answer.result?.get() }
        #expect(error?.code == .conflict)
        let graph = try #require(server.host["g"])
        #expect(graph.read(try #require(graph.node("x"))).held.text == "1")
    }

    @Test("A graph that Redis loses while it is read, and that begins again elsewhere, is read again")
    func begunAgain() throws {
        try redis.ask("FLUSHALL")
        let other = try SharedServer(
            redis,
            clock: ManualHostClock(now: 1_000, wall: 1_000_000),
            word: RandomWords().next
        )
        pass(3_000)
        // It learns of the graph, and asks for it too late.
        for _ in 0..<3 { other.step(other.listener) }
        try redis.ask("FLUSHALL")
        for _ in 0..<3 { other.step(other.writer) }
        #expect(other.host["g"] == nil)
        pass(3_000)
        for _ in 0..<3 { other.step(other.listener) }
        for _ in 0..<10 {
            other.writer.advance(by: 50)
            other.step(other.writer)
        }
        #expect(other.host["g"]?.epoch == server.host["g"]?.epoch)
    }

    @Test("A commit that cannot be applied ends the graph here, until it can be built from a later snapshot")
    func inapplicable() throws {
        var events: [String] = []
        server.log.onEvent = { events.append($1) }
        let store = RedisStore(redis.address, prefix: "world")
        var entry = LogEntry(graph: "g")
        entry.clear = ["nowhere"]
        var item = Batch.Item(kind: .values, count: 1, bytes: [])
        entry.append(to: &item.bytes)
        let base = try #require(try store.positions()["g"])
        let batch = Batch(graph: "g", number: 1, id: "other1", writer: "other", base: base, items: [item])
        _ = try store.append([batch], fence: 0, replicas: 0, isReading: false)
        let former = try #require(server.host["g"])
        pass(500)
        #expect(server.host["g"] == nil && !former.isLive && server.host.unbuilt == ["g"])
        #expect(
            events == [
                "graph g has a commit that cannot be applied here, rev 2: it is read again",
                "graph g cannot be rebuilt from Redis and is not served here; it is tried again",
            ]
        )
        // Another server knows better.
        let other = Host(store: .memory(epoch: "other"), clock: clock)
        _ = other.define(try server.definition(Self.definition))
        let graph = try #require(other["g"])
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(try #require(graph.node("x")), try Datum.parse("7")))
        _ = other.submit(commit)
        let position = try #require(try store.positions()["g"])
        #expect(
            try store.store(SavedGraph(graph: graph).save(), of: "g", at: position, fence: 99, keeping: 0)
        )
        pass(11_000)
        let built = try #require(server.host["g"])
        #expect(server.host.unbuilt.isEmpty)
        let node = try #require(built.node("x"))
        #expect(built.rev == 2 && built.read(node).held.text == "7")
        let answer = try set("8")
        pass(500)
        #expect(try answer.result?.get().rev == 3)
    }

    @Test("A commit is answered once, even if Redis has its entry twice")
    func answeredOnce() throws {
        server.store.fault = .lostAnswer
        let answer = try set("1")
        server.step(server.writer)
        let last = try redis.ask("XREVRANGE", "world:{g}:log", "+", "-", "COUNT", "1").members.first
        var command = RedisCommand("XADD", "world:{g}:log", "3-0")
        let fields = try #require(last?.members.last?.fields)
        for (name, value) in fields {
            command.append(name)
            command.append(name == "p" ? fields["i"]?.data ?? [] : value.data)
        }
        _ = try redis.connect().ask(command)
        pass(1_500)
        #expect(try answer.result?.get().rev == 2)
    }

    @Test("It counts what it has not applied yet of what others have written")
    func behind() throws {
        let other = try SharedServer(redis, clock: clock, word: RandomWords("other").next)
        let graph = try #require(other.host["g"])
        for value in 1...3 {
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(try #require(graph.node("x")), try Datum.parse("\(value)")))
            _ = other.host.submit(commit)
            other.host.flush()
            other.step(other.writer)
        }
        #expect(server.log.statistics.behind == 0)
        pass(2_500, hearing: false)
        #expect(server.log.statistics.behind == 3)
        pass(2_500)
        #expect(server.log.statistics.behind == 0 && server.host["g"]?.rev == 4)
        #expect(other.log.statistics.writeTime > .zero)
    }

    @Test(
        "A Redis that has lost everything is noticed, and given back what the server holds, though no server writes"
    )
    func noticed() throws {
        _ = try set("1")
        pass(500)
        let epoch = try #require(server.host["g"]?.epoch)
        try redis.ask("FLUSHALL")
        pass(4_000)
        let graph = try #require(server.host["g"])
        #expect(graph.epoch != epoch && graph.rev == 2)
        #expect(graph.read(try #require(graph.node("x"))).held.text == "1")
        #expect(try server.log.reader.revs(of: "g") == 2...2)
    }
}

/// Unused words.
private final class RandomWords {
    private let stem: String
    private var last = 0

    init(_ stem: String = "word") { self.stem = stem }

    func next() -> String {
        last += 1
        return "\(stem)\(last)"
    }
}

extension Held {
    fileprivate var text: String? { if case .value(let datum) = self { datum.text } else { nil } }
}
