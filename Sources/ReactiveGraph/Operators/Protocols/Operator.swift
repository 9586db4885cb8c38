/// What an edge does with the values of its source (G-69): a value whose stored properties are its
/// whole state.
///
/// ```swift
/// struct Evens: Operator {
///     let name = "Evens"
///     mutating func receive(_ value: Int, at site: Site) -> Emission<Int>? {
///         value.isMultiple(of: 2) ? .value(value) : nil
///     }
/// }
/// ```
/// `numbers.apply(Evens())` is then a node with the even numbers.
///
/// An edge begins with a copy of the operator it was made from, and goes back to that copy when its
/// `from` is set to a different node (G-70, G-72). So no operator needs a reset.
///
/// While ``receive(_:at:)`` runs, the operator is taken out of its edge. Functions of the caller
/// that it calls may aim, cut or feed this very edge: a nested call works on a fresh copy.
public protocol Operator<Input, Output> {
    /// The values of the source.
    associatedtype Input
    /// The values of the new node.
    associatedtype Output

    /// The name of the edge in descriptions (G-15).
    var name: String { get }

    /// Whether it receives the emptiness of a source that is empty when the edge is connected.
    var hearsEmptyAtConnection: Bool { get }

    /// Whether its work is done: the edge ends with the present emission, and releases its source.
    var isFinished: Bool { get }

    /// Handles a value.
    ///
    /// - Parameters:
    ///   - value: what the source holds now.
    ///   - site: where the operator runs; valid during the call.
    /// - Returns: what the new node emits; `nil`: it keeps what it holds.
    mutating func receive(_ value: Input, at site: Site) -> Emission<Output>?

    /// The source became empty.
    ///
    /// - Parameters:
    ///   - travels: whether emptiness travels along this edge (G-145).
    ///   - site: where the operator runs.
    /// - Returns: what the new node emits. By default it becomes empty where emptiness travels
    ///   (G-11).
    mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Output>?

    /// Writes the state; operators without state write nothing (G-164).
    func save(to writer: inout StateWriter)

    /// Reads what ``save(to:)`` has written; called on a fresh copy.
    ///
    /// - Throws: ``StateError`` if the bytes were not written by ``save(to:)``.
    mutating func restore(from reader: inout StateReader) throws
}

extension Operator {
    @inlinable public var hearsEmptyAtConnection: Bool { false }
    @inlinable public var isFinished: Bool { false }

    @inlinable
    public mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Output>? {
        travels ? .empty : nil
    }

    @inlinable public func save(to writer: inout StateWriter) {}
    @inlinable public mutating func restore(from reader: inout StateReader) throws {}
}

/// An operator without state: nothing is saved, and its edge needs no place to keep it.
public protocol StatelessOperator<Input, Output>: Operator {
    /// Handles a value.
    func receive(_ value: Input, at site: Site) -> Emission<Output>?
}

/// Where an operator runs: what it may ask of the edge it belongs to.
///
/// Valid during the call that hands it over.
public struct Site {
    @usableFromInline let edge: EdgeRef
    @usableFromInline let timing: Ref<Timing>?
    /// The new node counts as empty: its value is about to be computed again.
    @usableFromInline let isFresh: Bool

    @inlinable
    init(_ edge: Edge, timing: Ref<Timing>? = nil, isFresh: Bool = false) {
        self.edge = .to(edge)
        self.timing = timing
        self.isFresh = isFresh
    }

    /// What the new node holds now, also when a link or a set put it there; `nil` once it is gone,
    /// or if it holds other values.
    @inlinable
    public func held<Value>(as type: Value.Type) -> Emission<Value>? {
        guard !isFresh, let target = edge.target else { return nil }
        return target.with { node in
            guard node.valueType == Value.self else { return nil }
            return unsafe unsafeDowncast(node, to: Core<Value>.self).stored
        }
    }

    /// The context of the present emission (G-45).
    public var context: Context? {
        edge.source?.with { $0.engine.currentContext }
    }

    /// Calls a function that may throw; what it throws goes to the graph's ``Graph/onError`` too
    /// (G-99).
    ///
    /// - Parameters:
    ///   - operation: the operator's name in the report.
    ///   - file: the file of the call, for errors that nothing receives (G-99).
    ///   - line: the line of the call.
    ///   - function: is called once.
    /// - Returns: what the function returned or threw.
    @inlinable
    public func attempt<Out>(
        _ operation: String,
        file: String = #fileID,
        line: Int = #line,
        _ function: () throws -> Out
    ) -> Result<Out, any Error> {
        edge.with { $0.attempt(operation, at: CallPlace(file: file, line: line), function) }
    }
}

extension Node {
    /// A new node that emits what an operator makes of this node's emissions (G-69).
    @inlinable
    public func apply<O: Operator>(_ operation: O) -> Node<O.Output> where O.Input == Value {
        operation.isFinished ? graph.node(of: O.Output.self) : derive(OperatorState(operation).makeEdge())
    }

    /// A new node that emits what an operator without state makes of this node's emissions (G-69).
    @inlinable
    public func apply<O: StatelessOperator>(_ operation: O) -> Node<O.Output> where O.Input == Value {
        derive(Edge.stateless(operation))
    }

