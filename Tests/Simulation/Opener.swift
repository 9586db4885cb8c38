import Graphs

@testable import Sessions

/// What would open upstreams for one graph: it notes which source nodes are wanted (S-1).
final class Opener: DemandFollower {
    let patterns = ["far"]
    private weak var graph: LiveGraph?
    private var changed: Set<String> = ["far"]
    private(set) var open: Set<String> = []

    init(of graph: LiveGraph) {
        self.graph = graph
        _ = graph.begin(self)
    }

    func follows(_ graph: LiveGraph) -> Bool { self.graph === graph }
    func note(_ name: String) { changed.insert(name) }
    func note(load name: String) {}
    func redefined() { changed.insert("far") }

    /// The end of a turn: what is noted is opened or closed.
    func settle() {
        for name in changed {
            if graph?.demand?.isWanted(name) == true { open.insert(name) } else { open.remove(name) }
        }
        changed = []
    }
}
