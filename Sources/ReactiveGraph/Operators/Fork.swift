/// Each value as it is (G-69).
public struct Fork<Value>: StatelessOperator {
    @inlinable public init() {}

    @inlinable public var name: String { "Link" }

    @inlinable
    public func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        .value(value)
    }
}

extension Node {
    /// A node that follows this one, value for value.
    @inlinable
    public func fork() -> Node<Value> {
        apply(Fork())
    }
}
