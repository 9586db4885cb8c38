// Names that stay without a node: what a server has from its definitions.
extension Registry {
    /// Takes in a name, with or without a node, until it is removed.
    ///
    /// It is canonical, and is not in the registry. It counts only while pressure would release its
    /// node.
    package func declare(_ entry: RegistryEntry) {
        if let former = known(entry.key) {
            precondition(!former.isListed, "Registry: \(entry.key) is declared twice")
            drop(former)
        }
        entry.isDeclared = true
        entry.isListed = true
        insert(entry)
    }

    /// Takes a name out, whatever the policy; a node that is in use lives on.
    package func remove(_ entry: RegistryEntry) {
        entry.isDeclared = false
        entry.isListed = false
        entry.hold()
        if entry.node == nil, entry.registry != nil { drop(entry) }
    }

    /// The entry of that name, if it is in; no look-up.
    package func entry(_ name: String) -> RegistryEntry? {
        guard let entry = known(name), entry.isListed else { return nil }
        return entry
    }

    /// The name of `entry` gives `node` from here on, which the registry holds as the policy says.
    package func adopt(_ node: AnyNode, as entry: RegistryEntry) {
        entry.adopt(node)
        entry.hold()
    }

    /// The node of a declared name: a look-up, which makes what does not exist (G-134).
    ///
    /// What the node is made from is made first, by a list and not by recursion: declarations may
    /// be as deep as they are long (G-138).
    package func node(of target: RegistryEntry) -> AnyNode {
        if let node = target.node {
            target.hold()
            return node
        }
        var open: [(entry: RegistryEntry, next: Int)] = [(target, 0)]
        // Holds what has been made until the target holds it.
        var made: [AnyNode] = []
        while let (entry, next) = open.last {
            if let input = entry.input(next) {
                open[open.count - 1].next += 1
                if let node = input.node {
                    input.hold()
                    made.append(node)
                } else {
                    open.append((input, 0))
                }
                continue
            }
            open.removeLast()
            // Making one of its inputs may have made it, too.
            guard entry.node == nil else { continue }
            let node = entry.make()
            adopt(node, as: entry)
            made.append(node)
        }
        guard let node = target.node else { preconditionFailure("Registry: \(target.key) has no node") }
        return node
    }
}
