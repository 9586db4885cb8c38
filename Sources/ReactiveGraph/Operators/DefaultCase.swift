extension Node {
    /// The values of the nil key of a switched node (G-93).
    ///
    /// Not "everything that no case took": see ``otherwise(excluding:)``.
    @inlinable
    public func defaultCase<Key, Mapped>() -> Node<Mapped> where Value == Switched<Key, Mapped> {
        following { $0 == nil }
    }
}
