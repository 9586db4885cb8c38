/// What a function that may throw makes of each value (G-99).
public struct TryMap<Input, Output>: StatelessOperator {
    @usableFromInline let operation: String
    @usableFromInline let transform: (Input) throws -> Output?
    @usableFromInline let place: CallPlace
    public let name: String

    /// - Parameters:
    ///   - name: the name of the edge.
    ///   - operation: the operator's name in reports to ``Graph/onError``.
    ///   - file: the file of the call, for errors that nothing receives (G-99).
    ///   - line: the line of the call.
    ///   - transform: what it throws is reported, and nothing is emitted; nor is `nil`.
    @inlinable
    public init(
        name: String,
        operation: String,
        file: String = #fileID,
        line: Int = #line,
        _ transform: @escaping (Input) throws -> Output?
    ) {
        self.name = name
        self.operation = operation
        self.transform = transform
        place = CallPlace(file: file, line: line)
    }

    @inlinable
    public func receive(_ value: Input, at site: Site) -> Emission<Output>? {
        let result = site.edge.with { $0.attempt(operation, at: place) { try transform(value) } }
        guard case .success(let out?) = result else { return nil }
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
        .value(site.edge.with { $0.attempt("mapResult", passesOn: true) { try transform(value) } })
    }
}

extension Node {
    /// The transform of each value by a function that may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; nothing is emitted, and other branches
    /// are served. Without `onError`, debug builds print the first error, with `file` and `line`.
    @inlinable
    public func tryMap<Out>(
        file: String = #fileID,
        line: Int = #line,
        _ transform: @escaping (Value) throws -> Out
    ) -> Node<Out> {
        apply(
            TryMap(name: "Map", operation: "tryMap", file: file, line: line) { .some(try transform($0)) }
        )
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
    ///
    /// An operator that `passesOn` what was thrown emits it: nothing is lost without
    /// ``Graph/onError``.
    @inlinable
    func attempt<Out>(
        _ operation: String,
        at place: CallPlace? = nil,
        passesOn: Bool = false,
        _ function: () throws -> Out
    ) -> Result<Out, any Error> {
        // Looked at first, because the function may cut this edge.
        guard let node = target else { return Result(catching: function) }
        let id = node.id
        let graph = node.with { Ref.to($0.graph) }
        do {
            return .success(try function())
        } catch {
            graph.with { graph in
                if passesOn, graph.onError == nil { return }
                report(error, of: operation, at: place, node: id, to: graph)
            }
            return .failure(error)
        }
    }

    @usableFromInline
    func report(
        _ error: any Error,
        of operation: String,
        at place: CallPlace?,
        node id: UInt64,
        to graph: Graph
    ) {
        let name = target?.object.name
        graph.engine.report(.function(node: id, name: name, operation: operation, error: error), at: place)
    }
}
