import LogTestSupport
import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let names = ["a", "b", "c", "d"]
private let graphText =
    #"{"graph":"g","nodes":{"a":{"set":"any"},"b":{"set":"any"},"c":{"set":"any"},"d":{"set":"any"}}}"#

@Suite("Histories of links")
struct LinkHistoryTests {
    @Test(
        "X-10: links and syncs that are made and ended set what the model sets, commit by commit",
        arguments: 1...150 as ClosedRange<UInt64>
    )
    func histories(seed: UInt64) throws {
        var play = try LinkPlay(seed, log: seed % 2 == 0 ? FaultyLog() : nil)
        for step in 1...60 {
            try play.step()
            let fault = try play.fault
            #expect(fault == nil, "seed \(seed), step \(step)")
            if fault != nil { return }
        }
        play.end()
        let graph = play.graph
        #expect(graph.statistics.nodes == play.start.nodes && graph.statistics.edges == play.start.edges)
        #expect(graph.clients.links.isEmpty && graph.clients.subscriptions == 0 && graph.isWhole)
    }
}

/// What the rules say of links between nodes that are set: each emission goes over every link that
/// its path has not passed, in the order in which the links were made, after its commit.
private struct LinkModel {
    struct Link {
        let id: Int
        let from: String
        let to: String
        let isSync: Bool
        var owner: String?
        var lastIsEmpty: Bool
    }

    private struct Effect {
        let id: Int
        let to: String
        let value: Int?
        let path: [String]
        /// The effect is void unless the node's last change was made before.
        let birth: UInt64?
    }

    private(set) var values: [String: Int] = [:]
    private(set) var rev: UInt64
    private(set) var links: [Link] = []
    private var changed: [String: UInt64] = [:]
    private var effects: [Effect] = []
    /// When the last change of a node was made, if it came over a `sync` (in half revs).
    private var births: [String: UInt64] = [:]

    init(rev: UInt64) { self.rev = rev }

    mutating func commit(_ changes: [(String, Int?)], path: [String] = [], birth: UInt64? = nil) {
        rev += 1
        for (name, value) in changes {
            values[name] = value
            changed[name] = rev
            births[name] = birth
        }
        for (name, value) in changes { emit(value, of: name, path + [name]) }
    }

    private mutating func emit(_ value: Int?, of name: String, _ path: [String]) {
        for place in links.indices where links[place].from == name {
            if value == nil, links[place].lastIsEmpty { continue }
            links[place].lastIsEmpty = value == nil
            lead(links[place], value, path, births[name] ?? 2 * rev)
        }
    }

    private mutating func lead(_ link: Link, _ value: Int?, _ path: [String], _ birth: UInt64) {
        guard !path.contains(link.to) else { return }
        let birth = link.isSync ? birth : nil
        effects.append(Effect(id: link.id, to: link.to, value: value, path: path, birth: birth))
    }

    /// The turn ends: what links have to set is set.
    mutating func settle() {
        while !effects.isEmpty {
            let effect = effects.removeFirst()
            guard links.contains(where: { $0.id == effect.id }) else { continue }
            let last = births[effect.to] ?? 2 * changed[effect.to, default: 0]
            if let birth = effect.birth, last >= birth { continue }
            commit([(effect.to, effect.value)], path: effect.path, birth: effect.birth)
        }
    }

    mutating func link(_ id: Int, _ ways: [(String, String)], isSync: Bool, owner: String?, initial: Bool) {
        let first = links.count
        for (from, to) in ways {
            let isEmpty = values[from] == nil
            links.append(Link(id: id, from: from, to: to, isSync: isSync, owner: owner, lastIsEmpty: isEmpty))
        }
        guard initial, let winner = links[first...].first(where: { values[$0.from] != nil }) else { return }
        lead(winner, values[winner.from], [winner.from], 2 * rev + 1)
        settle()
    }

