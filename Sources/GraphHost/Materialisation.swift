internal import ReactiveGraph

extension LiveGraph {
    /// The living node of a name, made with everything it needs if it does not exist at the moment.
    ///
    /// The caller holds the result, or it may be gone at once.
    func materialise(_ target: NamedNode) -> Node<Datum> {
        if let living = target.living {
            target.hold()
            return living
        }
        let outerTime = evaluationTime
        let outerTimes = inputTimes
        inputTimes = [:]
        // No client pays for what a definition asks for.
        let outerMeter = meter
        meter = nil
        materialising += 1
        defer {
            meter = outerMeter
            evaluationTime = outerTime
            inputTimes = outerTimes
            materialising -= 1
        }
        return unsafeDowncast(registry.node(of: target), to: Node<Datum>.self)
    }

    /// Makes the node of a definition, whose inputs exist; the registry is about to take it.
    func make(_ node: NamedNode) -> Node<Datum> {
        evaluationTime = node.inputs.reduce(node.changed.time) { newest, input in
            max(newest, evaluationTime(of: input))
        }
        inputTimes[ObjectIdentifier(node)] = evaluationTime
        let living = build(node)
        host.work += 1
        node.born = host.clock.wall
        beginHistory(of: node, holding: living.value)
        if node.definition.retain == .untilPressure, registry.isFull { host.pressure.count(flushUnused()) }
        return living
    }

    /// The time of the newest commit among the inputs of an input, computed once per materialisation: each is linear.
    private func evaluationTime(of input: NamedNode) -> UInt64 {
        if let known = inputTimes[ObjectIdentifier(input)] { return known }
        let time = input.lastChange.time
        inputTimes[ObjectIdentifier(input)] = time
        return time
    }

    /// Builds the node of a definition, whose inputs exist.
    private func build(_ node: NamedNode) -> Node<Datum> {
        var result = construct(node)
        if node.definition.isStamped {
            let note = stamping(node)
            result = result.transform(named: "fork") { emission, _ in note(emission) }
        } else if case .derived(let derived) = node.definition.kind, case .from = derived.source,
            derived.pipe.isEmpty
        {
            // A bare `from` is a node of its own, with its own name and listeners.
            result = result.fork()
        }
        return result.named(node.name)
    }

    /// Builds what stands behind a named node: its source and its stages, up to the last one.
    func construct(_ node: NamedNode) -> Node<Datum> {
        guard case .derived(let derived) = node.definition.kind else {
            preconditionFailure("mutable nodes live as long as their graph")
        }
        let builder = StageBuilder(graph: self, time: .commits, place: node.name)
        var result = source(derived.source, at: node.name)
        let born = host.clock.wall
        func note(_ stage: String, _ label: String) {
            chains.add(
                InnerStage(of: node, stage: stage, label: label, node: result, born: born),
                number: result.id
            )
        }
        if derived.source.isJoin { note(derived.source.name, derived.source.name) }
        for (position, stage) in derived.pipe.enumerated() {
            result = builder.build(stage, at: position, behind: result).named(stage.label)
            note(stage.name, stage.label)
        }
        return result
    }

    /// Hands emissions on and notes each: its stamp is stored with a history or timed node, and its value in the
    /// node's history.
    ///
    /// Building one again is no emission.
    func stamping(_ node: NamedNode) -> (Emission<Datum>) -> Emission<Datum> {
        let held = Unmanaged.passUnretained(node)
        let isStored = node.definition.stateClass != .none
        return { [unowned self] emission in
            if materialising == 0 {
                let stamp = LogStamp(rev: self.rev, time: self.time)
                held._withUnsafeGuaranteedRef { node in
                    if isStored { node.changed = stamp }
                    node.remember(emission.value, stamp)
                }
            }
            return emission
        }
    }

    /// The node that a source of a definition, or of a client's subscription, means.
    func source(_ source: Source, at place: String) -> Node<Datum> {
        switch source {
        case .from(let name):
            return input(name)
        case .combine(let combine):
            let inputs = combine.nodes.map(input)
            guard let map = combine.map else {
                return Graph.combined(inputs, names: combine.names, meter).named(source.name)
            }
            let evaluation = Evaluation(map, taking: combine.names?.count ?? 1, at: place, in: self)
            return Graph.combined(inputs, isList: combine.names == nil, evaluation).named(source.name)
        case .merge(let names):
            return Node.merge(names.map(input)).named(source.name)
        case .flatten(let flatten):
            return flattened(flatten, from: input(flatten.from), at: place).named(source.name)
        case .zip(let zip):
            let evaluation = zip.map.map { Evaluation($0, taking: 1, at: place, in: self) }
            let limit = min(zip.buffer ?? .max, host.limits.zipBuffer)
            return ZipSource.node(of: zip.nodes.map(input), limit: limit, at: place, evaluation, meter)
                .named(source.name)
        case .switch(let sorted):
            let by = Evaluation(sorted.by, taking: 1, at: place, in: self)
            let value = sorted.value.map { Evaluation($0, taking: 1, at: place, in: self) }
            return input(sorted.from).switchSource(by: by, value: value).named(source.name)
        case .case(let one):
            let sorted = input(one.of)
            return sorted.caseSource(one, in: self.place(for: one, behind: sorted), at: place, meter)
                .named(source.name)
        case .if(let condition):
            let when = Evaluation(condition.when, taking: 1, at: place, in: self)
            return input(condition.from).ifSource(when).named(source.name)
        }
    }

    private func input(_ name: String) -> Node<Datum> {
        guard let node = node(name) else { preconditionFailure("a checked definition names no unknown node") }
        return materialise(node)
    }
}
