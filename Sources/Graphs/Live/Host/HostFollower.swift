package import ReactiveGraph

/// The clients of a host, as its graphs know them.
///
/// Graphs know no session and no message: a host reports to its follower what clients have to
/// receive.
package protocol HostFollower: AnyObject {
    // MARK: - Turns

    /// Whether clients that have left still hold what they listened to.
    var isReleasing: Bool { get }

    /// Goes on with these releases, within a share of the turn.
    func release()

    /// A commit has been applied, and what it caused has settled.
    func commitApplied()

    /// The turn ends: what has been collected in it is sent.
    func turnEnds()

    /// ``Host/isStale`` has changed: the graphs may now be older than the store, or no longer are.
    func stalenessChanged()

    /// The host ends.
    func close()

    // MARK: - Graphs

    /// A graph has ended: nothing listens to it any more when this returns.
    func ended(_ graph: LiveGraph, _ end: LiveGraph.End)

    /// These nodes of a graph are about to be removed: nothing listens to them, or to what clients
    /// made from those with these names, when this returns.
    ///
    /// - Returns: notifies the clients; to be called when the change is complete.
    func release(nodes: Set<UInt64>, _ names: Set<String>, of graph: LiveGraph) -> () -> Void

    /// A graph has a new definition, with these nodes more, in its order; `hasOtherRules` if any of
    /// its nodes may be readable or hidden now.
    func redefined(_ graph: LiveGraph, adding added: [NamedNode], hasOtherRules: Bool)

    /// The edges with which clients listen to a graph.
    func listens(to graph: LiveGraph) -> [Edge]

    /// Memory is short: chains that are kept for clients who may come back are released.
    func releaseKept()

    /// A principal's pipelines hold as much as they may: chains that are kept for it are released,
    /// oldest first, until there is room.
    func makeRoom(in account: PipelineAccount)
}
