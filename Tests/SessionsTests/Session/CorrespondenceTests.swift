import LogTestSupport
import TestSupport
import Testing

@testable import Definitions
@testable import Graphs
@testable import Sessions
@testable import ReactiveGraph

/// The protocol as bookkeeping: each request has one terminal answer, each emission is sent once
/// and in order.
@Suite("Random correspondence")
struct CorrespondenceTests {
    static var seeds: Range<UInt64> { Nightly.isOn ? 0..<5_000 : 0..<150 }

    @Test(
        "One terminal answer for each id; every emission counted once, in order; frames before their ok; nothing is left at the end"
    )
    func histories() throws {
        for seed in Self.seeds {
            let complaints = try Correspondence(seed).run()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(4))")
            if !complaints.isEmpty { return }
        }
    }
}

private final class Correspondence {
    private var dice: SeededGenerator
    private let log = FaultyLog()
    private let bench: Bench
    private let graph: LiveGraph
    private let truth: Truth
    private let start: GraphStatistics
    private var correspondents: [Correspondent] = []
    private var past: [String] = []
    private var nextID = 0
    private var nextValue = 0

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        var limits = SessionLimits.ample
        // Small enough that requests often wait for the next turn.
        limits.work = UInt64(1 + dice.below(20))
        bench = Bench(log: log, limits: limits)
        graph = try bench.define(
            #"{"graph":"g","nodes":{"x":{"set":"any","initial":0},"y":{"set":"any"},"d":{"from":"x","pipe":[{"map":"value"}]}}}"#
        )
        log.isSlow = !dice.chance(1, in: 2)
        start = graph.statistics
        truth = try Truth(graph, ["x", "y"])
    }

    func run() throws -> [String] {
        for _ in 0..<80 {
            try act()
            for correspondent in correspondents { correspondent.read() }
            past += correspondents.flatMap(\.complaints)
            if !past.isEmpty { return past }
        }
        settle()
        let complaints = correspondents.flatMap { $0.settle() }
        for correspondent in correspondents { correspondent.client.session.close() }
        // What they needed goes in slices.
        bench.pass(20)
        log.confirm()
        truth.end()
        let end = graph.statistics
        guard complaints.isEmpty else { return complaints }
        let isClean =
            end.nodes == start.nodes && end.edges == start.edges && end.listeners == 0
            && end.subscriptions == 0
            && end.pending == 0 && bench.host.timers.next == nil && graph.isWhole
            && bench.host.nextDeadline == nil
        return isClean ? [] : ["left over: \(end) instead of \(start)"]
    }

    /// Everything that waits is sent.
    private func settle() {
        for correspondent in correspondents { free(correspondent) }
        for _ in 0..<400 {
            log.confirm()
            bench.clock.advance(by: 5)
            bench.host.advance()
            bench.host.flush()
        }
        for correspondent in correspondents { correspondent.read() }
    }

    private func free(_ correspondent: Correspondent) {
        correspondent.client.sink.unsentBytes = 0
        correspondent.client.session.drained()
    }

    private func act() throws {
        switch dice.below(12) {
        case 0 where correspondents.count < 4: correspondents.append(Correspondent(bench.connect(), truth))
        case 1 where dice.chance(1, in: 4): disconnect()
        case 2: log.confirm(1 + dice.below(3))
        case 3, 4: bench.host.flush()
        case 5: bench.pass(UInt64(1 + dice.below(40)))
        case 6 where dice.chance(1, in: 2): stall()
        case 7: try commit()
        default: request()
        }
    }

    private func any() -> Correspondent? {
        correspondents.isEmpty ? nil : correspondents[dice.below(correspondents.count)]
    }

    private func disconnect() {
        guard !correspondents.isEmpty else { return }
        let gone = correspondents.remove(at: dice.below(correspondents.count))
        guard dice.chance(1, in: 2) else {
            gone.client.session.close(.reset)
            return
        }
        gone.client.sink.failsNext = true
        gone.client.sink.unsentBytes = 0
        gone.client.send(#"{"op":"ping"}"#)
        gone.client.session.close()
    }

    private func stall() {
        guard let one = any() else { return }
        if one.client.sink.unsentBytes > 0 { free(one) } else { one.client.sink.unsentBytes = 1 << 17 }
    }

    private func commit() throws {
        let name = dice.chance(1, in: 2) ? "x" : "y"
        if dice.chance(1, in: 4) {
            try bench.submit(graph, [], clear: [name])
        } else {
            nextValue += 1
            try bench.submit(graph, [(name, "\(nextValue)")])
        }
    }

    private func request() {
        guard let one = any() else { return }
        nextID += 1
        let id = nextID
        let node = dice.chance(1, in: 2) ? "x" : "y"
        let subscription = one.going.randomElement(using: &dice)
        switch dice.below(12) {
        case 0, 1, 2:
            let more = ["", #","pipe":[{"map":"value"}]"#, #","pipe":["distinct"]"#]
            let since = #","since":{"epoch":"e1","rev":\#(dice.below(Int(graph.rev) + 2))}"#
            let every = dice.chance(1, in: 3) ? 30 : 0
            if dice.chance(1, in: 4) {
                return one.subscribeAll(id, every: every, dice.chance(1, in: 3) ? since : "")
            }
            let isAll = dice.chance(1, in: 2)
            let extra = dice.chance(1, in: 4) && !isAll ? since : more[dice.below(more.count)]
            one.subscribe(id, to: node, isAll: isAll, every: every, extra)
        case 3: one.ask("get", id, #""graph":"g""#)
        case 4: one.ask("list", id, "")
        case 5: one.ask("auth", id, #""token":"any""#)
        case 6 where subscription != nil: one.unsubscribe(subscription ?? 0)
        case 7 where subscription != nil:
            one.modify(
                id,
                subscription ?? 0,
                isAll: dice.chance(1, in: 2) || one.served[subscription ?? 0]?.members != nil,
                every: dice.chance(1, in: 2) ? 25 : 0
            )
        case 8 where dice.chance(1, in: 4): one.ask("observe", id, #""graph":"g","every":50"#)
        case 9: one.ask("nonsense", id, "")
        default:
            nextValue += 1
            let more = ["", #","presence":true"#, #","if":{"\#(node)":{"v":-1}}"#, #","key":"k\#(id % 5)""#]
            one.ask(
                "set",
                id,
                #""graph":"g","set":{"\#(node)":\#(nextValue)}\#(more[dice.below(more.count)])"#
            )
        }
    }
}
