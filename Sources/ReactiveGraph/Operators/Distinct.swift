/// The values that differ from what the new node holds (G-71).
public struct Distinct<Value>: StatelessOperator {
    @usableFromInline let areEqual: (Value, Value) -> Bool

    /// - Parameter areEqual: says whether the held value (first) and the new one (second) are the
    ///   same.
    @inlinable
    public init(by areEqual: @escaping (Value, Value) -> Bool) {
        self.areEqual = areEqual
    }

    @inlinable public var name: String { "Distinct" }

    @inlinable
    public func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        if case .value(let held)? = site.held(as: Value.self), areEqual(held, value) { return nil }
        return .value(value)
    }
}

extension Node {
    /// The values that differ from what the *new node* holds at that time, whatever set it (G-71).
    ///
    /// Example: 1, 1, 2, 1 emits 1, 2, 1.
    ///
    /// - Parameter areEqual: says whether the held value (first) and the new one (second) are the
    ///   same.
    /// - Returns: the new node.
    @inlinable
    public func distinct(by areEqual: @escaping (Value, Value) -> Bool) -> Node<Value> {
        apply(Distinct(by: areEqual))
    }
}

extension Node where Value: Equatable {
    /// The values that differ from what the new node holds at that time.
    ///
    /// `nil` equals `nil` (G-71).
    @inlinable
    public func distinct() -> Node<Value> {
        distinct(by: ==)
    }
}

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
