internal import ReactiveGraph

extension LiveGraph {
    /// The last node of a client's pipeline: chains that exist are used, the rest is built.
    ///
    /// From the first private stage on everything is the caller's own. Whoever listens to the result keeps it.
    func chain(_ source: Source, _ pipe: [Stage], onLast: @escaping () -> Void = {}) -> Node<Datum> {
        var key = source.key
        var isShared = true
        // Expressions that ask for the time see that of the newest commit among the inputs, whenever they are built.
        let outerTime = evaluationTime
        evaluationTime = source.nodes.compactMap { self.node($0)?.lastChange.time }.max() ?? outerTime
        materialising += 1
        defer {
            evaluationTime = outerTime
            materialising -= 1
        }
        var node: Node<Datum>
        if case .from(let name) = source {
            guard let named = self.node(name) else {
                preconditionFailure("the source of a chain is checked before")
            }
            node = materialise(named)
        } else if let known = chains.find(key)?.node {
            node = known
        } else {
            node = self.source(source, at: "pipe")
            chains.add(
                Chains.Record(
                    key: key,
                    stage: source.name,
                    label: key,
                    isShared: true,
                    node: node,
                    born: host.clock.wall
                )
            )
        }
        let builder = StageBuilder(graph: self, time: .steady, place: "pipe", onLast: onLast)
        for (position, stage) in pipe.enumerated() {
            key += "|" + stage.key
            if stage.isPrivate { isShared = false }
            if isShared, let known = chains.find(key)?.node {
                node = known
                continue
            }
            node = builder.build(stage, at: position, behind: node)
            host.work += 1
            chains.add(
                Chains.Record(
                    key: key,
                    stage: stage.name,
                    label: stage.label,
                    isShared: isShared,
                    node: node,
                    born: host.clock.wall
                )
            )
        }
        return node
    }
}

extension Chains {
    /// What a client sees of a chain's key: equal chains have equal ones.
    static func hash(_ key: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let text = String(hash ^ (hash >> 32), radix: 16)
        return String(text.suffix(8))
    }
}
