/// What can be listened to: a node, or a writable view of one (G-57 … G-67, G-95, G-149).
///
/// Every form of `listen` returns a token; dropping it does not end the listen. Each form with more
/// than the value has a name of its own: with one name for all, a closure of two parameters on a
/// node of pairs would be taken for value and context. `file` and `line` say where the closure
/// stands (G-163).
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
        node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            .listening(body)
        )
    }

    /// As ``listen(in:replay:file:line:_:)``, with the context of each emission.
    @inlinable
    @discardableResult
    public func listenWithContext(
        in bag: CancellableBag,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value, Context?) -> Void
    ) -> CancelToken {
        let engine = node.engine
        return node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            Edge("Listen", .listener) { edge in
                if case .value(let value) = edge.input(Value.self) {
                    body(value, engine.currentContext)
                }
                return .nothing
            }
        )
    }

    /// As ``listen(in:replay:file:line:_:)``, with the path and the context of each emission.
    ///
    /// Asking for paths makes the graph keep them for queued and settled emissions.
    @inlinable
    @discardableResult
    public func listenWithPath(
        in bag: CancellableBag,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        let engine = node.engine
        return node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            Edge("Listen", [.listener, .wantsPath]) { edge in
                if case .value(let value) = edge.input(Value.self) {
                    body(value, engine.currentPath(), engine.currentContext)
                }
                return .nothing
            }
        )
    }

    /// Calls `body` with every emission, empties included, and with the present one, whatever it
    /// is, if `replay` is true.
    @inlinable
    @discardableResult
    public func listenEmissions(
        in bag: CancellableBag,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Emission<Value>, Context?) -> Void
    ) -> CancelToken {
        let engine = node.engine
        return node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            Edge("Listen", [.listener, .receivesEmpty]) { edge in
                body(edge.input(Value.self), engine.currentContext)
                return .nothing
            }
        )
    }

    /// Calls `body` at every emission with whether it is empty; a listener that wants the value
    /// reads the node.
    ///
    /// For listeners that only note that there is something new. Nothing is replayed. Handing over
    /// no value touches no reference count: in a fan-out to thousands that is a third of what a
    /// listener costs.
    @inlinable
    @discardableResult
    public func listenChanges(
        in bag: CancellableBag,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (_ isEmpty: Bool) -> Void
    ) -> CancelToken {
        node.graph.listen(
            to: node,
            in: bag,
            replay: false,
            at: (file, line),
            Edge("Listen", [.listener, .receivesEmpty]) { edge in
                body(edge.source(as: Value.self)._withUnsafeGuaranteedRef { $0.stored.isEmpty })
                return .nothing
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
        node.graph.listen(
            to: node,
            in: bag,
            replay: replay,
            at: (file, line),
            Edge("Listen", .listener) { edge in
                guard case .value(let value) = edge.input(Value.self) else { return .nothing }
                return body(value) ? .nothing : .dead
            }
        )
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
        // Written out: through the function that the other forms share, each delivery would be one
        // call more.
        let held = Unmanaged.passUnretained(owner)
        return node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: (file, line),
            owned: Edge("Listen", .listener) { edge in
                guard case .value(let value) = edge.input(Value.self) else { return .nothing }
                // Retained during the call: the owner may release itself.
                body(held.takeUnretainedValue(), value)
                return .nothing
            },
            foreign: {
                weak let watched = owner
                return Edge("Listen", .listener) { edge in
                    guard let owner = watched else { return .dead }
                    guard case .value(let value) = edge.input(Value.self) else { return .nothing }
                    body(owner, value)
                    return .nothing
                }
            }
        )
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
        listen(for: owner, replay, (file, line), .listener, while: body)
    }

    /// As ``listen(owner:replay:file:line:_:)``, with the context of each emission.
    @inlinable
    @discardableResult
    public func listenWithContext<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        let engine = node.engine
        return listen(owner: owner, replay: replay, file: file, line: line) { (owner: Owner, value: Value) in
            body(owner, value, engine.currentContext)
        }
    }

    /// As ``listen(owner:replay:file:line:_:)``, with the path and the context of each emission.
    ///
    /// Asking for paths makes the graph keep them for queued and settled emissions.
    @inlinable
    @discardableResult
    public func listenWithPath<Owner: AnyObject>(
        owner: Owner,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        let engine = node.engine
        return listen(for: owner, replay, (file, line), [.listener, .wantsPath]) {
            body($0, $1, engine.currentPath(), engine.currentContext)
            return true
        }
    }

    /// Calls `body` with each value until it returns false, and no longer than `owner` lives.
    @inlinable
    func listen<Owner: AnyObject>(
        for owner: Owner,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        _ traits: EdgeTraits,
        while body: @escaping (Owner, Value) -> Bool
    ) -> CancelToken {
        let held = Unmanaged.passUnretained(owner)
        return node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: place,
            owned: Edge("Listen", traits) { edge in
                guard case .value(let value) = edge.input(Value.self) else { return .nothing }
                // Retained during the call: the owner may release itself.
                return body(held.takeUnretainedValue(), value) ? .nothing : .dead
            },
            foreign: {
                weak let watched = owner
                return Edge("Listen", traits) { edge in
                    guard let owner = watched else { return .dead }
                    guard case .value(let value) = edge.input(Value.self) else { return .nothing }
                    return body(owner, value) ? .nothing : .dead
                }
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

    /// Ties a fresh listen edge to the bag of its owner, or watches the owner by a weak reference.
    @usableFromInline
    func listen(
        to node: AnyNode,
        owner: AnyObject,
        replay wanted: Bool,
        at place: (file: String, line: Int)?,
        owned: @autoclosure () -> Edge,
        foreign makeForeign: () -> Edge
    ) -> CancelToken {
        if let owner = owner as? any ListenerOwner {
            let bag = owner.listenBag
            bag.contents.ownerType = type(of: owner)
            // Where the owner may be freed on another thread, a delivery may find it gone.
            let edge = ownHandle == nil ? owned() : makeForeign()
            return listen(to: node, in: bag, replay: wanted, at: place, edge)
        }
        let edge = makeForeign()
        edge.needSide().owner = owner
        edge.traits.insert(.foreign)
        owners.begin(in: self)
        return listen(to: node, in: owners.listens, replay: wanted, at: place, edge)
    }
}

extension Edge {
    /// A listen edge that calls `body` with every value.
    ///
    /// Not written inside ``Listenable``, because a closure there would also pass the type of what
    /// is listened to, on every delivery.
    @inlinable
    static func listening<Value>(_ body: @escaping (Value) -> Void) -> Edge {
        Edge("Listen", .listener) { edge in
            if case .value(let value) = edge.input(Value.self) { body(value) }
            return .nothing
        }
    }
}
