/// The values for which a predicate is true (G-69).
public struct Filter<Value>: StatelessOperator {
    @usableFromInline let isIncluded: (Value) -> Bool

    /// - Parameter isIncluded: is called once per value.
    @inlinable
    public init(_ isIncluded: @escaping (Value) -> Bool) {
        self.isIncluded = isIncluded
    }

    @inlinable public var name: String { "Filter" }

    @inlinable
    public func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        isIncluded(value) ? .value(value) : nil
    }
}

extension Node {
    /// The values for which `predicate` is true; others leave the old value in place (G-69).
    ///
    /// Example: 1, 2, 3 with `{ $0 > 1 }` emits 2, 3.
    @inlinable
    public func filter(_ predicate: @escaping (Value) -> Bool) -> Node<Value> {
        // As `apply(Filter(predicate))`, written out for the same reason as `map`.
        derive(
            Edge("Filter") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                return predicate(value) ? edge.store(value) : .nothing
            }
        )
    }
}
