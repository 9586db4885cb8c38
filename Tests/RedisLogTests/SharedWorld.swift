import Definitions
import DiskSupport
import Commits
import Graphs
import Sessions
import TestSupport
import Testing
import Values

@testable import RedisLog

/// One server: a host on a log in Redis, driven step by step.
final class SharedServer {
    let writer = ManualExecutor()
    let listener = ManualExecutor()
    let store: FaultyStore
    let log: RedisLog
    let host: Host
    let clients: Clients
    let clock: ManualHostClock

    /// A server; one that names all streams it waits for, or one that waits for the stream of
    /// changes.
    ///
    /// What others do while it looks for them at the start is done in `meanwhile`.
    init(
        _ redis: RedisServer,
        namesAll: Bool = true,
        clock: ManualHostClock,
        time: String = Script.time,
        word: @escaping () -> String,
        meanwhile: @escaping () -> Void = {}
    ) throws {
        store = FaultyStore(RedisStore(redis.address, prefix: "world", time: time))
        log = try RedisLog(
            RedisLogOptions(redis.address, prefix: "world", keepRevs: 1_000_000),
            store,
            FaultySource(Follower(redis.address, prefix: "world", few: namesAll ? 100 : 0), store),
            word: word,
            writer: writer,
            listener: listener,
            pause: { _ in meanwhile() }
        )
        host = Host(store: .log(log), clock: clock)
        clients = Clients(of: host)
        self.clock = clock
        for stored in host.storedGraphs { _ = try host.restore(graph: stored.name) }
        log.follow()
    }

    /// Does one piece of work of a thread, and ends the turn.
    func step(_ executor: ManualExecutor) {
        executor.step()
        host.flush()
    }

    /// Lets time pass on its machine.
    func pass(_ milliseconds: UInt64) {
        clock.advance(by: milliseconds)
        writer.advance(by: milliseconds)
        listener.advance(by: milliseconds)
        host.advance()
        host.flush()
    }
}

/// Servers that share a real Redis, clients of both, and books of what was answered; everything
/// follows from the seed.
///
/// Redis and each server have clocks of their own, which drift and are set.
final class SharedWorld {
    private let redis: RedisServer
    private let redisClock: TestClock
    /// What the clock of Redis shows.
    private var time: UInt64 = 1_000_000_000
    private var dice: SeededGenerator
    private var servers: [SharedServer] = []
    private var words = 0
    private var lastValue = 0
    /// Values that were answered as set, and those that were refused for good, by node.
    private var taken: [String: Set<Int>] = [:]
    private var refused: [String: Set<Int>] = [:]
    /// When the values of `a` were set, by the log; the moments at which something is due since;
    /// and how many ticks there were with nothing to do.
    private var setAt: [Int: UInt64] = [:]
    private var due: [UInt64] = []
    private var needless = 0
    /// What a counter was answered to have come to.
    private var counted: [Int] = []
    /// Whether Redis has lost something.
    private var hasLost = false
    private(set) var complaints: [String] = []
    /// Clients with a session, and the server that each is at.
    private var peers: [(peer: Peer, server: ObjectIdentifier?)] = []
    private let ledger = Ledger()
    private let book = LinkBook()
    /// Changes under a key, which the client may send again, at either server.
    private var keyed: [(by: String, request: SetRequest)] = []
    private let demand = DemandPlay()
    private let store: RedisStore
    /// Messages that clients got, and commits of links.
    private(set) var messages = 0
    private(set) var led = 0

    private static let definition = """
        {"graph":"g","mode":"settled","nodes":{"p":{"set":"any","initial":0,"history":50},"q":{"set":"any","initial":0},
        "x":{"set":"any","initial":0,"history":50},\(Shape.members),"half":{"combine":["p","q"],"map":"value[0] == value[1]"},"a":{"set":"any"},"b":{"set":"any"},"count":{"set":"any","initial":0},
        "sum":{"from":"count","retain":"always","pipe":[{"scan":{"start":0,"with":"acc + value"}}]},
        "late":{"from":"a","retain":"always","pipe":[{"delay":300}]},
        "mean":{"from":"a","retain":"always","pipe":[{"window":{"last":200,"of":"avg"}}]}}}
        """
    /// How late `late` is, and what `mean` looks back on.
    private static let delay: UInt64 = 300
    private static let window: UInt64 = 200

