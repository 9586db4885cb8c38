import Commits
import LogTestSupport
import TestSupport

@testable import RedisLog
import Support

/// All that a Redis has, to be changed and put back.
struct RedisContent {
    struct Entry {
        var id: String
        var fields: [(name: String, value: [UInt8])]

        /// The parts of the id: in servers' streams the first is a rev, and the second is 0.
        var numbers: [UInt64] { id.split(separator: "-").compactMap { UInt64($0) } }
    }

    enum Value {
        case text([UInt8])
        case hash([(name: String, value: [UInt8])])
        case stream([Entry])
        case set([String])
        case scores([(name: String, score: String)])
    }

    var values: [(key: String, value: Value)] = []

    init(of connection: RedisConnection) throws(RedisError) {
        for key in try connection.ask(RedisCommand("KEYS", "*")).members.compactMap(\.text).sorted() {
            guard let value = try Self.value(of: key, connection) else { continue }
            values.append((key, value))
        }
    }

    private static func value(of key: String, _ connection: RedisConnection) throws(RedisError) -> Value? {
        switch try connection.ask(RedisCommand("TYPE", key)).text {
        case "string": return .text(try connection.ask(RedisCommand("GET", key)).data)
        case "hash": return .hash(pairs(try connection.ask(RedisCommand("HGETALL", key))))
        case "set":
            return .set(try connection.ask(RedisCommand("SMEMBERS", key)).members.compactMap(\.text).sorted())
        case "zset":
            let reply = try connection.ask(RedisCommand("ZRANGE", key, "0", "-1", "WITHSCORES"))
            return .scores(pairs(reply).map { ($0.name, String(decoding: $0.value, as: UTF8.self)) })
        case "stream":
            let entries = try connection.ask(RedisCommand("XRANGE", key, "-", "+")).members
            return .stream(
                entries.map { entry in
                    Entry(id: entry.members.first?.text ?? "", fields: pairs(entry.members.last ?? .null))
                }
            )
        default: return nil
        }
    }

    private static func pairs(_ reply: RedisReply) -> [(name: String, value: [UInt8])] {
        let members = reply.members
        return stride(from: 0, to: members.count - 1, by: 2).map { place in
            (members[place].text ?? "", members[place + 1].data)
        }
    }

    /// Puts all of it in the place of what is there.
    func write(to connection: RedisConnection) throws(RedisError) {
        try connection.ask(RedisCommand("FLUSHALL"))
        for (key, value) in values { try Self.write(key, value, to: connection) }
    }

    /// Puts one value in the place of another; what Redis refuses is left out.
    static func write(_ key: String, _ value: Value, to connection: RedisConnection) throws(RedisError) {
        var commands = [RedisCommand("DEL", key)]
        switch value {
        case .text(let text): commands.append(command("SET", key, [text]))
        case .hash(let fields):
            guard !fields.isEmpty else { break }
            commands.append(command("HSET", key, fields.flatMap { [Array($0.name.utf8), $0.value] }))
        case .set(let names):
            guard !names.isEmpty else { break }
            commands.append(command("SADD", key, names.map { Array($0.utf8) }))
        case .scores(let scores):
            guard !scores.isEmpty else { break }
            commands.append(
                command("ZADD", key, scores.flatMap { [Array($0.score.utf8), Array($0.name.utf8)] })
            )
        case .stream(let entries):
            for entry in entries.sorted(by: { $0.numbers.lexicographicallyPrecedes($1.numbers) }) {
                let fields = entry.fields.flatMap { [Array($0.name.utf8), $0.value] }
                commands.append(command("XADD", key, [Array(entry.id.utf8)] + fields))
            }
        }
        _ = try connection.ask(all: commands)
    }

    private static func command(_ word: String, _ key: String, _ rest: [[UInt8]]) -> RedisCommand {
        var command = RedisCommand(word, key)
        for argument in rest { command.append(argument) }
        return command
    }
}

/// Changes what a Redis has; its form stays valid.
struct RedisMutation {
    var hostility: Hostility

