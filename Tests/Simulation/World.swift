import Commits
import DiskSupport
import ReactiveGraph
import SQLiteLog
import TestSupport

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// A server with its clients, its log and its disk, in which nothing is real and everything follows
/// from a seed.
final class World {
    var complaints: [String] = []
    /// What happened, for one who looks at a single seed.
    private(set) var transcript: [String] = []
    /// Messages that clients got, comparisons with a replay, starts, commits that a power cut has
    /// taken, what upstreams have sent, and commits of links.
    var counts = (messages: 0, replays: 0, starts: 0, lost: 0, fed: 0, led: 0)

    /// What must have gone with the world. (Not the graphs of its servers: a change that a dead
    /// process never answered holds one.)
    var mortals: [Mortal] = []

    struct Mortal {
        weak var object: AnyObject?
    }

    private let transcribes: Bool
    let disk: LyingDisk
    let durability: Durability
    let clock = ManualHostClock(now: 1_000, wall: 50_000_000)
    /// By how many hundredths the wall clock is faster than the monotonic one.
    private var drift = 0
    let ledger = Ledger()
    let book = LinkBook()
    var server: Server?
    var peers: [Peer] = []
    var shapes: [String: Shape] = [:]
    var openers: [String: Opener] = [:]
    var starts = 0
    var lastValue = 0
    var keyed = KeyedRequests()
    /// What was handed to the log and not answered; what it refused in this process.
    var refused: [LogEntry] = []

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

    func write(_ line: @autoclosure () -> String) {
        if transcribes { transcript.append(line()) }
    }

    func complain(_ what: String) { complaints.append(what) }

    // MARK: - Steps

    func act(_ action: Action) {
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

    func connect(_ name: String) {
        guard let server else { return }
        let peer = Peer(name, ledger, book) { [unowned self] in write("    \($0)") }
        peer.connect(to: server.clients)
        peers.append(peer)
    }

    func kill() {
        disk.kill()
        start(mayLose: false)
    }

    func cut() {
        disk.cut()
        start(mayLose: durability == .written)
    }

    /// The wall clock is set, as by an operator or a time server, or drifts from now on.
    func turnClock(_ dice: inout SeededGenerator) {
        if dice.chance(1, in: 2) {
            drift = [-50, -1, 0, 0, 1, 50][dice.below(6)]
        } else {
            let change = ([1, 2, 20, 5_000, 3_600_000] as [UInt64])[dice.below(5)]
            clock.set(wall: dice.chance(1, in: 2) ? clock.wall + change : clock.wall - change)
        }
        write("    it is \(clock.wall), and \(drift) hundredths fast")
    }

    func any(_ dice: inout SeededGenerator) -> Peer? {
        let peers = peers.filter(\.isConnected)
        return peers.isEmpty ? nil : peers[dice.below(peers.count)]
    }

    func pass(_ milliseconds: UInt64) {
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
}
