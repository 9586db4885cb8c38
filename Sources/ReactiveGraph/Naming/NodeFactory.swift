/// How a registry makes the nodes of some names.
struct NodeFactory {
    let matches: (String) -> Bool
    let make: (String) -> AnyNode
}

extension Registry {
    /// Nodes of the names that `matches` picks are made by `make`, instead of empty (G-134).
    ///
    /// A factory may look up other names; one that asks for the name it makes traps. The latest
    /// factory that matches is taken. It is held by the registry: it should not hold nodes it wants
    /// to be released.
    ///
    /// - Parameters:
    ///   - matches: is given the canonical name.
    ///   - make: is given the canonical name.
    public func setFactory<Value>(
        where matches: @escaping (String) -> Bool,
        _ make: @escaping (String) -> Node<Value>
    ) {
        factories.append(NodeFactory(matches: matches, make: make))
    }

    /// The node of this name is made by `make`, whenever it does not exist and is asked for.
    ///
    /// An invalid name is a programming error.
    public func setFactory<Value>(for name: String, _ make: @escaping () -> Node<Value>) {
        guard let name = naming.canonical(name) else {
            preconditionFailure("Registry: \(name) is not a valid name")
        }
        setFactory(where: { $0 == name }) { _ in make() }
    }

    /// The node that a factory makes for the name, if there is one for it.
    func makeByFactory(_ name: String) -> AnyNode? {
        guard let factory = factories.last(where: { $0.matches(name) }) else { return nil }
        let node = factory.make(name)
        precondition(node.graph === graph, "Registry: the factory of \(name) makes a node of another graph")
        return node
    }
}
