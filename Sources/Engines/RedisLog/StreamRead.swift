/// A look at what follows certain revs in the streams of graphs.
struct StreamRead {
    /// How many entries of a stream are read at once.
    static let page = 200

    let keys: RedisKeys
    /// The last rev that is known of each graph.
    let revs: [String: UInt64]
    /// Other streams, and the place after which they are read.
    var others: [(key: String, place: String)] = []

    /// The command, which waits so many milliseconds for something new; 0: not at all.
    func command(waiting milliseconds: Int = 0) -> RedisCommand {
        var command = RedisCommand("XREAD", "COUNT", String(Self.page))
        if milliseconds > 0 {
            command.append("BLOCK")
            command.append(milliseconds)
        }
        command.append("STREAMS")
        for graph in revs.keys { command.append(keys.log(graph)) }
        for other in others { command.append(other.key) }
        for rev in revs.values { command.append("\(rev)-0") }
        for other in others { command.append(other.place) }
        return command
    }

    /// The entries of the graphs in the answer.
    func entries(in reply: RedisReply) throws(RedisError) -> [StreamEntry] {
        var entries: [StreamEntry] = []
        for stream in reply.members {
            guard let key = stream.members.first?.text, let graph = keys.graph(ofLog: key) else { continue }
            for entry in stream.members.last?.members ?? [] {
                entries.append(try StreamEntry(entry, of: graph))
            }
        }
        return entries
    }

    /// An entry of a stream that only names graphs.
    struct Line {
        let id: String
        let graph: String
    }

    /// What another stream has in the answer.
    func lines(of key: String, in reply: RedisReply) -> [Line] {
        let entries = reply.members.first { $0.members.first?.text == key }?.members.last?.members ?? []
        return entries.compactMap { entry in
            guard let id = entry.members.first?.text, let graph = entry.members.last?.fields["graph"]?.text
            else { return nil }
            return Line(id: id, graph: graph)
        }
    }
}
