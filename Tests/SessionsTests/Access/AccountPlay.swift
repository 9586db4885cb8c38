import LogTestSupport
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A few graphs and clients that use everything a host counts, in a random order.
struct AccountPlay {
    let bench: Bench
    private let log: FaultyLog?
    private var dice: SeededGenerator
    private var clients: [Client] = []
    private var created = 0
    /// How many of its requests were answered by each kind of message, or refused for each reason.
    private(set) var answers: [String: Int] = [:]
    private static let graphs = ["g", "h"]
    private static let keep: UInt64 = 30_000

    /// A graph with families and declared nodes; without the parts that `shape` leaves out.
    private static func definition(of graph: String, _ shape: Int) -> String {
        var nodes = [#""base":{"set":"any","initial":1}"#]
        if shape & 1 == 0 {
            nodes.append(#""s.{id}":{"set":"any","history":4,"expire":"20s"}"#)
            nodes.append(#""d.{id}":{"from":"s.{id}","pipe":["distinct"]}"#)
        }
        if shape & 2 == 0 {
            nodes.append(#""t.{id}":{"set":"any"}"#)
            nodes.append(#""count":{"all":"t.*","reduce":"count"}"#)
        }
        if shape & 4 == 0 {
            nodes.append(#""late":{"from":"base","pipe":[{"delay":"1s"}],"retain":"always"}"#)
            nodes.append(#""x":{"set":"any"}"#)
        }
        return #"{"graph":"\#(graph)","nodes":{\#(nodes.joined(separator: ","))}}"#
    }

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        log = dice.chance(1, in: 2) ? FaultyLog() : nil
        var limits = SessionLimits.ample
        limits.pipelineUnits = dice.chance(1, in: 2) ? 500 : limits.pipelineUnits
        bench = Bench(log: log, limits: limits)
    }

    // MARK: - Steps

    mutating func step() throws {
        switch dice.below(18) {
        case 0, 1: connect()
        case 2, 3: for name in Self.graphs { try define(name) }
        case 4: if dice.chance(1, in: 2) { removeGraph() } else { try redefine() }
        case 5, 6, 7, 8, 9: subscribe()
        case 10: ask(#"{"op":"unsub","id":\#(1 + dice.below(created + 1))}"#)
        case 11: produce()
        case 12: drop()
        case 13: pass()
        default: set()
        }
        if let log, log.pending > 0 {
            log.isSlow = dice.chance(1, in: 2)
            if log.isSlow, dice.chance(1, in: 4) { log.lose(HostError(.engineDown, "lost")) }
        }
        if dice.chance(3, in: 4) { bench.endTurn() }
        for answer in clients.flatMap({ $0.take() }) { answers[Self.kind(of: answer), default: 0] += 1 }
    }

    private static func kind(of answer: String) -> String {
        let parts = answer.split(separator: "\"")
        guard parts.count > 3, parts[3] == "err", let code = parts.firstIndex(of: "code") else {
            return parts.count > 3 ? String(parts[3]) : answer
        }
        return String(parts[code + 2])
    }

    private mutating func connect() {
        let name = [nil, "ann", "bob"][dice.below(3)]
        let principal = name.map {
            Principal(name: $0, grants: [Principal.Grant(nodes: ["*"], can: [.customary, .observe])])
        }
        clients.append(bench.connect(principal.map { Access($0) } ?? .full))
        if clients.count > 5 { disconnect() }
    }

    private mutating func disconnect() {
        guard !clients.isEmpty else { return }
        let client = clients.remove(at: dice.below(clients.count))
        client.session.close(dice.chance(1, in: 2) ? .closed : .reset)
    }

    private mutating func graph() -> String { Self.graphs[dice.below(Self.graphs.count)] }

    private mutating func define(_ name: String) throws {
        guard bench.host.table[name] == nil else { return }
        _ = bench.host.define(try bench.definition(Self.definition(of: name, dice.below(8))))
    }

    private mutating func redefine() throws {
        let name = graph()
        guard let graph = bench.host[name] else { return }
        _ = bench.host.redefine(graph, as: try bench.definition(Self.definition(of: name, dice.below(8))))
    }

    private mutating func removeGraph() {
        if let graph = bench.host[graph()] { _ = bench.host.remove(graph) }
    }

    private mutating func ask(_ message: String) {
        guard !clients.isEmpty else { return }
        clients[dice.below(clients.count)].send(message)
    }

    private mutating func member() -> String { ["s", "s", "t"][dice.below(3)] + ".\(dice.below(4))" }

    private mutating func subscribe() {
        created += 1
        let pattern = ["a+", "b+c"][dice.below(2)]
        let target = [
            #""node":"\#(member())""#, #""node":"d.\#(dice.below(4))""#,
            #""node":"\#(member())","pipe":[{"filter":"value.matches('\#(pattern)')"}]"#,
            #""node":"base","pipe":[{"map":"[value, value]"},{"delay":"2s"},{"window":{"count":3,"of":"list"}}]"#,
            #""nodes":["s.*","\#(member())"]"#, #""nodes":["*"],"load":true"#,
            #""all":"s.*","reduce":"max","pipe":[{"debounce":"1s"}]"#,
        ][dice.below(7)]
        let options = ["", #","mode":"all""#, #","every":1000"#, #","facets":true"#, #","owner":"panel""#]
        let keep = target.contains("nodes") || dice.chance(1, in: 2) ? "" : #","keep":\#(Self.keep)"#
        let option = options[dice.below(options.count)]
        ask(#"{"op":"sub","id":\#(created),"graph":"\#(graph())",\#(target)\#(option)\#(keep)}"#)
    }

    private mutating func produce() {
        created += 1
        let what = [
            #""op":"demand","nodes":["s.*","\#(member())"]"#, #""op":"observe""#,
            #""op":"list","changes":true"#,
        ][dice.below(3)]
        ask(#"{"id":\#(created),"graph":"\#(graph())",\#(what)}"#)
    }

    private mutating func set() {
        created += 1
        let text = String(repeating: "abc", count: dice.below(20))
        let value = dice.chance(1, in: 5) ? "null" : #""\#(text)""#
        let name = dice.chance(1, in: 4) ? "base" : member()
        let more = ["", #","presence":true"#, #","ctx":{"why":"\#(text)"}"#, #","key":"k\#(created)""#]
        let option = more[dice.below(more.count)]
        ask(#"{"op":"set","id":\#(created),"graph":"\#(graph())","set":{"\#(name)":\#(value)}\#(option)}"#)
    }

    private mutating func drop() {
        guard let graph = bench.host[graph()], let node = graph.existing(member()), node.family != nil
        else { return }
        _ = bench.host.submit(Commit(dropping: node))
    }

    private mutating func pass() {
        bench.clock.advance(by: UInt64(1 + dice.below(15_000)))
        bench.host.advance()
    }

    // MARK: - The end

    /// Takes everything away, in a random order.
    ///
    /// - Parameter leavesOpen: whether the connections stay.
    mutating func clearOut(leavesOpen: Bool) {
        var steps = Self.graphs.map { ("remove", $0) }
        if !leavesOpen { steps += clients.map { _ in ("disconnect", "") } }
        for (kind, name) in steps.shuffled(using: &dice) {
            if kind == "disconnect" { disconnect() }
            if kind == "remove", let graph = bench.host[name] { _ = bench.host.remove(graph) }
            if dice.chance(1, in: 2) { bench.endTurn() }
        }
        log?.isSlow = false
        for name in Self.graphs {
            bench.endTurn()
            // It was being changed before.
            if let graph = bench.host[name] { _ = bench.host.remove(graph) }
        }
        bench.endTurn()
        bench.settle()
        // Tickets of chains without a graph have ended with it.
        bench.leap(1_000)
        bench.settle()
    }

    /// Whether what counts for principals is what the living members are charged for.
    var isExact: Bool {
        var (count, bytes) = (0, 0)
        for graph in bench.host.table.all {
            count += graph.members.comingCount
            for member in graph.members.living {
                if member.account != nil { count += 1 }
                if member.payer != nil { bytes += Int(member.charged) }
            }
        }
        return bench.host.memory.members.total == (count, bytes)
    }

    /// All that is not zero of what the host counts, by name.
    var remains: [String: Int] {
        var all = bench.clients.countsOfGraphs
        for client in clients {
            for (name, count) in client.session.countsOfGraphs { all[name, default: 0] += count }
        }
        return all.filter { $0.value != 0 }
    }
}

extension Clients {
    /// Everything that is counted, for principals and in all, because there are graphs: zero
    /// without any.
    fileprivate var countsOfGraphs: [String: Int] {
        [
            "graphs": host.table.all.count, "graphs with timers": host.table.ticks.graphs.count,
            "graphs with demand": host.turn.demanded.count, "reports of demand": demandNews.count,
            "unsettled members": host.turn.leftovers.count,
            "members of all principals": host.memory.members.total.count,
            "their bytes": host.memory.members.total.bytes,
            "accounts of members": host.memory.members.named.count,
            "accounts of pipelines": host.pipelines.accounts.named.count,
            "bytes of pipelines": host.pipelines.accounts.named.values.reduce(0) { $0 + $1.held },
            "bytes of nameless tickets": sessions.kept.nameless(in: host).held,
            "waiting stages": host.isBehind ? 1 : 0,
            "subscriptions": sessions.subscriptions,
            "tickets": sessions.kept.tickets.count, "tickets by principal": sessions.kept.counts.count,
            "sessions to release": sessions.isUnfinished ? 1 : 0,
            "sessions closed": sessions.all.count - sessions.openCount,
        ]
    }
}

extension Session {
    fileprivate var countsOfGraphs: [String: Int] {
        [
            "subscriptions of a session": subscriptionCount, "observers": observers.count,
            "demands": demands.count, "kept chains": keptChains.count,
            "owners": owners?.names.count ?? 0,
            "bytes of its pipelines": extras?.ownAccount?.held ?? 0,
            "its patterns": extras?.ownAccount?.patternCount ?? 0,
            "its queue": outbox.queue.bytes, "pending requests": inbox.pending.bytes,
        ]
    }
}
