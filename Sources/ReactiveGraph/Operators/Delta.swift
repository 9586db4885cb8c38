/// What a function makes of each value and the one before it.
public struct Delta<Input, Output>: Operator {
    @usableFromInline let difference: (_ previous: Input, _ value: Input) -> Output
    @usableFromInline var previous: Input?

    /// - Parameter difference: is given the value before and the new one.
    @inlinable
    public init(_ difference: @escaping (_ previous: Input, _ value: Input) -> Output) {
        self.difference = difference
    }

    @inlinable public var name: String { "Delta" }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        guard let before = exchange(&previous, with: value) else { return nil }
        return .value(difference(before, value))
    }

    public func save(to writer: inout StateWriter) {
        writer.write(previous) { $0.write(value: $1) }
    }

    public mutating func restore(from reader: inout StateReader) throws {
        previous = try reader.optional { try $0.value() }
    }
}

extension Node where Value: AdditiveArithmetic {
    /// The difference of each value to the one before it; the first value has none.
    ///
    /// Example: 1, 4, 2 emits 3, -2. Starts anew when the edge's `from` changes.
    @inlinable
    public func delta() -> Node<Value> {
        apply(Delta { $1 - $0 })
    }
}
