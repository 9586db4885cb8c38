import Commits
import DiskSupport
import ReactiveGraph
import SQLiteLog
import TestSupport
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A server with its clients, its log and its disk, in which nothing is real and everything follows
/// from a seed.
final class World {
    private(set) var complaints: [String] = []
    /// What happened, for one who looks at a single seed.
    private(set) var transcript: [String] = []
    /// Messages that clients got, comparisons with a replay, starts, commits that a power cut has
    /// taken, what upstreams have sent, and commits of links.
    private(set) var counts = (messages: 0, replays: 0, starts: 0, lost: 0, fed: 0, led: 0)

    /// What must have gone with the world. (Not the graphs of its servers: a change that a dead
    /// process never answered holds one.)
    private(set) var mortals: [Mortal] = []

    struct Mortal {
        weak var object: AnyObject?
    }

    private let transcribes: Bool
    private let disk: LyingDisk
    private let durability: Durability
    private let clock = ManualHostClock(now: 1_000, wall: 50_000_000)
    /// By how many hundredths the wall clock is faster than the monotonic one.
    private var drift = 0
    private let ledger = Ledger()
    private let book = LinkBook()
    private var server: Server?
    private var peers: [Peer] = []
    private var shapes: [String: Shape] = [:]
    private var openers: [String: Opener] = [:]
    private var starts = 0
    private var lastValue = 0
    private var lastKey = 0
    /// Changes under a key, which the client may send again.
    private var keyed: [(by: String, request: SetRequest)] = []
    /// What was handed to the log and not answered; what it refused in this process.
    private var refused: [LogEntry] = []

    init(_ seed: UInt64, transcribes: Bool = false) {
        self.transcribes = transcribes
        var dice = SeededGenerator(seed: seed ^ 0x5eed)
        disk = LyingDisk(seed: dice.next())
        durability = dice.chance(1, in: 2) ? .written : .fsync
        shapes["g"] = Shape(&dice)
        shapes["h"] = Shape(&dice)
    }

    /// Plays a history and its end.
    func run(_ actions: [Action]) -> [String] {
        start(mayLose: false)
        connect("ann")
        for (number, action) in actions.enumerated() {
            act(action)
            look()
            if number % 30 == 29 { compare(withDisk: true) }
            if !complaints.isEmpty { return complaints.map { "step \(number), \(action.kind): \($0)" } }
        }
        end()
        return complaints
    }

    // MARK: - Starting and ending

    private func write(_ line: @autoclosure () -> String) {
        if transcribes { transcript.append(line()) }
    }

    private func complain(_ what: String) { complaints.append(what) }

    private func note(_ answer: Tap.Answer) {
        switch answer {
        case .submitted(let entry):
            if entry.isOfLink { counts.led += 1 }
            if let fault = book.fault(submitting: entry) { complain(fault) }
        case .refused(let entry): if !disk.hasStopped { refused.append(entry) }
        case .committed(let entry, let stamp):
            if ledger.histories[entry.graph] == nil {
                let epoch = (try? server?.log.open(graph: entry.graph).epoch) ?? ""
                ledger.histories[entry.graph] = Ledger.History(epoch: epoch)
            }
            let rev = ledger.histories[entry.graph]?.rev ?? 0
            if stamp.rev != rev + 1 { complain("\(entry.graph): rev \(stamp.rev) is answered behind \(rev)") }
            ledger.histories[entry.graph]?.add(Ledger.Record(entry: entry, stamp: stamp))
            if let fault = ledger.histories[entry.graph].map({ book.fault(of: entry, in: $0) }) ?? nil {
                complain("\(entry.graph) rev \(stamp.rev): \(fault)")
            }
        }
    }

