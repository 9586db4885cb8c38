/// The running value: a start reduced with each value (G-72).
public struct Scan<Input, Output>: Operator {
    @usableFromInline let reduce: (Output, Input, Int) -> Output?
    @usableFromInline var running: Output
    @usableFromInline var index = 0

    /// - Parameters:
    ///   - start: the first running value; it is not emitted.
    ///   - reduce: makes the next running value of the present one, the value and its index from 0;
    ///     `nil`: the value
    ///     counts as not there.
    @inlinable
    public init(_ start: Output, _ reduce: @escaping (Output, Input, Int) -> Output?) {
        running = start
        self.reduce = reduce
    }

    @inlinable public var name: String { "Scan" }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        guard let next = reduce(running, value, index) else { return nil }
        running = next
        index += 1
        return .value(next)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(index)
        writer.write(value: running)
    }

    public mutating func restore(from reader: inout StateReader) throws {
        index = try reader.integer(in: 0...(.max >> 1))
        running = try reader.value()
    }
}

extension Node {
    /// The running value: `start` reduced with each value (G-72).
    ///
    /// `start` itself is not emitted.
    ///
    /// Example: 1, 2, 3 with `scan(0, +)` emits 1, 3, 6. Starts anew when the edge's `from`
    /// changes.
    @inlinable
    public func scan<Out>(_ start: Out, _ reduce: @escaping (Out, Value) -> Out) -> Node<Out> {
        apply(Scan(start) { running, value, _ in .some(reduce(running, value)) })
    }

    /// The running value; `reduce` receives the index of the value too, counted from 0.
    @inlinable
    public func scan<Out>(_ start: Out, _ reduce: @escaping (Out, Value, Int) -> Out) -> Node<Out> {
        apply(Scan(start) { running, value, index in .some(reduce(running, value, index)) })
    }
}
