@testable import Graphs
@testable import Sessions
import ReactiveGraph
import TestSupport
import Values

/// One random history, played by the host and by the model twice, with opposite choices where the
/// rules leave one.
final class Play {
    /// How a history ended.
    enum Outcome: Equatable {
        case agrees
        /// The rules leave open what comes out from here on.
        case open(String)
        case differs(String)
    }

    private var maker: Maker
    private let bench = Bench()
    private let live: LiveGraph
    private let models: [Naive.Graph]
    private var clients: [Client] = []
    private var subscriptions: [Subscription] = []
    private var lastID = 0
    private let transcribes: Bool
    /// Whether clients ask for paths: then the play does from the beginning, so that names are kept
    /// with what waits.
    private let asksForPaths: Bool
    /// What happened, for one who looks at a single seed.
    private(set) var transcript: [String] = []
    private(set) var comparisons = 0

    private struct Subscription {
        let id: Int
        let client: Int
        let message: String
        /// The two models' sides of it.
        let sides: [Naive.Subscriber]
        let source: Naive.Source
        let stages: [Naive.Stage]
    }

    init(_ seed: UInt64, transcribes: Bool = false) throws {
        self.transcribes = transcribes
        maker = Maker(seed)
        let shape = maker.shape()
        transcript = transcribes ? [shape.json] : []
        live = try bench.define(shape.json)
        models = [Naive.Choice.one, .other].map { Naive.Graph($0, now: 1_000) }
        for model in models { model.define(shape) }
        asksForPaths = seed % 2 == 0
        if asksForPaths { Provenance.ask(1, in: live) }
        for model in models { model.keepsNames = asksForPaths }
    }

    func run() throws -> Outcome {
        for _ in 0..<14 {
            try act()
            let outcome = try look()
            if outcome != .agrees { return outcome }
        }
        return try end()
    }

    // MARK: - Steps

    private func note(_ step: @autoclosure () -> String) {
        if transcribes { transcript.append(step()) }
    }

    private func act() throws {
        switch maker.dice.below(16) {
        case 0, 1, 2, 3, 4, 5: try commit(maker.dice.below(3) == 0 ? 2 : 1)
        case 6, 7: pass(UInt64(1 + maker.dice.below(9)))
        case 8, 9, 10: subscribe()
        case 11: unsubscribe()
        case 12, 13: try redefine()
        case 14:
            let name = maker.pick(models[0].shape.nodes).name
            note("read \(name)")
            let seen = try bench.read(live, name)
            let expected = models.map { $0.read(name).text }
            if expected[0] != expected[1] {
                found = .open("a read")
            } else if seen != expected[0] {
                found = .differs("\(name) reads \(seen), not \(expected[0])")
            }
        default:
            switch maker.dice.below(3) {
            case 0:
                note("memory is short")
                bench.host.flushUnused()
                for model in models { model.flushUnused() }
            case 1 where !subscriptions.isEmpty:
                // The same again, under another id.
                let former = maker.pick(subscriptions)
                unsubscribe(former)
                subscribe(
                    to: former.source,
                    former.stages,
                    isAll: former.sides[0].isAll,
                    client: former.client
                )
            default:
                guard !clients.isEmpty else { break }
                leave(maker.dice.below(clients.count))
            }
        }
    }

    /// What a step found by itself.
    private var found: Outcome?

    private func commit(_ count: Int) throws {
        let names = models[0].shape.nodes.filter(\.isSet).map(\.name)
        guard !names.isEmpty else { return }
        var sets: [(name: String, value: Naive.Value)] = []
        var clears: [String] = []
        for _ in 0..<count {
            let name = maker.pick(names)
            guard !sets.contains(where: { $0.name == name }), !clears.contains(name) else { continue }
            if maker.dice.below(6) == 0 {
                clears.append(name)
            } else {
                let value = maker.value()
                sets.append((name, models[0].admits(name, value) ? value : .number(1)))
            }
        }
        note("set \(sets.map { "\($0.name) = \($0.value.json)" }) clear \(clears)")
        try bench.submit(live, sets.map { ($0.name, $0.value.json) }, clear: clears)
        for model in models { model.commit(sets, clears) }
        // Now and then two commits are in one turn of the loop.
        if maker.dice.below(4) == 0 { try commit(1) }
    }

    private func pass(_ milliseconds: UInt64) {
        note("pass \(milliseconds) ms")
        flush()
        for _ in 0..<milliseconds {
            bench.clock.advance(by: 1)
            let now = bench.clock.now
            for model in models { model.now = now }
            let isDue = { (deadline: UInt64?) in deadline.map { $0 <= now } ?? false }
            guard isDue(bench.host.nextDeadline) || models.contains(where: { isDue($0.nextDeadline) }) else {
                continue
            }
            bench.host.advance()
            for model in models { model.advance() }
            flush()
            if found != nil { return }
        }
    }