    /// Changes one value; returns its place, nil if there is nothing to change.
    mutating func change(_ content: inout RedisContent) -> Int? {
        guard !content.values.isEmpty else { return nil }
        // Most of it is about the graph: its state, its stream, its snapshots.
        let own = content.values.indices.filter { content.values[$0].key.contains("{") }
        let place =
            hostility.dice.chance(1, in: 6) || own.isEmpty
            ? hostility.dice.below(content.values.count) : hostility.pick(own)
        if hostility.dice.chance(1, in: 60) {
            content.values[place].value = hostility.pick([.text([0x31]), .set(["g"]), .hash([("epoch", [])])])
            return place
        }
        switch content.values[place].value {
        case .text: content.values[place].value = .text(text())
        case .hash(var fields):
            change(&fields)
            content.values[place].value = .hash(fields)
        case .set(var names):
            names.append(hostility.pick(["h", "", "{x}", String(repeating: "n", count: 300)]))
            content.values[place].value = .set(names)
        case .scores(var scores):
            let score = hostility.pick(["inf", "-inf", "0", "1e300", "\(hostility.number())"])
            scores.append((hostility.pick(["word1", "word2", "gone", ""]), score))
            content.values[place].value = .scores(scores)
        case .stream(var entries):
            change(&entries)
            content.values[place].value = .stream(entries)
        }
        return place
    }

    /// A number as text, or something else.
    private mutating func text(near known: UInt64 = 0) -> [UInt8] {
        let others = [
            "", "-1", "1e300", "nan", "0x10", " 7", "1 2 3 4", "\(UInt64.max) \(UInt64.max) -9 0", "word1",
        ]
        return Array(
            (hostility.dice.chance(2, in: 3) ? "\(hostility.number(near: known))" : hostility.pick(others))
                .utf8
        )
    }

    private static func number(_ text: [UInt8]) -> UInt64 {
        UInt64(String(decoding: text, as: UTF8.self)) ?? 0
    }

    private mutating func change(_ fields: inout [(name: String, value: [UInt8])]) {
        guard !fields.isEmpty else { return }
        let place = hostility.dice.below(fields.count)
        switch hostility.dice.below(8) {
        case 0: fields.remove(at: place)
        case 1: fields[place].name = hostility.pick(["seen:word1", "broke:word1", "epoch", "rev", "x"])
        default: fields[place].value = text(near: Self.number(fields[place].value))
        }
    }

    private mutating func change(_ entries: inout [RedisContent.Entry]) {
        guard !entries.isEmpty else { return }
        let place = hostility.dice.below(entries.count)
        let rev = entries[place].numbers.first ?? 0
        switch hostility.dice.below(10) {
        case 0: entries[place].id = "\(hostility.number(near: rev))-\(hostility.pick([0, 0, 1, UInt64.max]))"
        case 1:
            var copy = entries[place]
            copy.id = "\(rev &+ UInt64(hostility.dice.below(3)))-\(hostility.dice.below(3))"
            entries.append(copy)
        case 2: entries.remove(at: place)
        case 3, 4: change(&entries[place].fields)
        default:
            guard let body = entries[place].fields.firstIndex(where: { $0.name == "b" }) else {
                return change(&entries[place].fields)
            }
            let isLog = entries[place].fields.contains { $0.name == "n" }
            if isLog, hostility.dice.chance(4, in: 5) {
                changeEntries(of: &entries[place].fields[body].value)
            } else {
                hostility.change(&entries[place].fields[body].value)
            }
        }
    }

    private mutating func changeEntries(of bytes: inout [UInt8]) {
        var commits: [LogEntry] = []
        bytes.withBorrowedBytes { bytes in
            var reader = LogBytesReader(bytes)
            while !reader.isAtEnd, let commit = try? LogEntry(graph: "g", from: &reader) {
                commits.append(commit)
            }
        }
        guard !commits.isEmpty else { return hostility.change(&bytes) }
        hostility.change(&commits[hostility.dice.below(commits.count)], near: 1_763_690_000_000)
        bytes = []
        for commit in commits { commit.append(to: &bytes) }
    }
}
