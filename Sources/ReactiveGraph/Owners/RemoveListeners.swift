// Taking owners away (G-59, G-120).
extension AnyNode {
    /// Removes `owner` from every listen on this node; those left with no owner end, and receive
    /// *stopped*.
    ///
    /// A plain listen has one owner, so it ends. `nil`, or an owner of nothing here: no effect.
    /// Other nodes are left alone (G-120).
    public func removeListeners(ownedBy owner: AnyObject?) {
        guard let owner else { return }
        let bag = (owner as? any ListenerOwner)?.listenBag
        endEach(from: core.listenEdges) { edge in
            if let owned = edge.owners {
                owned.remove(owner)
            } else if edge.belongs(to: owner, bag) {
                edge.end(in: graph)
            }
        }
    }

    /// Ends all listens of `owner` on this node (G-59): those it owns alone, and those in which it
    /// is the listener, whatever other owners they have.
    ///
    /// No effect if there are none.
    public func stopListening(owner: AnyObject) {
        let bag = (owner as? any ListenerOwner)?.listenBag
        endEach(from: core.listenEdges) { edge in
            if let owned = edge.owners {
                if owned.isListen(of: owner) { owned.end() } else { owned.remove(owner) }
            } else if edge.belongs(to: owner, bag) {
                edge.end(in: graph)
            }
        }
    }

    /// Ends all listens of `bag` on this node.
    public func stopListening(in bag: CancellableBag) {
        core.endListens { $0.bag?.identity == Ref.to(bag.contents).identity }
    }

    /// Telling *stopped* runs user code, which may end other listens of the list: they have no
    /// source any more.
    private func endEach(from edges: [Edge], _ body: (Edge) -> Void) {
        withExtendedLifetime(self) {
            for edge in edges where edge.source != nil { body(edge) }
            graph.engine.releaseDue()
        }
    }
}

extension NodeCore {
    func endListens(where matches: (Edge) -> Bool) {
        for edge in listens {
            edge.with { edge in
                if matches(edge) { edge.end(in: graph) }
            }
        }
        graph.engine.releaseDue()
    }

    /// Ends the listens of this node whose owners have all died; the inner following of a flatten
    /// has none.
    func endDeadListens() {
        endListens { $0.traits.contains(.foreign) && $0.owners == nil && $0.owner == nil }
        for edge in listenEdges {
            if let owned = edge.owners { _ = owned.livingListener() }
        }
    }

    /// The listens at this moment, in order of addition.
    var listenEdges: [Edge] { listens.map { $0.object } }
}

extension ListenerOwner {
    /// Ends all listens of this object on `node` (G-59).
    public func stopListening(to node: AnyNode) {
        node.stopListening(owner: self)
    }
}

extension Edge {
    /// Whether this plain listen is `owner`'s, whose bag is `bag`.
    fileprivate func belongs(to owner: AnyObject, _ bag: CancellableBag?) -> Bool {
        if self.owner === owner { return true }
        guard let bag, let holder = self.bag else { return false }
        return holder.identity == Ref.to(bag.contents).identity
    }
}