    private func start(mayLose: Bool) {
        let wasIll = server.map { $0.log.health != .ready } ?? false
        for peer in peers { peer.lose() }
        openers = [:]
        server = nil
        book.forgetEnded()
        disk.fault = .nothing
        disk.capacity = .max
        starts += 1
        counts.starts += 1
        do {
            let server = try Server(disk, durability, epoch: "e\(starts)", clock: clock, book) {
                [unowned self] in
                note($0)
            }
            self.server = server
            for object in [server.host, server.log, disk] as [AnyObject] {
                mortals.append(Mortal(object: object))
            }
            let stored = server.host.storedGraphs.map(\.name)
            for name in Set(ledger.histories.keys).union(stored).sorted() {
                try takeOver(name, server, mayLose: mayLose, maySeeRefused: wasIll)
            }
            if stored != ledger.living { complain("the log has \(stored), not \(ledger.living)") }
            for name in stored where try server.host.restore(graph: name) == nil {
                complain("\(name) is missing")
            }
            if server.host["g"] == nil { define("g") }
            server.endTurn()
            server.settle()
        } catch {
            complain("start \(starts): \(error)")
        }
        refused = []
        for peer in peers {
            if let clients = server?.clients { peer.connect(to: clients) }
        }
        // It was built from the disk just now.
        compare(withDisk: false)
    }

    /// Holds what a start has found against the ledger.
    private func takeOver(_ name: String, _ server: Server, mayLose: Bool, maySeeRefused: Bool) throws {
        let position = try server.log.open(graph: name)
        // The first commit of a graph may have arrived without an answer, too.
        var history = ledger.histories[name] ?? Ledger.History(epoch: position.epoch)
        if position.rev < history.rev {
            counts.lost += Int(history.rev - position.rev)
            if !mayLose { complain("\(name): revs from \(position.rev + 1) to \(history.rev) are lost") }
        }
        if !mayLose, let broken = server.log.broken { complain("\(name): \(broken)") }
        if position.epoch == history.epoch, history.rev > 0 { complain("\(name) begins no epoch") }
        history.cut(after: position.rev, epoch: position.epoch)
        // What was on its way may have arrived.
        if history.rev < position.rev {
            try server.log.reader.entries(of: name, in: history.rev + 1...position.rev) { entry, stamp in
                if refused.contains(entry), !maySeeRefused {
                    complain("\(name) rev \(stamp.rev) was refused")
                }
                history.add(Ledger.Record(entry: entry, stamp: stamp))
                return true
            }
        }
        write("    \(name) is at \(position)")
        ledger.histories[name] = position.rev == 0 ? nil : history
    }

    private func define(_ name: String) {
        guard let host = server?.host, host.table[name] == nil, let shape = shapes[name],
            let definition = definition(shape.json(of: name))
        else { return }
        write("    \(shape.json(of: name))")
        _ = host.define(definition)
    }

    private func definition(_ json: String) -> GraphDefinition? {
        guard let host = server?.host, let document = try? Document.parse(json: json) else { return nil }
        // Some of these graphs have nodes that fail, on purpose.
        var options = host.definitions
        options.refusesMismatches = false
        let (definition, problems) = GraphDefinition.read(document, file: nil, options: options)
        if definition == nil { complain("\(json): \(problems)") }
        return definition
    }

    /// Everybody leaves, and what is left is what a replay makes.
    private func end() {
        disk.fault = .nothing
        disk.capacity = .max
        for _ in 0..<6 { pass(1_000) }
        guard let server else { return }
        if server.log.health != .ready { complain("the log has not recovered: \(server.log.health)") }
        probe(Shape.linked[starts % 4])
        for peer in peers { peer.leave() }
        server.endTurn()
        server.settle()
        // What they leave is released over as many turns as it takes.
        for _ in 0..<100 where server.clients.isReleasing {
            server.host.advance()
            server.endTurn()
        }
        look()
        compare(withDisk: true)
        for graph in server.host.graphs where graph.statistics.listeners != 0 || !graph.clients.links.isEmpty
        {
            complain("\(graph.name) has \(graph.statistics.listeners) listeners at the end")
        }
        for node in Shape.linked { set(node) }
        rest()
        server.host.close()
        self.server = nil
        disk.kill()
        start(mayLose: false)
        complaints += ledger.doubleKeys
    }