    private func subscribe() {
        if clients.count < 3, maker.dice.below(3) == 0 || clients.isEmpty { clients.append(bench.connect()) }
        let names = models[0].shape.nodes.map(\.name)
        let isNode = maker.dice.below(3) > 0
        let source =
            isNode
            ? .from(maker.pick(names))
            : maker.source(from: names, of: models[0].shape, makesConditions: false)
        let stages = maker.dice.below(2) == 0 ? [] : maker.stages(at: 3)
        subscribe(
            to: source,
            stages,
            isAll: maker.dice.below(3) > 0,
            client: maker.dice.below(clients.count)
        )
    }

    private func subscribe(to source: Naive.Source, _ stages: [Naive.Stage], isAll: Bool, client: Int) {
        lastID += 1
        let what: String
        if case .from(let name) = source {
            what = #""node":"\#(name)""#
        } else {
            what = source.json
        }
        let pipe = stages.isEmpty ? "" : #","pipe":[\#(stages.map(\.json).joined(separator: ","))]"#
        let message =
            #"{"op":"sub","id":\#(lastID),"graph":"g",\#(what),"path":\#(asksForPaths),"#
            + #""mode":"\#(isAll ? "all" : "latest")"\#(pipe)}"#
        flush()
        note(message)
        clients[client].send(message)
        let sides = models.map { model in
            let side = Naive.Subscriber(
                lastID,
                isAll: isAll,
                asksForPaths: asksForPaths,
                of: source.references
            )
            model.subscribe(side, to: source, stages)
            return side
        }
        let subscription = Subscription(
            id: lastID,
            client: client,
            message: message,
            sides: sides,
            source: source,
            stages: stages
        )
        subscriptions.append(subscription)
        hear()
        expect(subscription) { "snap " + ($0.node?.held.text ?? "?") }
        complete(subscription)
    }

    private func unsubscribe() {
        if !subscriptions.isEmpty { unsubscribe(maker.pick(subscriptions)) }
    }

