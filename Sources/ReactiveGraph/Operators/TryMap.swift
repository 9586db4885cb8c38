/// What a function that may throw makes of each value (G-99).
public struct TryMap<Input, Output>: StatelessOperator {
    @usableFromInline let operation: String
    @usableFromInline let transform: (Input) throws -> Output?
    public let name: String

    /// - Parameters:
    ///   - name: the name of the edge.
    ///   - operation: the operator's name in reports to ``Graph/onError``.
    ///   - transform: what it throws is reported, and nothing is emitted; nor is `nil`.
    @inlinable
    public init(name: String, operation: String, _ transform: @escaping (Input) throws -> Output?) {
        self.name = name
        self.operation = operation
        self.transform = transform
    }

    @inlinable
    public func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        guard case .success(let out?) = site.attempt(operation, { try transform(value) }) else { return nil }
        return .value(out)
    }
}

/// What a function makes of each value, or what it threw, as a value (G-99).
public struct MapResult<Input, Output>: StatelessOperator {
    @usableFromInline let transform: (Input) throws -> Output

    /// - Parameter transform: what it throws is emitted, and reported to ``Graph/onError``.
    @inlinable
    public init(_ transform: @escaping (Input) throws -> Output) {
        self.transform = transform
    }

    @inlinable public var name: String { "Map" }

    @inlinable
    public func receive(_ value: Input, at site: Site) -> Emission<Result<Output, any Error>>? {
        .value(site.attempt("mapResult") { try transform(value) })
    }
}

extension Node {
    /// The transform of each value by a function that may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; nothing is emitted, and other branches
    /// are served.
    @inlinable
    public func tryMap<Out>(_ transform: @escaping (Value) throws -> Out) -> Node<Out> {
        apply(TryMap(name: "Map", operation: "tryMap") { .some(try transform($0)) })
    }

    /// The transform of each value, or what the function threw, as a value (G-99).
    ///
    /// The error goes to the graph's ``Graph/onError`` as well.
    @inlinable
    public func mapResult<Out>(
        _ transform: @escaping (Value) throws -> Out
    ) -> Node<Result<Out, any Error>> {
        apply(MapResult(transform))
    }
}

extension Edge {
    /// Calls the function of an operator; what it throws is reported to the graph too.
    @inlinable
    func attempt<Out>(_ operation: String, _ function: () throws -> Out) -> Result<Out, any Error> {
        // Looked at first, because the function may cut this edge.
        guard let node = target else { return Result(catching: function) }
        let id = node.id
        let graph = node.with { Ref.to($0.graph) }
        do {
            return .success(try function())
        } catch {
            graph.with { report(error, of: operation, node: id, to: $0) }
            return .failure(error)
        }
    }

    @usableFromInline
    func report(_ error: any Error, of operation: String, node id: UInt64, to graph: Graph) {
        let name = target?.object.name
        graph.onError?(.function(node: id, name: name, operation: operation, error: error))
    }
}
