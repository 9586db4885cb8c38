/// The values that a function gives, without its `nil`s.
public struct CompactMap<Input, Output>: StatelessOperator {
    @usableFromInline let transform: (Input) -> Output?

    /// - Parameter transform: is called once per value; `nil` is not emitted.
    @inlinable
    public init(_ transform: @escaping (Input) -> Output?) {
        self.transform = transform
    }

    @inlinable public var name: String { "Filter" }

    @inlinable
    public func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        transform(value).map { .value($0) }
    }
}

extension Node {
    /// The values that are not `nil`, as non-optional values.
    @inlinable
    public func ignoreNil<Wrapped>() -> Node<Wrapped> where Value == Wrapped? {
        apply(CompactMap { $0 })
    }
}
