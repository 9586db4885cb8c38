@testable import GraphHost
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Random graphs, commits and clients against a naive evaluation of the definition.
@Suite("Random histories")
struct RandomHistoryTests {
    static var seeds: Range<UInt64> { !Nightly.isOn ? 0..<300 : 0..<20_000 }

    @Test(
        "Subscribers, late subscribers and reads see what a naive evaluation gives, whatever happens around them"
    )
    func histories() throws {
        for seed in Self.seeds {
            let complaints = try History(seed).run()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(3))")
            if !complaints.isEmpty { return }
        }
    }
}

private final class History {
    private var dice: SeededGenerator
    private let bench: Bench
    private let graph: LiveGraph
    private let model: Model
    private var clients: [(client: Client, view: View, subscriptions: [Int: Wanted])] = []
    private var nextID = 0
    private var complaints: [String] = []
    private let start: GraphStatistics

    struct Wanted {
        let node: String
        let adds: Int
        let isAll: Bool
    }

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        model = Model(&dice)
        bench = Bench()
        graph = try bench.define(model.definition)
        start = graph.statistics
    }

    func run() throws -> [String] {
        for step in 0..<60 {
            try act()
            if dice.below(3) == 0 { continue }
            bench.host.flush()
            look(step)
            if !complaints.isEmpty { return complaints }
        }
        for (client, _, _) in clients { client.session.close() }
        let end = graph.statistics
        // A flatten that is always kept may have chosen another node since, so only without one the counts agree.
        if !model.hasFlatten, end.nodes != start.nodes || end.edges != start.edges {
            complaints.append("left over: \(end) instead of \(start)")
        }
        if end.listeners != 0 { complaints.append("listeners left over: \(end)") }
        if !graph.isWhole { complaints.append("something unreachable is alive") }
        return complaints
    }

    private func act() throws {
        switch dice.below(8) {
        case 0 where clients.count < 6: clients.append((bench.connect(), View(), [:]))
        case 1 where !clients.isEmpty && dice.below(3) == 0:
            clients.remove(at: dice.below(clients.count)).client.session.close()
        case 2, 3: subscribe()
        case 4: unsubscribe()
        default: try commit()
        }
    }

    private func commit() throws {
        var sets: [(String, String)] = []
        var clears: [String] = []
        for _ in 0...dice.below(3) {
            let name = "m\(dice.below(model.mutable))"
            if dice.below(5) == 0 {
                if !sets.contains(where: { $0.0 == name }) { clears.append(name) }
            } else if !clears.contains(name) {
                sets.append((name, "\(dice.below(5))"))
            }
        }
        guard !sets.isEmpty || !clears.isEmpty else { return }
        try bench.submit(graph, sets, clear: clears)
        for (name, value) in sets { model.values[name] = value }
        for name in clears { model.values[name] = nil }
    }

    private func subscribe() {
        guard !clients.isEmpty else { return }
        let place = dice.below(clients.count)
        nextID += 1
        let wanted = Wanted(
            node: model.names[dice.below(model.names.count)],
            adds: dice.below(3),
            isAll: dice.below(3) == 0
        )
        let stages = Array(repeating: #"{"map":"value + 1"}"#, count: wanted.adds).joined(separator: ",")
        let mode = wanted.isAll ? "all" : "latest"
        clients[place].client.send(
            #"{"op":"sub","id":\#(nextID),"graph":"g","node":"\#(wanted.node)","mode":"\#(mode)","pipe":[\#(stages)]}"#
        )
        clients[place].subscriptions[nextID] = wanted
    }

    private func unsubscribe() {
        guard !clients.isEmpty else { return }
        let place = dice.below(clients.count)
        guard let id = clients[place].subscriptions.keys.sorted().first else { return }
        clients[place].client.send(#"{"op":"unsub","id":\#(id)}"#)
        clients[place].subscriptions[id] = nil
    }

    private func look(_ step: Int) {
        for (client, view, subscriptions) in clients {
            view.read(client.take())
            complaints += view.complaints
            if Set(view.values.keys) != Set(subscriptions.keys) {
                complaints.append(
                    "step \(step): \(view.values.keys) are served, \(subscriptions.keys) were asked for"
                )
            }
            for (id, wanted) in subscriptions {
                compare(
                    view.values[id] ?? "?",
                    model.value(of: wanted.node, adding: wanted.adds),
                    "\(step) \(wanted)"
                )
            }
        }
        for name in model.names {
            compare(
                (try? bench.read(graph, name)) ?? "?",
                model.value(of: name, adding: 0),
                "\(step) read \(name)"
            )
        }
    }

    private func compare(_ seen: String, _ expected: String, _ what: String) {
        if seen != expected { complaints.append("\(what): \(seen) instead of \(expected)") }
    }
}

/// A random definition, evaluated the slow way.
private final class Model {
    private indirect enum Made {
        case mutable
        case add(String, Int)
        case sum([String])
        case divide(String, String)
        case flatten(from: String, to: [String: String], otherwise: String?)
        case orZero(String)
    }

    let mutable: Int
    private(set) var names: [String] = []
    private(set) var definition = ""
    var values: [String: String] = [:]
    private var made: [String: Made] = [:]

    var hasFlatten: Bool {
        made.values.contains { if case .flatten = $0 { true } else { false } }
    }

    init(_ dice: inout SeededGenerator) {
        mutable = 2 + dice.below(3)
        var nodes: [String] = []
        for number in 0..<mutable {
            names.append("m\(number)")
            made["m\(number)"] = .mutable
            let start = dice.below(2)
            nodes.append(#""m\#(number)":{"set":"any"\#(start == 0 ? "" : #","initial":1"#)}"#)
            if start == 1 { values["m\(number)"] = "1" }
        }
        for number in 0..<(1 + dice.below(8)) {
            let name = "d\(number)"
            nodes.append(add(name, &dice))
            names.append(name)
        }
        let mode = dice.below(4) == 0 ? "immediate" : "settled"
        definition = #"{"graph":"g","mode":"\#(mode)","nodes":{\#(nodes.joined(separator: ","))}}"#
    }

    private func add(_ name: String, _ dice: inout SeededGenerator) -> String {
        func any() -> String { names[dice.below(names.count)] }
        let retain = dice.below(4) == 0 ? #","retain":"always""# : ""
        switch dice.below(5) {
        case 0:
            let (from, much) = (any(), dice.below(3))
            made[name] = .add(from, much)
            let pipe = much == 0 ? "" : #","pipe":[{"map":"value + \#(much)"}]"#
            return #""\#(name)":{"from":"\#(from)"\#(pipe)\#(retain)}"#
        case 1:
            let inputs = (0...dice.below(3)).map { _ in any() }
            made[name] = .sum(inputs)
            return
                #""\#(name)":{"combine":["\#(inputs.joined(separator: "\",\""))"],"map":"sum(value)"\#(retain)}"#
        case 2:
            let (above, below) = (any(), any())
            made[name] = .divide(above, below)
            let inputs = #"{"a":"\#(above)","b":"\#(below)"}"#
            return #""\#(name)":{"combine":\#(inputs),"map":"double(int(a) / int(b))"\#(retain)}"#
        case 3:
            let from = any()
            var to: [String: String] = [:]
            for key in 0...dice.below(3) { to["\(key)"] = any() }
            let otherwise = dice.below(2) == 0 ? any() : nil
            made[name] = .flatten(from: from, to: to, otherwise: otherwise)
            let keys = to.map { #""\#($0)":"\#($1)""# }.sorted().joined(separator: ",")
            let rest = otherwise.map { #","otherwise":"\#($0)""# } ?? ""
            return #""\#(name)":{"flatten":{"from":"\#(from)","to":{\#(keys)}\#(rest)}}"#
        default:
            let from = any()
            made[name] = .orZero(from)
            return #""\#(name)":{"from":"\#(from)","pipe":[{"ifEmpty":0},{"map":"value + 0"}]\#(retain)}"#
        }
    }

    func value(of name: String, adding: Int) -> String {
        let value = value(of: name)
        return Int(value).map { "\($0 + adding)" } ?? value
    }

    private func value(of name: String) -> String {
        switch made[name] ?? .mutable {
        case .mutable: return values[name] ?? "empty"
        case .add(let from, let much): return value(of: from, adding: much)
        case .sum(let inputs): return joined(inputs) { "\($0.reduce(0, +))" }
        case .divide(let above, let below):
            return joined([above, below]) { $0[1] == 0 ? "fail:expr_divide" : "\($0[0] / $0[1])" }
        case .flatten(let from, let to, let otherwise):
            let key = value(of: from)
            if key == "empty" || key.hasPrefix("fail:") { return key }
            guard let chosen = to[key] ?? otherwise else { return "fail:not_a_key" }
            return value(of: chosen)
        case .orZero(let from):
            let value = value(of: from)
            return value == "empty" ? "0" : value
        }
    }

    private func joined(_ inputs: [String], _ compute: ([Int]) -> String) -> String {
        let values = inputs.map { value(of: $0) }
        if values.contains("empty") { return "empty" }
        if let fail = values.first(where: { $0.hasPrefix("fail:") }) { return fail }
        return compute(values.compactMap { Int($0) })
    }
}
