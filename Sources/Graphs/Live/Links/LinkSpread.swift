internal import Synchronization

/// Counts the commits that clients' links make of one value, directly and indirectly: among many
/// linked nodes there are very many paths.
package final class LinkSpread: Sendable {
    private static let most = 1_000

    private let count = Atomic(0)

    package init() {}

    /// Counts one more.
    ///
    /// - Returns: whether there was room.
    func add() -> Bool { count.add(1, ordering: .relaxed).newValue <= Self.most }
}
