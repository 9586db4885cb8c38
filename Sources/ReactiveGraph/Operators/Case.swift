extension Node {
    /// The values of one key of a switched node (G-91).
    ///
    /// When a pair of this key arrives, its inner node is followed from then on, and replayed if it
    /// holds a value that is not about to be replaced (G-92): the pair's own value follows at once.
    /// Pairs of other keys change nothing. A case made late sees the current pair only.
    ///
    /// Where emptiness travels (G-145), an empty switched node makes every case empty, and the
    /// inner nodes are followed again as their keys occur.
    ///
    /// - Parameter key: the key to follow, compared with `==`; `nil` is the nil key.
    /// - Returns: the new node, empty until its key occurs.
    @inlinable
    public func `case`<Key, Mapped>(_ key: Key?) -> Node<Mapped> where Value == Switched<Key, Mapped> {
        following { $0 == key }
    }

    /// Follows the inner nodes of the keys that `isWanted` wants.
    @inlinable
    func following<Key, Mapped>(
        _ isWanted: @escaping (Key?) -> Bool
    ) -> Node<Mapped> where Value == Switched<Key, Mapped> {
        derive(
            Edge("Case") { edge in
                guard case .value(let pair) = edge.input(Switched<Key, Mapped>.self) else {
                    return edge.stopFollowing(Mapped.self)
                }
                guard isWanted(pair.key) else { return .nothing }
                return edge.take(up: pair.node)
            }
            .savingFollowing { (pair: Value) in isWanted(pair.key) ? pair.node : nil }
        )
    }
}

extension Edge {
    /// Follows `inner` from now on, if it is not followed already, and hands its value on, if there
    /// is one and no newer one is on its way.
    @inlinable
    func take<Out>(up inner: Node<Out>) -> Outcome {
        if let follower = side?.follower,
            follower.source?.identity == inner.ref.identity
        {
            return .nothing
        }
        guard beginFollowing(inner), !inner.core.marks.contains(.isDue), !inner.stored.isEmpty else {
            return .nothing
        }
        return store(through: inner)
    }
}
