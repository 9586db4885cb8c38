internal import Commits
internal import ReactiveGraph
internal import Support

/// The graphs of a host by name, and where the history of ended ones continues if there is no log.
///
/// A class, because a look-up in a structure would retain all of its parts.
final class GraphTable {
    private let names = NameTable { ($0 as! LiveGraph).name }
    /// In the order in which they were added, including those that have not started.
    private(set) var all: [LiveGraph] = []
    /// Those that have timers and are served.
    let ticks = Ticks()
    /// Rises whenever a graph is added, removed or redefined.
    var changes: UInt64 = 0
    /// The graphs that could not be rebuilt from the log and are not served, in alphabetical order.
    private(set) var unbuilt: [String] = []
    /// The epoch of all graphs if there is no log.
    private let epoch: String
    private var ended: [String: LogPosition] = [:]

    init(epoch: String) {
        self.epoch = epoch
    }

    /// The graph with that name, even if it has not started.
    subscript(name: String) -> LiveGraph? {
        names[name].map { $0 as! LiveGraph }
    }

    /// The same, for a name given as bytes.
    @inline(__always)
    subscript(name: BorrowedBytes) -> LiveGraph? {
        guard let object = names[name] else { return nil }
        return (object as! LiveGraph)
    }

    func add(_ graph: LiveGraph) {
        all.append(graph)
        names.insert(graph, named: graph.name)
        bringBack(graph)
    }

    /// A graph is served, or is served again.
    func bringBack(_ graph: LiveGraph) {
        ticks.add(graph)
        changes &+= 1
    }

    /// A graph is no longer served.
    func setAside(_ graph: LiveGraph) {
        ticks.remove(graph)
        changes &+= 1
    }

    /// A graph could be rebuilt from the log, or could not.
    func note(_ name: String, isBuilt: Bool) {
        unbuilt.removeAll { $0 == name }
        guard !isBuilt else { return }
        unbuilt.append(name)
        unbuilt.sort()
    }

    /// Removes a graph; a new one may have its name already.
    func remove(_ graph: LiveGraph, endsAt position: LogPosition?) {
        if let position { ended[graph.name] = position }
        all.removeAll { $0 === graph }
        if self[graph.name] === graph { names.remove(named: graph.name) }
        setAside(graph)
    }

    /// Where a new graph with that name begins, if there is no log.
    func takePosition(of name: String) -> LogPosition {
        ended.removeValue(forKey: name) ?? LogPosition(Epochs(epoch), rev: 0, time: 0)
    }
}