    init(_ redis: RedisServer, seed: UInt64) throws {
        self.redis = redis
        dice = SeededGenerator(seed: seed)
        store = RedisStore(redis.address, prefix: "world", time: TestClock.text)
        redisClock = try TestClock(redis)
        try redis.ask("FLUSHALL")
        try redisClock.set(time)
        let first = try start()
        let definition = try first.definition(Self.definition)
        guard case .pending = first.host.define(definition) else { throw StoreError("it is not pending") }
        first.host.settle()
        servers = [first]
        servers.append(try start())
    }

    private func start() throws -> SharedServer {
        let clock = ManualHostClock(now: 1_000, wall: someTime())
        // The others may stand still for longer than a server looks for them.
        let areSilent = dice.chance(1, in: 8)
        try note()
        return try SharedServer(
            redis,
            namesAll: dice.chance(1, in: 2),
            clock: clock,
            time: TestClock.text,
            word: { [unowned self] in
                words += 1
                return "word\(words)"
            },
            meanwhile: { [store, servers] in
                for server in servers where !areSilent && !server.store.isCutOff {
                    _ = try? store.pulse(of: server.log.instance, lease: RedisLog.lease, files: nil)
                }
            }
        )
    }

    /// What the clock of another machine may show.
    private func someTime() -> UInt64 {
        let difference = ([0, 1, 2, 20, 5_000, 3_600_000] as [UInt64])[dice.below(6)]
        return dice.chance(1, in: 2) ? time + difference : time - difference
    }

    /// One of the clocks is set: also after a failover Redis' clock is another one.
    private func turnClock(of server: SharedServer) throws {
        guard dice.chance(1, in: 3) else { return server.clock.set(wall: someTime()) }
        time += dice.chance(1, in: 2) ? UInt64(dice.below(20_000)) : 0
        time -= UInt64(dice.below(1_500))
        try redisClock.set(time)
    }

    func play(_ actions: Int) throws {
        for _ in 0..<actions {
            try act()
            try listen()
        }
        try rest()
    }

    private func act() throws {
        let place = dice.below(servers.count)
        let server = servers[place]
        switch dice.below(100) {
        case ..<22: server.step(server.writer)
        case ..<44: server.step(server.listener)
        case ..<54: set(server)
        case ..<60: count(server)
        case ..<64: setOnce(server)
        case ..<67: setBoth()
        case ..<70: server.store.fault = dice.chance(1, in: 2) ? .unreachable : .lostAnswer
        case ..<72: server.store.isCutOff = dice.chance(1, in: 3)
        case ..<80: try pass(UInt64(dice.below(dice.chance(1, in: 10) ? 3_000 : 120)))
        case ..<82: try turnClock(of: server)
        case ..<84: try kill(place)
        case ..<85 where dice.chance(1, in: 4):
            try note()
            hasLost = true
            try redis.ask("FLUSHALL")
            try redisClock.set(time)
        case ..<88:
            demand.act(server, &dice)
            server.host.flush()
        default:
            try meet(server)
            server.host.flush()
        }
    }

    /// No clock is as fast as another one.
    private func pass(_ milliseconds: UInt64) throws {
        time += milliseconds + UInt64(dice.below(2))
        try redisClock.set(time)
        for server in servers { server.pass(milliseconds + UInt64(dice.below(2))) }
    }

    private func kill(_ place: Int) throws {
        let former = ObjectIdentifier(servers[place].host)
        for number in peers.indices where peers[number].server == former {
            peers[number].peer.lose()
            peers[number].server = nil
        }
        demand.lose(servers[place])
        let wasLeading = servers[place].log.isLeading
        servers.remove(at: place)
        // Keys expire by Redis' own time, which does not pass here.
        if wasLeading, dice.chance(3, in: 4) { try redis.ask("DEL", "world:lease") }
        servers.insert(try start(), at: place)
    }

    // MARK: - Sessions

