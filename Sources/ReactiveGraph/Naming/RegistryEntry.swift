/// What a registry knows of one name.
///
/// The server of this package keeps more by name than a node: it declares names of its own, as
/// subclasses, which stay when their nodes die. Users of a ``Registry`` need no entries; they
/// cannot make any.
open class RegistryEntry {
    /// The canonical name.
    package final let key: String
    /// The registry while the name is in it.
    final unowned var registry: Registry?
    /// The living node, with a reference of the registry's own while `isHeld`.
    final private var living: NodeRef?
    /// Its place among what pressure releases; negative if it is not there.
    final var place: Int32 = -1
    /// Overrides the registry's policy.
    package final var override: Retention?
    /// Whether the registry lists the name; a removed name is listed again when it is looked up.
    package final internal(set) var isListed = false
    /// Whether the name stays when its node dies.
    final var isDeclared = false
    /// Whether a declared name goes with its node all the same: that of a member of a family.
    package final var goesWithNode = false
    /// Whether it is one of the registry's ``Registry/count``.
    final var isCounted = false
    /// Whether the registry holds the node.
    package final private(set) var isHeld = false

    package init(_ key: String) {
        self.key = key
    }

    /// The node of a declared name that must exist before this one is made, by number; `nil` after
    /// the last one.
    open func input(_ number: Int) -> RegistryEntry? { nil }

    /// Makes the node of a declared name, whose inputs exist.
    open func make() -> AnyNode {
        preconditionFailure("Registry: \(key) is declared without a way to make its node")
    }

    /// The node is being freed; the name is free already.
    open func nodeDied(_ node: AnyNode) {}

    /// The living node, if there is one; asking makes none and does not count as a look-up.
    package final var node: AnyNode? { living?.node }

    /// What happens to the node when it is not in use.
    final var retention: Retention { override ?? registry?.policy ?? .whileInUse }

    /// Takes or gives up the registry's reference, as the policy says: every look-up does (G-130).
    package final func hold() {
        guard let registry else { return }
        let node = node
        let holds = isListed && node != nil && retention != .whileInUse
        registry.account(for: self, isEvictable: holds && retention == .untilPressure)
        guard holds != isHeld, let node else { return }
        isHeld = holds
        let ref = Ref.to(node)
        if holds { _ = ref.retain() } else { ref.release() }
    }

    /// Memory is short: hands over the registry's reference.
    final func giveUp() -> AnyNode? {
        guard isHeld, let living else { return nil }
        isHeld = false
        return living.with { $0.handle }?.take()
    }

    /// From here on the name gives that node.
    final func adopt(_ node: AnyNode) {
        living = node.ref
        node.core.add(self)
    }

    /// From here on the name gives no node; one that lives on keeps it for descriptions.
    final func detach() {
        guard let living else { return }
        living.with { node in
            let name = node.name
            node.remove(self)
            if !node.marks.contains(.isDead), node.name != name { node.name = name }
        }
        leave(living)
    }

    /// The same where the registry is being freed.
    ///
    /// - Returns: the node, if the registry held it.
    final func hand() -> AnyNode? {
        guard let living else { return nil }
        let node = isHeld ? living.heldNode : nil
        if node == nil { detach() } else { living.with { $0.remove(self) } }
        leave(living)
        return node
    }

    private func leave(_ node: NodeRef) {
        living = nil
        guard isHeld else { return }
        isHeld = false
        node.with { $0.handle }?.release()
    }

    /// Another thread has freed the node, which has not ended yet: the name is free already.
    final func forgetGone() {
        guard let living, living.node == nil else { return }
        living.with { $0.forgetNames(nil) }
    }
}

extension AnyNode {
    /// The entry of this node's name in `registry`.
    package final func entry(in registry: Registry) -> RegistryEntry? {
        guard let first = core.registration else { return nil }
        if first.registry === registry { return first }
        return core.entries.first { $0.registry === registry }
    }
}

extension Graph {
    /// The entries of the named nodes through which the emission that is being delivered has gone,
    /// oldest first (G-40); complete while someone asks for names (``askForNames(_:)``).
    package var passedEntries: [RegistryEntry] {
        engine.passedEntries.map { $0 as! RegistryEntry }
    }
}

extension NodeCore {
    /// The entry of this node's first name.
    final var registration: RegistryEntry? {
        firstEntry.map { unsafe unsafeDowncast($0, to: RegistryEntry.self) }
    }

    /// The entries of all its names.
    final var entries: [RegistryEntry] {
        anyEntries.map { unsafe unsafeDowncast($0, to: RegistryEntry.self) }
    }

    /// The names by which registries hold this node, as their policies say (G-129).
    final var registrations: [String] { entries.compactMap { $0.isHeld ? $0.key : nil } }

    /// The names of a node that is being freed are free again; entries are notified of one that is
    /// freed here.
    @inline(__always)
    final func forgetNames(_ node: AnyNode?) {
        while let entry = registration {
            entry.detach()
            entry.registry?.forget(entry)
            if let node { entry.nodeDied(node) }
        }
    }
}
