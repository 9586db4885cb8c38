internal import Commits
internal import Support

// What other servers say about demand (D-4).
extension LogReports: SharedDemandFollower {
    func wantedNodes(of graph: String) -> [String] { host.table[graph]?.demand?.here.matching("*") ?? [] }

    func isWanted(_ node: String, of graph: String) -> Bool {
        host.table[graph]?.demand?.here.contains(node) ?? false
    }

    func demandFollowersChanged(of graph: String) {
        host.handlers.onLog()
        host.table[graph]?.reviseDemand()
    }

    func demandChanged(of graph: String, for nodes: [String]) {
        host.handlers.onLog()
        host.table[graph]?.demand?.noteElsewhere(nodes)
    }

    func demandAsked(of graph: String, for nodes: [String]) {
        host.handlers.onLog()
        guard let demand = host.table[graph]?.demand else { return }
        for node in nodes { demand.askElsewhere(node) }
    }
}
