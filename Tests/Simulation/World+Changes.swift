import Commits
import Sessions
import TestSupport
import Values

@testable import Graphs

// What clients ask for, and what other commits change.
extension World {
    func request(_ dice: inout SeededGenerator) {
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
            if let request = keyed.any(by: peer.name, &dice) { peer.set(request) }
        case 7: peer.set(keyed.add(SetRequest(graph: graph, values: values(&dice)), by: peer.name))
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

    func transfer(_ dice: inout SeededGenerator) {
        guard let peer = any(&dice) else { return }
        let graph = dice.chance(4, in: 5) ? "g" : "h"
        var request = SetRequest(graph: graph, transfer: Shape.transfer(&dice))
        if dice.chance(1, in: 4) { request.values = [("x", "\(dice.below(4))")] }
        peer.set(dice.chance(1, in: 2) ? keyed.add(request, by: peer.name) : request)
    }

    func commit(_ dice: inout SeededGenerator) {
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
    func feed(_ dice: inout SeededGenerator) {
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

    /// What a change sets: `p` and `q` alike, or one of the others.
    func values(_ dice: inout SeededGenerator) -> [(node: String, text: String)] {
        lastValue += 1
        let text = dice.chance(1, in: 3) ? "\(dice.below(4))" : "\(lastValue)"
        switch dice.below(6) {
        case 0: return [("p", text), ("q", text)]
        case 1: return [("brief", text)]
        case 2, 3: return [(Shape.linked[dice.below(4)], text)]
        default: return [("x", text)]
        }
    }
}