    private func unsubscribe(_ subscription: Subscription) {
        flush()
        note("unsub \(subscription.id)")
        clients[subscription.client].send(#"{"op":"unsub","id":\#(subscription.id)}"#)
        hear()
        expect(subscription) { _ in "end done" }
        drop(subscription)
    }

    /// A client goes without a word.
    private func leave(_ place: Int) {
        flush()
        note("client \(place) leaves")
        clients[place].session.close()
        for subscription in subscriptions where subscription.client == place { drop(subscription) }
        clients[place] = bench.connect()
    }

    private func drop(_ subscription: Subscription) {
        for (model, side) in zip(models, subscription.sides) { model.end(side) }
        subscriptions.removeAll { $0.id == subscription.id }
    }

    private func redefine() throws {
        let (shape, altered) = maker.change(of: models[0].shape)
        guard shape.json != models[0].shape.json else { return }
        flush()
        note("redefine \(shape.json)")
        let definition = try bench.definition(shape.json)
        guard case .applied = bench.host.redefine(live, as: definition) else {
            found = .differs("the definition is refused")
            return
        }
        isRedefined = true
        let ended = models.map { $0.redefine(shape, altered: altered) }
        for subscription in subscriptions where ended[0].contains(where: { $0.id == subscription.id }) {
            expects[subscription.id, default: []].append("end node_removed")
            subscriptions.removeAll { $0.id == subscription.id }
        }
    }

    // MARK: - What comes of it

    /// What each subscription received, or should have received, since the last check.
    private var told: [Int: [String]] = [:]
    private var expects: [Int: [String]] = [:]
    /// Whether the definition has changed: what waited in a stage may come long afterwards.
    private var isRedefined = false

    private static func withoutPath(_ text: String) -> String {
        text.replacing(#/ \["[^\]]*"\]( ×[0-9]+)?$/#) { $0.output.1 ?? "" }
    }

    /// The end of a turn.
    private func flush() {
        bench.host.flush()
        let isLate = bench.host.pipelines.isBehind
        // What a principal's pipelines cannot do in a turn comes in later ones.
        while bench.host.pipelines.isBehind { bench.host.flush() }
        hear()
        for subscription in subscriptions {
            let news = subscription.sides.map { $0.flush() }
            if news[0] != news[1] { found = found ?? .open("what a subscription is told") }
            expects[subscription.id, default: []] += news[0]
            if !news[0].isEmpty { complete(subscription) }
        }
        compareTold(isLate: isLate)
    }

    /// A subscription whose `prefix` has had its last value ends with the next delivery.
    private func complete(_ subscription: Subscription) {
        guard subscription.sides[0].isComplete else { return }
        expects[subscription.id, default: []].append("end complete")
        drop(subscription)
    }

    private func expect(_ subscription: Subscription, _ what: (Naive.Subscriber) -> String) {
        let both = subscription.sides.map(what)
        if both[0] != both[1] { found = found ?? .open("a snapshot") }
        expects[subscription.id, default: []].append(both[0])
    }

    private func hear() {
        for client in clients {
            for message in client.take() { Heard.read(message, into: &told) }
        }
    }

    /// - Parameter isLate: some of it came in later turns, so that values of mode `latest` may have
    ///   come that are replaced within a turn.
    private func compareTold(isLate: Bool) {
        defer {
            told = [:]
            expects = expects.filter { _ in false }
        }
        guard found == nil else { return }
        for id in Set(told.keys).union(expects.keys).sorted() {
            comparisons += 1
            let (seen, expected) = (told[id] ?? [], expects[id] ?? [])
            if seen != expected {
                guard !isLate || subscriptions.first(where: { $0.id == id })?.sides[0].isAll != false else {
                    found = .open("what comes in later turns")
                    return
                }
                found =
                    arePathsOpen(seen, expected)
                    ? .open("paths") : .differs("subscription \(id) is told \(seen), not \(expected)")
                return
            }
        }
    }

    /// Whether both differ only in paths that the rules leave open (X-11): of a value that a
    /// redefinition brings, and of an emptiness that comes on several ways.
    private func arePathsOpen(_ seen: [String], _ expected: [String]) -> Bool {
        guard seen.map(Self.withoutPath) == expected.map(Self.withoutPath) else { return false }
        return isRedefined || zip(seen, expected).allSatisfy { $0 == $1 || $0.hasPrefix("empty") }
    }

    /// Compares what there is to see after a step.
    private func look() throws -> Outcome {
        flush()
        if let found { return found }
        if models.contains(where: { $0.passes >= 20_000 }) { return .open("too many emissions") }
        for node in models[0].shape.nodes {
            let sides = models.map { $0.named[node.name] }
            let texts = sides.map { $0?.held.text ?? "none" }
            if texts[0] != texts[1] { return .open("what \(node.name) holds") }
            comparisons += 1
            let living = live.node(node.name)?.living
            let seen = living.map { Self.text($0.held) } ?? "none"
            if seen != texts[0] { return .differs("\(node.name) is \(seen), not \(texts[0])") }
        }
        if live.statistics.listeners != subscriptions.count {
            return .differs("\(live.statistics.listeners) listeners of \(subscriptions.count) subscriptions")
        }
        if !live.isWhole { return .differs("something that cannot be reached is alive") }
        return .agrees
    }

    private static func text(_ held: Graphs.Held) -> String {
        switch held {
        case .empty: "empty"
        case .value(let datum): datum.text
        case .fail(let datum): "fail:" + (datum.fail?.code ?? "?")
        }
    }

    /// All clients leave, come back and leave: the counters are the same as after the first time.
    private func end() throws -> Outcome {
        note("the end")
        let wanted = subscriptions.map { (source: $0.source, stages: $0.stages) }
        for place in clients.indices { leave(place) }
        var outcome = try look()
        if outcome != .agrees { return outcome }
        for model in models where !model.subscribers.isEmpty {
            return .differs("the model: \(model.subscribers)")
        }
        let before = live.statistics
        for (source, stages) in wanted { subscribe(to: source, stages, isAll: true, client: 0) }
        for place in clients.indices { leave(place) }
        outcome = try look()
        if outcome != .agrees { return outcome }
        let after = live.statistics
        let kept = live.registry.count
        if kept == 0, after.nodes != before.nodes || after.edges != before.edges {
            return .differs(
                "\(after.nodes) nodes and \(after.edges) edges are left, not \(before.nodes) and \(before.edges)"
            )
        }
        _ = bench.host.remove(live)
        if live.statistics.nodes != 0 {
            return .differs("\(live.statistics.nodes) nodes outlive their graph")
        }
        return .agrees
    }
}

/// The messages that clients receive, as short texts by subscription.
enum Heard {
    static func read(_ message: String, into told: inout [Int: [String]]) {
        guard let datum = try? Datum.parse(message) else {
            told[-1, default: []].append("no JSON: \(message)")
            return
        }
        datum.withBytes { bytes in
            let reader = JSONReader(validated: bytes)
            let id = reader["id"]?.int ?? -1
            switch reader["op"]?.string {
            case "snap": told[id, default: []].append("snap " + View.value(of: reader))
            case "end": told[id, default: []].append("end " + (reader["code"]?.string ?? "?"))
            case "upd":
                for entry in (reader["d"]?.elements).map(Array.init) ?? [] {
                    let count = entry["n"]?.int.map { " ×\($0)" } ?? ""
                    let text = View.value(of: entry) + path(of: entry) + count
                    told[entry["id"]?.int ?? -1, default: []].append(text)
                }
            default: told[id, default: []].append(message)
            }
        }
    }

    /// The nodes on the path, if there is one; all are of the same graph.
    private static func path(of entry: JSONReader) -> String {
        guard let entries = entry["path"]?.elements else { return "" }
        return " \(entries.map { String($0.string?.split(separator: "/").last ?? "?") })"
    }
}
