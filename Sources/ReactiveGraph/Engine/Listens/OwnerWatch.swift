/// The owners of a graph's listens and syncs that it can only watch: their deaths have to be looked
/// for.
final class OwnerWatch {
    /// The listens of owners without a bag.
    let listens = CancellableBag()
    /// Event listens of listeners that have an identity.
    var events: [ListenOwners.Key: ListenOwners] = [:]
    private var syncs: [OwnedSync] = []
    private var nextLook: (any Cancellable)?

    /// Something that ends with the life of an object that keeps no bag.
    private struct OwnedSync {
        weak let owner: AnyObject?
        let sync: CancelToken
    }

    deinit {
        stop()
    }

    /// Looks no more.
    func stop() {
        nextLook?.cancel()
        nextLook = nil
    }

    /// Ends `sync` with the life of `owner` (G-151).
    func end(_ sync: CancelToken, with owner: AnyObject, in graph: Graph) {
        if let owner = owner as? any ListenerOwner {
            owner.listenBag.add(sync)
        } else {
            syncs.append(OwnedSync(owner: owner, sync: sync))
            begin(in: graph)
        }
    }

    /// An owner is watched by a weak reference from now on: its death is looked for once in a
    /// while.
    func begin(in graph: Graph) {
        guard nextLook == nil, let clock = graph.clock, let interval = graph.collectsEvery else { return }
        nextLook = clock.schedule(at: clock.now + interval) { [weak self, weak graph] in
            guard let self, let graph else { return }
            nextLook = nil
            graph.collect()
            if listens.contents.held.first != nil || !syncs.isEmpty { begin(in: graph) }
        }
    }

    /// Ends what belonged to owners that have died.
    func collect(in graph: Graph) {
        // A released listener may have been its own owner elsewhere: look again.
        while collectListens(in: graph) {}
        graph.engine.releaseDue()
        guard !syncs.isEmpty else { return }
        let ended = syncs.filter { $0.owner == nil }
        syncs.removeAll { $0.owner == nil || !$0.sync.isActive }
        for tie in ended { tie.sync.cancel() }
    }

    /// Says whether an event listen has ended.
    private func collectListens(in graph: Graph) -> Bool {
        var owned: [ListenOwners] = []
        for ref in listens.contents.held {
            ref.with { edge in
                if let listen = edge.owners {
                    if listen.needsCare { owned.append(listen) }
                } else if edge.owner == nil {
                    edge.end(in: graph)
                }
            }
        }
        // These run code of the user, which may do anything.
        for listen in owned.sorted(by: { $0.isBefore($1) }) { _ = listen.livingListener() }
        return !owned.isEmpty
    }
}
