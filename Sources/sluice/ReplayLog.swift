internal import ArgumentParser
internal import CommandSupport
internal import Commits
internal import Graphs
internal import SluiceServer
internal import Support

struct ReplayLog: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Play the stored commits of a graph again, to check them or to try another definition.",
        discussion: """
            Plays from the oldest state that is kept, and compares with the newest snapshot on the way: the same commits make the same \
            values, so a difference is a fault, and the exit code is 1. No server has to be running, and one may.

            With --with the same commits are also played on another definition, and what differs at the end is printed: what would \
            yesterday have looked like with today's file? Sets that the file's checks refuse, or of nodes that it does not have, are left \
            out and counted.

            EXAMPLES
              sluice replay --data data house
              sluice replay --data data house --to 1042
              sluice replay --data data house --with config/graphs/house.yaml --json
              sluice replay --redis redis://127.0.0.1 house
            """
    )

    @Argument(help: "The graph.")
    var graph: String

    @Option(help: "The data folder: the 'dataDir' of the configuration.")
    var data: String?

    @Option(help: "The Redis: the 'redis.url' of the configuration.")
    var redis: String?

    @Option(help: "The 'redis.ca' of the configuration, for rediss://.")
    var ca: String?

    @Option(help: "The 'redis.prefix' of the configuration.")
    var prefix = "sluice"

    @Option(help: "The last rev to play; without it the last there is.")
    var to: UInt64?

    @Option(help: "A definition file to play the commits on as well.")
    var with: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard (data == nil) != (redis == nil) else {
            throw ValidationError("Name the log: --data for a folder, or --redis.")
        }
    }

    func run() throws {
        let outcome = try Terminal.reporting {
            let log =
                try redis.map { url in try StoredLog(redis: url, authorities: ca, prefix: prefix) }
                ?? StoredLog(folder: data ?? "")
            let replay = try log.replay(graph, to: to)
            return try with.map { try log.replay(replay, with: $0) } ?? replay.run()
        }
        Terminal.print(text: json ? outcome.json(of: graph) : outcome.text)
        if outcome.snapshot?.agrees == false { throw ExitCode(1) }
    }
}

extension Replay.Outcome {
    /// For a person.
    fileprivate var text: String {
        var lines = ["rev \(stamp.rev) of \(moment), \(commits) commits played"]
        lines.append(digest.map { "digest \($0)" } ?? "the graph had ended")
        if let snapshot {
            let verdict = snapshot.agrees ? "agrees with the commits" : "DIFFERS from what the commits make"
            lines.append("the snapshot at rev \(snapshot.rev) \(verdict)")
        }
        if skipped > 0 { lines.append("\(skipped) sets and clears do not fit the definition") }
        for difference in differences {
            lines.append(
                "\(difference.node): \(difference.before ?? "empty") -> \(difference.after ?? "empty")"
            )
        }
        return lines.joined(separator: "\n")
    }

    private var moment: String { "\(CivilTime(secondsSinceEpoch: Int64(stamp.time / 1000)))Z" }

    /// For a script.
    fileprivate func json(of graph: String) -> String {
        var out = ByteBuffer()
        out.append("{")
        out.member("graph", graph)
        out.member("rev", stamp.rev)
        out.member("t", stamp.time)
        out.member("commits", commits)
        out.member("digest", digest)
        if let snapshot {
            out.member("snapshot") { out in
                out.member("rev", snapshot.rev)
                out.member("agrees", snapshot.agrees)
            }
        }
        out.member("skipped", skipped)
        out.member("differences", objects: differences) { difference, out in
            out.member("node", difference.node)
            if let before = difference.before {
                out.member("before")
                out.append(utf8: before)
            }
            if let after = difference.after {
                out.member("after")
                out.append(utf8: after)
            }
        }
        out.append("}")
        return out.text
    }
}
