// Adding event listeners (G-114 … G-124). They stand among the node's other listeners, in order of
// addition.
extension Listenable {
    /// Sends `listener` every event of this node until it dies; returns the node.
    ///
    /// The listener owns itself: the node holds it weakly (G-115). Adding it a second time adds
    /// nothing but the owner (G-118).
    @inlinable
    @discardableResult
    public func addListener<Listener: NodeListener & AnyObject>(
        _ listener: Listener,
        file: String = #fileID,
        line: Int = #line
    ) -> Self {
        addListener(listener, owner: listener, file: file, line: line)
    }

    /// Sends `listener` every event of this node, for as long as one of its owners lives.
    ///
    /// The node holds the listener while `owner` lives, and the owner weakly (G-116). Adding a
    /// listener a second time adds nothing but the owner (G-118).
    ///
    /// The death of an owner that is a ``ListenerOwner`` is noticed at once, that of any other
    /// object as in `listen(owner:)`.
    ///
    /// - Parameters:
    ///   - listener: an object, or a value, which is copied.
    ///   - owner: is held weakly.
    ///   - identity: what makes two listeners the same; by default the listener's own
    ///     ``NodeListener/observerIdentity``
    ///     (G-118).
    ///   - file: the file of the call, for ``AnyNode/whyAlive(limit:)`` (G-163).
    ///   - line: the line of the call.
    /// - Returns: this node.
    @inlinable
    @discardableResult
    public func addListener<Listener: NodeListener>(
        _ listener: Listener,
        owner: AnyObject,
        identity: AnyHashable? = nil,
        file: String = #fileID,
        line: Int = #line
    ) -> Self {
        let identity = identity ?? listener.observerIdentity
        guard type(of: listener) is AnyClass else {
            add(ListenerToken(), isObject: false, identity: identity, owner: owner, at: (file, line)) {
                listener.node($1, event: $2)
            }
            return self
        }
        add(listener as AnyObject, isObject: true, identity: identity, owner: owner, at: (file, line)) {
            ($0 as? Listener)?.node($1, event: $2)
        }
        return self
    }

    /// Calls `body` with every event of this node, for as long as `owner` lives.
    ///
    /// The closure is held while an owner lives. One that captures its owner strongly makes a ring
    /// (G-62): use the form that hands the owner over.
    ///
    /// - Parameters:
    ///   - owner: is held weakly.
    ///   - identity: a closure added again under the same identity is not added: `owner` becomes an
    ///     owner of the existing listen (G-118). Without identity each closure is unique, and one
    ///     added twice fires twice.
    ///   - file: the file of the call, for ``AnyNode/whyAlive(limit:)`` (G-163).
    ///   - line: the line of the call.
    ///   - body: what to do.
    /// - Returns: this node.
    @inlinable
    @discardableResult
    public func addListener(
        owner: AnyObject,
        identity: AnyHashable? = nil,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (NodeEvent<Value>) -> Void
    ) -> Self {
        add(ListenerToken(), isObject: false, identity: identity, owner: owner, at: (file, line)) {
            _,
            _,
            event in body(event)
        }
        return self
    }

    /// Calls `body` with the owner, the node and every event, so that nothing need be captured;
    /// returns the node.
    ///
    /// Each addition is a listen of its own. No call is made once `owner` is dead.
    @inlinable
    @discardableResult
    public func addListener<Owner: AnyObject>(
        owner: Owner,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Node<Value>, NodeEvent<Value>) -> Void
    ) -> Self {
        // The owner is its own listener: no event is left to send once it is dead.
        add(owner, isObject: false, identity: nil, owner: owner, at: (file, line)) { object, node, event in
            if let owner = object as? Owner { body(owner, node, event) }
        }
        return self
    }

    @usableFromInline
    func add(
        _ listener: AnyObject,
        isObject: Bool,
        identity: AnyHashable?,
        owner: AnyObject,
        at place: (file: String, line: Int),
        tell: @escaping EventListen<Value>.Tell
    ) {
        let key = ListenOwners.Key(node: node.id, listener: listener, isObject: isObject, identity: identity)
        if let key, let known = node.graph.owners.events[key] {
            // The address of an object is not an identity by itself: the object may be another by
            // now (G-147).
            if !isObject || identity != nil || known.isListen(of: listener), known.livingListener() != nil {
                known.add(owner)
                return
            }
            known.end()
        }
        let listen = EventListen<Value>(listener, key: key, tell: tell)
        listen.attached(atFile: place.file, line: place.line)
        node.graph.begin(listen, on: node, owner: owner)
    }
}

/// Stands for a listener that is not an object.
@usableFromInline
final class ListenerToken {
    @usableFromInline init() {}
}

extension ListenOwners.Key {
    init?(node: UInt64, listener: AnyObject, isObject: Bool, identity: AnyHashable?) {
        self.node = node
        if let identity {
            self.identity = .value(identity)
        } else if isObject {
            self.identity = .object(ObjectIdentifier(listener))
        } else {
            return nil
        }
    }
}

extension Graph {
    /// Ties a listen with owners to its node; the replay sends *added* (G-119).
    func begin(_ edge: Edge, on node: AnyNode, owner: AnyObject) {
        guard let owners = edge.owners else { return }
        checkThread("addListener")
        withExtendedLifetime((node, owner)) {
            edge.attach(from: node)
            owners.add(owner)
            if let key = owners.key { self.owners.events[key] = owners }
            self.owners.begin(in: self)
            self.owners.listens.insert(edge)
            edge.complete(in: self)
            engine.replay(edge)
            if let error = node.core.pending?.facets?.lastingError, let listener = owners.livingListener() {
                edge.notify(.failed(error, endsLoad: false), of: node.core, to: listener)
            }
        }
    }
}
