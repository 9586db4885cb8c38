@testable import Definitions
@testable import Graphs
@testable import Sessions
import ReactiveGraph
import TestSupport
import Testing
import Values

/// Random inputs to each operator of the catalogue in three hosts with one clock: one is only
/// listened to all the time, one is only looked at now and then, and one is both.
@Suite("Looking never changes a value")
struct LookingTests {
    /// Whether a node or pipeline of this class may answer otherwise when it is made anew for a
    /// look.
    ///
    /// It depends on what came before, and what came before is gone. That is what `retain` and the
    /// sharing of chains are for, and the only excuse there is.
    static func forgets(_ stateClass: OperatorRow.StateClass) -> Bool {
        switch stateClass {
        case .none: false
        case .history, .timed: true
        }
    }

    private static var runs: UInt64 { Nightly.isOn ? 400 : 6 }

    @Test(
        "nodes held by default: a late listener always sees what the permanent listener sees"
    )
    func nodes() throws {
        for (row, example) in try OperatorExamples.inOrder() {
            for seed in 0..<Self.runs {
                let run = try LookingRun(seed: seed, example: example, retain: nil)
                let complaints = try run.play()
                #expect(complaints.isEmpty, "\(row.name), seed \(seed), \(example): \(complaints.prefix(3))")
                if !complaints.isEmpty { return }
            }
        }
    }

    @Test("nodes held while they are used: the same, unless their class forgets")
    func nodesInUse() throws {
        for (row, example) in try OperatorExamples.inOrder() where !example.contains("|") {
            for seed in 0..<Self.runs {
                let run = try LookingRun(seed: seed, example: example, retain: "whileInUse")
                let complaints = try run.play()
                #expect(complaints.isEmpty, "\(row.name), seed \(seed), \(example): \(complaints.prefix(3))")
                if !complaints.isEmpty { return }
            }
        }
    }

    @Test(
        "stages in pipelines of clients: a late one sees what the first one sees, unless they are private, or the class forgets and nobody listened"
    )
    func pipelines() throws {
        for (row, example) in try OperatorExamples.inOrder() {
            guard let stage = OperatorExamples.stageText(example) else { continue }
            for seed in 0..<Self.runs {
                let complaints = try PipelineRun(seed: seed, stage: String(stage)).play(forgives: true)
                #expect(complaints.isEmpty, "\(row.name), seed \(seed), \(stage): \(complaints.prefix(3))")
                if !complaints.isEmpty { return }
            }
        }
    }

    @Test("these histories would notice: without the excuse there are complaints about most that needs it")
    func notices() throws {
        for stage in [
            #"{"filter":"value != 1"}"#, #""delta""#, #"{"skip":1}"#, #"{"window":{"count":3,"of":"list"}}"#,
        ] {
            let complaints = try (0..<6).flatMap {
                try PipelineRun(seed: $0, stage: stage).play(forgives: false)
            }
            #expect(!complaints.isEmpty, "\(stage)")
        }
    }
}

/// What happens to the inputs.
private struct Inputs {
    var dice: SeededGenerator

    static let values = ["1", "2", "3", "\"no\"", "null", "[1,2]", #"{"k":"a"}"#, "4.5", "1.0"]

    /// Sets, clears or time, the same in all benches.
    mutating func act(on hosts: [(bench: Bench, graph: LiveGraph)]) throws {
        switch dice.below(10) {
        case 0:
            let name = ["x", "y"][dice.below(2)]
            for (bench, graph) in hosts { try bench.submit(graph, [], clear: [name]) }
        case 1, 2:
            let time = UInt64(1 + dice.below(60))
            for (bench, _) in hosts { bench.pass(time) }
        case 3:
            let both = [("x", value()), ("y", value())]
            for (bench, graph) in hosts { try bench.submit(graph, both) }
        default:
            let one = [(["x", "x", "y"][dice.below(3)], value())]
            for (bench, graph) in hosts { try bench.submit(graph, one) }
        }
        for (bench, _) in hosts { bench.host.flush() }
    }

    private mutating func value() -> String { Self.values[dice.below(Self.values.count)] }
}

/// One client that listens to something all the time, and everything it received.
private final class Ear {
    let client: Client
    private(set) var told: [Int: [String]] = [:]

    init(_ bench: Bench) {
        client = bench.connect()
    }

    /// Subscribes; the snapshot is the first thing it receives.
    func listen(_ id: Int, to source: String) {
        for message in client.ask(#"{"op":"sub","id":\#(id),"graph":"g",\#(source),"mode":"all"}"#) {
            told[id, default: []].append(Snap.state(message))
        }
    }

    /// Takes what came since the last look.
    func hear(_ ids: Range<Int>) {
        let news = Told(client.take())
        for id in ids { told[id, default: []] += news[id] }
    }
}

enum Snap {
    /// What a `snap` says that a node holds: JSON text, `empty`, or `fail:code`.
    static func state(_ message: String) -> String {
        guard let datum = try? Datum.parse(message) else { return message }
        return datum.withBytes { bytes in
            let reader = JSONReader(validated: bytes)
            if let value = reader["v"] { return String(decoding: value.bytes, as: UTF8.self) }
            if let fail = reader["fail"] { return "fail:" + (fail["code"]?.string ?? "?") }
            return reader["empty"] == nil ? message : "empty"
        }
    }
}

private final class LookingRun {
    private var inputs: Inputs
    private var dice: SeededGenerator
    private let heard = Bench(), seen = Bench(), both = Bench()
    private let graphs: [LiveGraph]
    private let names: [String]
    private let ears: [Ear]
    private var clients: [(client: Client, id: Int)] = []

