import Commits
import LogTestSupport
import Support
import TestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "a": {"set": "number", "initial": 100}, "b": {"set": "number", "initial": 0},
      "c": {"set": "any"}, "d": {"set": "any"}, "account.{id}": {"set": "number"}
    }, "links": [{"from": "a", "to": "c", "pipe": [{"map": "value * 2"}]}]}
    """

/// Updates that wait for the log, and those of several servers.
@Suite("Updates on their way")
struct PendingUpdateTests {
    private let log = FaultyLog()

    private func prepared(isShared: Bool = false) throws -> (Bench, LiveGraph, Client) {
        if isShared { log.instance = "here" }
        let bench = Bench(log: log)
        let graph = try bench.define(graphText)
        log.isSlow = true
        return (bench, graph, bench.connect())
    }

    @Test("X-1: commits on their way count as applied")
    func pending() throws {
        let (bench, _, client) = try prepared()
        for id in 1...3 {
            client.send(#"{"op":"set","id":\#(id),"graph":"g","update":{"a":"value - 10","b":"value + 10"}}"#)
        }
        client.send(#"{"op":"set","id":4,"graph":"g","set":{"d":1},"with":{"x":"b"},"if":"x == 30"}"#)
        log.confirm()
        bench.endTurn()
        #expect(
            client.take() == [
                #"{"op":"ok","id":1,"epoch":"e1","rev":2,"values":{"a":90,"b":10}}"#,
                #"{"op":"ok","id":2,"epoch":"e1","rev":3,"values":{"a":80,"b":20}}"#,
                #"{"op":"ok","id":3,"epoch":"e1","rev":4,"values":{"a":70,"b":30}}"#,
                #"{"op":"ok","id":4,"epoch":"e1","rev":5}"#,
            ]
        )
    }

    @Test("X-1: of commits on their way one of any age may be refused; the newest of the others counts")
    func refused() throws {
        let (bench, graph, _) = try prepared()
        let node = try #require(graph.node("a"))
        let commits = try (1...3).map { number in
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(node, try Datum.parse("\(number)")))
            return PendingCommit(commit, turnBegan: 0)
        }
        for commit in commits { graph.pending.add(commit) }
        var held: String? {
            guard case .known(let value?) = node.coming.value else { return nil }
            return "\(value.text) at \(node.coming.rev)"
        }
        #expect(held == "3 at 4")
        graph.pending.remove(commits[2])
        #expect(held == "2 at 3")
        graph.pending.remove(commits[0])
        #expect(held == "2 at 3")
        graph.pending.remove(commits[1])
        #expect(held == "100 at 1" && node.pending == nil)
        bench.endTurn()
    }

    @Test("X-1: a value that may come over a tie is awaited")
    func tied() throws {
        let (bench, graph, client) = try prepared()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"a":7}}"#)
        client.send(#"{"op":"set","id":2,"graph":"g","update":{"d":"x + 1"},"with":{"x":"c"},"key":"k"}"#)
        client.send(#"{"op":"set","id":3,"graph":"g","update":{"d":"x + 1"},"with":{"x":"c"},"key":"k"}"#)
        // In its place.
        client.send(#"{"op":"set","id":4,"graph":"g","set":{"d":0}}"#)
        #expect(log.pending == 1)
        log.confirm()
        bench.endTurn()
        log.confirm()
        bench.endTurn()
        #expect(
            client.take() == [
                #"{"op":"ok","id":1,"epoch":"e1","rev":2}"#,
                #"{"op":"ok","id":2,"epoch":"e1","rev":3,"values":{"d":15}}"#,
                #"{"op":"ok","id":3,"epoch":"e1","rev":3,"replayed":true,"values":{"d":15}}"#,
                #"{"op":"ok","id":4,"epoch":"e1","rev":4}"#,
            ]
        )
        #expect(try bench.read(graph, "d") == "0" && graph.pending.count == 0)
    }

    @Test(
        "X-1: such a value is awaited by whatever way it comes from a member",
        arguments: [
            #"{"all":"s.*","reduce":"sum"}"#, #"{"all":"d.*","reduce":"sum"}"#,
            #"{"all":"g.?","reduce":"sum"}"#, #"{"flatten":{"from":"key","node":"s.{value}"}}"#,
            #"{"flatten":{"from":"key","node":"d.{value}"}}"#,
            #"{"flatten":{"from":"key","node":"g.{value}"}}"#,
            #"{"flatten":{"from":"key","node":"own.{value}"}}"#, #"{"from":"any.x"}"#, #"{"from":"after.x"}"#,
        ]
    )
    func ways(total: String) throws {
        let bench = Bench(log: log)
        let graph = try bench.define(
            """
            {"graph": "g", "nodes": {
              "s.{id}": {"set": "any"}, "d.{id}": {"from": "s.{id}", "pipe": [{"map": "value"}]},
              "r.{x}.{y}": {"set": "any"}, "g.{x}": {"all": "r.{x}.{y}", "reduce": "sum"},
              "own.{id}": {"flatten": {"from": "key", "node": "r.{id}.{value}"}},
              "any.{id}": {"flatten": {"from": "key", "node": "s.{value}"}}, "after.{id}": {"from": "any.{id}"},
              "key": {"set": "any"}, "total": \(total), "c": {"set": "any"}, "e": {"set": "any"}
            }, "links": [{"from": "total", "to": "c"}]}
            """
        )
        try bench.set(graph, [("key", "1"), ("s.1", "3"), ("r.1.1", "3")])
        log.isSlow = true
        let client = bench.connect()
        client.send(#"{"op":"set","graph":"g","set":{"s.1":5,"r.1.1":5}}"#)
        client.send(#"{"op":"set","graph":"g","update":{"e":"x + 1"},"with":{"x":"c"}}"#)
        for _ in 0..<2 {
            bench.endTurn()
            log.confirm()
        }
        bench.endTurn()
        #expect(try bench.read(graph, "c") == "5" && bench.read(graph, "e") == "6")
    }

    @Test("X-3: a glob means the members that commits on their way will make")
    func coming() throws {
        let (bench, graph, client) = try prepared()
        client.send(#"{"op":"set","id":1,"graph":"g","set":{"account.1":1}}"#)
        client.send(#"{"op":"set","id":2,"graph":"g","clear":["account.*"]}"#)
        log.confirm()
        bench.endTurn()
        #expect(client.take().last == #"{"op":"ok","id":2,"epoch":"e1","rev":3}"#)
        #expect(graph.members.livingCount == 0)
    }

    private func entry(_ node: String, _ value: String) -> LogEntry {
        var entry = LogEntry(graph: "g")
        entry.set = [LogEntry.Assignment(node, Array(value.utf8))]
        return entry
    }

    @Test("X-1: the evaluation is repeated when another server's commit came in between")
    func moved() throws {
        let (bench, graph, client) = try prepared(isShared: true)
        client.send(#"{"op":"set","id":1,"graph":"g","update":{"a":"value - 10","b":"value + 10"}}"#)
        log.moves = 1
        log.receive(entry("a", "50"), wall: 5_000_000)
        log.isSlow = false
        bench.endTurn()
        bench.endTurn()
        #expect(client.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":3,"values":{"a":40,"b":10}}"#])
        #expect(try bench.read(graph, "a") == "40")
    }

    @Test("X-1: an expression that fails is refused only once the log confirms what it has seen")
    func confirmed() throws {
        let (bench, _, client) = try prepared(isShared: true)
        client.send(#"{"op":"set","id":1,"graph":"g","update":{"d":"value.x"}}"#)
        bench.endTurn()
        #expect(client.take() == [])
        log.moves = 1
        log.receive(entry("d", #"{"x":1}"#), wall: 5_000_000)
        log.confirm()
        bench.endTurn()
        log.confirm()
        #expect(client.take() == [#"{"op":"ok","id":1,"epoch":"e1","rev":3,"values":{"d":1}}"#])
        client.send(#"{"op":"set","id":2,"graph":"g","update":{"d":"value.x"}}"#)
        log.confirm()
        #expect(client.take().last?.contains(#""code":"expr_type""#) == true)
    }

    @Test("X-1: the log has results, never expressions")
    func logged() throws {
        let (bench, graph, client) = try prepared()
        client.send(
            #"{"op":"set","id":1,"graph":"g","update":{"a":"value - 10"},"with":{"x":"b"},"if":"x == 0","key":"k"}"#
        )
        log.confirm()
        bench.endTurn()
        let revs = try #require(try log.reader.revs(of: "g"))
        var last: LogEntry?
        try log.reader.entries(of: "g", in: revs) { entry, _ in
            last = entry
            return true
        }
        #expect(last?.set == [LogEntry.Assignment("a", Array("90".utf8))])
        var bytes: [UInt8] = []
        last?.append(to: &bytes)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("value"))
        // Others' commits after this rev send it back.
        var commit = Commit(graph: graph)
        let text = FormulaText(node: "a", text: "value + 1", names: [])
        let view = try GraphView(graph, for: .full)
        commit.transaction = try Transaction(of: commit, with: [], [text], nil, globs: [], for: view)
        #expect(commit.entry().checkedAt == graph.rev)
    }

    /// A model that applies commits one after the other: sums are kept, each answer is right.
    @Test("X-1: random transfers give what they give one after the other", arguments: [false, true], 0..<20)
    func histories(hasLog: Bool, seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let log = hasLog ? FaultyLog() : nil
        let bench = Bench(log: log)
        let graph = try bench.define(
            #"{"graph":"g","nodes":{"n.0":{"set":"number","initial":100,"min":0},"n.1":{"set":"number","initial":100,"min":0},"n.2":{"set":"number","initial":100,"min":0},"n.3":{"set":"any"},"total":{"all":"n.?","reduce":"list","pipe":[{"map":"sum(value.map(x, double(x)))"}]}}}"#
        )
        log?.isSlow = true
        let client = bench.connect()
        let watcher = bench.connect()
        watcher.ask(#"{"op":"sub","id":1,"graph":"g","node":"total","mode":"all"}"#)
        _ = watcher.take()
        var model = ["n.0": 100, "n.1": 100, "n.2": 100]
        var expected: [String] = []
        for id in 1...60 {
            let (from, to) = ("n.\(random.below(3))", "n.\(random.below(3))")
            let amount = random.below(60)
            guard from != to else { continue }
            let key = random.below(4) == 0 ? "old" : "k\(id)"
            let fields =
                #""update":{"\#(from)":"value - \#(amount)","\#(to)":"value + \#(amount)"},"with":{"x":"\#(from)"},"if":"x >= \#(amount)""#
            client.send(
                #"{"op":"set","id":\#(id),"graph":"g",\#(fields)\#(key == "old" ? "" : #","key":"\#(key)""#)}"#
            )
            if model[from]! >= amount {
                model[from]! -= amount
                model[to]! += amount
                expected.append(
                    #""id":\#(id),"values":{"\#(from)":\#(model[from]!),"\#(to)":\#(model[to]!)}"#
                )
            } else {
                expected.append(#""id":\#(id),"code":"conflict""#)
            }
            if random.below(5) == 0 {
                log?.confirm(1 + random.below(4))
                bench.endTurn()
            }
        }
        log?.confirm()
        bench.endTurn()
        let answers = client.take().map { answer in
            answer.replacing(#/"epoch":"e1","rev":\d+,/#, with: "")
        }
        #expect(answers.count == expected.count)
        for (answer, expected) in zip(answers, expected) { #expect(answer.contains(expected), "\(answer)") }
        for (name, value) in model { #expect(try bench.read(graph, name) == "\(value)") }
        for message in watcher.take() { #expect(message.contains(#""v":300"#), "\(message)") }
    }
}
