import Commits
import Testing

@testable import RedisLog

/// What the scripts do, asked one by one on a real `redis-server`.
@Suite("The scripts in Redis")
struct RedisStoreTests {
    private let redis: RedisServer
    private let store: RedisStore
    private var numbers: [String: UInt64] = [:]
    /// The position of an instance that has received everything.
    private var position = StreamPosition(epochs: Epochs("e"), rev: 0, time: 0, id: "", definition: 0)

    init() throws {
        redis = try RedisServer()
        store = RedisStore(redis.address, prefix: "test")
        #expect(try append([item(.define, note: "1")]) == .answered([.taken], rev: 1))
        try hear()
    }

    private func item(
        _ kind: Batch.Item.Kind = .values,
        key: String? = nil,
        note: String = "",
        checkedAt rev: UInt64? = nil,
        knowing batch: UInt64 = 0
    ) -> Batch.Item {
        var item = Batch.Item(kind: kind, count: 1, bytes: [])
        var entry = LogEntry(graph: "g")
        switch kind {
        case .define: entry.kind = .define(text: "{}", .client)
        case .redefine: entry.kind = .redefine(text: "{}", .client)
        case .remove: entry.kind = .remove
        case .tick: entry.kind = .tick(now: 1)
        case .values, .question: entry.clear = ["x"]
        }
        entry.append(to: &item.bytes)
        (item.key, item.note) = (key, note)
        item.premise = rev.map { Batch.Premise(rev: $0, batch: batch) }
        return item
    }

    private mutating func append(
        _ items: [Batch.Item],
        from writer: String = "a",
        fence: UInt64 = 0,
        number: UInt64? = nil
    ) throws -> Outcome {
        numbers[writer, default: 0] += 1
        let number = number ?? numbers[writer] ?? 0
        let batch = Batch(
            graph: "g",
            number: number,
            id: "\(writer)\(number)",
            writer: writer,
            base: position,
            items: items
        )
        let appended = try store.append([batch], fence: fence, replicas: 0, isReading: false)
        return try #require(appended.outcomes.first).get()
    }

    private mutating func hear() throws { position = try #require(try store.positions()["g"]) }

    @Test(
        "Commits of one batch are one entry of the stream, whose id is the last rev and which names the one before it"
    )
    mutating func entries() throws {
        #expect(try append([item(), item(), item()]) == .answered([.taken, .taken, .taken], rev: 4))
        #expect(try append([item()], from: "b") == .answered([.taken], rev: 5))
        let loaded = try #require(try store.load("g"))
        #expect(loaded.entries.map(\.revs) == [1...1, 2...4, 5...5])
        #expect(loaded.entries.map(\.predecessor) == ["", "a1", "a2"])
        #expect(loaded.entries.map(\.writer) == ["a", "a", "b"])
        #expect(
            loaded.position.id == "b1" && loaded.position.definition == 1 && loaded.position.origin == .client
        )
        #expect(loaded.entries.map(\.time) == loaded.entries.map(\.time).sorted())
    }

