/// The owners of a listen, which lasts until all of them are dead or removed (G-114 … G-118).
///
/// The listen is an edge that the graph holds, or a bag. Its listener is held strongly while an
/// owner other than itself lives, else weakly.
///
/// Invariants:
/// - While the listen is active it has an owner, and stands in its node's list of listens.
/// - `held` is the listener exactly while `owners` is not empty.
package final class ListenOwners {
    /// Which listener of which node, for listeners with an identity; the address of a dead object
    /// is not an identity.
    struct Key: Hashable {
        let node: UInt64
        let identity: Identity
    }

    enum Identity: Hashable {
        case object(ObjectIdentifier)
        case value(AnyHashable)
    }

    let key: Key?
    private var edge: EdgeRef?
    /// Owners other than the listener, in order of addition.
    private var owners: [ListenTie] = []
    private var selfTie: ListenTie?
    private var held: AnyObject?
    private weak var listener: AnyObject?
    /// Ends a listen that has more to give up than its edge.
    private let ending: (() -> Void)?

    /// The owners of a listen that ends itself by `ending`, which the last of them calls when it
    /// goes.
    ///
    /// `listener` counts as one of the owners once it is added.
    package init(_ listener: AnyObject, ending: @escaping () -> Void) {
        key = nil
        self.listener = listener
        self.ending = ending
    }

    init(_ listener: AnyObject, key: Key?) {
        self.key = key
        self.listener = listener
        ending = nil
    }

    /// Whether the listen has not ended.
    var isActive: Bool { edge != nil }

    /// The node listened to.
    var node: AnyNode? { edge?.source?.heldNode }

    func isBefore(_ other: ListenOwners) -> Bool {
        let left = (edge?.source?.id ?? 0, edge?.stamp ?? 0)
        return left < (other.edge?.source?.id ?? 0, other.edge?.stamp ?? 0)
    }

    /// The edge whose owners these are; it holds them.
    package func begin(_ edge: Edge) {
        self.edge = .to(edge)
    }

    /// Whether this is the listen of `object` itself.
    func isListen(of object: AnyObject) -> Bool { listener === object }

    /// The living owners, the listener among them if it owns itself.
    package var livingOwners: [AnyObject] {
        (selfTie?.object.map { [$0] } ?? []) + owners.compactMap(\.object)
    }

    // MARK: - Owners

    /// Adds an owner; no effect if it is one already (G-118).
    package func add(_ owner: AnyObject) {
        if owner === listener {
            if selfTie == nil { selfTie = ListenTie(owner, of: self) }
            return
        }
        owners.removeAll { $0.object == nil }
        if owners.contains(where: { $0.object === owner }) { return }
        owners.append(ListenTie(owner, of: self))
        held = listener
    }

    /// Removes an owner; no effect if it is not one.
    package func remove(_ owner: AnyObject) {
        if let tie = selfTie, tie.object === owner { return remove(tie) }
        guard let tie = owners.first(where: { $0.object === owner }) else { return }
        remove(tie)
    }

    /// Removes one owner, which may be dying, and ends the listen if it was the last.
    func remove(_ tie: ListenTie) {
        tie.untie()
        if selfTie === tie { selfTie = nil }
        owners.removeAll { $0 === tie || $0.object == nil }
        settle()
    }

    /// Whether a death has not been noticed yet.
    var needsCare: Bool {
        held == nil ? listener == nil : owners.allSatisfy { $0.object == nil }
    }

    /// The listener if a living owner is left; otherwise the listen ends here.
    ///
    /// Costs one weak look-up while the latest owner lives.
    func livingListener() -> AnyObject? {
        if held != nil {
            while let last = owners.last, last.object == nil {
                last.untie()
                owners.removeLast()
            }
            if !owners.isEmpty { return held }
        }
        settle()
        guard isActive else { return nil }
        return held ?? listener
    }

    /// After owners have gone: weak again, or ended.
    private func settle() {
        guard isActive, owners.isEmpty else { return }
        guard selfTie != nil else { return end() }
        // Releasing it may destroy it, and that ends the listen.
        destroy(exchange(&held, with: nil))
        if listener == nil { end() }
    }

    /// Ends the listen, and notifies the listener if it still exists (G-122).
    package func end() {
        guard let edge = edge?.object else { return }
        self.edge = nil
        let last = held ?? listener
        held = nil
        selfTie?.untie()
        selfTie = nil
        for tie in owners { tie.untie() }
        owners = []
        if let ending { return ending() }
        guard let node = edge.source?.heldNode else { return }
        let graph = node.graph
        if let key, graph.owners.events[key] === self { graph.owners.events[key] = nil }
        edge.cut()
        if let last { edge.notifyStopped(node, to: last) }
    }
}