    /// Something a client does at a server.
    private func meet(_ server: SharedServer) throws {
        guard peers.count > 2 || dice.chance(1, in: 3), !peers.isEmpty else {
            guard peers.count < 4 else { return }
            let peer = Peer(["ann", "bob"][dice.below(2)], ledger, book) { _ in }
            peer.mayStartOver = true
            peer.connect(to: server.clients)
            peers.append((peer, ObjectIdentifier(server.host)))
            for _ in 0..<dice.below(3) { link(peer) }
            for node in Shape.plain + Shape.truths where Shape.truths.contains(node) || dice.chance(2, in: 3)
            {
                peer.subscribe("g", node, isAll: dice.chance(1, in: 2), every: 0)
            }
            return
        }
        let number = dice.below(peers.count)
        let peer = peers[number].peer
        let isStalled = peer.unsentBytes > 0
        guard peer.isConnected, !dice.chance(1, in: isStalled ? 3 : 8) else {
            // It goes on at the other one, without what it has not read.
            peer.unsentBytes = 0
            peer.connect(to: server.clients)
            peers[number].server = ObjectIdentifier(server.host)
            return
        }
        if dice.chance(1, in: 4) {
            peer.unsentBytes = isStalled ? 0 : 1 << 17
            if isStalled { peer.session?.drained() }
        } else if dice.chance(1, in: 3) {
            link(peer)
        } else {
            set(peer)
        }
    }

    private func set(_ peer: Peer) {
        let text = "\(nextValue())"
        if let former = keyed.last(where: { $0.by == peer.name }), dice.chance(1, in: 8) {
            return peer.set(former.request)
        }
        var request = SetRequest(graph: "g")
        switch dice.below(8) {
        case 0: request.values = [("x", text)]
        case 1: request.values = [("p", text), ("q", text)]
        case 2, 3, 4: request.values = [(Shape.linked[dice.below(4)], text)]
        default: request.transfer = Shape.transfer(&dice)
        }
        if dice.chance(1, in: 2) {
            request.key = "r\(text)"
            keyed.append((peer.name, request))
        }
        peer.set(request)
    }

    private func link(_ peer: Peer) {
        let links = peer.links.keys.sorted()
        if let last = links.last, dice.chance(1, in: 3) {
            if dice.chance(1, in: 2) { peer.unlink(last) } else { peer.release("part") }
        } else if peers.reduce(0, { $0 + $1.peer.links.count }) < 5 {
            peer.link(Shape.link(in: "g", from: ["x", "p"], &dice))
        }
    }

    /// Sets a linked node at one of the servers, and looks where the value comes to.
    private func probe() throws {
        for number in peers.indices where !peers[number].peer.isConnected {
            let server = servers[dice.below(servers.count)]
            peers[number].peer.connect(to: server.clients)
            peers[number].server = ObjectIdentifier(server.host)
        }
        for _ in 0..<30 { try work() }
        complaints += LinkProbe.differing(ledger, peers.map(\.peer), book)
        let (node, value) = (Shape.linked[dice.below(4)], nextValue())
        let probe = LinkProbe("g", node, "\(value)", ledger, peers.map(\.peer))
        submit(servers[dice.below(servers.count)], node, value) { _ in }
        for _ in 0..<30 { try work() }
        complaints += probe.faults(in: ledger)
    }

    /// Holds what clients have got against what Redis has had; those that are slow read another
    /// time.
    private func listen(toAll: Bool = false) throws {
        try note()
        for server in servers { lookAtDelay(of: server) }
        for (peer, _) in peers where toAll || dice.chance(1, in: 3) {
            let count = peer.heard
            peer.read()
            messages += peer.heard - count
            complaints += peer.complaints
        }
    }

    /// What `late` shows must be as old as it says, by the times of the log.
    private func lookAtDelay(of server: SharedServer) {
        guard let graph = server.host["g"], let node = graph.node("late") else { return }
        let reading = graph.read(node)
        guard case .value(let datum) = reading.held, let value = Int(datum.text), let set = setAt[value],
            reading.changedAt < set + Self.delay
        else { return }
        complaints.append(
            "late shows \(value) \(reading.changedAt - min(set, reading.changedAt)) ms after it was set"
        )
    }

