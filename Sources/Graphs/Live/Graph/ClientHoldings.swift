/// How much of a graph its clients hold, and what they ask producers for.
package struct ClientHoldings {
    package var subscriptions = 0
    /// Chains of ended subscriptions that are kept for their return.
    package var keptChains = 0
    /// The links that they have made.
    package var links = ClientLinks()
    /// How many subscriptions have `load`.
    package var loaders = 0
    /// How often an owner was added to an existing subscription, or removed from one.
    package var ownerChanges: UInt64 = 0
    /// Demand for producers; nil while no client asks for it.
    var demand: GraphDemand?

    package var hasListeners: Bool { subscriptions > 0 || keptChains > 0 }
}
