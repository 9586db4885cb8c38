import ReactiveGraph
import TestSupport
import Testing
import Values
@testable import Definitions
@testable import Graphs
@testable import Sessions

@Suite("Pipelines come to the same, whenever they run")
struct HeadHistoryTests {
    private static let stages = [
        #"{"map":"value + 1"}"#, #"{"map":"value * 3 % 17"}"#, #"{"filter":"value % 2 == 0"}"#,
        #""distinct""#,
        #"{"scan":{"start":0,"with":"(acc + value) % 1000"}}"#, #"{"skip":1}"#,
        #"{"window":{"count":3,"of":"sum"}}"#,
        #""delta""#, #"{"ifEmpty":4}"#,
    ]
    private static let sources = [
        #""node":"x""#, #""node":"d""#, #""combine":["x","d"],"map":"value[0] + value[1]""#,
        #""combine":{"a":"x","b":"y"},"map":"a - b""#,
        #""zip":["x","y"],"map":"value[0] + value[1]""#,
        #""merge":["x","y"]"#,
        #""flatten":{"from":"key","to":{"x":"x","y":"y"}}"#,
        #""all":"m.*","reduce":"sum""#,
    ]

    /// What a client receives regardless of timing: all values of `all`, the last one of `latest`,
    /// and of how many emissions.
    private struct Heard: Equatable {
        var all: [String] = []
        var latest: String?
        var count = 0
    }

    private struct Play {
        let bench: Bench
        let graph: LiveGraph
        let clients: [Client]
        var random: SeededGenerator
        /// Decides only when things happen.
        var timing: SeededGenerator
        let isPrompt: Bool
        var pipes: [String] = []
        var isAll: [Bool] = []

        init(_ seed: UInt64, isPrompt: Bool) throws {
            random = SeededGenerator(seed: seed)
            timing = SeededGenerator(seed: seed &+ 1)
            self.isPrompt = isPrompt
            var limits = SessionLimits.ample
            limits.pipelineUnits = isPrompt ? 1_000_000_000 : 500
            bench = Bench(limits: limits)
            let mode = Bool.random(using: &random) ? "settled" : "immediate"
            graph = try bench.define(
                #"{"graph":"g","mode":"\#(mode)","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any"},"#
                    + #""key":{"set":"any","initial":"x"},"m.{id}":{"set":"any"},"#
                    + #""d":{"from":"x","pipe":[{"map":"value * 2"}]}}}"#
            )
            clients = (0..<4).map { [bench] _ in bench.connect() }
            if !isPrompt {
                // What the others have to wait for.
                for id in 50...52 { clients[3].subscribe(id, "[\(PipelineGraph.expensive(500, id))]") }
            }
            for place in 0..<9 { subscribe(place) }
        }

        private mutating func subscribe(_ place: Int) {
            let pipe = (0..<Int.random(in: 1...4, using: &random))
                .map { _ in HeadHistoryTests.stages.randomElement(using: &random) ?? "" }
                .joined(separator: ",")
            let source = HeadHistoryTests.sources.randomElement(using: &random) ?? ""
            pipes.append(#"\#(source),"pipe":[\#(pipe)]"#)
            isAll.append(Bool.random(using: &random))
            let mode = isAll[place] ? "all" : "latest"
            clients[place / 3].ask(
                #"{"op":"sub","id":\#(place + 1),"graph":"g",\#(pipes[place]),"mode":"\#(mode)"}"#
            )
            bench.settle()
        }

        mutating func step() throws {
            var values: [(String, String)] = []
            for name in ["x", "y", "m.a", "m.b"] where Int.random(in: 0..<3, using: &random) == 0 {
                values.append((name, "\(Int.random(in: 0..<20, using: &random))"))
            }
            if Int.random(in: 0..<5, using: &random) == 0 {
                values.append(("key", Bool.random(using: &random) ? #""x""# : #""y""#))
            }
            let isClear = Int.random(in: 0..<8, using: &random) == 0 && values.isEmpty
            if isClear || !values.isEmpty {
                try bench.submit(graph, values, clear: isClear ? ["x"] : [])
            }
            // Pipelines that others use already, and longer ones.
            let shared = Int.random(in: 0..<9, using: &random)
            if Int.random(in: 0..<12, using: &random) == 0 {
                let longer = pipes[shared].dropLast() + #",{"map":"value"}]"#
                let pipe = Bool.random(using: &random) ? pipes[shared] : String(longer)
                clients[3].send(#"{"op":"sub","id":70,"graph":"g",\#(pipe)}"#)
            } else if Int.random(in: 0..<12, using: &random) == 0 {
                clients[3].send(#"{"op":"unsub","id":70}"#)
            }
            let change = Int.random(in: 0..<20, using: &random)
            if change == 0, isAll[shared] {
                // No emission is lost by it.
                clients[shared / 3].send(#"{"op":"mod","sub":\#(shared + 1),"mode":"all"}"#)
            }
            if isPrompt || Int.random(in: 0..<3, using: &timing) == 0 { bench.endTurn() }
            if Int.random(in: 0..<8, using: &timing) == 0 { bench.host.advance() }
        }

        func end() -> [Heard] {
            bench.settle()
            bench.endTurn()
            bench.settle()
            var heard: [Heard] = []
            for (number, client) in clients.dropLast().enumerated() {
                let messages = client.take()
                for id in 3 * number..<3 * number + 3 {
                    var one = Heard()
                    let told = messages.updates(of: id + 1)
                    if isAll[id] { one.all = told.map { String($0.prefix { $0 != "," }) } }
                    one.count = told.reduce(0) { $0 + $1.folded }
                    one.latest = client.session.subscription(UInt64(id + 1))?.node?.held.text
                    heard.append(one)
                }
            }
            for client in clients { client.session.close() }
            bench.settle()
            #expect(graph.chains.all.isEmpty && graph.chains.emissions.isEmpty && graph.isWhole)
            return heard
        }
    }

    private func play(_ seed: UInt64, isPrompt: Bool) throws -> [Heard] {
        var play = try Play(seed, isPrompt: isPrompt)
        for _ in 0..<30 { try play.step() }
        return play.end()
    }

    @Test("All values of mode all, the last of mode latest, and how many that stands for")
    func same() throws {
        let seeds = environment("SLUICE_SEED").flatMap { UInt64($0) }.map { $0..<$0 + 1 }
        for seed in seeds ?? 0..<(Nightly.isOn ? 20_000 : 300) {
            let late = try play(seed, isPrompt: false)
            let prompt = try play(seed, isPrompt: true)
            #expect(late == prompt, "SLUICE_SEED=\(seed)")
            if late != prompt { return }
        }
    }
}

extension Held {
    fileprivate var text: String {
        switch self {
        case .empty: "empty"
        case .value(let datum), .fail(let datum): datum.text
        }
    }
}
