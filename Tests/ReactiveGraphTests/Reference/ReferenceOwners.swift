/// A listener that is an object; alive while it is held from outside or by a listen.
final class ReferenceEar {
    let site: Int
    /// Ends its own listens when it dies; otherwise its death has to be noticed.
    let hasBag: Bool
    var isHeld = true
    var pins = 0
    var listens: [ReferenceListen] = []
    private(set) var isDead = false

    init(_ site: Int, hasBag: Bool) {
        self.site = site
        self.hasBag = hasBag
    }

    /// Dies if it is no longer held (G-115 … G-117).
    func check(_ graph: ReferenceGraph) {
        guard !isDead, !isHeld, pins == 0, !listens.contains(where: \.holdsListener) else { return }
        isDead = true
        graph.liveFunctions -= 1
        guard hasBag else { return }
        for listen in listens.filter(\.isSelfOwned).sorted(by: ReferenceListen.isBefore) {
            listen.isSelfOwned = false
            listen.settle()
        }
    }
}

/// A listen with owners; it lasts until all are dead or removed (G-114).
final class ReferenceListen {
    enum Key: Equatable {
        case ear(ObjectIdentifier), identity(Int)
    }

    let key: Key?
    let node: ReferenceNode
    let site: Int
    let ear: ReferenceEar?
    private(set) var edge: ReferenceEdge?
    private let order: Int
    /// Owners other than the listener; dead ones too, until the next check.
    private(set) var owners: [ReferenceOwner] = []
    var isSelfOwned = false
    private var wasAdded = false
    private unowned let world: ReferenceWorld

    init(
        _ key: Key?,
        _ node: ReferenceNode,
        _ site: Int,
        _ ear: ReferenceEar?,
        _ edge: ReferenceEdge,
        _ world: ReferenceWorld
    ) {
        self.key = key
        self.node = node
        self.site = site
        self.ear = ear
        self.edge = edge
        self.world = world
        order = world.graph.connections
    }

    private var graph: ReferenceGraph { world.graph }
    var isActive: Bool { edge != nil }
    /// Strong while an external owner remains, as far as is known (G-116, G-117).
    var holdsListener: Bool { isActive && !owners.isEmpty }

    static func isBefore(_ left: ReferenceListen, _ right: ReferenceListen) -> Bool {
        (left.node.number, left.order) < (right.node.number, right.order)
    }

    var needsCare: Bool {
        owners.isEmpty ? ear?.isDead != false : owners.allSatisfy(\.isDead)
    }

    func add(_ owner: ReferenceOwner?) {
        guard let owner else {
            isSelfOwned = true
            return
        }
        owners.removeAll(where: \.isDead)
        if owners.contains(where: { $0 === owner }) { return }
        owners.append(owner)
        if !owner.isForeign { owner.owned.append(self) }
    }

    /// Removes an owner, `nil` for the listener itself; no effect if it is none.
    func remove(_ owner: ReferenceOwner?) {
        if let owner {
            guard owners.contains(where: { $0 === owner }) else { return }
            owners.removeAll { $0 === owner }
        } else {
            guard isSelfOwned else { return }
            isSelfOwned = false
        }
        owners.removeAll(where: \.isDead)
        settle()
    }

    /// Whether a living owner is left; otherwise the listen ends here.
    func notice() -> Bool {
        while let last = owners.last, last.isDead { owners.removeLast() }
        if !owners.isEmpty { return true }
        settle()
        return isActive && ear?.isDead == false
    }

    func settle() {
        guard isActive, owners.isEmpty else { return }
        guard isSelfOwned else { return end() }
        ear?.check(graph)
        if ear?.isDead != false { end() }
    }

