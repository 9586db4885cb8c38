/// What can be listened to: a node, or a writable view of one (G-57 … G-67, G-95, G-149).
///
/// There are two forms of `listen`: `listen` receives values, `listenEmissions` also emptiness, and
/// what comes along. Both take a bag or an owner, and an executor if the calls are to come later,
/// on the graph's own thread or on another one.
/// They have names of their own because a closure of two parameters on a node of pairs would
/// otherwise be taken for value and delivery. Each returns a token; dropping it does not end the
/// listen. `file` and `line` say where the closure stands (G-163).
public protocol Listenable<Value> {
    /// The type of the values.
    associatedtype Value
    /// The node whose emissions listeners receive.
    var node: Node<Value> { get }
}

extension Node: Listenable {
    /// This node itself.
    @inlinable public final var node: Node<Value> { self }
}

extension WritableNode: Listenable {}

extension Listenable {
    /// Calls `body` with the current value, if there is one and `replay` is true, and with every
    /// later value.
    ///
    /// The cheapest form. The listen lasts until it is cancelled or `bag` dies, and keeps this node
    /// alive that long. A closure that captures the owner of the bag strongly makes a ring (G-62):
    /// capture it weakly, or use the form with an owner.
    ///
    /// - Parameters:
    ///   - bag: whose life ends the listen.
    ///   - executor: the graph's own loop, or another queue of the same thread: each value, that of
    ///     the replay too, is posted there, and `body` runs when its turn comes. Values arrive in
    ///     order, and none is left out; one that is on its way keeps nothing alive, and is dropped
    ///     when the listen ends. How many may be on their way is not bounded: where the executor
    ///     may fall behind, listen to a ``Node/deliver(on:buffer:control:)``.
    ///   - replay: whether the current value is delivered, too.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: receives the value.
    /// - Returns: ends the listen.
    @inlinable
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: (any LoopExecutor)? = nil,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value) -> Void
    ) -> CancelToken {
        node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), .listening(on: executor, body))
    }

    /// Calls `body` with the owner and each value, for as long as `owner` lives.
    ///
    /// The owner is passed in, so nothing need be captured (G-62). A ``ListenerOwner`` ends its
    /// listens when it dies; the death of any other object is noticed at the next delivery on this
    /// node, at a look at ``AnyNode/hasListener`` or at ``Graph/collect()``, whichever is first,
    /// and nothing is delivered on its behalf in between (G-67). A graph listened to in this way
    /// lives until one of these has noticed. An `executor` postpones the calls as in the form with
    /// a bag.
    @inlinable
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        on executor: (any LoopExecutor)? = nil,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value) -> Void
    ) -> CancelToken {
        let edge =
            if let executor {
                PostedListen<Value>.edge(to: executor, .listener, owner) { owner, emission, _ in
                    if let value = emission.value { body(owner, value) }
                }
            } else {
                Edge.listening(owner) { owner, edge in
                    if case .value(let value) = edge.input(Value.self) { body(owner, value) }
                    return true
                }
            }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }

    /// Calls `body` with the current value, if there is one and `replay` is true, and with every
    /// later value, until it returns false.
    ///
    /// The form for a listener that ends itself: it may do so with its very first value, that of
    /// the replay, when the token has not been returned yet.
    @inlinable
    @discardableResult
    public func listenWhile(
        in bag: CancellableBag,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value) -> Bool
    ) -> CancelToken {
        node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), .listening(while: body))
    }

    /// As ``listenWhile(in:replay:file:line:_:)``, with the owner, and no longer than it lives.
    @inlinable
    @discardableResult
    public func listenWhile<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value) -> Bool
    ) -> CancelToken {
        node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: (file, line),
            .listening(owner) { owner, edge in
                guard case .value(let value) = edge.input(Value.self) else { return true }
                return body(owner, value)
            }
        )
    }

    /// Calls `body` with every emission, empties included, and with the present one, whatever it
    /// is, if `replay` is true.
    ///
    /// - Parameters:
    ///   - bag: whose life ends the listen.
    ///   - executor: where the calls are posted, as in `listen`; nil: each is made at once.
    ///   - replay: whether the present emission is delivered at once.
    ///   - paths: whether ``Delivery/path`` is asked for: the graph then keeps the paths of queued
    ///     and settled emissions.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: receives the emission, and its context and path.
    /// - Returns: ends the listen.
    @inlinable
    @discardableResult
    public func listenEmissions(
        in bag: CancellableBag,
        on executor: (any LoopExecutor)? = nil,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let edge = Edge.listening(on: executor, paths: paths, body)
        return node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), edge)
    }

    /// As the form with a bag, with the owner, for as long as it lives.
    @inlinable
    @discardableResult
    public func listenEmissions<Owner: AnyObject>(
        owner: Owner,
        on executor: (any LoopExecutor)? = nil,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let traits = EdgeTraits.emissions(paths: paths)
        let edge =
            if let executor {
                PostedListen.edge(to: executor, traits, owner, body)
            } else {
                Edge.listening(owner, traits) { owner, edge in
                    body(owner, edge.input(Value.self), Delivery(of: edge))
                    return true
                }
            }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }
}

