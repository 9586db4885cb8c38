internal import Commits

/// What a log does with Redis, each call with one answer or a few that are asked for together.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class RedisStore: StreamStore, @unchecked Sendable {
    /// How many milliseconds are waited for a connection and for an answer.
    static let patience = 2_000
    /// How long idempotency keys are kept, in milliseconds.
    static let keyLifetime = 600_000
    /// How many entries are read at once.
    private static let page = 1_000

    private let address: RedisAddress
    let keys: RedisKeys
    /// How the scripts ask for the time.
    private let time: String
    private var connection: RedisConnection?
    private var digests: [String: String] = [:]
    /// Whether Redis can say that commits are in its file and in those of replicas.
    private(set) var confirmsFiles = false

    /// A store of a Redis; in tests, `time` may be another clock than that of Redis.
    init(_ address: RedisAddress, prefix: String, time: String = Script.time) {
        self.address = address
        self.time = time
        keys = RedisKeys(prefix: prefix)
    }

    /// The connection, which is made where there is none.
    private func connect() throws(RedisError) -> RedisConnection {
        if let connection { return connection }
        let connection = try RedisConnection(address, patience: Self.patience)
        try Self.check(connection)
        confirmsFiles = try Self.confirmsFiles(connection)
        for script in Script.all {
            let text = script.text.replacing(Script.time, with: time)
            digests[script.text] = try connection.ask(RedisCommand("SCRIPT", "LOAD", text)).text
        }
        self.connection = connection
        return connection
    }

    /// Whether the server keeps what it is given, and knows the commands.
    private static func check(_ connection: RedisConnection) throws(RedisError) {
        guard connection.version.lexicographicallyPrecedes([6, 2]) == false else {
            let version = connection.version.map(String.init).joined(separator: ".")
            throw .refused("Redis \(version) is too old: 6.2 or later is needed")
        }
        let lines =
            try connection.ask(RedisCommand("INFO", "memory")).text?.split(whereSeparator: \.isNewline) ?? []
        let policy =
            lines.first { $0.hasPrefix("maxmemory_policy:") }?.drop { $0 != ":" }.dropFirst() ?? "noeviction"
        guard policy == "noeviction" else {
            throw .refused(
                "Redis' maxmemory-policy is \(policy), so it may evict stored data: set it to noeviction"
            )
        }
    }

    /// Whether `WAITAOF` is of use with the server.
    private static func confirmsFiles(_ connection: RedisConnection) throws(RedisError) -> Bool {
        // A user who may not ask gets an error here.
        let found = try connection.ask(
            all: [RedisCommand("CONFIG", "GET", "appendonly"), RedisCommand("CONFIG", "GET", "appendfsync")]
        )
        let words = found.map { $0.members.last?.text ?? "" }
        return confirmsFiles(connection.version, appendonly: words[0], appendfsync: words[1])
    }

    /// Whether `WAITAOF` is of use: Redis has it from 7.2 on.
    ///
    /// It waits for files to be synchronised. Where Redis does that once a second, each answer
    /// would take a second or two, and be taken for an outage.
    static func confirmsFiles(_ version: [Int], appendonly: String, appendfsync: String) -> Bool {
        !version.lexicographicallyPrecedes([7, 2]) && appendonly == "yes" && appendfsync == "always"
    }

    /// Runs `body` with the connection, which is given up when it fails.
    func with<Value>(
        _ body: (RedisConnection) throws(RedisError) -> Value
    ) throws(RedisError) -> Value {
        let connection = try connect()
        do throws(RedisError) {
            return try body(connection)
        } catch {
            if case .unreachable = error { self.connection = nil }
            // The scripts are gone with what Redis kept in memory.
            if case .refused(let words) = error, words.hasPrefix("NOSCRIPT") { self.connection = nil }
            throw error
        }
    }

    func disconnect() { connection = nil }

    func call(_ script: Script, _ keys: [String], _ arguments: String...) -> RedisCommand {
        var command = script.call(digests[script.text] ?? "", keys: keys)
        for argument in arguments { command.append(argument) }
        return command
    }

    // MARK: - Commits

    func append(
        _ batches: [Batch],
        fence: UInt64,
        replicas: Int,
        isReading: Bool
    ) throws(RedisError) -> Appended {
        try with { (connection) throws(RedisError) in
            var revs: [String: UInt64] = [:]
            for batch in batches { revs[batch.graph] = min(batch.base.rev, revs[batch.graph] ?? .max) }
            let read = StreamRead(keys: keys, revs: revs)
            let replies = try connection.ask(
                all: batches.map { command(for: $0, fence: fence) } + (isReading ? [read.command()] : [])
            )
            try wait(for: replicas, connection)
            let outcomes = zip(batches, replies).map { batch, reply in
                Result { () throws(RedisError) in try Outcome(reply, to: batch) }
            }
            // The follower comes to an entry that cannot be read, too, and reports it.
            let entries = isReading ? try? read.entries(in: replies[batches.count]) : nil
            let time = replies.prefix(batches.count).last.flatMap(Outcome.time(in:))
            return Appended(time: time, outcomes: outcomes, entries: entries ?? [])
        }
    }

    func wait(for replicas: Int) throws(RedisError) {
        try with { (connection) throws(RedisError) in try wait(for: replicas, connection) }
    }

    private func wait(for replicas: Int, _ connection: RedisConnection) throws(RedisError) {
        guard replicas > 0 else { return }
        let (count, limit) = (String(replicas), String(Self.patience / 2))
        if confirmsFiles {
            let found = try connection.ask(RedisCommand("WAITAOF", "1", count, limit)).members
            guard found.count == 2, found[0].unsigned == 1, found[1].unsigned ?? 0 >= replicas else {
                throw .unreachable("too few replicas have written the commit to their files")
            }
        } else {
            guard try connection.ask(RedisCommand("WAIT", count, limit)).unsigned ?? 0 >= replicas else {
                throw .unreachable("too few replicas have confirmed the commit")
            }
        }
    }

    private func command(for batch: Batch, fence: UInt64) -> RedisCommand {
        let graph = batch.graph
        var keys = [
            self.keys.state(graph), self.keys.log(graph), self.keys.names, self.keys.news, self.keys.changes,
        ]
        for item in batch.items {
            if let key = item.key { keys.append(self.keys.key(key, of: graph)) }
        }
        var command = call(
            .append,
            keys,
            batch.writer,
            String(batch.number),
            batch.base.epoch,
            String(batch.base.definition),
            String(batch.base.rev),
            batch.id,
            String(fence),
            String(Self.keyLifetime),
            graph
        )
        for item in batch.items {
            command.append(item.kind.rawValue + (item.key == nil ? "" : "k"))
            command.append(item.count)
            command.append(item.bytes)
            command.append(item.note)
            command.append(item.premise.map { "\($0.rev) \($0.batch)" } ?? "")
        }
        return command
    }

    // MARK: - Graphs

    func positions() throws(RedisError) -> [String: StreamPosition] {
        try with { (connection) throws(RedisError) in
            let names = try connection.ask(RedisCommand("SMEMBERS", keys.names)).members.compactMap(\.text)
            let replies = try connection.ask(all: names.map { stateCommand($0) })
            var positions: [String: StreamPosition] = [:]
            for (name, reply) in zip(names, replies) { positions[name] = try StreamPosition(reply, of: name) }
            return positions
        }
    }

    private func stateCommand(_ graph: String) -> RedisCommand {
        RedisCommand(
            "HMGET",
            keys.state(graph),
            "epoch",
            "rev",
            "time",
            "id",
            "definition",
            "origin",
            "earlier"
        )
    }

    func verify(_ positions: [String: StreamPosition]) throws(RedisError) -> [String: StreamEnd] {
        try with { (connection) throws(RedisError) in
            let all = Array(positions)
            let replies = try connection.ask(
                all: all.map { name, position in
                    call(
                        .verify,
                        [keys.state(name), keys.log(name)],
                        position.epoch,
                        String(position.rev),
                        position.id
                    )
                }
            )
            var found: [String: StreamEnd] = [:]
            for ((name, _), reply) in zip(all, replies) {
                if case .error(let words) = reply { throw .refused(words) }
                guard let rev = reply.members.last?.rev else {
                    throw .refused("the rev of graph \(name) is out of range")
                }
                found[name] = StreamEnd(
                    continuity: reply.members.first?.text.flatMap { Continuity(rawValue: $0) } ?? .lost,
                    rev: rev
                )
            }
            return found
        }
    }

    func claim(_ graph: String, _ position: StreamPosition, for instance: String) throws(RedisError) {
        _ = try with { (connection) throws(RedisError) in
            try connection.ask(
                call(.claim, [keys.claim(graph)], String(position.time), String(position.rev), instance)
            )
        }
    }

    func seed(
        _ graph: String,
        _ position: StreamPosition,
        from instance: String,
        epoch: String,
        id: String,
        _ state: [UInt8]
    ) throws(RedisError) -> Bool {
        try with { (connection) throws(RedisError) in
            let keys = [
                keys.state(graph), keys.log(graph), keys.snapshots(graph), keys.claim(graph), keys.names,
                keys.news,
            ]
            var command = call(.seed, keys, position.epoch, instance, epoch)
            command.append(position.rev)
            command.append(position.time)
            command.append(id)
            command.append(position.definition)
            command.append(position.origin.text)
            command.append(state)
            command.append(graph)
            return try connection.ask(command).text != "wait"
        }
    }

    func load(_ graph: String) throws(RedisError) -> LoadedGraph? {
        try with { (connection) throws(RedisError) in
            guard let state = try StreamPosition(connection.ask(stateCommand(graph)), of: graph) else {
                return nil
            }
            let newest = try connection.ask(
                RedisCommand("XREVRANGE", keys.snapshots(graph), "+", "-", "COUNT", "1")
            )
            var position = StreamPosition(epochs: state.epochs, rev: 0, time: 0, id: "", definition: 0)
            var snapshot: GraphSnapshot?
            if let found = newest.members.first {
                snapshot = try position.take(snapshot: found, of: graph)
            }
            var entries: [StreamEntry] = []
            while true {
                let page = try connection.ask(
                    RedisCommand(
                        "XRANGE",
                        keys.log(graph),
                        "\(position.rev)-1",
                        "+",
                        "COUNT",
                        String(Self.page)
                    )
                ).members
                for reply in page {
                    let entry = try StreamEntry(reply, of: graph)
                    position = entry.position(after: position)
                    entries.append(entry)
                }
                if page.count < Self.page { break }
            }
            return LoadedGraph(graph: graph, position: position, snapshot: snapshot, entries: entries)
        }
    }

    func store(
        _ state: [UInt8],
        of graph: String,
        at position: StreamPosition,
        fence: UInt64,
        keeping oldest: UInt64
    ) throws(RedisError) -> Bool {
        try with { (connection) throws(RedisError) in
            var command = call(
                .snapshot,
                [keys.state(graph), keys.log(graph), keys.snapshots(graph)],
                position.epoch,
                String(fence),
                String(position.rev),
                String(position.time),
                position.id,
                String(position.definition),
                position.origin.text
            )
            command.append(state)
            command.append(oldest)
            return try connection.ask(command).text == "ok"
        }
    }

    func digests(of graph: String, at revs: [UInt64]) throws(RedisError) -> [UInt64: String] {
        try with { (connection) throws(RedisError) in
            var command = RedisCommand("HMGET", keys.digests(graph))
            for rev in revs { command.append(rev) }
            let replies = try connection.ask(command).members
            return Dictionary(zip(revs, replies).compactMap { rev, reply in reply.text.map { (rev, $0) } }) {
                $1
            }
        }
    }

    func store(_ digests: [UInt64: String], of graph: String) throws(RedisError) {
        _ = try with { (connection) throws(RedisError) in
            var command = RedisCommand("HSET", keys.digests(graph))
            for (rev, digest) in digests {
                command.append(rev)
                command.append(digest)
            }
            return try connection.ask(all: [RedisCommand("DEL", keys.digests(graph)), command])
        }
    }

    // MARK: - Instances

    func signs() throws(RedisError) -> [String] {
        try with { (connection) throws(RedisError) in
            try connection.ask(RedisCommand("ZRANGE", keys.instances, "0", "-1", "WITHSCORES"))
                .members.compactMap(\.text)
        }
    }

    func begin(epoch: String, unlessChanged signs: [String]) throws(RedisError) -> Bool {
        try with { (connection) throws(RedisError) in
            let names = try connection.ask(RedisCommand("SMEMBERS", keys.names)).members.compactMap(\.text)
            let keys = [keys.instances] + names.map(keys.state)
            var command = call(.begin, keys, epoch, String(Epochs.mostFormer))
            for sign in signs { command.append(sign) }
            return try connection.ask(command).unsigned == 1
        }
    }

    func pulse(of instance: String, lease: Int, files: Set<String>?) throws(RedisError) -> Pulse {
        try with { (connection) throws(RedisError) in
            let keys = [keys.lease, keys.tokens, keys.instances, keys.files]
            var command = call(.pulse, keys, instance, String(lease))
            if let files { command.append(files.sorted().joined(separator: " ")) }
            return try Pulse(try connection.ask(command))
        }
    }

    func forget(_ instances: [String], in graphs: [String]) throws(RedisError) {
        guard !instances.isEmpty else { return }
        try with { (connection) throws(RedisError) in
            var commands = graphs.map { graph in
                var command = RedisCommand("HDEL", keys.state(graph))
                for instance in instances {
                    command.append("seen:\(instance)")
                    command.append("broke:\(instance)")
                }
                return command
            }
            for var command in [RedisCommand("ZREM", keys.instances), RedisCommand("HDEL", keys.files)] {
                for instance in instances { command.append(instance) }
                commands.append(command)
            }
            _ = try connection.ask(all: commands)
        }
    }

    func leave(_ instance: String, _ names: [String], _ graphs: [String]) throws(RedisError) {
        try forget(names, in: graphs)
        try with { (connection) throws(RedisError) in
            if try connection.ask(RedisCommand("HGET", keys.lease, "instance")).text == instance {
                try connection.ask(RedisCommand("DEL", keys.lease))
            }
        }
    }
}
