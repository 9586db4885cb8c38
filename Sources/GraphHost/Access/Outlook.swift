/// What a principal may do in one graph as a whole, found once for each definition of it: every message asks, and only a look at
/// every node can answer.
final class Outlook {
    /// What it is true of; held, so that no other can come to lie in the same place.
    let definition: DefinitionMark
    /// Whether it may do something with some node.
    var sees: Bool?
    /// Whether it may observe and read every node.
    var observes: Bool?
    /// How many nodes it may read.
    var readable: Int?

    init(_ definition: DefinitionMark) {
        self.definition = definition
    }
}

/// Stands for one definition of one graph that runs, and for no other: only its identity counts.
final class DefinitionMark {}

/// What is known of a principal's rights in graphs.
struct Outlooks {
    /// How many graphs are remembered; with one more all are forgotten.
    ///
    /// A host has 1,000 graphs unless told otherwise, but they come and go under other names.
    private static var most: Int { 2_000 }

    private var known: [String: Outlook] = [:]

    subscript(graph: LiveGraph) -> Outlook {
        mutating get {
            if let outlook = known[graph.name], outlook.definition === graph.definitionMark { return outlook }
            if known.count >= Self.most { known = [:] }
            let outlook = Outlook(graph.definitionMark)
            known[graph.name] = outlook
            return outlook
        }
    }
}