    // MARK: - Steps

    private func act(_ action: Action) {
        guard let server else { return }
        var dice = SeededGenerator(seed: action.seed)
        write("\(action.kind)")
        switch action.kind {
        case .request: request(&dice)
        case .commit: commit(&dice)
        case .turn:
            server.endTurn()
            lookAtUpstreams(server.host)
        case .work: for _ in 0...dice.below(3) { server.work() }
        case .pass:
            pass(UInt64([1 + dice.below(30), 100 + dice.below(900), 1_000, 61_000][dice.below(20) / 6]))
        case .connect:
            if peers.count < 4 { connect(["ann", "bob"][dice.below(2)]) }
        case .leave:
            guard !peers.isEmpty else { break }
            let peer = peers.remove(at: dice.below(peers.count))
            counts.messages += peer.heard
            peer.leave()
        case .stall:
            guard let peer = any(&dice) else { break }
            peer.unsentBytes = peer.unsentBytes > 0 ? 0 : 1 << 17
            if peer.unsentBytes == 0 { peer.session?.drained() }
        case .redefine: redefine(&dice)
        case .begin: define("h")
        case .end: if let graph = server.host["h"] { _ = server.host.remove(graph) }
        case .pressure: server.host.flushUnused()
        case .fault:
            let number = 1 + dice.below(40)
            disk.fault = [.once(number), .from(number), .stop(number)][dice.below(3)]
            write("    \(disk.fault)")
        case .heal:
            if !disk.hasStopped { disk.fault = .nothing }
            disk.capacity = .max
        case .fill: disk.capacity = disk.bits / 8 + dice.below(20_000)
        case .kill: kill()
        case .cut: cut()
        case .clock: turnClock(&dice)
        case .feed: feed(&dice)
        case .transfer: transfer(&dice)
        case .link: link(&dice)
        case .probe: probe(Shape.linked[dice.below(4)])
        case .close:
            server.host.close()
            let isClean = !disk.hasStopped
            disk.kill()
            start(mayLose: !isClean && durability == .written)
        }
        if disk.hasStopped { if dice.chance(1, in: 2) { kill() } else { cut() } }
    }

    private func connect(_ name: String) {
        guard let server else { return }
        let peer = Peer(name, ledger, book) { [unowned self] in write("    \($0)") }
        peer.connect(to: server.clients)
        peers.append(peer)
    }

    private func kill() {
        disk.kill()
        start(mayLose: false)
    }

    private func cut() {
        disk.cut()
        start(mayLose: durability == .written)
    }

    /// The wall clock is set, as by an operator or a time server, or drifts from now on.
    private func turnClock(_ dice: inout SeededGenerator) {
        if dice.chance(1, in: 2) {
            drift = [-50, -1, 0, 0, 1, 50][dice.below(6)]
        } else {
            let change = ([1, 2, 20, 5_000, 3_600_000] as [UInt64])[dice.below(5)]
            clock.set(wall: dice.chance(1, in: 2) ? clock.wall + change : clock.wall - change)
        }
        write("    it is \(clock.wall), and \(drift) hundredths fast")
    }

    private func any(_ dice: inout SeededGenerator) -> Peer? {
        let peers = peers.filter(\.isConnected)
        return peers.isEmpty ? nil : peers[dice.below(peers.count)]
    }

    private func pass(_ milliseconds: UInt64) {
        write("    \(milliseconds) ms")
        guard let server else { return }
        var rest = milliseconds
        while rest > 0, !disk.hasStopped {
            let now = clock.now
            let next = server.host.nextDeadline.map { $0 > now ? $0 - now : 1 } ?? rest
            let step = min(rest, max(next, milliseconds / 50, 1))
            let wall = clock.wall
            clock.advance(by: step)
            clock.set(wall: wall + step * UInt64(100 + drift) / 100)
            rest -= step
            server.executor.advance(by: step)
            server.host.advance()
            server.endTurn()
            server.settle()
        }
    }

