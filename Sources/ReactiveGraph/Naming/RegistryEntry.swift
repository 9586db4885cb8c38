/// What a registry knows of one name.
///
/// The server of this package keeps more by name than a node: it declares names of its own, as subclasses, which stay when
/// their nodes die. Users of a ``Registry`` need no entries; they cannot make any.
open class RegistryEntry {
    /// The canonical name.
    package final let key: String
    /// The registry while the name is in it.
    @exclusivity(unchecked) final unowned(unsafe) var registry: Registry?
    /// The registry's own reference to the node, if the policy gives it one.
    @exclusivity(unchecked) final private(set) var strong: AnyNode?
    @exclusivity(unchecked) final private var living: NodeRef?
    /// Another name of the same node.
    final fileprivate unowned(unsafe) var sibling: RegistryEntry?
    /// Overrides the registry's policy.
    package final var override: Retention?
    /// Whether the registry lists the name; a removed name is listed again when it is looked up.
    @exclusivity(unchecked) package final internal(set) var isListed = false
    /// Whether the name stays when its node dies.
    final var isDeclared = false
    /// Whether a declared name goes with its node all the same: that of a member of a family.
    package final var goesWithNode = false
    /// Whether it is one of the registry's ``Registry/count``.
    final var isCounted = false
    /// Its place among what pressure releases; negative if it is not there.
    final var place: Int32 = -1

    package init(_ key: String) {
        self.key = key
    }

    /// The node of a declared name that must exist before this one is made, by number; `nil` after the last one.
    open func input(_ number: Int) -> RegistryEntry? { nil }

    /// Makes the node of a declared name, whose inputs exist.
    open func make() -> AnyNode {
        preconditionFailure("Registry: \(key) is declared without a way to make its node")
    }

    /// The node is being freed; the name is free already.
    open func nodeDied(_ node: AnyNode) {}

    /// The living node, if there is one; asking makes none and is no look-up.
    package final var node: AnyNode? { living?.takeUnretainedValue() }

    /// Whether the registry holds the node.
    package final var isHeld: Bool { strong != nil }

    /// What happens to the node when it is not in use.
    final var retention: Retention { override ?? registry?.policy ?? .whileInUse }

    /// Takes or gives up the registry's reference, as the policy says: every look-up does (G-130).
    package final func hold() {
        guard let registry else { return }
        let isHeld = isListed && living != nil && retention != .whileInUse
        registry.account(for: self, isEvictable: isHeld && retention == .untilPressure)
        strong = isHeld ? node : nil
    }

    /// Memory is short: hands over the registry's reference.
    final func giveUp() -> AnyNode? { strong.take() }

    /// From here on the name gives that node.
    final func adopt(_ node: AnyNode) {
        living = .passUnretained(node)
        if node.name == nil { node.name = key }
        let side = node.needSide()
        guard var last = side.registration else {
            side.registration = self
            return
        }
        while let next = last.sibling { last = next }
        last.sibling = self
    }

    /// From here on the name gives no node.
    final func detach() {
        guard let side = node?.needSide() else { return }
        if side.registration === self {
            side.registration = sibling
        } else {
            var former = side.registration
            while let next = former?.sibling, next !== self { former = next }
            former?.sibling = sibling
        }
        sibling = nil
        living = nil
        strong = nil
    }
}

extension AnyNode {
    /// The entry of this node's first name.
    final var registration: RegistryEntry? { side?._withUnsafeGuaranteedRef { $0.registration } }

    /// The entry of this node's name in `registry`.
    package final func entry(in registry: Registry) -> RegistryEntry? {
        var entry = registration
        while let found = entry, found.registry !== registry { entry = found.sibling }
        return entry
    }

    /// The names by which registries hold this node, as their policies say (G-129).
    final var registrations: [String] {
        var names: [String] = []
        var next = registration
        while let entry = next {
            if entry.isHeld { names.append(entry.key) }
            next = entry.sibling
        }
        return names
    }

    /// The names of a node that is being freed are free again.
    final func forgetNames() {
        while let entry = registration {
            entry.detach()
            entry.registry?.forget(entry)
            entry.nodeDied(self)
        }
    }
}
