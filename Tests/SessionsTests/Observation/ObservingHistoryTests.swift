import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

/// Whatever happens in a graph, what it was and every difference since make what it is.
@Suite("Random histories of what is observed")
struct ObservingHistoryTests {
    static var seeds: Range<UInt64> { Nightly.isOn ? 0..<2_000 : 0..<50 }

    @Test("A picture with all differences applied equals a new picture")
    func histories() throws {
        for seed in Self.seeds {
            let complaints = try Observed(seed).run()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(6))")
            if !complaints.isEmpty { return }
        }
    }
}

private final class Observed {
    private var dice: SeededGenerator
    private let bench = Bench()
    private let graph: LiveGraph
    private let observer: Client
    private let watched = Watched()
    private var clients: [(client: Client, ids: [Int])] = []
    private var nextID = 0

    /// Definitions that differ in single nodes, in what is derived and what is set, and in what is
    /// there at all.
    private static func definition(_ variant: Int) -> String {
        let sum = variant % 2 == 0 ? "sum(value)" : "sum(value) + 1"
        let more = variant % 3 == 1 ? #","more":{"from":"sum","pipe":[{"map":"value * 2"}]}"# : ""
        let odd = variant % 3 == 2 ? #"{"set":"any","initial":4}"# : #"{"from":"m0"}"#
        let kept = variant % 4 == 3 ? "always" : "untilPressure"
        return """
            {"graph":"g","nodes":{"m0":{"set":"any","initial":1},"m1":{"set":"any","initial":2},"m2":{"set":"any","ttl":70},
              "sum":{"combine":["m0","m1"],"map":"\(sum)"},
              "wide":{"combine":{"a":"sum","b":"m2"}},
              "chosen":{"flatten":{"from":"m0","to":{"1":"sum","2":"wide","3":"late"}}},
              "late":{"from":"m1","pipe":[{"delay":30},"distinct"]},
              "kept":{"from":"sum","pipe":[{"map":"value - 1"}],"retain":"\(kept)"},
              "ring":{"from":"m2","history":3},
              "odd":\(odd)\(more)},
             "links":[{"from":"m1","to":"ring","pipe":[{"filter":"value > 2"}]}]}
            """
    }

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        graph = try bench.define(Self.definition(0))
        observer = bench.connect()
        watched.read(observer.ask(#"{"op":"observe","id":1,"graph":"g","every":50}"#))
    }

    func run() throws -> [String] {
        for step in 0..<40 {
            for _ in 0...dice.below(4) { try act() }
            bench.host.flush()
            pass(1 + dice.below(12))
            guard dice.chance(1, in: 3) else { continue }
            // Figures of listeners are sent once a second.
            pass(120)
            watched.read(observer.take())
            let fresh = Watched()
            let other = bench.connect()
            fresh.read(other.ask(#"{"op":"observe","id":1,"graph":"g"}"#))
            other.session.close()
            let complaints =
                watched.complaints + differences(watched.lines, fresh.lines).map { "step \(step): \($0)" }
            if !complaints.isEmpty { return complaints }
        }
        for (client, _) in clients { client.session.close() }
        observer.session.close()
        return graph.releases.watch == nil && graph.isWhole ? [] : ["something is left over"]
    }

    /// Lets time pass in steps of ten milliseconds.
    private func pass(_ steps: Int) {
        for _ in 0..<steps {
            bench.clock.advance(by: 10)
            bench.host.advance()
            bench.host.flush()
        }
    }

    private func differences(_ known: [String], _ true: [String]) -> [String] {
        known.filter { !`true`.contains($0) }.map { "known: \($0)" }
            + `true`.filter { !known.contains($0) }.map { "true: \($0)" }
    }

    private func act() throws {
        switch dice.below(10) {
        case 0 where clients.count < 4: clients.append((bench.connect(), []))
        case 1 where !clients.isEmpty && dice.chance(1, in: 3):
            clients.remove(at: dice.below(clients.count)).client.session.close(.reset)
        case 2, 3, 4: subscribe()
        case 5: unsubscribe()
        case 6 where dice.chance(1, in: 3): bench.host.flushUnused()
        case 7 where dice.chance(1, in: 2):
            _ = bench.host.redefine(graph, as: try bench.definition(Self.definition(dice.below(12))))
        default: try commit()
        }
    }

    private func commit() throws {
        let name = "m\(dice.below(3))"
        if dice.chance(1, in: 6) {
            try bench.submit(graph, [], clear: [name])
        } else {
            try bench.submit(graph, [(name, "\(dice.below(5))")])
        }
    }

    private func subscribe() {
        guard !clients.isEmpty else { return }
        let place = dice.below(clients.count)
        nextID += 1
        let names = graph.nodes.map(\.name)
        let name = names[dice.below(names.count)]
        let what =
            switch dice.below(6) {
            case 0: #""nodes":["m*","\#(name)"]"#
            case 1: #""combine":["\#(name)","m1"],"pipe":[{"map":"size(value)"}]"#
            case 2: #""flatten":{"from":"m0","to":{"1":"\#(name)"}}"#
            case 3: #""node":"\#(name)","pipe":[{"sample":20}]"#
            case 4: #""node":"\#(name)","pipe":["distinct",{"prefix":2}]"#
            default: #""node":"\#(name)""#
            }
        clients[place].client.send(#"{"op":"sub","id":\#(nextID),"graph":"g",\#(what)}"#)
        clients[place].ids.append(nextID)
    }

    private func unsubscribe() {
        guard !clients.isEmpty else { return }
        let place = dice.below(clients.count)
        guard !clients[place].ids.isEmpty else { return }
        let id = clients[place].ids.remove(at: dice.below(clients[place].ids.count))
        clients[place].client.send(#"{"op":"unsub","id":\#(id)}"#)
    }
}
