import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

private let graphText = """
    {"graph": "g", "nodes": {
      "x": {"set": "any", "initial": 1}, "y": {"set": "any", "initial": 2},
      "double": {"from": "x", "pipe": [{"map": "value * 2"}]},
      "deep": {"from": "double", "pipe": [{"map": "value + 1"}, {"map": "value + 1"}]},
      "both": {"combine": {"a": "deep", "b": "y"}, "map": "a + b"},
      "shown": {"flatten": {"from": "y", "to": {"2": "both"}, "otherwise": "deep"}, "retain": "whileInUse"}
    }}
    """

/// What the rules O-1 to O-4 say of one connection: its subscriptions by id, with their owners; nil
/// is the connection.
private typealias Owned = [Int: Set<String?>]

@Suite("Histories of owners")
struct OwnerHistoryTests {
    @Test(
        "O-1 to O-4: exactly what has an owner lives, through any history",
        arguments: 1...200 as ClosedRange<UInt64>
    )
    func histories(seed: UInt64) throws {
        var play = try OwnerPlay(seed)
        for step in 1...60 {
            try play.step()
            let fault = play.fault
            #expect(fault == nil, "seed \(seed), step \(step)")
            if fault != nil { return }
        }
        play.end()
        #expect(play.fault == nil, "seed \(seed), at the end")
        #expect(
            play.graph.statistics.nodes == play.start.nodes && play.graph.statistics.edges == play.start.edges
        )
    }
}

/// Connections that subscribe, change owners, release and leave, and a model of what must live.
private struct OwnerPlay {
    let bench = Bench()
    let graph: LiveGraph
    let start: GraphStatistics
    private var dice: SeededGenerator
    private var clients: [(client: Client, owned: Owned)] = []
    private var complaint: String?

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        graph = try bench.define(graphText)
        start = graph.statistics
    }

    private mutating func names() -> [String] {
        (0...dice.below(3)).map { _ in ["a", "b", "c", "d"][dice.below(4)] }
    }

    private static func json(_ names: [String]) -> String {
        names.count == 1 ? "\"\(names[0])\"" : "[\(names.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    mutating func step() throws {
        guard clients.count > 0, !dice.chance(1, in: 12) || clients.count > 3 else {
            clients.append((bench.connect(), [:]))
            return
        }
        let place = dice.below(clients.count)
        switch dice.below(20) {
        case 0:
            clients.remove(at: place).client.session.close()
        case 1...8: subscribe(place)
        case 9...12: modify(place)
        case 13...15: release(place)
        case 16: unsubscribe(place)
        default: try bench.set(graph, [(dice.chance(1, in: 2) ? "x" : "y", "\(dice.below(4))")])
        }
    }

    private mutating func subscribe(_ place: Int) {
        let id = 1 + dice.below(12)
        let sources = [
            #""node":"deep""#, #""node":"both","mode":"all""#, #""nodes":["d*","x"]"#,
            #""node":"shown","every":5"#,
            #""node":"deep","pipe":[{"map":"value + 1"}]"#, #""combine":["deep","y"]"#,
        ]
        let source = sources[dice.below(sources.count)]
        let names = dice.chance(1, in: 4) ? nil : names()
        let owner = names.map { ",\"owner\":\(Self.json($0))" } ?? ""
        let answers = ask(place, #"{"op":"sub","id":\#(id),"graph":"g",\#(source)\#(owner)}"#)
        if clients[place].owned[id] == nil {
            clients[place].owned[id] = names.map { Set($0) } ?? [nil]
        } else {
            expect(answers.last?.contains("id_in_use") == true, "id_in_use", answers)
        }
    }

    private mutating func modify(_ place: Int) {
        guard let id = clients[place].owned.keys.sorted().randomElement(using: &dice) else { return }
        let (add, remove) = (names(), names())
        var change = ""
        if dice.chance(2, in: 3) { change += ",\"removeOwner\":\(Self.json(remove))" }
        if dice.chance(2, in: 3) { change += ",\"addOwner\":\(Self.json(add))" }
        var owners = clients[place].owned[id] ?? []
        if change.contains("addOwner") { owners.formUnion(add) }
        if change.contains("removeOwner") { owners.subtract(remove.map { $0 }) }
        clients[place].owned[id] = owners.isEmpty ? nil : owners
        let answers = ask(place, #"{"op":"mod","id":90,"sub":\#(id)\#(change)}"#)
        expect(answers.last == #"{"op":"ok","id":90}"#, "ok", answers)
        let ends = answers.filter { $0.hasPrefix(#"{"op":"end","id":\#(id),"code":"done""#) }
        expect(ends.count == (owners.isEmpty ? 1 : 0), "an end where no owner is left", answers)
    }

    private mutating func release(_ place: Int) {
        let name = names()[0]
        var ended: [Int] = []
        for (id, owners) in clients[place].owned {
            let left = owners.subtracting([name])
            clients[place].owned[id] = left.isEmpty ? nil : left
            if left.isEmpty { ended.append(id) }
        }
        let before = graph.statistics.released
        let answers = ask(place, #"{"op":"release","id":91,"owner":"\#(name)"}"#)
        let released = graph.statistics.released - before
        let ends = answers.compactMap { answer in
            (1...12).first { answer.hasPrefix(#"{"op":"end","id":\#($0),"code":"done""#) }
        }
        expect(ends.sorted() == ended.sorted(), "ends \(ended.sorted())", answers)
        let list = ends.map(String.init).joined(separator: ",")
        expect(
            answers.last == #"{"op":"ok","id":91,"ended":[\#(list)],"released":\#(released)}"#,
            "ended \(list), released \(released)",
            answers
        )
    }

    private mutating func unsubscribe(_ place: Int) {
        guard let id = clients[place].owned.keys.sorted().randomElement(using: &dice) else { return }
        clients[place].owned[id] = nil
        let answers = ask(place, #"{"op":"unsub","id":\#(id)}"#)
        expect(answers.last?.hasPrefix(#"{"op":"end","id":\#(id),"#) == true, "an end", answers)
    }

    /// Every connection leaves.
    mutating func end() {
        while let (client, _) = clients.popLast() { client.session.close() }
        bench.endTurn()
    }

    private func ask(_ place: Int, _ message: String) -> [String] {
        bench.endTurn()
        _ = clients[place].client.take()
        return clients[place].client.ask(message)
    }

    private mutating func expect(_ isTrue: Bool, _ what: String, _ answers: [String]) {
        if !isTrue, complaint == nil { complaint = "expected \(what), got \(answers)" }
    }

    /// What is not as the rules say.
    var fault: String? {
        if let complaint { return complaint }
        for (client, owned) in clients {
            let present = client.session.subscriptions.map { (Int($0.id), Set($0.ownerNames)) }
            guard present.count == owned.count, present.allSatisfy({ owned[$0.0] == $0.1 }) else {
                return "\(present) live, not \(owned)"
            }
            let names = Set(owned.values.flatMap { $0 }.compactMap(\.self)).sorted()
            guard client.session.ownerNames == names else {
                return "\(client.session.ownerNames), not \(names)"
            }
            for name in names {
                let count = owned.values.filter { $0.contains(name) }.count
                if client.session.owners?[name]?.subscriptions != count {
                    return "\(name) is not counted right"
                }
            }
        }
        let count = clients.reduce(0) { $0 + $1.owned.count }
        guard bench.clients.statistics.subscriptions == count, graph.clients.subscriptions == count else {
            return "\(graph.clients.subscriptions) subscriptions are counted, not \(count)"
        }
        return graph.isWhole ? nil : "something that cannot be reached is alive"
    }
}
