public import Graphs

/// What a client subscribes to, for lists of connections.
public struct Interest {
    /// The number of its subscriptions in each graph, by name.
    public let graphs: [(graph: String, count: Int)]
    /// The named owners of these subscriptions, by name.
    public let owners: [String]
    /// How many of their emissions were folded into a later one.
    public let folded: UInt64

    /// How many of them are links, by their directions.
    public let links: Int

    /// The subscriptions of a session in graphs for which `isShown` holds.
    public init(of session: Session, where isShown: (LiveGraph) -> Bool) {
        var counts: [String: Int] = [:]
        var owners: Set<String> = []
        var folded: UInt64 = 0
        var links = 0
        for subscription in session.subscriptions where isShown(subscription.graph) {
            counts[subscription.graph.name, default: 0] += 1
            owners.formUnion(subscription.ownerNames.compactMap(\.self))
            folded += subscription.foldedInAll
            if subscription is LinkSubscription { links += 1 }
        }
        graphs = counts.sorted { $0.key < $1.key }.map { (graph: $0.key, count: $0.value) }
        self.owners = owners.sorted()
        self.folded = folded
        self.links = links
    }
}