    private func commit(_ dice: inout SeededGenerator) {
        guard let host = server?.host else { return }
        let graphs = host.graphs
        guard !graphs.isEmpty else { return }
        let graph = graphs[dice.below(graphs.count)]
        var commit = Commit(graph: graph)
        for (name, text) in values(&dice) {
            guard let node = graph.node(name), let value = try? Datum.parse(text) else { continue }
            commit.set.append(Assignment(node, value))
        }
        if dice.chance(1, in: 8), let node = graph.node("x"), commit.set.count > 0 {
            commit = Commit(graph: graph)
            commit.clear = [node]
        }
        if dice.chance(1, in: 8), let node = graph.node(["x", "brief"][dice.below(2)]) {
            commit = Commit(graph: graph)
            let changes: [FacetChange] = [
                .loading(progress: nil), .failed(code: "offline", message: ""), .notModified, .cancelled,
                .invalidated,
            ]
            commit.report(changes[dice.below(changes.count)], of: node)
        }
        if dice.chance(1, in: 3) { commit.by = "eve" }
        if dice.chance(1, in: 4) { commit.path = ValuePath(["far/g/x"]) }
        write("    \(commit.entry())")
        _ = host.submit(commit)
    }

    /// The upstream of `far` sends something or fails, while a client wants it.
    private func feed(_ dice: inout SeededGenerator) {
        guard let host = server?.host, let graph = host[dice.chance(3, in: 4) ? "g" : "h"],
            let node = graph.node("far")
        else { return }
        if openers[graph.name]?.follows(graph) != true { openers[graph.name] = Opener(of: graph) }
        guard graph.demand?.isWanted("far") == true else { return }
        lastValue += 1
        counts.fed += 1
        var commit = Commit(fedTo: graph)
        switch dice.below(7) {
        case 0: commit.note(.loading(progress: nil), of: node)
        case 1:
            let retryAt = clock.wall + 1_000
            commit.note(.failed(code: "status", message: "", status: 503, retryAt: retryAt), of: node)
        case 2: commit.note(.cancelled, of: node)
        case 3: commit.note(.notModified, of: node)
        default:
            if let value = try? Datum.parse("\(lastValue)") { commit.set.append(Assignment(node, value)) }
        }
        write("    \(commit.entry())")
        _ = host.submit(commit)
    }

    /// After each turn exactly what is wanted is open (S-1).
    private func lookAtUpstreams(_ host: Host) {
        for graph in host.graphs {
            guard let opener = openers[graph.name], opener.follows(graph) else { continue }
            opener.settle()
            let isWanted = graph.demand?.isWanted("far") == true
            if isWanted != opener.open.contains("far") {
                complain(
                    "\(graph.name): far is \(isWanted ? "" : "not ")wanted, and its upstream the reverse"
                )
            }
            guard let far = graph.node("far"), !isWanted else { continue }
            let listens = peers.compactMap(\.session).filter { !$0.isClosed }.flatMap(\.subscriptions)
            if listens.contains(where: { $0.listenedNodes.contains { $0 === far } }) {
                complain("\(graph.name): a client listens to far, and it is not wanted")
            }
        }
    }

    /// What a change sets: `p` and `q` alike, or one of the others.
    private func values(_ dice: inout SeededGenerator) -> [(node: String, text: String)] {
        lastValue += 1
        let text = dice.chance(1, in: 3) ? "\(dice.below(4))" : "\(lastValue)"
        switch dice.below(6) {
        case 0: return [("p", text), ("q", text)]
        case 1: return [("brief", text)]
        case 2, 3: return [(Shape.linked[dice.below(4)], text)]
        default: return [("x", text)]
        }
    }

