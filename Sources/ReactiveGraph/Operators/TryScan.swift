/// The running value, by a function that may throw (G-72, G-99).
public struct TryScan<Input, Output>: Operator {
    @usableFromInline let reduce: (Output, Input) throws -> Output
    @usableFromInline let place: CallPlace
    @usableFromInline var running: Output

    /// - Parameters:
    ///   - start: the first running value; it is not emitted.
    ///   - file: the file of the call, for errors that nothing receives (G-99).
    ///   - line: the line of the call.
    ///   - reduce: what it throws is reported to ``Graph/onError``, and the running value stays.
    @inlinable
    public init(
        _ start: Output,
        file: String = #fileID,
        line: Int = #line,
        _ reduce: @escaping (Output, Input) throws -> Output
    ) {
        running = start
        self.reduce = reduce
        place = CallPlace(file: file, line: line)
    }

    @inlinable public var name: String { "Scan" }

    @inlinable
    public mutating func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        let (present, reduce) = (running, reduce)
        let result = site.edge.with { $0.attempt("tryScan", at: place) { try reduce(present, value) } }
        guard case .success(let next) = result else { return nil }
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
    /// emitted, and the error goes to the graph's ``Graph/onError``. Without that, debug builds
    /// print the first error, with `file` and `line`.
    @inlinable
    public func tryScan<Out>(
        _ start: Out,
        file: String = #fileID,
        line: Int = #line,
        _ reduce: @escaping (Out, Value) throws -> Out
    ) -> Node<Out> {
        apply(TryScan(start, file: file, line: line, reduce))
    }
}