    /// Writes down what is new in Redis.
    private func note() throws {
        guard let position = try store.positions()["g"] else { return }
        var history = ledger.histories["g"] ?? Ledger.History(epoch: position.epoch)
        if history.epoch != position.epoch, let last = position.epochs.lastRev(of: history.epoch) {
            // A server has started that took itself for the only one.
            if last < history.rev { complaints.append("revs from \(last + 1) to \(history.rev) are lost") }
            try add(to: &history, upTo: last)
            ledger.former["g", default: []].append(history)
            history.cut(after: last, epoch: position.epoch)
        } else if history.epoch != position.epoch {
            // It has begun with what one of the servers held.
            let first = try redis.ask("XRANGE", "world:{g}:snapshots", "-", "+", "COUNT", "1")
            ledger.former["g", default: []].append(history)
            history.cut(
                after: first.members.first?.members.first?.streamRev ?? 0,
                epoch: position.epoch,
                isContinued: false
            )
        }
        try add(to: &history, upTo: position.rev)
        ledger.histories["g"] = history
    }

    private func add(to history: inout Ledger.History, upTo rev: UInt64) throws {
        guard history.rev < rev else { return }
        try reader.entries(of: "g", in: history.rev + 1...rev) { entry, stamp in
            history.add(Ledger.Record(entry: entry, stamp: stamp))
            if entry.isOfLink { led += 1 }
            if let fault = book.fault(of: entry, in: history), !hasLost {
                complaints.append("rev \(stamp.rev): \(fault)")
            }
            if case .tick(let now) = entry.kind {
                if !due.contains(where: { $0 <= now }) { needless += 1 }
                due.removeAll { $0 <= now }
            }
            for assignment in entry.set where assignment.node == "a" {
                guard let value = Int(String(decoding: assignment.value, as: UTF8.self)) else { continue }
                setAt[value] = stamp.time
                due += [stamp.time + Self.window, stamp.time + Self.delay]
            }
            return true
        }
    }

    private var reader: RedisReader { RedisReader(redis.address, prefix: "world") }

    // MARK: - Clients

