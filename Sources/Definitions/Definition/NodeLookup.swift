/// Ways to find nodes of a definition without looking at all of them.
///
/// Made where definitions are read, off the loop.
package struct NodeLookup {
    /// The places of the nodes, in the byte order of their names.
    private let byName: [Int32]
    /// For each place, where its dependents begin in `dependents`; one more at the end.
    private let starts: [Int32]
    private let dependents: [Int32]

    /// `place` finds the place of a node by its name; nil for families and unknown names.
    init(_ nodes: [NodeDefinition], place: (String) -> Int?) {
        byName = nodes.indices.map(Int32.init).sorted { nodes[Int($0)].name < nodes[Int($1)].name }
        let inputs = nodes.map { node in Self.drawnInputs(of: node).compactMap(place) }
        var starts = [Int32](repeating: 0, count: nodes.count + 1)
        for place in inputs.joined() { starts[place + 1] += 1 }
        for place in nodes.indices { starts[place + 1] += starts[place] }
        var dependents = [Int32](repeating: 0, count: Int(starts[nodes.count]))
        var next = starts
        for (node, inputs) in inputs.enumerated() {
            for input in inputs {
                dependents[Int(next[input])] = Int32(node)
                next[input] += 1
            }
        }
        (self.starts, self.dependents) = (starts, dependents)
    }

    /// The most members of a glob that pictures show with an edge each; above that, they show only
    /// their number.
    package static let mostGathered = 16

    /// The inputs of a node that pictures show with an edge each.
    private static func drawnInputs(of node: NodeDefinition) -> [String] {
        node.matches.count > mostGathered ? [] : node.inputs
    }

    /// The places of the nodes that name the one at `place` as an input.
    func dependents(ofPlace place: Int) -> ArraySlice<Int32> {
        dependents[Int(starts[place])..<Int(starts[place + 1])]
    }

    /// The places of the nodes whose names are at least `name`, in the byte order of their names.
    package func places(from name: String, in nodes: [NodeDefinition]) -> ArraySlice<Int32> {
        var (low, high) = (0, byName.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[Int(byName[middle])].name < name { low = middle + 1 } else { high = middle }
        }
        return byName[low...]
    }
}

extension GraphDefinition {
    /// The nodes that name this one as an input, in the order of the definition.
    package func dependents(of name: String) -> [NodeDefinition] {
        guard let place = place(of: name) else { return [] }
        return lookup.dependents(ofPlace: place).map { nodes[Int($0)] }
    }
}
