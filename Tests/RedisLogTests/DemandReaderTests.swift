import Commits
import Testing

@testable import RedisLog

/// What instances tell each other of demand, on a real `redis-server`.
@Suite("Demand in Redis")
struct DemandReaderTests {
    private let redis: RedisServer
    private let store: RedisStore
    private let follower: Follower
    private let place: String
    private static let source = DemandSource(graph: "g", instance: "one", number: 1)

    init() throws {
        redis = try RedisServer()
        store = RedisStore(redis.address, prefix: "test")
        follower = Follower(redis.address, prefix: "test")
        place = try follower.follow([:], newsAfter: "", for: 0).place
    }

    /// Says what `one` wants.
    @discardableResult
    private func tell(_ wanted: [String], not unwanted: [String] = [], isWhole: Bool = false) throws -> Bool {
        var notice = DemandNotice()
        let change = DemandChange(graph: "g", isWhole: isWhole, wanted: wanted, unwanted: unwanted)
        notice.changes = [change]
        return try store.tell(notice, from: "one").isEmpty
    }

    private func news() throws -> [DemandNews] {
        try follower.follow([:], newsAfter: place, for: 0).demand
    }

    /// What is known of what `one` wants after what is new.
    private func read(_ known: [String] = []) throws -> [String] {
        var names = Set(known)
        for next in try news() {
            switch next {
            case .whole(let nodes, _): names = Set(nodes)
            case .line(let line, let source) where source != nil:
                names.formUnion(line.wanted)
                names.subtract(line.unwanted)
            case .line: break
            }
        }
        return names.sorted()
    }

    @Test("D-4: a whole set and the changes after it are read, each change once it is said")
    func changes() throws {
        try tell(["a", "b"], isWhole: true)
        #expect(try read() == [], "it is not read yet")
        follower.demandSources = [Self.source]
        #expect(try read() == ["a", "b"])
        #expect(try tell(["c"], not: ["a"]))
        #expect(try read(["a", "b"]) == ["b", "c"])
        try tell(["d"], isWhole: true)
        #expect(try read(["b", "c"]) == ["d"])
        #expect(try news().isEmpty)
    }

    @Test("D-4: where lines are lost, with their stream or by being too many, the sets are read again")
    func lost() throws {
        follower.demandSources = [Self.source]
        try tell(["a"], isWhole: true)
        #expect(try read() == ["a"])
        try tell(["b"])
        try redis.ask("DEL", "test:demand")
        _ = try news()
        #expect(try read(["a"]) == ["a", "b"])
        for number in 0..<2 * Script.demandLines {
            try tell(number % 2 == 0 ? ["c"] : [], not: number % 2 == 0 ? [] : ["c"])
        }
        try tell([], not: ["a"])
        let length = try redis.ask("XLEN", "test:demand").unsigned ?? 0
        #expect(length < 2 * Script.demandLines && length >= Script.demandLines)
        var known = ["a", "b"]
        for _ in 0..<20 { known = try read(known) }
        #expect(known == ["b"])
    }

    @Test("D-4: what was read right before a failure is read again")
    func failure() throws {
        try tell(["a"], isWhole: true)
        follower.demandSources = [Self.source]
        try redis.ask("XADD", "test:{x}:log", "1-0", "e", "unreadable")
        #expect(throws: RedisError.self) { try follower.follow(["x": 0], newsAfter: place, for: 0) }
        try redis.ask("DEL", "test:{x}:log")
        #expect(try read() == ["a"])
    }

    @Test("D-4: a change of a set that is gone is refused: the whole one is needed")
    func gone() throws {
        try tell(["a"], isWhole: true)
        try redis.ask("FLUSHALL")
        #expect(try tell(["b"]) == false)
        #expect(try redis.ask("EXISTS", "test:{g}:wanted:one").unsigned == 0)
        let renewed = try store.renewDemand(of: "two", following: ["g", "h"], telling: [], ["one"])
        #expect(renewed.followers == ["one": []] && renewed.gone.isEmpty)
        let other = try store.renewDemand(of: "one", following: [], telling: ["g"], ["two"])
        #expect(other.followers == ["two": ["g", "h"]] && other.gone == ["g"])
    }

    @Test("D-4: an empty set is not gone; all is kept for some seconds only, the stream longer")
    func lifetimes() throws {
        var notice = DemandNotice()
        notice.followed = (["g"], ["g"])
        _ = try store.tell(notice, from: "one")
        try tell([], isWhole: true)
        #expect(try tell(["a"]))
        #expect(try tell([], not: ["a"]))
        #expect(try store.renewDemand(of: "one", following: ["g"], telling: ["g"], []).gone.isEmpty)
        for key in ["test:demand:one", "test:{g}:wanted:one"] {
            let rest = try redis.ask("PTTL", key).unsigned ?? 0
            #expect((1...SignsOfLife.silence).contains(rest), "\(key)")
        }
        #expect((1...600_000).contains(try redis.ask("PTTL", "test:demand").unsigned ?? 0))
        notice = DemandNotice()
        notice.ended = ["g"]
        notice.followed = ([], [])
        _ = try store.tell(notice, from: "one")
        #expect(try redis.ask("KEYS", "test:*").members.compactMap(\.text).sorted() == ["test:demand"])
    }

    @Test("D-4: thousands of names are told in parts, and read at once")
    func many() throws {
        follower.demandSources = [Self.source]
        let names = (10_000..<12_345).map { "sensor.\($0).celsius" }
        try tell(names, isWhole: true)
        #expect(try read() == names)
        let more = (20_000..<21_234).map { "sensor.\($0).celsius" }
        try tell(more, not: Array(names.dropFirst()))
        #expect(try read(names) == [names[0]] + more)
    }

    @Test("D-4: what an instance follows counts until it is missing twice, or its instance is gone")
    func followers() {
        var followers = DemandFollowers()
        #expect(followers.note(["g"], at: "one") == ["g"])
        #expect(followers.add(["h"], at: "one") == ["h"] && followers.add(["h"], at: "two") == ["h"])
        #expect(followers.note(["g"], at: "one") == [], "it may have been said just after")
        #expect(followers.note(["g"], at: "one") == ["h"] && followers.contain("h"))
        #expect(followers.remove("two") == ["h"] && !followers.contain("h"))
        #expect(followers.graphs == ["g"])
    }
}
