// What an instance says about demand, and how that is kept: for as long as it lives.
extension RedisStore {
    /// How long the demand of an instance is kept without a sign of life, in milliseconds.
    static let demandLease = String(SignsOfLife.silence)
    /// How long the stream of demand is kept without a new line, in milliseconds.
    private static let streamLifetime = "600000"
    /// How many names one command has at most.
    private static let names = 500

    func tell(_ notice: DemandNotice, from instance: String) throws(RedisError) -> Set<String> {
        try with { (connection) throws(RedisError) in
            var commands: [(command: RedisCommand, graph: String?)] = []
            if let followed = notice.followed {
                commands.append((followCommand(followed.all, instance), nil))
                if !followed.new.isEmpty {
                    commands += announce(followed.new, instance).map { ($0, nil) }
                }
            }
            for change in notice.changes {
                commands += self.commands(for: change, instance).map { ($0, change.graph) }
            }
            for graph in notice.ended {
                commands.append((RedisCommand("DEL", keys.wanted(graph, at: instance)), nil))
            }
            let replies = try connection.ask(all: commands.map(\.command))
            var gone: Set<String> = []
            for (reply, (_, graph)) in zip(replies, commands) {
                if case .error(let words) = reply { throw .refused(words) }
                if let graph, reply.text == "gone" { gone.insert(graph) }
            }
            return gone
        }
    }

    private func followCommand(_ graphs: [String], _ instance: String) -> RedisCommand {
        let (key, names) = (keys.followed(by: instance), graphs.joined(separator: " "))
        return graphs.isEmpty
            ? RedisCommand("DEL", key) : RedisCommand("SET", key, names, "PX", Self.demandLease)
    }

    /// Tells the others at once.
    private func announce(_ graphs: [String], _ instance: String) -> [RedisCommand] {
        var line = RedisCommand("XADD", keys.demand, "MAXLEN", "~", String(Script.demandLines), "*")
        for word in ["i", instance, "f", graphs.joined(separator: " ")] { line.append(word) }
        return [line, RedisCommand("PEXPIRE", keys.demand, Self.streamLifetime)]
    }

    private func commands(for change: DemandChange, _ instance: String) -> [RedisCommand] {
        let set = keys.wanted(change.graph, at: instance)
        guard change.isWhole else {
            let count = max(change.wanted.count, change.unwanted.count, change.asked.count)
            return stride(from: 0, to: max(count, 1), by: Self.names).map { start in
                tell(
                    [set, keys.demand],
                    change.graph,
                    instance,
                    change.wanted.dropFirst(start).prefix(Self.names),
                    change.unwanted.dropFirst(start).prefix(Self.names),
                    change.asked.dropFirst(start).prefix(Self.names)
                )
            }
        }
        // Under another key, so that no instance reads half of it. The empty name keeps it in place
        // while nothing is wanted.
        let next = keys.nextWanted(change.graph, at: instance)
        var commands = [RedisCommand("DEL", next), RedisCommand("SADD", next, "")]
        for start in stride(from: 0, to: change.wanted.count, by: Self.names) {
            var command = RedisCommand("SADD", next)
            for name in change.wanted.dropFirst(start).prefix(Self.names) { command.append(name) }
            commands.append(command)
        }
        commands.append(RedisCommand("PEXPIRE", next, Self.demandLease))
        let asked = change.asked
        commands.append(
            tell([set, keys.demand, next], change.graph, instance, [], [], asked.prefix(Self.names))
        )
        for start in stride(from: Self.names, to: asked.count, by: Self.names) {
            let names = asked.dropFirst(start).prefix(Self.names)
            commands.append(tell([set, keys.demand], change.graph, instance, [], [], names))
        }
        return commands
    }

    private func tell(
        _ keys: [String],
        _ graph: String,
        _ instance: String,
        _ wanted: ArraySlice<String>,
        _ unwanted: ArraySlice<String>,
        _ asked: ArraySlice<String>
    ) -> RedisCommand {
        call(
            .demand,
            keys,
            instance,
            graph,
            Self.demandLease,
            Self.streamLifetime,
            wanted.joined(separator: " "),
            unwanted.joined(separator: " "),
            asked.joined(separator: " ")
        )
    }

    func renewDemand(
        of instance: String,
        following followed: [String],
        telling told: [String],
        _ others: [String]
    ) throws(RedisError) -> DemandRenewal {
        try with { (connection) throws(RedisError) in
            var commands = [followCommand(followed, instance)]
            commands += others.map { RedisCommand("GET", keys.followed(by: $0)) }
            commands += told.map { RedisCommand("PEXPIRE", keys.wanted($0, at: instance), Self.demandLease) }
            let replies = try connection.ask(all: commands)
            for case .error(let words) in replies { throw .refused(words) }
            var followers: [String: Set<String>] = [:]
            for (other, reply) in zip(others, replies.dropFirst()) {
                followers[other] = Set((reply.text ?? "").split(separator: " ").map(String.init))
            }
            let gone = zip(told, replies.dropFirst(1 + others.count)).filter { $0.1.unsigned == 0 }.map(\.0)
            return DemandRenewal(followers: followers, gone: Set(gone))
        }
    }
}