    private func request(_ dice: inout SeededGenerator) {
        guard let peer = any(&dice) else { return }
        let graph = dice.chance(4, in: 5) ? "g" : "h"
        switch dice.below(10) {
        case 0, 1, 2:
            let names = shapes[graph]?.names ?? []
            let node =
                dice.chance(1, in: 2)
                ? Shape.plain[dice.below(Shape.plain.count)] : names[dice.below(names.count)]
            let pipe = dice.chance(1, in: 5) ? #","pipe":["distinct",{"delay":20}]"# : ""
            let every = dice.chance(1, in: 4) ? 50 : 0
            peer.subscribe(graph, node, isAll: dice.chance(1, in: 3), every: every, pipe: pipe)
        case 3:
            let ids = peer.subscriptions.keys.sorted()
            if !ids.isEmpty { peer.unsubscribe(ids[dice.below(ids.count)]) }
        case 4: peer.ping()
        case 5:
            lastValue += 1
            peer.set(SetRequest(graph: graph, values: [("here", "\(lastValue)")], isPresence: true))
        case 6:
            let own = keyed.filter { $0.by == peer.name }
            if !own.isEmpty { peer.set(own[own.count - 1 - dice.below(min(4, own.count))].request) }
        case 7: setOnce(SetRequest(graph: graph, values: values(&dice)), by: peer)
        case 8:
            let (text, expected) = ("\(dice.below(4))", "\(dice.below(4))")
            peer.set(SetRequest(graph: graph, values: [("x", text)], condition: ("x", expected)))
        default:
            guard dice.chance(1, in: 4) else {
                return peer.set(SetRequest(graph: graph, values: values(&dice)))
            }
            peer.set(SetRequest(graph: graph, clears: true))
        }
    }

    private func setOnce(_ request: SetRequest, by peer: Peer) {
        lastKey += 1
        var request = request
        request.key = "k\(lastKey)"
        keyed.append((peer.name, request))
        peer.set(request)
    }

    private func transfer(_ dice: inout SeededGenerator) {
        guard let peer = any(&dice) else { return }
        let graph = dice.chance(4, in: 5) ? "g" : "h"
        var request = SetRequest(graph: graph, transfer: Shape.transfer(&dice))
        if dice.chance(1, in: 4) { request.values = [("x", "\(dice.below(4))")] }
        if dice.chance(1, in: 2) { setOnce(request, by: peer) } else { peer.set(request) }
    }

    // MARK: - Links

    private func link(_ dice: inout SeededGenerator) {
        guard let peer = any(&dice) else { return }
        let links = peer.links.keys.sorted()
        switch dice.below(5) {
        case 0 where !links.isEmpty: peer.unlink(links[dice.below(links.count)])
        case 1 where !links.isEmpty: peer.release("part")
        default:
            guard peers.reduce(0, { $0 + $1.links.count }) < 5 else { return }
            let graph = dice.chance(4, in: 5) ? "g" : "h"
            peer.link(
                Shape.link(in: graph, from: ["x", "p"] + (shapes[graph]?.derived.map(\.name) ?? []), &dice)
            )
        }
    }

    private func set(_ name: String) {
        guard let host = server?.host, let graph = host["g"], let node = graph.node(name) else { return }
        lastValue += 1
        var commit = Commit(graph: graph)
        if let value = try? Datum.parse("\(lastValue)") { commit.set.append(Assignment(node, value)) }
        _ = host.submit(commit)
    }

    /// Everything that is on its way arrives.
    private func rest() {
        guard let server else { return }
        for _ in 0..<200 {
            server.host.advance()
            server.endTurn()
            server.settle()
            if server.host.nextDeadline.map({ $0 > clock.now }) != false { break }
        }
        pass(100)
        for peer in peers { peer.read() }
    }

    /// Looks where a value comes to over links, when nothing else happens.
    private func probe(_ node: String) {
        guard let server, !disk.hasStopped else { return }
        disk.fault = .nothing
        disk.capacity = .max
        for peer in peers where peer.unsentBytes > 0 {
            peer.unsentBytes = 0
            peer.session?.drained()
        }
        pass(2_000)
        rest()
        guard server.log.health == .ready else { return }
        complaints += LinkProbe.differing(ledger, peers, book)
        let probe = LinkProbe("g", node, "\(lastValue + 1)", ledger, peers)
        set(node)
        rest()
        complaints += probe.faults(in: ledger)
    }

