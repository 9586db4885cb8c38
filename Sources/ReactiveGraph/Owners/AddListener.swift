// Adding event listeners (G-114 … G-124). They stand among the node's other listeners, in order of addition.
extension Node {
    /// Tells `listener` every event of this node until it dies; returns the node.
    ///
    /// The listener owns itself: the node holds it weakly (G-115). Adding it a second time adds nothing but the
    /// owner (G-118).
    @inlinable
    @discardableResult
    public func addListener<Listener: NodeListener & AnyObject>(_ listener: Listener) -> Self {
        addListener(listener, owner: listener)
    }

    /// Tells `listener` every event of this node, for as long as one of its owners lives; returns the node.
    ///
    /// The node holds the listener while `owner` lives, and the owner weakly (G-116). Adding a listener a second
    /// time adds nothing but the owner (G-118).
    ///
    /// The death of an owner that is a ``ListenerOwner`` is noticed at once, that of any other object as in
    /// ``listen(owner:replay:_:)-(_,_,(Owner,Value)->Void)``.
    @inlinable
    @discardableResult
    public func addListener<Listener: NodeListener & AnyObject>(
        _ listener: Listener,
        owner: AnyObject
    ) -> Self {
        add(listener, isObject: true, identity: nil, owner: owner) { object, node, event in
            unsafeDowncast(object, to: Listener.self).node(node, event: event)
        }
        return self
    }

    /// Tells a listener that is a value every event of this node, for as long as one of its owners lives.
    ///
    /// - Parameters:
    ///   - listener: is copied. An object that comes here as `any NodeListener` is treated as an object.
    ///   - owner: is held weakly.
    ///   - identity: what makes two listeners the same; without it each is unique (G-118).
    /// - Returns: this node.
    @inlinable
    @discardableResult
    public func addListener<Listener: NodeListener>(
        _ listener: Listener,
        owner: AnyObject,
        identity: AnyHashable? = nil
    ) -> Self {
        let isObject = type(of: listener) is AnyClass
        let object = isObject ? listener as AnyObject : ListenerToken()
        if isObject {
            add(object, isObject: true, identity: nil, owner: owner) { object, node, event in
                (object as? any NodeListener)?.node(node, event: event)
            }
        } else {
            add(object, isObject: false, identity: identity, owner: owner) { _, node, event in
                listener.node(node, event: event)
            }
        }
        return self
    }

    /// Calls `body` with every event of this node, for as long as `owner` lives.
    ///
    /// The closure is held while an owner lives. One that captures its owner strongly makes a ring (G-62): use
    /// the form that hands the owner over.
    ///
    /// - Parameters:
    ///   - owner: is held weakly.
    ///   - identity: a closure added again under the same identity is not added: `owner` becomes an owner of the
    ///     listen there is (G-118). Without identity each closure is unique, and one added twice fires twice.
    ///   - body: what to do.
    /// - Returns: this node.
    @inlinable
    @discardableResult
    public func addListener(
        owner: AnyObject,
        identity: AnyHashable? = nil,
        _ body: @escaping (NodeEvent<Value>) -> Void
    ) -> Self {
        add(ListenerToken(), isObject: false, identity: identity, owner: owner) { _, _, event in body(event) }
        return self
    }

    /// Calls `body` with the owner, the node and every event, so that nothing need be captured; returns the node.
    ///
    /// Each addition is a listen of its own. No call is made once `owner` is dead.
    @inlinable
    @discardableResult
    public func addListener<Owner: AnyObject>(
        owner: Owner,
        _ body: @escaping (Owner, Node<Value>, NodeEvent<Value>) -> Void
    ) -> Self {
        // The owner is its own listener: nothing is left to be told once it is dead.
        add(owner, isObject: false, identity: nil, owner: owner) { object, node, event in
            body(unsafeDowncast(object, to: Owner.self), node, event)
        }
        return self
    }

    @usableFromInline
    final func add(
        _ listener: AnyObject,
        isObject: Bool,
        identity: AnyHashable?,
        owner: AnyObject,
        tell: @escaping EventListen<Value>.Tell
    ) {
        let key = ListenOwners.Key(node: id, listener: listener, isObject: isObject, identity: identity)
        if let key, let known = graph.ownedListens[key] {
            if !isObject || known.isListen(of: listener), known.livingListener() != nil {
                known.add(owner)
                return
            }
            known.end()
        }
        graph.begin(EventListen<Value>(listener, key: key, tell: tell), on: self, owner: owner)
    }
}

/// Stands for a listener that is no object.
@usableFromInline
final class ListenerToken {
    @usableFromInline init() {}
}

extension ListenOwners.Key {
    init?(node: UInt64, listener: AnyObject, isObject: Bool, identity: AnyHashable?) {
        self.node = node
        if isObject {
            self.identity = .object(ObjectIdentifier(listener))
        } else if let identity {
            self.identity = .value(identity)
        } else {
            return nil
        }
    }
}

extension Graph {
    /// Ties a listen with owners to its node; the replay tells *added* (G-119).
    func begin(_ edge: Edge, on node: AnyNode, owner: AnyObject) {
        guard let owners = edge.owners else { return }
        checkThread("addListener")
        withExtendedLifetime((node, owner)) {
            owners.add(owner)
            if let key = owners.key { ownedListens[key] = owners }
            attach(edge, from: node)
            foreign.insert(edge)
            complete(edge)
            replay(edge)
            if let error = node.pending?.facets?.lastingError, let listener = owners.livingListener() {
                edge.tell(.failed(error, endsLoad: false), of: node, to: listener)
            }
        }
    }
}
