/// Where a value came from.
///
/// It travels in the ``Context`` of the emission, so derived nodes pass it on.
public enum ValueSource: String, Sendable, Hashable {
    /// Loaded from the remote side.
    case network
    /// Taken from a store.
    case cache
    /// Set by the program: the default.
    case local
    /// Not a value: the node was wiped.
    case wipe
}
