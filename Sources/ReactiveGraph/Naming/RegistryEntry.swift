/// What a registry knows of one name, for as long as the node lives.
///
/// The node of an entry is alive: when it dies the graph takes the entry away.
final class RegistryEntry {
    let name: String
    /// Rises with each new name of the registry.
    let number: UInt64
    unowned let registry: Registry
    /// The registry's own reference, if the policy gives it one.
    var strong: AnyNode?
    var override: Retention?
    /// Whether the registry lists the name; a removed name is listed again when it is looked up.
    var isListed = false
    private let ref: NodeRef

    init(_ name: String, number: UInt64, node: AnyNode, in registry: Registry) {
        self.name = name
        self.number = number
        self.registry = registry
        ref = .passUnretained(node)
    }

    var node: AnyNode { ref.takeUnretainedValue() }

    var retention: Retention { override ?? registry.policy }

    /// Takes or gives up the registry's reference, as the policy says.
    func hold() {
        let isHeld = isListed && retention != .whileInUse
        registry.evictable[name] = isHeld && retention != .always ? self : nil
        strong = isHeld ? node : nil
    }
}

extension Graph {
    /// The names of a node that is being freed are free again.
    func forgetNames(of node: AnyNode) {
        guard let entries = registered.removeValue(forKey: node.id) else { return }
        for entry in entries { entry.registry.forget(entry) }
    }
}
