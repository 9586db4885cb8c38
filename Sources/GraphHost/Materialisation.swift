internal import ReactiveGraph

extension LiveGraph {
    /// The living node behind a name, built with everything it needs if it does not exist at the moment.
    ///
    /// Whoever keeps the result keeps it alive. Inputs are built first, by a list and not by recursion:
    /// definitions may be as deep as they are long.
    func materialise(_ target: NamedNode) -> Node<Datum> {
        if let living = target.living {
            target.wasLookedUp()
            return living
        }
        var open: [(node: NamedNode, next: Int)] = [(target, 0)]
        // Holds what has been built until the target holds it.
        var built: [Node<Datum>] = []
        var times: [ObjectIdentifier: UInt64] = [:]
        let outerTime = evaluationTime
        // What a definition asks for is nobody's pipeline.
        let outerMeter = meter
        meter = nil
        materialising += 1
        defer {
            meter = outerMeter
            evaluationTime = outerTime
            materialising -= 1
        }
        while let (node, next) = open.last {
            if next < node.inputs.count {
                open[open.count - 1].next += 1
                let input = node.inputs[next]
                if let living = input.living {
                    input.wasLookedUp()
                    built.append(living)
                    times[ObjectIdentifier(input)] = input.lastChange.time
                } else {
                    open.append((input, 0))
                }
                continue
            }
            open.removeLast()
            guard node.living == nil else { continue }
            evaluationTime = node.inputs.reduce(node.changed.time) { newest, input in
                max(newest, times[ObjectIdentifier(input)] ?? 0)
            }
            times[ObjectIdentifier(node)] = evaluationTime
            let living = build(node)
            host.work += 1
            node.born = host.clock.wall
            beginHistory(of: node, holding: living.value)
            node.adopt(living)
            built.append(living)
        }
        guard let living = target.living else { preconditionFailure("a node that was just built is gone") }
        return living
    }

    /// Builds the node of a definition, whose inputs exist.
    private func build(_ node: NamedNode) -> Node<Datum> {
        let (before, last) = construct(node)
        let result = last?.derive(before) ?? (node.definition.isFork ? before.fork() : before)
        note(result, as: node.lastPart)
        observe(node, on: result.named(node.name))
        return result
    }

    /// Builds what stands before the last step of a named node: its source and its stages but the last.
    ///
    /// - Returns: the node before the last stage, and that stage; without stages the source alone.
    func construct(_ node: NamedNode) -> (before: Node<Datum>, last: StageOperator?) {
        guard case .derived(let derived) = node.definition.kind else {
            preconditionFailure("mutable nodes live as long as their graph")
        }
        var result = source(derived.source, at: node.name)
        guard let last = derived.pipe.last else { return (result, nil) }
        if derived.source.isJoin { note(result, as: InnerStage.Part(of: node, derived.source.name)) }
        for (position, stage) in derived.pipe.dropLast().enumerated() {
            let site = StageSite(graph: self, timers: timers, place: "\(node.name)/\(position)")
            result = stage.make(site).derive(result).named(stage.label)
            note(result, as: InnerStage.Part(of: node, stage.name, label: stage.label))
        }
        let site = StageSite(graph: self, timers: timers, place: "\(node.name)/\(derived.pipe.count - 1)")
        return (result, last.make(site))
    }

    /// Remembers which step of a definition a node stands for.
    func note(_ node: Node<Datum>, as part: InnerStage.Part?) {
        chains.note(node, as: part, born: host.clock.wall)
    }

    /// Lets a node note what it emits: its stamp, where it depends on what came before, and its history.
    ///
    /// What happens while nodes are built is replay, not news.
    func observe(_ node: NamedNode, on living: Node<Datum>) {
        let isStored = !node.isMutable && node.definition.stateClass != .none
        guard isStored || node.definition.history > 0 else { return living.observe(nil) }
        let held = Unmanaged.passUnretained(node)
        living.observe { [unowned self] emission in
            guard materialising == 0 else { return }
            let stamp = LogStamp(rev: self.rev, time: self.time)
            held._withUnsafeGuaranteedRef { node in
                if isStored { node.changed = stamp }
                node.remember(emission.value, stamp)
            }
        }
    }
}

extension NodeDefinition {
    /// Whether it is a bare `from`: a node of its own, with its own name and listeners.
    var isFork: Bool {
        if case .derived(let derived) = kind, case .from = derived.source { derived.pipe.isEmpty } else { false }
    }
}

extension NamedNode {
    /// The last step of the definition, for which the node itself stands.
    var lastPart: InnerStage.Part? {
        guard case .derived(let derived) = definition.kind else { return nil }
        if let last = derived.pipe.last { return InnerStage.Part(of: self, last.name, label: last.label) }
        return derived.source.isJoin ? InnerStage.Part(of: self, derived.source.name) : nil
    }
}
