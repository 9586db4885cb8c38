import Commits
import DiskSupport
import SQLiteLog
import Sessions
import TestSupport
import Values

@testable import Graphs

// Links of clients, and where their values come to.
extension World {
    func link(_ dice: inout SeededGenerator) {
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

    func set(_ name: String) {
        guard let host = server?.host, let graph = host["g"], let node = graph.node(name) else { return }
        lastValue += 1
        var commit = Commit(graph: graph)
        if let value = try? Datum.parse("\(lastValue)") { commit.set.append(Assignment(node, value)) }
        _ = host.submit(commit)
    }

    /// Everything that is on its way arrives.
    func rest() {
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
    func probe(_ node: String) {
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
}