    init(seed: UInt64, example: String, retain: String?) throws {
        inputs = Inputs(dice: SeededGenerator(seed: seed))
        dice = SeededGenerator(seed: seed ^ 0xabcd_ef01)
        let retained = retain.map { #","retain":"\#($0)"}"# } ?? "}"
        var text = example
        if retain != nil {
            // Behind the last node; those before it are held by it, or by default.
            text = String(example.dropLast()) + retained
        }
        let json = OperatorExamples.graph(
            text,
            inputs: #""x":{"set":"any"},"y":{"set":"any"}"#,
            x: "x",
            y: "y"
        )
        graphs = try [heard, seen, both].map { try $0.define(json) }
        names = graphs[0].nodes.map(\.name).filter { $0 != "x" && $0 != "y" }
        ears = [Ear(heard), Ear(both)]
        for ear in ears {
            for (id, name) in names.enumerated() { ear.listen(id + 1, to: #""node":"\#(name)""#) }
        }
    }

    func play() throws -> [String] {
        let hosts = Array(zip([heard, seen, both], graphs))
        for step in 0..<40 {
            try inputs.act(on: hosts)
            for ear in ears { ear.hear(1..<names.count + 1) }
            let complaints = try compare(step)
            if !complaints.isEmpty { return complaints }
            try look()
        }
        for (client, _) in clients { client.session.close() }
        for ear in ears { ear.client.session.close() }
        return graphs.allSatisfy(\.isWhole) ? [] : ["something unreachable is alive"]
    }

    /// What everybody sees now.
    private func compare(_ step: Int) throws -> [String] {
        var complaints: [String] = []
        for (id, name) in names.enumerated() {
            let told = ears[0].told[id + 1] ?? []
            guard let expected = told.last else { return ["\(name) was never told"] }
            if told != ears[1].told[id + 1] {
                complaints.append(
                    "step \(step): \(name) tells \(ears[1].told[id + 1] ?? []) where others look, else \(told)"
                )
            }
            let definition = try #require(graphs[0].node(name)).definition
            let isKept = definition.retain == .always
            for (place, bench) in [heard, seen, both].enumerated() {
                // Nothing holds it here, and it was not held from the beginning.
                if place == 1, !isKept, LookingTests.forgets(definition.stateClass) { continue }
                if dice.below(3) > 0 { continue }
                let read = try bench.read(graphs[place], name)
                if read != expected {
                    complaints.append("step \(step): \(name) reads as \(read) in \(place), not \(expected)")
                }
                let late = bench.connect()
                let snap = late.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(name)"}"#).first.map(
                    Snap.state
                )
                if snap != expected {
                    complaints.append(
                        "step \(step): \(name) is \(snap ?? "-") to the late in \(place), not \(expected)"
                    )
                }
                late.session.close()
            }
        }
        return complaints
    }

    /// Looks and ownership that come and go in the second and the third host.
    private func look() throws {
        for (bench, graph) in zip([seen, both], graphs.dropFirst()) {
            let name = names[dice.below(names.count)]
            let node = try #require(graph.node(name))
            switch dice.below(8) {
            case 0:
                let client = bench.connect()
                client.ask(#"{"op":"sub","id":1,"graph":"g","node":"\#(name)","pipe":[{"map":"1"}]}"#)
                clients.append((client, 1))
            case 1 where !clients.isEmpty:
                clients.remove(at: dice.below(clients.count)).client.session.close()
            case 2: _ = Explanation(of: node).json()
            case 3: _ = PictureText(of: graph, live: dice.below(2) == 0).json()
            case 4: _ = try bench.read(graph, name)
            case 5:
                let client = bench.connect()
                client.ask(#"{"op":"observe","id":1,"graph":"g"}"#)
                clients.append((client, 1))
            default: break
            }
        }
    }
}

private final class PipelineRun {
    private var inputs: Inputs
    private let stage: String
    private let heard = Bench(), seen = Bench()
    private let graphs: [LiveGraph]
    private let ear: Ear
    private let parsed: Stage

    init(seed: UInt64, stage: String) throws {
        inputs = Inputs(dice: SeededGenerator(seed: seed))
        self.stage = stage
        let json = #"{"graph":"g","nodes":{"x":{"set":"any"},"y":{"set":"any"}}}"#
        graphs = try [heard, seen].map { try $0.define(json) }
        ear = Ear(heard)
        parsed = try #require(Stage.parse(try Document.parse(json: "[\(stage)]")).stages.first)
        ear.listen(1, to: #""node":"x","pipe":[\#(stage)]"#)
    }

    /// `forgives` says whether what forgets may answer otherwise.
    func play(forgives: Bool) throws -> [String] {
        for step in 0..<40 {
            try inputs.act(on: Array(zip([heard, seen], graphs)))
            ear.hear(1..<2)
            guard let expected = ear.told[1]?.last else { return ["never told"] }
            for (place, bench) in [heard, seen].enumerated() {
                if forgives, parsed.isPrivate || (place == 1 && LookingTests.forgets(parsed.stateClass)) {
                    continue
                }
                let late = bench.connect()
                let snap = late.ask(#"{"op":"sub","id":1,"graph":"g","node":"x","pipe":[\#(stage)]}"#).first
                    .map(Snap.state)
                late.session.close()
                if snap != expected {
                    return ["step \(step): \(snap ?? "-") to the late in \(place), not \(expected)"]
                }
            }
        }
        return []
    }
}
