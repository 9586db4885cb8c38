/// Which graphs the other instances follow.
///
/// An instance says at once what it follows, and with each sign of life all that it follows. What
/// is missing there may have been said just after, so it counts when it is missing twice.
struct DemandFollowers {
    /// How often a graph was missing since, by instance and graph.
    private var missed: [String: [String: Int]] = [:]

    func contain(_ graph: String) -> Bool { missed.values.contains { $0[graph] != nil } }

    /// All graphs, in alphabetical order.
    var graphs: [String] { Set(missed.values.flatMap(\.keys)).sorted() }

    /// An instance has said that it follows these, too.
    ///
    /// - Returns: the graphs that it has not followed before.
    mutating func add(_ graphs: [String], at instance: String) -> Set<String> {
        let new = Set(graphs.filter { missed[instance]?[$0] == nil })
        for graph in graphs { missed[instance, default: [:]][graph] = 0 }
        return new
    }

    /// These are all that an instance follows.
    ///
    /// - Returns: the graphs for which that is another answer than before.
    mutating func note(_ graphs: Set<String>, at instance: String) -> Set<String> {
        var changed = add(Array(graphs), at: instance)
        for (graph, count) in missed[instance] ?? [:] where !graphs.contains(graph) {
            missed[instance]?[graph] = count == 0 ? 1 : nil
            if count > 0 { changed.insert(graph) }
        }
        return changed
    }

    /// An instance is gone.
    ///
    /// - Returns: the graphs that it has followed.
    mutating func remove(_ instance: String) -> Set<String> {
        Set((missed.removeValue(forKey: instance) ?? [:]).keys)
    }
}
