import Commits
import DiskSupport
import LogTestSupport
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import RedisLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Two servers on a Redis whose content has a valid form, and which no server has written.
///
/// `SLUICE_NIGHTLY=1` changes it 50,000 times instead of 200. `SLUICE_SEED=n` plays one change in
/// this process.
@Suite("A Redis with hostile content")
struct HostileRedisTests {
    private static let fuzz = Fuzz("redis", short: 200, long: 50_000)

    /// Where the process of a part finds the Redis, which ends with the test and not with that
    /// process.
    private static func variable(_ part: Int) -> String { "SLUICE_FUZZ_REDIS_\(part)" }

    private static func play(part: Int) throws {
        let redis = RedisServer(at: environment(variable(part)) ?? "")
        let histories = try (0..<2).map { try HostileWorld.history(on: redis, seed: $0) }
        fuzz.play(part: part) { HostileWorld.play($0, histories, on: redis) }
    }

    @Test("It is refused with an error, or served: at the start, while it is followed, and after a failure")
    func even() async throws {
        let redis = try RedisServer()
        if let only = Fuzz.only {
            let histories = try (0..<2).map { try HostileWorld.history(on: redis, seed: $0) }
            let verdict = HostileWorld.play(only, histories, on: redis)
            if case .failed(let why) = verdict { Issue.record("SLUICE_SEED=\(only): \(why)") }
            return
        }
        setenv(Self.variable(0), redis.path, 1)
        let result = await #expect(processExitsWith: .success) { try HostileRedisTests.play(part: 0) }
        let report = Self.fuzz.report(of: 0)
        if result == nil { Issue.record("\(report)") }
        withExtendedLifetime(redis) {}
    }

    @Test("The same for the other half", .enabled(if: Fuzz.only == nil))
    func odd() async throws {
        let redis = try RedisServer()
        setenv(Self.variable(1), redis.path, 1)
        let result = await #expect(processExitsWith: .success) { try HostileRedisTests.play(part: 1) }
        let report = Self.fuzz.report(of: 1)
        if result == nil { Issue.record("\(report)") }
        withExtendedLifetime(redis) {}
    }
}

/// Servers that share a Redis, driven step by step, with a bound on the steps.
private struct HostileWorld {
    private let redis: RedisServer
    private let clock = ManualHostClock(now: 1_000, wall: 1_763_690_000_000)
    private var servers: [SharedServer] = []
    private var hostility: Hostility
    private let words = Words()

    /// Words that were not used before.
    private final class Words {
        var last = 0

        func next() -> String {
            last += 1
            return "word\(last)"
        }
    }

    private init(_ redis: RedisServer, _ hostility: Hostility) {
        (self.redis, self.hostility) = (redis, hostility)
    }

    private func start() throws -> SharedServer {
        try SharedServer(redis, clock: clock, word: words.next)
    }

    /// What two servers have written.
    static func history(on redis: RedisServer, seed: Int) throws -> RedisContent {
        var world = HostileWorld(redis, Hostility(seed: UInt64(seed)))
        try redis.ask("FLUSHALL")
        world.servers = try [world.start(), world.start()]
        for name in ["g", "h"] {
            let document = try Document.parse(json: Hostility.definitions[seed % 3])
            let (definition, problems) = GraphDefinition.read(
                document,
                file: nil,
                named: name,
                options: world.servers[0].host.definitions
            )
            guard let definition else { throw StoreError("\(problems)") }
            _ = world.servers[0].host.define(definition)
        }
        world.turn(120)
        world.pass(61_000)
        world.turn(60)
        return try RedisContent(of: redis.connect())
    }

    /// Changes one of the histories before servers start, and again while they follow it.
    static func play(_ number: UInt64, _ histories: [RedisContent], on redis: RedisServer) -> Fuzz.Verdict {
        var world = HostileWorld(redis, Hostility(seed: number))
        do {
            let connection = try redis.connect()
            var content = histories[Int(number / 2) % histories.count]
            var mutation = RedisMutation(hostility: world.hostility)
            for _ in 0...mutation.hostility.dice.below(3) { _ = mutation.change(&content) }
            try content.write(to: connection)
            world.hostility = mutation.hostility
            let isRefused = try world.play(connection)
            return isRefused ? .refused : .served
        } catch {
            return .failed("\(error)")
        }
    }

    /// Returns whether something was refused.
    private mutating func play(_ connection: RedisConnection) throws -> Bool {
        let isStarted = beginAll()
        turn(40)
        var content = try RedisContent(of: connection)
        var mutation = RedisMutation(hostility: hostility)
        if let place = mutation.change(&content) {
            let (key, value) = content.values[place]
            try RedisContent.write(key, value, to: connection)
        }
        hostility = mutation.hostility
        pass(2_100)
        turn(40)
        // Another one takes over.
        if !servers.isEmpty { servers.removeFirst() }
        pass(12_000)
        turn(20)
        let isWhole = beginAll()
        pass(61_000)
        turn(40)
        let isServing = servers.allSatisfy { $0.log.health == .ready && $0.host.unbuilt.isEmpty }
        lookBack()
        for server in servers { server.host.close() }
        return !(isStarted && isWhole && isServing)
    }

    /// Starts servers until there are two; returns whether all of them start.
    private mutating func beginAll() -> Bool {
        while servers.count < 2 {
            guard let server = try? start() else { return false }
            servers.append(server)
        }
        return true
    }

    private mutating func turn(_ count: Int) {
        for number in 0..<count {
            for server in servers {
                if number % 4 == 0 { setAll(server) }
                server.step(server.writer)
                server.step(server.listener)
            }
            if number % 8 == 0 { pass(UInt64(hostility.pick([1, 60, 400]))) }
        }
    }

    private mutating func setAll(_ server: SharedServer) {
        for graph in server.host.graphs {
            let nodes =
                graph.nodes.filter(\.isMutable)
                + [graph.node("s.a"), graph.node("s.hall")].compactMap(\.self)
            guard !nodes.isEmpty, let value = try? Datum.parse("\(hostility.dice.below(5))") else { continue }
            var commit = Commit(graph: graph)
            let node = hostility.pick(nodes)
            commit.set.append(Assignment(node, value))
            if hostility.dice.chance(1, in: 4) { commit.key = "k\(hostility.dice.below(9))" }
            if hostility.dice.chance(1, in: 4) { commit.conditions = [Condition(node, .holds(value))] }
            _ = server.host.submit(commit)
        }
    }

    private func pass(_ milliseconds: UInt64) {
        clock.advance(by: milliseconds)
        for server in servers {
            server.writer.advance(by: milliseconds)
            server.listener.advance(by: milliseconds)
            server.host.advance()
            server.host.flush()
        }
    }

    private mutating func lookBack() {
        let reader = RedisReader(redis.address, prefix: "world")
        for name in ["g", "h"] {
            let kept = try? reader.revs(of: name)
            for rev in [nil, kept.map { hostility.number(near: $0.lowerBound) }] {
                guard let replay = try? Replay(name, from: reader, to: rev, options: { DefinitionOptions() })
                else {
                    continue
                }
                _ = try? replay.run()
            }
        }
    }
}