    /// Ends, and tells the listener if it still exists (G-122).
    func end() {
        guard let edge else { return }
        let isThere = ear?.isDead != true
        ear?.pins += 1
        self.edge = nil
        owners = []
        isSelfOwned = false
        graph.listens.removeAll { $0 === self }
        node.pins += 1
        graph.disconnect(edge)
        graph.sweep()
        if isThere { world.player?.heard(site, .stopped, node: node.number, nil) }
        node.pins -= 1
        graph.sweep()
        ear?.pins -= 1
        ear?.listens.removeAll { $0 === self }
        ear?.check(graph)
    }

    /// No event on behalf of the dead (G-125).
    func receive(_ journey: Journey) {
        guard notice() else { return }
        ear?.pins += 1
        let what: Player.Told = !wasAdded ? .added : journey.emission == nil ? .empty : .value
        wasAdded = true
        world.player?.heard(site, what, node: node.number, journey.emission)
        ear?.pins -= 1
        ear?.check(graph)
    }
}

// Owners and events: G-114 … G-125.
extension ReferenceWorld {
    func performOwning(_ step: Step) -> Int {
        switch step {
        case .addEar(let place, let index, let holder, let site):
            guard let node = nodes[place] else { return -1 }
            let ear = needEar(index, site)
            ear.pins += 1
            add(node, .ear(ObjectIdentifier(ear)), ear.site, ear, holder)
            ear.pins -= 1
            ear.check(graph)
        case .addClosure(let place, let holder, let identity, let site):
            guard let node = nodes[place] else { return -1 }
            add(node, identity.map { .identity($0) }, site, nil, holder)
        case .removeOwner(let place, let index, let holder):
            guard let node = nodes[place] else { return -1 }
            if let index {
                guard let ear = ears[index] else { return 0 }
                ear.pins += 1
                for edge in node.listens where edge.listen?.ear === ear { edge.listen?.remove(nil) }
                ear.pins -= 1
                ear.check(graph)
            } else if let owner = owner(holder) {
                removeOwner(owner, from: node)
            }
        case .dropEar(let index):
            drop(ear: index)
        default: break
        }
        return 0
    }

    func drop(ear index: Int) {
        guard let ear = ears[index] else { return }
        ears[index] = nil
        ear.isHeld = false
        ear.check(graph)
    }

    func removeOwner(_ owner: ReferenceOwner, from node: ReferenceNode) {
        owner.pins += 1
        for edge in node.listens where edge.from != nil {
            if let listen = edge.listen {
                listen.remove(owner)
            } else if edge.owner === owner {
                graph.disconnect(edge)
            }
        }
        graph.sweep()
        owner.pins -= 1
        graph.ownerDied(owner)
    }

    private func needEar(_ index: Int, _ site: Int) -> ReferenceEar {
        if let ear = ears[index] { return ear }
        let ear = ReferenceEar(site, hasBag: index % 2 == 1)
        graph.liveFunctions += 1
        ears[index] = ear
        return ear
    }

    /// A known listener gets another owner; a new one is called with *added* (G-118, G-119).
    private func add(
        _ node: ReferenceNode,
        _ key: ReferenceListen.Key?,
        _ site: Int,
        _ ear: ReferenceEar?,
        _ holder: Holder?
    ) {
        let owner = holder.map { needOwner($0) }
        owner?.pins += 1
        defer {
            owner?.pins -= 1
            if let owner { graph.ownerDied(owner) }
        }
        if let key, let known = graph.listens.first(where: { $0.node === node && $0.key == key }) {
            if known.notice() {
                known.add(owner)
                return
            }
            known.end()
        }
        let edge = ReferenceEdge(.listen)
        edge.receivesEmpty = true
        if ear == nil {
            edge.hasFunction = true
            graph.liveFunctions += 1
        }
        graph.attach(edge, from: node)
        graph.attach(edge, to: graph.crowd)
        let listen = ReferenceListen(key, node, site, ear, edge, self)
        edge.listen = listen
        ear?.listens.append(listen)
        graph.listens.append(listen)
        edge.receive = { [unowned listen] journey in listen.receive(journey) }
        listen.add(owner)
        graph.replay(edge)
    }
}