    @Test(
        "Under conditions, no other server may have written since they were checked; the own commits may be on their way"
    )
    mutating func conditions() throws {
        #expect(try append([item(checkedAt: 1)]) == .answered([.taken], rev: 2))
        #expect(
            try append([item(checkedAt: 1, knowing: 1)]) == .answered([.taken], rev: 3),
            "it has counted on the last one"
        )
        #expect(try append([item()], from: "b") == .answered([.taken], rev: 4))
        #expect(try append([item(checkedAt: 3, knowing: 3)]) == .answered([.moved], rev: 4))
        #expect(try append([item(.question, checkedAt: 3, knowing: 3)]) == .answered([.moved], rev: 4))
        #expect(try append([item(.question, checkedAt: 4, knowing: 4)]) == .answered([.confirmed], rev: 4))
        #expect(try append([item(checkedAt: 4, knowing: 4)]) == .answered([.taken], rev: 5))
    }

    @Test("A server that is alone begins an epoch of all graphs, and one that is not does not")
    mutating func beginsEpoch() throws {
        #expect(
            try store.signs() == [] && store.begin(epoch: "e1", unlessChanged: []),
            "nobody has been here"
        )
        _ = try store.pulse(of: "a", lease: 1_000, files: nil)
        let signs = try store.signs()
        #expect(try !store.begin(epoch: "e2", unlessChanged: []), "another one has begun to live")
        #expect(try store.begin(epoch: "e2", unlessChanged: signs), "it says nothing any more")
        #expect(try store.positions()["g"]?.epochs == Epochs("e2", earlier: "e1@1 e@1"))
        _ = try store.pulse(of: "a", lease: 1_000, files: nil)
        #expect(try !store.begin(epoch: "e3", unlessChanged: signs), "it lives")
        #expect(try store.begin(epoch: "e3", unlessChanged: store.signs()))
        #expect(try store.load("g")?.position.epochs == Epochs("e3", earlier: "e2@1 e1@1 e@1"))
        #expect(try append([item()]) == .otherEpoch(rev: 1), "what others have on its way is not taken")
    }

    @Test("What was checked after a commit that was not taken was checked too early")
    mutating func broken() throws {
        #expect(try append([item()], from: "b") == .answered([.taken], rev: 2))
        #expect(
            try append([item(checkedAt: 1), item(), item(checkedAt: 2)])
                == .answered([.moved, .taken, .moved], rev: 3)
        )
        #expect(
            try append([item(checkedAt: 3, knowing: 1)]) == .answered([.moved], rev: 3),
            "it did not know yet"
        )
        #expect(try append([item(checkedAt: 3, knowing: 3)]) == .answered([.taken], rev: 4))
        let entry = try #require(try store.load("g")?.entries.dropFirst(2).first)
        #expect(entry.left == [0, 2] && entry.commits.count == 1)
    }

    @Test("Everything was checked against a definition, which must be in force")
    mutating func definitions() throws {
        #expect(
            try append([item(.define, note: "0")], from: "b") == .answered([.moved], rev: 1),
            "it has begun"
        )
        #expect(
            try append([item(.redefine, note: "0"), item()], from: "b")
                == .answered([.taken, .moved], rev: 2)
        )
        #expect(
            try append([item(), item(.redefine, note: "1"), item(.remove)])
                == .answered([.moved, .moved, .moved], rev: 2)
        )
        try hear()
        #expect(position.definition == 2 && position.origin == .file)
        #expect(try append([item(.remove)]) == .answered([.taken], rev: 3))
        try hear()
        #expect(position.definition == 0 && position.origin == nil)
        #expect(try append([item()]) == .answered([.moved], rev: 3), "it has ended")
    }

    @Test("A batch that comes again, because its answer was lost, is noticed")
    mutating func seen() throws {
        #expect(try append([item()]) == .answered([.taken], rev: 2))
        #expect(try append([item()], number: 2) == .seen(rev: 2))
        #expect(try append([item(checkedAt: 0)], from: "b") == .answered([.moved], rev: 2))
        #expect(
            try append([item(checkedAt: 0)], from: "b", number: 1) == .seen(rev: 2),
            "also one of which nothing was taken"
        )
    }

    @Test("An idempotency key is good once, on any server, and is checked before conditions")
    mutating func keys() throws {
        #expect(try append([item(key: "ann\nk", note: #"1 77 {"a":"x y"}"#)]) == .answered([.taken], rev: 2))
        try hear()
        let stored = LogEntry.Key("", digest: 77, values: Array(#"{"a":"x y"}"#.utf8))
        let known = Outcome.Item.known(LogStamp(rev: 2, time: position.time), changed: 1, stored)
        #expect(try append([item(key: "ann\nk", note: "1 78")], from: "b") == .answered([known], rev: 2))
        #expect(
            try append([item(.question, key: "ann\nk", checkedAt: 0)], from: "b")
                == .answered([known], rev: 2)
        )
        #expect(try append([item(key: "bob\nk", note: "1 77")], from: "b") == .answered([.taken], rev: 3))
        let reply = try redis.ask("PTTL", "test:{g}:key:ann\nk")
        #expect((590_000...600_000).contains(reply.unsigned ?? 0))
    }

    @Test("Ticks are the holder's of the lease: one that has lost it comes too late")
    mutating func ticks() throws {
        #expect(try append([item(.tick)], fence: 3) == .answered([.taken], rev: 2))
        #expect(try append([item(.tick)], from: "b", fence: 2) == .answered([.moved], rev: 2))
        #expect(try append([item(.tick)], from: "b", fence: 4) == .answered([.taken], rev: 3))
        #expect(try !store.store([1], of: "g", at: position, fence: 3, keeping: 0))
    }

    @Test("The lease is one server's until it is silent; all signs of life are told apart")
    func lease() throws {
        let first = try store.pulse(of: "a", lease: 60_000, files: nil)
        #expect(first.token == 1 && Array(first.signs.keys) == ["a"])
        #expect(try store.pulse(of: "b", lease: 60_000, files: nil).token == 0)
        let second = try store.pulse(of: "a", lease: 60_000, files: nil)
        #expect(second.token == 1 && Set(second.signs.keys) == ["a", "b"])
        #expect(first.signs["a"] != second.signs["a"], "also within a millisecond")
        #expect(try store.pulse(of: "a", lease: 60_000, files: nil).signs["b"] == second.signs["b"])
        try store.forget(["b"], in: ["g"])
        #expect(try Array(store.pulse(of: "a", lease: 60_000, files: nil).signs.keys) == ["a"])
        try store.leave("a", ["a"], ["g"])
        let fourth = try store.pulse(of: "b", lease: 60_000, files: nil)
        #expect(fourth.token == 2 && Array(fourth.signs.keys) == ["b"])
    }

    @Test("Each server says of which graphs it has files, until it ends")
    func ownFiles() throws {
        #expect(try store.pulse(of: "a", lease: 60_000, files: nil).files == [:])
        #expect(try store.pulse(of: "a", lease: 60_000, files: []).files == ["a": []])
        let both = try store.pulse(of: "b", lease: 60_000, files: ["g", "home.hall"]).files
        #expect(both == ["a": [], "b": ["g", "home.hall"]])
        #expect(try store.pulse(of: "b", lease: 60_000, files: nil).files == both)
        try store.leave("a", ["a"], ["g"])
        #expect(try store.pulse(of: "b", lease: 60_000, files: ["g"]).files == ["b": ["g"]])
    }

    @Test("A lease and a claim last no longer than they say, although Redis' clock was set back")
    func capped() throws {
        _ = try store.pulse(of: "a", lease: 8_000, files: nil)
        try store.claim("g", position, for: "a")
        for key in ["test:lease", "test:{g}:claim"] { try redis.ask("PEXPIRE", key, "3600000") }
        #expect(try store.pulse(of: "b", lease: 8_000, files: nil).token == 0)
        var other = position
        other.time = 0
        try store.claim("g", other, for: "b")
        #expect(try redis.ask("HGET", "test:{g}:claim", "instance").text == "a")
        for key in ["test:lease", "test:{g}:claim"] {
            let left = try #require(redis.ask("PTTL", key).unsigned)
            #expect(left > 0 && left <= 8_000, "\(key)")
        }
    }

    @Test("A tick of a later time than Redis' is too early; stamps do not fall when that clock is set back")
    mutating func early() throws {
        let clock = try TestClock(redis)
        let store = RedisStore(redis.address, prefix: "early", time: TestClock.text)
        let start = StreamPosition(epochs: Epochs("e"), rev: 0, time: 0, id: "", definition: 0)
        var number: UInt64 = 0
        func append(_ items: [Batch.Item], at rev: UInt64, fence: UInt64 = 1) throws -> Appended {
            number += 1
            var base = start
            (base.rev, base.definition) = (rev, rev > 0 ? 1 : 0)
            let batch = Batch(
                graph: "g",
                number: number,
                id: "\(number)",
                writer: "a",
                base: base,
                items: items
            )
            return try store.append([batch], fence: fence, replicas: 0, isReading: false)
        }
        try clock.set(5_000_000)
        #expect(try append([item(.define, note: "1")], at: 0).time == 5_000_000)
        let early = try append([item(.tick, note: "5000001")], at: 1)
        #expect(try early.outcomes[0].get() == .answered([.moved], rev: 1) && early.time == 5_000_000)
        try clock.set(5_000_001)
        #expect(
            try append([item(.tick, note: "5000001")], at: 1).outcomes[0].get() == .answered([.taken], rev: 2)
        )
        // As after a failover to a Redis whose clock is an hour behind.
        try clock.set(1_400_000)
        #expect(try append([item()], at: 2).time == 1_400_000)
        #expect(
            try append([item(.tick, note: "5000001")], at: 3).outcomes[0].get() == .answered([.taken], rev: 4)
        )
        #expect(
            try append([item(.tick, note: "5000002")], at: 4).outcomes[0].get() == .answered([.moved], rev: 4)
        )
        let times = try #require(try store.load("g")).entries.map(\.time)
        #expect(times == [5_000_000, 5_000_001, 5_000_001, 5_000_001])
    }

    @Test("Whether a stream continues where a server stands")
    mutating func continuity() throws {
        func look(_ position: StreamPosition) throws -> Continuity? {
            try store.verify(["g": position])["g"]?.continuity
        }
        let first = position
        _ = try append([item(), item()])
        try hear()
        let second = position
        _ = try append([item()])
        try hear()
        for position in [first, second, position] { #expect(try look(position) == .ok) }
        var other = second
        other.id = "another"
        #expect(try look(other) == .lost, "another entry has that rev")
        other = position
        other.rev += 1
        #expect(try look(other) == .lost, "the end is missing")
        other = second
        other.epochs = Epochs("another")
        #expect(try look(other) == .epoch)
        #expect(try store.verify(["g": first])["g"]?.rev == 4, "it says how far the stream has come")
        // Everything up to the second is trimmed; what follows names it.
        #expect(try store.store([7], of: "g", at: second, fence: 0, keeping: 3))
        #expect(try look(second) == .ok)
        #expect(try look(first) == .gap)
        let loaded = try #require(try store.load("g"))
        #expect(loaded.snapshot == GraphSnapshot(LogStamp(rev: second.rev, time: second.time), [7]))
        #expect(loaded.entries.map(\.revs) == [4...4] && loaded.position == position)
        try redis.ask("FLUSHALL")
        #expect(try look(position) == .lost)
        #expect(try store.load("g") == nil)
    }

    @Test("After a loss, what the server holds that has come furthest begins a new epoch; the others find it")
    mutating func seeding() throws {
        let behind = position
        _ = try append([item()])
        try hear()
        try redis.ask("FLUSHALL")
        try store.claim("g", position, for: "a")
        try store.claim("g", behind, for: "b")
        #expect(try !store.seed("g", behind, from: "b", epoch: "b's", id: "s", [1]))
        try redis.ask("PEXPIRE", "test:{g}:claim", "1000")
        try store.claim("g", behind, for: "b")
        #expect(
            try redis.ask("PTTL", "test:{g}:claim").unsigned ?? 0 <= 1000,
            "who is behind does not keep it alive"
        )
        #expect(try store.seed("g", position, from: "a", epoch: "a's", id: "s", [2]))
        #expect(try store.seed("g", behind, from: "b", epoch: "b's", id: "s", [1]), "there is one")
        let loaded = try #require(try store.load("g"))
        #expect(loaded.position.epoch == "a's" && loaded.position.rev == 2 && loaded.position.definition == 1)
        #expect(loaded.snapshot?.state == [2])
        #expect(try append([item()]) == .otherEpoch(rev: 2), "it stands in the old one")
        try hear()
        #expect(try append([item()]) == .answered([.taken], rev: 3))
    }

    @Test(
        "Servers in different epochs do not take a claim from each other for ever: the latest commit counts"
    )
    func claims() throws {
        let early = StreamPosition(epochs: Epochs("old"), rev: 20, time: 100, id: "o", definition: 1)
        let late = StreamPosition(epochs: Epochs("new"), rev: 10, time: 200, id: "n", definition: 1)
        for order in [[("a", early), ("b", late)], [("b", late), ("a", early)]] {
            try redis.ask("FLUSHALL")
            for _ in 0..<2 {
                for (instance, position) in order { try store.claim("g", position, for: instance) }
            }
            #expect(try !store.seed("g", early, from: "a", epoch: "a's", id: "s", [1]))
            #expect(try store.seed("g", late, from: "b", epoch: "b's", id: "s", [2]))
        }
    }

    @Test("A Redis that would evict data, or is too old, is refused")
    func policy() throws {
        try redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        #expect(throws: RedisError.self) { try RedisStore(redis.address, prefix: "test").positions() }
    }

    @Test("The files of replicas are waited for from Redis 7.2 on, where they are synchronised at each write")
    func files() throws {
        for (version, file, synchronised, expected) in [
            ([7, 0, 15], "yes", "always", false), ([7, 2, 0], "yes", "always", true),
            ([8, 0], "yes", "always", true), ([7, 2, 4], "no", "always", false),
            ([7, 2, 4], "yes", "everysec", false), ([7, 2, 4], "", "", false),
        ] {
            #expect(
                RedisStore.confirmsFiles(version, appendonly: file, appendfsync: synchronised) == expected
            )
        }
        _ = try store.positions()
        #expect(!store.confirmsFiles, "this one has no file")
        try redis.ask("CONFIG", "SET", "appendonly", "yes")
        try redis.ask("CONFIG", "SET", "appendfsync", "always")
        store.disconnect()
        _ = try store.positions()
        #expect(try store.confirmsFiles == !redis.connect().version.lexicographicallyPrecedes([7, 2]))
    }

    @Test("An entry in an unknown format is reported with its place")
    func foreignEntry() throws {
        try redis.ask("XADD", "test:{g}:log", "9-0", "e", "e", "i", "x")
        let error = #expect(throws: RedisError.self) { try store.load("g") }
        #expect(
            error?.description
                == "entry 9-0 of the stream of graph g is not in a format of this version of Sluice"
        )
    }

    @Test(
        "A rev or a time that is out of range is an error, in the state, the stream and the snapshots",
        arguments: ["18446744073709551615", "9007199254740992", "-1", "1e3", ""]
    )
    func outOfRange(number: String) throws {
        for name in ["rev", "time"] where name == "rev" || !["-1", "1e3", ""].contains(number) {
            let former = try redis.ask("HGET", "test:{g}", name).text ?? ""
            try redis.ask("HSET", "test:{g}", name, number)
            let error = #expect(throws: RedisError.self) { try store.positions() }
            #expect(error?.description == "the rev or the time of graph g is out of range")
            #expect(throws: RedisError.self) { try store.load("g") }
            try redis.ask("HSET", "test:{g}", name, former)
        }
        guard let time = UInt64(number) else { return }
        try redis.ask(
            "XADD",
            "test:{g}:snapshots",
            "1-0",
            "t",
            "\(time)",
            "i",
            "a1",
            "d",
            "1",
            "o",
            "1",
            "b",
            "x"
        )
        let error = #expect(throws: RedisError.self) { try store.load("g") }
        #expect(error?.description == "the rev or the time of snapshot 1-0 of graph g is out of range")
        let reader = RedisReader(redis.address, prefix: "test")
        #expect(throws: StoreError.self) { try reader.snapshot(of: "g", notAfter: 1) }
        #expect(throws: StoreError.self) { try reader.revs(of: "g") }
    }

    @Test("Entries whose ids have the same rev are refused: they would be read again and again")
    func sameRevs() throws {
        try redis.ask(
            "XADD",
            "test:{g}:log",
            "1-1",
            "e",
            "e",
            "i",
            "x",
            "p",
            "a1",
            "n",
            "1",
            "t",
            "1",
            "w",
            "b",
            "s",
            "1",
            "x",
            "",
            "b",
            "\0\0"
        )
        let error = #expect(throws: RedisError.self) { try store.load("g") }
        #expect(error?.description.hasPrefix("entry 1-1 of the stream of graph g") == true)
    }
}
