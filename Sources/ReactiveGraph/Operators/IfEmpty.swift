/// Each value, and a constant while the source is empty.
public struct IfEmpty<Value>: StatelessOperator {
    @usableFromInline let constant: Value

    /// - Parameter constant: what stands for emptiness.
    @inlinable
    public init(_ constant: Value) {
        self.constant = constant
    }

    @inlinable public var name: String { "IfEmpty" }
    @inlinable public var hearsEmptyAtConnection: Bool { true }

    @inlinable
    public func receive(_ value: Value, at site: Site) -> Emission<Value>? {
        .value(value)
    }

    @inlinable
    public func receiveEmpty(travels: Bool, at site: Site) -> Emission<Value>? {
        .value(constant)
    }
}

extension Node {
    /// Each value, and `constant` while this node is empty, whether emptiness travels or not.
    ///
    /// Example: empty, 1, empty with `ifEmpty(0)` emits 0, 1, 0.
    @inlinable
    public func ifEmpty(_ constant: Value) -> Node<Value> {
        apply(IfEmpty(constant))
    }
}
