/// How long a registry keeps a named node that nothing else needs (G-129).
///
/// A policy decides only whether the registry is one more holder of the node. A node is *in use*
/// while it has a listener with a living owner, an edge to a living node, or a reference from
/// outside the registry (G-128).
public enum Retention: String, Sendable, Hashable, CaseIterable {
    /// The registry holds nothing: the node goes at once when it is not in use.
    case whileInUse
    /// The registry holds the node until pressure is signalled while it is not in use.
    case untilPressure
    /// The registry holds the node until it is removed by name.
    case always
}
