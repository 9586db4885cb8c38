internal import GraphHost

/// Hears what is new in the streams, on a connection that waits for it.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class Follower: StreamSource, @unchecked Sendable {
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
            let read = StreamRead(keys: keys, revs: revs, others: [(keys.news, news.place)])
            let reply = try connection.ask(read.command(waiting: milliseconds))
            news.entries = try read.entries(in: reply)
            for begun in read.members(of: keys.news, in: reply) {
                news.place = begun.members.first?.text ?? news.place
                if let graph = begun.members.last?.fields["graph"]?.text { news.graphs.append(graph) }
            }
            return news
        } catch {
            connection = nil
            throw error
        }
    }
}
