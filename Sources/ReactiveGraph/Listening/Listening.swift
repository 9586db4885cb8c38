/// What can be listened to: a node, or a writable view of one (G-57 … G-67, G-95, G-149).
///
/// There are two forms of `listen`: `listen` receives values, `listenEmissions` also emptiness, and
/// what comes along. Both take a bag or an owner, and an executor if the calls are to come later.
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
    /// capture it weakly, or use ``listen(owner:replay:file:line:_:)``.
    @inlinable
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value) -> Void
    ) -> CancelToken {
        node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), .listening(body))
    }

    /// Calls `body` with the owner and each value, for as long as `owner` lives.
    ///
    /// The owner is passed in, so nothing need be captured (G-62). A ``ListenerOwner`` ends its
    /// listens when it dies; the death of any other object is noticed at the next delivery on this
    /// node, at a look at ``AnyNode/hasListener`` or at ``Graph/collect()``, whichever is first,
    /// and nothing is delivered on its behalf in between (G-67). A graph listened to in this way
    /// lives until one of these has noticed.
    @inlinable
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value) -> Void
    ) -> CancelToken {
        node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: (file, line),
            .listening(owner) { owner, edge in
                if case .value(let value) = edge.input(Value.self) { body(owner, value) }
                return true
            }
        )
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
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            .listening(paths: paths, body)
        )
    }

    /// As ``listenEmissions(in:replay:paths:file:line:_:)``, with the owner, for as long as it
    /// lives (see ``listen(owner:replay:file:line:_:)``).
    @inlinable
    @discardableResult
    public func listenEmissions<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: (file, line),
            .listening(owner, .emissions(paths: paths)) { owner, edge in
                body(owner, edge.input(Value.self), Delivery(of: edge))
                return true
            }
        )
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
    static func listening<Value>(_ body: @escaping (Value) -> Void) -> Edge {
        Edge("Listen", .listener) { edge in
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
        paths: Bool,
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> Edge {
        Edge("Listen", .emissions(paths: paths)) { edge in
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