    mutating func end(where isEnded: (Link) -> Bool) {
        links.removeAll(where: isEnded)
        // Where nothing leads any more, it is forgotten.
        births = births.filter { name, _ in links.contains { $0.to == name } }
    }
}

private struct LinkPlay {
    private let bench: Bench
    let graph: LiveGraph
    let start: GraphStatistics
    private var dice: SeededGenerator
    private let log: FaultyLog?
    private var client: Client
    private var model: LinkModel

    init(_ seed: UInt64, log: FaultyLog?) throws {
        dice = SeededGenerator(seed: seed)
        self.log = log
        bench = Bench(log: log)
        graph = try bench.define(graphText)
        start = graph.statistics
        client = bench.connect()
        model = LinkModel(rev: graph.rev)
    }

    private mutating func name() -> String { names[dice.below(names.count)] }

    mutating func step() throws {
        switch dice.below(20) {
        case 0: reconnect()
        case 1...6: link()
        case 7...8: unsubscribe()
        case 9: release()
        default:
            for _ in 0...dice.below(3) { try commit() }
        }
        settle()
        model.settle()
    }

    /// Ends turns until the log has answered everything.
    private func settle() {
        repeat {
            bench.endTurn()
            bench.settle()
        } while (log?.pending ?? 0) > 0
    }

    private mutating func reconnect() {
        client.session.close()
        client = bench.connect()
        model.end { _ in true }
    }

    private mutating func link() {
        let id = 1 + dice.below(12)
        let (from, to, owner) = (name(), name(), dice.chance(1, in: 2) ? "p\(dice.below(2))" : nil)
        let (isSync, initial) = (dice.chance(1, in: 3), dice.chance(1, in: 2))
        let (op, first, second) = isSync ? ("sync", "a", "b") : ("link", "from", "to")
        let ends = #""op":"\#(op)","\#(first)":"\#(from)","\#(second)":"\#(to)""#
        let owned = owner.map { #","owner":"\#($0)""# } ?? ""
        let answers = client.ask(#"{\#(ends),"id":\#(id),"graph":"g","initial":\#(initial)\#(owned)}"#)
        settle()
        guard answers.last?.hasPrefix(#"{"op":"linked","id":\#(id),"#) == true else { return }
        let ways = isSync ? [(to, from), (from, to)] : [(from, to)]
        model.link(id, ways, isSync: isSync, owner: owner, initial: initial)
    }

    private mutating func unsubscribe() {
        guard let id = model.links.randomElement(using: &dice)?.id else { return }
        client.ask(#"{"op":"unsub","id":\#(id)}"#)
        model.end { $0.id == id }
    }

    private mutating func release() {
        let owner = "p\(dice.below(2))"
        client.ask(#"{"op":"release","id":90,"owner":"\#(owner)"}"#)
        model.end { $0.owner == owner }
    }

    private mutating func commit() throws {
        let value = dice.below(100)
        let (first, second) = (name(), name())
        if dice.chance(1, in: 5) {
            try bench.submit(graph, [], clear: [first])
            model.commit([(first, nil)])
        } else if first != second, dice.chance(1, in: 3) {
            try bench.submit(graph, [(first, "\(value)"), (second, "\(value + 1)")])
            model.commit([(first, value), (second, value + 1)])
        } else {
            try bench.submit(graph, [(first, "\(value)")])
            model.commit([(first, value)])
        }
    }

    /// The client leaves.
    mutating func end() {
        client.session.close()
        bench.endTurn()
    }

    /// What is not as in the model.
    var fault: String? {
        get throws {
            for name in names {
                let wanted = model.values[name].map(String.init) ?? "empty"
                let held = try bench.read(graph, name)
                if held != wanted { return "\(name) is \(held), not \(wanted)" }
            }
            guard graph.rev == model.rev else { return "rev \(graph.rev), not \(model.rev)" }
            let links = graph.clients.links.count
            guard links == model.links.count else { return "\(links) links" }
            return graph.isWhole ? nil : "something that cannot be reached is alive"
        }
    }
}
