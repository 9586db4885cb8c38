@testable import Graphs
@testable import Sessions
import TestSupport
import Values

/// One random history that is cut: the graph is saved and restored in another host, and both go on
/// with the same steps.
final class CutPlay {
    private var maker: Maker
    private var shape: Naive.Shape
    private var sides: [Side]
    private var lastID = 0
    /// What is subscribed: id, client, message.
    private var subscriptions: [(id: Int, client: Int)] = []
    private(set) var transcript: [String] = []
    /// How often the two were compared, and how many messages they had sent.
    private(set) var comparisons = 0
    private(set) var messages = 0
    private(set) var steps = 0

    /// One of the two hosts.
    private struct Side {
        let bench: Bench
        let live: LiveGraph
        var clients: [Client] = []
    }

    init(_ seed: UInt64) throws {
        maker = Maker(seed)
        shape = maker.shape()
        let bench = Bench()
        transcript.append(Self.text(of: shape))
        sides = [Side(bench: bench, live: try bench.define(Self.text(of: shape)))]
    }

    /// The definition, with histories where nodes are kept anyway.
    ///
    /// It has two nodes more, over all that are set, which change with the number of the others.
    private static func text(of shape: Naive.Shape) -> String {
        let number = shape.nodes.count
        let reduce = ["count", "list", "sum", "object", "max"][number % 5]
        let map = number % 3 == 0 ? "" : #","map":"value""#
        let pipe = number % 4 == 0 ? #","pipe":["distinct"]"# : ""
        let all =
            #""all1":{"all":"x*","reduce":"\#(reduce)"\#(map),"retain":"always"},"all2":{"from":"all1"\#(pipe)}"#
        return shape.json.replacing(#""nodes":{"#, with: #""nodes":{\#(all),"#).replacing(
            #""set":"any""#,
            with: #""set":"any","history":{"count":3,"for":"1h","every":"1s"}"#
        )
        .replacing(
            #""retain":"always""#,
            with: #""retain":"always","history":{"count":2,"for":"1h","every":"2s"}"#
        )
    }

    /// Plays, and says what differs.
    func run() throws -> String? {
        for _ in 0..<maker.dice.below(16) { try act() }
        try cut()
        for number in 0..<14 {
            if let difference = compare() { return "\(difference), after step \(number)" }
            try act()
        }
        return compare()
    }

    /// All clients leave, and the graph goes on twice.
    private func cut() throws {
        let (bench, live) = (sides[0].bench, sides[0].live)
        bench.host.flush()
        let isEarly = maker.dice.below(2) == 0
        var saved = isEarly ? try SavedGraph(graph: live).save() : []
        for client in sides[0].clients { client.session.close() }
        sides[0].clients = []
        subscriptions = []
        if !isEarly { saved = try SavedGraph(graph: live).save() }
        transcript.append("the cut")
        let (second, restored) = try bench.continued(live, from: saved)
        sides.append(Side(bench: second, live: restored))
    }

    private func compare() -> String? {
        comparisons += 1
        let seen = sides.map { side in
            side.bench.host.flush()
            return side.live.seen + side.clients.flatMap { $0.take() }.filter { !$0.contains("\"hello\"") }
        }
        messages += max(0, seen[0].count - shape.nodes.count - 2)
        for (first, second) in zip(seen[0], seen[1]) where first != second {
            return "\(second) instead of \(first)"
        }
        if seen[0].count != seen[1].count {
            return "\(seen[1].last ?? "") and \(seen[0].last ?? "") at the end"
        }
        for side in sides where !side.live.isWhole { return "something that cannot be reached is alive" }
        return nil
    }

    // MARK: - Steps

    private func both(_ what: String, _ step: (inout Side) throws -> Void) rethrows {
        transcript.append(what)
        steps += 1
        for place in sides.indices { try step(&sides[place]) }
    }

    private func act() throws {
        switch maker.dice.below(16) {
        case 0...5: try commit(maker.dice.below(3) == 0 ? 2 : 1)
        case 6, 7: pass(UInt64(1 + maker.dice.below(9)))
        case 8...10: subscribe()
        case 11: unsubscribe()
        case 12, 13: try redefine()
        case 14:
            let name = maker.pick(shape.nodes).name
            try both("read \(name)") { _ = try $0.bench.read($0.live, name) }
        default:
            both("memory is short") { $0.bench.host.flushUnused() }
        }
    }

    private func commit(_ count: Int) throws {
        let names = shape.nodes.filter(\.isSet).map(\.name)
        guard !names.isEmpty else { return }
        var values: [(String, String)] = []
        var clears: [String] = []
        for _ in 0..<count {
            let name = maker.pick(names)
            guard !values.contains(where: { $0.0 == name }), !clears.contains(name) else { continue }
            if maker.dice.below(6) == 0 {
                clears.append(name)
            } else {
                values.append((name, maker.value().json))
            }
        }
        let by = maker.dice.below(4) == 0 ? "ann" : nil
        let context = maker.dice.below(4) == 0 ? #"{"why":\#(maker.dice.below(9))}"# : nil
        try both("set \(values) clear \(clears)") { side in
            do {
                try side.bench.submit(side.live, values, clear: clears, context: context, by: by)
            } catch is HostError {
                // Both refuse it, or the revs differ from here on.
            }
        }
        if maker.dice.below(4) == 0 { try commit(1) }
    }

    private func pass(_ milliseconds: UInt64) {
        both("pass \(milliseconds) ms") { side in
            side.bench.host.flush()
            side.bench.pass(milliseconds)
        }
    }

    private func subscribe() {
        let isNew = sides[0].clients.count < 3 && (maker.dice.below(3) == 0 || sides[0].clients.isEmpty)
        let names = shape.nodes.map(\.name)
        let isNode = maker.dice.below(3) > 0
        let source =
            isNode ? .from(maker.pick(names)) : maker.source(from: names, of: shape, makesConditions: false)
        let stages = maker.dice.below(2) == 0 ? [] : maker.stages(at: 3)
        let mode = maker.dice.below(3) > 0 ? "all" : "latest"
        let client = maker.dice.below(sides[0].clients.count + (isNew ? 1 : 0))
        lastID += 1
        let what = if case .from(let name) = source { #""node":"\#(name)""# } else { source.json }
        let pipe = stages.isEmpty ? "" : #","pipe":[\#(stages.map(\.json).joined(separator: ","))]"#
        let message = #"{"op":"sub","id":\#(lastID),"graph":"g",\#(what),"mode":"\#(mode)"\#(pipe)}"#
        subscriptions.append((lastID, client))
        both(message) { side in
            if isNew { side.clients.append(side.bench.connect()) }
            side.bench.host.flush()
            side.clients[client].send(message)
        }
    }

    private func unsubscribe() {
        guard !subscriptions.isEmpty else { return }
        let (id, client) = subscriptions.remove(at: maker.dice.below(subscriptions.count))
        both("unsub \(id)") { $0.clients[client].send(#"{"op":"unsub","id":\#(id)}"#) }
    }

    private func redefine() throws {
        let new = maker.change(of: shape).shape
        guard new.json != shape.json else { return }
        shape = new
        let text = Self.text(of: new)
        try both("redefine \(text)") { side in
            side.bench.host.flush()
            let definition = try side.bench.definition(text)
            if case .refused(let error) = side.bench.host.redefine(side.live, as: definition) { throw error }
        }
    }
}