extension Graph {
    /// Ties a fresh listen edge to its node and its bag, and replays.
    @usableFromInline
    func listen(
        to node: AnyNode,
        in bag: CancellableBag,
        replay wanted: Bool,
        at place: (file: String, line: Int)?,
        _ edge: Edge
    ) -> CancelToken {
        checkThread("listen")
        if let place { edge.attached(atFile: place.file, line: place.line) }
        let cancellable = CancelToken(edge: edge)
        edge.attach(from: node)
        bag.insert(edge)
        edge.complete(in: self)
        if wanted { engine.replay(edge) }
        return cancellable
    }

    /// Ties a fresh listen edge, which watches its owner by a weak reference, to the bag of the
    /// owner, if it has one.
    @usableFromInline
    func listen(
        to node: AnyNode,
        owner: AnyObject,
        replay wanted: Bool,
        at place: (file: String, line: Int)?,
        _ edge: Edge
    ) -> CancelToken {
        if let owner = owner as? any ListenerOwner {
            let bag = owner.listenBag
            bag.contents.ownerType = type(of: owner)
            return listen(to: node, in: bag, replay: wanted, at: place, edge)
        }
        edge.needSide().owner = owner
        edge.traits.insert(.foreign)
        owners.begin(in: self)
        return listen(to: node, in: owners.listens, replay: wanted, at: place, edge)
    }
}

// Not written inside `Listenable`, because a closure there would also pass the type of what is
// listened to, on every delivery.
extension Edge {
    /// A listen edge that calls `body` with every value.
    @inlinable
    static func listening<Value>(on executor: (any LoopExecutor)?, _ body: @escaping (Value) -> Void) -> Edge
    {
        if let executor {
            return PostedListen<Value>.edge(to: executor, .listener) { emission, _ in
                if case .value(let value) = emission { body(value) }
            }
        }
        return Edge("Listen", .listener) { edge in
            if case .value(let value) = edge.input(Value.self) { body(value) }
            return .nothing
        }
    }

    /// A listen edge that calls `body` with every value until it returns false.
    @inlinable
    static func listening<Value>(while body: @escaping (Value) -> Bool) -> Edge {
        Edge("Listen", .listener) { edge in
            guard case .value(let value) = edge.input(Value.self) else { return .nothing }
            return body(value) ? .nothing : .dead
        }
    }

    /// A listen edge that calls `body` with every emission.
    @inlinable
    static func listening<Value>(
        on executor: (any LoopExecutor)?,
        paths: Bool,
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> Edge {
        let traits = EdgeTraits.emissions(paths: paths)
        if let executor { return PostedListen.edge(to: executor, traits, body) }
        return Edge("Listen", traits) { edge in
            body(edge.input(Value.self), Delivery(of: edge))
            return .nothing
        }
    }

    /// A listen edge that calls `body` until it returns false, or until `owner` is gone.
    @inlinable
    static func listening<Owner: AnyObject>(
        _ owner: Owner,
        _ traits: EdgeTraits = .listener,
        while body: @escaping (Owner, Edge) -> Bool
    ) -> Edge {
        Edge("Listen", traits) { [weak owner] edge in
            // Also where a value listener is passed over: the death of the owner is noticed here.
            guard let owner else { return .dead }
            return body(owner, edge) ? .nothing : .dead
        }
    }
}
