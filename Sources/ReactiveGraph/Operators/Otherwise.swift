extension Node {
    /// The values of all keys of a switched node but these (G-93).
    ///
    /// It follows the inner node of the latest key that is not in the list; `nil` in the list
    /// excludes the nil key.
    @inlinable
    public func otherwise<Key, Mapped>(
        excluding keys: some Sequence<Key?>
    ) -> Node<Mapped> where Value == Switched<Key, Mapped> {
        let excluded = Set(keys)
        return following { !excluded.contains($0) }
    }
}
