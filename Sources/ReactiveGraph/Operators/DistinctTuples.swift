// Tuples cannot be `Equatable`, but they can be compared.
extension Node {
    /// The pairs that differ from what the new node holds at that time (G-71).
    @inlinable
    public func distinct<A: Equatable, B: Equatable>() -> Node<Value> where Value == (A, B) {
        distinct(by: ==)
    }

    /// The triples that differ from what the new node holds at that time (G-71).
    @inlinable
    public func distinct<A: Equatable, B: Equatable, C: Equatable>() -> Node<Value>
    where Value == (A, B, C) {
        distinct(by: ==)
    }
}