    private func redefine(_ dice: inout SeededGenerator) {
        let name = dice.chance(3, in: 4) ? "g" : "h"
        shapes[name]?.change(&dice)
        guard let host = server?.host, let graph = host[name], let text = shapes[name]?.json(of: name),
            let definition = definition(text)
        else { return }
        write("    \(text)")
        _ = host.redefine(graph, as: definition)
    }

    // MARK: - What must hold

    private func look() {
        guard let host = server?.host, let clients = server?.clients else { return }
        complaints += ledger.complaints
        for peer in peers {
            peer.read()
            complaints += peer.complaints
        }
        for graph in host.graphs {
            if !graph.isWhole { complain("\(graph.name): something that cannot be reached is alive") }
            if graph.rev != ledger.histories[graph.name]?.rev {
                complain(
                    "\(graph.name) is at rev \(graph.rev), the ledger at \(ledger.histories[graph.name]?.rev ?? 0)"
                )
            }
        }
        let linked = peers.filter(\.isConnected).flatMap { peer in
            peer.session?.subscriptions.compactMap { ($0 as? LinkSubscription)?.link } ?? []
        }
        let kept = host.graphs.reduce(0) { $0 + $1.clients.links.count }
        if !clients.isReleasing, kept != linked.count {
            complain("the graphs have \(kept) links, the sessions \(linked.count)")
        }
        let served = peers.compactMap(\.session).filter { !$0.isClosed }.reduce(0) {
            $0 + $1.subscriptions.count
        }
        let counted = clients.statistics.subscriptions
        if !clients.isReleasing, counted != served {
            complain("the host counts \(counted) subscriptions, the sessions \(served)")
        }
    }

    /// Builds every graph anew, from the ledger without a snapshot and from what is on the disk,
    /// and compares what is kept.
    private func compare(withDisk: Bool) {
        guard let server else { return }
        let isReadable = withDisk && disk.fault == .nothing
        for graph in server.host.graphs {
            counts.replays += 1
            let readers: [(String, any LogReader)] =
                [("the ledger", LedgerReader(ledger))] + (isReadable ? [("the disk", server.log.reader)] : [])
            for (what, reader) in readers {
                let fresh = Host(store: .memory(epoch: "replay"), clock: clock)
                do throws(StoreError) {
                    let replay = try fresh.restorer.rebuild(
                        graph.name,
                        epochs: graph.epochs,
                        at: graph.rev,
                        from: reader
                    )
                    for object in [fresh, replay] as [AnyObject] { mortals.append(Mortal(object: object)) }
                    let (here, there) = (graph.digest, replay.digest)
                    for (a, b) in zip(here, there) where a != b { complain("\(a), but from \(what): \(b)") }
                    if here.count != there.count { complain("\(graph.name) has other nodes, from \(what)") }
                } catch {
                    complain("\(graph.name) cannot be built from \(what): \(error)")
                }
            }
        }
    }

    /// One line for all that is kept at the end.
    var digest: String {
        var hash = FNV128()
        for graph in server?.host.graphs ?? [] { for line in graph.digest { hash.add(line) } }
        return String(hash.value, radix: 16)
    }
}

extension LiveGraph {
    /// What is the same wherever the same log is replayed.
    fileprivate var digest: [String] {
        ["\(name) rev \(rev) time \(time)"]
            + definition.replayedNodes.compactMap { node($0.name) }.map { node in
                let change = node.lastChange
                let value =
                    switch node.living?.held {
                    case .value(let datum): datum.text
                    case .fail(let datum): "fail:" + (datum.fail?.code ?? "?")
                    case .empty, nil: "empty"
                    }
                let expiry = node.deadline.map { " until \($0.time)" } ?? ""
                return "\(name).\(node.name) \(value) since \(change.rev)/\(change.time)\(expiry)"
            }
    }
}
