/// What the servers that write one log tell each other about demand (D-4): which nodes the
/// listeners at each of them want, and which values must be loaded.
///
/// Only the demand of graphs that some server follows is exchanged. Losing a server ends what was
/// wanted there after a lease; nothing here is stored for longer.
public protocol SharedDemand: AnyObject {
    /// Receives what the other servers say. Held weakly.
    var follower: (any SharedDemandFollower)? { get set }

    /// What the listeners at the other living servers want, of the graphs that are followed here.
    var elsewhere: DemandElsewhere { get }

    /// Whether another living server follows the demand of a graph: then it learns what is wanted
    /// here.
    func isFollowedElsewhere(_ graph: String) -> Bool

    /// From now on ``elsewhere`` has what is wanted in a graph.
    func follow(_ graph: String)
    func unfollow(_ graph: String)

    /// A node may have become wanted here, or stopped being wanted.
    func note(_ node: String, of graph: String)

    /// The same for any of a graph's nodes.
    func noteAll(of graph: String)

    /// A node's value must be loaded.
    func ask(_ node: String, of graph: String)
}

/// Receives what other servers say about demand; implemented by the host.
public protocol SharedDemandFollower: AnyObject {
    /// The nodes of a graph that are wanted here.
    func wantedNodes(of graph: String) -> [String]
    func isWanted(_ node: String, of graph: String) -> Bool

    /// Another server has begun to follow a graph, or no other one follows it any longer.
    func demandFollowersChanged(of graph: String)

    /// What ``SharedDemand/elsewhere`` has of these nodes has changed.
    func demandChanged(of graph: String, for nodes: [String])

    /// Another server's clients wait for the values of these nodes.
    func demandAsked(of graph: String, for nodes: [String])
}
