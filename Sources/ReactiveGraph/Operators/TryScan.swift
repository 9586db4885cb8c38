/// The running value, by a function that may throw (G-72, G-99).
public struct TryScan<Input, Output>: Operator {
    @usableFromInline let reduce: (Output, Input) throws -> Output
    @usableFromInline var running: Output

    /// - Parameters:
    ///   - start: the first running value; it is not emitted.
    ///   - reduce: what it throws is reported to ``Graph/onError``, and the running value stays.
    @inlinable
    public init(_ start: Output, _ reduce: @escaping (Output, Input) throws -> Output) {
        running = start
        self.reduce = reduce
    }

    @inlinable public var name: String { "Scan" }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        let (present, reduce) = (running, reduce)
        guard case .success(let next) = site.attempt("tryScan", { try reduce(present, value) }) else {
            return nil
        }
        running = next
        return .value(next)
    }

    public func save(to writer: inout StateWriter) {
        writer.write(value: running)
    }

    public mutating func restore(from reader: inout StateReader) throws {
        running = try reader.value()
    }
}

extension Node {
    /// The running value, by a function that may throw (G-72, G-99).
    ///
    /// A value for which it throws counts as not there: the running value stays, nothing is
    /// emitted, and the error goes to the graph's ``Graph/onError``.
    @inlinable
    public func tryScan<Out>(_ start: Out, _ reduce: @escaping (Out, Value) throws -> Out) -> Node<Out> {
        apply(TryScan(start, reduce))
    }
}
