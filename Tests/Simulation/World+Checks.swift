import Commits
import DiskSupport
import ReactiveGraph
import SQLiteLog
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

// What must hold after each step.
extension World {
    func look() {
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

    /// After each turn exactly what is wanted is open (S-1).
    func lookAtUpstreams(_ host: Host) {
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

    /// Builds every graph anew, from the ledger without a snapshot and from what is on the disk,
    /// and compares what is kept.
    func compare(withDisk: Bool) {
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
