internal import GraphHost

/// Hears what is new in the streams, on a connection that waits for it.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class Follower: StreamSource, @unchecked Sendable {
    /// How many entries of a stream are read at once.
    private static let page = 200

    private let address: RedisAddress
    private let keys: RedisKeys
    private var connection: RedisConnection?

    init(_ address: RedisAddress, prefix: String) {
        self.address = address
        keys = RedisKeys(prefix: prefix)
    }

    private func connect() throws(RedisError) -> RedisConnection {
        if let connection { return connection }
        let made = try RedisConnection(address, patience: RedisStore.patience)
        connection = made
        return made
    }

    func follow(
        _ revs: [String: UInt64],
        newsAfter place: String,
        for milliseconds: Int
    ) throws(RedisError) -> StreamNews {
        do throws(RedisError) {
            let connection = try connect()
            try connection.wait(RedisStore.patience + milliseconds)
            var news = StreamNews(place: place)
            if place.isEmpty {
                let last = try connection.ask(RedisCommand("XREVRANGE", keys.news, "+", "-", "COUNT", "1"))
                news.place = last.members.first?.members.first?.text ?? "0-0"
            }
            var command = RedisCommand("XREAD", "COUNT", String(Self.page))
            if milliseconds > 0 {
                command.append("BLOCK")
                command.append(milliseconds)
            }
            command.append("STREAMS")
            let graphs = revs.keys.sorted()
            for graph in graphs { command.append(keys.log(graph)) }
            command.append(keys.news)
            for graph in graphs { command.append("\(revs[graph] ?? 0)-0") }
            command.append(news.place)
            let names = Dictionary(uniqueKeysWithValues: graphs.map { (keys.log($0), $0) })
            for stream in try connection.ask(command).members {
                guard let key = stream.members.first?.text, let entries = stream.members.last?.members else {
                    continue
                }
                for entry in entries {
                    if let graph = names[key] {
                        news.entries.append(try StreamEntry(entry, of: graph))
                    } else {
                        news.place = entry.members.first?.text ?? news.place
                        if let graph = entry.members.last?.fields["graph"]?.text { news.graphs.append(graph) }
                    }
                }
            }
            return news
        } catch {
            connection = nil
            throw error
        }
    }
}
