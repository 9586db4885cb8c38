import Commits
import Graphs
import Sessions

/// Carries demand between servers of one test, when the test says so.
final class LinkedDemand: SharedDemand {
    weak var follower: (any SharedDemandFollower)?
    let elsewhere = DemandElsewhere()
    let name: String
    private let others: () -> [LinkedDemand]
    private var followed: Set<String> = []
    private var changed: [String: Set<String>] = [:]
    private var asked: [String: Set<String>] = [:]

    init(_ name: String, beside others: @escaping () -> [LinkedDemand]) {
        (self.name, self.others) = (name, others)
    }

    func isFollowedElsewhere(_ graph: String) -> Bool { others().contains { $0.followed.contains(graph) } }

    func follow(_ graph: String) {
        followed.insert(graph)
        for other in others() { other.follower?.demandFollowersChanged(of: graph) }
    }

    func unfollow(_ graph: String) {
        followed.remove(graph)
        elsewhere.forget(graph: graph)
        for other in others() { other.follower?.demandFollowersChanged(of: graph) }
    }

    func note(_ node: String, of graph: String) { changed[graph, default: []].insert(node) }
    func noteAll(of graph: String) { changed[graph] = ["*"] }
    func ask(_ node: String, of graph: String) { asked[graph, default: []].insert(node) }

    /// Tells the others what is new here.
    func deliver() {
        let (changed, asked) = (changed, asked)
        (self.changed, self.asked) = ([:], [:])
        for other in others() {
            for graph in other.followed.sorted() {
                if changed[graph] != nil || !other.knows(graph, of: self) {
                    let nodes = follower?.wantedNodes(of: graph) ?? []
                    other.report(other.elsewhere.set(nodes, of: graph, at: name), graph)
                    other.known.insert("\(graph) \(name)")
                }
                if let nodes = asked[graph]?.sorted() {
                    other.follower?.demandAsked(of: graph, for: nodes)
                }
            }
        }
    }

    private var known: Set<String> = []
    private func knows(_ graph: String, of other: LinkedDemand) -> Bool {
        known.contains("\(graph) \(other.name)")
    }

    /// Its lease has ended.
    func lose(_ server: String) {
        for (graph, nodes) in elsewhere.forget(server: server) { report(nodes, graph) }
    }

    private func report(_ nodes: [String], _ graph: String) {
        follower?.demandChanged(of: graph, for: nodes)
    }
}
