/// The transform of each value (G-69).
public struct Map<Input, Output>: StatelessOperator {
    @usableFromInline let transform: (Input) -> Output

    /// - Parameter transform: is called once per value.
    @inlinable
    public init(_ transform: @escaping (Input) -> Output) {
        self.transform = transform
    }

    @inlinable public var name: String { "Map" }

    @inlinable
    public func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        .value(transform(value))
    }
}

extension Node {
    /// The transform of each value.
    ///
    /// The function is called once per value and per edge.
    ///
    /// Example: 1, 2 with `{ $0 * 10 }` emits 10, 20.
    @inlinable
    public func map<Out>(_ transform: @escaping (Value) -> Out) -> Node<Out> {
        // As `apply(Map(transform))`, written out: only a body that holds the caller's function
        // itself takes it in whole, and a chain of maps is a third faster for it.
        derive(
            Edge("Map") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                return edge.store(transform(value))
            }
        )
    }
}