    /// A new node that follows this one through a fresh edge, replayed (G-69).
    @inlinable
    func derive<Out>(_ edge: Edge) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        graph.derive(target, from: self, edge)
        return target
    }

    /// Makes this node follow `upstream` as well, through an operator.
    ///
    /// - Parameters:
    ///   - upstream: the node to follow; linking a node to itself does nothing.
    ///   - operation: what happens on the way.
    ///   - replay: whether it receives the upstream's present emission now (G-149).
    /// - Returns: ends the link when cancelled; `nil` if nothing was linked.
    @inlinable
    @discardableResult
    public func link<O: Operator>(
        to upstream: Node<O.Input>,
        through operation: O,
        replay: Bool = true
    ) -> CancelToken? where O.Output == Value {
        graph.link(
            self,
            to: upstream,
            replay: replay,
            OperatorState(operation).makeEdge()
        )
    }
}

extension Node {
    /// Ties an edge with an operator between `upstream` and this node, which exists already,
    /// without a replay.
    ///
    /// - Returns: what the operator makes of the upstream's present emission, with this node taken
    ///   as empty; the caller sees to it that this node emits it.
    @inlinable
    package func connect<O: Operator>(to upstream: Node<O.Input>, through operation: O) -> Emission<Value>
    where O.Output == Value {
        let state = OperatorState(operation)
        return connect(to: upstream, state.makeEdge()) { state.step($0, Site($0, isFresh: true)).result }
    }

    /// The same for a timed operator, by the clock of `timers`.
    @inlinable
    package func connect<O: TimedOperator>(
        to upstream: Node<O.Input>,
        through operation: O,
        on timers: TimerQueue
    ) -> Emission<Value> where O.Output == Value {
        let state = TimedState(operation, timers)
        return connect(to: upstream, state.makeTimedEdge()) { state.begin($0) }
    }

    @inlinable
    func connect<In>(
        to upstream: Node<In>,
        _ edge: Edge,
        _ begin: (Edge) -> Emission<Value>?
    ) -> Emission<Value> {
        guard graph.link(self, to: upstream, replay: false, edge) != nil else {
            return .empty
        }
        guard !upstream.stored.isEmpty || edge.traits.contains(.receivesEmpty) else { return .empty }
        return begin(edge) ?? .empty
    }
}

extension Edge {
    /// The edge of an operator without state: its body holds the operator.
    @inlinable
    static func stateless<O: StatelessOperator>(_ operation: O) -> Edge {
        Edge(operation.name, operation.hearsEmptyAtConnection ? .receivesEmpty : []) { edge in
            guard case .value(let value) = edge.input(O.Input.self) else {
                return edge.becameEmpty(operation)
            }
            switch operation.receive(value, at: Site(edge)) {
            case .value(let value)?: return edge.store(value)
            case .empty?: return edge.store(emission: Emission<O.Output>.empty)
            case nil: return .nothing
            }
        }
    }
}

extension Edge {
    /// What an operator without state makes of emptiness: out of the way of values.
    @inlinable
    @inline(never)
    func becameEmpty<O: StatelessOperator>(_ operation: O) -> Outcome {
        var copy = operation
        let travels = traits.contains(.propagatesEmpty)
        guard let result = copy.receiveEmpty(travels: travels, at: Site(self)) else { return .nothing }
        return store(emission: result)
    }
}

/// The operator of one edge.
@usableFromInline
class OperatorState<O: Operator>: EdgeState {
    /// What the edge began with.
    @usableFromInline final let initial: O
    /// The operator; taken out while it runs.
    @usableFromInline final var current: O?
    /// Grows when the state begins again: the state of a call that is still running is then
    /// dropped.
    @usableFromInline final var generation = 0

    @usableFromInline
    init(_ operation: O) {
        initial = operation
        current = operation
    }

    @inlinable
    final func makeEdge() -> Edge {
        let edge = Edge(initial.name, initial.hearsEmptyAtConnection ? .receivesEmpty : []) { edge in
            self.receive(edge, timing: nil)
        }
        edge.needSide().state = self
        return edge
    }

    /// Takes the operator out; a nested call gets a fresh one.
    @inlinable
    @inline(__always)
    final func take() -> O {
        exchange(&current, with: nil) ?? initial
    }

    /// Puts the operator back, unless the state has begun again in the meantime.
    @inlinable
    @inline(__always)
    final func put(_ operation: consuming O, _ begun: Int) {
        if generation == begun { destroy(exchange(&current, with: operation)) }
    }

    /// Hands the operator what the source holds.
    @inlinable
    @inline(__always)
    final func step(_ edge: Edge, _ site: Site) -> (result: Emission<O.Output>?, isFinished: Bool) {
        let begun = generation
        var operation = take()
        let result: Emission<O.Output>?
        if case .value(let value) = edge.input(O.Input.self) {
            result = operation.receive(value, at: site)
        } else {
            result = operation.receiveEmpty(travels: edge.traits.contains(.propagatesEmpty), at: site)
        }
        let isFinished = operation.isFinished
        put(operation, begun)
        return (result, isFinished)
    }

    @inlinable
    final func receive(_ edge: Edge, timing: Ref<Timing>?) -> Outcome {
        let (result, isFinished) = step(edge, Site(edge, timing: timing))
        guard let result else { return isFinished ? .dead : .nothing }
        let outcome = edge.store(emission: result)
        guard isFinished else { return outcome }
        return outcome == .enter ? .enterAndEnd : .dead
    }

    @usableFromInline
    override func reset() -> AnyObject? {
        generation += 1
        return Remains(exchange(&current, with: initial))
    }

    @usableFromInline
    override func save(to writer: inout StateWriter, of edge: Edge) {
        (current ?? initial).save(to: &writer)
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        var operation = initial
        try operation.restore(from: &reader)
        generation += 1
        destroy(exchange(&current, with: operation))
    }
}
