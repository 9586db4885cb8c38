import Commits
import Testing

@testable import RedisLog

/// How streams are followed where graphs are many, on a real `redis-server`.
@Suite("A follower of many streams")
struct FollowerTests {
    private let redis: RedisServer
    private let store: RedisStore
    private let follower: Follower
    private var number: UInt64 = 0
    private var place = ""

    init() throws {
        redis = try RedisServer()
        store = RedisStore(redis.address, prefix: "test")
        follower = Follower(redis.address, prefix: "test", few: 0)
        for graph in ["a", "b"] { try append(.define, to: graph) }
        #expect(try follow(["a": 0, "b": 0]) == ["a1", "b1"], "at first it looks at all")
        #expect(try follow(["a": 1, "b": 1]) == [])
    }

    private mutating func append(_ kind: Batch.Item.Kind = .values, to graph: String) throws {
        number += 1
        var item = Batch.Item(kind: kind, count: 1, bytes: [], note: "1")
        var entry = LogEntry(graph: graph)
        if kind == .define { entry.kind = .define(text: "{}", .client) } else { entry.clear = ["x"] }
        entry.append(to: &item.bytes)
        let beginning = StreamPosition(epochs: Epochs("e"), rev: 0, time: 0, id: "", definition: 0)
        let batch = Batch(
            graph: graph,
            number: number,
            id: "entry\(number)",
            writer: "w",
            base: try store.positions()[graph] ?? beginning,
            items: [item]
        )
        _ = try store.append([batch], fence: 0, replicas: 0, isReading: false)
    }

    /// What is new: graphs and revs.
    private mutating func follow(_ moves: [String: UInt64?] = [:]) throws -> [String] {
        let news = try follower.follow(moves, newsAfter: place, for: 0)
        place = news.place
        return news.entries.map { "\($0.graph)\($0.revs.upperBound)" }.sorted()
    }

    @Test("It reads the streams that have changed, and those only")
    mutating func changes() throws {
        try append(to: "a")
        #expect(try follow() == ["a2"])
        #expect(try follow(["a": 2]) == [])
        try append(to: "a")
        try append(to: "b")
        #expect(try follow() == ["a3", "b2"])
    }

    @Test("What changed while it was not to be read is read when it may be")
    mutating func excluded() throws {
        #expect(try follow(["b": nil]) == [])
        try append(to: "b")
        #expect(try follow() == [])
        #expect(try follow(["b": 1]) == ["b2"])
    }

    @Test("After a connection is lost, graphs that begin are found, though Redis' clock was set back")
    func setBack() throws {
        try redis.ask("DEL", "test:news")
        try redis.ask("XADD", "test:news", "1-1", "graph", "c")
        // With a new connection, as after a failover.
        let other = Follower(redis.address, prefix: "test", few: 0)
        let news = try other.follow([:], newsAfter: place, for: 0)
        #expect(news.graphs == ["c"] && news.place == "1-1")
        #expect(try other.follow([:], newsAfter: news.place, for: 0).graphs == [])
    }

    @Test("Where the stream of changes was trimmed or lost, it looks at all")
    mutating func lost() throws {
        try append(to: "b")
        try redis.ask("DEL", "test:changes")
        #expect(try follow() == [])
        #expect(try follow() == ["b2"])
        #expect(try follow(["b": 2]) == [])
    }
}
