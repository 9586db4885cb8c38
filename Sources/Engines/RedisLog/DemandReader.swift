/// Reads the stream of demand, and the sets of instances of which nothing was read yet.
///
/// Each line was written together with the change of a set, so a set and the lines after any place
/// before it was read give the present state. Where a place in the stream is gone, lines may be
/// missing, and all sets are read again.
struct DemandReader {
    /// The place before the first entry of a stream.
    private static let beginning = "0-0"

    private let key: String
    private let keys: RedisKeys
    /// Whose demand is to be read.
    var sources: Set<DemandSource> = []
    /// Those whose sets were read, by graph and instance.
    private var read: [Pair: DemandSource] = [:]
    /// Where the stream has come to; nil: all sets have to be read.
    private var place: String?

    private struct Pair: Hashable {
        let graph: String
        let instance: String
    }

    init(_ keys: RedisKeys) { (self.keys, key) = (keys, keys.demand) }

    /// What was read last may not have arrived.
    mutating func lost() { place = nil }

    /// Reads the sets that were not read yet.
    mutating func begin(_ connection: RedisConnection) throws(RedisError) -> [DemandNews] {
        if place == nil {
            let last = try connection.ask(RedisCommand("XREVRANGE", key, "+", "-", "COUNT", "1"))
            place = last.members.first?.members.first?.text ?? Self.beginning
            read = [:]
        }
        read = read.filter { sources.contains($0.value) }
        guard read.count < sources.count else { return [] }
        let known = Set(read.values)
        let unread = sources.filter { !known.contains($0) }
        for source in unread { read[Pair(graph: source.graph, instance: source.instance)] = source }
        return try sets(of: Array(unread), connection)
    }

    /// The stream for `XREAD`, and a question whether the place in it is still there.
    var stream: (key: String, place: String) { (key, place ?? Self.beginning) }
    var check: RedisCommand { RedisCommand("XRANGE", key, stream.place, stream.place) }

    /// Takes the answers to both, and reads the sets that lines name.
    mutating func take(
        _ checked: RedisReply,
        _ reply: RedisReply,
        _ connection: RedisConnection
    ) throws(RedisError) -> [DemandNews] {
        let entries = reply.members.first { $0.members.first?.text == key }?.members.last?.members ?? []
        var (news, changed): ([DemandNews], [DemandSource]) = ([], [])
        for entry in entries {
            guard let line = DemandLine(entry.members.last?.fields ?? [:]) else { continue }
            let source = read[Pair(graph: line.graph, instance: line.instance)]
            news.append(.line(line, source))
            if line.isWhole, let source { changed.append(source) }
        }
        let isWhole =
            stream.place == Self.beginning ? entries.count < StreamRead.page : !checked.members.isEmpty
        place = isWhole ? entries.last?.members.first?.text ?? place : nil
        return news + (try sets(of: changed, connection))
    }

    /// What the instances want, as far as Redis has it.
    ///
    /// An instance that lives soon publishes again what is missing there.
    private func sets(
        of sources: [DemandSource],
        _ connection: RedisConnection
    ) throws(RedisError) -> [DemandNews] {
        guard !sources.isEmpty else { return [] }
        let replies = try connection.ask(
            all: sources.map { RedisCommand("SMEMBERS", keys.wanted($0.graph, at: $0.instance)) }
        )
        return zip(sources, replies).compactMap { source, reply in
            let names = reply.members.compactMap(\.text)
            guard !names.isEmpty else { return nil }
            return .whole(names.filter { !$0.isEmpty }.sorted(), source)
        }
    }
}