    private func submit(
        _ server: SharedServer,
        _ node: String,
        _ value: Int,
        holding expected: Int? = nil,
        key: String? = nil,
        _ note: @escaping (Result<Applied, HostError>) -> Void
    ) {
        guard let graph = server.host["g"], let target = graph.node(node) else { return }
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(target, Self.datum(value)))
        if let expected { commit.conditions = [Condition(target, .holds(Self.datum(expected)))] }
        if let key { commit.key = key }
        switch server.host.submit(commit) {
        case .applied(let applied): note(.success(applied))
        case .refused(let error): note(.failure(error))
        case .pending(let pending): pending.onAnswer(note)
        }
    }

    private static func datum(_ value: Int) -> Datum {
        guard let datum = try? Datum.parse("\(value)") else { preconditionFailure("a number is JSON") }
        return datum
    }

    private func nextValue() -> Int {
        lastValue += 1
        return lastValue
    }

    /// Writes down what a set was answered.
    private func note(_ node: String, _ value: Int, _ result: Result<Applied, HostError>) {
        switch result {
        case .success: taken[node, default: []].insert(value)
        // The result of these is unknown.
        case .failure(let error) where error.code == .engineDown: break
        case .failure: refused[node, default: []].insert(value)
        }
    }

    private func set(_ server: SharedServer) {
        let value = nextValue()
        submit(server, "a", value) { [unowned self] in note("a", value, $0) }
    }

    private func setOnce(_ server: SharedServer) {
        let value = nextValue()
        submit(server, "b", value, key: "k\(value)") { [unowned self] in note("b", value, $0) }
    }

    /// The same change under the same key at both servers.
    private func setBoth() {
        let value = nextValue()
        for server in servers {
            submit(server, "b", value, key: "k\(value)") { [unowned self] in note("b", value, $0) }
        }
    }

    /// Counts up by what the server holds.
    private func count(_ server: SharedServer) {
        guard let graph = server.host["g"], let node = graph.node("count") else { return }
        guard case .value(let datum) = graph.read(node).held, let present = Int(datum.text) else { return }
        submit(server, "count", present + 1, holding: present) { [unowned self] result in
            if case .success = result { counted.append(present + 1) }
        }
    }

    // MARK: - The end

    /// Everything is repaired, and comes to rest; then it is compared.
    private func rest() throws {
        for (peer, _) in peers {
            peer.unsentBytes = 0
            peer.session?.drained()
        }
        for server in servers { (server.store.isCutOff, server.store.fault) = (false, .none) }
        for round in 0..<400 {
            if round % 100 == 0 { demand.comeBack(to: servers) }
            // Redis' own time does not go by: this stands for the end of a claim, and of a lease,
            // whose server is no more.
            if round == 100, !servers.contains(where: \.log.isLeading) { try redis.ask("DEL", "world:lease") }
            if round == 200 { try redis.ask("DEL", "world:{g}:claim") }
            try work()
        }
        lookAtTime()
        demand.compare(servers)
        try probe()
        for (peer, _) in peers { peer.leave() }
        for _ in 0..<20 { try work() }
        book.close()
        for node in Shape.linked { submit(servers[dice.below(servers.count)], node, nextValue()) { _ in } }
        for _ in 0..<20 { try work() }
        demand.compare(servers)
        complaints += demand.complaints
        for server in servers {
            server.host.flush()
            let left = server.host["g"]?.statistics.subscriptions ?? 0
            if left > 0 { complaints.append("\(left) subscriptions are left") }
            if server.host["g"]?.clients.links.isEmpty == false { complaints.append("links are left") }
        }
        for (number, server) in servers.enumerated() where server.log.health != .ready {
            complaints.append("server \(number) is \(server.log.health)")
        }
        let digests = servers.map { $0.host["g"]?.digest ?? "none" }
        if Set(digests).count > 1 {
            let state = servers.map { "\($0.host["g"]?.epoch ?? "") \($0.host["g"]?.rev ?? 0)" }
            complaints.append("the servers differ: \(state)")
        }
        let replayed = try start()
        if replayed.host["g"]?.digest ?? "none" != digests.first {
            let rev = servers[0].host["g"]?.rev
            complaints.append(
                "a server that starts now differs: \(replayed.host["g"]?.rev ?? 0), not \(rev ?? 0)"
            )
        }
        try compareLog()
    }

    private func work() throws {
        for server in servers {
            server.step(server.writer)
            server.step(server.listener)
        }
        try pass(50)
        try listen(toAll: true)
    }

    /// What was due has come, once.
    private func lookAtTime() {
        complaints += ledger.complaints
        for server in servers {
            guard let graph = server.host["g"] else { continue }
            let found = ["a", "late", "mean"].map { name in
                switch graph.node(name).map({ graph.read($0).held }) {
                case .value(let datum): datum.text
                case .fail, .empty, nil: "empty"
                }
            }
            if found[1] != found[0] || found[2] != "empty" {
                complaints.append("after the end a, late and mean are \(found)")
            }
        }
        // Two servers may take themselves for the leader for a moment.
        if needless > 1, !hasLost { complaints.append("\(needless) ticks had nothing to do") }
    }

    private func compareLog() throws {
        var found: [String: [Int]] = [:]
        var numbers: [Int] = []
        try servers[0].log.reader.entries(of: "g", in: 1...(.max >> 1)) { entry, _ in
            for assignment in entry.set {
                let value = Int(String(decoding: assignment.value, as: UTF8.self)) ?? -1
                if assignment.node == "count" {
                    numbers.append(value)
                } else {
                    found[assignment.node, default: []].append(value)
                }
            }
            return true
        }
        for node in ["a", "b"] {
            let values = found[node] ?? []
            if Set(values).count != values.count { complaints.append("\(node) has values twice") }
            let lost = (taken[node] ?? []).subtracting(values)
            if !lost.isEmpty, !hasLost { complaints.append("\(node) has lost \(lost.sorted())") }
            let wrong = (refused[node] ?? []).subtracting(taken[node] ?? []).intersection(values)
            if !wrong.isEmpty { complaints.append("\(node) has \(wrong.sorted()), which were refused") }
        }
        guard !hasLost else { return }
        complaints += ledger.doubleKeys
        if numbers != Array(1..<numbers.count + 1) { complaints.append("counted \(numbers)") }
        if Set(counted).count != counted.count || !Set(counted).isSubset(of: numbers) {
            complaints.append("was answered \(counted.sorted()), has \(numbers)")
        }
    }
}

extension SharedServer {
    func definition(_ text: String) throws -> GraphDefinition {
        let (definition, problems) = GraphDefinition.read(
            try Document.parse(json: text),
            file: nil,
            named: nil,
            options: host.definitions
        )
        try #require(problems.isEmpty, "\(problems)")
        return try #require(definition)
    }
}
