/// Reads what is new in the streams, on a connection that waits for it.
///
/// It names all streams where they are few. Where there are many it waits for the stream of
/// changes, and then reads those that it names: each stream that is waited for costs Redis a third
/// of a microsecond whenever there is anything new.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class Follower: StreamSource, @unchecked Sendable {
    /// The place before the first entry of a stream.
    private static let beginning = "0-0"

    /// How many graphs are few.
    private let few: Int
    private let address: RedisAddress
    private let keys: RedisKeys
    private var connection: RedisConnection?
    /// After which rev each graph is followed.
    private var revs: [String: UInt64] = [:]
    /// Where the stream of changes has come to; nil: every graph has to be looked at.
    private var changesPlace: String?
    /// Graphs that were named there, whose streams were not read to the end since.
    private var changed: Set<String> = []
    private var demand: DemandReader

    var demandSources: Set<DemandSource> {
        get { demand.sources }
        set { demand.sources = newValue }
    }

    init(_ address: RedisAddress, prefix: String, few: Int = 64) {
        self.address = address
        keys = RedisKeys(prefix: prefix)
        demand = DemandReader(keys)
        self.few = few
    }

    /// The connection, which is made where there is none; then `place` may turn out to be gone.
    private func connect(reading place: inout String) throws(RedisError) -> RedisConnection {
        if let connection { return connection }
        let made = try RedisConnection(address, patience: RedisStore.patience)
        // A Redis that has lost the stream, and whose clock was set back, gives out earlier places.
        if !place.isEmpty, StreamPlace(try end(of: keys.news, made)) < StreamPlace(place) {
            place = Self.beginning
        }
        connection = made
        changesPlace = nil
        return made
    }

    func follow(
        _ moves: [String: UInt64?],
        newsAfter place: String,
        for milliseconds: Int
    ) throws(RedisError) -> StreamNews {
        for (graph, rev) in moves { revs[graph] = rev }
        do throws(RedisError) {
            var news = StreamNews(place: place)
            let connection = try connect(reading: &news.place)
            try connection.wait(RedisStore.patience + milliseconds)
            if place.isEmpty { news.place = try end(of: keys.news, connection) }
            news.demand = try demand.begin(connection)
            let milliseconds = news.demand.isEmpty ? milliseconds : 0
            if revs.count > few {
                try followChanges(&news, connection, for: milliseconds)
            } else {
                changesPlace = nil
                let others = [(keys.news, news.place), demand.stream]
                let read = StreamRead(keys: keys, revs: revs, others: others)
                let replies = try connection.ask(all: [demand.check, read.command(waiting: milliseconds)])
                if case .error(let words) = replies[1] { throw .refused(words) }
                news.demand += try demand.take(replies[0], replies[1], connection)
                news.entries = try read.entries(in: replies[1])
                news.takeGraphs(from: read.lines(of: keys.news, in: replies[1]))
            }
            return news
        } catch {
            connection = nil
            demand.lost()
            throw error
        }
    }

    private func followChanges(
        _ news: inout StreamNews,
        _ connection: RedisConnection,
        for milliseconds: Int
    ) throws(RedisError) {
        var place = changesPlace ?? ""
        if changesPlace == nil {
            place = try end(of: keys.changes, connection)
            changed = Set(revs.keys)
        }
        let wait = StreamRead(
            keys: keys,
            revs: [:],
            others: [(keys.changes, place), (keys.news, news.place), demand.stream]
        )
        let isBehind = changed.contains { revs[$0] != nil }
        let replies = try connection.ask(all: [
            RedisCommand("XRANGE", keys.changes, place, place), demand.check,
            wait.command(waiting: isBehind ? 0 : milliseconds),
        ])
        if case .error(let words) = replies[2] { throw .refused(words) }
        news.demand += try demand.take(replies[1], replies[2], connection)
        news.takeGraphs(from: wait.lines(of: keys.news, in: replies[2]))
        let lines = wait.lines(of: keys.changes, in: replies[2])
        changed.formUnion(lines.map(\.graph))
        // A place that is gone was trimmed or lost, and perhaps more after it.
        let isWhole = place == Self.beginning ? lines.count < StreamRead.page : !replies[0].members.isEmpty
        changesPlace = isWhole ? lines.last?.id ?? place : nil
        var present: [String: UInt64] = [:]
        for graph in changed { present[graph] = revs[graph] }
        guard !present.isEmpty else { return }
        let read = StreamRead(keys: keys, revs: present)
        news.entries = try read.entries(in: try connection.ask(read.command()))
        // The others were read to the end. One that cannot be read now has its turn when it can.
        let counts = Dictionary(news.entries.map { ($0.graph, 1) }, uniquingKeysWith: +)
        for graph in present.keys where counts[graph] ?? 0 < StreamRead.page { changed.remove(graph) }
    }

    /// The place after a stream's last entry.
    private func end(of key: String, _ connection: RedisConnection) throws(RedisError) -> String {
        let last = try connection.ask(RedisCommand("XREVRANGE", key, "+", "-", "COUNT", "1"))
        return last.members.first?.members.first?.text ?? Self.beginning
    }
}

/// A place in a stream whose ids Redis makes: milliseconds and a number.
private struct StreamPlace: Comparable {
    private let parts: [UInt64]

    init(_ text: String) { parts = text.split(separator: "-").map { UInt64($0) ?? 0 } }

    static func < (left: StreamPlace, right: StreamPlace) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}

extension StreamNews {
    /// Notes graphs that have begun.
    fileprivate mutating func takeGraphs(from lines: [StreamRead.Line]) {
        for line in lines {
            place = line.id
            graphs.append(line.graph)
        }
    }
}
