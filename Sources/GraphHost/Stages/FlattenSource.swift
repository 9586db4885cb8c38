internal import CEL
internal import ReactiveGraph

// `flatten`: the node that another one's value names (G-77). The chosen node is built when it is chosen and let go
// when another one is.

extension LiveGraph {
    func flattened(_ flatten: Source.Flatten, from outer: Node<Datum>, at place: String) -> Node<Datum> {
        var chosen: [String: NamedNode] = [:]
        for (key, name) in flatten.to { chosen[key] = node(name) }
        let otherwise = flatten.otherwise.flatMap { node($0) }
        let notAKey = Datum.fail("not_a_key", at: place, "no node is chosen by this key")
        return outer.flattenMap { [unowned self] key in
            // A failure passes: it is shown in place of a chosen node.
            if key.isFail { return stand(for: key) }
            guard let node = chosen[Self.keyText(key)] ?? otherwise else { return stand(for: notAKey) }
            return materialise(node)
        }
    }

    /// A node that is followed while none is chosen: a part of the stage.
    private func stand(for failure: Datum) -> Node<Datum> {
        let node = core.node(failure)
        chains.hide(node)
        return node
    }

    /// How a key is written in `to`: a string as what it says, anything else as its JSON text.
    private static func keyText(_ key: Datum) -> String {
        switch key.tree {
        case .string(let text): text
        default: key.text
        }
    }
}
